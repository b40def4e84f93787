"""The server: uvicorn in a thread of its own, and its clean end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from twin.errors import TwinError
from twin.web.application import create_application
from twin.web.service import Service
from twin.web.settings import ServerSettings

_ENDS_WITHIN: Final = 5
"""Seconds that running requests get when the server is stopped."""


class CannotListen(TwinError):
    """An address and port on which the server cannot listen."""

    def __init__(self, settings: ServerSettings, reason: str) -> None:
        super().__init__(f"cannot listen on {settings.address}({settings.port}): {reason}")


@contextmanager
def serving(settings: ServerSettings) -> Iterator[str]:
    """Serve in the background until the block ends; yield the URL.

    Raises:
        CannotListen: if the address or the port cannot be used.
    """
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.address, settings.port))
    except OSError as error:
        listener.close()
        raise CannotListen(settings, error.strerror or str(error)) from None
    service = Service(settings)
    config = uvicorn.Config(
        create_application(service),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_ENDS_WITHIN,
        server_header=False,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    host = f"[{settings.address}]" if family == socket.AF_INET6 else settings.address
    try:
        yield f"http://{host}:{listener.getsockname()[1]}{settings.prefix}"
    finally:
        server.should_exit = True
        thread.join()
        service.close()
