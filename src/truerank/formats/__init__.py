"""Reading and writing judgements and runs: a file a format; compression, stdin and URLs are handled once, outside."""

from __future__ import annotations

import os
from typing import Any

from truerank.errors import InputError
from truerank.formats import beir, delimited, json, jsonl, parquet, trec
from truerank.formats.convert import convert
from truerank.formats.objects import qrels_from_object, run_from_object
from truerank.formats.registry import Format, formats, named, register, sniffed
from truerank.formats.source import as_source
from truerank.qrels import Qrels
from truerank.run import Run

__all__ = ["Format", "convert", "formats", "open_run", "read_qrels", "register"]
