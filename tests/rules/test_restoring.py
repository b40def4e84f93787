"""A queue manager restored from a backup: others discard its records until it refreshes."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin import events
from twin.fold.handlers.restoring import backup_of
from twin.model.platforms import renumbers
from twin.rules.deriving import derive

AGAIN = "DELETE QLOCAL(OLD)\nDEFINE QLOCAL(OLD) CLUSTER(CA)\nDELETE QLOCAL(OLD)\n"


def put_back(level: int = 930) -> Sandbox:
    """Restore PR2 to its first hour, after a day and two definitions."""
    sandbox = small_cluster(level)
    sandbox.run("PR2", "DEFINE QLOCAL(OLD) CLUSTER(CA)")
    sandbox.at("+1h")
    backup = backup_of(sandbox.estate.qmgr("PR2"), to=sandbox.draft.at)
    sandbox.at("+2h").run("PR2", "DEFINE QLOCAL(NEW) CLUSTER(CA)\n" + 3 * AGAIN)
    sandbox.at("+1d")
    derive(sandbox.draft, backup)
    return sandbox


def test_its_definitions_and_beliefs_are_those_of_the_backup() -> None:
    """A restored queue manager has its backup's definitions and beliefs; others keep theirs."""
    sandbox = put_back()
    qmgr = sandbox.estate.qmgr("PR2")
    assert qmgr.running
    assert ("QUEUE", "OLD") in qmgr.definitions
    assert ("QUEUE", "NEW") not in qmgr.definitions
    assert sandbox.knows("PR2", "queue") == {"OLD@PR2"}
    assert sandbox.knows("FR1", "queue") == sandbox.knows("FR2", "queue") == {"NEW@PR2"}


def test_messages_stay_except_on_a_queue_that_the_backup_lacks() -> None:
    """Messages on a queue that the backup does not have are gone with it; others stay."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(OLD)")
    backup = backup_of(sandbox.estate.qmgr("PR2"), to=sandbox.draft.at)
    sandbox.run("PR2", "DEFINE QLOCAL(NEW)")
    sandbox.put("PR2", "OLD", count=2)
    sandbox.put("PR2", "NEW", count=3)
    derive(sandbox.draft, backup)
    assert (sandbox.depth("PR2", "OLD"), sandbox.depth("PR2", "NEW")) == (2, 0)
    gone = events.MessagesLost(qmgr="PR2", queue="NEW", count=3, why="deleted")
    assert gone in [event for _, event in sandbox.draft.events]


@pytest.mark.parametrize("full", [920, 940])
@pytest.mark.parametrize("level", [930, 940, 1000])
def test_from_9_4_on_what_it_publishes_is_accepted(level: int, full: int) -> None:
    """The level of the owner counts, not that of the full repositories."""
    sandbox = put_back(level)
    for name in ("FR1", "FR2"):
        sandbox.estate.qmgr(name).cmdlevel = full
    sandbox.at("+25h").run("PR2", "ALTER QLOCAL(OLD) DESCR(x)")
    accepted = "OLD@PR2" in sandbox.knows("FR1", "queue") & sandbox.knows("FR2", "queue")
    assert accepted == (level >= 940)


def test_what_it_publishes_is_discarded_as_old_until_it_refreshes() -> None:
    """A record of a restored queue manager is discarded as old until REFRESH CLUSTER."""
    sandbox = put_back()
    sandbox.at("+25h").run("PR2", "ALTER QLOCAL(OLD) DESCR(x)")
    assert sandbox.knows("FR1", "queue") == {"NEW@PR2"}
    sandbox.at("+26h").run("PR2", "REFRESH CLUSTER(CA)")
    assert "OLD@PR2" in sandbox.knows("FR1", "queue") & sandbox.knows("FR2", "queue")


def test_a_record_that_the_backup_lacks_stays_for_90_days() -> None:
    """A record of a queue that the backup does not have stays until it is removed after 90 days."""
    sandbox = put_back()
    sandbox.run("PR2", "REFRESH CLUSTER(CA)")
    assert "NEW@PR2" in sandbox.at("2026-04-01T01:59:59Z").knows("FR1", "queue")
    assert "NEW@PR2" not in sandbox.at("2026-04-01T02:00:00Z").knows("FR1", "queue")


@pytest.mark.parametrize(
    ("level", "platform", "known"),
    [(920, "MVS", False), (930, "MVS", None), (935, "MVS", None), (935, "UNIX", False)]
    + [(940, each, True) for each in ("MVS", "UNIX")],
)
def test_whether_records_get_new_numbers_depends_on_a_fix_on_zos_at_9_3(
    level: int, platform: str, *, known: bool | None
) -> None:
    """It is not known there; elsewhere the level says it."""
    assert renumbers(level, platform) is known
