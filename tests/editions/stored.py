"""The stored logs of the first edition, put back into databases."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import psycopg

FOLDER: Final = Path(__file__).parents[1] / "data" / "edition-1"
WORLDS: Final = ("demo", "story", "late-story", "branches")


def put_back(world: str, url: str) -> None:
    """Put a stored log into an empty database or a new file."""
    if url.startswith("sqlite:///"):
        packed = (FOLDER / f"{world}.db.xz").read_bytes()
        Path(url.removeprefix("sqlite:///")).write_bytes(lzma.decompress(packed))
        return
    script = (FOLDER / f"{world}.sql").read_bytes()
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(script)


def stored_answers(world: str) -> dict[str, Any]:
    """Return the answers that the first edition gave, by what was asked."""
    packed = (FOLDER / f"{world}.answers.json.xz").read_bytes()
    answers: dict[str, Any] = json.loads(lzma.decompress(packed))
    return answers
