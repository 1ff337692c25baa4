"""The measures of preferences: how many of the preferences of groups a ranking keeps.

A group without subgroups orders its documents in classes, and its pairs are counted without listing them. Where
pairs must be looked at one by one, `partial` lists them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.core.qrels import Floats, Ints
from truerank.interop.trec_eval.contradictions import refuse_two_grades
from truerank.interop.trec_eval.groups import Groups
from truerank.interop.trec_eval.partial import Batch, areas, batches
from truerank.interop.trec_eval.ranked import Ranked
from truerank.measures.preferences import Pairs, pairs_of
from truerank.measures.sums import ratio

Values = dict[str, Floats]
"""(topics,) the values of each measure, by its name in the reference."""


@dataclass(frozen=True, eq=False)
class Balanced:
    """The pairs of each group if no more nonrelevant documents count than relevant ones.

    Attributes:
        kept, every: (groups,) the pairs that the ranking keeps, and all pairs.
        kept_returned, returned: (groups,) the same for pairs of returned documents.
    """

    kept: Ints
    every: Ints
    kept_returned: Ints
    returned: Ints


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of each pair's preferences that are kept, added up over a topic's pairs of documents.

    Attributes:
        returned, seen: (topics,) the sum over pairs with both, and with at least one, of the documents returned.
        n_returned, n_seen, n: (topics,) how many such pairs there are, and how many in all.
    """

    returned: Floats
    seen: Floats
    n_returned: Ints
    n_seen: Ints
    n: Ints


def values(groups: Groups, hits: Hits) -> Values:
    """The values of all measures of preferences.

    Args:
        groups: the groups of the topics that have hits.
        hits: the hits of the groups' pool, down to the depth that counts.

    Raises:
        InputError: a group contradicts itself.
    """
    ranked = Ranked.under(groups, hits)
    refuse_two_grades(ranked)
    pairs, balanced = _of_classes(ranked)
    shares = _plain_shares(ranked, pairs)
    for batch in batches(ranked, _listed(ranked)):
        _put(pairs, balanced, batch, ranked)
        _put_shares(shares, batch, ranked)
    return _measured(ranked, pairs, balanced, shares)


def _listed(ranked: Ranked) -> Bools:
    """(groups,) whether its pairs are listed: for topics with several groups, subgroups, or a document twice."""
    topic = ranked.groups.topic
    is_listed = np.bincount(topic, minlength=len(ranked.judged)) > 1
    is_listed[topic[ranked.groups.group[ranked.groups.twice[1]]]] = True
    is_listed[topic[ranked.is_partial]] = True
    return is_listed[topic]


def _of_classes(ranked: Ranked) -> tuple[Pairs, Balanced]:
    """The pairs of each group that has no subgroups."""
    plain = ~ranked.is_partial[ranked.group]
    rows = np.flatnonzero(plain)[np.lexsort((ranked.place[plain], ranked.group[plain]))]
    last = np.zeros(ranked.n_groups, np.int64)
    np.maximum.at(last, ranked.group[rows], ranked.cls[rows])
    is_last = ranked.cls[rows] == last[ranked.group[rows]]
    pairs, inner = _pairs(ranked, rows), _pairs(ranked, rows[~is_last])
    relevant = rows[ranked.grade[rows] > 0]
    rel, size = ranked.count(relevant), ranked.count(rows)
    seen = ranked.is_returned
    rel_seen, size_seen = (ranked.count(some[seen[some]]) for some in (relevant, rows))
    least = _against(ranked, rows, rows[is_last], rel)
    least_seen = _against(ranked, rows, rows[is_last], rel_seen)
    spare, spare_seen = 2 * rel - size, 2 * rel_seen - size_seen  # the others are not relevant
    within = inner.returned + inner.halved + inner.unseen
    every = pairs.returned + pairs.halved + pairs.unseen
    few, few_seen = spare >= 0, spare_seen >= 0
    return pairs, Balanced(
        kept=np.where(few, pairs.kept + pairs.implied + rel_seen * spare, inner.kept + inner.implied + least.kept),
        every=np.where(few, every + rel * spare, within + least.every),
        kept_returned=np.where(few_seen, pairs.kept + rel_seen * spare_seen, inner.kept + least_seen.kept_returned),
        returned=np.where(few_seen, pairs.returned + rel * spare_seen, inner.returned + least_seen.returned),
    )


def _pairs(ranked: Ranked, rows: Ints) -> Pairs:
    """The pairs of some rows, ordered by group, then place."""
    found, lost = rows[ranked.is_returned[rows]], rows[~ranked.is_returned[rows]]
    of_found, of_lost = ((ranked.group[some], ranked.cls[some]) for some in (found, lost))
    return pairs_of(of_found, of_lost, ranked.n_groups)


def _against(ranked: Ranked, rows: Ints, worst: Ints, allowed: Ints) -> Balanced:
    """All documents of each group against the first ones of its last class, including that class itself.

    Args:
        rows: the groups' rows, ordered by group, then place.
        worst: the rows of the last class.
        allowed: (groups,) how many of these count.
    """
    group = ranked.group[worst]
    starts = np.searchsorted(group, np.arange(ranked.n_groups))
    first = worst[np.arange(len(worst)) - starts[group] < allowed[group]]
    returned = rows[ranked.is_returned[rows]]
    owner = ranked.group[first]
    size, size_found = ranked.count(rows), ranked.count(returned)
    ahead = np.searchsorted(ranked.document[returned], ranked.document[first])
    ahead -= np.searchsorted(ranked.group[returned], owner)
    seen = ranked.is_returned[first]

    def total(of: Ints) -> Ints:
        return np.bincount(owner, of, ranked.n_groups).astype(np.int64)

    return Balanced(total(ahead), total(size[owner]), total(ahead * seen), total(size_found[owner] * seen))


