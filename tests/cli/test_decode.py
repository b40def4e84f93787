"""`twin decode`: pasted lines of error logs, explained."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from twin.app.decoding.explained import alone, decode_lines
from twin.model.messages import CATALOGUE

AFTER = "2025-04-10T00:00"
"""An instant at which QM2 has not renewed its records for some days."""

OVERDUE = (
    "AMQ9469W: Update not received for CLUSRCVR channel CA.QM2 hosted on queue manager\n"
    "QM2_2025-03-03_09.00.00 in cluster CA, expected 11 days ago, 52 days remaining.\n"
)
ALONE = ("--log", "none.db")


def test_a_pasted_warning_is_explained(run: Run) -> None:
    """A wrapped message gives a paragraph: meaning, object, owner, days, what to do, source."""
    found = run("decode", "-", typed=OVERDUE)
    assert found.code == 0
    assert found.out == GOLDEN
    assert found.err == ""


GOLDEN = """\
AMQ9469W
  message    Update not received for CLUSRCVR channel CA.QM2 hosted on queue manager
             QM2_2025-03-03_09.00.00 in cluster CA, expected 11 days ago, 52 days remaining.
  means      A full repository was not told again about a cluster-receiver channel: its owner renews
             it every 27 days. The record expires after 30 days, and after 90 the queue manager
             drops out of the cluster.
  object     channel CA.QM2, cluster CA, QMID QM2_2025-03-03_09.00.00
  owner      QM2
  days left  52
  do         DISPLAY CHSTATUS(*) STATUS INDOUBT and DISPLAY QSTATUS(SYSTEM.CLUSTER.COMMAND.QUEUE)
             CURDEPTH IPPROCS at QM2; start or repair its channels to both full repositories
             Then publish it again: change DESCR there, ALTER CHANNEL(CA.QM2) CHLTYPE(CLUSRCVR)
             DESCR('published again')
             CAPEXPRY on a cluster transmission queue also leads to this
             If QM2 is gone for good, at a full repository: RESET CLUSTER(CA) ACTION(FORCEREMOVE)
             QMID('QM2_2025-03-03_09.00.00') QUEUES(YES)
             Last, if the record does not come and nothing is in doubt: REFRESH CLUSTER(CA)
             REPOS(NO) at QM2
  source     APAR PH34265; IBM MQ 9.4, "How long do the queue manager repositories retain
             information?"; APAR IT28022

1 record, 1 different message
no log: not compared with the twin
"""


def test_the_twin_says_what_is_in_use_and_until_when(cluster: Run) -> None:
    """The record's own dates in the twin are better than those of the message."""
    assert cluster("endmqm", "QM2", "--at", "2025-03-04T09:00").code == 0
    found = cluster("decode", "-", "--as-of", AFTER, "--format", "json", typed=OVERDUE)
    (row,) = found.json["rows"]
    assert found.code == 0
    assert (row["owner"], row["in_use"], row["days_left"]) == ("QM2", "yes", 53)
    assert row["removal"] == "2025-06-01T09:00:00Z"
    assert row["twin"][:2] == ["QM2 is a member of CA", "QM2 has ended"]
    assert row["twin"][-1] == (
        "FR1 holds the record: expired, published 2025-03-03T09:00:00Z, removed "
        "2025-06-01T09:00:00Z"
    )
    assert found.json["as_of"]["valid"] == "2025-04-10T00:00:00Z"
    assert row["evidence"] == sorted(set(row["evidence"]))
    beliefs = cluster("ask", "beliefs", "--on", "FR1", "--as-of", AFTER, "--format", "json")
    records = [each for each in beliefs.json["rows"] if each["owner"] == "QM2"]
    assert set(records[0]["evidence"]) & set(row["evidence"])


def test_a_record_that_was_renewed_since_is_over(cluster: Run) -> None:
    """If the twin holds a later publication, the warning is over."""
    line = f"2025-03-28T00:00:00.000Z {' '.join(OVERDUE.split())}"
    found = cluster("decode", "-", "--as-of", AFTER, typed=line)
    assert "QM2 renewed it at 2025-03-30T09:00:00Z, after the message: it is over" in found.out


def test_a_rebuilt_queue_manager_is_recognised(cluster: Run) -> None:
    """A QMID that the twin does not have belongs to a queue manager that was rebuilt."""
    old = OVERDUE.replace("2025-03-03", "2019-01-01")
    (row,) = cluster("decode", "-", "--format", "json", typed=old).json["rows"]
    assert row["in_use"] == "no"
    assert row["twin"][0] == (
        "QM2 has the QMID QM2_2025-03-03_09.00.00 now: it was rebuilt, and this is about the old "
        "one"
    )


