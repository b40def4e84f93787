"""Where an estate breaks the laws of truth: each difference with its law and its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tests.truth.comparing import Cell
from tests.truth.measure import Measured

FALSE_SIGHT: Final = "what is called observed is true"
TURNED_WRONG: Final = "what is true with fewer files is true with more"
INVENTED: Final = "more files invent nothing"
FALSE: Final = "no warning, plan or runbook is false"
HIDDEN: Final = "what a file shows comes out"
MISSED: Final = "what is wrong and was shown is told"
LOOP: Final = "what is written out whole and imported is the same"


class Broken(NamedTuple):
    """One difference between an answer and the truth that breaks a law.

    Attributes:
        law: the law.
        question: the question, or the id of the rule of the doctor.
        column: the column; '' of a finding.
        basis: what the answer says that it rests on.
        text: the difference in words.
        marks: what it is about besides: what is `later` on a branch, what a queue manager holds
            that was `unasked`, or one with a link that is `cut`.
    """

    law: str
    question: str
    column: str
    basis: str
    text: str
    marks: frozenset[str] = frozenset()


def broken(measured: Measured) -> Iterator[Broken]:
    """Yield where an estate breaks the laws."""
    for law, cells in (
        (FALSE_SIGHT, measured.false_sights),
        (TURNED_WRONG, measured.lost),
        (INVENTED, measured.invented),
        (HIDDEN, measured.hidden),
    ):
        for cell in cells:
            yield _of_cell(law, cell)
    for law, findings in ((FALSE, measured.false), (MISSED, measured.missed)):
        for finding in findings:
            yield Broken(law, finding.partition(" ")[0], "", "", finding)


def _of_cell(law: str, cell: Cell) -> Broken:
    question = cell.question.split()[-1]
    text = f"{cell.question} {cell.key}: {cell.column} is {cell.told!r}, and {cell.true!r} is true"
    return Broken(law, question, cell.column, cell.basis, text)
