"""The notebook of examples/ runs as it is, every result in it shows itself, and what it tells of them is true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the cells of the notebook show, one each that shows something."""
    for package in ("nbclient", "ipykernel", "bm25s", "gensim", "pandas", "vl_convert"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    import nbclient
    import nbformat

    folder = tmp_path_factory.mktemp("jupyter")
    notebook = nbformat.read(EXAMPLES / "experiment.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patched:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            patched.setenv(name, str(folder))
        resources = {"metadata": {"path": str(EXAMPLES)}}
        how = {"timeout": 300, "kernel_name": "python3", "coalesce_streams": True, "resources": resources}
        nbclient.NotebookClient(notebook, **how).execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert max(len(line) for cell in code for line in "".join(cell["source"]).splitlines()) <= 100


def test_every_cell_shows_something_and_nothing_goes_wrong(outputs: list[dict[str, Any]]) -> None:
    kinds = [output["output_type"] for output in outputs]
    assert len(kinds) == 9
    assert set(kinds) <= {"stream", "execute_result"}
    assert all(output["name"] == "stdout" for output in outputs if output["output_type"] == "stream")


def test_every_result_shows_html_and_has_a_text(outputs: list[dict[str, Any]]) -> None:
    shown = [output["data"] for output in outputs if output["output_type"] == "execute_result"]
    texts = [data["text/plain"].partition("(")[0] for data in shown]
    assert [texts[place] for place in (0, 1, 2, 5)] == ["Scores", "Plot", "Comparison", "Experiment"]
    assert all("text/html" in data for data in shown)
    assert [data["text/html"].count("<img ") for data in shown] == [0, 1, 1, 0, 0, 2]
    assert not any("<script" in data["text/html"] for place, data in enumerate(shown) if place != 3)


def test_what_the_notebook_tells_is_true(outputs: list[dict[str, Any]]) -> None:
    html = [output["data"]["text/html"] for output in outputs if output["output_type"] == "execute_result"]
    scores, _, compared, parted, explained, experiment = html
    assert "13 without a relevant document" in scores
    assert "nDCG@10: a query without a relevant document has a score all the same" in scores
    assert "<sup>" not in compared
    assert parted.rindex("<th>06</th>") > parted.rindex("<th>33</th>")
    assert "schools" in explained
    assert experiment.count("<sup>d</sup>") == 3
    assert experiment.count("<sup>") == 3
