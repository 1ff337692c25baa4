"""Scattered queries: rows that are put aside on disk, and read query by query."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import truerank as tr

MEASURES = ["AP", "nDCG@10", "RR", "NumRet"]
ROWS = [(f"q{i % 3}", f"d{i * 7919 % 60000}", i % 50 / 8) for i in range(60_000)]
QRELS = {f"q{q}": {f"d{i}": i % 3 for i in range(0, 60_000, 7)} for q in range(3)}


def text(rows: list[tuple[str, str, float]]) -> bytes:
    return "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in rows).encode()


def written(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    path.write_bytes(text(rows))
    return path


@pytest.mark.parametrize("rules", [{}, {"ties": "input"}, {"ties": "doc-ascending", "score_precision": "single"}])
def test_many_scattered_rows_give_the_bits_of_sorted_ones(rules, tmp_path):
    scattered = tr.evaluate(QRELS, written(tmp_path / "run", ROWS), MEASURES, rules=rules)
    rows = sorted(ROWS, key=lambda row: row[0])
    together = tr.evaluate(QRELS, written(tmp_path / "run", rows), MEASURES, rules=rules)
    assert (scattered.ledger.interleaved, together.ledger.interleaved) == (True, False)
    for measure in MEASURES:
        assert scattered[measure].tobytes() == together[measure].tobytes()


@pytest.mark.parametrize(("duplicates", "counted"), [("first", 20_000), ("last", 20_000), ("count", 20_001)])
def test_a_document_that_stands_far_apart_twice_counts_as_the_rules_say(duplicates, counted, tmp_path):
    path = written(tmp_path / "run", [*ROWS, ("q0", "d0", 99.0)])
    scores = tr.evaluate(QRELS, path, ["RR", "NumRet"], rules={"duplicates": duplicates})
    assert scores["NumRet"].tolist() == [counted, 20_000, 20_000]
    assert scores.ledger.duplicates == 1


def test_of_rows_that_are_refused_the_first_is_named(tmp_path):
    twice = [("q2", ROWS[2][1], 1.0), ("q1", ROWS[1][1], 1.0)]
    random.Random(1).shuffle(twice)
    path = written(tmp_path / "run", [*ROWS, *twice])
    with pytest.raises(tr.InputError, match=rf"run:60001: document .* query {twice[0][0]} .first in line [23]"):
        tr.evaluate(QRELS, path, "AP")
    path.write_bytes(path.read_bytes() + b"q1 Q0 d 1 high t\n")
    with pytest.raises(tr.InputError, match=r"run:60001: document"):
        tr.evaluate(QRELS, path, "AP")


def test_a_disk_without_room_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(tr.InputError, match=r"cannot be put aside on disk to be sorted .No such file.*set TMPDIR"):
        tr.evaluate(QRELS, written(tmp_path / "run", ROWS), "AP")


class Disk:
    """A temporary file whose writing does what a disk may do."""

    def __init__(self, file):
        self.file, self.write = file, file.write

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.fixture
def disk(monkeypatch):
    with tempfile.TemporaryFile(buffering=0) as file:
        made = Disk(file)
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda **how: made)
        yield made


def test_a_disk_that_takes_a_part_at_a_time_loses_nothing(disk, tmp_path):
    sizes = []
    disk.write = lambda data: sizes.append(disk.file.write(data[:100_000])) or sizes[-1]
    scattered = tr.evaluate(QRELS, written(tmp_path / "run", ROWS), MEASURES)
    together = tr.evaluate(QRELS, written(tmp_path / "run", sorted(ROWS)), MEASURES)
    assert sizes.count(100_000) > 5
    assert all(scattered[measure].tobytes() == together[measure].tobytes() for measure in MEASURES)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, MemoryError])
def test_what_is_raised_while_rows_are_put_aside_ends_the_reading(raised, disk, tmp_path):
    def fail(data):
        raise raised

    disk.write = fail
    with pytest.raises(raised):
        tr.evaluate(QRELS, written(tmp_path / "run", ROWS), MEASURES)


CHILD = """
import resource, sys
import truerank as tr
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tr.evaluate({f"q{q}": {"d1": 1} for q in range(2000)}, sys.argv[1], "AP", threads=1)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts as Linux does")
def test_scattered_rows_take_no_more_memory_when_they_are_many(tmp_path):
    with (tmp_path / "run").open("wb") as file:
        for start in range(0, 4_000_000, 100_000):
            numbers = range(start, start + 100_000)
            file.write(b"".join(b"q%d Q0 doc%d 0 %d t\n" % (i % 2000, i, i % 999) for i in numbers))
    done = subprocess.run([sys.executable, "-c", CHILD, str(tmp_path / "run")], capture_output=True, check=True)
    assert int(done.stdout) < 110  # in memory they would take 200
