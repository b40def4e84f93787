"""Nothing that may lose a batch in doubt is printed before the DISPLAY that looks for one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.app.importing.collected_cluster import dump, qmid
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import DAY, MINUTE, Instant, parse_instant
from twin.model.messages import CATALOGUE
from twin.questions.doctor.registry import RULES
from twin.review.plan.plan import Request, plan
from twin.review.plan.planned import PlannedScript
from twin.review.plan.text import text_of as plan_text
from twin.review.runbooks.runbook import RUNBOOKS, work_out
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.text import text_of

SEEN: Final = parse_instant("2026-01-01T07:00:00Z", now=0)
RISKY: Final = re.compile(
    r"STOP\s+CHANNEL\([^)]*\)[^.;]*MODE\((?:FORCE|TERMINATE)\)|REFRESH\s+CLUSTER\("
    r"|(?:RESET|RESOLVE|DELETE)\s+CHANNEL\("
)
LOOKED: Final = re.compile(r"DISPLAY\s+CHSTATUS\([^)]*\)[^.;]*INDOUBT")
RESOLVED: Final = re.compile(r"ACTION\((?:COMMIT|BACKOUT)\)")
BOTH: Final = re.compile(r"LSTLUWID\s[^.]*at both ends")
ADVICE: Final = {
    **{row.id: row.do for row in CATALOGUE.values()},
    **{rule.id: f"{rule.what_to_do} {rule.last}" for rule in RULES.values()},
}


@pytest.mark.parametrize("of", [each for each, text in ADVICE.items() if RISKY.search(text)])
def test_advice_looks_before_it_names_what_may_lose_a_batch(of: str) -> None:
    """Each message and each rule of the doctor names DISPLAY CHSTATUS INDOUBT first.

    COMMIT and BACKOUT are named after LSTLUWID of both ends only.
    """
    text = ADVICE[of]
    looked, risky, resolved = LOOKED.search(text), RISKY.search(text), RESOLVED.search(text)
    assert looked is not None
    assert risky is not None
    assert looked.start() < risky.start()
    if resolved is not None:
        both = BOTH.search(text)
        assert both is not None
        assert both.start() < resolved.start()


RENEWALS: Final = sorted(
    row.id for row in CATALOGUE.values() if re.search(r"(?:AMQ9|CSQX)4(?:56|69)[A-Z]?$", row.id)
)


@pytest.mark.parametrize("of", RENEWALS)
def test_what_was_not_renewed_is_looked_at_and_published_again_first(of: str) -> None:
    """The advice begins with DISPLAYs, changes DESCR at the owner, and ends with REFRESH."""
    text = ADVICE[of]
    assert text.startswith("DISPLAY ")
    assert text.index("DESCR(") < text.index("FORCEREMOVE") < text.index("REFRESH CLUSTER")
    assert text.index("REFRESH CLUSTER") == text.rindex("CLUSTER(") - len("REFRESH ")


def _twin(url: str, *, seen: Instant | None = None) -> Twin:
    """Import four queue managers; INDOUBT of all their channels was seen at an instant."""
    twin = Twin.open(url, clock=lambda: SEEN + DAY)
    names = {"OAK": "ELM", "ELM": "OAK", "FIR": "OAK", "YEW": "ELM"}
    for name, to in names.items():
        full = name in ("OAK", "ELM")
        twin.ingest(dump(name, to, full=full), qmgr=name, at=SEEN)
    if seen is None:
        return twin
    for name in names:
        qmgr = twin.view()[0].qmgr(name)
        for channel in sorted({*qmgr.channels, *qmgr.activity.channels}):
            twin.observe_channel(name, channel, status="RETRYING", indoubt=False, at=seen)
    return twin


def _unlooked(commands: Iterator[Command]) -> list[str]:
    """Return the risky commands before which nothing is displayed at their queue manager."""
    looked: set[tuple[str, str]] = set()
    found = []
    for each in commands:
        if each.verb == "DISPLAY" and each.object == "CHSTATUS":
            looked.add((each.on, each.name))
        elif RISKY.match(each.text) and looked.isdisjoint({(each.on, each.name), (each.on, "*")}):
            found.append(str(each))
    return found


@pytest.mark.parametrize("name", RUNBOOKS)
@pytest.mark.parametrize("lost", [False, True])
def test_a_runbook_looks_before_what_may_lose_a_batch(
    sqlite_url: str,
    name: str,
    lost: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """In each runbook, for each member, each risky command comes after its DISPLAY."""
    with _twin(sqlite_url) as twin:
        for on, to in (("FIR", "OAK"), ("OAK", "FIR")):
            wanted = RunbookRequest(qmgr=on, qmid=qmid(on), to=to, lost=lost)
            worked = work_out(twin, name, wanted, as_of=SEEN + DAY)
            commands = [each for step in worked.steps for each in step.commands]
            assert _unlooked(iter(commands)) == []
            assert len(list(text_of(worked))) > len(worked.steps)


SCRIPT: Final = "STOP CHL(MILK.ELM) MODE(FORCE)\nDELETE CHANNEL(MILK.ELM)\nREFRESH CLUSTER(MILK)"


@pytest.mark.parametrize("minutes", [None, 11, 3])
def test_a_plan_looks_before_what_may_lose_a_batch(sqlite_url: str, minutes: int | None) -> None:
    """A plan names the DISPLAY before each such command, unless INDOUBT was seen lately."""
    now = SEEN + DAY
    with _twin(sqlite_url, seen=None if minutes is None else now - minutes * MINUTE) as twin:
        made = plan(twin, Request(changes=lambda _: (PlannedScript("YEW", SCRIPT),)), as_of=now)
        first = [command.first for command in made.commands]
        looked = ["DISPLAY CHSTATUS(MILK.ELM) INDOUBT"] * 2 + ["DISPLAY CHSTATUS(*) INDOUBT"]
        assert first == ([""] * 3 if minutes == 3 else looked)
        lines = [line for line in plan_text(made) if "first, at YEW" in line]
        assert len(lines) == len([each for each in first if each])
