"""What the tests of the language share: captures, and the values of a statement."""

import re
from pathlib import Path
from typing import Final

from twin.mqsc.statement import Statement

DATA: Final = Path(__file__).parents[1] / "data" / "mqsc"
SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples"
"""Public data that may be absent: tests that need it skip."""

ECHO: Final = re.compile(r"^(?: {6}|[ \d]{5}\d) :(?: |$)")


def lines_of(name: str) -> list[str]:
    """Return the lines of a copied capture."""
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def typed_in(lines: list[str]) -> str:
    """Return the input of a session as its echo shows it."""
    return "".join(line[9:] + "\n" for line in lines if ECHO.match(line))


def texts_of(statement: Statement) -> dict[str, tuple[str, ...] | None]:
    """Return the texts of a statement's values by keyword."""
    return {
        one.keyword: None if one.values is None else tuple(token.text for token in one.values)
        for one in statement.parameters
    }
