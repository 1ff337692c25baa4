"""The result first: who is best, how sure that is, and every measure's mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truerank.analysis.compare import Outcome
from truerank.analysis.compare.outcome import direction
from truerank.core.errors import shown
from truerank.present import audit, charts
from truerank.present.comparison import MOST_PAIRS, SideBySide, pair_table
from truerank.present.comparison_cells import mean_cell, ranked
from truerank.present.document import Block, Figure, Heading, Note, Prose
from truerank.present.material import Material, Runs
from truerank.present.percent import no_shares
from truerank.present.table import Table, as_text
from truerank.present.texts import Texts, percent
from truerank.present.wide import wide_table
from truerank.stats import Interval

NAMED = 4
"""Systems that a sentence names."""

STEP = 14
"""Points from one line to the next."""


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """A sentence or two, the means, their intervals, then systems and pairs by the first measure."""
    runs = material.runs
    if runs is None:
        return
    yield Heading(texts("headline"), "result")
    yield Prose((sentence(runs, texts), *_scale(runs, texts)))
    yield from _strictly(runs, texts)
    is_alone = len(runs.systems) == 1
    if is_alone:
        yield alone(runs, texts)
    elif len(runs.measures) > 1:
        yield means(runs, texts)
    if figure := intervals(runs, texts):
        yield figure
    if not is_alone:
        yield from of_measure(runs, runs.shown.outcomes[0], texts)


def _scale(runs: Runs, texts: Texts) -> list[str]:
    """What is in percent, if anything."""
    if not runs.percent:
        return []
    others = no_shares(runs.called)
    return [texts("in percent, except", others=", ".join(others)) if others else texts("in percent")]


def _strictly(runs: Runs, texts: Texts) -> Iterator[Note]:
    """The strict score beside the official one, where a contest's judge made them."""
    measure, scale = runs.leading, runs.scale(runs.first)
    for name, scores in zip(runs.names, runs.scores, strict=True):
        if audit.is_audited(scores):
            official, strict = (one.mean[measure] * scale for one in audit.with_strict(scores))
            yield Note(f"{shown(name)}: {texts('audited', measure=measure, official=official, strict=strict)}")


def of_measure(runs: Runs, outcome: Outcome, texts: Texts) -> Iterator[Table]:
    """A row a system, and a row a pair where there are more pairs than rows say."""
    measure = outcome.name
    table = SideBySide(runs.shown, outcome, runs.digits).table(texts("systems by", measure=measure))
    yield texts.table(_translated(table, texts))
    if runs.comparison.procedure.all_pairs and 1 < len(outcome.pairs) <= MOST_PAIRS:
        pairs = pair_table(runs.shown, outcome, runs.digits)
        yield texts.table(replace(pairs, title=texts("pairs by", measure=measure)))


def _translated(table: Table, texts: Texts) -> Table:
    said = {"baseline": texts("baseline"), "unknown": texts("unknown")}
    rows = tuple(tuple(said.get(cell, cell) if isinstance(cell, str) else cell for cell in r) for r in table.rows)
    return replace(table, rows=rows)


def sentence(runs: Runs, texts: Texts) -> str:
    """Who is best by the first measure, and whether that may be chance."""
    outcome = runs.shown.outcomes[0]
    best = ranked(outcome)[0]
    mean = outcome.means[best]
    key = "alone" if len(outcome.means) == 1 else "best"
    told = texts(
        key if direction(outcome.measure) else "best count",
        best=shown(best),
        measure=outcome.name,
        mean=as_text(mean_cell(outcome, mean), runs.digits),
        limits=_limits(mean, runs.digits, texts),
        confidence=percent(mean.confidence),
        queries=texts(runs.counted, n=outcome.queries),
    )
    return f"{told} {_standing(outcome, best, texts)}".strip()


def _limits(mean: Interval, digits: int, texts: Texts) -> str:
    if mean.method == "none":
        return texts("unknown")
    return texts("limits", low=as_text(mean.low, digits), high=as_text(mean.high, digits))


