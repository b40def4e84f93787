"""What can go wrong with a log; each error composes its own one-line message."""

from __future__ import annotations

from twin.errors import TwinError


class BadLogUrl(TwinError, ValueError):
    """A URL that names no log this version can keep."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url!r} names no log: write sqlite:///FILE or postgresql+psycopg://HOST/DATABASE"
        )


class NoSuchLog(TwinError, LookupError):
    """Somebody wants to read a log that nobody has written."""

    def __init__(self, url: str) -> None:
        super().__init__(f"there is no log at {url}: twin crtmqm and twin import begin one")


class NotALog(TwinError, ValueError):
    """What the URL names exists and is something else."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} is not a log of twin: nothing was changed there")


class LogUnreachable(TwinError, OSError):
    """The database, its file or its server cannot be used."""

    def __init__(self, url: str, reason: object) -> None:
        super().__init__(f"the log {url} cannot be used: {_one_line(reason)}")


class LogBusy(TwinError, TimeoutError):
    """Another process kept the log to itself for too long."""

    def __init__(self, url: str) -> None:
        super().__init__(f"the log {url} is kept busy by another process: try again")


class ReadOnlyLog(TwinError, PermissionError):
    """Somebody wants to write to a log that was opened for reading."""

    def __init__(self, url: str) -> None:
        super().__init__(f"the log {url} was opened for reading only")


class NewerLog(TwinError, RuntimeError):
    """The log was written by a version of twin that came after this one."""

    def __init__(self, url: str, revision: str) -> None:
        super().__init__(
            f"the log {url} has schema {revision}, which a newer version of twin made: use that one"
        )


class OlderLog(TwinError, RuntimeError):
    """The log must be migrated before it can be read, and reading migrates nothing."""

    def __init__(self, url: str, revision: str) -> None:
        super().__init__(
            f"the log {url} has the older schema {revision}: "
            "any command that writes brings it up to date"
        )


class ConcurrentAppend(TwinError, RuntimeError):
    """Another append came first, so that what was decided may no longer hold."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"another append came first on branch {branch}: decide again")


class EventIdConflict(TwinError, ValueError):
    """An event id of the batch is in the log, or twice in the batch, with other content."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"event id {event_id!r} is taken by another event: nothing was recorded")


class UnstorableEvent(TwinError, ValueError):
    """An event with a character that not every database can keep as text."""

    def __init__(self, event_id: str) -> None:
        super().__init__(
            f"event {event_id!r} holds a NUL character or half a character: nothing was recorded"
        )


class AppendRefused(TwinError, RuntimeError):
    """The database itself refused a batch that the log thought right."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"the database refused to append: {_one_line(reason)}")


class NoSuchBranch(TwinError, LookupError):
    """A branch that nobody has made."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no branch {name!r}: see twin branch list")


class BranchExists(TwinError, ValueError):
    """A branch of this name exists."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a branch {name!r} already: choose another name")


class BadBranchName(TwinError, ValueError):
    """A name that no branch may have."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} cannot name a branch: 1 to 64 of A-Z a-z 0-9 . _ - "
            "and a letter or digit first"
        )


class BadFork(TwinError, ValueError):
    """A position to fork at that the parent does not have."""

    def __init__(self, parent: str, position: int, last: int) -> None:
        super().__init__(
            f"branch {parent} cannot be forked at position {position}: its last one is {last}"
        )


class BadSnapshot(TwinError, ValueError):
    """A snapshot that could become false."""

    def __init__(self, branch: str, valid: int, position: int) -> None:
        super().__init__(
            f"a snapshot of branch {branch} at instant {valid} and position {position} "
            "could become false: its instant must lie before the latest one at its position"
        )


class SnapshotDropped(TwinError, LookupError):
    """Another process dropped the snapshots between finding one and loading it."""

    def __init__(self) -> None:
        super().__init__("the snapshots were dropped just now: ask again")


class BadExpectation(TwinError, ValueError):
    """What a log is to be verified against cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no POSITION:DIGEST, as verify prints it")


class LogDamaged(TwinError, RuntimeError):
    """The log is not what was recorded.

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
