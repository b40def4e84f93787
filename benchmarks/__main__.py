"""Runs all benchmarks, or those whose names contain a given word, and prints one table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import benchmarks
from benchmarks.table import ROUNDS, Result, table


def main(words: Sequence[str]) -> int:
    """Run the benchmarks and print their table, with the targets that were met and missed."""
    results: list[Result] = []
    for module in _modules(words):
        print(f"{module.__name__} ...", file=sys.stderr)
        results += module.measure(ROUNDS)
    print(table(results))
    return 0


def _modules(words: Sequence[str]) -> Iterator[ModuleType]:
    """Find the modules that have a benchmark, in the order of their names."""
    found = walk_packages(benchmarks.__path__, "benchmarks.")
    for name in sorted(module.name for module in found if module.name != __name__):
        wanted = not words or any(word in name for word in words)
        if name.endswith("__main__") or not wanted:
            continue
        module = import_module(name)
        if hasattr(module, "measure"):
            yield module


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
