"""What -h says."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.measures import measures
from truerank.trec.catalog import CATALOG, NICKNAMES, Listed
from truerank.trec.columns import columns
from truerank.trec.options import Options

OPTIONS = """\
truerank trec_eval [OPTIONS] QRELS RUN

Prints what trec_eval prints for the same arguments, byte for byte. QRELS has lines of four columns (topic,
iteration, document, grade), RUN of six (topic, Q0, document, rank, score, tag); either may be compressed,
and - is standard input.

  -q, --query_eval_wanted            a row for each topic too
  -n, --nosummary                    no rows for all topics
  -m, --measure NAME[.PARAMETERS]    a measure or nickname; may be repeated (default: official)
  -c, --complete_rel_info_wanted     average over all topics of QRELS; one that RUN does not answer counts 0
  -l, --level_for_rel GRADE          the lowest grade that is relevant (default: 1)
  -J, --Judged_docs_only             leave out documents that nobody judged
  -M, --Max_retrieved_per_topic N    only the first N documents of each topic
  -N, --Number_docs_in_coll N        how many documents the collection has; utility alone reads it
  -Z, --Zscore FILE                  z scores instead of values; lines of topic, measure, mean, deviation
  -R, --Rel_info_format qrels        the only format of QRELS so far
  -T, --Results_format trec_results  the only format of RUN so far
  --compat 9|10                      the version to be equal to (default: 10)
  -v, --version                      which version that is
  -h, --help                         this; with -m, what those measures mean
"""

ENDINGS = """\
Exit status: 0 done, 1 wrong arguments, 2 a file or a parameter that cannot be used, 4 a topic that cannot be
evaluated (not answered and no -c, or a document twice), 7 no topic in both files.
"""

OWN = {
    "runid": "The tag of the run: the last column of its last line.",
    "num_q": "How many topics the averages are over.",
    "relstring": "The grades of the first documents: a digit, > above 9, . pooled but not judged, - neither.",
}


def help_text(options: Options) -> str:
    """The options and names; or, where measures were asked for, what they mean."""
    if options.measures:
        chosen = {column.listed.name: column.listed for column in columns(options.measures, options.compat)}
        return "".join(_explained(listed) for listed in chosen.values())
    names = [name for name, listed in CATALOG.items() if listed.since <= options.compat]
    nicknames = "".join(_wrapped(f"{nick}: ", members) for nick, members in NICKNAMES.items())
    return "\n".join([OPTIONS, _wrapped("Measures: ", names), "Nicknames\n" + nicknames, ENDINGS])


def _explained(listed: Listed) -> str:
    """What a measure means, and how it is written."""
    ours = listed.ours.partition("(")[0].partition("@")[0]
    meaning = OWN.get(listed.name) or measures()[ours].meaning
    mean = " (geometric mean over topics)" if listed.kind == "logarithm" else ""
    how = f"  -m {listed.name}.{listed.default}\n" if listed.default else ""
    how = f"  -m {listed.name}.1=3,2=9\n" if listed.takes == "gains" else how
    return f"{listed.name}{mean}\n  {meaning}\n{how}"


def _wrapped(title: str, names: Sequence[str]) -> str:
    """Names with blanks between, broken into lines."""
    import textwrap

    return textwrap.fill(title + " ".join(names), 112, subsequent_indent="  ") + "\n"
