"""The definitions of one queue manager after the commands of one file.

A script adds to what is known: a DEFINE starts from its known template (or LIKE), an ALTER from the
known object. A dump is complete for the objects that it names: a DEFINE starts from the product's
own template. An unknown keyword is reported and ignored, not its command; in a dump, so is every
keyword that cannot be read.

An observation says what exists. So a DEFINE without REPLACE counts even if the object is known and
differs: when the file was run or made, the object did not exist or was different.

Sources: IBM MQ 9.4, the pages of DEFINE, ALTER, DELETE and SET; dmpmqcfg without `-a` of a 9.3.1
queue manager leaves out what is at the default of the type, for a QMODEL also DEFSOPT(SHARED), and
writes a password that is set as a comment line.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from twin.events import StatedObject
from twin.feeds.captures.records import without_secret
from twin.feeds.commands import FileCommand
from twin.feeds.observed import NotRecorded, PassedOver
from twin.model.attributes import (
    HIDDEN,
    TYPES,
    ZOS_ONLY,
    Given,
    Problem,
    Reading,
    Value,
    conflict,
    read_options,
    read_values,
    sparse,
    template_of,
)
from twin.model.names import legal_name, name_limit
from twin.model.objects import (
    RECORDS,
    ObjectKey,
    granted,
    identified,
    record_name,
    removed,
)
from twin.model.observed_objects import ALL, EVERY_LEVEL, ObjectValues
from twin.model.system_objects import system_objects
from twin.mqsc.masking import masked_text
from twin.mqsc.statement import Malformed, Parameter, Statement


class NotTaken(Exception):
    """A command cannot be used; the error never leaves this room."""


def name_in(statement: Statement) -> str:
    """Return the name in a statement, '' if it has none."""
    return statement.name.text if statement.name else ""


def object_in(statement: Statement) -> tuple[str, ObjectKey]:
    """Return the type of the object of a DEFINE or ALTER, and the object.

    Raises:
        NotTaken: when it is a channel without a type.
    """
    type_name = statement.object
    if type_name == "CHANNEL":
        types = _values(statement, "CHLTYPE")
        type_name = types[0] if types else ""
        if type_name not in TYPES or TYPES[type_name].word != "CHANNEL":
            message = "CHLTYPE is missing or is not a channel type"
            raise NotTaken(message)
    return type_name, (TYPES[type_name].kind, name_in(statement))


def deleted_in(statement: Statement, known: Container[ObjectKey]) -> ObjectKey:
    """Return the object of a DELETE: a client channel if the command says so or no other fits."""
    name = name_in(statement)
    if statement.object != "CHANNEL":
        return (TYPES[statement.object].kind, name)
    if "CLNTTAB" in _values(statement, "CHLTABLE") or ("CHANNEL", name) not in known:
        return ("CLNTCONN", name)
    return ("CHANNEL", name)


def segment(statement: Statement, parameter: Parameter) -> str:
    """Write one parameter of a statement, with the verb and the object."""
    values = "" if parameter.values is None else f"({','.join(v.text for v in parameter.values)})"
    name = f"({name_in(statement)})" if statement.name else ""
    return f"{statement.verb} {statement.object}{name} {parameter.keyword}{values}"


def _values(statement: Statement, keyword: str) -> list[str]:
    return [
        value.text.upper()
        for parameter in statement.parameters
        if parameter.keyword == keyword
        for value in parameter.values or ()
    ]


QMGR_KEY: Final[ObjectKey] = ("QMGR", "")
"""The queue manager itself, among the objects that a file names."""

_CUT: Final = 72
_FREE_NAMES: Final = frozenset({"SUB", *RECORDS})
"""Kinds whose names need not follow the rules for object names."""

_LEFT_OUT: Final[Mapping[str, Mapping[str, Value]]] = {"QMODEL": {"DEFSOPT": "SHARED"}}
"""Values that a dump omits although the product's template differs, by type."""

