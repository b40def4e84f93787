"""The errors of a log; each composes its own one-line message."""

from __future__ import annotations

from twin.errors import SubjectError, TwinError
from twin.model.versions import VERSION


class BadLogUrl(
    SubjectError,
    ValueError,
    message="bad log URL {!r}; expected sqlite:///FILE or postgresql+psycopg://HOST/DATABASE",
):
    """A URL that cannot be the URL of a log, or of a database that is not supported."""


class NoSuchLog(
    SubjectError,
    LookupError,
    message="there is no log at {}; twin crtmqm or twin import creates one",
):
    """The log to read does not exist."""


class NotALog(SubjectError, ValueError, message="{} is not a log of twin; nothing was changed"):
    """The file or database exists, but is not a log."""


class EmptyFile(NoSuchLog, message="{} is empty, not a log"):
    """The file to read exists, but holds nothing."""


class LogUnreachable(TwinError, OSError):
    """The database file or server cannot be used."""

    def __init__(self, url: str, reason: object) -> None:
        super().__init__(f"the log {url} cannot be used: {_one_line(reason)}")


class FileDamaged(LogUnreachable):
    """The file of the log is damaged so that it cannot be read."""


class LogMoved(LogUnreachable):
    """The file of the log is not the one that was opened."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "its file was moved, removed or replaced after it was opened")


class LogBusy(
    SubjectError,
    TimeoutError,
    message="the log {} is locked by another process; try again",
):
    """Another process locked the log for too long."""


class ReadOnlyLog(SubjectError, PermissionError, message="the log {} is open for reading only"):
    """A write to a log that was opened for reading."""


class NewerLog(TwinError, RuntimeError):
    """The log was written by a newer version of twin.

    `needed` is the lowest version that can read it, if the log says so.
    """

    def __init__(self, url: str, revision: str, needed: str | None = None) -> None:
        version = f"twin {needed} or later" if needed else f"a newer version of twin than {VERSION}"
        super().__init__(
            f"the log {url} (edition {revision.lstrip('0')}) needs {version}; this is {VERSION}"
        )


class OlderLog(TwinError, RuntimeError):
    """The log must be upgraded first; opening it does not do so."""

    def __init__(self, url: str, revision: str, latest: str) -> None:
        super().__init__(
            f"the log {url} is of edition {revision.lstrip('0')}, written by an older version of "
            f"twin; twin log upgrade brings it to edition {latest.lstrip('0')}"
        )


class OtherCopy(
    SubjectError,
    FileExistsError,
    message=(
        "the log was not upgraded: a copy of it belongs at {}, where another file is; "
        "move that file away"
    ),
):
    """A file where the copy of a log belongs, which is not a copy of it."""


class BackupExists(
    SubjectError, FileExistsError, message="{} exists already; name a file that does not exist"
):
    """A file where a new file is to be written."""


class LogNotEmpty(
    SubjectError,
    ValueError,
    message="the log {} is not empty; an export is imported into a new log only",
):
    """A log that has events or branches, so that no export can be imported."""


class BadExport(TwinError, ValueError, message="line {} of the export: {}; nothing was imported"):
    """A line of an export that is missing, altered or not understood."""


class NewerExport(TwinError, RuntimeError):
    """An export that only a newer version of twin can import."""

    def __init__(self, needed: str) -> None:
        super().__init__(
            f"the export needs twin {needed} or later; this is {VERSION}; nothing was imported"
        )


class ConcurrentAppend(
    SubjectError,
    RuntimeError,
    message="another process appended to branch {} first; try again",
):
    """Another process appended first, so the decision may no longer be right."""


class EventIdConflict(
    SubjectError,
    ValueError,
    message="event id {!r} belongs to another event; nothing was recorded",
):
    """An event id of the batch belongs to another event of the log or of the batch."""


class UnstorableEvent(
    SubjectError,
    ValueError,
    message="event {!r} contains a NUL or a lone surrogate; nothing was recorded",
):
    """An event with a character that cannot be stored as text in every database."""


class AppendRefused(TwinError, RuntimeError):
    """The database refused a batch."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"the database refused to append: {_one_line(reason)}")


class NoSuchBranch(
    SubjectError,
    LookupError,
    message="unknown branch {!r}; twin branch list shows the branches",
):
    """A branch that does not exist."""


class RetiredBranch(
    NoSuchBranch,
    message="branch {!r} was deleted; its events stay in the log, and its name is free",
):
    """A branch that is retired."""


class MainStays(
    SubjectError, ValueError, message="branch {} cannot be deleted; it is what really happened"
):
    """Branch main, which cannot be retired."""


class BranchExists(
    SubjectError,
    ValueError,
    message="branch {!r} exists already; choose another name",
):
    """A branch of this name exists."""


class BadBranchName(
    SubjectError,
    ValueError,
    message=(
        "bad branch name {!r}; expected 1 to 64 of A-Z a-z 0-9 . _ - that begin with a letter "
        "or digit"
    ),
):
    """A name that is not allowed for a branch."""


class BadFork(
    TwinError,
    ValueError,
    message="branch {} cannot be forked at position {}; its last position is {}",
):
    """A fork at a position that the parent does not have."""


class BadSnapshot(
    TwinError,
    ValueError,
    message="a snapshot of branch {} at instant {} and position {} "
    "could become false; its instant must lie before the latest instant at that position",
):
    """A snapshot that later events could make wrong."""


class BadExpectation(
    SubjectError,
    ValueError,
    message="bad expectation {!r}; expected POSITION:DIGEST, as twin log verify prints it",
):
    """The text that a log is to be verified against cannot be read."""


class LogDamaged(TwinError, RuntimeError):
    """The log does not hold what was recorded.

    Attributes:
        position: the first bad position.
        why: what is wrong with it.
    """

    def __init__(self, position: int, why: str) -> None:
        super().__init__(f"the log is damaged at position {position}: {why}")
        self.position = position
        self.why = why


def _one_line(reason: object) -> str:
    return " ".join(str(reason).split())
