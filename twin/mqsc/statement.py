"""Parse one MQSC command into a ``Statement``, and write it back.

Documented in IBM MQ, Rules for using MQSC commands:

- Any number of blanks and commas separates words; a keyword needs at least one before it.
- Neither a parameter nor its NO form may be repeated, except SIGNER and RECIP of SET POLICY.
- CSQUTIL MAKEDEF of z/OS writes NOREPLACE before the object word [mem].
- Unquoted words are folded to upper case. A quote inside quotes is doubled.

Not documented there: an unquoted value may contain any character except blank, comma, quote and
bracket, and nested brackets as in ``CONNAME(host(1414))``, whose content is kept as typed.

This module does not check which keywords and values an object has.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from twin.model.commands import Command, ParameterValue, quote, quote_if_needed
from twin.mqsc.words import NAMING, OBJECT_SPELLINGS, VERB_SPELLINGS, Naming

_GAP = re.compile(r"[\s,]*")
_WORD = re.compile(r"[^\s,()']+")
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_HEAD = re.compile(rf"(?:{_GAP.pattern}{_WORD.pattern}){{2}}")
_WHERE_WORDS = 3
_BAD_BYTE = "\ufffd"
"""What a decoder writes in place of a byte that is not UTF-8."""

_REPEATABLE = frozenset({"SIGNER", "RECIP"})
_BEFORE_OBJECT = frozenset({("DEFINE", "REPLACE"), ("DEFINE", "NOREPLACE")})


class Token(NamedTuple):
    """One value, without its quotes; an unquoted one is folded to upper case."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword of a command.

    Attributes:
        keyword: in upper case, as written (synonyms are kept).
        values: None without parentheses; one empty token for ``()``.
        end: the index of its end in the text of the command; not compared.
    """

    keyword: str
    values: tuple[Token, ...] | None
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Where:
    """The filter of a DISPLAY: keyword, operator and value; '' for a missing part.

    ``twin.mqsc.filters`` checks whether the operator exists and fits the value.
    """

    keyword: str
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A well-formed command: canonical verb and object word, parameters in their order.

    Attributes:
        name: the name of the object; None if the command has none.
        text: the text of the command; not compared.
        line: the number of the input line that the command starts on, from 1; 0 if it is unknown;
            not compared.
    """

    verb: str
    object: str
    name: Token | None
    parameters: tuple[Parameter, ...]
    where: Where | None
    text: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def head(self) -> str:
        """The text up to the end of its second word, as AMQ8405 shows it for an unknown object."""
        match = _HEAD.match(self.text)
        return match.group() if match else self.text

    def segment(self, parameter: Parameter) -> str:
        """Return the text up to the end of a parameter, as AMQ8405 shows it."""
        return self.text[: parameter.end]


@dataclass(frozen=True, slots=True)
class Malformed:
    """A command with a syntax error.

    Attributes:
        segment: the text up to and including the error, for the second line of AMQ8405.
        text: the complete text of the command.
    """

    segment: str
    text: str


def parse(text: str, *, line: int = 0) -> Statement | Malformed:
    """Read one command, which starts on this line of the input; never raises."""
    if _BAD_BYTE in text:
        return Malformed(text[: text.index(_BAD_BYTE)].strip(), text)
    try:
        return _command(_Scanner(text), line)
    except _Wrong as wrong:
        return Malformed(text[: wrong.end].strip(), text)


def typed_command(on: str, text: str) -> Command:
    """Return a command that somebody typed, to be run as it was typed at a queue manager.

    Its values are what is read; one that is malformed has none.
    """
    parsed = parse(text)
    if isinstance(parsed, Malformed):
        return Command(on, "", "", typed=text)
    name = "" if parsed.name is None else parsed.name.text
    given = tuple((each.keyword, _typed_value(each.values)) for each in parsed.parameters)
    return Command(on, parsed.verb, parsed.object, name, given, text)


def _typed_value(values: tuple[Token, ...] | None) -> ParameterValue:
    texts = tuple(token.text for token in values or ())
    return None if values is None else texts[0] if len(texts) == 1 else texts


def statement_of(command: Command) -> Statement:
    """Return the statement that an MQSC command says, as its text is parsed."""
    parameters = tuple(
        Parameter(keyword, None if value is None else _tokens(value))
        for keyword, value in command.parameters
    )
    name = _tokens(command.name)[0] if command.name else None
    return Statement(command.verb, command.object, name, parameters, None, command.text)


def _tokens(value: str | int | tuple[str, ...]) -> tuple[Token, ...]:
    """Return a value as tokens: a blank for '', no text for ()."""
    texts = (value or ("",)) if isinstance(value, tuple) else (str(value) or " ",)
    return tuple(Token(text, quoted=quote_if_needed(text) != text) for text in texts)


def write(statement: Statement) -> str:
    """Return a statement as one line of MQSC that parses to an equal statement."""
    name = "" if statement.name is None else f"({_written(statement.name)})"
    words = [statement.verb, statement.object + name]
    for parameter in statement.parameters:
        values = parameter.values
        inside = "" if values is None else f"({','.join(_written(value) for value in values)})"
        words.append(parameter.keyword + inside)
    if where := statement.where:
        words.append(f"WHERE({where.keyword} {where.operator} {quote(where.value)})")
    return " ".join(words)


