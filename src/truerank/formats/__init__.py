"""Reading and writing judgements and runs: a file a format; compression, stdin and URLs once for all of them."""

from truerank.formats import beir, delimited, folder, json, jsonl, msmarco, numpy, parquet, trec  # noqa: F401 (they register themselves)
from truerank.formats.convert import convert
from truerank.formats.reading import open_run, read_qrels
from truerank.formats.registry import Format, formats, register

__all__ = ["Format", "convert", "formats", "open_run", "read_qrels", "register"]
