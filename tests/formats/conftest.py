"""A small collection full of ties and odd scores, as dicts and as TREC files."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import truerank as tr

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@20", "Bpref"]

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def odd(rng: random.Random) -> float:
    """A score: often tied, sometimes with every digit a double has, sometimes huge, tiny or negative."""
    kinds = [
        lambda: float(rng.randint(-3, 3)),
        lambda: rng.randint(0, 40) / 8,
        lambda: rng.uniform(-5, 30),
        lambda: rng.uniform(0, 1) * 10.0 ** rng.randint(-300, 300),
    ]
    return rng.choice(kinds)()


@pytest.fixture(scope="session")
def qrels() -> Qrels:
    rng = random.Random(11)
    docs = [f"d{i}" for i in range(150)]
    return {f"q{i}": {d: rng.randint(-1, 3) for d in rng.sample(docs, rng.randint(1, 30))} for i in range(40)}


@pytest.fixture(scope="session")
def run() -> Run:
    """Two queries are missing and one is extra; some ids are not ASCII."""
    rng = random.Random(12)
    docs = [f"d{i}" for i in range(148)] + ["문서", "d-ü"]
    return {f"q{i}": {d: odd(rng) for d in rng.sample(docs, rng.randint(1, 90))} for i in range(2, 41)}


@pytest.fixture
def run_file(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "small.run"
    path.write_text("".join(f"{q} Q0 {d} 0 {s!r} tag\n" for q, answer in run.items() for d, s in answer.items()))
    return path


@pytest.fixture
def qrels_file(qrels: Qrels, tmp_path: Path) -> Path:
    path = tmp_path / "small.qrels"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, judged in qrels.items() for d, g in judged.items()))
    return path


@pytest.fixture(scope="session")
def bits() -> Callable[..., dict[str, object]]:
    """Evaluates and gives everything that must be the same, to the last bit."""

    def everything(qrels: object, run: object, **options: object) -> dict[str, object]:
        scores = tr.evaluate(qrels, run, MEASURES, **options)
        ledger = scores.ledger.to_dict()
        ledger.pop("interleaved")
        return {**{m: v.tobytes() for m, v in scores.columns.items()}, "queries": scores.queries, "ledger": ledger}

    return everything


@pytest.fixture(scope="session")
def expected(qrels: Qrels, run: Run, bits: Callable[..., dict[str, object]]) -> dict[str, object]:
    return bits(qrels, run)


def rows_of(path: Path) -> list[tuple[bytes, bytes, float]]:
    """Query, document and score of each line of a TREC run, by the simplest of readers."""
    fields = [line.split(b" ") for line in path.read_bytes().splitlines()]
    return [(query, doc, float(score)) for query, _, doc, _, score, _ in fields]


@pytest.fixture
def round_trip(run_file: Path, tmp_path: Path) -> Callable[[str], None]:
    """Converts the run to a format and back and compares ids, order and the bits of the scores."""

    def check(ending: str) -> None:
        there, back = tmp_path / f"there.{ending}", tmp_path / "back.run"
        tr.formats.convert(run_file, there)
        tr.formats.convert(there, back)
        assert [(q, d, s.hex()) for q, d, s in rows_of(back)] == [(q, d, s.hex()) for q, d, s in rows_of(run_file)]

    return check


@pytest.fixture
def qrels_round_trip(qrels_file: Path, tmp_path: Path) -> Callable[..., None]:
    """Converts the judgements to a format and back and compares all rows, which come out sorted by query."""

    def check(ending: str, to: str | None = None) -> None:
        there, back = tmp_path / f"there.{ending}", tmp_path / "back.qrels"
        tr.formats.convert(qrels_file, there, what="qrels", to=to)
        tr.formats.convert(there, back, what="qrels")
        lines = qrels_file.read_text().splitlines()
        assert back.read_text().splitlines() == sorted(lines, key=lambda line: line.split()[0])

    return check
