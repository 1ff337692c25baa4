"""How fast retrievers answer, and what quality costs in time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from truerank.bench.latency import MILLION
from truerank.bench.result import Bench
from truerank.bench.sweep import front, quality
from truerank.errors import shown
from truerank.report import bench_notes, charts
from truerank.report.bench import DIGITS, SHORT, marked, per_second
from truerank.report.document import Block, Figure, Heading, Note, Prose
from truerank.report.material import Material
from truerank.report.table import Cell, Table
from truerank.report.texts import Texts


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """A row a benchmark, its latencies as a curve, and quality against latency where both are known."""
    found = [one for one in material.benches if len(one.measured.answered)]
    if not material.benches:
        return
    yield Heading(texts("speed"), "speed")
    names = called(material.benches)
    for name, one in zip(names, material.benches, strict=True):
        yield from (Note(f"{name}: {warning}", "en") for warning in bench_notes.warnings(one))
    yield texts.table(table(material.benches, names, texts))
    if found:
        yield latencies(found, called(found), texts)
    scored = [one for one in found if one.scores]
    if len(scored) > 1 and len({_measure(one) for one in scored}) == 1:
        yield pareto(scored, called(scored), texts)
    told = (f"{name}: {bench_notes.loop(one)}; {bench_notes.asked(one)}" for name, one in _named(material.benches))
    yield Prose(tuple(told), "en")


def called(benches: Sequence[Bench]) -> list[str]:
    """What to call benchmarks: by name and settings, with a number where these are the same."""
    names: list[str] = []
    for one in benches:
        settings = ", ".join(f"{key} {value}" for key, value in one.settings.items())
        name = shown(f"{one.name} ({settings})" if settings else one.name)
        again = sum(other == name or other.startswith(f"{name} #") for other in names)
        names.append(f"{name} #{again + 1}" if again else name)
    return names


def _named(benches: Sequence[Bench]) -> list[tuple[str, Bench]]:
    return list(zip(called(benches), benches, strict=True))


def table(benches: Sequence[Bench], names: Sequence[str], texts: Texts) -> Table:
    """Milliseconds, throughput, failures, and the means of measures."""
    measures = list(dict.fromkeys(name for one in benches if one.scores for name in one.scores.mean))
    rows: list[tuple[Cell, ...]] = []
    for name, one in zip(names, benches, strict=True):
        means = one.scores.mean if one.scores else {}
        latencies = (None if math.isnan(one.latency[f]) else one.latency[f] for f in SHORT)
        quality = (means.get(measure) for measure in measures)
        rows.append((name, len(one.measured), *latencies, per_second(one), bench_notes.failed(one), *quality))
    times = (marked(name, benches, " ms") for name in SHORT)
    columns = ("retriever", "calls", *times, "a second", "failed", *measures)
    return Table(columns, tuple(rows), title=texts("benchmarks"), digits=DIGITS)


def latencies(benches: Sequence[Bench], names: Sequence[str], texts: Texts) -> Figure:
    """The share of calls that are answered within so many milliseconds."""
    rows = [
        {"who": name, "ms": ms, "share": share}
        for name, one in zip(names, benches, strict=True)
        for ms, share in _distribution(np.sort(one.measured.answered.latency) / MILLION)
    ]
    x = charts.axis("ms", texts("milliseconds"), scale={"type": "log", "nice": False}, axis={"tickCount": 6})
    y = charts.shares("share", texts("share of calls"))
    hints = {"who": texts("retriever"), "ms": "ms:.3f", "share": f"{texts('share of calls')}:.4f"}
    spec = charts.lines(rows, x, y, names, hints, interpolate="step-after")
    return Figure("latency", texts("latency"), texts("latency alt"), spec)


def _distribution(rising: np.ndarray) -> list[tuple[float, float]]:
    return [(float(rising[i]), (i + 1) / len(rising)) for i in charts.thinned(len(rising))]


def pareto(benches: Sequence[Bench], names: Sequence[str], texts: Texts) -> Figure:
    """A mark a benchmark, and a line through those that no other one beats."""
    measure = _measure(benches[0])
    best = front(benches, measure)
    rows = [
        {"who": name, "ms": one.latency["p50"], "quality": quality(one, measure), "best": i in best}
        for i, (name, one) in enumerate(zip(names, benches, strict=True))
    ]
    x = charts.axis("ms", texts("median ms"), scale={"zero": False, "padding": 12}, axis={"tickCount": 6})
    y = charts.axis("quality", measure, scale={"zero": False, "padding": 12}, axis={"tickCount": 6})
    hints = {"who": texts("retriever"), "ms": "ms:.3f", "quality": f"{measure}:.4f"}
    spec = charts.marks(rows, x, y, names, hints)
    line = {
        "transform": [{"filter": "datum.best"}],
        "mark": {"type": "line", "interpolate": "step-after", "strokeDash": [4, 3]},
        "encoding": {"x": x, "y": y},
    }
    shared = spec.pop("encoding")
    dots = [{**layer, "encoding": {**shared, **layer["encoding"]}} for layer in spec["layer"]]
    winners = texts.listed([names[i] for i in sorted(best)])
    alt = texts("pareto alt", measure=measure, best=winners)
    return Figure("pareto", texts("pareto"), alt, {**spec, "layer": [line, *dots]})


def _measure(one: Bench) -> str:
    return next(iter(one.scores.mean)) if one.scores else ""
