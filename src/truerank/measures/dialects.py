"""What other tools call measures by names of their own, and what their parameters are called here.

A name that several tools share, such as ndcg or recall, is an alias of its measure; what one tool takes it for, the
`readings` of rules say.
"""

from __future__ import annotations

import re
from typing import Any

from truerank.core.messages import message
from truerank.measures.definition import WORD

_VERDICTS = (
    *("contextualprecision", "contextualprecisionmetric", "contextual_precision"),
    *("llmcontextprecisionwithreference", "llm_context_precision_with_reference"),
    *("llmcontextprecisionwithoutreference", "llm_context_precision_without_reference"),
    *("nonllmcontextprecisionwithreference", "non_llm_context_precision_with_reference"),
    *("contextutilization", "context_utilization"),
)
"""DeepEval's and RAGAS' precision of verdicts on what was returned."""

_STATEMENTS = (
    *("contextualrecall", "contextualrecallmetric", "contextual_recall"),
    *("llmcontextrecall", "llm_context_recall"),
)
"""Their shares of the statements of an expected answer."""

DIALECTS: dict[str, tuple[str, str]] = {
    # torchmetrics, whose precision is of the rows that it is given, and AutoRAG
    **dict.fromkeys(("retrievalmap", "retrieval_map", "retrieval_average_precision"), ("AP(divisor='hits')",) * 2),
    **dict.fromkeys(("retrievalmrr", "retrieval_mrr", "retrieval_reciprocal_rank"), ("RR", "RR")),
    **dict.fromkeys(("retrievalprecision", "retrieval_precision"), ("SetP", "P")),
    **dict.fromkeys(("retrievalrecall", "retrieval_recall"), ("SetR", "R")),
    **dict.fromkeys(("retrievalhitrate", "retrieval_hit_rate"), ("SetSuccess", "Success")),
    **dict.fromkeys(("retrievalfallout", "retrieval_fall_out"), ("FallOut", "FallOut")),
    **dict.fromkeys(("retrievalrprecision", "retrieval_r_precision"), ("Rprec", "Rprec")),
    **dict.fromkeys(("retrievalnormalizeddcg", "retrieval_normalized_dcg"), ("nDCG(ties='averaged')",) * 2),
    **dict.fromkeys(("retrievalauroc", "retrieval_auroc"), ("AUROC", "AUROC")),
    "retrieval_ndcg": ("nDCG(gain='binary', ideal='returned')",) * 2,
    **dict.fromkeys(_VERDICTS, ("AP(divisor='hits')",) * 2),
    "idbasedcontextprecision": ("SetP", "P"),
    "idbasedcontextrecall": ("SetR", "R"),
    # recommenders, whose functions take k = 10 where nothing else is said, and Spark's RankingEvaluator
    "precision_at_k": ("P@10", "P"),
    "recall_at_k": ("R@10", "R"),
    "map_at_k": ("AP(divisor='capped')@10", "AP(divisor='capped')"),
    "ndcg_at_k": ("nDCG(gain='binary')@10", "nDCG(gain='binary')"),
    "precisionatk": ("P@10", "P"),
    "recallatk": ("R@10", "R"),
    "meanaverageprecision": ("AP(divisor='capped')",) * 2,
    "meanaverageprecisionatk": ("AP(divisor='capped')@10", "AP(divisor='capped')"),
    "ndcgatk": ("nDCG(gain='binary')@10", "nDCG(gain='binary')"),
    # scikit-learn, and the precision of XGBoost, which cuts lists at 32 where nothing else is said
    "ndcg_score": ("nDCG(ties='averaged')",) * 2,
    "dcg_score": ("DCG(ties='averaged')",) * 2,
    **dict.fromkeys(
        ("average_precision_score", "label_ranking_average_precision_score", "lrap"), ("AP(ties='together')",) * 2
    ),
    "roc_auc_score": ("AUROC", "AUROC"),
    "top_k_accuracy_score": ("Success@2", "Success"),
    "auc_score": ("AUROC", "AUROC"),  # LightFM
    "pre": ("P(divisor='returned')@32", "P(divisor='returned')"),
    # CatBoost
    "precisionat": ("SetP", "P(divisor='returned')"),
    "recallat": ("SetR", "R"),
}
"""By the folded name: the measure without a cutoff, and the one that takes a cutoff."""

