"""Runs the sessions of documents: `python -m tests.doc_sessions` writes the output into them."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from tests.forked_twin import forked_twin

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
TOUR: Final = ROOT / "docs" / "tour.md"
PAGES: Final = (README, TOUR, ROOT / "docs" / "reviews.md", ROOT / "docs" / "in-ci.md")
"""The documents with a session.

Each runs in a folder of its own, but the tour in that of the README.
"""

_BLOCK: Final = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
_MARK: Final = "---- next ----"
_WALL_CLOCK: Final = re.compile(r"(?<=known at )\S+")


class Step(NamedTuple):
    """A command as it is typed, with its prompts and its output."""

    typed: str
    answer: str

    @property
    def command(self) -> str:
        """The command without its prompts."""
        return "\n".join(line[2:] for line in self.typed.splitlines())


def session(text: str) -> list[Step]:
    """Read every step of every console block."""
    return [step for block in _BLOCK.findall(text) for step in _steps(block)]


def _steps(block: str) -> list[Step]:
    parts = re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]
    return [Step(*_told_apart(part)) for part in parts]


def _told_apart(part: str) -> tuple[str, str]:
    lines = part.splitlines(keepends=True)
    typed = 1
    while typed < len(lines) and lines[typed].startswith("> "):
        typed += 1
    return "".join(lines[:typed]), "".join(lines[typed:])


def run(steps: list[Step], folder: Path, program: Path) -> list[Step]:
    """Run the steps in one shell in a folder, and return them with their actual output.

    `program` is what stands for `twin`, from `forked_twin`.
    """
    script = f"\necho '{_MARK}'\n".join(step.command for step in steps)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TWIN_")}
    done = subprocess.run(
        ["sh"],
        input=script,
        cwd=folder,
        env={**kept, "PATH": f"{program.parent}:{kept['PATH']}", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    answers = done.stdout.split(f"{_MARK}\n")
    return [Step(step.typed, answer) for step, answer in zip(steps, answers, strict=True)]


def without_clock(text: str) -> str:
    """Replace every instant of the wall clock by a word."""
    return _WALL_CLOCK.sub("NOW", text)


def rewritten(text: str, steps: list[Step]) -> str:
    """Replace the steps in a text by these."""
    rest = iter(steps)

    def replaced(block: re.Match[str]) -> str:
        return "".join("".join(next(rest)) for _ in _steps(block[0]))

    return _BLOCK.sub(replaced, text)


def main() -> None:
    """Write the actual output into each document."""
    with tempfile.TemporaryDirectory() as readme, forked_twin() as program:
        for page in PAGES:
            before = page.read_text(encoding="utf-8")
            with tempfile.TemporaryDirectory() as scratch:
                folder = readme if page in (README, TOUR) else scratch
                after = rewritten(before, run(session(before), Path(folder), program))
            page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
