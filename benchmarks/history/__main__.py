"""Runs only the benchmarks of long histories, of any length: `python -m benchmarks.history`."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.history.long import LONG, ROUNDS, measure
from benchmarks.table import table


def main() -> None:
    """Run them and print their table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history")
    parser.add_argument(
        "--events", type=_numbers, default=LONG, metavar="N,N", help="how many events samples have"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each side is asked")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where samples are made, or found again"
    )
    print(table(measure(**vars(parser.parse_args()))))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(","))


if __name__ == "__main__":
    main()
