"""The files of a folder that define queue managers, and which queue manager each of them is of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from twin.app.observing import FileText
from twin.errors import SubjectError, TwinError
from twin.feeds.commands import header_of
from twin.feeds.definitions import observe
from twin.feeds.detect import WHY_NOT, FileFormat, detect, may_be_script
from twin.fold.estate import Estate
from twin.model.names import legal_name
from twin.model.platforms import DEFAULT_LEVEL
from twin.review.folders.rejected_commands import (
    RejectedCommand,
    rejected_commands,
    without_rejected,
)

_DEFINITIONS: Final = frozenset({FileFormat.MQSC_SCRIPT, FileFormat.DMPMQCFG})
_SUFFIX: Final = ".mqsc"
"""A file of this suffix has definitions, or its folder is not used."""

_SCRIPTS: Final = (_SUFFIX, ".mqsc.txt", ".mqs", ".tst")
"""A file of these suffixes is a script if any command in it begins as MQSC does.

IBM's samples end with .tst (IBM MQ 9.4, "Sample MQSC command files").
"""


class NoDefinitions(
    SubjectError, ValueError, message="{} has no script and no dump of a queue manager"
):
    """A folder in which no file defines a queue manager."""


class NoDefinitionFile(TwinError, ValueError, message="{} {}"):
    """A file that should define a queue manager, by its name or its header, and does not."""


class NamelessScript(
    SubjectError,
    ValueError,
    message="{} names no queue manager; name the file after its queue manager, such as QM1.mqsc",
):
    """A script whose file name is not that of a queue manager."""


class AmbiguousFiles(
    TwinError,
    ValueError,
    message="{1} and {2} both define {0}, and their QMIDs do not tell whether that is "
    "one queue manager; keep one file for each queue manager",
):
    """Two files of one queue manager name, and nothing says whether they are of one."""


class DefinitionFile(NamedTuple):
    """A script or a dump of one queue manager.

    Attributes:
        file: the file; a script without the commands that runmqsc would reject.
        qmgr: the queue manager.
        is_dump: whether it is a dump.
        rejected: the commands of a script that runmqsc would reject.
    """

    file: FileText
    qmgr: str
    is_dump: bool
    rejected: tuple[RejectedCommand, ...] = ()

    @property
    def path(self) -> str:
        """Its path as given."""
        return self.file.file or ""

    @property
    def folder(self) -> str:
        """The folder that it is in."""
        return str(Path(self.path).parent)

    def qmid(self) -> str:
        """Read the QMID of a dump; '' for a script, or if the dump does not say it."""
        if not self.is_dump:
            return ""
        events = observe(self.file.text, qmgr=None, estate=Estate()).events
        return next((event.qmid for event in events if event.qmid), "")


class FolderFiles(NamedTuple):
    """The files of a folder.

    Attributes:
        files: those that define queue managers, in the order of their paths.
        passed_over: the paths of those that do not.
        empty: the name of a queue manager -> the path of a file after its name without a command.
    """

    files: tuple[DefinitionFile, ...]
    passed_over: tuple[str, ...]
    empty: Mapping[str, str]


class FolderQmgr(NamedTuple):
    """A queue manager of a folder: its name, its QMID if a dump says it, and its files."""

    name: str
    qmid: str
    files: tuple[DefinitionFile, ...]

    @property
    def path(self) -> str:
        """The path of its first file."""
        return self.files[0].path


def definition_files(folder: str, texts: Iterable[FileText]) -> FolderFiles:
    """Return the files that define queue managers.

    A dump names its queue manager. A script belongs to the queue manager that `otherwise` names,
    which is that of its file name.

    Raises:
        NoDefinitionFile, NamelessScript: if a file cannot be used as its name says.
        NoDefinitions: if there is no such file.
    """
    files, passed_over, empty = [], [], {}
    for text in sorted(texts, key=lambda each: each.file or ""):
        path, form = text.file or "", _format(text)
        if form in _DEFINITIONS:
            files.append(_definition_file(text, form))
            continue
        why = WHY_NOT.get(form, "has answers to DISPLAY, which twin import reads")
        if path.lower().endswith(_SUFFIX) and form is not FileFormat.EMPTY:
            raise NoDefinitionFile(path, why)
        passed_over.append(path)
        if form is FileFormat.EMPTY and text.otherwise:
            empty[text.otherwise] = path
    if not files:
        raise NoDefinitions(folder)
    return FolderFiles(tuple(_checked(files)), tuple(passed_over), empty)


def _format(text: FileText) -> FileFormat:
    """Return the format of a file; its suffix counts where its content is of no other format."""
    found, path = detect(text.text), (text.file or "").lower()
    if found is FileFormat.PROSE and path.endswith(_SCRIPTS) and may_be_script(text.text):
        return FileFormat.MQSC_SCRIPT
    return found


def _checked(files: Sequence[DefinitionFile]) -> Iterator[DefinitionFile]:
    """Yield the files, the scripts without what runmqsc would reject.

    The command level of a script is that of a dump of its queue manager, if there is one.
    """
    headers = [(each, header_of(each.file.text, {})) for each in files if each.is_dump]
    levels = {each.qmgr: header.level for each, header in headers if header.level}
    for each in files:
        level, text = levels.get(each.qmgr, DEFAULT_LEVEL), each.file.text
        rejected = () if each.is_dump else tuple(rejected_commands(text, level))
        if rejected:
            file = replace(each.file, text=without_rejected(text, level))
            yield each._replace(file=file, rejected=rejected)
        else:
            yield each


def _definition_file(text: FileText, form: FileFormat) -> DefinitionFile:
    is_dump = form is FileFormat.DMPMQCFG
    name = (header_of(text.text, {}).qmgr if is_dump else "") or text.otherwise
    if not name:
        raise NamelessScript(text.file or "")
    if not legal_name(name):
        raise NoDefinitionFile(text.file or "", f"is of {name!r}, which no queue manager can be")
    return DefinitionFile(text, name, is_dump)


def queue_managers_of(files: Sequence[DefinitionFile]) -> list[FolderQmgr]:
    """Return the queue managers of files, in the order of their first files.

    Two files of one name are of two queue managers if their dumps have different QMIDs, or if they
    are in different folders. A script adds to the dump beside it.

    Raises:
        AmbiguousFiles: if two dumps have one QMID, or a script lies beside dumps of two QMIDs.
    """
    by_name: dict[str, list[DefinitionFile]] = defaultdict(list)
    for file in files:
        by_name[file.qmgr].append(file)
    qmgrs = [qmgr for of_name in by_name.values() for qmgr in _told_apart(of_name)]
    return sorted(qmgrs, key=lambda each: each.path)


def _told_apart(files: Sequence[DefinitionFile]) -> list[FolderQmgr]:
    """Divide the files of one name by QMID, or else by folder."""
    name = files[0].qmgr
    if len(files) == 1:
        return [FolderQmgr(name, "", tuple(files))]
    groups: dict[tuple[str, str], list[DefinitionFile]] = {}
    for file in files:
        if file.is_dump:
            key = ("", qmid) if (qmid := file.qmid()) else (file.folder, "")
            if key in groups:
                raise AmbiguousFiles(name, groups[key][0].path, file.path)
            groups[key] = [file]
    for file in files:
        if not file.is_dump:
            beside = [key for key, of in groups.items() if file.folder == of[0].folder]
            if len(beside) > 1:
                raise AmbiguousFiles(name, groups[beside[0]][0].path, file.path)
            groups.setdefault(beside[0] if beside else (file.folder, ""), []).append(file)
    return [FolderQmgr(name, qmid, tuple(of)) for (_, qmid), of in groups.items()]
