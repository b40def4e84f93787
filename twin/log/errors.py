"""The errors of a log; each composes its own one-line message."""

from __future__ import annotations

from twin.errors import TwinError


class BadLogUrl(TwinError, ValueError):
    """A URL that names no log, or a database that is not supported."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"bad log URL {url!r}; expected sqlite:///FILE or postgresql+psycopg://HOST/DATABASE"
        )


class NoSuchLog(TwinError, LookupError):
    """There is no log to read."""

    def __init__(self, url: str) -> None:
        super().__init__(f"there is no log at {url}; twin crtmqm or twin import creates one")


class NotALog(TwinError, ValueError):
    """The file or database exists, and is not a log."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} is not a log of twin; nothing was changed")


class LogUnreachable(TwinError, OSError):
    """The database file or server cannot be used."""

    def __init__(self, url: str, reason: object) -> None:
        super().__init__(f"the log {url} cannot be used: {_one_line(reason)}")


class LogBusy(TwinError, TimeoutError):
    """Another process locked the log for too long."""

    def __init__(self, url: str) -> None:
        super().__init__(f"the log {url} is locked by another process; try again")


class ReadOnlyLog(TwinError, PermissionError):
    """A write to a log that was opened for reading."""

    def __init__(self, url: str) -> None:
        super().__init__(f"the log {url} is open for reading only")


class NewerLog(TwinError, RuntimeError):
    """The log was written by a newer version of twin."""

    def __init__(self, url: str, revision: str) -> None:
        super().__init__(
            f"the log {url} has schema {revision} of a newer version of twin; use that version"
        )


class OlderLog(TwinError, RuntimeError):
    """The log must be migrated before it can be read, and a reader does not migrate it."""

    def __init__(self, url: str, revision: str) -> None:
        super().__init__(
            f"the log {url} has the older schema {revision}; any command that writes updates it"
        )


class ConcurrentAppend(TwinError, RuntimeError):
    """Another process appended first, so the decision may no longer be right."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"another process appended to branch {branch} first; try again")


class EventIdConflict(TwinError, ValueError):
    """An event id of the batch belongs to another event of the log or of the batch."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"event id {event_id!r} belongs to another event; nothing was recorded")


class UnstorableEvent(TwinError, ValueError):
    """An event with a character that cannot be stored as text in every database."""

    def __init__(self, event_id: str) -> None:
        super().__init__(
            f"event {event_id!r} contains a NUL or a lone surrogate; nothing was recorded"
        )


class AppendRefused(TwinError, RuntimeError):
    """The database refused a batch."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"the database refused to append: {_one_line(reason)}")


class NoSuchBranch(TwinError, LookupError):
    """A branch that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown branch {name!r}; twin branch list shows the branches")


class BranchExists(TwinError, ValueError):
    """A branch of this name exists."""

    def __init__(self, name: str) -> None:
        super().__init__(f"branch {name!r} exists already; choose another name")


class BadBranchName(TwinError, ValueError):
    """A name that is not allowed for a branch."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"bad branch name {name!r}; expected 1 to 64 of A-Z a-z 0-9 . _ - "
            "that begin with a letter or digit"
        )


class BadFork(TwinError, ValueError):
    """A fork at a position that the parent does not have."""

    def __init__(self, parent: str, position: int, last: int) -> None:
        super().__init__(
            f"branch {parent} cannot be forked at position {position}; its last position is {last}"
        )


class BadSnapshot(TwinError, ValueError):
    """A snapshot that could become false."""

    def __init__(self, branch: str, valid: int, position: int) -> None:
        super().__init__(
            f"a snapshot of branch {branch} at instant {valid} and position {position} "
            "could become false; its instant must lie before the latest instant at that position"
        )


class SnapshotDropped(TwinError, LookupError):
    """Another process dropped the snapshot that was being used."""

    def __init__(self) -> None:
        super().__init__("another process dropped the snapshots; try again")


class BadExpectation(TwinError, ValueError):
    """The text that a log is to be verified against cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"bad expectation {text!r}; expected POSITION:DIGEST, as twin log verify prints it"
        )


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