def _standing(outcome: Outcome, best: str, texts: Texts) -> str:
    """Whom it beats, and whom it was not compared to."""
    compared = [p.against if p.system == best else p.system for p in outcome.pairs if best in (p.system, p.against)]
    if not compared or not direction(outcome.measure):
        return ""
    beaten = [shown(name) for name in outcome.beaten[best]]
    others = [shown(name) for name in compared if name not in outcome.beaten[best]]
    untested = [shown(name) for name in outcome.means if name not in (best, *compared)]
    is_all = len(beaten) > 1 and not others and not untested
    key = "beats all" if is_all else "beats nobody" if not beaten else "beats some" if others else "beats these"
    told = texts(key, beaten=texts.listed(beaten, NAMED), others=texts.listed(others, NAMED))
    return f"{told} {texts('not compared', others=texts.listed(untested, NAMED))}" if untested else told


def means(runs: Runs, texts: Texts) -> Table:
    """A row a system, a column a measure, the best of each marked, with letters of those that each beats."""
    table = wide_table(runs.shown, runs.digits)
    notes = (texts("letters"),) if table.raised else ()
    return texts.table(replace(table, title=texts("means"), notes=notes))


def alone(runs: Runs, texts: Texts) -> Table:
    """Of a single system a row a measure, with its interval."""
    tables = [SideBySide(runs.shown, outcome, runs.digits).table() for outcome in runs.shown.outcomes]
    rows = tuple((name, *table.rows[0][2:]) for name, table in zip(runs.called, tables, strict=True))
    columns = ("measure", texts("mean"), *tables[0].columns[3:])
    return texts.table(_translated(Table(columns, rows, title=texts("means"), digits=runs.digits), texts))


def intervals(runs: Runs, texts: Texts) -> Figure | None:
    """Each mean on its interval; counts and what is not known have no place on the same axis."""
    drawn = [o for o in runs.shown.outcomes if o.measure.definition.unit and o.queries]
    names = list(map(shown, runs.names))
    rows = [
        {"who": shown(name), "measure": o.name, "mean": m.estimate, "low": m.low, "high": m.high}
        for o in drawn
        for name, m in o.means.items()
        if m.method != "none"
    ]
    if not rows:
        return None
    alt = texts("intervals alt")
    if len(names) > 1:
        alt += " " + texts("intervals best", measure=drawn[0].name, best=shown(ranked(drawn[0])[0]))
    return Figure(
        "intervals",
        texts("intervals", confidence=percent(runs.comparison.procedure.confidence)),
        alt,
        _forest(rows, names, [o.name for o in drawn], runs.digits, texts),
    )


def _forest(rows: charts.Rows, names: list[str], measures: list[str], digits: int, texts: Texts) -> charts.Spec:
    """A line a system within each measure's band."""
    most = f"({charts.AROUND} * 0.35)"
    look = {"domain": False, "labelLimit": {"expr": most}}
    y = {"field": "measure", "type": "nominal", "sort": measures, "title": None, "axis": look}
    numbers = {key: f"{texts(key)}:.{digits}f" for key in ("mean", "low", "high")}
    hints = {"who": texts.column("run"), "measure": texts("measure"), **numbers}
    longest = charts.WIDE * max(map(len, measures)) + charts.SYMBOL
    key = charts.legend(names, beside=f"min({longest}, {most} + {charts.SYMBOL})")
    spec = charts.frame(rows, charts.axis("mean", ""), y, names, key)
    spec["encoding"]["yOffset"] = {"field": "who", "type": "nominal", "sort": names}
    ends = {"x": charts.axis("low", "", scale={"zero": False}, axis=charts.FEW_TICKS), "x2": {"field": "high"}}
    line = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**ends, "tooltip": charts.tooltip(hints)}}
    dot = {
        "mark": {"type": "point", "filled": True, "size": 60},
        "params": [charts.chosen()],
        "encoding": {
            "shape": charts.series(names, charts.SHAPES, key),
            "tooltip": charts.tooltip(hints),
        },
    }
    height = STEP * len(names) * len(measures) + 2 * STEP * len(measures)
    return {**spec, "height": height, "layer": [line, dot]}
