"""The difference of two folders of definitions, as the commands that make one out of the other.

New queue managers come first, then what is new or altered, then what is gone, then queue managers
that are gone: so nothing is missing meanwhile. `_ORDER` is that of the objects of a queue manager.
What no command can do is said instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import HIDDEN, Value
from twin.model.commands import Command
from twin.model.objects import Definition, ObjectKey
from twin.model.system_objects import initial_values, system_objects
from twin.mqsc.dump import folded
from twin.mqsc.statement import statement_of
from twin.questions.field_differences import default_of, of_attributes, of_definitions
from twin.review.folders.estates import FolderEstate
from twin.review.plan.composing import altering, altering_qmgr, defining, deleting
from twin.review.plan.planned import PlannedChange, PlannedControl, PlannedScript
from twin.rules.commands.mqsc_commands import read_known

_ORDER: Final = (
    *("NAMELIST", "PROCESS", "AUTHINFO", "QUEUE", "QMGR", "COMMINFO", "LISTENER", "SERVICE"),
    *("CHANNEL", "CLNTCONN", "TOPIC", "SUB", "CHLAUTH", "AUTHREC", "POLICY"),
)
"""The kinds of objects in the order of commands: what others name comes before them.

So does what a queue manager names. Its channels come after it: a full repository has its role
before it joins its cluster (IBM MQ, "Setting up a new cluster"), and gives it up before it leaves.
"""

_QMGR: Final[ObjectKey] = ("QMGR", "")


class FolderDifference(NamedTuple):
    """What one folder says and another does not.

    Attributes:
        changes: the commands, in order; each names the file and line that asks for it.
        notes: what differs and cannot be rehearsed, one line each.
    """

    changes: tuple[PlannedChange, ...]
    notes: tuple[str, ...]


def difference(before: FolderEstate, after: FolderEstate) -> FolderDifference:
    """Return the commands that make the first folder the second."""
    was, now = before.twin.view()[0], after.twin.view()[0]
    places = _places(after)
    changes: list[PlannedChange] = []
    notes: list[str] = []
    for name in sorted(now.qmgrs.keys() - was.qmgrs.keys()):
        qmgr, file = now.qmgrs[name], places.get((name, *_NO_OBJECT), _NOWHERE).file
        given = (f"cmdlevel={qmgr.cmdlevel}", f"platform={qmgr.platform}")
        changes.append(PlannedControl(Command.program(name, "crtmqm"), given, file))
        changes.append(PlannedControl(Command.program(name, "strmqm"), (), file))
    for name in sorted(now.qmgrs):
        work = _QueueManagerChange(was.qmgrs.get(name), now.qmgrs[name], places)
        changes += work.scripts()
        notes += work.notes
    for name in sorted(was.qmgrs.keys() - now.qmgrs.keys()):
        changes += [Command.program(name, verb) for verb in ("endmqm", "dltmqm")]
    return FolderDifference(tuple(changes), tuple(notes))


class _Place(NamedTuple):
    file: str
    line: int


_NOWHERE: Final = _Place("", 0)
_NO_OBJECT: Final[ObjectKey] = ("", "")


def _places(folder: FolderEstate) -> Mapping[tuple[str, str, str], _Place]:
    """Return where the files name each object first, and of each queue manager its first file."""
    places: dict[tuple[str, str, str], _Place] = {}
    for file, observed in zip(folder.files, folder.observed, strict=True):
        places.setdefault((file.qmgr, *_NO_OBJECT), _Place(file.path, 0))
        for event in observed.events:
            for said, line in zip(event.said, event.lines or (), strict=False):
                name = getattr(said, "name", "")
                places.setdefault((file.qmgr, event.kind, name), _Place(file.path, line))
    return places


@dataclass
class _QueueManagerChange:
    """The change of one queue manager; `before` is None for a new one.

    Attributes:
        notes: what cannot be rehearsed, once its scripts were made.
    """

    before: QueueManager | None
    after: QueueManager
    places: Mapping[tuple[str, str, str], _Place]
    notes: list[str] = field(default_factory=list)

    def scripts(self) -> Iterator[PlannedScript]:
        """Yield one script for each command, in order."""
        before, after = self.before, self.after
        usual = system_objects(after.cmdlevel)
        old = usual if before is None else before.definitions
        new = after.definitions
        self._note_identity()
        keys = sorted({*old, *new, _QMGR}, key=lambda key: (_ORDER.index(key[0]), key[1]))
        for key in keys:
            if key == _QMGR:
                yield from self._own()
            elif key in new:
                yield from self._object(old, new, key)
        for key in reversed(keys):
            if key not in new and key != _QMGR:
                yield from self._script(_NO_OBJECT, deleting(after.name, old[key]), old[key].name)

    def _note_identity(self) -> None:
        before, after = self.before, self.after
        if before is None:
            return
        if before.cmdlevel != after.cmdlevel or before.platform != after.platform:
            self.notes.append(
                f"{after.name}: {before.platform} {before.cmdlevel} -> {after.platform} "
                f"{after.cmdlevel} is not rehearsed"
            )
        if before.qmid != after.qmid and before.says_qmid and after.says_qmid:
            self.notes.append(
                f"{after.name} was built again: {before.qmid} -> {after.qmid} is not rehearsed"
            )

    def _own(self) -> Iterator[PlannedScript]:
        name, level = self.after.name, self.after.cmdlevel
        implied: Values = initial_values(name, level=level)
        was = implied if self.before is None else self.before.values
        values = self.after.values
        fields = [each.field for each in of_attributes(self.after, was, values)]
        given = [
            (each, values.get(each, implied.get(each, default_of("QMGR", each)))) for each in fields
        ]
        self._note_hidden(_QMGR, was, values)
        if given:
            yield from self._script(_QMGR, altering_qmgr(name, given), "QMGR")

    def _object(
        self,
        old: Mapping[ObjectKey, Definition],
        new: Mapping[ObjectKey, Definition],
        key: ObjectKey,
    ) -> Iterator[PlannedScript]:
        was, now = old.get(key), new[key]
        if was is not None and not of_definitions(was, now):
            return
        self._note_hidden(key, was.values if was is not None else {}, now.values)
        on = self.after.name
        altered = altering(on, was, now) if was is not None and was.type == now.type else None
        gone = [deleting(on, was)] if altered is None and was is not None else []
        for command in (*gone, altered or defining(on, now, old, new)):
            yield from self._script(key, command, now.name)

    def _note_hidden(
        self, key: ObjectKey, was: Mapping[str, Value], now: Mapping[str, Value]
    ) -> None:
        """Note the passwords that are new: no command sets them, since nobody knows them here."""
        for keyword, value in now.items():
            if value == HIDDEN and was.get(keyword) != HIDDEN:
                self._note(key, key[1] or key[0], keyword)

    def _note(self, key: ObjectKey, name: str, keyword: str) -> None:
        file, line = self._place(key)
        where = f" ({file}:{line})" if line else ""
        self.notes.append(
            f"{self.after.name} {name}{where}: {keyword} differs and is not rehearsed"
        )

    def _place(self, key: ObjectKey) -> _Place:
        name = self.after.name
        place = self.places.get((name, *key)) or self.places.get((name, *_NO_OBJECT))
        return place or _NOWHERE

    def _script(self, key: ObjectKey, command: Command, name: str) -> Iterator[PlannedScript]:
        """Yield a command, without the attributes that cannot be set; these are noted."""
        while (keyword := self._refused(command)) is not None:
            command = command.without(keyword)
            self._note(key, name, keyword)
        given = {keyword for keyword, _ in command.parameters}
        if command.verb != "ALTER" or given - {"CHLTYPE", "AUTHTYPE"}:
            yield PlannedScript(command.on, "\n".join(folded([command.text])), *self._place(key))

    def _refused(self, command: Command) -> str | None:
        """Return the keyword of a parameter that cannot be set; None if there is none."""
        level, platform = self.after.cmdlevel, self.after.platform
        read = read_known(statement_of(command), level=level, platform=platform)
        keyword = read.problem.keyword if read.problem is not None else None
        return keyword if keyword in dict(command.parameters) else None