@pytest.mark.parametrize(
    ("line", "in_use", "said"),
    [
        ("AMQ9528I: User requested channel 'CA.QM2' to be stopped.", "yes", "CA.QM2 at FR1 is"),
        ("AMQ9519E: Channel 'NO.SUCH' not found.", "unknown", "no cluster channel of the twin"),
        ("AMQ9510E: Cannot get messages from queue 'ORDERS', reason 2016.", "no", "cluster queue"),
        ("AMQ9420W: No repositories for cluster 'CA'.", "yes", "full repositories: FR1"),
        ("AMQ9420W: No repositories for cluster 'CB'.", "unknown", "no cluster of the twin"),
    ],
)
def test_names_are_looked_up(cluster: Run, line: str, in_use: str, said: str) -> None:
    """Channels, queues and clusters that a message names are looked up in the twin."""
    (row,) = cluster("decode", "-", "--format", "json", typed=line).json["rows"]
    assert row["in_use"] == in_use
    assert said in " ".join(row["twin"])


def test_names_are_looked_up_where_the_message_was_written(cluster: Run) -> None:
    """The queue manager of the record is asked about its own objects."""
    cluster("runmqsc", "QM2", typed="DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)\n")
    record = "QMgr(QM2)\nAMQ9999E: Channel 'APP' to host 'a' ended abnormally.\n"
    (row,) = cluster("decode", "-", "--format", "json", typed=record).json["rows"]
    assert row["twin"] == ["QM2 defines APP as SVRCONN, in no cluster"]
    (row,) = cluster("decode", "-", "--format", "json", typed=record.replace("QM2", "QM9")).json[
        "rows"
    ]
    assert row["twin"][-1] == "QM9 is not in the twin"


def test_what_twin_writes_itself_is_decoded(cluster: Run) -> None:
    """The error log of the twin can be pasted as well."""
    cluster("endmqm", "QM2", "--at", "2025-03-04T09:00")
    log = cluster("ask", "errorlog", "--as-of", AFTER, "--format", "csv")
    found = cluster("decode", "-", "--as-of", AFTER, "--format", "json", typed=log.out)
    ids = {row["id"][:7] for row in found.json["rows"]}
    assert ids == {line["id"] for line in csv.DictReader(io.StringIO(log.out))}
    assert "AMQ9469" in ids


def test_equal_messages_are_counted_and_noise_is_apart(run: Run) -> None:
    """Equal messages have one paragraph; what needs nothing to be done has one line at the end."""
    lines = "".join(
        f"2026-09-28T02:13:0{second}.000Z {text}\n"
        for second in range(3)
        for text in ("AMQ9002I: Channel 'A' is starting.", "AMQ9528I: User requested channel 'A'.")
    )
    found = run("decode", "-", typed=lines)
    assert found.lines[0] == "AMQ9528I  3 times  2026-09-28T02:13:00Z to 2026-09-28T02:13:02Z"
    assert found.lines[-6] == "  id        times  last                  means"
    assert found.lines[-5].startswith("  AMQ9002I  3      2026-09-28T02:13:02Z  A channel program")
    assert found.code == 0


@pytest.mark.parametrize("id_", ["AMQ9469W", "amq9469", "CSQX469E"])
def test_an_id_is_enough(run: Run, id_: str) -> None:
    """An id in place of a file is explained."""
    found = run("decode", id_)
    assert found.code == 0
    assert found.lines[0] == id_.upper()


def test_parts_that_are_not_understood_are_listed(run: Run) -> None:
    """Unknown ids and other lines give exit code 10; the rest is explained."""
    found = run("decode", "-", typed="hello\n\nAMQ9469W\nAMQ6999E: something new.\n")
    assert found.code == 10
    assert "  line 1 has no message id: hello" in found.lines
    assert (
        "  means      not in twin's table of messages; its explanation stands in the error log"
        in (found.lines)
    )
    assert "2 records, 2 different messages; 1 of unknown id" in found.lines


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "has no lines"),
        ("hello\n", "line 1 has no message id"),
        (b"\x1f\x8b" + bytes(range(256)) * 20, "is not text"),
        ("x" * (5 << 20), "line 1 is longer than 1 MiB"),
        ('{"type":"liberty_message","message":"x"}\n', "only lines of other programs"),
    ],
)
def test_nothing_to_read_is_one_line(run: Run, typed: str | bytes, said: str) -> None:
    """Input without any message of a queue manager gives one line and exit code 20."""
    found = run("decode", "-", typed=typed)
    assert (found.code, found.out) == (20, "")
    assert said in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tz", "Mars/Olympus"], "unknown time zone 'Mars/Olympus'"),
        (["--tz", "../../etc/passwd"], "unknown time zone"),
        (["--as-of", "soon"], "'soon' is not a time"),
    ],
)
def test_bad_options_are_refused(run: Run, options: list[str], said: str) -> None:
    """A zone or a time that does not exist gives one line and exit code 20."""
    found = run("decode", "AMQ9469", *options)
    assert (found.code, found.out) == (20, "")
    assert said in found.err


