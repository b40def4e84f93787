"""Connects to Spark at once, and only then starts the Python process that reads a stream.

Spark waits ten seconds for that process to connect, and no setting changes this. The process
connects after it has imported PySpark; on a busy machine this is too late. A session on this
machine therefore sets `launcher` as its Python. For the reader of a stream, the launcher runs this
file alone; it connects, and then becomes the real process, with the connection.
"""

from __future__ import annotations

import os
import shlex
import socket
import struct
import sys

READER = "pyspark.sql.streaming.python_streaming_source_runner"
_LENGTH = struct.Struct("!i")
_SCRIPT = """#!/bin/sh
[ "$1 $2" = "-m {reader}" ] && exec {python} -I -S {file} "$@"
exec {python} "$@"
"""


def launcher(python: str) -> str:
    """Return the text of a shell script that is started instead of Python."""
    words = {"python": shlex.quote(python), "file": shlex.quote(__file__)}
    return _SCRIPT.format(reader=READER, **words)


def connect() -> None:
    """Connect to Spark as PySpark itself would, and become the reader of a stream."""
    path = os.environ.get("PYTHON_WORKER_FACTORY_SOCK_PATH")
    if path:
        spark = socket.socket(socket.AF_UNIX)
        spark.connect(path)
    else:
        port = int(os.environ["PYTHON_WORKER_FACTORY_PORT"])
        spark = socket.create_connection(("localhost", port))
        secret = os.environ["PYTHON_WORKER_FACTORY_SECRET"].encode()
        spark.sendall(_LENGTH.pack(len(secret)) + secret)
        if spark.recv(_LENGTH.size + 2, socket.MSG_WAITALL)[_LENGTH.size :] != b"ok":
            sys.exit("Spark refuses the connection of a Python process")
    spark.sendall(_LENGTH.pack(os.getpid()))
    spark.set_inheritable(True)
    words = [sys.executable, "-m", "twin.history.python_launcher", str(spark.fileno())]
    os.execv(sys.executable, words)  # noqa: S606 - no shell is wanted


def read_stream(descriptor: int) -> None:
    """Read a stream as PySpark's own worker does, on a connection that is open."""
    from pyspark.sql.streaming.python_streaming_source_runner import main  # noqa: PLC0415

    size = int(os.environ.get("SPARK_BUFFER_SIZE", "65536"))
    with socket.socket(fileno=descriptor) as spark, spark.makefile("rwb", size) as file:
        main(file, file)


if __name__ == "__main__":
    if sys.argv[1:2] == ["-m"]:
        connect()
    else:
        read_stream(int(sys.argv[1]))
