"""What was probably meant by an option or a command that there is not: near in meaning first, then in letters."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping

import click

from truerank.core.messages import did_you_mean, message

COMMANDS = {
    "eval": "evaluate evaluation score scores run calculate compute mean",
    "compare": "diff difference significance ttest t-test test tests stats statistics versus vs ab pairwise",
    "explain": "why show debug trace query",
    "report": "plot html pdf visualize visualise visualization dashboard page chart charts graph",
    "agreement": "rbo rank-biased-overlap overlap tau kendall agree similarity",
    "bounds": "tie ties unjudged pool pooling uncertainty",
    "check": "gate gates assert regression ci threshold",
    "trec_eval": "treceval pytrec-eval pytrec trec",
    "measures": "metric metrics",
    "rules": "preset presets ruleset rulesets tools",
    "lint": "validate verify diagnose inspect doctor audit",
    "curve": "pr roc precision-recall auc",
    "confusion": "matrix accuracy counts",
    "interleaving": "interleave multileaving multileave team-draft preference preferences",
    "ips": "snips clicks counterfactual off-policy propensity propensities",
    "bench": "latency speed throughput performance perf load time timing qps profile",
    "convert": "transform export translate",
    "truth": "groundtruth ground-truth gt labels label qrels judgements judgments",
    "geo": "place places gps vpr location",
    "vectors": "embeddings embedding embed vector reid gallery knn ann faiss",
    "serve": "server host web start leaderboard",
    "submit": "upload send push",
    "demo": "example examples tutorial quickstart try",
    "completion": "complete autocomplete completions",
}
"""Other words for the commands."""

OPTIONS = {
    "--measures": "metric metrics measure evaluation-measures",
    "--output": "out outfile out-file output-file save save-to file dest destination write",
    "--baseline": "baseline-run base reference reference-run control",
    "--test": "significance statistic significance-test p-value stat",
    "--correction": "correct adjust adjustment multiple multiple-testing p-adjust",
    "--confidence": "alpha significance-level confidence-level ci level-of-confidence",
    "--intervals": "ci confidence-intervals error-bars",
    "--samples": "permutations bootstrap bootstraps iterations resamples n-boot trials n",
    "--seed": "random-seed random-state rng",
    "--all-pairs": "pairwise all-against-all",
    "--by": "slice slices slice-by group-by stratify",
    "--per-query": "perquery by-query per-topic per-q queries-too all-queries each-query",
    "--rules": "preset presets ruleset rule tool like config protocol",
    "--digits": "decimals precision round rounding places",
    "--percent": "percentage percentages pct",
    "--as-written": "original-names as-is names",
    "--threads": "jobs n-jobs workers cores parallel processes",
    "--format json": "json",
    "--format csv": "csv tsv",
    "--format latex": "latex tex",
    "--format markdown": "markdown md",
    "--format": "fmt style as print-as output-format",
    "--min": "threshold gate at-least minimum limit floor",
    "--set level=2": "level relevance-level rel-level min-rel min-relevance relevance-threshold binarize threshold",
    "--set depth=100": "depth max-depth truncate",
    "--set ties=input": "ties tie-breaking ties-by",
    "--set missing=skip": "missing missing-queries skip-missing",
    "--max": "at-most maximum ceiling",
    "--no-worse-than": "baseline previous against regression",
    "--lang": "language locale",
    "--query": "qid query-id topic topic-id id",
    "--queries": "query-text query-texts topics queries-file",
    "--docs": "documents corpus texts doc-texts",
    "--k": "topk top-k cutoff n depth",
    "-k": "topk top-k cutoff n k ks",
    "--rate": "qps rps requests-per-second queries-per-second",
    "--concurrency": "users clients parallel threads workers connections",
    "--duration": "time seconds length",
    "--metric": "distance-metric similarity",
    "--distance": "metric",
    "--within": "radius metres meters tolerance",
    "--board": "url server leaderboard",
    "--label": "name description comment",
    "--token": "key api-key password auth",
}
"""Other words for the options, as they are written; those that a command does not have are passed over."""

NO_OPTION = {
    "cutoff": "k topk top-k cutoff cut at n",
    "files": "qrels run runs gold predictions",
}
"""What is no option, and the words for it."""

NEAR = 0.8
"""How alike a mistyped option and the one that was meant are: --mesures is --measures, --colour is not --counts."""


def command(word: str, known: Collection[str]) -> str:
    """' Did you mean eval?', or nothing where no command is near.

    >>> command("evaluate", COMMANDS), command("latency", COMMANDS), command("xyz", COMMANDS)
    (' Did you mean eval?', ' Did you mean bench?', '')
    """
    meant = next((name for name in _meanings(word, COMMANDS) if name in known), None)
    return message(" Did you mean {name}?", name=meant) if meant else did_you_mean(word, known)


def option(word: str, called: click.Command) -> str:
    """' Did you mean --measures?', or nothing where no option of the command is near in meaning or letters."""
    known = [name for param in called.params if isinstance(param, click.Option) for name in param.opts]
    meant = [name for name in _meanings(word, OPTIONS) if name.split()[0] in known]
    if meant := meant or difflib.get_close_matches(word, known, n=1, cutoff=NEAR):
        return message(" Did you mean {name}?", name=meant[0])
    if "--measures" not in known:
        return ""
    if "cutoff" in _meanings(word, NO_OPTION):
        return message(" A cutoff belongs to the measure: -m nDCG@10")
    if "files" in _meanings(word, NO_OPTION):
        return message(" The files are given without an option: truerank {command} QRELS RUN", command=called.name)
    return ""


class Word(click.Choice[str]):
    """One of the words for tests or corrections; of another it says which of them was probably meant."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """What is wrong with the word."""
        from truerank.analysis.drawing import meant  # with statistics, which wrong options do without

        known = list(self.choices)
        return message(
            "{value!r} is not one of {choices}.{hint}",
            value=value,
            choices=", ".join(map(repr, known)),
            hint=meant(value, known),
        )


def _meanings(word: str, table: Mapping[str, str]) -> Iterable[str]:
    """What a word is another one for."""
    plain = word.lower().lstrip("-").replace("_", "-")
    return (name for name, words in table.items() if plain in words.split())
