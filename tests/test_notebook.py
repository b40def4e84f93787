"""The notebook of the documentation: each cell runs, and its output is what stands in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest

from tests.notebooks import executed, read_notebook

_SVG: Final = "image/svg+xml"
_CHANGING: Final = re.compile(r"\d{4}-\d\d-\d\d|\d\d[:.]\d\d[:.]\d\d(\.\d+)?")
"""Dates and times: the demo's estate begins some days before today."""


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """Read the notebook."""
    return read_notebook()


@pytest.fixture(scope="module")
def again(notebook: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run it on a new estate."""
    return executed(notebook, tmp_path_factory.mktemp("notebook"))


def outputs(notebook: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the type and the text of each output."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            shown = output.get("data", {"stdout": output.get("text")})
            yield from ((kind, "".join(text)) for kind, text in shown.items())


def test_the_notebook_shows_what_its_cells_give(
    notebook: dict[str, Any], again: dict[str, Any]
) -> None:
    """`python -m tests.notebooks` writes the same output, except for dates and pictures."""
    before, now = (
        [(kind, _CHANGING.sub("T", text)) for kind, text in outputs(each) if kind != _SVG]
        for each in (notebook, again)
    )
    assert now == before
    assert len(now) == 8


def test_the_notebook_draws_without_another_package(again: dict[str, Any]) -> None:
    """The picture is a well-formed SVG with a title and a row for each record of PR1."""
    (picture,) = [text for kind, text in outputs(again) if kind == _SVG]
    root = ET.fromstring(picture)  # noqa: S314 - our own text
    assert root.tag.endswith("svg")
    assert "CLUS.WL.TEST" in picture


def test_the_notebook_has_the_form_that_programs_read(notebook: dict[str, Any]) -> None:
    """Format 4.5: each cell has an id of its own, a type, and its source as lines."""
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        assert cell["cell_type"] in {"code", "markdown"}
        assert all(isinstance(line, str) for line in cell["source"])
        assert ("outputs" in cell) == (cell["cell_type"] == "code")


def test_the_notebook_needs_only_twin(notebook: dict[str, Any]) -> None:
    """No cell imports another package."""
    source = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    imported = re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE)
    assert set(imported) == {"twin"}


def test_the_notebook_names_no_path_of_one_machine() -> None:
    """Its text holds no trace of the folder where it ran, and no error."""
    text = json.dumps(read_notebook())
    assert "/tmp" not in text  # noqa: S108 - the folder where the test ran it
    assert "Traceback" not in text
