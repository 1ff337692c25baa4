"""How often each rank is clicked."""

from __future__ import annotations

from collections import Counter

from truerank.truth.clicks import Clicks


def click_rates(log: Clicks) -> dict[int, float]:
    """{rank: the share of what was shown there that was clicked}.

    >>> from truerank.truth.clicks import read_clicks
    >>> click_rates(read_clicks([{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}]))
    {1: 0.0, 2: 1.0}
    """
    shown: Counter[int] = Counter()
    clicked: Counter[int] = Counter()
    for one in log.impressions:
        shown.update(one.ranks)
        clicked.update(rank for rank, is_clicked in zip(one.ranks, one.clicked, strict=True) if is_clicked)
    return {rank: clicked[rank] / times for rank, times in sorted(shown.items())}
