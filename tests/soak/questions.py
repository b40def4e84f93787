"""Questions that are asked of every log, and answers that can be compared."""

from __future__ import annotations

import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import Any, Final

from twin.app.twin import Twin
from twin.errors import TwinError, TwinWarning
from twin.log import Log
from twin.model.instants import DAY, Instant
from twin.questions.catalogue import QUESTIONS

NAMELESS: Final = tuple(
    name
    for name, question in QUESTIONS.items()
    if question.home and not any(filter_.required for filter_ in question.narrowed_by)
)
"""The questions that can be asked without a name."""

PATIENCE: Final = 120
"""The seconds of processor time that an answer about a tampered log may take."""

SHOWN: Final = """DISPLAY CLUSQMGR(*) ALL
DISPLAY QUEUE(*) CLUSINFO ALL
DISPLAY CHSTATUS(*) ALL
DISPLAY QMGR ALL
"""


def rows_of(twin: Twin, name: str, options: dict[str, Any], *, located: bool = True) -> list[Any]:
    """Ask a question; return its rows, with positions only if they are `located`."""
    answer = twin.ask(name, **options)
    if located:
        found: list[Any] = answer.as_json()["rows"]
        return found
    return sorted(map(repr, (bare(row) for row in answer.rows)))


def bare(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without columns that name positions."""
    return {key: value for key, value in row.items() if "position" not in key}


class Survey:
    """The answers about a log at some instants, or how they failed."""

    def __init__(self, url: str, instants: tuple[Instant, ...], names: tuple[str, ...]) -> None:
        """Ask everything, each on a log opened anew."""
        self.answers: dict[tuple[str, Instant], Any] = {}
        self.refused: list[str] = []
        self.tracebacks: list[str] = []
        for name in names:
            for instant in instants:
                try:
                    with _quietly(), _patiently(), Twin.open(url, read_only=True) as twin:
                        self.answers[name, instant] = _asked(twin, name, instant)
                except TwinError as error:
                    self.refused.append(str(error))
                except TooLong:
                    self.refused.append("it takes too long")
                except Exception:  # noqa: BLE001 - a traceback is what is looked for
                    self.tracebacks.append(f"{name}: {traceback.format_exc()}")

    def differences(self, other: Survey) -> Iterator[tuple[str, Instant]]:
        """Yield the questions whose answers are different here and there."""
        for key, answer in self.answers.items():
            if answer != other.answers[key]:
                yield key


class TooLong(Exception):
    """A question about an altered event may play thousands of years."""


@contextmanager
def _patiently() -> Iterator[None]:
    """Let an answer take some seconds of processor time only, however busy the machine is."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _quietly() -> Iterator[None]:
    """Ignore what is said about caches that cannot be used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TwinWarning)
        yield


def _asked(twin: Twin, name: str, instant: Instant) -> Any:
    if name.startswith("DISPLAY "):
        return twin.runmqsc(name.removeprefix("DISPLAY "), SHOWN, as_of=instant).lines[1:]
    since = {"since": instant - 2 * DAY} if QUESTIONS[name].has_span else {}
    return rows_of(twin, name, {"as_of": instant, **since})


def verified(url: str) -> tuple[str, str]:
    """Verify a log; return ("", head), ("damaged", why), ("refused", why) or ("traceback", it)."""
    try:
        with closing(Log.open(url, mode="read")) as log:
            head = str(log.verify())
            damage = [*log.damaged_file(), *log.damaged_caches()]
            return ("damaged", damage[0]) if damage else ("", head)
    except TwinError as error:
        kind = "damaged" if "Damaged" in type(error).__name__ else "refused"
        return kind, str(error)
    except Exception:  # noqa: BLE001 - a traceback is what is looked for
        return "traceback", traceback.format_exc()
