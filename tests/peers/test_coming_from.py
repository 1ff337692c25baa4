"""docs/coming-from.md: what it shows of another package and of truerank comes to the same numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from peer_asking import answered, interpreter

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"
DIGITS = {"torchmetrics": 1e-6}
"""Where the package computes with 32 bits."""

PROGRAM = """
import json, sys
out, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    space = {}
    exec(json.loads(line), space)
    print(json.dumps({name: float(value) for name, value in space["found"].items()}), file=out, flush=True)
"""


def pairs() -> dict[str, tuple[str, str]]:
    """{package: (its code, truerank's)}, each with what all begin with."""
    first, *sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.M)
    (given,) = blocks(first)
    return {
        section.partition("\n")[0]: (*(given + code for code in blocks(section)),)
        for section in sections
        if blocks(section)
    }


def blocks(text: str) -> list[str]:
    return re.findall(r"^```py\n(.*?)^```", text, re.M | re.S)


PAIRS = pairs()
OTHERWISE = {"scikit-learn": "sklearn", "llamaindex": "llama-index", "sentence-transformers": "transformers"}
"""What the tests call a package, where that is not its name."""

TOOLS = {name: OTHERWISE.get(tool := name.lower().partition(",")[0], tool) for name in PAIRS}


def ours(name: str) -> dict[str, float]:
    space: dict[str, Any] = {}
    exec(PAIRS[name][1], space)
    return dict(space["found"])


@pytest.mark.parametrize("name", PAIRS)
def test_each_section_has_both_codes_and_truerank_s_runs(name: str) -> None:
    assert len(PAIRS[name]) == 2
    found = ours(name)
    assert found
    assert all(0 <= value <= 1 for value in found.values())


@pytest.mark.parametrize("name", PAIRS)
def test_both_codes_come_to_the_same_numbers(name: str) -> None:
    theirs = answered([interpreter(TOOLS[name]), "-W", "ignore", "-c", PROGRAM, TOOLS[name]], PAIRS[name][0])
    assert ours(name) == pytest.approx(theirs, rel=0, abs=DIGITS.get(TOOLS[name], 1e-12))
