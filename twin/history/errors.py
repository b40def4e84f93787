"""Errors of long histories. Each one writes its own one-line message."""

from __future__ import annotations

from collections.abc import Iterable

from twin.errors import SubjectError, TwinError


class BadOption(TwinError, ValueError):
    """An unknown option of the data source."""

    def __init__(self, value: str, *, of: str, cure: str) -> None:
        super().__init__(f"invalid option {of} {value!r}; {cure}")


class BadConf(TwinError, ValueError):
    """A --conf that is not NAME=VALUE, or that sets a setting that cannot be set."""

    def __init__(self, text: str, cure: str = "expected NAME=VALUE, as in spark-submit") -> None:
        super().__init__(f"invalid --conf {text!r}; {cure}")


class NoJava(TwinError, RuntimeError):
    """Spark needs Java, and found none that it can run on."""

    def __init__(self, found: str = "") -> None:
        have = f" ({found})" if found else ""
        super().__init__(f"Spark needs Java 17 or later, but none was found{have}; set JAVA_HOME")


class MasterUnreachable(TwinError, OSError):
    """The Spark cluster does not answer."""

    def __init__(self, master: str, reason: object) -> None:
        super().__init__(f"the Spark master {master} cannot be reached: {_one_line(reason)}")


class BadMaster(TwinError, ValueError):
    """The value of --master is not a master that Spark knows."""

    def __init__(self, master: str, reason: object) -> None:
        super().__init__(f"invalid --master {master}; {_one_line(reason)}")


class SparkFailed(TwinError, RuntimeError):
    """Spark failed for a reason that no other error here describes."""

    def __init__(self, reason: object, log: str = "") -> None:
        where = f" (more in {log})" if log else ""
        super().__init__(f"Spark failed: {_one_line(reason)}{where}")


class MachineBusy(TwinError, TimeoutError):
    """Spark's Python processes start too late at every attempt."""

    REASON = "the machine is busy: a Python process of Spark did not start in time"

    def __init__(self, attempts: int) -> None:
        super().__init__(
            f"{self.REASON} in {attempts} attempts; try again when the machine is less busy; "
            "complete parts of the lake are kept"
        )


class NoSpace(
    SubjectError,
    OSError,
    message="no space left for {}; what is complete there is kept",
):
    """The disk is full."""


class BadFolder(TwinError, OSError):
    """A folder that cannot be created or written to."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"cannot write a report to the folder {path}: {_one_line(reason)}")
        self.values = (path,)


class NoLake(
    SubjectError,
    LookupError,
    message="there is no lake at {}; twin history update creates one",
):
    """The lake does not exist."""


class OldLake(TwinError, ValueError):
    """A lake with the columns of another version."""

    def __init__(self, path: str, version: int) -> None:
        super().__init__(
            f"the lake {path} has the columns of version {version}; twin history update rebuilds it"
        )


class NoSuchCluster(
    SubjectError, LookupError, message="unknown cluster {!r}; no event in the lake names it"
):
    """A cluster that no event names."""


class NotALake(TwinError, ValueError):
    """The folder is not a lake, or is the lake of another log."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} {reason}; name another folder with --lake")


class DamagedLake(
    SubjectError,
    ValueError,
    message="{} is damaged; delete the lake that contains it, then run twin history update",
):
    """A file of the lake cannot be read."""


class BadWindow(TwinError, ValueError):
    """A window of time that ends before it begins."""

    def __init__(self, since: str, until: str) -> None:
        super().__init__(f"the window ends at {until}, before it begins at {since}")


class EmptyHistory(TwinError, LookupError):
    """There are no events to analyse."""

    def __init__(self, lake: str, branch: str) -> None:
        super().__init__(f"the lake {lake} contains no events of branch {branch}")


class NoSuchMetric(TwinError, LookupError):
    """An unknown metric."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown metric {name!r}; expected one of {', '.join(known)}")


class LakeBusy(
    SubjectError,
    RuntimeError,
    message="another process is updating the lake {}; wait until it ends",
):
    """Another process is writing to the lake."""


def _one_line(reason: object) -> str:
    """Reduce a library's message to its first line."""
    lines = str(reason).strip().splitlines()
    return lines[0].strip() if lines else type(reason).__name__
