"""Bytes of SQLite's file that change: single bits, runs, whole pages, a shorter file."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from tests.soak.bench import SQLITE, Bench, expect
from tests.soak.contents import fingerprint
from tests.soak.questions import Survey, verified
from tests.soak.tampering import ASKED, instants_of

FLIPS: Final = 40
"""How many are in one trial."""

_PAGE: Final = 4096


def flip(file: Path, chance: random.Random) -> str:
    """Change some bytes of a file; return what kind of change it was."""
    content = bytearray(file.read_bytes())
    place = chance.randrange(len(content))
    kind = chance.choice(("bit", "bit", "byte", "run", "page", "short", "header"))
    match kind:
        case "bit":
            content[place] ^= 1 << chance.randrange(8)
        case "byte":
            content[place] = (content[place] + chance.randrange(1, 256)) % 256
        case "run":
            length = chance.randrange(2, 200)
            content[place : place + length] = chance.randbytes(len(content[place : place + length]))
        case "page":
            begin = place // _PAGE * _PAGE
            content[begin : begin + _PAGE] = bytes(_PAGE)
        case "short":
            del content[place:]
        case _:
            content[place % 100] ^= 1 << chance.randrange(8)
    file.write_bytes(content)
    return kind


def by_flipping(bench: Bench) -> None:
    """Change bytes of copies of a log's file; `verify` must notice it, or nothing may change."""
    instants = instants_of(bench.prepared.start)
    base = bench.prepared.url("rich", SQLITE)
    sound, head, data = Survey(base, instants, ASKED), verified(base), fingerprint(base)
    for _ in range(round(FLIPS * bench.share)):
        with bench.copy("rich", SQLITE) as url:
            kind = flip(Path(str(make_url(url).database)), bench.chance)
            outcome = _noticed(url, sound, head, data)
            bench.tally.add("flip", kind, outcome)


def _noticed(url: str, sound: Survey, head: tuple[str, str], data: str) -> str:
    """Return what noticed a change of the file."""
    found, why = verified(url)
    expect(found != "traceback", why)
    instants = tuple(sorted({instant for _, instant in sound.answers}))
    asked = Survey(url, instants, ASKED)
    expect(not asked.tracebacks, f"a traceback: {''.join(asked.tracebacks)}")
    wrong = list(asked.differences(sound))
    if wrong and not found:
        expect(not wrong, f"nothing noticed it, and other answers to {wrong}")
    if wrong and _same(url, data):
        expect(not wrong, f"only caches are changed, and other answers to {wrong}")
    if found:
        return f"log verify {'says so' if found == 'damaged' else 'refuses'}"
    expect(why == head[1], "verify found another head")
    return "every answer as before"


def _same(url: str, data: str) -> bool:
    """Return whether all but the caches is as it was."""
    try:
        return fingerprint(url) == data
    except sqlite3.Error:
        return False
