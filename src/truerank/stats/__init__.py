"""How sure is that: arrays in, frozen results out. Knows nothing of retrieval.

All randomness is seeded. The resampled sums are sums of whole numbers, so that the same seed gives the same bits
whatever the number of threads. Wrong input is a ValueError that says what is wrong; no result is NaN.
SciPy is loaded when a function first needs it; where it is missing, a ModuleNotFoundError says what to install.
"""

from truerank.stats.agreement import kendall_tau, tau_ap
from truerank.stats.binomial import clopper_pearson, mid_p
from truerank.stats.corrections import Correction, adjust
from truerank.stats.crossed import (
    Components,
    OverRuns,
    Spread,
    components,
    difference_over_runs,
    mean_over_runs,
    spread,
)
from truerank.stats.equivalence import Equivalence, non_inferiority, tost
from truerank.stats.intervals import (
    BINOMIAL,
    Interval,
    Method,
    difference_interval,
    difference_intervals,
    is_too_few,
    mean_interval,
    mean_intervals,
)
from truerank.stats.many import Groups, Tukey, groups, tukey_hsd
from truerank.stats.mixed import Variances, mixed_model
from truerank.stats.nested import Nested, nested
from truerank.stats.orders import kendall_taus, order_intervals, tau_aps
from truerank.stats.paired import TESTS, Paired, effect, paired_t, randomization, randomizations, sign, wilcoxon
from truerank.stats.pairs import (
    max_t,
    mean_and_pair_intervals,
    pair_deviations,
    pair_effects,
    pair_randomizations,
    paired_differences,
)
from truerank.stats.power import critical_difference, critical_sd, power, queries_needed, smallest_detectable
from truerank.stats.predicted import PredictedMean, predicted_means, selection
from truerank.stats.quantiles import quantile_interval
from truerank.stats.ranks import borda, rank_intervals
from truerank.stats.raters import (
    OF_ALL,
    OF_TWO,
    Tallies,
    coefficient_intervals,
    cohen_kappa,
    gwet_ac,
    krippendorff_alpha,
)
from truerank.stats.ratios import LARGE, effective_size, ratio_interval
from truerank.stats.rbo_matrix import alike_together, rbo_of_ranks
from truerank.stats.rbo_pair import rbo, rbo_of_shared
from truerank.stats.reproduction import delta_relative_improvement, effect_ratio, root_mean_square_error
from truerank.stats.resampling import p_of, percentile_interval, resampled
from truerank.stats.sequences import Sequential, confidence_of_look, difference_sequence, mean_sequence

__all__ = [
    "BINOMIAL",
    "LARGE",
    "OF_ALL",
    "OF_TWO",
    "TESTS",
    "Components",
    "Correction",
    "Equivalence",
    "Groups",
    "Interval",
    "Method",
    "Nested",
    "OverRuns",
    "Paired",
    "PredictedMean",
    "Sequential",
    "Spread",
    "Tallies",
    "Tukey",
    "Variances",
    "adjust",
    "alike_together",
    "borda",
    "clopper_pearson",
    "coefficient_intervals",
    "cohen_kappa",
    "components",
    "confidence_of_look",
    "critical_difference",
    "critical_sd",
    "delta_relative_improvement",
    "difference_interval",
    "difference_intervals",
    "difference_over_runs",
    "difference_sequence",
    "effect",
    "effect_ratio",
    "effective_size",
    "groups",
    "gwet_ac",
    "is_too_few",
    "kendall_tau",
    "kendall_taus",
    "krippendorff_alpha",
    "max_t",
    "mean_and_pair_intervals",
    "mean_interval",
    "mean_intervals",
    "mean_over_runs",
    "mean_sequence",
    "mid_p",
    "mixed_model",
    "nested",
    "non_inferiority",
    "order_intervals",
    "p_of",
    "pair_deviations",
    "pair_effects",
    "pair_randomizations",
    "paired_differences",
    "paired_t",
    "percentile_interval",
    "power",
    "predicted_means",
    "quantile_interval",
    "queries_needed",
    "randomization",
    "randomizations",
    "rank_intervals",
    "ratio_interval",
    "rbo",
    "rbo_of_ranks",
    "rbo_of_shared",
    "resampled",
    "root_mean_square_error",
    "selection",
    "sign",
    "smallest_detectable",
    "spread",
    "tau_ap",
    "tau_aps",
    "tost",
    "tukey_hsd",
    "wilcoxon",
]
