"""Reading and writing judgements and runs: a file a format; compression, stdin and URLs once for all of them.

Importing this package finds them all.
"""

from truerank.core import plugins
from truerank.formats.convert import convert
from truerank.formats.reading import open_run, read_qrels
from truerank.formats.registry import Format, formats, register

__all__ = ["Format", "convert", "formats", "open_run", "read_qrels", "register"]

plugins.load_own(__name__, __path__[0], later=("arrays", "neighbours", "shapes", "texts"))
