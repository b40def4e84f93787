"""The JSON form of MQSC commands, `runCommandJSON` of mqweb, written as MQSC.

Sources: IBM MQ 9.4, "POST /admin/action/qmgr/{qmgrName}/mqsc"; for the spellings that clients send,
IBM's Ansible command files, KEDA and MKurator:

- Keys and enumerated values may have any case. Other values keep their case and need no quotes.
- A number may be a number or a string. A list is an array; one string is a list of one.
- A keyword without a value is a key with the value `yes`; `no` stands for the opposite keyword.
- `where` has the text in the parentheses of WHERE.
- A value that brings its own parentheses and quotes, `('...')`, loses them.

Own decision: a control character is refused, because a quoted string of MQSC has only one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from twin.errors import TwinError
from twin.model.attributes import BARE, TYPES, Choice, Choices, Flag, options_of
from twin.model.commands import quote
from twin.mqsc.statement import Statement, parse
from twin.mqsc.words import NAMING, OBJECT_SPELLINGS, VERB_SPELLINGS, Naming

_RESPONSE: Final = "responseParameters"
JSON_KEYS: Final = ("type", "command", "qualifier", "name", "parameters", _RESPONSE)
"""The keys of a command; only DISPLAY has the last one."""

_EXPECTED: Final = f"{', '.join(JSON_KEYS[:-1])}, and {_RESPONSE} of DISPLAY"
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_FIRST: Final = ("CHLTYPE", "AUTHTYPE", "TYPE", "TRPTYPE")
"""Keywords that MQSC wants directly after the name."""

_WORDS: Final = frozenset(
    {"AUTHTYPE", "CHLTYPE", "DURABLE", "MATCH", "OBJTYPE", "OPENTYPE", "QTYPE", "SUBTYPE", "TYPE"}
)
"""Keywords whose value is a word in every command."""

_SHOWING: Final = frozenset({"ALL", "CLUSINFO", "CURRENT", "MONITOR", "SAVED", "SHORT"})
"""Keywords of DISPLAY without a value that stand among the parameters."""


class BadJsonCommand(TwinError, ValueError):
    """A JSON object that is not the JSON form of a command."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def command_text(request: Mapping[str, Any]) -> str:
    """Return the MQSC of a command in JSON; its syntax is not checked further.

    Raises:
        BadJsonCommand: if it has other keys or types than the JSON form.
    """
    verb = _word(request.get("command"), "command")
    noun = _word(request.get("qualifier"), "qualifier")
    shows = VERB_SPELLINGS.get(verb) == "DISPLAY"
    for key in request:
        if key not in JSON_KEYS or (key == _RESPONSE and not shows):
            raise BadJsonCommand(key, f"unexpected; expected {_EXPECTED}")
    words = [verb, noun + _name(request.get("name"), verb, noun)]
    parameters = _object(request.get("parameters"))
    given = {_word(key, "key of parameters"): value for key, value in parameters.items()}
    if len(given) != len(parameters):
        raise BadJsonCommand(place="parameters", problem="a keyword is given twice")
    ordered = sorted(given, key=lambda each: _FIRST.index(each) if each in _FIRST else len(_FIRST))
    words += _parameters(verb, noun, {keyword: given[keyword] for keyword in ordered})
    words += [each for each in _wanted(request.get(_RESPONSE)) if each not in given]
    return " ".join(words)


def _word(value: object, place: str) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        raise BadJsonCommand(place, f"{value!r} is not a word of MQSC")
    return value.upper()


