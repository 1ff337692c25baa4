"""The source distribution: whoever unpacks it can build all of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("setuptools")
pytest.importorskip("Cython")

HERE = Path(__file__).parents[1]
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"


def run(where: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(arguments, cwd=where, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The source distribution of a copy without anything that was built, unpacked."""
    there = tmp_path_factory.mktemp("sdist")
    (there / "tree").mkdir()
    for name in (
        "setup.py",
        "pyproject.toml",
        "MANIFEST.in",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    ):
        shutil.copy(HERE / name, there / "tree")
    left = shutil.ignore_patterns("*.so", "_*.c", "__pycache__", "*.egg-info")
    shutil.copytree(HERE / "src", there / "tree" / "src", ignore=left)
    name = run(there / "tree", sys.executable, "-c", BUILD, str(there)).splitlines()[-1]
    with tarfile.open(there / name) as archive:
        archive.extractall(there, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return there / name.removesuffix(".tar.gz")


def test_every_file_of_the_package_is_in_the_source_distribution(unpacked):
    wanted = [
        path.relative_to(HERE)
        for path in (HERE / "src" / "truerank").rglob("*")
        if path.is_file() and path.suffix not in (".so", ".c", ".pyc") and "__pycache__" not in path.parts
    ]
    assert any(path.suffix == ".pyx" for path in wanted)
    assert [str(path) for path in wanted if not (unpacked / path).is_file()] == []


@pytest.mark.slow
def test_the_source_distribution_compiles(unpacked):
    run(unpacked, sys.executable, "setup.py", "build_ext", "--inplace")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    sources = list((unpacked / "src" / "truerank").rglob("*.pyx"))
    assert sources
    assert [path.stem for path in sources if not path.with_name(path.stem + suffix).is_file()] == []
