"""A short slice of the fuzzer, and that the oracle it trusts is right where a person can see it."""

from __future__ import annotations

import pytest

import fuzz_oracle as oracle
from fuzz import DOORS, fuzz
from fuzz_oracle import LineError, Options


def test_damaged_input_finds_no_difference() -> None:
    done = fuzz(range(1000), seed=0)
    assert {door.__name__ for door in DOORS} - {"long_lines"} <= set(done)


def test_the_oracle_ranks_a_run_as_a_person_would() -> None:
    text = b"# note\nq Q0 a 1 2.0 t\nq Q0 b 2 2.0 t\r\n\nq Q0 c 3 3e0 t"
    found = oracle.answers(oracle.run_rows(text), {b"p": [b"a"], b"q": [b"z", b"a", b"c"]}, Options())
    assert found.hits == [(1, 1, 3, 2, 3, 2.0), (1, 2, 1, 1, 1, 3.0)]
    assert (found.returned, found.rows) == ([-1, 3], 3)


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        (b"q Q0 a 1 t", ("fields",)),
        (b"q Q0 a\0 1 2 t", ("control",)),
        (b"q Q0 a 1 1e400 t", ("not finite",)),
        (b"q Q0 a 1 1_0 t", ("number", "not finite")),
        (b"\nq Q0 a 1 1 t\np Q0 a 1 1 t\nq Q0 b 1 1 t", ("interleaved",)),
        (b"q Q0 a 1 1 t\nq Q0 a 1 1 t", ("duplicate",)),
    ],
)
def test_the_oracle_refuses_what_a_person_would(line: bytes, kinds: tuple[str, ...]) -> None:
    with pytest.raises(LineError) as refusal:
        oracle.answers(oracle.run_rows(line), {b"q": [b"a"]}, Options())
    assert refusal.value.kinds == kinds
