"""Measures only the simulated year, at any scale: `python -m benchmarks.year --scale 0.1`."""

from __future__ import annotations

import argparse

from benchmarks.table import table
from benchmarks.year.lifecycle import ROUNDS, measure


def main() -> None:
    """Run it and print its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.year")
    parser.add_argument("--scale", type=float, default=1, help="so many times the queue managers")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each side runs")
    parser.add_argument("--hosts", type=int, default=1, help="queue managers that have a queue")
    parser.add_argument(
        "--busy", action="store_true", help="also the larger cluster with applications: minutes"
    )
    print(table(measure(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
