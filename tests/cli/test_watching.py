"""`twin watch`: takes what arrives in a folder, whole records only, once."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Run
from tests.cli.processes import Process, running, said
from tests.feeds.dating.test_manifests import TEXT as MANIFEST
from tests.feeds.test_dumps import OWN, dump
from tests.patience import PATIENCE
from twin.app.twin import Twin
from twin.cli.import_feeds import ImportOptions
from twin.cli.signals import Stop
from twin.cli.watching import Watcher
from twin.model.instants import MINUTE

URL: Final = "sqlite:///twin.db"
HOUR: Final = 3600
OPTIONS: Final = ImportOptions(None, None, None, together=False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder that is watched; the age of a file that is written does not matter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("twin.cli.watching._SETTLED", PATIENCE)
    Path("in").mkdir()


def put(name: str, text: str, age: float = HOUR) -> None:
    """Write a file of the folder that was modified so many seconds ago.

    Nobody sees a new file before it is whole, or one that is there when it is empty.
    """
    file = Path("in", name)
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file if file.exists() else Path("new")
    with written.open("r+" if file.exists() else "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.truncate()
    then = time.time() - age
    os.utime(written, (then, then))
    written.rename(file)


def looks(number: int) -> tuple[int, Watcher]:
    """Look so many times with a new watcher; return how many facts were recorded, and it."""
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        before = twin.log.head("main").position
        for _ in range(number):
            watcher.look()
        return twin.log.head("main").position - before, watcher


def watching() -> AbstractContextManager[Process]:
    """Run `twin watch` as a process that looks often."""
    return running("watch", "in", "--every", "100ms")


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_what_arrives_is_taken_until_a_signal_stops_it(run: Run, stop: signal.Signals) -> None:
    """New files and changed files are imported, and the output says what was taken."""
    with watching() as process:
        assert said(process, "watching") == "watching in every 0.1s"
        put("QM7.mqsc", dump(OWN))
        said(process, "in/QM7.mqsc is dated 2026-01-01T10:00:00Z by the header of the dump")
        assert " 2 facts recorded" in said(process, "in/QM7.mqsc: ")
        put("new/QM1.mqsc", "DEFINE QLOCAL(A)\n")
        assert "mqsc-script of QM1" in said(process, "in/new/QM1.mqsc: ")
        put("new/QM1.mqsc", "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\n")
        assert " 1 fact recorded" in said(process, "in/new/QM1.mqsc: ")
        process.send_signal(stop)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (0, "no longer watching in\n", "")
    assert run("log", "verify").code == 0


def test_nothing_is_taken_twice() -> None:
    """Neither at the next look nor by another process that begins anew."""
    put("QM7.mqsc", dump(OWN))
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n")
    assert looks(3)[0] > 0
    assert looks(3)[0] == 0


def test_a_kill_neither_loses_nor_doubles(run: Run) -> None:
    """A watch that was killed several times records the same as one that was not."""
    for number in range(8):
        put(f"2026-01-{number + 10}/QM1.mqsc", f"DEFINE QLOCAL(A) DESCR('{number}') REPLACE\n")
    for wait in (0.3, 0.6, 0.9, 1.2):
        with watching() as process:
            time.sleep(wait)
            process.kill()
    looks(2)
    words = ("log", "show", "--type", "ObjectsObserved", "--format", "json")
    killed = [row["occurred_at"] for row in run(*words).json["rows"]]
    shutil.move("twin.db", "other.db")
    looks(2)
    assert sorted(killed) == [row["occurred_at"] for row in run(*words).json["rows"]]
    assert len(killed) == 8


def test_a_file_that_is_being_written_is_left_until_it_is_whole() -> None:
    """It is taken when it did not change between two looks."""
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n", age=0)
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        watcher.look()
        put("QM1.mqsc", "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\n", age=0)
        watcher.look()
        assert twin.log.head("main").position == 0
        watcher.look()
        names = [name for _, name in twin.view()[0].qmgrs["QM1"].definitions]
    assert {"A", "B"} <= set(names)


def test_a_file_rewritten_in_place_with_the_same_length_is_taken_again() -> None:
    """What is new in a file is told by its text, not by its length."""
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        for age, priority in ((2 * HOUR, 1), (HOUR, 7)):
            put("QM1.mqsc", f"DEFINE QLOCAL(A) DEFPRTY({priority})\n", age=age)
            watcher.look()
            watcher.look()
            defined = twin.view()[0].qmgrs["QM1"].definitions["QUEUE", "A"]
            assert defined.values["DEFPRTY"] == priority


def test_a_collection_is_taken_when_it_has_ended() -> None:
    """Its manifest has an end; a script that died is not waited for longer than ten minutes."""
    begun = MANIFEST.rpartition("end:")[0]
    put("c/manifest.txt", begun, age=0)
    put("c/QM7/dmpmqcfg.mqsc", dump(OWN), age=0)
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        for _ in range(3):
            watcher.look()
        assert twin.log.head("main").position == 0
        put("c/manifest.txt", MANIFEST, age=0)
        watcher.look()
        assert twin.log.head("main").position > 0
    put("c/manifest.txt", begun, age=11 * 60)
    put("c/QM7/dmpmqcfg.mqsc", dump(OWN), age=11 * 60)
    assert looks(2)[0] > 0


def test_a_file_that_cannot_be_read_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The others are taken, and it is tried again when it changes."""
    Path("in/binary").write_bytes(bytes(range(256)))
    put("notes.txt", "Dear all,\nthe queue is full.\nKind regards\n")
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n")
    assert looks(4)[0] > 0
    told = sorted(capsys.readouterr().err.splitlines())
    assert len(told) == 2
    assert told[0] == "twin: in/binary is not text"
    assert told[1].startswith("twin: in/notes.txt is neither MQSC nor a dump")


