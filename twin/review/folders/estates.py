"""Read folders of definitions into logs in memory, which are gone when their user is done.

One log has one queue manager of a name. So queue managers of one name go into different estates,
each with those that share a cluster with it. Within one cluster they are a fault: then only the
first of them is in an estate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, NamedTuple

from twin.app.clocks import system_clock
from twin.app.observing import FileText, NotRecorded, Observed
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.feeds.detect import WHY_NOT, FileFormat
from twin.model.amounts import counted
from twin.model.instants import SECOND, Instant
from twin.questions.completeness import missing_names
from twin.review.folders.definition_files import (
    DefinitionFile,
    FolderFiles,
    FolderQmgr,
    definition_files,
    queue_managers_of,
)
from twin.review.folders.rejected_commands import RejectedCommand
from twin.rules.membership import clusters_joined

_IN_MEMORY: Final = "sqlite://"
_SHOWN: Final = 5
"""How many files or names of a kind are named."""


class SeveralEstates(
    TwinError,
    ValueError,
    message="{1} and {2} define two queue managers {0}; give a folder with one of them",
):
    """A folder with queue managers of one name, where one estate is needed."""


class SameName(NamedTuple):
    """A queue manager that is in no estate, because another one of its name is there.

    Attributes:
        kept: the queue manager in the estate.
        left_out: the other one.
        clusters: the clusters that both are in.
    """

    kept: FolderQmgr
    left_out: FolderQmgr
    clusters: tuple[str, ...]


class FolderEstate(NamedTuple):
    """Some queue managers of a folder, in a log in memory.

    Attributes:
        twin: its branch main; it has nothing but what the files say.
        files: their files.
        observed: what each of these files says.
    """

    twin: Twin
    files: tuple[DefinitionFile, ...]
    observed: tuple[Observed, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of its queue managers."""
        return frozenset(self.twin.view()[0].qmgrs)

    @property
    def not_understood(self) -> Iterator[tuple[str, NotRecorded]]:
        """The parts of files that could not be used, each with the path of the file.

        That nothing is left of a script without its rejected commands is no further problem.
        """
        for file, observed in zip(self.files, self.observed, strict=True):
            for problem in observed.not_understood:
                if not (file.rejected and problem.why == WHY_NOT[FileFormat.EMPTY]):
                    yield file.path, problem

    @property
    def lost_commands(self) -> int:
        """The number of commands that could not be used at all."""
        return sum(observed.counts["not understood"] for observed in self.observed)


