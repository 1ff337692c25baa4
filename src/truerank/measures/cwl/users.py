"""The expected gain per document read: measures that are each a reader's chance of going on (C/W/L).

The measures of `expectations` tell of the same readers how far they get and what it takes.
"""

from __future__ import annotations

from truerank.core.hits import Hits
from truerank.measures.cwl.readers import UnitGain, found
from truerank.measures.parameters import Amount, Cost, Positive, Share, Short, Target
from truerank.measures.registry import measure
from truerank.measures.terms import Terms

EARLY = 'Azzopardi, Mackenzie and Moffat, "ERR is not C/W/L", ICTIR 2021'


@measure(
    "INSQ",
    formula="Σ W_i g_i, W_i as 1 / (i + 2T − 1)²: C_i = ((i + 2T − 1) / (i + 2T))²",
    source="Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012",
    takes_unjudged_grades=True,
    monotone="rising",
)
def inverse_square(
    hits: Hits,
    *,
    k: int | None = None,
    T: Positive = 1,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The expected gain per document read, for a reader who wants T and reads on the likelier the deeper they are.

    `gain` is "graded" (the grade by `max_grade`, or the collection's highest) or "binary" (1 from `level` on). With
    `@k` the reader ends at rank k; cwl-eval ends all at 1000.

    >>> import truerank as tr
    >>> round(tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "INSQ").mean["INSQ"], 4)
    0.3661
    """
    return found(hits, "INSQ", k=k, T=T, gain=gain, level=level, max_grade=max_grade)


@measure(
    "INST",
    formula="Σ W_i g_i, W by C_i = ((i + T + T_i − 1) / (i + T + T_i))², T_i = T − Σ_{j≤i} g_j",
    source="Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric for IR evaluation, ADCS 2015",
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def adaptive(
    hits: Hits,
    *,
    k: int | None = None,
    T: Target = 1,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The expected gain per document read, for a reader who wants T and reads on the less likely the more is found.

    `gain`, `max_grade` and `@k` are as in INSQ.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": ["a", "b", "c"]}
    >>> round(tr.evaluate(qrels, run, "INST").mean["INST"], 6)
    0.355541
    """
    return found(hits, "INST", k=k, T=T, gain=gain, level=level, max_grade=max_grade)


@measure(
    "SDCG",
    "scaled_dcg",
    "NDCG-k",
    formula="Σ_{i≤k} g_i / log2(i + 1) / Σ_{i≤k} 1 / log2(i + 1)",
    source="Moffat, Bailey, Scholer and Thomas, TOIS 2017; cwl-eval's NDCG-k; ir_measures SDCG",
    takes_unjudged_grades=True,
    monotone="rising",
)
def scaled_dcg(
    hits: Hits, *, k: Short, gain: UnitGain = "graded", level: float = 1, max_grade: Amount | None = None
) -> Terms:
    """DCG divided by that of a list of best documents alone: the gain per document of a reader who grows tired.

    What papers on sessions call sDCG is `SessionDCG`.

    >>> import truerank as tr
    >>> round(tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["b", "a"]}, "SDCG@2").mean["SDCG@2"], 4)
    0.8066
    """
    return found(hits, "SDCG", k=k, gain=gain, level=level, max_grade=max_grade)


@measure(
    "BPM",
    "BPM-Static",
    at="K",
    BPMD={"hb": 1},
    BPM_Dynamic={"hb": 1},
    formula="Σ_{i≤s} g_i / s; s: the rank by which T is found or K spent; g_i moves both: T by hb (g_i − median)",
    source="Zhang, Liu, Li, Zhang, Xu and Ma, Evaluating web search with a Bejeweled player model, SIGIR 2017",
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def bejeweled(
    hits: Hits,
    *,
    T: Positive = 1,
    K: Positive = 10,
    hb: Amount = 0,
    hc: Amount = 0,
    median: Share = 0.5,
    cost: Cost = 1,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The gain per document read, for a reader who stops when T is found or K is spent.

    `cost` is what a document takes, or {grade: cost}, from each grade on. `hb` above 0 is the dynamic one, whose
    target moves with what is met, as its budget does by `hc` (which cwl-eval leaves out); `gain` is as in INSQ.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "BPM(T=2)@2 BPM(T=2)@3").mean
    {'BPM(T=2)@2': 0.5, 'BPM(T=2)@3': 0.6666666666666666}
    """
    given = {"cost": cost, "gain": gain, "level": level, "max_grade": max_grade}
    return found(hits, "BPM", T=T, K=K, hb=hb, hc=hc, median=median, **given)


@measure(
    "TBG",
    "TBG-H",
    at="halflife",
    formula="Σ W_i g_i, W_i as 2^(−t_i / h); t_i: what all above rank i cost",
    source="Smucker and Clarke, Time-based calibration of effectiveness measures, SIGIR 2012, as cwl-eval has it",
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def time_biased_gain(
    hits: Hits,
    *,
    halflife: Positive = 224,
    cost: Cost = 1,
    k: int | None = None,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The expected gain per document read, when half of the readers leave in each half-life.

    `cost` is the time that a document takes, or {grade: time}, from each grade on. The gain of all the time, as the
    paper has it, is ETU(of='TBG(…)'); `gain` is as in INSQ, and `k` the last rank that is read.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "TBG(cost=10)@10").mean
    {'TBG(cost=10)@10': 0.25}
    """
    return found(hits, "TBG", halflife=halflife, cost=cost, k=k, gain=gain, level=level, max_grade=max_grade)


@measure(
    "U",
    "U-measure",
    "UMeasure",
    "U-L",
    at="L",
    formula="Σ W_i g_i, W_i as max(0, 1 − t_i / L); t_i: how long all above rank i are",
    source="Sakai and Dou, Summaries, ranked retrieval and sessions, SIGIR 2013, as cwl-eval has it",
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def u_measure(
    hits: Hits,
    *,
    L: Positive = 1000,
    cost: Cost = 1,
    k: int | None = None,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The expected gain per document read, when attention falls steadily to 0 at a length L of text.

    `cost` is the length of a document, or {grade: length}, from each grade on; what is found in all is
    ETU(of='U(…)'); `gain` is as in INSQ, and `k` the last rank that is read.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "U(cost=500)").mean
    {'U(cost=500)': 0.3333333333333333}
    """
    return found(hits, "U", L=L, cost=cost, k=k, gain=gain, level=level, max_grade=max_grade)


@measure(
    "NERR8",
    "NERReq8",
    "NERR-EQ8",
    formula="Σ W_i g_i, W by C_i = 1 − g_i, to rank k",
    source=EARLY,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def nearly_err_8(
    hits: Hits, *, k: int, gain: UnitGain = "graded", level: float = 1, max_grade: Amount | None = None
) -> Terms:
    """The expected gain per document read, for a reader whom a document satisfies with a probability of its gain.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "NERR8@2").mean
    {'NERR8@2': 0.6666666666666666}
    """
    return found(hits, "NERR8", k=k, gain=gain, level=level, max_grade=max_grade)


@measure(
    "NERR9",
    "NERReq9",
    "NERR-EQ9",
    formula="Σ W_i g_i, W by C_i = i / (i + 1) · (1 − g_i), to rank k",
    source=EARLY,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def nearly_err_9(
    hits: Hits, *, k: Short, gain: UnitGain = "graded", level: float = 1, max_grade: Amount | None = None
) -> Terms:
    """The expected gain per document read, if gains satisfy a reader who also tires: rank i is read 1/i as often.

    It is NERR8 for a reader who also grows tired, as in ERR.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "NERR9@2").mean
    {'NERR9@2': 0.6}
    """
    return found(hits, "NERR9", k=k, gain=gain, level=level, max_grade=max_grade)


@measure(
    "NERR10",
    "NERReq10",
    "NERR-EQ10",
    at="p",
    formula="Σ W_i g_i, W by C_i = p (1 − g_i)",
    source=EARLY,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def nearly_err_10(
    hits: Hits,
    *,
    p: Share = 0.9,
    k: int | None = None,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The expected gain per document read, if gains satisfy a reader, who else reads on with probability p.

    It is NERR8 for a reader who continues as in RBP; `k` is the last rank that is read.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "NERR10@0.5").mean
    {'NERR10@0.5': 0.6}
    """
    return found(hits, "NERR10", p=p, k=k, gain=gain, level=level, max_grade=max_grade)


@measure(
    "NERR11",
    "NERReq11",
    "NERR-EQ11",
    at="T",
    formula="Σ W_i g_i, W by C_i = ((i + 2T − 1) / (i + 2T))² (1 − g_i)",
    source=EARLY,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def nearly_err_11(
    hits: Hits,
    *,
    T: Positive = 1,
    k: int | None = None,
    gain: UnitGain = "graded",
    level: float = 1,
    max_grade: Amount | None = None,
) -> Terms:
    """The expected gain per document read, if gains satisfy a reader, who else reads on the likelier the deeper.

    It is NERR8 for a reader who continues as in INSQ; `k` is the last rank that is read.

    >>> import truerank as tr
    >>> round(tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "NERR11").mean["NERR11"], 4)
    0.5909
    """
    return found(hits, "NERR11", T=T, k=k, gain=gain, level=level, max_grade=max_grade)
