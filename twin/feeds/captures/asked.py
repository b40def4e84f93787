"""What a command asks for, and what a complete answer to it would be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from twin.feeds.captures.records import ALL_NAMES, NARROWED, is_verb, without_secrets
from twin.model.messages import CATALOGUE
from twin.mqsc.reader import CommandRead, read_lines
from twin.mqsc.statement import Statement, parse
from twin.mqsc.words import NAMING, OBJECT_SPELLINGS, VERB_SPELLINGS, Naming

HEADINGS: Final = {
    id_: row.of for id_, row in CATALOGUE.items() if row.of is not None and not row.failed
}
"""The message above each row -> the object word of the command, if that is unknown."""

NOTHING: Final = {"CSQM297": ""} | {
    id_: row.of for id_, row in CATALOGUE.items() if row.of is not None and row.failed
}
"""The messages that say that nothing matches -> the object word, if only one has it."""

_NARROWS_NOTHING: Final = frozenset(
    {("TYPE", "ALL"), ("TYPE", "CONN"), ("TYPE", "HANDLE"), ("TYPE", "QUEUE"), ("TYPE", "TOPIC")}
)
_WORDS: Final = 2


class Asked(NamedTuple):
    """A command; the fields are those of ``Capture``.

    Attributes:
        known: whether its syntax is known, so that nothing in it is overlooked.
    """

    command: str = ""
    verb: str = ""
    object: str = ""
    name: str = ""
    asked: tuple[str, ...] = ()
    selected: tuple[tuple[str, str], ...] = ()
    where: str = ""
    known: bool = False

    @property
    def narrows(self) -> list[str]:
        """Why the answer does not show everything with the name asked for."""
        if not self.command:
            return ["the command is unknown"]
        if not self.known:
            return ["the command is not understood"]
        found = [
            f"{NARROWED}{keyword}({value}) was asked for"
            for keyword, value in self.selected
            if value != ALL_NAMES and (keyword, value) not in _NARROWS_NOTHING
        ]
        return [*found, *([f"{NARROWED}WHERE({self.where}) was asked for"] if self.where else [])]


def command_of(lines: Iterable[str]) -> str:
    """Join the typed lines of a command; comments in it are left out."""
    commands = (item for item in read_lines(lines) if isinstance(item, CommandRead))
    return next((command.text.strip() for command in commands), "")


def asked_by(command: str) -> Asked:
    """Read a command, with its secrets masked."""
    if not command:
        return Asked()
    statement = parse(command)
    safe = without_secrets(command)
    if not isinstance(statement, Statement):  # its first words are taken
        words = command.replace("(", " ").split(maxsplit=_WORDS)
        verb = VERB_SPELLINGS.get(words[0].upper(), "") if words else ""
        return Asked(safe, verb, object_word(words[1]) if verb and len(words) > 1 else "")
    selected = tuple(
        (parameter.keyword, ",".join(token.text for token in parameter.values))
        for parameter in statement.parameters
        if parameter.values is not None
    )
    return Asked(
        safe,
        statement.verb,
        statement.object,
        _name(statement),
        tuple(each.keyword for each in statement.parameters if each.values is None),
        selected if statement.verb == "DISPLAY" else (),
        _where(statement),
        known=True,
    )


def is_command(text: str) -> bool:
    """Return whether a text is a command of MQSC without errors."""
    return is_verb(text.partition(" ")[0]) and isinstance(parse(text), Statement)


def _where(statement: Statement) -> str:
    where = statement.where
    return "" if where is None else f"{where.keyword} {where.operator} {where.value}".strip()


def _name(statement: Statement) -> str:
    if statement.name is not None:
        return statement.name.text
    named = NAMING[statement.verb, statement.object] is not Naming.REQUIRED
    return ALL_NAMES if statement.verb == "DISPLAY" and named else ""


def object_word(written: str) -> str:
    """Return the object word that is meant by one of its spellings, in any case."""
    return OBJECT_SPELLINGS.get(word := written.upper(), word)