def test_a_log_that_cannot_be_read_takes_no_explanation_away(run: Run) -> None:
    """Without a comparison the messages are explained still; the exit code is 10."""
    Path("broken.db").write_text("no database", encoding="utf-8")
    found = run("decode", "AMQ9469", "--log", "broken.db")
    assert found.code == 10
    assert found.lines[0] == "AMQ9469"
    assert found.lines[-1].endswith(": not compared with the twin")


def test_no_input_acts_on_a_terminal(run: Run) -> None:
    """Control characters are written out in text and JSON."""
    line = "AMQ9519E: Channel '\x1b]0;x\x07\u202e' not found.\n\x1b[2J\n"
    for output in ("text", "json", "csv"):
        found = run("decode", "-", "--format", output, typed=line)
        assert not set("\x1b\x07\u202e") & set(found.out + found.err)


def test_a_name_from_a_log_writes_no_command(run: Run) -> None:
    """A name that MQ does not allow is not put into what to do."""
    line = "2026-09-28T02:13:00.000Z AMQ9558E: x [CommentInsert1(A) STOP CHANNEL(*)]\n"
    (row,) = run("decode", "-", "--format", "json", typed=line).json["rows"]
    assert "STOP CHANNEL" not in row["do"]
    assert "CHSTATUS(channel)" in row["do"]


def test_passwords_are_hidden(run: Run) -> None:
    """A password in a log is in no output, also not in what was not understood."""
    line = "AMQ9519E: Channel 'A' not found. password=geheim1\n\npassword=geheim2\n"
    for output in ("text", "json", "csv"):
        found = run("decode", "-", "--format", output, typed=line)
        assert "geheim" not in found.out + found.err


def test_files_of_other_encodings_are_read(run: Run) -> None:
    """UTF-16 with its mark, and Latin-1, are read."""
    line = "AMQ9519: Kanal 'Z\xdcRICH' nicht gefunden.\n"
    for raw in (line.encode("utf-16"), line.encode("latin-1"), line.encode()):
        (row,) = run("decode", "-", "--format", "json", typed=raw).json["rows"]
        assert row["message"] == "Kanal 'Z\xdcRICH' nicht gefunden."


def test_local_times_become_instants_with_a_zone(run: Run) -> None:
    """--tz and --dates tell what a local time means."""
    line = "03/04/2026 08:00:00 AMQ9519E: Channel 'A' not found.\n"
    options = ["decode", "-", "--tz", "Europe/Berlin", "--format", "json"]
    firsts = [
        run(*options, *dates, typed=line).json["rows"][0]["first"]
        for dates in ([], ["--dates", "dmy"], ["--dates", "mdy"])
    ]
    assert firsts == ["03/04/2026 08:00:00", "2026-04-03T06:00:00Z", "2026-03-04T07:00:00Z"]


def test_a_row_has_the_same_keys_in_json_and_csv(run: Run) -> None:
    """The columns of CSV are the keys of JSON."""
    (row,) = run("decode", "AMQ9469", "--format", "json").json["rows"]
    (line,) = csv.DictReader(io.StringIO(run("decode", "AMQ9469", "--format", "csv").out))
    assert [key for key in row if key != "evidence"] == list(line)
    assert line["means"] == row["means"]


def test_a_reason_code_is_explained_alone_and_in_a_message(run: Run) -> None:
    """A number, a name and a message with a number say the same of it."""
    says = "2085 is MQRC_UNKNOWN_OBJECT_NAME: The queue is not defined here"
    line = "AMQ9509E: Program cannot open object 'X' on queue manager 'Y', reason 2085.\n"
    for given in ("2085", "unknown_object_name", "MQRC_UNKNOWN_OBJECT_NAME"):
        assert says in run("decode", given, "--format", "json").json["rows"][0]["means"]
    rows = run("decode", "-", "--format", "json", typed=line + line.replace("2085", "2053")).json
    assert [row["means"].count("MQRC_") for row in rows["rows"]] == [1, 1]
    assert says in rows["rows"][0]["means"]


def test_no_id_leaves_a_place_unfilled() -> None:
    """Whatever a record names, neither the sentence nor the advice has a place left in braces."""
    for id_ in CATALOGUE:
        for row in alone(decode_lines([id_]), now=0).rows:
            assert not {*"{}<"} & {*f"{row['means']}{row['do']}"}, id_


def test_channels_that_differ_in_a_digit_are_two_messages(run: Run) -> None:
    """Of an id without known places too, numbers in names keep messages apart."""
    lines = "".join(f"AMQ9998E: Channel TO.QM{n} broke at 10.0.0.{n}(1414).\n" for n in (1, 2, 2))
    rows = run("decode", "-", "--format", "json", typed=lines).json["rows"]
    assert [row["number"] for row in rows] == [1, 2]


def test_lines_without_a_queue_manager_are_those_of_the_named_one(run: Run) -> None:
    """With --on the estate is asked about the queue manager that the line does not name."""
    run("crtmqm", "QM7")
    row = run("decode", "AMQ9544", "--on", "QM7", "--format", "json").json["rows"][0]
    assert (row["on"], row["in_use"]) == ("QM7", "no")
