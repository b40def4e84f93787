"""`twin import` of logs: once each, as they grow, hostile or not."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.feeds.test_dumps import OWN, dump

RECORD = """03/22/2026 08:17:{second:02d} AM - Process(16296.7) User(mqm) Program(amqrmppa)
                    Host(h) Installation(Installation1)
                    VRMF(9.3.0.0) QMgr(QM1)
                    Time(2026-03-22T08:17:{second:02d}.227Z)
                    CommentInsert1(TO.FR1)

{id}: Something about channel 'TO.FR1'.

EXPLANATION:
It is so.
ACTION:
None.
----- amqccita.c : 4482 -------------------------------------------------------
"""
SCRIPT = """DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1') CLUSTER(CA)
DEFINE CHANNEL(TO.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
"""


def log(*ids: str) -> str:
    """Return a log with one record a second."""
    return "".join(RECORD.format(second=second, id=id_) for second, id_ in enumerate(ids))


def events(run: Run) -> Counter[str]:
    """Return the types of all events."""
    taken = run("log", "show", "--all", "--limit", "5000", "--format", "json")
    return Counter(row["type"].partition("@")[0] for row in json.loads(taken.out)["rows"])


def test_a_log_that_grows_and_rotates_is_recorded_once(run: Run) -> None:
    """Each record gives one fact, whichever files it is in."""
    ids = ["AMQ9999E", "AMQ9002I", "AMQ9206E", "AMQ9209E", "AMQ9999E"]
    Path("AMQERR01.LOG").write_text(log(*ids[:3]), encoding="utf-8")
    first = run("import", "AMQERR01.LOG")
    assert first.code == 0
    assert "3 facts from 2026-03-22T08:17:00.227000Z" in first.lines[0]
    Path("AMQERR01.LOG").write_text(log(*ids), encoding="utf-8")
    assert ", 2 recorded" in run("import", "AMQERR01.LOG").lines[0]
    Path("AMQERR01.LOG").rename("AMQERR02.LOG")
    before = events(run)
    assert ", 0 recorded" in run("import", "AMQERR02.LOG").lines[0]
    again = events(run) - before
    assert again in ({}, {"ImportBegun": 1, "ImportEnded": 1})
    assert run("log", "verify").code == 0


def test_definitions_and_logs_may_come_together(run: Run) -> None:
    """A channel that a log says to have failed is RETRYING, and the log is listed.

    When QM1 was last seen is listed, too: by the log, of a channel, and by the collection.
    """
    Path("all").mkdir()
    Path("all/QM1.mqsc").write_text(SCRIPT, encoding="utf-8")
    Path("all/AMQERR01.LOG").write_text(log("AMQ9999E"), encoding="utf-8")
    taken = run("import", "all", "--at", "2026-03-22T08:00:00Z")
    assert taken.code == 0
    status = run("ask", "channels", "--on", "QM1", "--format", "csv").out
    assert "TO.FR1,RETRYING" in status
    rows = json.loads(run("ask", "ingest", "--format", "json").out)["rows"]
    kinds = Counter(row["kind"] for row in rows)
    assert kinds == {"file": 2, "last-seen": 3, "not-in-twin": 1}
    seen = {row["name"]: row["last_seen"] for row in rows if row["kind"] == "last-seen"}
    assert seen == {
        "channels": "2026-03-22T08:17:00.227000Z",
        "logs": "2026-03-22T08:17:00.227000Z",
        "collections": "2026-03-22T08:00:00Z",
    }


def test_what_is_missing_is_said_under_answers_and_strict_exits_10(run: Run) -> None:
    """A queue manager that is named and not imported is named under answers that depend on it."""
    Path("QM1.mqsc").write_text(SCRIPT, encoding="utf-8")
    taken = run("import", "QM1.mqsc", "--qmgr", "QM1", "--strict")
    assert taken.code == 10
    said = "not in the twin: FR1? (twin ask ingest)"
    for question in ("members", "beliefs", "divergence", "lifetimes", "transmission"):
        assert said in run("ask", question).out
        assert run("ask", question, "--strict").code == 10
        assert said in json.loads(run("ask", question, "--format", "json").out)["notes"]
    assert said not in run("ask", "channels").out
    assert said in run("explain", "QM1", "NOQ").out
    assert said in run("ask", "explain", "--on", "QM1", "--queue", "NOQ").out
    assert run("ask", "ingest", "--strict").code == 10
    other = SCRIPT.replace("TO.QM1", "X").replace("TO.FR1", "TO.QM1").replace("X", "TO.FR1")
    Path("FR1.mqsc").write_text(other, encoding="utf-8")
    assert run("import", "FR1.mqsc", "--qmgr", "FR1", "--strict").code == 0
    assert run("ask", "members", "--strict").code == 0


def test_a_log_of_a_folder_belongs_to_its_queue_manager(run: Run) -> None:
    """The folder qmgrs/NAME/errors names the queue manager of records that name none."""
    folder = Path("qmgrs/QM!A/errors")
    folder.mkdir(parents=True)
    text = log("AMQ9999E").replace(" QMgr(QM1)", "")
    Path(folder, "AMQERR01.LOG").write_text(text, encoding="utf-8")
    assert " of QM.A: 1 fact " in run("import", str(folder)).lines[0]


@pytest.mark.parametrize(
    ("other", "taken", "said"),
    [
        ("22/03/2026", "2026-04-03T06:17:00Z", "day/month"),
        ("03/22/2026", "2026-03-04T07:17:00Z", "month/day"),
        ("05/06/2026", None, None),
    ],
)
def test_a_date_of_a_log_tells_the_order_of_the_others(
    run: Run, other: str, taken: str | None, said: str | None
) -> None:
    """Day and month are told apart by the whole file; if no date tells, nothing is guessed."""
    open_ = without_instant(RECORD.format(second=0, id="AMQ9999E").replace("03/22", "03/04"))
    decides = without_instant(RECORD.format(second=1, id="AMQ9206E")).replace("03/22/2026", other)
    Path("AMQERR01.LOG").write_text(open_ + decides, encoding="utf-8")
    done = run("import", "AMQERR01.LOG", "--tz", "Europe/Berlin")
    if taken is None:
        assert done.code == 20
        assert "may be day/month or month/day" in done.err
        given = run("import", "AMQERR01.LOG", "--tz", "Europe/Berlin", "--dates", "dmy")
        assert "2 recorded" in given.out
        return
    assert f"its dates are {said}: no other order fits them all" in done.out
    assert done.code == 0
    assert taken in done.out
    assert ", 0 recorded" in run("import", "AMQERR01.LOG", "--tz", "Europe/Berlin").out


def without_instant(record: str) -> str:
    """Return a record of an older version, which has only a local time."""
    return "\n".join(line for line in record.split("\n") if "Time(" not in line)


def test_records_of_the_future_are_passed_over_and_counted(run: Run) -> None:
    """One line names the queue manager; the other records count, and nothing comes later."""
    late = log("AMQ9999E", "AMQ9206E").replace("2026-03-22T", "2098-03-22T")
    Path("AMQERR01.LOG").write_text(log("AMQ9999E") + late, encoding="utf-8")
    done = run("import", "AMQERR01.LOG")
    said = (
        "AMQERR01.LOG: 2 records after the present were passed over: the clock or the zone of QM1 "
        "is wrong (--tz)"
    )
    assert (done.code, done.lines.count(said)) == (10, 1)
    assert "1 fact from 2026-03-22T08:17:00.227000Z" in done.lines[0]
    shown = run("log", "show", "--all", "--format", "json").out
    assert '"claimed"' not in shown
    rows = json.loads(run("ask", "ingest", "--format", "json").out)["rows"]
    assert [each["count"] for each in rows if "after the present" in str(each["why"])] == [2]
    scrape = 'ibmmq_queue_depth{qmgr="QM1",queue="A"} 3 4070908800000\n'
    Path("scrape.txt").write_text(scrape * 2, encoding="utf-8")
    alone = run("import", "scrape.txt")
    assert alone.code == 20
    assert "scrape.txt: 1 record after the present was passed over" in alone.err


ABSURD = ("NaN", "1e300", "-1e300", "-7", "0.5", "+Inf", "9007199254740993e9")


def test_absurd_samples_are_lost_alone(run: Run) -> None:
    """A series keeps its other samples; one line says how many were not understood."""
    series = {"__name__": "ibmmq_queue_depth", "qmgr": "QM1", "queue": "A"}
    values = [[1_772_612_250 + second, value] for second, value in enumerate(ABSURD)]
    values += [
        [1_772_612_300, "3"],
        ["NaN", "4"],
        [1e300, "5"],
        [-1e300, "6"],
        [1_772_612_301, "7"],
    ]
    Path("ranges.json").write_text(
        json.dumps([{"metric": series, "values": values}]), encoding="utf-8"
    )
    labels = '{qmgr="QM1",queue="A"}'
    lines = [f"ibmmq_queue_depth{labels} {value} {second}000" for second, value in values[:8]]
    lines += [f"ibmmq_queue_depth{labels} 7 {at}" for at in ("NaN", "1e300", "-1", "1" * 400)]
    Path("scrape.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, taken in (("ranges.json", 3), ("scrape.txt", 2)):
        done = run("import", name, "--at", "2026-03-05T00:00:00Z")
        assert done.code == 10
        assert f": {taken} facts from 2026-03-04" in done.lines[0]
        counted = [line for line in done.lines if "has a value that is no count" in line]
        assert len(counted) == 1
        assert "6 not understood" in counted[0]


def test_a_qmid_that_is_too_long_is_refused_in_one_line(run: Run) -> None:
    """In a dump, in answers to DISPLAY, and in the error log; nothing else of a file is lost."""
    long = "Q" * 30 + "_2026-01-01_00.00.00"
    text = dump(OWN.replace("QM7_2025-12-31_23.59.58", long))
    answer = f"""Starting MQSC for queue manager QM1.
     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(QM1)                             QMID({long})
     2 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(FR1)                           CHANNEL(CA.FR1)
   CLUSTER(CA)                             QMID({long})
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(FR2)                           CHANNEL(CA.FR2)
   CLUSTER(CA)                             QMID(FR2_2026-01-01_00.00.00)
"""
    overdue = RECORD.format(second=1, id="AMQ9456W").replace(
        "CommentInsert1(TO.FR1)",
        f"CommentInsert1(TO.FR1)\n CommentInsert2({long})\n CommentInsert3(CA)",
    )
    for name, content, times in (
        ("dump.mqsc", text, 1),
        ("answer.txt", answer, 2),
        ("AMQERR01.LOG", overdue + log("AMQ9999E"), 1),
    ):
        Path(name).write_text(content, encoding="utf-8")
        done = run("import", name, "--at", "2026-03-23T00:00:00Z")
        said = [line for line in (done.out + done.err).splitlines() if "more than 48" in line]
        assert len(said) == times, done
        shown = run("log", "show", "--all", "--format", "json").out
        assert long not in shown
    assert "FR2_2026-01-01_00.00.00" in shown


HOSTILE = {
    "torn at the end": log("AMQ9999E", "AMQ9206E")[:-300].encode(),
    "torn at the beginning": log("AMQ9999E", "AMQ9206E")[200:].encode(),
    "two records in one": log("AMQ9999E").replace("\n", " ").encode() + log("AMQ9206E").encode(),
    "latin-1": log("AMQ9999E").replace("Something", "Stöß").encode("latin-1"),
    "utf-16": log("AMQ9999E").encode("utf-16"),
    "NULs": log("AMQ9999E").encode() + b"\0" * 5000 + log("AMQ9206E").encode(),
    "a long line": log("AMQ9999E").encode() + b"x" * (3 << 20) + b"\n" + log("AMQ9206E").encode(),
    "deep JSON": b'{"ibm_messageId":"AMQ9999E","a":' + b"[" * 100_000 + b"\n",
    "a JSON bomb": b'{"ibm_messageId":"AMQ9999E","a":"' + b"\\u0041" * 300_000 + b'"}\n',
    "half a character": json.dumps(
        {
            "ibm_messageId": "AMQ9206E",
            "ibm_datetime": "2026-03-22T08:17:00.227Z",
            "ibm_serverName": "QM1",
            "type": "mq_log",
            "ibm_commentInsert1": "\ud800 \0",
            "message": "AMQ9206E: \ud800 and \0",
        }
    ).encode(),
    "numbers": b'{"eventSource" : {"a" : ' + b"9" * 50_000 + b"}}\n",
    "impossible dates": log("AMQ9999E").replace("2026-03-22T", "9999-99-99T").encode(),
    "an endless sample": b'ibmmq_channel_status{qmgr="QM1"' + b',a="b"' * 50_000 + b"} 3\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_give_counts_and_no_traceback(run: Run, name: str) -> None:
    """A few lines, an exit code, a sound log; what could be read is recorded."""
    Path("bad.log").write_bytes(HOSTILE[name])
    taken = run("import", "bad.log")
    assert taken.code in (0, 10, 20)
    assert "Traceback" not in taken.out + taken.err
    assert len(taken.lines) + len(taken.err.splitlines()) <= 12
    assert max(map(len, [*taken.lines, *taken.err.splitlines()])) < 600
    if taken.code != 20:
        assert run("log", "verify").code == 0
        again = run("import", "bad.log")
        assert again.code == taken.code
        assert not any(", 1 recorded" in line for line in again.lines)


def test_what_is_passed_over_is_counted_in_words(run: Run) -> None:
    """Lines of others are plural; an answer to an unknown command is named by its message."""
    line = "2026-03-22 08:17:30.12 +CSQX500I MQ1A CSQXRCTL Channel A.B started"
    Path("job.txt").write_text(f"$HASP373 MQ1A STARTED\nIEF403I MQ1A\n{line}\n", encoding="utf-8")
    assert "no fact taken: 2 lines of another program" in run("import", "job.txt").err
    said = {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: Not found."]}
    answer = {"commandResponse": [said], "overallCompletionCode": 2, "overallReasonCode": 3008}
    Path("web.json").write_text(json.dumps(answer), encoding="utf-8")
    refused = run("import", "web.json", "--qmgr", "QM1")
    assert "recognised, no fact taken: 1 answer AMQ8147" in refused.out
