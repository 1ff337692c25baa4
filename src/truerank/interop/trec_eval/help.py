"""The text of -h."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.interop.trec_eval.catalog import CATALOG, NICKNAMES, Listed
from truerank.interop.trec_eval.columns import columns
from truerank.interop.trec_eval.options import Options
from truerank.measures import measures

OPTIONS = """\
truerank trec_eval [OPTIONS] QRELS RUN

Print what trec_eval prints for the same arguments, byte for byte.

QRELS has lines of four columns: topic, iteration, document, grade. RUN has lines of six: topic, Q0,
document, rank, score, tag. Either may be compressed, and - is standard input. Options and files may
be mixed, short options joined, long ones shortened.

With -R qrels_jg the second column of QRELS is a group of judges, and measures are averages over a
topic's groups. With -R prefs a line has five columns: topic, group, subgroup, document, grade; within a
subgroup a higher grade is preferred, and of several subgroups what follows holds too. -R qrels_prefs is
the same for lines of four columns, without subgroups.

Options:
  -q, --query_eval_wanted            a row for each topic too
  -n, --nosummary                    no rows for all topics
  -m, --measure NAME[.PARAMETERS]    a measure or nickname; may be repeated (default: official)
  -c, --complete_rel_info_wanted     average over all topics of QRELS; one without answer counts 0
  -l, --level_for_rel GRADE          the lowest grade that is relevant (default: 1)
  -J, --Judged_docs_only             leave out unjudged documents
  -M, --Max_retrieved_per_topic N    only the first N documents of each topic
  -N, --Number_docs_in_coll N        how many documents there are; only utility asks for it
  -Z, --Zscore FILE                  z scores; FILE has lines of topic, measure, mean, deviation
  -R, --Rel_info_format FORMAT       what QRELS is: qrels, qrels_jg, prefs, qrels_prefs (default: qrels)
  -T, --Results_format trec_results  the format of RUN; the only one
  --compat 9|10                      the version to be equal to (default: 10)
  -v, --version                      which version that is
  -h, --help                         this; with -m, what those measures mean
"""

ENDINGS = """\
Exit status:
  0  done
  1  wrong arguments, or no such measure
  2  a file, or the parameters of a measure, cannot be used
  4  a topic cannot be evaluated: not answered and no -c (version 10), a document comes twice, or a
     group contradicts itself; or a measure does not go with -R
  7  no judged topic is answered (version 9)
"""

OWN = {
    "runid": "The tag of the run: the last column of its last line.",
    "num_q": "How many topics the averages are over.",
    "num_ret": "How many documents were returned.",
    "relative_P": "The share of the first k results that is relevant, of as many as it could be.",
    "prefs_num_prefs_poss": "How many preferences the groups of judges have.",
    "prefs_num_prefs_ful": "How many preferences of the groups are kept: the better one comes first, or alone.",
    "prefs_simp": "The share of the groups' preferences that is kept: the better document comes first, or alone.",
    "prefs_pair": "The mean over pairs of documents of the share of their preferences that is kept.",
    "prefs_avgjg": "The mean over groups of the share of their preferences that is kept.",
    "prefs_avgjg_Rnonrel": (
        "The mean over groups of the share of their preferences that is kept, "
        "if as many documents of grade 0 were returned as of higher grades."
    ),
    "relstring": "The grades of the first documents: a digit, > above 9, . pooled but not judged, - neither.",
}

AMONG = {"_ret": "Of pairs that were both returned.", "_imp": "Of pairs of which at least one was returned."}
"""What the endings of measures of preferences mean."""


def help_text(options: Options) -> str:
    """The options and names; or the meaning of the measures that were asked for."""
    if options.measures:
        chosen = {column.listed.name: column.listed for column in columns(options.measures, options.compat)}
        return "".join(_explained(listed) for listed in chosen.values())
    names = [name for name, listed in CATALOG.items() if listed.since <= options.compat]
    nicknames = [_wrapped(f"  {nick}: ", members) for nick, members in _nicknames(names).items()]
    return "\n".join([OPTIONS, "Measures:", _wrapped("  ", names), "", "Nicknames:", *nicknames, "", ENDINGS])


def _nicknames(names: Sequence[str]) -> dict[str, list[str]]:
    """The nicknames with their measures, as far as the version has these."""
    return {nick: [name for name in members if name in names] for nick, members in NICKNAMES.items()}


def _explained(listed: Listed) -> str:
    """The meaning of a measure, and how its parameters are written."""
    ending = next((ending for ending in AMONG if listed.of == "prefs" and listed.name.endswith(ending)), "")
    lines = [listed.name, "  " + (OWN.get(listed.name.removesuffix(ending)) or _meaning(listed))]
    if ending:
        lines.append("  " + AMONG[ending])
    if listed.of == "qrels_jg":
        lines.append("  The mean over the topic's groups of judges.")
    if listed.kind == "logarithm":
        lines.append("  For all topics, the geometric mean; nothing counts less than 0.00001.")
    if listed.default:
        lines.append(f"  Parameters: -m {listed.name}.{listed.default}")
    if listed.takes == "gains":
        example = "p=0.9" if listed.name.startswith("rbp") else "1=3,2=9"
        lines.append(f"  Parameters: -m {listed.name}.{example}")
    return "\n".join(lines) + "\n"


def _meaning(listed: Listed) -> str:
    ours = listed.ours.partition("(")[0].partition("@")[0]
    return measures()[ours].meaning


def _wrapped(title: str, names: Sequence[str]) -> str:
    """Names separated by blanks, broken into lines."""
    import textwrap

    return textwrap.fill(title + " ".join(names), 100, subsequent_indent=" " * 4 if title.strip() else "  ")
