"""What came in, what of it was not understood, and what is missing."""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.questions.answer import Row
from twin.questions.catalogue import INGEST_KINDS
from twin.web.pages.parameters import MEMBER, one_of
from twin.web.pages.view import PageContent, PageReading, PageTable, PageView

_SECTIONS: Final = (
    ("unfinished", "Imports that have no end", "The same import again finishes them."),
    ("not-understood", "Not understood", "These parts of files were left out."),
    ("contradiction", "Contradictions", "Files say different things of one instant."),
    ("not-in-twin", "Queue managers that are not in the twin", "Something names them."),
    ("undefined", "Names without an object", "A definition names them, and nothing defines them."),
    ("replaced", "Queue managers that are gone or were rebuilt", ""),
    ("passed-over", "Commands that were passed over", "No fact is taken from them."),
    ("last-seen", "When each kind of fact was last seen", "Everything rests on facts this old."),
    ("file", "Files", "What was imported, and as how many events: one may hold many facts."),
)
"""Kind of rows -> heading, and what it means; the most urgent first."""


_MOST: Final = 200
"""How many rows of a kind are shown."""


_OWN: Final = {"on": MEMBER, "kind": one_of(INGEST_KINDS)}
"""The parameters of this view."""


class ImportSection(NamedTuple):
    """The rows of one kind."""

    kind: str
    heading: str
    meaning: str
    rows: tuple[Row, ...]


def show(reading: PageReading) -> PageContent:
    """Show what was imported."""
    filters = {"on": reading.place.own.get("on"), "kind": reading.place.own.get("kind")}
    answer = reading.ask("ingest", **filters)
    sections = [
        ImportSection(kind, heading, meaning, rows)
        for kind, heading, meaning in _SECTIONS
        if (rows := tuple(row for row in answer.rows if row["kind"] == kind))
    ]
    return PageContent(
        title="What came in",
        values={"sections": sections, "answer": answer, "filters": filters, "limit": _MOST},
        tables=(PageTable.of(answer),),
        commands=(reading.place.command("ask", "ingest", **filters),),
    )


IMPORT: Final = PageView(name="import", title="Import", show=show, own=_OWN)