_CURVE = message("a curve, not a number; `truerank curve` draws it, and IPrec@0.5 is one point of it")
_STATED = message(
    "a share of statements, not of documents; where these are aspects that documents support, StRecall"
)
_NICKNAME = message("trec_eval's name for several measures; `truerank trec_eval -m official` prints these")

_PREDICTED = message("about predicted ratings, not about ranked lists; scikit-learn computes it")

NO_MEASURE = {
    **dict.fromkeys(("prcurve", "retrievalprecisionrecallcurve", "retrieval_precision_recall_curve"), _CURVE),
    "retrievalrecallatfixedprecision": _CURVE,
    "relstring": message("text, not a number; `truerank trec_eval -m relstring` prints it"),
    **dict.fromkeys(("ncugu", "ncurb"), message("two measures: write NCUguP and NCUguBR, or NCUrbP and NCUrbBR")),
    "r_precision_at_k": message("the mean of Rprec(depth=k) over queries with a hit alone; Rprec takes all"),
    **dict.fromkeys(_STATEMENTS, _STATED),
    **dict.fromkeys(
        ("contextualrelevancy", "contextualrelevancymetric", "contextual_relevancy"),
        message("a share of the statements of what was returned, not of documents"),
    ),
    **dict.fromkeys(("rmse", "mae", "mse", "rsquared", "exp_var", "logloss"), _PREDICTED),
    **dict.fromkeys(("pap", "partialauc"), message("an area under ROC up to some errors; AUROC@10 cuts the list")),
    **dict.fromkeys(("official", "all_trec", "set"), _NICKNAME),
    "label_ranking_loss": message("1 minus AUROC where no scores are equal: write AUROC"),
    "coverage_error": message("the rank of the last relevant document, for which there is no measure"),
    "mrt": message("a time, which tr.experiment and tr.bench take of each retriever without being told"),
}
"""Names of theirs for which there is no measure here, and why, or what is near."""

OF_ALL = {"precision": "SetP", "recall": "SetR", "hit_rate": "SetSuccess"}
"""Names of measures at a cutoff, and those of all that was returned, which ranx and others call so without one."""

VALUES: dict[str, dict[Any, tuple[str, Any] | None]] = {
    "adaptive_k": {True: ("divisor", "returned"), False: None},  # torchmetrics
    "divide_by_k": {True: ("divisor", "k"), False: None},  # RecTools
    "divide_by_achievable": {True: ("gain", "binary")},  # RecTools, whose judgements are binary
    "score_type": {"binary": ("gain", "binary"), "raw": ("gain", "linear"), "exp": ("gain", "exp")},  # recommenders
    "discfun_type": {"loge": None, "log2": None},  # recommenders; in a quotient the base of the logarithm cancels
    "type": {"Base": None, "Exp": ("gain", "exp")},  # CatBoost
    "denominator": {"LogPosition": None, "Position": ("discount", "reciprocal")},  # CatBoost
}
"""Their parameters whose values are other parameters here; None: the same as not to say it."""

SWITCHES = {("P", "r_precision"): "R(capped=True)", ("SetP", "relative"): "SetRelP"}
"""Their parameters that make another measure of one, if true: RecTools', and ir_measures' own SetRelP."""

_COLON = re.compile(rf"\s*({WORD}):([^(){{}}:]+)", re.ASCII)
_TOP = re.compile(r"\btop\b")
_CUT = re.compile(r"(?:^|,)\s*(?:top_)?k\s*=\s*([0-9]+)\s*(?=,|$)")


def in_parentheses(text: str) -> str:
    """A measure as it is written here, if its parameters follow a colon, as CatBoost writes them.

    >>> in_parentheses("NDCG:top=5;type=Exp"), in_parentheses("nDCG(gain={1: 5})")
    ('NDCG(k=5,type=Exp)', 'nDCG(gain={1: 5})')
    """
    match = _COLON.fullmatch(text)
    return f"{match[1]}({_TOP.sub('k', match[2]).replace(';', ',')})" if match else text


def cut_inside(arguments: str) -> tuple[str | None, str]:
    """The cutoff among arguments, and the other arguments.

    >>> cut_inside("top_k=5, adaptive_k=True"), cut_inside("beta=2")
    (('5', 'adaptive_k=True'), (None, 'beta=2'))
    """
    match = _CUT.search(arguments)
    if not match:
        return None, arguments
    rest = arguments[: match.start()] + arguments[match.end() :]
    return match[1], rest.strip().removeprefix(",").strip()