def _written(token: Token) -> str:
    return quote(token.text) if token.quoted else token.text


class _Wrong(Exception):
    """The text has an error that ends at ``end``; never leaves this module."""

    def __init__(self, end: int) -> None:
        self.end = end


class _Scanner:
    """A position in the text of a command."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def gap(self) -> bool:
        """Skip blanks and commas; return whether there were any."""
        start = self.at
        match = _GAP.match(self.text, start)
        self.at = match.end() if match else start
        return self.at > start

    def peek(self) -> str:
        """Return the next character; '' at the end."""
        return self.text[self.at : self.at + 1]

    def word(self) -> str:
        """Take one unquoted word, folded."""
        match = _WORD.match(self.text, self.at)
        if not match:
            raise _Wrong(self.at + 1)
        self.at = match.end()
        return match.group().upper()

    def group(self) -> tuple[Token, ...] | None:
        """Take the values in the parentheses that follow, after any blanks; None if none follow."""
        start = self.at
        self.gap()
        if self.peek() != "(":
            self.at = start
            return None
        self.at += 1
        values: list[Token] = []
        while True:
            self.gap()
            if self.peek() == ")":
                self.at += 1
                return tuple(values) or (Token("", quoted=False),)
            values.append(self._value())

    def _value(self) -> Token:
        """Take one value of a list."""
        if not self.peek():
            raise _Wrong(self.at)
        token = self._quoted() if self.peek() == "'" else self._plain()
        if self.peek() in {"'", "("}:
            raise _Wrong(self.at + 1)
        return token

    def _quoted(self) -> Token:
        match = _QUOTED.match(self.text, self.at)
        if not match:
            raise _Wrong(len(self.text))
        self.at = match.end()
        return Token(match.group(1).replace("''", "'"), quoted=True)

    def _plain(self) -> Token:
        """Take an unquoted value with the brackets that belong to it."""
        value = "" if self.peek() == "(" else self.word()
        after = self.at
        self.gap()
        if self.peek() == "(":
            return Token(value + self._brackets(), quoted=False)
        self.at = after
        return Token(value, quoted=False)

    def _brackets(self) -> str:
        """Take balanced brackets; fold their content and remove its outer blanks, nothing else."""
        start, depth = self.at, 0
        for at in range(start, len(self.text)):
            character = self.text[at]
            if character == "'":
                raise _Wrong(at + 1)
            depth += {"(": 1, ")": -1}.get(character, 0)
            if not depth:
                self.at = at + 1
                return f"({self.text[start + 1 : at].strip()})".upper()
        raise _Wrong(len(self.text))


def _command(scan: _Scanner, line: int) -> Statement:
    scan.gap()
    verb = VERB_SPELLINGS.get(scan.word())
    if verb is None:
        raise _Wrong(scan.at)
    scan.gap()
    word = scan.word()
    early = (Parameter(word, None, scan.at),) if (verb, word) in _BEFORE_OBJECT else ()
    if early:
        scan.gap()
        word = scan.word()
    noun = OBJECT_SPELLINGS.get(word)
    naming = NAMING.get((verb, noun)) if noun else None
    if noun is None or naming is None:
        raise _Wrong(scan.at)
    name = _name(scan, naming)
    parameters = tuple(_unrepeated((*early, *_parameters(scan))))
    where = None
    if verb == "DISPLAY":
        where = _where(parameters)
        parameters = tuple(one for one in parameters if one.keyword != "WHERE")
    return Statement(verb, noun, name, parameters, where, scan.text, line)


def _name(scan: _Scanner, naming: Naming) -> Token | None:
    values = scan.group()
    if values is None:
        if naming is Naming.REQUIRED:
            raise _Wrong(len(scan.text))
        return None
    only = len(values) == 1 and values[0] != Token("", quoted=False)
    if naming is Naming.NONE or not only:
        raise _Wrong(scan.at)
    return values[0]


def _parameters(scan: _Scanner) -> Iterable[Parameter]:
    while True:
        apart = scan.gap()
        if not scan.peek():
            return
        keyword = scan.word()
        if not apart:
            raise _Wrong(scan.at)
        yield Parameter(keyword, scan.group(), scan.at)


def _unrepeated(parameters: Iterable[Parameter]) -> Iterable[Parameter]:
    """Yield parameters; refuse one that may not be repeated, also if it is in its NO form."""
    earlier: set[str] = set()
    for parameter in parameters:
        keyword = parameter.keyword
        if earlier & {keyword, f"NO{keyword}", keyword.removeprefix("NO")}:
            raise _Wrong(parameter.end)
        earlier |= {keyword} - _REPEATABLE
        yield parameter


def _where(parameters: Iterable[Parameter]) -> Where | None:
    for parameter in parameters:
        if parameter.keyword != "WHERE":
            continue
        words = [value.text for value in parameter.values or ()]
        if not words or len(words) > _WHERE_WORDS:
            raise _Wrong(parameter.end)
        return Where(*words, *[""] * (_WHERE_WORDS - len(words)))
    return None
