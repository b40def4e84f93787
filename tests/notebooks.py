"""Runs the cells of the notebook: `python -m tests.notebooks` writes their output into it.

The cells run here, in one namespace, as a kernel would run them: so no test needs Jupyter.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from twin import demo

NOTEBOOK: Final = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
_RICH: Final = {"_repr_svg_": "image/svg+xml", "_repr_html_": "text/html"}


def read_notebook() -> dict[str, Any]:
    """Read the notebook."""
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return notebook


def executed(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the notebook with the output of its cells, run on an estate of the demo in a folder.

    Raises:
        Exception: what a cell raises.
    """
    with redirect_stdout(StringIO()):
        demo.cluster(folder / demo.FOLDER)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    with chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                cells.append(cell)
                continue
            number += 1
            outputs = list(_outputs("".join(cell["source"]), namespace, number))
            cells.append({**cell, "execution_count": number, "outputs": outputs})
    return {**notebook, "cells": cells}


def _outputs(source: str, namespace: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Run a cell; yield what it printed, and the value of its last line if that is one."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)  # noqa: S102 - the notebook is ours
        if isinstance(last, ast.Expr):
            expression = compile(ast.Expression(last.value), "cell", "eval")
            value = eval(expression, namespace)  # noqa: S307 - as above
    if text := printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(text)}
    if value is not None:
        data = {
            kind: _lines(getattr(value, method)())
            for method, kind in _RICH.items()
            if hasattr(value, method)
        }
        data = data or {"text/plain": _lines(repr(value))}
        yield {
            "data": data,
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Write the output of all cells into the notebook."""
    with TemporaryDirectory() as folder:
        notebook = executed(read_notebook(), Path(folder))
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
