"""Plain text is linted without making objects of its rows; what is found is what a look at every line finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerank.analysis.lint import lint, reading
from truerank.analysis.lint.findings import Log
from truerank.core.kernel.rows import Rows
from truerank.core.run import Run

NUMBERS = st.integers(0, 11).map(lambda i: b"%d" % i)
STYLES = [b"%b", b"FBIS3-%b", b"d0%b", b"D%b", b"a/%b.txt", b"'%b'", b"%b#2", b"x_chunk_%b", b"%b.0", b"\xc3\xa9%b"]
SCORES = st.one_of(
    st.integers(0, 5).map(lambda i: b"%d" % i),
    st.floats(-1e6, 1e6).map(lambda x: repr(x).encode()),
    st.sampled_from([b".5", b"5.", b"-0", b"1e-400", b"1234567890123456789012e-9"]),
)
ODD = st.sampled_from(
    [
        *(
            b"",
            b"# c",
            b"q1 Q0 x 1 2",
            b"q1 Q0 x 1 nan t",
            b"q1 Q0 x 1 1_0 t",
            b"q1 Q0 x a 1.5 t",
            b"q9 Q0 x 1 no t",
        ),
        *(
            b"q1 Q0 x 1 2.5 t\r",
            b"\r",
            b"q1 Q0 x\x01 1 2 t",
            b"q1 Q0 \0 1 2 t",
            b"q1\tQ0  w 1 1 t ",
            b"q1 Q0 q1 2 3 u",
        ),
        *(
            b"q1 Q0 y 1_0 1 t",
            b"q1 Q0 y +1 1 t",
            b"\xef\xbb\xbfq1 Q0 z 1 1 t",
            b"query_id Q0 doc_id rank score tag",
        ),
    ]
)


@st.composite
def answers(draw: st.DrawFn, query: bytes) -> list[bytes]:
    """The lines of one query, in order or not."""
    style, n = draw(st.sampled_from(STYLES)), draw(st.integers(1, 9))
    names = draw(st.lists(NUMBERS, min_size=n, max_size=n, unique=draw(st.integers(0, 3)) > 0))
    scores = draw(st.lists(SCORES, min_size=n, max_size=n))
    if draw(st.booleans()):
        scores.sort(key=float, reverse=draw(st.integers(0, 3)) > 0)
    ranks = draw(st.sampled_from([list(range(n)), list(range(1, n + 1)), [1] * n]))
    if draw(st.integers(0, 3)) == 0:
        ranks = draw(st.permutations(ranks))
    tag = draw(st.sampled_from([b"t", b"t", b"t", b"u"]))
    rows = zip(names, ranks, scores, strict=True)
    return [b"%b Q0 %b %d %b %b" % (query, style % name, rank, score, tag) for name, rank, score in rows]


@st.composite
def runs(draw: st.DrawFn) -> bytes:
    """A run, a few of its lines odd or in another place."""
    queries = draw(st.permutations([b"q1", b"q2", b"Q3", b"4", b"q5"]))
    lines = [line for query in queries[: draw(st.integers(1, 5))] for line in draw(answers(query))]
    for odd in draw(st.lists(ODD, max_size=2)):
        lines.insert(draw(st.integers(0, len(lines))), odd)
    if draw(st.integers(0, 4)) == 0:
        lines.append(lines.pop(draw(st.integers(0, len(lines) - 1))))
    end = draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]))
    return end.join(lines) + draw(st.sampled_from([end, b""]))


@st.composite
def judgements(draw: st.DrawFn) -> bytes:
    pairs = st.tuples(st.sampled_from([b"q1", b"q2", b"q3", b"04"]), st.sampled_from(STYLES), NUMBERS, NUMBERS)
    rows = draw(st.lists(pairs, min_size=1, max_size=20))
    return b"".join(b"%b 0 %b %b\n" % (query, style % name, grade) for query, style, name, grade in rows)


@pytest.fixture(scope="module")
def qrels_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lint") / "qrels.txt"


@settings(max_examples=300)
@given(
    judgements(), runs(), st.integers(1, 400), st.sampled_from([None, {"ties": "input"}, {"duplicates": "once"}])
)
def test_plain_text_is_linted_as_any_other(qrels_path, qrels, run, size, rules):
    qrels_path.write_bytes(qrels)

    def chunks() -> Iterator[bytes]:
        return (run[at : at + size] for at in range(0, len(run), size))

    def found() -> list[dict[str, object]]:
        return [finding.to_dict() for finding in lint(qrels_path, Run("run", chunks), rules=rules)]

    quick = found()
    with patch.object(reading, "rows_of", lambda text, line: None):
        assert quick == found()


@pytest.mark.parametrize("odd", [b"", b"# c\n", b"\n"])
def test_plain_text_is_not_made_into_objects(odd):
    chunks = [b"1 Q0 a 1 1 t\n1 Q0 b 2", b" 0 t\n" + odd, b"1 Q0 c 3 0 t\n2 Q0 a 1 1 t"]
    found = list(reading.answers_from_text(chunks, Log("run")))
    assert [(type(answer), answer.query, answer.docs) for answer in found] == [
        (Rows, b"1", [b"a", b"b", b"c"]),
        (Rows, b"2", [b"a"]),
    ]
