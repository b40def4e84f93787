"""Answers leave at once: the sockets of the server do not wait for acknowledgements."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

from twin.web.server import _listener
from twin.web.settings import ServerSettings


def test_accepted_connections_send_small_pieces_at_once() -> None:
    """TCP_NODELAY is set: else headers and body of an answer are 40 ms apart."""
    settings = ServerSettings("sqlite:///twin.db", Path("users.json"), port=0)
    accepted: list[int] = []

    async def connect() -> None:
        done = asyncio.Event()

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            accepted.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()
            done.set()

        listener = _listener(settings)
        async with await asyncio.start_server(serve, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
            await done.wait()
            writer.close()

    asyncio.run(connect())
    assert accepted == [1]
