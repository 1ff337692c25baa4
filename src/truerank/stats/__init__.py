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
from truerank.stats.many import Groups, Tukey, groups, tukey_hsd
from truerank.stats.overlap import rbo, rbo_of_shared
from truerank.stats.overlaps import alike_together, rbo_of_ranks
from truerank.stats.paired import TESTS, Paired, paired_t, randomization, randomizations, sign, wilcoxon
from truerank.stats.pairs import max_t, pair_effects, pair_intervals, pair_randomizations, paired_differences
from truerank.stats.power import power, queries_needed, smallest_detectable
from truerank.stats.quantiles import quantile_interval
from truerank.stats.resampling import p_of, percentile_interval, resampled

__all__ = [
    "BINOMIAL",
    "TESTS",
    "Correction",
    "Equivalence",
    "Groups",
    "Interval",
    "Method",
    "Paired",
    "Tukey",
    "adjust",
    "alike_together",
    "clopper_pearson",
    "difference_interval",
    "difference_intervals",
    "effect",
    "groups",
    "is_too_few",
    "kendall_tau",
    "max_t",
    "mean_interval",
    "mean_intervals",
    "mid_p",
    "non_inferiority",
    "p_of",
    "pair_effects",
    "pair_intervals",
    "pair_randomizations",
    "paired_differences",
    "paired_t",
    "percentile_interval",
    "power",
    "quantile_interval",
    "queries_needed",
    "randomization",
    "randomizations",
    "rbo",
    "rbo_of_ranks",
    "rbo_of_shared",
    "resampled",
    "sign",
    "smallest_detectable",
    "tau_ap",
    "tost",
    "tukey_hsd",
    "wilcoxon",
]