def _plain_shares(ranked: Ranked, pairs: Pairs) -> Shares:
    """The shares where each pair has one preference, which is kept or not."""

    def total(of: Ints) -> Ints:
        return np.bincount(ranked.groups.topic, of, len(ranked.judged)).astype(np.int64)

    returned, seen, among = total(pairs.kept), total(pairs.kept + pairs.implied), total(pairs.returned)
    n_seen = among + total(pairs.halved)
    return Shares(returned.astype(np.float64), seen.astype(np.float64), among, n_seen, n_seen + total(pairs.unseen))


def _put(pairs: Pairs, balanced: Balanced, batch: Batch, ranked: Ranked) -> None:
    """Fill in the pairs of the groups with subgroups."""
    some = np.flatnonzero(ranked.is_partial[batch.groups])
    groups, preferred = batch.groups[some], batch.times[some] > 0
    returned = ranked.returned[ranked.groups.topic[groups]]
    by_area = areas(preferred, returned)
    for name, values in vars(by_area).items():
        getattr(pairs, name)[groups] = values
    level = _levels(ranked, groups, batch.size)
    seen = np.arange(batch.size) < returned[:, None]
    rel, other = level > 0, level == 0
    n_rel, n_other, rel_seen, other_seen = (
        np.count_nonzero(cells, axis=1) for cells in (rel, other, rel & seen, other & seen)
    )
    kept = ~(other & (np.cumsum(other, axis=1) > n_rel[:, None]))
    few = areas(preferred & kept[:, :, None] & kept[:, None, :], returned)
    spare, spare_seen = np.maximum(n_rel - n_other, 0), np.maximum(rel_seen - other_seen, 0)
    balanced.kept[groups] = few.kept + few.implied + rel_seen * spare
    balanced.every[groups] = few.returned + few.halved + few.unseen + n_rel * spare
    balanced.kept_returned[groups] = few.kept + rel_seen * spare_seen
    balanced.returned[groups] = few.returned + n_rel * spare_seen


def _levels(ranked: Ranked, groups: Ints, size: int) -> Floats:
    """(groups, size) the grade of each document, by the last subgroup that has it; -1 for none."""
    local, rows = ranked.among(groups)
    level = np.full((len(groups), size), -1.0)
    level[local[ranked.group[rows]], ranked.place[rows]] = ranked.grade[rows]
    return level


def _put_shares(shares: Shares, batch: Batch, ranked: Ranked) -> None:
    """Fill in the shares of the batch's topics, with pairs added in the order of the documents' places."""
    times = batch.summed(ranked.groups.topic)
    both = times + times.transpose(0, 2, 1)
    there = (both > 0) & np.triu(np.ones(both.shape[1:], bool))
    seen = np.arange(batch.size) < ranked.returned[batch.topics][:, None]
    among = np.nonzero(there & seen[:, None, :])
    half = np.nonzero(there & seen[:, :, None] & ~seen[:, None, :])
    n = len(batch.topics)
    topic = np.concatenate([among[0], half[0]])
    share = np.concatenate([times[at] / both[at] for at in (among, half)])
    shares.returned[batch.topics] = np.bincount(among[0], share[: len(among[0])], n)
    shares.seen[batch.topics] = np.bincount(topic, share, n)
    shares.n_returned[batch.topics] = np.bincount(among[0], minlength=n)
    shares.n_seen[batch.topics] = np.bincount(topic, minlength=n)
    shares.n[batch.topics] = np.count_nonzero(there, axis=(1, 2))


def _measured(ranked: Ranked, pairs: Pairs, balanced: Balanced, shares: Shares) -> Values:
    """The (topics,) values of all measures."""
    topic, n = ranked.groups.topic, len(ranked.judged)
    kept = {"": pairs.kept + pairs.implied, "_ret": pairs.kept, "_imp": pairs.kept + pairs.implied}
    seen = pairs.returned + pairs.halved
    possible = {"": seen + pairs.unseen, "_ret": pairs.returned, "_imp": seen}

    def total(of: Ints | Floats) -> Floats:
        return np.bincount(topic, of, n)  # type: ignore[return-value]

    def balance(kept: Ints, every: Ints) -> Floats:
        undefined = total(every == 0) > 0  # if one group has no pair, the reference has no number for the topic
        return np.where(undefined, 0.0, ranked.groups.mean(ratio(kept, every)))

    by_name = {
        "prefs_num_prefs_poss": total(possible[""]),
        "prefs_num_prefs_ful": total(kept[""]),
        "prefs_num_prefs_ful_ret": total(kept["_ret"]),
        "prefs_pair": ratio(shares.seen, shares.n),
        "prefs_pair_ret": ratio(shares.returned, shares.n_returned),
        "prefs_pair_imp": ratio(shares.seen, shares.n_seen),
        "prefs_avgjg_Rnonrel": balance(balanced.kept, balanced.every),
        "prefs_avgjg_Rnonrel_ret": balance(balanced.kept_returned, balanced.returned),
    }
    for suffix in kept:
        by_name["prefs_simp" + suffix] = ratio(total(kept[suffix]), total(possible[suffix]))
        by_name["prefs_avgjg" + suffix] = ranked.groups.mean(ratio(kept[suffix], possible[suffix]))
    return by_name
