"""`twin import --tz`: the zone of a queue manager is kept, and changed with a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.feeds.dating.test_manifests import TEXT as MANIFEST
from tests.feeds.test_dumps import OWN, dump

BERLIN = "Europe/Berlin"
CAPTURE = """Starting MQSC for queue manager QM7.

     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(FR1)                           CHANNEL(CA.FR1)
   CLUSTER(CA)                             CLUSDATE(2026-01-01)
   CLUSTIME(10.00.00)                      CONNAME(fr1(1414))
   DEFTYPE(CLUSSDRB)                       QMID(FR1_2025-12-31_00.00.00)
   QMTYPE(REPOS)                           SUSPEND(NO)
   STATUS(RUNNING)                         VERSION(09040000)
   XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""


def receipts(run: Run) -> set[str]:
    """Return when QM7 received what it holds."""
    words = ("ask", "beliefs", "--on", "QM7", "--as-of", "2026-01-02", "--format", "json")
    return {row["received"] for row in run(*words).json["rows"]}


def test_the_zone_is_kept_for_the_next_import(run: Run) -> None:
    """Dates of later files of the queue manager are read in it without --tz."""
    Path("QM7.mqsc").write_text(dump(OWN), encoding="utf-8")
    Path("display.txt").write_text(CAPTURE, encoding="utf-8")
    first = run("import", "QM7.mqsc", "--tz", BERLIN)
    assert first.lines[:2] == [
        "QM7.mqsc is dated 2026-01-01T09:00:00Z by the header of the dump",
        f"local times of QM7 are those of {BERLIN}, at later imports, too",
    ]
    again = run("import", "QM7.mqsc", "display.txt")
    assert again.lines[0] == "QM7.mqsc is dated 2026-01-01T09:00:00Z by the header of the dump"
    assert "UTC" not in again.out
    assert "are those of" not in again.out
    assert receipts(run) == {"2026-01-01T09:00:00Z"}


def test_another_zone_says_what_to_retract(run: Run) -> None:
    """What was read before keeps its instants until it is retracted and imported again."""
    Path("display.txt").write_text(CAPTURE, encoding="utf-8")
    Path("QM7.mqsc").write_text(dump(OWN), encoding="utf-8")
    words = ("import", "QM7.mqsc", "display.txt", "--at", "2026-01-02")
    run(*words)
    assert receipts(run) == {"2026-01-01T10:00:00Z"}
    changed = run(*words, "--tz", BERLIN)
    (said,) = [line for line in changed.lines if "keep the instants" in line]
    assert said.startswith(
        "QM7: 3 facts keep the instants that were read as UTC; to correct them, "
    )
    retraction = said.partition("twin ")[2].partition(",")[0].split()
    assert run(*retraction).code == 0
    run(*words)
    assert receipts(run) == {"2026-01-01T09:00:00Z"}
    other = run(*words, "--tz", "America/New_York")
    assert "that were read as Europe/Berlin" in other.out


def test_the_zone_moves_no_time(run: Run) -> None:
    """Stating a zone is no late fact, and later commands may have any later instant."""
    Path("QM7.mqsc").write_text(dump(OWN), encoding="utf-8")
    run("import", "QM7.mqsc", "--tz", BERLIN)
    shown = run("log", "show", "--format", "json").json["rows"]
    assert {row["occurred_at"] for row in shown} == {"2026-01-01T09:00:00Z"}
    assert "DerivedFactsWithdrawn" not in {row["type"] for row in shown}
    assert run("crtmqm", "NEW", "--at", "2026-01-01T10:00").code == 0


def test_a_zone_can_be_retracted(run: Run) -> None:
    """Then local times are read as UTC again."""
    Path("QM7.mqsc").write_text(dump(OWN), encoding="utf-8")
    run("import", "QM7.mqsc", "--tz", BERLIN)
    shown = run("log", "show", "--type", "ZoneStated", "--format", "json").json["rows"]
    assert run("retract", str(shown[0]["position"])).code == 0
    assert "taken as UTC" in run("import", "QM7.mqsc").out


LOG = """01/31/2026 02:13:05 AM - Process(1.2) User(mqm) Program(amqrmppa)
                    Host(h) Installation(I) VRMF(9.0.0.1) QMgr(QM7)

AMQ9544: Messages not put to destination queue.

EXPLANATION:
During the processing of channel 'CA.QM7' one or more messages could not be put.
ACTION:
None.
----- amqrmrsa.c : 961 --------------------------------------------------------
"""


def test_the_kept_zone_dates_logs(run: Run) -> None:
    """A log names its queue manager in its records."""
    Path("QM7.mqsc").write_text(dump(OWN), encoding="utf-8")
    Path("AMQERR01.LOG").write_text(LOG, encoding="utf-8")
    assert run("import", "AMQERR01.LOG").code == 20
    run("import", "QM7.mqsc", "--tz", BERLIN)
    taken = run("import", "AMQERR01.LOG", "--dates", "mdy")
    assert "1 fact from 2026-01-31T01:13:05Z to 2026-01-31T01:13:05Z, 1 recorded" in taken.out


def test_a_collected_log_is_of_the_queue_manager_of_its_folder(run: Run) -> None:
    """Logs of old versions do not name it in their records."""
    folder = Path("c", "A&B")
    folder.mkdir(parents=True)
    Path("c/manifest.txt").write_text(MANIFEST, encoding="utf-8")
    (folder / "AMQERR01.LOG").write_text(LOG.replace(" QMgr(QM7)", ""), encoding="utf-8")
    taken = run("import", "c", "--dates", "mdy")
    assert taken.lines[1].startswith("c/A&B/AMQERR01.LOG: error-log of A/B: 1 fact ")


def test_the_zone_is_not_kept_for_a_queue_manager_whose_answers_are_refused(run: Run) -> None:
    """Answers of another queue manager than --qmgr give nothing, so nothing is kept of it."""
    shown = "Starting MQSC for queue manager OTHER.\n\n     1 : DISPLAY QMGR ALL\n"
    shown += "AMQ8408I: Display Queue Manager details.\n   QMNAME(OTHER)   DEADQ(X)\n"
    shown += "One MQSC command read.\nNo commands have a syntax error.\n"
    Path("other.txt").write_text(shown, encoding="utf-8")
    done = run("import", "other.txt", "--qmgr", "QM1", "--tz", "Europe/Berlin")
    assert "is an answer of OTHER, not of QM1" in done.out + done.err
    assert "local times of OTHER" not in done.out


@pytest.mark.parametrize("zones", [(BERLIN, "Asia/Singapore"), (BERLIN, BERLIN), (BERLIN, "")])
def test_an_import_of_several_zones_says_them(run: Run, zones: tuple[str, str]) -> None:
    """One line has the zone of each queue manager, if the files of the import differ in it."""
    for name, zone in zip(("QM7", "QM8"), zones, strict=True):
        Path(f"{name}.mqsc").write_text(dump(OWN).replace("QM7", name), encoding="utf-8")
        run("import", f"{name}.mqsc", *(("--tz", zone) if zone else ()))
    other = zones[1] or "UTC, as none was given,"
    said = {f"{BERLIN} for QM7", f"{other} for QM8"}
    line = f"the files have several zones: {'; '.join(sorted(said))}"
    assert (line in run("import", "QM7.mqsc", "QM8.mqsc").lines) == (zones[1] != BERLIN)
