"""What the tests of judgement groups share: random files, and every measure again as plain loops."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

TOPICS = tuple(f"t{n}" for n in range(12))
DOCS = ("a", "b", "c", "d", "B", "a1", "a#b", "é", "zz", "d-10", "d-9", "0")
NAMES = ("0", "1", "x", "10", "A")
SCORES = ("1", "2", "3", "4", "5", "0.5", "-3.25", "1e-3", "7.25")

MEASURES = {
    "qrels_jg": ("map_avgjg", "P_avgjg.1,3", "Rprec_mult_avgjg.0.35,1,2"),
    "prefs": ("all_prefs",),
    "qrels_prefs": ("all_prefs",),
}
"""What to ask for under each format of judgements."""


def judged_by_groups(rng: random.Random, grades: tuple[int, ...], topics: Sequence[str] = TOPICS) -> str:
    """Judgements of four columns: several groups a topic."""
    rows = [
        f"{topic} {group} {doc} {rng.choice(grades)}"
        for topic in rng.sample(topics, rng.randint(4, len(topics)))
        for group in rng.sample(NAMES, rng.randint(1, 4))
        for doc in rng.sample(DOCS, rng.randint(1, 9))
    ]
    return text_of(rng, rows)


def preferred_by_groups(rng: random.Random, topics: Sequence[str] = TOPICS) -> str:
    """Judgements of five columns: groups with subgroups, which never contradict one another."""
    rows = []
    for topic in rng.sample(topics, rng.randint(4, len(topics))):
        for group in rng.sample(NAMES, rng.randint(1, 3)):
            worth = {doc: rng.choice((0, 0, 1, 2, 3, 4.5)) for doc in DOCS}
            for part in rng.sample(NAMES, rng.choice((1, 1, 1, 2, 3, 5))):
                factor = rng.choice((1, 2, 0.5))
                some = rng.sample(DOCS, rng.randint(1, 6))
                rows += [f"{topic} {group} {part} {doc} {factor * worth[doc]}" for doc in some]
    return text_of(rng, rows)


def text_of(rng: random.Random, rows: list[str]) -> str:
    if rng.random() < 0.3:
        rng.shuffle(rows)
    return "".join(row + "\n" for row in rows)


def judgements(rng: random.Random, form: str, topics: Sequence[str] = TOPICS) -> str:
    """A random file of a format."""
    if form == "prefs":
        return preferred_by_groups(rng, topics)
    return judged_by_groups(rng, (0, 0, 1, 1, 2, 3) if form == "qrels_prefs" else (-1, 0, 0, 1, 1, 2, 3), topics)


def answered(rng: random.Random, topics: Sequence[str] = TOPICS) -> str:
    """A run of most topics, with ties; some are in every file of judgements."""
    return "".join(
        f"{topic} Q0 {doc} 1 {rng.choice(SCORES)} tag\n"
        for topic in rng.sample(topics, rng.randint(len(topics) - 3, len(topics)))
        for doc in rng.sample(DOCS, rng.randint(1, len(DOCS)))
    )


@dataclass
class Group:
    """One group's judgements of one topic: {subgroup: [(document, grade)]}."""

    parts: dict[str, list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def rows(self) -> list[tuple[str, float]]:
        return [row for name in sorted(self.parts) for row in self.parts[name]]


def parsed(form: str, text: str) -> dict[str, dict[str, Group]]:
    """{topic: {group: its judgements}}."""
    topics: dict[str, dict[str, Group]] = defaultdict(lambda: defaultdict(Group))
    for line in text.splitlines():
        topic, group, *part, doc, grade = line.split()
        topics[topic][group].parts[part[0] if part else ""].append((doc, float(grade)))
    return topics


def lists(text: str, *, up: bool) -> dict[str, list[str]]:
    """{topic: documents, best first}; of equal scores the ids ascend, or descend."""
    rows: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for topic, _, doc, _, score, _ in map(str.split, text.splitlines()):
        rows[topic].append((float(score), doc))
    return {
        topic: [
            doc
            for _, doc in sorted(sorted(answer, key=lambda row: row[1], reverse=not up), key=lambda row: -row[0])
        ]
        for topic, answer in rows.items()
    }


def follows(group: Group) -> list[tuple[str, str]]:
    """The pairs (better, worse) of a group, as often as its lines say; with subgroups once, and what follows."""
    direct = [
        (one, other)
        for part in group.parts.values()
        for (one, grade), (other, lower) in itertools.permutations(part, 2)
        if grade > lower and one != other
    ]
    if len(group.parts) < 2:
        return direct
    known = set(direct)
    for through, one, other in itertools.product({doc for doc, _ in group.rows}, repeat=3):
        if (one, through) in known and (through, other) in known:
            known.add((one, other))
    return sorted(known)


Counts = dict[str, int]


def counted(pairs: list[tuple[str, str]], ranked: list[str]) -> Counts:
    """How many pairs were returned whole, half or not, and are kept."""
    found: Counts = defaultdict(int)
    for better, worse in pairs:
        kind = ("none", "half", "both")[(better in ranked) + (worse in ranked)]
        found[kind] += 1
        found[f"kept {kind}"] += keeps(better, worse, ranked)
    return found


def keeps(better: str, worse: str, ranked: list[str]) -> bool:
    if better not in ranked:
        return False
    return worse not in ranked or ranked.index(better) < ranked.index(worse)


def levels(group: Group) -> list[tuple[str, float]]:
    """The documents with their grades: a line each, or once each where there are subgroups."""
    return group.rows if len(group.parts) < 2 else list(dict(sorted(group.rows)).items())


def balanced(group: Group, ranked: list[str], places: list[str], *, returned: bool) -> tuple[int, int]:
    """Pairs kept, and all, with as many documents of grade 0 as above; as trec_eval counts them."""
    docs = levels(group)
    relevant = [doc for doc, grade in docs if grade > 0]
    others = [doc for doc, grade in docs if grade <= 0]
    rel_seen = sum(doc in ranked for doc in relevant)
    r, n = (rel_seen, sum(doc in ranked for doc in others)) if returned else (len(relevant), len(others))
    pairs = follows(group)
    if r < n and len(group.parts) < 2:
        return against_the_first(group, ranked, places, r, returned=returned)
    if r < n:  # of several subgroups the number of all relevant documents counts, whatever was returned
        kept = set(sorted(others, key=places.index)[: len(relevant)]) | set(relevant)
        pairs = [(one, other) for one, other in pairs if one in kept and other in kept]
    found = counted(pairs, ranked)
    some = found["kept both"] + (0 if returned else found["kept half"])
    every = found["both"] + (0 if returned else found["half"] + found["none"])
    spare = max(r - n, 0)
    return some + rel_seen * spare, every + len(relevant) * spare


def against_the_first(
    group: Group, ranked: list[str], places: list[str], allowed: int, *, returned: bool
) -> tuple[int, int]:
    """All pairs above the worst grade; and every line, even of that grade, against the first of the worst ones."""
    rows = [row for row in group.rows if not returned or row[0] in ranked]
    lowest = min(grade for _, grade in group.rows)
    first = sorted((doc for doc, grade in rows if grade == lowest), key=places.index)[:allowed]
    pairs = [
        (one, other) for (one, grade), (other, lower) in itertools.permutations(rows, 2) if grade > lower > lowest
    ] + [(one, other) for one, _ in rows for other in first]
    return sum(keeps(one, other, ranked) for one, other in pairs), len(pairs)


def by_pair(groups: dict[str, Group], ranked: list[str]) -> dict[str, float]:
    """The mean over pairs of documents of the share of the preferences between them that is kept."""
    votes: dict[frozenset[str], list[bool]] = defaultdict(list)
    for group in groups.values():
        for better, worse in follows(group):
            votes[frozenset((better, worse))].append(keeps(better, worse, ranked))
    means = {}
    for suffix, least in (("", 0), ("_imp", 1), ("_ret", 2)):
        some = [Fraction(sum(v), len(v)) for pair, v in votes.items() if len(pair & set(ranked)) >= least]
        means["prefs_pair" + suffix] = float(sum(some) / len(some)) if some else 0.0
    return means


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def preferences(groups: dict[str, Group], ranked: list[str]) -> dict[str, float]:
    """Every measure of preferences for one topic."""
    docs = sorted({doc for group in groups.values() for doc, _ in group.rows}, key=str.encode)
    places = [doc for doc in ranked if doc in docs] + [doc for doc in docs if doc not in ranked]
    found = [counted(follows(group), ranked) for _, group in sorted(groups.items())]
    kinds = {"": ("both", "half", "none"), "_imp": ("both", "half"), "_ret": ("both",)}
    kept = {s: [sum(one[f"kept {kind}"] for kind in of) for one in found] for s, of in kinds.items()}
    every = {s: [sum(one[kind] for kind in of) for one in found] for s, of in kinds.items()}
    values = {
        "prefs_num_prefs_poss": sum(every[""]),
        "prefs_num_prefs_ful": sum(kept[""]),
        "prefs_num_prefs_ful_ret": sum(kept["_ret"]),
        **by_pair(groups, ranked),
    }
    for suffix in kinds:
        values["prefs_simp" + suffix] = share(sum(kept[suffix]), sum(every[suffix]))
        shares = [share(*pair) for pair in zip(kept[suffix], every[suffix], strict=True)]
        values["prefs_avgjg" + suffix] = sum(shares) / len(shares)
    for name in ("prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"):
        pairs = [balanced(group, ranked, places, returned=name.endswith("_ret")) for group in groups.values()]
        defined = all(whole for _, whole in pairs)
        values[name] = sum(share(*pair) for pair in pairs) / len(pairs) if defined else 0.0
    return values


def of_groups(groups: dict[str, Group], ranked: list[str]) -> dict[str, float]:
    """Every measure that is a mean over groups, for one topic."""
    sums: dict[str, float] = defaultdict(float)
    for group in groups.values():
        relevant = {doc for doc, grade in group.rows if grade >= 1}
        hits = [rank for rank, doc in enumerate(ranked, 1) if doc in relevant]
        sums["map_avgjg"] += share(sum(n / rank for n, rank in enumerate(hits, 1)), len(relevant))
        for k in (1, 3):
            sums[f"P_avgjg_{k}"] += sum(rank <= k for rank in hits) / k
        for x in (0.35, 1, 2):
            cut = int(x * len(relevant) + 0.9)
            sums[f"Rprec_mult_avgjg_{x:3.2f}"] += share(sum(rank <= cut for rank in hits), cut)
    return {name: value / len(groups) for name, value in sums.items()}


def expected(form: str, text: str, run: str) -> dict[str, dict[str, float]]:
    """{topic: {measure: value}} for the topics of both files."""
    ranked = lists(run, up=form != "qrels_jg")
    measure = of_groups if form == "qrels_jg" else preferences
    return {t: measure(groups, ranked[t]) for t, groups in parsed(form, text).items() if t in ranked}