class Folder(NamedTuple):
    """A folder as it was read.

    Attributes:
        path: the folder.
        estates: its estates; one unless queue managers have one name.
        same_names: the queue managers that are in none.
        files: all its files.
    """

    path: str
    estates: tuple[FolderEstate, ...]
    same_names: tuple[SameName, ...]
    files: FolderFiles

    @property
    def undefined(self) -> dict[str, str]:
        """The queue managers of which files define nothing, each with the path of the file."""
        present = self._names()
        named = {file.qmgr: file.path for file in self.files.files} | {**self.files.empty}
        return {name: path for name, path in named.items() if name not in present}

    @property
    def lost_commands(self) -> int:
        """The number of commands that could not be used at all."""
        return sum(estate.lost_commands for estate in self.estates)

    @property
    def rejected(self) -> Iterator[tuple[DefinitionFile, RejectedCommand]]:
        """The commands of scripts that runmqsc would reject, each with its file."""
        for file in self.files.files:
            yield from ((file, command) for command in file.rejected)

    def single(self) -> FolderEstate:
        """Return its only estate.

        Raises:
            SeveralEstates: if two queue managers have one name.
        """
        paths: dict[str, str] = {}
        for name, path in self._by_path():
            if (one := paths.setdefault(name, path)) != path:
                raise SeveralEstates(name, one, path)
        return self.estates[0]

    def _by_path(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the first file of each queue manager."""
        for estate in self.estates:
            yield from {file.qmgr: file.path for file in reversed(estate.files)}.items()
        yield from ((each.left_out.name, each.left_out.path) for each in self.same_names)

    def notes(self) -> list[str]:
        """Return lines about what is assumed, what was not read, and what is missing."""
        what = counted(sum(len(estate.names) for estate in self.estates), "queue manager")
        lines = [f"{what} as the files in {self.path} define them, taken as running and connected"]
        if without := sorted({*self.files.passed_over, *self.undefined.values()}):
            lines.append(f"without definitions: {_some(without)}")
        for estate in self.estates:
            for path, problem in estate.not_understood:
                text = f": {problem.text}" if problem.text else ""
                lines.append(f"{path}:{problem.line}: {problem.why}{text}")
        lines += [
            f"not examined: {_some(file.path for file in each.left_out.files)}, since "
            f"{each.kept.path} is of another queue manager {each.kept.name}"
            for each in self.same_names
        ]
        if missing := sorted(set(self._missing())):
            lines.append(f"named, and not in {self.path}: {_some(missing)}")
        return lines

    def _names(self) -> frozenset[str]:
        return frozenset[str]().union(*(estate.names for estate in self.estates))

    def _missing(self) -> Iterator[str]:
        present = self._names()
        for estate in self.estates:
            names = missing_names(estate.twin.view()[0])  # guessed ones end with a question mark
            yield from (name for name in names if name.rstrip("?") not in present)


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


@contextmanager
def opened_folder(
    path: str, texts: Iterable[FileText], *, at: Instant | None = None
) -> Iterator[Folder]:
    """Read the files of a folder into memory, as observations of an instant.

    This is by default the present second: all files are true at once, and nothing of an answer is
    more exact than that.

    Raises:
        NoDefinitions, NoDefinitionFile, NamelessScript, AmbiguousFiles: if they cannot be used.
    """
    files = definition_files(path, texts)
    with ExitStack() as opened:
        yield _read(path, files, opened, this_second() if at is None else at)


def this_second() -> Instant:
    """Return the beginning of the present second."""
    now = system_clock()
    return now - now % SECOND


def _read(path: str, files: FolderFiles, opened: ExitStack, at: Instant) -> Folder:
    qmgrs = queue_managers_of(files.files)
    groups, same_names = [qmgrs], list[SameName]()
    if len({each.name for each in qmgrs}) < len(qmgrs):
        groups, same_names = _divided(qmgrs, at)
    estates = tuple(_estate(group, opened, at) for group in groups)
    return Folder(path, estates, tuple(same_names), files)


def _estate(qmgrs: Sequence[FolderQmgr], opened: ExitStack, at: Instant) -> FolderEstate:
    files = tuple(file for qmgr in qmgrs for file in qmgr.files)
    twin = opened.enter_context(Twin.open(_IN_MEMORY, clock=lambda: at))
    return FolderEstate(twin, files, tuple(twin.ingest_files([each.file for each in files])))


def _divided(
    qmgrs: Sequence[FolderQmgr], at: Instant
) -> tuple[list[list[FolderQmgr]], list[SameName]]:
    """Divide queue managers so that no name comes twice, and clusters stay whole."""
    clusters = _clusters(qmgrs, at)
    groups: list[list[FolderQmgr]] = []
    same_names: list[SameName] = []
    for connected in _connected(qmgrs, clusters):
        first: dict[str, FolderQmgr] = {}
        for qmgr in connected:
            if (kept := first.setdefault(qmgr.name, qmgr)) is not qmgr:
                both = sorted(clusters[kept] & clusters[qmgr])
                same_names.append(SameName(kept, qmgr, tuple(both)))
        fitting = (each for each in groups if first.keys().isdisjoint(one.name for one in each))
        group = next(fitting, None)
        if group is None:
            groups.append(group := [])
        group += first.values()
    return groups, same_names


def _clusters(qmgrs: Sequence[FolderQmgr], at: Instant) -> Mapping[FolderQmgr, frozenset[str]]:
    """Return the clusters that each queue manager is in; queue managers may have one name."""
    clusters: dict[FolderQmgr, frozenset[str]] = {}
    rest = list(qmgrs)
    while rest:
        distinct = {each.name: each for each in reversed(rest)}
        with ExitStack() as opened:
            estate, _ = _estate(list(distinct.values()), opened, at).twin.view()
            for name, qmgr in distinct.items():
                known = estate.qmgrs.get(name)
                clusters[qmgr] = frozenset(clusters_joined(known) if known else ())
        rest = [each for each in rest if each not in clusters]
    return clusters


def _connected(
    qmgrs: Sequence[FolderQmgr], clusters: Mapping[FolderQmgr, frozenset[str]]
) -> list[list[FolderQmgr]]:
    """Group queue managers by the clusters that connect them, in the order of their files."""
    groups: list[tuple[set[str], list[FolderQmgr]]] = []
    for qmgr in qmgrs:
        mine = [each for each in groups if not each[0].isdisjoint(clusters[qmgr])]
        rest = [each for each in groups if each[0].isdisjoint(clusters[qmgr])]
        names = set(clusters[qmgr]).union(*(names for names, _ in mine))
        groups = [*rest, (names, [*(each for _, members in mine for each in members), qmgr])]
    ordered = [sorted(members, key=lambda each: each.path) for _, members in groups]
    return sorted(ordered, key=lambda members: members[0].path)
