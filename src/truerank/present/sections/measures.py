"""The measures beside the first one, each with its systems and pairs."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.messages import message
from truerank.present.document import Block, Heading
from truerank.present.material import Material
from truerank.present.sections.headline import of_measure


def blocks(material: Material) -> Iterator[Block]:
    """Tables as for the first measure, which stands at the top; of a single system all stand there."""
    if material.runs is None or min(len(material.runs.measures), len(material.runs.systems)) < 2:
        return
    yield Heading(message("Other measures"), "measures")
    for outcome in material.runs.shown.outcomes[1:]:
        yield from of_measure(material.runs, outcome)
