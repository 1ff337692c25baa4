"""Reading and writing judgements and runs: a file a format; compression, stdin and URLs once for all of them.

Importing this package finds them all.
"""

import importlib
import pkgutil

from truerank.formats.convert import convert
from truerank.formats.reading import open_run, read_qrels
from truerank.formats.registry import Format, formats, register

__all__ = ["Format", "convert", "formats", "open_run", "read_qrels", "register"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