CCDT = """{"channel": [{"name": "A", "type": "clientConnection", "clientConnection":
{"connection": [{"host": "h", "port": 1414}], "queueManager": "QM1"}}]}"""


def test_a_file_of_which_nothing_is_recorded_is_named_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The line says why; a log without records is not named, nor is what was known before."""
    put("QM9.mqsc", "PING QMGR\nDISPLAY QLOCAL(*)\n")
    put("ccdt.json", CCDT)
    put("empty.txt", "")
    put("AMQERR02.LOG", "")
    put(
        "conn.txt",
        """Starting MQSC for queue manager QM1.
     1 : DISPLAY CONN(*)
AMQ8276I: Display Connection details.
   CONN(A1)
   EXTCONN(414D)
One MQSC command read.
""",
    )
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n")
    assert looks(4)[0] > 0
    told = sorted(capsys.readouterr().err.splitlines())
    nothing, models = "nothing recorded:", "it defines nothing that twin models"
    passed, conn = "1 PING QMGR, 1 DISPLAY QLOCAL", "1 DISPLAY CONN (1 row)"
    assert told == [
        f"twin: in/QM9.mqsc: mqsc-script: {nothing} passed over, because {models}: {passed}",
        "twin: in/ccdt.json: ccdt: recognised, no fact taken: 1 client channel",
        f"twin: in/conn.txt: runmqsc-output: {nothing} recognised, no fact taken: {conn}",
        "twin: in/empty.txt: nothing recorded: it is empty",
    ]
    put("QM9.mqsc", "PING QMGR\nDISPLAY QLOCAL(*)\nDEFINE QLOCAL(B)\n")
    assert looks(4)[0] > 0
    assert "QM9" not in capsys.readouterr().err


def test_files_may_vanish_at_any_time() -> None:
    """What is gone is forgotten, and a new file of the same name is new."""
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n")
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        watcher.look()
        Path("in/QM1.mqsc").unlink()
        watcher.look()
        assert twin.log.head("main").position == 0
        put("QM1.mqsc", "DEFINE QLOCAL(A)\n")
        watcher.look()
        watcher.look()
        assert twin.log.head("main").position > 0


def test_once_takes_what_is_there(run: Run) -> None:
    """The exit code says whether all was understood."""
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n")
    taken = run("watch", "in", "--once")
    assert (taken.code, taken.err) == (0, "")
    assert "in/QM1.mqsc: mqsc-script of QM1" in taken.out
    assert run("watch", "in", "--once").out == ""
    put("QM2.mqsc", "DEFINE QLOCAL(A) NONSENSE(1)\n")
    assert run("watch", "in", "--once").code == 10


def test_once_names_what_is_not_whole(run: Run) -> None:
    """A collection that has not ended is left for the next time."""
    put("c/manifest.txt", MANIFEST.rpartition("end:")[0], age=0)
    put("c/QM7/dmpmqcfg.mqsc", dump(OWN), age=0)
    taken = run("watch", "in", "--once")
    assert (taken.code, taken.out) == (10, "")
    assert taken.err == (
        "twin: in/c/QM7/dmpmqcfg.mqsc is still being written or collected; it was not taken\n"
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["none"], "cannot read none: it is no folder"),
        (["in", "--every", "0s"], "malformed --every 0s"),
        (["in", "--tz", "Mars/Base"], "unknown time zone"),
    ],
)
def test_bad_input_is_one_line(run: Run, words: list[str], why: str) -> None:
    """Exit code 20, and no log."""
    refused = run("watch", *words, "--once")
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert why in refused.err
    assert not Path("twin.db").exists()


def test_files_are_taken_at_their_last_modification(run: Run) -> None:
    """So a watch that begins anew dates them the same."""
    put("QM1.mqsc", "DEFINE QLOCAL(A)\n", age=HOUR)
    run("watch", "in", "--once")
    shown = run("log", "show", "--type", "ObjectsObserved", "--format", "json").json["rows"]
    modified = Path("in/QM1.mqsc").stat().st_mtime_ns // 1000
    assert len(shown) == 1
    with Twin.open(URL, read_only=True) as twin:
        (row,) = twin.log.rows(types=["ObjectsObserved"])
    assert abs(row[0] - modified) < MINUTE


def logged(
    second: int, id_: str = "AMQ9999E", text: str = "Channel 'CA.FR1' to host ended."
) -> str:
    """Return one record of an error log in JSON."""
    return (
        f'{{"ibm_messageId":"{id_}","ibm_datetime":"2026-01-31T02:13:{second:02}.000Z",'
        f'"ibm_serverName":"QM1","ibm_commentInsert1":"CA.FR1","loglevel":"ERROR",'
        f'"message":"{id_}: {text}"}}\n'
    )


LOG: Final = "".join(logged(second % 60) for second in (1, 2, 2, 2, 5, 9)) + logged(
    59, "AMQ9544E", "Messages not put to destination queue."
)


def facts(run: Run) -> list[tuple[str, str]]:
    """Return the facts that are recorded, with their instants."""
    rows = run("log", "show", "--format", "json").json["rows"]
    kinds = ("ChannelObserved", "EvidenceObserved")
    found = [(row["occurred_at"], row["type"].partition("@")[0]) for row in rows]
    return sorted(each for each in found if each[1] in kinds)


@pytest.mark.parametrize("cut", [1, 100, 250, 600, 1000])
def test_whole_records_of_a_log_are_taken_while_it_grows(run: Run, cut: int) -> None:
    """Wherever it is torn at a look, each record is recorded once and as it is."""
    put("AMQERR01.json", LOG)
    looks(2)
    whole = facts(run)
    assert len(whole) == 7
    Path("twin.db").unlink()
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        put("AMQERR01.json", LOG[:cut], age=0)
        for upto in (cut, cut, 2 * cut, 2 * cut + 1, len(LOG), len(LOG)):
            put("AMQERR01.json", LOG[:upto], age=0)
            watcher.look()
    assert facts(run) == whole


def test_a_log_that_was_rotated_is_the_same_log(run: Run) -> None:
    """Its records have another file name, and are not recorded again."""
    put("AMQERR01.json", LOG)
    with Twin.open(URL) as twin:
        watcher = Watcher(twin, Stop(), "in", OPTIONS)
        for _ in range(2):
            watcher.look()
        Path("in/AMQERR01.json").rename("in/AMQERR02.json")
        put("AMQERR01.json", logged(30) * 2, age=0)
        for _ in range(3):
            watcher.look()
    assert len(facts(run)) == 9


NEEDED: Final = "may be day/month or month/day; give --dates dmy or --dates mdy"
AMBIGUOUS: Final = """03/04/2019 08:17:30 AM - Process(16296.7) User(mqm) Program(amqrmppa)
                    Host(h) Installation(Installation1)
                    VRMF(8.0.0.8) QMgr(QM05)

AMQ9999: Channel 'QM1.TO.QM2' to host 'h' ended abnormally.

EXPLANATION:
The channel program ended abnormally.
ACTION:
Look at previous error messages.
----- amqccita.c : 4482 -------------------------------------------------------
"""


def test_a_log_of_which_nothing_can_be_taken_is_named_with_the_option_it_needs(run: Run) -> None:
    """Without the order of its dates, a log is said to be of no use, and why; with it, it is."""
    put("AMQERR01.LOG", AMBIGUOUS)
    refused = run("watch", "in", "--once", "--tz", "UTC")
    assert refused.code == 10
    assert refused.err.splitlines() == [
        "twin: in/AMQERR01.LOG: error-log: recognised, no fact taken",
        "twin: in/AMQERR01.LOG:1: 1 not understood: AMQ9999 " + NEEDED,
    ]
    taken = run("watch", "in", "--once", "--tz", "UTC", "--dates", "dmy")
    assert "1 fact from 2019-04-03T08:17:30Z" in taken.out
    assert taken.code == 0
