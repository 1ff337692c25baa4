"""The documentation site: it builds without a warning, and nothing in it leads nowhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs")

HERE = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").is_file()
    for page in ("tour", "tutorials/student", "api", "changes"):
        assert (tmp_path / "site" / page / "index.html").is_file()
    reference = (tmp_path / "site" / "api" / "index.html").read_text("utf-8")
    assert 'id="truerank.core.evaluate.evaluate"' in reference
    assert 'id="truerank.live.sweep.sweep"' in reference
    assert re.findall(r"<code>\w+(?:, \w+)+</code>\s*</td>", reference) == []
    for name in ("index.html", "404.html"):
        page = (tmp_path / "site" / name).read_text("utf-8")
        assert 'data-md-component="source"' not in page  # by which the theme's script asks api.github.com
        assert 'class="md-source"' in page
