"""Other packages add measures, formats and adapters by entry points, which are read no sooner than needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = {
    "measures": """
import truerank as tr

@tr.measure("Third", "first_third", unit=False)
def third(hits):
    "A third of what was returned."
    return hits.returned / 3
""",
    "formats": """
from truerank.core.run import Ranked
from truerank.formats import Format, register

def sniff(head, name):
    return 1.0 if head.startswith(b"\\0lines") else 0.0

def read_run(source):
    for line in source.read().splitlines()[1:]:
        query, *docs = line.split()
        yield Ranked(query, docs)

register(Format("shelf", "a query and its documents a line", sniff, read_run=read_run))
""",
    "adapters": """
from truerank.live.adapters import adapter
from truerank.live.adapters.functions import function

@adapter("a shelf", lambda target: float(isinstance(target, bytes)))
def shelf(target, *, ids, asynchronous=None):
    return function(lambda query, k: [target.decode()][:k], ids=ids)
""",
}


def installed(folder: Path, **modules: str) -> str:
    """What a fresh interpreter prints that runs `modules["main"]`, with a package that has these entry points."""
    points = []
    for kind in MODULES:
        if kind in modules:
            (folder / f"shelf_{kind}.py").write_text(modules[kind])
            points.append(f"[truerank.{kind}]\nshelf = shelf_{kind}\n")
    about = folder / "shelf-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("\n".join(points))
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", modules["main"]],
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("measure", ["'third'", "'FIRST_third'", "tr.Third"])
def test_a_measure_of_another_package_is_known_by_its_name(tmp_path, measure):
    data = "{'q': {'a': 1}}, {'q': ['a', 'b', 'c']}"
    main = f"import truerank as tr\nprint(tr.evaluate({data}, {measure}).mean['Third'])"
    assert installed(tmp_path, measures=MODULES["measures"], main=main) == "1.0\n"


def test_measures_formats_and_adapters_of_other_packages_are_listed(tmp_path):
    main = (
        "import truerank as tr\nfrom truerank.formats import formats\nfrom truerank.live.adapters import adapters\n"
        "print('Third' in tr.measures(), 'shelf' in formats(), 'a shelf' in adapters())"
    )
    assert installed(tmp_path, **MODULES, main=main) == "True True True\n"


@pytest.mark.parametrize("told", ["None", "'shelf'"])
def test_a_format_of_another_package_is_read_when_none_here_knows_the_file_or_by_its_name(tmp_path, told):
    (tmp_path / "run").write_bytes(b"\0lines\nq x a\n")
    main = (
        "import truerank as tr\n"
        f"print(tr.evaluate({{'q': {{'a': 1}}}}, tr.open_run('run', {told}), 'RR').mean['RR'])"
    )
    assert installed(tmp_path, formats=MODULES["formats"], main=main) == "0.5\n"


def test_an_adapter_of_another_package_takes_what_none_here_does(tmp_path):
    main = (
        "from truerank.live.adapters import adapt\nretriever = adapt(b'tea')\n"
        "print(retriever.read(retriever.call('q', 1)).docs)"
    )
    assert installed(tmp_path, adapters=MODULES["adapters"], main=main) == "('tea',)\n"


def test_nothing_is_imported_while_all_names_are_known(tmp_path):
    main = (
        "import truerank as tr\ntr.parse_measure('ndcg_cut_10')\ntr.parse_measure('accuracy@5')\nprint(tr.nDCG @ 3)"
    )
    assert installed(tmp_path, measures="raise SystemExit(3)", main=main) == "nDCG@3\n"


def test_a_package_that_cannot_be_imported_is_named(tmp_path):
    main = "import truerank as tr\ntry:\n    tr.parse_measure('Thrid')\nexcept tr.TruerankError as e:\n    print(e)"
    told = installed(tmp_path, measures="import absent_library", main=main)
    assert told.startswith("the package shelf adds measures by shelf_measures, which cannot be imported")
    assert "absent_library" in told
    assert told.endswith("update or remove the package\n")
