"""Reads docs/fidelity.md; `python -m tests.fidelity_page` updates its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.truth.not_carried import table

PAGE: Final = Path(__file__).parents[1] / "docs" / "fidelity.md"
STATES: Final = ("proved", "not yet", "out of scope")

_COUNTS: Final = "| feature | proved | not yet | out of scope |\n|---|---|---|---|\n"
_NOT_CARRIED: Final = "| law | of | columns | why no file shows it |\n|---|---|---|---|\n"
_FEATURE: Final = re.compile(r"^## (S\d[a-z]) (.+)$")
_ROW: Final = re.compile(r"^\| *(S\d[a-z]-\d+) *\|(.*)\|(.*)\|(.*)\|$")


@dataclass(frozen=True, slots=True)
class Row:
    """One statement with its proof.

    Attributes:
        feature: the section in which the row is.
        proof: the text of the last column.
    """

    feature: str
    id: str
    statement: str
    source: str
    proof: str

    @property
    def state(self) -> str:
        """The state of the row; '' if the proof names none."""
        noted = next((state for state in STATES[1:] if self.proof.startswith(f"{state}: ")), "")
        return noted or ("proved" if self.proofs else "")

    @property
    def proofs(self) -> list[str]:
        """The titles of stories and names of tests; none if the statement is not proved."""
        found = re.fullmatch(r"`[^`]+`(; `[^`]+`)*", self.proof)
        return re.findall(r"`([^`]+)`", self.proof) if found else []


def rows(text: str) -> list[Row]:
    """Return the rows of all features, in their order."""
    found, feature = [], ""
    for line in text.splitlines():
        if heading := _FEATURE.match(line):
            feature = heading[1]
        elif row := _ROW.match(line):
            found.append(Row(feature, *(cell.strip() for cell in row.groups())))
    return found


def counts(text: str) -> str:
    """Return the table of rows by state, without its head."""
    return "".join(_counted(text))


def _counted(text: str) -> Iterator[str]:
    found = rows(text)
    for feature, title in re.findall(_FEATURE.pattern, text, re.MULTILINE):
        states = [row.state for row in found if row.feature == feature]
        numbers = " | ".join(str(states.count(state)) for state in STATES)
        yield f"| {feature} {title} | {numbers} |\n"


def counted(text: str) -> str:
    """Return the page with its tables of rows by state and of what no feed carries."""
    made = text
    for begin, lines in ((_NOT_CARRIED, table()), (_COUNTS, counts(text))):
        head, _, rest = made.partition(begin)
        made = head + begin + lines + rest[rest.index("\n## ") :]
    return made


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
