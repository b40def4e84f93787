"""A finding points at the line that last set what is wrong, however often objects are mentioned."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, Final

import pytest

from tests.questions.doctor.healthy import healthy
from tests.questions.doctor.planted import ALL
from tests.questions.doctor.planting import Planted
from tests.sandbox import Sandbox
from twin.app.observing import FileText
from twin.questions.doctor.registry import RULES
from twin.review.doctor.examination import ExamRequest
from twin.review.doctor.sarif import sarif_of
from twin.review.folders.estates import opened_folder
from twin.review.folders.planning import UNSEEN, examine_folder

_COMMAND: Final = re.compile(
    r"(?P<verb>DEFINE|ALTER) (?P<object>(?P<word>\w+)(\((?P<name>[^)]*)\))?"
    r"( (CHLTYPE|TRPTYPE)\(\w+\))?)(?P<rest>.*)"
)

_TOGETHER: Final = frozenset(
    {
        "cluster-in-groups",
        "cluster-receiver-name-duplicate",
        "cluster-sender-several",
        "full-repository-single",
    }
)
"""The rules of faults that lines of several queue managers make together: it is any of these."""

_HISTORY: Final = frozenset(
    {"dead-letter-queue-blank", "full-repository-older-level", "left-cluster-used"}
)
"""The rules of faults that scripts alone do not show."""

_UNSAID: Final = ("MAXMSGL(50000000)", "RNAME(ORDERS) RQMNAME(PR3)")
"""What makes faults that rest on records, or on all queues of a queue manager."""

IN_FILES: Final = [
    each
    for each in ALL
    if not each.make
    and not each.after
    and each.scripts
    and each.rule not in _HISTORY
    and not any(unsaid in str(each.scripts) for unsaid in _UNSAID)
    and UNSEEN.isdisjoint(RULES[each.rule].needs)
    and all(verb not in str(each.scripts) for verb in ("SUSPEND", "REFRESH", "STOP", "SET "))
]
"""The faults that files alone can make."""


def healthy_lines(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Return the commands of the healthy estate, by queue manager."""
    lines: dict[str, list[str]] = defaultdict(list)
    run = Sandbox.run

    def noted(sandbox: Sandbox, name: str, text: str) -> list[str]:
        lines[name] += [line for line in text.splitlines() if line.strip()]
        return run(sandbox, name, text)

    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "run", noted)
        healthy()
    return lines


def mentioned(line: str, objects: set[str]) -> list[str]:
    """Return a command with others, before and after it, that set another attribute."""
    command = _COMMAND.match(line)
    if command is None:
        return [line]
    other = f"ALTER {command['object']} DESCR('x')"
    before = [other] if command["object"] in objects or command["word"] == "QMGR" else []
    objects.add(command["object"])
    return [*before, line, other]


def pointed_at(planted: Planted, lines: dict[str, list[str]]) -> tuple[str, list[str]]:
    """Return the command at which SARIF points for a fault, and the commands that make it."""
    files, made = {name: list(each) for name, each in lines.items()}, list[str]()
    for name, script in planted.scripts.items():
        written = files.setdefault(name, [])
        objects = {found["object"] for each in written if (found := _COMMAND.match(each))}
        planted_lines = [line for line in script.splitlines() if line.strip()]
        made += planted_lines
        written += [each for line in planted_lines for each in mentioned(line, objects)]
    texts = [
        FileText("\n".join(each) + "\n", otherwise=name, file=f"/in/{name}.mqsc")
        for name, each in files.items()
    ]
    with opened_folder("/in", texts) as folder:
        examined = examine_folder(folder, ExamRequest(rules=(planted.rule,), prove=False))
    results = sarif_of(examined, folder="/in")["runs"][0]["results"]
    (result,) = (each for each in results if _object_of(each) == planted.subject)
    place = result["locations"][0]["physicalLocation"]
    name = place["artifactLocation"]["uri"].removesuffix(".mqsc")
    return files[name][place["region"]["startLine"] - 1], made


def _object_of(result: dict[str, Any]) -> str:
    return str(result["message"]["text"]).split(": ", 1)[0]


@pytest.mark.parametrize("planted", IN_FILES, ids=lambda each: f"{each.rule}-{each.subject}")
def test_a_finding_points_at_the_line_that_made_the_fault(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is one that made the fault, and it sets an attribute of the rule or defines."""
    line, made = pointed_at(planted, healthy_lines(monkeypatch))
    assert line in made or planted.rule in _TOGETHER
    command = _COMMAND.match(line)
    assert command is not None
    keywords = RULES[planted.rule].attributes
    assert command["verb"] == "DEFINE" or any(f"{each}(" in command["rest"] for each in keywords)
