"""Vectors: embeddings, or a ready matrix of distances, evaluated without sorting and without the whole matrix.

The scores of a block of queries are made by one product; the rank of an entry that is right is then 1 + the number of
better scores. Entries that do not count (the same person seen by the same camera) are gone before ranks exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank.errors import InputError, RulesError
from truerank.evaluate import ranked, score
from truerank.formats import read_qrels
from truerank.hits import Hits, concatenate
from truerank.measures import Measure
from truerank.qrels import Ints, Qrels
from truerank.rules import Rules
from truerank.run import Scan
from truerank.scores import Scores
from truerank.vectors import blocks
from truerank.vectors.blocks import Holds, Metric, Source
from truerank.vectors.parts import joined
from truerank.vectors.pairs import Pairs, by_label, by_qrels
from truerank.vectors.protocol import PROTOCOLS, Protocol, chosen, protocol_of
from truerank.vectors.ranking import scan
from truerank.vectors.sides import Given, Side, sides
from truerank.vectors.single_shot import SingleShot, with_ranks
