"""The service while `twin serve` runs: its start, its logs, and its end."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from twin.cli.errors import NoWeb, Unwritable
from twin.cli.output import complain, emit, note
from twin.cli.web_options import warn_about

if TYPE_CHECKING:
    from twin.cli.signals import Stop
    from twin.web.settings import ServerSettings

_EXTRA: Final = frozenset(
    {"cryptography", "fastapi", "jinja2", "multipart", "starlette", "uvicorn"}
)
"""The packages of the extra `web`, as they are imported."""


@contextmanager
def needs_web() -> Iterator[None]:
    """Say in one line what is missing if the extra `web` is not installed.

    Raises:
        NoWeb: if a package of it cannot be imported.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (missing := (error.name or "").partition(".")[0]) in _EXTRA:
            raise NoWeb(missing) from None
        raise


@contextmanager
def serving_web(settings: ServerSettings, stop: Stop) -> Iterator[None]:
    """Serve until the block ends; `stop` is set if the server ends by itself.

    Raises:
        CannotListen, UnusableCertificate, UnusableUsers: if it cannot start.
    """
    from twin.web.server import serving

    with _logging():
        warn_about(settings)
        with serving(settings, ended=stop.set) as url:
            emit([f"listening on {url}"])
            yield


@contextmanager
def _logging() -> Iterator[None]:
    """Write what the service logs: requests to standard output, all else to standard error."""
    loggers = {
        "twin.web": logging.INFO,
        "uvicorn": logging.ERROR,
        "asyncio": logging.ERROR,
    }
    handler = _Terminal()
    for name, level in loggers.items():
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False
    try:
        yield
    finally:
        for name in loggers:
            logger = logging.getLogger(name)
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)
            logger.propagate = True


class _Terminal(logging.Handler):
    """Writes records as lines of which no character acts on a terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; a traceback has a line for each of its lines."""
        if record.levelno <= logging.INFO:
            with suppress(Unwritable):  # whoever read the lines has left; the service goes on
                emit([record.getMessage()])
            return
        complain(record.getMessage())
        if record.exc_info:
            for line in logging.Formatter().formatException(record.exc_info).splitlines():
                note(line)
