"""The source distribution: whoever unpacks it can build all of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("setuptools")
pytest.importorskip("Cython")

HERE = Path(__file__).parents[1]
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"


def run(where: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": "", "CFLAGS": "-O0"}  # whether it works, and not how fast
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
    (there / "tree" / "tests").mkdir()
    shutil.copy(__file__, there / "tree" / "tests")
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


def test_no_test_is_in_it_without_the_others_that_it_stands_on(unpacked):
    assert not (unpacked / "tests").exists()


def test_extras_are_asked_for_as_wheels_spell_them():
    """Before 23.3, pip passes over `truerank[a_b]`, which metadata calls a-b, and installs nothing of it."""
    _, _, rest = (HERE / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]")
    extras = re.findall(r"^([\w.-]+) = \[", rest.partition("\n[")[0], re.MULTILINE)
    assert "ir-measures" in extras
    pages = [HERE / "README.md", *HERE.glob("docs/**/*.md"), *HERE.glob("src/**/*.py"), HERE / "pyproject.toml"]
    texts = [page.read_text("utf-8") for page in pages]
    asked = {
        name for text in texts for names in re.findall(r"truerank\[([\w,.-]+)\]", text) for name in names.split(",")
    }
    asked |= {name for text in texts for name in re.findall(r'needs\([^()]*, "([\w.-]+)"\)', text)}
    assert asked
    assert [name for name in sorted({*extras, *asked}) if re.sub(r"[-_.]+", "-", name).lower() != name] == []
    assert asked <= set(extras)


@pytest.mark.slow
def test_a_wheel_of_it_works_in_an_environment_of_its_own(unpacked, tmp_path):
    run(unpacked, sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("truerank-*.whl")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    sources = [path.relative_to(unpacked / "src") for path in (unpacked / "src").rglob("*.pyx")]
    assert sources
    assert [path for path in sources if str(path.with_name(path.stem + suffix)) not in names] == []
    run(tmp_path, sys.executable, "-m", "venv", "--without-pip", "alone")
    alone = str(tmp_path / "alone" / ("Scripts" if os.name == "nt" else "bin") / "python")
    run(tmp_path, sys.executable, "-m", "pip", "--python", alone, "install", "--quiet", "--no-compile", str(wheel))
    shutil.copy(HERE / "tests" / "smoke.py", tmp_path)
    assert run(tmp_path, alone, "smoke.py").startswith("truerank ")
