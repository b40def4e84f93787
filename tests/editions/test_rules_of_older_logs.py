"""A log that older rules derived opens, says so, and can be derived again under the new ones."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.app.scenes import LATER
from tests.editions import observed
from tests.editions.asking import answers_at
from tests.editions.stored import put_back
from tests.patience import PATIENCE
from twin.app.retracting import OnlyMain
from twin.app.twin import Twin
from twin.log import Log
from twin.model.instants import DAY, HOUR, SECOND
from twin.rules.version import RULES_VERSION

ROOT: Final = Path(__file__).parents[2]
BEFORE: Final = "derived under rules 1; twin log rederive derives it again"
FORKED: Final = "derived under rules 1; as it was at its fork"


@contextmanager
def kept(url: str) -> Iterator[Twin]:
    """Open the kept observed log, as it is some hours after its last record."""
    log = Log.open(url)
    if not log.last().position:
        log.import_lines(observed.stored_lines())
    ticks = itertools.count(observed.READ + 3 * HOUR, SECOND)
    with Twin(log, clock=lambda: next(ticks), branch="main") as twin:
        yield twin


def bare(value: Any) -> Any:
    """Return answers as JSON values without the positions of the events that they rest on."""
    if isinstance(value, dict):
        return {
            key: bare(each) for key, each in value.items() if key not in ("evidence", "position")
        }
    if not isinstance(value, list):
        return value
    if value and all(isinstance(each, list) and all(map(_is_number, each)) for each in value):
        return []
    return [bare(each) for each in value]


def _is_number(value: object) -> bool:
    return isinstance(value, int)


def rows(twin: Twin, known_at: int | None = None) -> dict[str, Any]:
    """Return the rows of all answers, without which events they rest on."""
    found: dict[str, Any] = bare(observed.answers(twin, known_at=known_at))
    return found


def test_an_older_log_is_derived_again_once(log_url: str) -> None:
    """It verifies and says its rules; derived again it says nothing, but as known before it does.

    A second time nothing is recorded. A branch that was forked before keeps its answers.
    """
    with kept(log_url) as twin:
        before = twin.log.verify()
        known, old = twin.as_of().known, rows(twin)
        assert twin.ask("members").notes[-1] == BEFORE
        assert twin.on_branch("try").ask("members").notes[-1] == FORKED
        done = twin.rederive()
        assert done is not None
        assert done.older == (1,)
        withdrawal, *derived = twin.log.events(after=before.position)
        assert (withdrawal.type, withdrawal.position) == ("DerivedFactsWithdrawn", done.position)
        assert len(derived) == done.derived
        assert {each.source for each in derived} == {f"rules/{RULES_VERSION}"}
        assert str(twin.log.verify(expect=str(before))) != str(before)
        assert not any("derived under" in note for note in twin.ask("members").notes)
        assert twin.ask("members", known_at=known).notes[-1] == BEFORE
        assert twin.on_branch("try").ask("members").notes[-1] == FORKED
        assert rows(twin, known) == old
        new = rows(twin)
        assert {key: new[key] for key in new if key.startswith("try ")} == {
            key: old[key] for key in old if key.startswith("try ")
        }
        assert new != old
        last = twin.log.last()
        assert twin.rederive() is None
        assert twin.log.last() == last
        with pytest.raises(OnlyMain, match="branch try keeps"):
            twin.on_branch("try").rederive()


def test_it_is_as_if_the_new_rules_had_always_been(sqlite_url: str, tmp_path: Path) -> None:
    """Derived again, the log answers as one into which the same was imported under new rules.

    Only DISPLAY lacks cells that the older reader had dropped.
    """
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"
    observed.write(fresh)
    with kept(sqlite_url) as twin, kept(fresh) as other:
        twin.rederive()
        found, expected = rows(twin), rows(other)
    asked = [key for key in found if key.startswith("main ") and key != "main DISPLAY"]
    assert {key: found[key] for key in asked} == {key: expected[key] for key in asked}


@pytest.mark.parametrize("world", ["story", "late-story", "branches", "demo"])
def test_a_log_without_observations_answers_the_same(sqlite_url: str, world: str) -> None:
    """What was only commanded has equal rows before and after it is derived again.

    In the demo, the first version had not recorded that two SDR channels try again.
    """
    put_back(world, sqlite_url)
    with Twin.open(sqlite_url, clock=lambda: LATER * 2) as twin:
        first, latest = min(row[0] for row in twin.log.rows()), twin.log.head().occurred_at
        assert latest is not None
        instants = {"latest": latest, "midway": (first + latest) // 2, "later": latest + DAY}
        points = {name: {"as_of": at} for name, at in instants.items()}
        before = bare(answers_at(twin, points, first + 1))
        assert twin.rederive() is not None
        after = bare(answers_at(twin, points, first + 1))
        assert twin.rederive() is None
    differ = {asked for asked in before if before[asked] != after[asked]}
    retries = ("errorlog", "doctor", "agenda", "DISPLAY FR1", "DISPLAY FR2", "channels", "verdict")
    assert {each for each in differ if world != "demo" or not each.endswith(retries)} == set()


REDERIVE: Final = """
import itertools, os, signal, sys
from tests.editions.test_rules_of_older_logs import kept
from twin.log import appending
record = appending.record
def killed(database, events, *others):
    done = record(database, events, *others)
    os.kill(os.getpid(), signal.SIGKILL)
    return done
with kept(sys.argv[1]) as twin:
    if sys.argv[2] == "kill":
        appending.record = killed
    twin.rederive()
"""


def test_a_killed_derivation_can_be_run_again(log_url: str) -> None:
    """After SIGKILL before the commit the log is as it was, and it can be derived again."""
    with kept(log_url) as twin:
        before = twin.log.verify()

    def run(how: str) -> int:
        command = [sys.executable, "-c", REDERIVE, log_url, how]
        return subprocess.run(command, cwd=ROOT, timeout=PATIENCE, check=False).returncode

    assert run("kill") == -signal.SIGKILL
    with kept(log_url) as twin:
        assert str(twin.log.verify()) == str(before)
    assert run("through") == 0
    with kept(log_url) as twin:
        assert twin.log.verify(expect=str(before)).position > before.position
        assert twin.rederive() is None
