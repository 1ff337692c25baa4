"""The measures of the reference, in the order in which it prints them, and truerank's names for them."""

from __future__ import annotations

from dataclasses import dataclass

CUTOFFS = "5,10,15,20,30,100,200,500,1000"
TENTHS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
FIFTHS = "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"


@dataclass(frozen=True)
class Listed:
    """A measure of the reference.

    Attributes:
        name: the name that it prints; parameters come after it.
        ours: truerank's name, with places for parameters; "" if it is computed in this package.
        takes: the kind of its parameters: cutoffs, points, numbers, gains, or none.
        default: the parameters if none are given.
        shown: whether in the rows of "topics", of "all", or of "both".
        kind: decimal (averaged), whole (summed), logarithm (averaged to a geometric mean) or text.
        since: the version that introduced it.
        of: the judgements that it needs, as -R names them ("prefs" for qrels_prefs too); "" for any.
    """

    name: str
    ours: str = ""
    takes: str = ""
    default: str = ""
    shown: str = "both"
    kind: str = "decimal"
    since: int = 9
    of: str = "qrels"


_PREFERENCES = """
    simp pair avgjg avgjg_Rnonrel simp_ret pair_ret avgjg_ret avgjg_Rnonrel_ret simp_imp pair_imp avgjg_imp
"""


CATALOG = {
    listed.name: listed
    for listed in (
        Listed("runid", shown="all", kind="text", of=""),
        Listed("num_q", shown="all", kind="whole", of=""),
        Listed("num_ret", "NumRet", kind="whole"),
        Listed("num_rel", "NumRel", kind="whole"),
        Listed("num_rel_ret", "NumRelRet", kind="whole"),
        Listed("map", "AP"),
        Listed("gm_map", "AP", shown="all", kind="logarithm"),
        Listed("Rprec", "Rprec"),
        Listed("bpref", "Bpref"),
        Listed("recip_rank", "RR"),
        Listed("iprec_at_recall", "IPrec@{}", "points", TENTHS),
        Listed("P", "P@{}", "cutoffs", CUTOFFS),
        Listed("relstring", "", "numbers", "10", shown="topics", kind="text"),
        Listed("recall", "R@{}", "cutoffs", CUTOFFS),
        Listed("infAP", "infAP"),
        Listed("gm_bpref", "Bpref", shown="all", kind="logarithm"),
        Listed("Rprec_mult", "RprecMult@{}", "points", FIFTHS),
        Listed("utility", "Utility(a={0}, b={1}, c={2}, d={3})", "numbers", "1,-1,0,0"),
        Listed("11pt_avg", "AP11(recalls={all})", "numbers", TENTHS),
        Listed("binG", "binG"),
        Listed("G", "G(gain={gain})", "gains"),
        Listed("dcg", "DCG(gain={gain})", "gains", since=10),
        Listed("ideal_dcg", "IDCG(gain={gain})", "gains", since=10),
        Listed("ndcg", "nDCG(gain={gain})", "gains"),
        Listed("ndcg_rel", "nDCGrel(gain={gain})", "gains"),
        Listed("Rndcg", "Rndcg(gain={gain})", "gains"),
        Listed("ndcg_cut", "nDCG@{}", "cutoffs", CUTOFFS),
        Listed("map_cut", "AP@{}", "cutoffs", CUTOFFS),
        Listed("relative_P", "R(capped=True)@{}", "cutoffs", CUTOFFS),
        Listed("success", "Success@{}", "cutoffs", "1,5,10"),
        Listed("set_P", "SetP"),
        Listed("set_relative_P", "SetRelP"),
        Listed("set_recall", "SetR"),
        Listed("set_map", "SetAP"),
        Listed("set_F", "SetF(beta_squared={0})", "numbers", "1.0"),
        Listed("num_nonrel_judged_ret", "NumNonrelJudgedRet", kind="whole"),
        *(Listed(f"prefs_num_prefs_{name}", kind="whole", of="prefs") for name in ("poss", "ful", "ful_ret")),
        *(Listed(f"prefs_{name}", of="prefs") for name in _PREFERENCES.split()),
        Listed("map_avgjg", "AP", of="qrels_jg"),
        Listed("P_avgjg", "P@{}", "cutoffs", CUTOFFS, of="qrels_jg"),
        Listed("Rprec_mult_avgjg", "RprecMult@{}", "points", FIFTHS, of="qrels_jg"),
        Listed("yaap", "YAAP"),
        Listed("rbp", "RBP(p={p}, gain='scaled')", "gains", since=10),
        Listed("rbp_resid", "RBPResidual(p={p})", "gains", since=10),
        Listed("unj", "Unjudged@{}", "cutoffs", "5,10,20", since=10),
    )
}

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "runid num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F"
_RARE = {"yaap", "dcg", "ideal_dcg"}

_PREFS = "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret"

NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": tuple(_OFFICIAL.split()),
    "set": tuple(_SET.split()),
    "all_trec": tuple(name for name, listed in CATALOG.items() if name not in _RARE and listed.of in ("", "qrels")),
    "all_prefs": tuple(name for name, listed in CATALOG.items() if listed.of in ("", "prefs")),
    "prefs": tuple(f"{_PREFS} prefs_simp prefs_pair prefs_avgjg".split()),
    "qrels_jg": tuple(name for name, listed in CATALOG.items() if listed.of in ("", "qrels_jg")),
}
