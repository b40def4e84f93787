"""The least that reading a log may cost: `python -m benchmarks.bounds`.

Each row does a part of what a reader must do, and nothing else. The numbers are times of splitting
the same file into lines of text, in processor time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final, TypeAlias

from benchmarks.reading import split, write

RECORDS: Final = 20_000
ROUNDS: Final = 9
_BLOCK: Final = 1 << 20
_LINE: Final = re.compile(rb"[^\n]*\n")
_CONSOLE: Final = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (AMQ\d{4})([A-Z]): ([^\n]*?)(?: \[([^\]\n]*)\])?\n"
)

Work: TypeAlias = Callable[[Path], None]


def least(work: Work, path: Path) -> float:
    """Return the least processor seconds of several runs."""
    taken = []
    for _ in range(ROUNDS):
        began = process_time()
        work(path)
        taken.append(process_time() - began)
    return min(taken)


def _text(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        yield from file


def _each(do: Callable[[str], object], path: Path) -> None:
    for line in _text(path):
        do(line)


def _each_of_bytes(do: Callable[[bytes], object] | None, path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            if do is not None:
                do(line)


def _found(pattern: re.Pattern[bytes], do: Callable[[re.Match[bytes]], object], path: Path) -> None:
    rest = b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            whole = rest + block
            end = whole.rfind(b"\n") + 1
            for match in pattern.finditer(whole, 0, end):
                do(match)
            rest = whole[end:]


def _blake(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()


def _sha(raw: bytes) -> bytes:
    return sha256(raw).digest()


WORKS: Final[Mapping[str, Work]] = {
    "split bytes instead of text": partial(_each_of_bytes, None),
    "split, and three fields of each line": partial(_each, lambda line: line.split(" ", 3)),
    "split, one digest a line, BLAKE2b": partial(_each, lambda line: _blake(line.encode())),
    "the same, SHA-256": partial(_each, lambda line: _sha(line.encode())),
    "the same, BLAKE2b of bytes": partial(_each_of_bytes, _blake),
    "one expression that finds lines": partial(_found, _LINE, lambda match: match),
    "the same, with a digest": partial(_found, _LINE, lambda match: _blake(match[0])),
}
"""What is measured for every form."""

ALSO: Final[Mapping[str, Mapping[str, Work]]] = {
    "console": {"the fields of a record": partial(_found, _CONSOLE, lambda match: match.groups())},
    "JSON": {"json.loads": partial(_each, json.loads)},
}
"""What is measured for one form alone."""


def main() -> None:
    """Print the table."""
    with TemporaryDirectory(prefix="twin-bench-") as folder:
        path = Path(folder, "feed")
        for layout in ("one line", "JSON", "console", "text of 9.3"):
            write(layout, RECORDS, path)
            base = least(split, path)
            print(f"{layout}: splitting takes {1e6 * base / RECORDS:.2f} µs a record")
            for name, work in {**WORKS, **ALSO.get(layout, {})}.items():
                print(f"  {name:40} {least(work, path) / base:5.1f}x")


if __name__ == "__main__":
    main()