def _object(value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadJsonCommand(place="parameters", problem="expected an object")
    return value


def _name(value: object, verb: str, noun: str) -> str:
    """Return the name in parentheses; a DISPLAY that needs a name gets `*`."""
    if value is not None and not isinstance(value, str):
        raise BadJsonCommand(place="name", problem="expected a string")
    if value:
        return f"({quote(_text(value, 'name'))})"
    naming = NAMING.get((VERB_SPELLINGS.get(verb, ""), OBJECT_SPELLINGS.get(noun, "")))
    if naming is Naming.REQUIRED:
        raise BadJsonCommand(place="name", problem=f"{verb} {noun} needs one")
    return ""


def _wanted(value: object) -> Iterator[str]:
    """Go through the response parameters, each once."""
    if not isinstance(value, list | None):
        raise BadJsonCommand(_RESPONSE, "expected an array")
    yield from dict.fromkeys(_word(each, _RESPONSE) for each in value or ())


def _parameters(verb: str, noun: str, given: Mapping[str, object]) -> Iterable[str]:
    """Write the parameters; a keyword and the `no` of its opposite are one word."""
    source: dict[str, str] = {}
    for keyword, value in given.items():
        for word in _parameter(verb, noun, keyword, value):
            if first := source.get(word):
                raise BadJsonCommand(keyword, f"{word} is given twice, by {first} and {keyword}")
            source[word] = keyword
    return source


def _parameter(verb: str, noun: str, keyword: str, value: object) -> Iterator[str]:
    """Write one parameter; none for a DISPLAY keyword that is switched off."""
    if keyword == "WHERE":
        yield _where(value)
        return
    values = [_scalar(each, keyword) for each in (value if isinstance(value, list) else [value])]
    opposite = _bare(verb, noun).get(keyword)
    if opposite is not None:
        if isinstance(value, list) or values[0].upper() not in {"YES", "NO"}:
            raise BadJsonCommand(keyword, "expected 'yes' or 'no', since it takes no value")
        if word := keyword if values[0].upper() == "YES" else opposite:
            yield word
        return
    is_word = keyword in _WORDS or keyword in _enumerated(verb, noun)
    written = [_written(text, is_word=is_word) for text in values]
    yield f"{keyword}({','.join(written) or quote(' ')})"


def _scalar(value: object, keyword: str) -> str:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _text(value, keyword)
    raise BadJsonCommand(keyword, "expected a string, an integer, or an array of them")


def _text(value: str, place: str) -> str:
    if _CONTROL.search(value):
        raise BadJsonCommand(place, "has a control character")
    return value


def _written(text: str, *, is_word: bool) -> str:
    if text.isascii() and (text.isdigit() or (is_word and _WORD.fullmatch(text))):
        return text.upper()
    if text.startswith("('") and text.endswith("')") and len(text) > len("('')"):
        text = text[2:-2].replace("''", "'")
    return quote(text)


def _where(value: object) -> str:
    """Write a filter; its text must be a filter and nothing else."""
    if not isinstance(value, str):
        raise BadJsonCommand(place="where", problem="expected a string")
    written = f"WHERE({_text(value, 'where')})"
    statement = parse(f"DISPLAY QUEUE(*) {written}")
    if not isinstance(statement, Statement) or statement.parameters or statement.where is None:
        raise BadJsonCommand(place="where", problem="expected a keyword, an operator and a value")
    return written


@cache
def _bare(verb: str, noun: str) -> Mapping[str, str]:
    """Return the keywords that take no value, each with its opposite; '' if it has none."""
    canonical, word = VERB_SPELLINGS.get(verb, ""), OBJECT_SPELLINGS.get(noun, "")
    if canonical == "DISPLAY":
        return MappingProxyType(dict.fromkeys(_SHOWING, ""))
    options = options_of(canonical, word)
    words = [keyword for keyword, form in options.items() if form is BARE]
    bare = {keyword: _opposite(keyword, words) for keyword in words}
    for table in TYPES.values():
        if word not in {table.name, table.kind}:
            continue
        for attribute in table.attributes:
            if isinstance(attribute.form, Flag):
                on, off = attribute.keywords
                bare |= {on: off, off: on}
    return MappingProxyType(bare)


def _opposite(keyword: str, words: list[str]) -> str:
    other = keyword.removeprefix("NO") if keyword.startswith("NO") else f"NO{keyword}"
    return other if other in words else ""


@cache
def _enumerated(verb: str, noun: str) -> frozenset[str]:
    """Return the keywords of a command whose value is one of a few words."""
    word = OBJECT_SPELLINGS.get(noun, "")
    forms = dict(options_of(VERB_SPELLINGS.get(verb, ""), word))
    for table in TYPES.values():
        if word in {table.name, table.kind}:
            forms |= {attribute.keyword: attribute.form for attribute in table.attributes}
    return frozenset(key for key, form in forms.items() if isinstance(form, Choice | Choices))
