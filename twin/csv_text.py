"""Rows as CSV: no cell is taken for a formula by a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from twin.model.harmless import cell


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a line of names and a line for each row; the last one ends with a line feed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(cell, map(value_text, row)) for row in rows)
    return text.getvalue()


def value_text(value: object) -> str:
    """Write a value of JSON for people: nothing for null, a list with blanks between its items."""
    if value is None:
        return ""
    return " ".join(map(_item, value)) if isinstance(value, list | tuple) else str(value)


def _item(item: object) -> str:
    """Return an item of a list; a command with the queue manager to run it on."""
    return f"{item['on']}: {item['mqsc']};" if isinstance(item, dict) else str(item)
