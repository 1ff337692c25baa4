"""How sure is that: arrays in, frozen results out. Knows nothing of retrieval.

All randomness is seeded. The resampled sums are sums of whole numbers, so that the same seed gives the same bits
whatever the number of threads. Wrong input is a ValueError that says what is wrong; no result is NaN.
SciPy is loaded when a function first needs it; where it is missing, a ModuleNotFoundError says what to install.
"""

from truerank.stats.agreement import kendall_tau, tau_ap
from truerank.stats.binomial import clopper_pearson, mid_p
from truerank.stats.corrections import Correction, adjust
from truerank.stats.effects import effect
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
from truerank.stats.many import Groups, Tukey, groups, max_t, tukey_hsd
from truerank.stats.orders import kendall_taus, order_intervals, tau_aps
from truerank.stats.overlap import rbo, rbo_of_shared
from truerank.stats.paired import TESTS, Paired, paired_t, randomization, randomizations, sign, wilcoxon
from truerank.stats.power import power, queries_needed, smallest_detectable
from truerank.stats.quantiles import quantile_interval
from truerank.stats.raters import (
    OF_ALL,
    OF_TWO,
    Tallies,
    coefficient_intervals,
    cohen_kappa,
    gwet_ac,
    krippendorff_alpha,
)
from truerank.stats.resampling import p_of, percentile_interval, resampled

__all__ = [
    "BINOMIAL",
    "OF_ALL",
    "OF_TWO",
    "TESTS",
    "Correction",
    "Equivalence",
    "Groups",
    "Interval",
    "Method",
    "Paired",
    "Tallies",
    "Tukey",
    "adjust",
    "clopper_pearson",
    "coefficient_intervals",
    "cohen_kappa",
    "difference_interval",
    "difference_intervals",
    "effect",
    "groups",
    "gwet_ac",
    "is_too_few",
    "kendall_tau",
    "kendall_taus",
    "krippendorff_alpha",
    "max_t",
    "mean_interval",
    "mean_intervals",
    "mid_p",
    "non_inferiority",
    "order_intervals",
    "p_of",
    "paired_t",
    "percentile_interval",
    "power",
    "quantile_interval",
    "queries_needed",
    "randomization",
    "randomizations",
    "rbo",
    "rbo_of_shared",
    "resampled",
    "sign",
    "smallest_detectable",
    "tau_ap",
    "tau_aps",
    "tost",
    "tukey_hsd",
    "wilcoxon",
]