_MODELLED: Final = frozenset({*TYPES, "CHANNEL"})
"""The object words of commands that define something; a STGCLASS of z/OS is passed over."""

_KEPT: Final = "is a word that is not known; it is kept as given"

_WHY_MALFORMED: Final = ("is longer than MQSC allows", "is not an MQSC command from here on")


@dataclass(slots=True)
class ResultingObjects:
    """The definitions of a file so far, applied to what is known.

    Attributes:
        qmgr: the queue manager's name, which is the profile of its authority records.
        level: its command level.
        whole: whether the file is a dump.
        before: the known objects.
        known: the known attributes of the queue manager itself.
        objects: all objects, known ones and those of the file.
        own: the attributes of the queue manager itself that the file sets.
        given: the objects that the file names, in its order.
        lines: for each of those objects, and for `QMGR_KEY`, the line of the first command that set
            it, from 1.
        said: what a script says, command by command, with the kind and the line of each.
        has_malformed: whether a command could not be parsed.
        faults: the parts that could not be used.
        passed_over: the commands that define nothing.
    """

    qmgr: str
    level: int
    whole: bool
    before: Mapping[ObjectKey, ObjectValues]
    known: Mapping[str, Value] = field(default_factory=dict)
    objects: dict[ObjectKey, ObjectValues] = field(init=False)
    own: dict[str, Value] = field(default_factory=dict)
    given: dict[ObjectKey, None] = field(default_factory=dict)
    said: list[tuple[str, StatedObject, int]] = field(default_factory=list)
    lines: dict[ObjectKey, int] = field(default_factory=dict)
    has_malformed: bool = False
    faults: list[NotRecorded] = field(default_factory=list)
    passed_over: list[PassedOver] = field(default_factory=list)
    _line: int = 0

    def __post_init__(self) -> None:
        self.objects = dict(self.before)

    def take(self, command: FileCommand) -> str:
        """Apply one command; return its outcome, as `Observed.counts` names it."""
        statement, self._line = command.parsed, command.line
        if isinstance(statement, Malformed) or (command.too_long and not self.whole):
            self.has_malformed = True
            wrong = statement.segment if isinstance(statement, Malformed) else ""
            self._fault(command, wrong or command.text, _WHY_MALFORMED[not command.too_long])
            return "not understood"
        carry_out = _VERBS.get(statement.verb)
        if carry_out is None or statement.object not in _MODELLED:
            name = statement.name.text if statement.name else ""
            words = f"{statement.verb} {statement.object}"
            self.passed_over.append(PassedOver(command.line, words, name))
            return "passed over"
        try:
            carry_out(self, command, statement)
        except NotTaken as why:
            self._fault(command, command.text, str(why))
            return "not understood"
        return "taken"

    def define(self, command: FileCommand, statement: Statement) -> None:
        """Define an object."""
        type_name, key = object_in(statement)
        self.given.setdefault(key)
        if key[0] not in _FREE_NAMES and not legal_name(key[1], limit=name_limit(key[0])):
            message = f"{key[1]!r} is not a legal name"
            raise NotTaken(message)
        reading = self._read(command, statement, type_name, altering=False)
        source = str(reading.options.get("LIKE", "")) or template_of(type_name, reading.values)
        self._say("define", key, type_name, reading.values, base=source)
        self._store(key, type_name, {**self._base(type_name, reading), **reading.values})

    def alter(self, command: FileCommand, statement: Statement) -> None:
        """Change a known object, an object of the file, or the queue manager."""
        if statement.object == "QMGR":
            reading = self._read(command, statement, "QMGR", altering=True)
            self._say("alter", QMGR_KEY, "QMGR", reading.values)
            known = {} if self.whole else self.known
            _agree("QMGR", {**known, **self.own, **reading.values})
            self.own.update(reading.values)
            self.lines.setdefault(QMGR_KEY, self._line)
            return
        type_name, key = object_in(statement)
        self.given.setdefault(key)
        reading = self._read(command, statement, type_name, altering=True)
        self._say("alter", key, type_name, reading.values)
        self._store(key, type_name, {**self._known(type_name, key).values, **reading.values})

    def delete(self, command: FileCommand, statement: Statement) -> None:
        """Remove an object, if it exists."""
        if statement.object in RECORDS:
            reading = self._read(command, statement, statement.object, altering=False)
            self._remove(statement, reading, action="REMOVE")
            return
        type_name = "" if statement.object == "CHANNEL" else statement.object
        self._say("delete", self._surely_deleted(statement), type_name, {})
        key = deleted_in(statement, self.objects)
        if key not in self.objects:
            return
        type_name = self.objects[key].type
        if statement.object not in {"CHANNEL", type_name}:
            message = f"{key[1]} is a {type_name}"
            raise NotTaken(message)
        if problem := read_options("DELETE", type_name, statement.parameters).problem:
            raise NotTaken(problem.text)
        self._drop(key)

    def set_record(self, command: FileCommand, statement: Statement) -> None:
        """Set or remove a record."""
        kind = statement.object
        reading = self._read(command, statement, kind, altering=False)
        action = str(reading.options.get("ACTION", "ADD"))
        if action.startswith("REMOVE"):
            self._remove(statement, reading, action=action)
            return
        profile, values = self._profile(statement, reading), dict(reading.values)
        key = (kind, record_name(kind, profile, values))
        if kind == "AUTHREC":
            self._say("alter", key, kind, identified(kind, profile, values))
            fresh = self.whole and key not in self.given
            before = self.objects.get(key)
            values = granted(values, before.values if before and not fresh else {})
        stated = identified(kind, profile, values)
        self._store(key, kind, stated)
        if kind != "AUTHREC":
            self._say("define", key, kind, sparse(kind, stated))

    def _profile(self, statement: Statement, reading: Reading) -> str:
        return name_in(statement) or str(reading.values.get("PROFILE", self.qmgr))

    def _remove(self, statement: Statement, reading: Reading, *, action: str) -> None:
        kind, profile = statement.object, self._profile(statement, reading)
        name = record_name(kind, profile, reading.values)
        if action == "REMOVEALL":
            name = f"{profile} {reading.values.get('TYPE', '')}".rstrip()
        base = ALL if action == "REMOVEALL" else ""
        self._say("delete", (kind, name), kind, {}, base=base)
        names = [name for other, name in self.objects if other == kind]
        for name in removed(kind, profile, reading.values, action=action, among=names):
            self._drop((kind, name))

    def _read(
        self, command: FileCommand, statement: Statement, type_name: str, *, altering: bool
    ) -> Reading:
        """Read the keywords of a statement; ignore unknown ones, and in a dump also wrong values.

        What the tables do not have is kept as given: attributes of z/OS and of later releases, and
        CipherSpecs.
        """
        level = EVERY_LEVEL if self.whole else self.level
        name, parameters = name_in(statement), list(statement.parameters)
        kept: dict[str, Value] = {}
        while True:
            reading = read_values(type_name, parameters, altering=altering, level=level, name=name)
            problem = reading.problem
            if problem is None or (self.whole and problem.kind == "missing"):
                secrets = {key: HIDDEN for key, value in command.shown.items() if value == HIDDEN}
                return Reading(_safe({**secrets, **reading.values, **kept}), reading.options)
            unknown = [each for each in parameters if each.keyword == problem.keyword]
            if unknown and _is_kept(problem, type_name):
                kept[problem.keyword] = str(Given().read(unknown[0].values or ()))
                parameters.remove(unknown[0])
                if problem.kind == "bad-value":
                    self._fault(command, segment(statement, unknown[0]), _KEPT)
                continue
            ignored = self.whole or problem.kind == "unknown-keyword"
            if not ignored or problem.kind == "exclusive" or not unknown:
                raise NotTaken(problem.text)
            parameters = [each for each in parameters if each.keyword != problem.keyword]
            self._fault(command, segment(statement, unknown[0]), problem.text)

    def _base(self, type_name: str, reading: Reading) -> Mapping[str, Value]:
        """Return the values that a DEFINE starts from."""
        kind = TYPES[type_name].kind
        source = (kind, template_of(type_name, reading.values))
        if like := str(reading.options.get("LIKE", "")):
            source = (kind, like)
            self._known(type_name, source)
        if self.whole and not like:
            template = system_objects(self.level).get(source)
            return {**(template.values if template else {}), **_LEFT_OUT.get(type_name, {})}
        base = self.objects.get(source)
        return base.values if base is not None and base.type == type_name else {}

    def _surely_deleted(self, statement: Statement) -> ObjectKey:
        """Return the object of a DELETE as far as the file itself tells.

        Whether a channel or a client channel is meant may depend on what is known.
        """
        name = name_in(statement)
        own = {kind for kind, said, _ in self.said if (said.act, said.name) == ("define", name)}
        known = () if "CLNTCONN" in own and "CHANNEL" not in own else (("CHANNEL", name),)
        return deleted_in(statement, known)

    def _say(
        self,
        act: Literal["define", "alter", "delete"],
        key: ObjectKey,
        type_name: str,
        values: Mapping[str, Value],
        *,
        base: str = "",
    ) -> None:
        """Note what a command of a script says, whatever is known."""
        said = StatedObject(act=act, name=key[1], type=type_name, base=base, values=dict(values))
        self.said.append((key[0], said, self._line))

    def _known(self, type_name: str, key: ObjectKey) -> ObjectValues:
        known = self.objects.get(key)
        if known is None:
            message = f"unknown {key[0]} {key[1]}"
            raise NotTaken(message)
        if known.type != type_name:
            message = f"{key[1]} is a {known.type}"
            raise NotTaken(message)
        return known

    def _store(self, key: ObjectKey, type_name: str, values: Mapping[str, Value]) -> None:
        _agree(type_name, values)
        self.given.setdefault(key)
        self.lines.setdefault(key, self._line)
        self.objects[key] = ObjectValues(type_name, sparse(type_name, values))

    def _drop(self, key: ObjectKey) -> None:
        self.given.setdefault(key)
        self.lines.setdefault(key, self._line)
        self.objects.pop(key, None)

    def _fault(self, command: FileCommand, text: str, why: str) -> None:
        short = masked_text(text.strip())
        short = short if len(short) <= _CUT else short[: _CUT - 3] + "..."
        self.faults.append(NotRecorded(command.line, short, masked_text(why)))


def _safe(values: Mapping[str, Value]) -> dict[str, Value]:
    """Hide the passwords in URLs and settings, as in an answer to DISPLAY."""
    return {keyword: _safe_value(keyword, value) for keyword, value in values.items()}


def _safe_value(keyword: str, value: Value) -> Value:
    if isinstance(value, str):
        return without_secret(keyword, value)
    if isinstance(value, tuple):
        return tuple(without_secret(keyword, each) for each in value)
    return value


def _is_kept(problem: Problem, type_name: str) -> bool:
    word = problem.keyword == "APPLTYPE" and problem.kind == "bad-value"
    if word or problem.kind == "unknown-cipherspec" or problem.keyword in ZOS_ONLY:
        return True
    return problem.kind == "unknown-keyword" and TYPES[type_name].kept


def _agree(type_name: str, values: Mapping[str, Value]) -> None:
    if problem := conflict(type_name, values):
        raise NotTaken(problem.text)


_VERBS: Final[Mapping[str, Callable[[ResultingObjects, FileCommand, Statement], None]]] = {
    "DEFINE": ResultingObjects.define,
    "ALTER": ResultingObjects.alter,
    "DELETE": ResultingObjects.delete,
    "SET": ResultingObjects.set_record,
}
