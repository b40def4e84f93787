"""`twin ask` and `twin open`: answers in every format."""

from __future__ import annotations

import csv

import pytest

from tests.cli.conftest import AT, Run
from tests.schemas import mismatches
from twin.questions.catalogue import KINDS, QUESTIONS

OPTIONS = {
    "access": ("--queue", "ORDERS"),
    "explain": ("--on", "QM1", "--queue", "ORDERS"),
    "route": ("--on", "QM1", "--queue", "ORDERS"),
    "browse": ("--on", "QM2", "--queue", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"),
}
"""The filters that a question requires."""


def test_an_answer_is_a_table_that_ends_with_its_point(cluster: Run) -> None:
    """The text format has headings, one line per row, and the point in time as its last line."""
    lines = cluster("ask", "members", "--as-of", "2025-03-04").lines
    assert lines[0].split() == ["cluster", "qmgr", "qmid", "qmtype", "suspend", "known_by"]
    assert lines[2] == "CA       QM1   QM1_2025-03-03_09.00.00  NORMAL  NO       FR1 QM1"
    assert len(lines) == 5
    assert lines[-1].startswith("as of ")


def test_json_names_the_question_and_its_point(cluster: Run) -> None:
    """JSON is {question, as_of: {valid, known, branch}, rows} with instants in ISO 8601."""
    asked = ["ask", "beliefs", "--on", "QM1", "--as-of", "2025-03-03T09:30", "--format", "json"]
    answer = cluster(*asked).json
    assert list(answer) == ["question", "as_of", "rows"]
    assert answer["question"] == "beliefs"
    assert answer["as_of"]["valid"] == "2025-03-03T09:30:00Z"
    assert {row["name"] for row in answer["rows"]} == {"FR1", "QM1"}
    assert {row["expires"] for row in answer["rows"]} == {"2025-04-02T09:00:00Z"}


def test_csv_has_a_header_and_nothing_else_around_the_rows(cluster: Run) -> None:
    """CSV has a header and only rows after it; a list is one cell."""
    rows = list(csv.DictReader(cluster("ask", "members", "--format", "csv").lines))
    assert [row["known_by"] for row in rows] == ["FR1 QM1 QM2", "FR1 QM1", "FR1 QM2"]


def test_filters_narrow_an_answer(cluster: Run) -> None:
    """Observer, cluster, kind and name filter the rows; an empty answer is one sentence."""
    asked = ["ask", "beliefs", "--on", "FR1", "--kind", "queue", "--name", "ORDERS"]
    (row,) = cluster(*asked, "--format", "json").json["rows"]
    assert row["owner"] == "QM2"
    assert cluster(*asked, "--cluster", "CB").lines[0] == "no records"


def test_changes_compare_two_instants(cluster: Run) -> None:
    """The option --since sets the earlier instant, which may be relative to now."""
    alter = "ALTER QLOCAL(ORDERS) PUT(DISABLED)"
    cluster("runmqsc", "QM2", typed=alter)
    asked = ["ask", "changes", "--since", "-1h", "--on", "FR1", "--format", "json"]
    (row,) = cluster(*asked).json["rows"]
    assert row["name"].startswith("ORDERS@QM2")
    assert (row["field"], row["after"]) == ("PUT", "DISABLED")


def test_the_help_lists_every_question_in_one_line(run: Run) -> None:
    """`twin ask --help` lists each question with its summary, in 80 columns."""
    lines = [" ".join(line.split()) for line in run("ask", "--help").lines]
    for name, question in QUESTIONS.items():
        assert f"{name} {question.summary}" in lines


@pytest.mark.parametrize("question", sorted(QUESTIONS))
def test_the_help_of_a_question_has_its_filters_and_columns(run: Run, question: str) -> None:
    """The help of a question explains all of its filters and columns, and no others."""
    text = run("ask", question, "--help").out
    words = " ".join(text.split())
    declared = QUESTIONS[question]
    for filter_ in declared.narrowed_by:
        value = "|".join(filter_.choices) or filter_.metavar
        assert f"--{filter_.name} {value} ".replace("  ", " ") in words
        assert filter_.meaning in words
    for column in declared.columns:
        assert f"{column.name} {column.meaning}" in words
    others = {name for each in QUESTIONS.values() for name in each.filters} - {*declared.filters}
    assert [name for name in others if f" --{name} " in words] == []
    assert declared.limits in words
    assert ("--since" in words) == (declared.has_span or bool(declared.drawn_by))
    assert ("svg" in words) == bool(declared.drawn_by)
    assert "Exit codes: 0 " in words


@pytest.mark.parametrize("question", sorted(QUESTIONS))
def test_real_answers_fit_the_schema(cluster: Run, question: str) -> None:
    """The JSON of each question matches `ask --schema`."""
    required = OPTIONS.get(question, ())
    cluster("endmqm", "FR1", "--at", "2025-03-03T10:00")
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:00", typed="DEFINE QLOCAL(A) CLUSTER(CA)")
    asked = ("ask", question, *required, "--as-of", "2025-03-03T10:01", "--format", "json")
    answer = cluster(*asked).json
    schema = cluster("ask", "--schema", question).json
    assert schema == cluster("ask", question, "--schema").json
    assert list(mismatches(answer, schema)) == []
    every = cluster("ask", "--schema").json
    assert {
        "$schema": every["$schema"],
        **every["oneOf"][list(QUESTIONS).index(question)],
    } == schema


def test_the_check_of_schemas_finds_what_does_not_fit(cluster: Run) -> None:
    """A missing key, an additional key, a wrong type and a value outside the choices are found."""
    answer = cluster("ask", "members", "--format", "json").json
    schema = cluster("ask", "members", "--schema").json
    row = answer["rows"][0]
    wrong = [{**row, "qmid": 1}, {**row, "more": ""}, {**row, "suspend": "MAYBE"}, {"qmid": "Q"}]
    for other in wrong:
        assert list(mismatches({**answer, "rows": [other]}, schema))


def test_columns_narrow_every_form(cluster: Run) -> None:
    """The option --columns selects and orders columns in text, JSON and CSV."""
    asked = ("ask", "members", "--as-of", AT, "--columns", "qmid, cluster")
    assert cluster(*asked).lines[0].split() == ["qmid", "cluster"]
    assert cluster(*asked, "--format", "csv").lines[0] == "qmid,cluster"
    rows = cluster(*asked, "--format", "json").json["rows"]
    assert {tuple(row) for row in rows} == {("qmid", "cluster", "evidence")}


def test_h_is_help_except_where_mq_has_that_flag(run: Run) -> None:
    """The option -h prints the help; crtmqm and dspmq have a flag -h of MQ instead."""
    assert run("-h").lines[0].startswith("Usage: twin ")
    for words in (("ask", "members"), ("branch", "diff"), ("open",)):
        assert run(*words, "-h").out == run(*words, "--help").out
    assert run("crtmqm", "-h", "256", "QM1").lines == ["IBM MQ queue manager 'QM1' created."]


def test_pending_rows_are_counted(cluster: Run) -> None:
    """A table says how many rows depend on events that are due but not recorded."""
    pending = "events that are due by the as-of time, but not yet in the log"
    assert pending in cluster("ask", "lifetimes").out


def test_limit_says_what_it_leaves_out(cluster: Run) -> None:
    """The option --limit gives the first rows; the number of the others is not part of the JSON."""
    text = cluster("ask", "members", "--as-of", AT, "--limit", "1")
    assert len(text.lines) == 4
    assert text.lines[2] == "2 more rows not shown (--limit 1)"
    document = cluster("ask", "members", "--as-of", AT, "--limit", "2", "--format", "json")
    assert len(document.json["rows"]) == 2
    assert document.err == "twin: 1 more row not shown (--limit 2)\n"
    assert "not shown" not in cluster("ask", "members", "--as-of", AT, "--limit", "3").out


def test_a_table_is_not_wider_than_100_columns(cluster: Run) -> None:
    """A table in a pipe has at most 100 columns; --wide prints all columns and full instants."""
    cluster("endmqm", "FR1", "--at", "2025-03-03T10:00:00.123456")
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:01", typed="DEFINE QLOCAL(A) CLUSTER(CA)")
    for question in QUESTIONS:
        required = OPTIONS.get(question, ())
        asked = cluster(
            "ask",
            question,
            *required,
            "--as-of",
            "2025-03-03T10:01",
            "--columns",
            ",".join(QUESTIONS[question].main),
        )
        assert asked.code == 0
        assert max(map(len, asked.lines)) <= 100
    channels = ("ask", "channels", "--on", "QM1", "--as-of", "2025-03-03T10:00:01")
    assert "2025-03-03T10:00:00Z" in cluster(*channels).out
    assert "2025-03-03T10:00:00.123456Z" in cluster(*channels, "--wide").out
    wide = cluster("ask", "beliefs", "--wide").lines
    assert "received" in wide[0].split()
    assert len(wide[1]) > 100


@pytest.mark.parametrize("place", ["before", "after"])
def test_log_and_branch_go_before_and_after_the_command(cluster: Run, place: str) -> None:
    """The global options are also options of every command."""
    cluster("branch", "create", "lab")
    for words in (["ask", "members"], ["branch", "list"], ["dspmq"], ["runmqsc", "QM1"]):
        where = ["--branch", "lab", "--log", "twin.db"]
        ran = cluster(*([*where, *words] if place == "before" else [*words, *where]))
        assert ran.code == 0
        absent = ["--log", "absent.db"]
        ran = cluster(*([*absent, *words] if place == "before" else [*words, *absent]))
        assert ran.code == 20
        assert "absent.db" in ran.err
    last = cluster("--branch", "main", "ask", "members", "--branch", "lab").lines[-1]
    assert last.endswith("branch lab")


def test_every_kind_of_record_can_be_asked_for(cluster: Run) -> None:
    """Every kind of record in repositories is a choice of --kind."""
    cluster("runmqsc", "FR1", typed="DEFINE TOPIC(T) TOPICSTR('t') CLUSTER(CA)")
    answer = cluster("ask", "beliefs", "--on", "FR1", "--format", "json").json
    assert {row["kind"] for row in answer["rows"]} == set(KINDS)


def test_an_unknown_cluster_is_an_empty_answer(cluster: Run) -> None:
    """A question about an unknown cluster gives an empty answer, not an error."""
    for question in ("members", "beliefs", "divergence", "lifetimes", "subscriptions"):
        asked = cluster("ask", question, "--cluster", "NOPE")
        assert asked.code == 0
        assert asked.lines[:2] == [
            QUESTIONS[question].empty,
            "cluster NOPE is unknown at this instant",
        ]
        assert cluster("ask", question, "--cluster", "NOPE", "--format", "json").json["rows"] == []


def test_a_name_that_is_known_is_not_said_to_be_unknown(cluster: Run) -> None:
    """An empty answer about a known channel does not call it unknown."""
    asked = ("ask", "transmission", "--on", "QM1", "--channel", "CA.FR1", "--queue", "ORDERS")
    assert cluster(*asked).lines[0] == "no waiting messages"
    assert cluster(*asked).lines[1].startswith("as of ")


def test_channels_are_those_of_an_instant(cluster: Run) -> None:
    """A channel has retried twice, two and a half minutes after its partner ended."""
    cluster("endmqm", "FR1", "--at", "2025-03-03T10:00")
    asked = ["ask", "channels", "--on", "QM1", "--channel", "CA.FR1", "--format", "json"]
    (row,) = cluster(*asked, "--as-of", "2025-03-03T10:02:30").json["rows"]
    assert (row["status"], row["since"]) == ("RETRYING", "2025-03-03T10:00:00Z")
    assert (row["attempts"], row["next_retry"]) == (2, "2025-03-03T10:03:00Z")


def test_what_waits_is_shown(cluster: Run) -> None:
    """Repository commands that cannot be sent are rows of `transmission`."""
    cluster("endmqm", "FR1", "--at", "2025-03-03T10:00")
    alter = "ALTER QLOCAL(ORDERS) PUT(DISABLED)"
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:01", typed=alter)
    point = ("--as-of", "2025-03-03T10:01")
    (row,) = cluster("ask", "transmission", *point, "--format", "json").json["rows"]
    assert (row["on"], row["qmgr"], row["why"]) == ("QM2", "FR1", "system")
    assert row["status"] == "RETRYING"
    assert row["evidence"]
    since = ("--since", "2025-03-03T09:01")
    assert cluster("ask", "passes", *point, *since).lines[0] == "no passes"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ask", "weather"], "unknown question 'weather'; expected one of access, agenda, "),
        (
            ["ask", "members", "--on", "QM1"],
            "unknown option --on; expected one of --cluster, ",
        ),
        (
            ["ask", "members", "--since", "-1h"],
            "unknown option --since; expected one of --cluster",
        ),
        (
            ["ask", "lifetimes", "--since", "-1h"],
            "--since is the start of a picture; add",
        ),
        (
            ["ask", "errorlog", "--name", "A"],
            "unknown option --name; expected one of --on, --id, --severity",
        ),
        (["ask", "errorlog", "--on", "QM9"], "queue manager QM9 does not exist"),
        (["ask", "lifetimes", "--on", "QM9"], "queue manager QM9 does not exist"),
        (["ask", "members", "--format", "svg"], "Invalid value for '--format'"),
        (["ask", "errorlog", "--format", "svg"], "Invalid value for '--format'"),
        (["ask", "weather", "--format", "svg"], "unknown question 'weather'"),
        (["ask", "lifetimes", "--id", "A", "--format", "svg"], "unknown option --id"),
        (["ask", "lifetimes", "--on", "QM9", "--format", "svg"], "QM9 does not exist"),
        (["open", "QM1", "ORDERS", "--format", "svg"], "Invalid value for '--format'"),
        (
            ["ask", "changes", "--owner", "A"],
            "unknown option --owner; expected one of --on, --kind, --name, --all, --since",
        ),
        (
            ["ask", "beliefs", "--kind", "nope"],
            "'--kind': 'nope' is not one of 'qmgr', 'queue'",
        ),
        (["ask", "beliefs", "--on", "QM9"], "queue manager QM9 does not exist"),
        (["ask", "members", "--as-of", "noon"], "'noon' is not a time: write ISO 8601"),
        (["ask", "members", "--as-of", "+9000000d"], "'+9000000d' is out of range"),
        (["ask", "members", "--as-of", "9999-12-31"], "'9999-12-31' is out of range: the first "),
        (["--log", ".", "ask", "members"], "cannot be used: it is a folder"),
        (["strmqm"], "strmqm: expected one queue manager, not none"),
        (["ask", "members", "--known-at", ""], "'' is not a time"),
        (["--branch", "lab", "ask", "members"], "unknown branch 'lab'"),
        (["ask", "members", "--format", "yaml"], "Invalid value for '--format'"),
        (["ask"], "ask: name a question: members, "),
        (
            ["ask", "members", "--columns", "qmgr,x"],
            "unknown column 'x'; expected one of cluster",
        ),
        (["ask", "members", "--columns", "qmgr, qmgr"], "column 'qmgr' is named twice (see "),
        (["ask", "changes", "--since", "+1h"], "ask changes: --since 20"),
        (
            ["ask", "errorlog", "--as-of", "2025-03-03", "--since", "2025-03-04"],
            "--since 2025-03-04T00:00:00Z is later than 2025-03-03T00:00:00Z",
        ),
        (["ask", "members", "--limit", "0"], "Invalid value for '--limit'"),
        (["ask", "member"], "agenda, beliefs, browse, capacity"),
        (["ask", "member"], "; did you mean members?"),
        (["ask", "members", "--columns", "qmgr,knownby"], "; did you mean known_by? (see "),
        (["import-"], "; did you mean import?"),
        (["ask", "lifetimes", "--format", "svg", "--limit", "1"], "a picture has no --columns"),
        (["ask", "lifetimes", "--format", "svg", "--columns", "on"], "a picture has no --columns"),
        (["ask", "lifetimes", "--format", "svg", "--strict"], "--strict is about rows; leave out"),
        (["ask", "members", "--schema", "--format", "csv"], "--schema prints the JSON Schema; it"),
        (["ask", "--schema", "members", "--as-of", "-1h"], "--schema prints the JSON Schema; it"),
        (["askk"], "unknown command 'askk'; expected one of crtmqm, "),
    ],
)
def test_a_bad_question_is_one_line(cluster: Run, words: list[str], said: str) -> None:
    """A malformed question is one line on standard error and exit code 20."""
    refused = cluster(*words)
    assert (refused.code, refused.out) == (20, "")
    assert refused.err.startswith("twin: ")
    assert refused.err.count("\n") == 1
    assert said in refused.err


def test_lifetimes_are_those_of_an_instant(cluster: Run) -> None:
    """The lifetimes of records are filtered by holder, kind, name and owner."""
    asked = ["ask", "lifetimes", "--on", "FR1", "--kind", "queue", "--owner", "QM2"]
    (row,) = cluster(*asked, "--as-of", "2025-03-03T21:00", "--format", "json").json["rows"]
    assert (row["name"], row["state"], row["days_to_removal"]) == ("ORDERS", "active", 90)
    assert row["republish_due"] == "2025-03-30T09:00:00Z"


def test_a_wide_answer_fits_a_narrow_terminal(
    cluster: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line of a table with many columns is longer than a terminal of 80 columns."""
    cluster("open", "QM1", "ORDERS", "--at", "2025-03-03T10:00")
    cluster("endmqm", "FR1", "--at", "2025-03-03T10:00")
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:00", typed="DEFINE QLOCAL(A) CLUSTER(CA)")
    monkeypatch.setattr("twin.cli.answers.width_of", lambda _: 80)
    asked = ("lifetimes", "subscriptions", "errorlog", "transmission", "channels")
    for question in asked:
        lines = cluster("ask", question, "--as-of", "2025-03-03T10:00:00.123456").lines
        assert len(lines) > 2
        assert max(map(len, lines)) <= 80
        assert lines[-2].startswith("as of 2025-03-03T10:00:00.123456Z")
        assert lines[-1].startswith("  known at ")


def test_no_instant_is_broken(cluster: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An instant is never broken in a table of 80 columns."""
    cluster("branch", "create", "a-branch-of-mine", "--at", "2025-03-03T09:00:00.123456")
    alter = "ALTER QLOCAL(ORDERS) DESCR('a description that takes its room')"
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:00:00.654321", typed=alter)
    monkeypatch.setattr("twin.cli.answers.width_of", lambda _: 80)
    branches, changes = (
        cluster("branch", "list"),
        cluster("ask", "changes", "--since", "2025-03-03T09:30", "--wide"),
    )
    assert "2025-03-03T09:00:00.123456Z" in branches.out
    assert changes.out.count("2025-03-03T10:00:00.654321Z") == 2
    assert max(map(len, (*branches.lines, *changes.lines))) <= 80


def test_subscriptions_are_those_of_who_asked(cluster: Run) -> None:
    """An open makes a request, which is a row of the queue manager that opened."""
    cluster("open", "QM1", "ORDERS", "--at", "2025-03-03T10:00")
    asked = ["ask", "subscriptions", "--name", "ORDERS", "--as-of", "2025-03-03T10:00"]
    (row,) = cluster(*asked, "--format", "json").json["rows"]
    assert (row["observer"], row["made"]) == ("QM1", "2025-03-03T10:00:00Z")
    assert (row["referenced"], row["state"]) == (None, "active")


def test_the_error_log_is_what_was_written_since(cluster: Run) -> None:
    """Error log entries since an instant are listed by queue manager in the order of time."""
    cluster("endmqm", "QM1", "--at", "2025-03-03T10:00")
    asked = ["ask", "errorlog", "--as-of", "2025-03-03T10:00"]
    rows = cluster(*asked, "--on", "QM1", "--format", "json").json["rows"]
    assert [(row["id"], row["at"]) for row in rows] == [
        ("AMQ9410", "2025-03-03T09:00:00Z"),
        ("AMQ9002", "2025-03-03T09:00:00Z"),
        ("AMQ9001", "2025-03-03T10:00:00Z"),
        ("AMQ9411", "2025-03-03T10:00:00Z"),
    ]
    since = (*asked, "--since", "2025-03-03T09:30", "--format", "json")
    (row,) = cluster(*since, "--id", "AMQ9411").json["rows"]
    assert (row["on"], row["text"]) == ("QM1", "AMQ9411I: Repository manager ended normally.")
    assert row["evidence"]
    assert [(row["on"], row["id"]) for row in cluster(*since).json["rows"]] == [
        ("QM1", "AMQ9001"),
        ("QM1", "AMQ9411"),
        ("FR1", "AMQ9202"),
        ("FR1", "AMQ9999"),
    ]
    assert cluster(*asked, "--id", "AMQ9469").lines[0] == "no error log entries"


def test_a_table_has_no_column_that_is_empty_in_all_rows(cluster: Run) -> None:
    """A column that is empty in all rows is left out of the text, but not of JSON and CSV."""
    asked = ["ask", "channels", "--on", "QM1", "--as-of", "2025-03-03T10:00"]
    assert cluster(*asked).lines[0].split() == ["on", "channel", "status", "since", "xmitq"]
    columns = "on,channel,status,since,since_earliest,next_retry,attempts,xmitq,pending_xmitq"
    columns += ",reason,switch_reason,instances,basis"
    assert cluster(*asked, "--format", "csv").lines[0] == columns


def test_lifetimes_can_be_drawn(cluster: Run) -> None:
    """With --format svg an answer is one picture, with the same filters and times as any other."""
    asked = ["ask", "lifetimes", "--on", "FR1", "--format", "svg", "--as-of", "2025-03-10T09:00"]
    drawn = cluster(*asked)
    assert (drawn.code, drawn.err) == (0, "")
    assert drawn.out.startswith("<svg ")
    assert drawn.out.endswith("</svg>\n")
    assert ">ORDERS@QM2<" in drawn.out
    assert ">as of 2025-03-10T09:00:00Z<" in drawn.out
    assert cluster(*asked, "--since", "2025-03-01").code == 0
    assert "No records are held (on FR1, name NOPE)." in cluster(*asked, "--name", "NOPE").out


def test_an_explanation_asked_for_is_a_table(cluster: Run) -> None:
    """The question `explain` prints one row for each route; each piece of evidence occurs once."""
    asked = ("ask", "explain", "--on", "QM1", "--queue", "ORDERS", "--as-of", "2025-03-03T10:00")
    assert cluster(*asked).lines[0].split()[:2] == ["qmgr", "channel"]
    assert cluster(*asked).lines[1].split()[:2] == ["QM2", "CA.QM2"]
    (row,) = cluster(*asked, "--format", "json").json["rows"]
    assert len(set(row["evidence"])) == len(row["evidence"]) > 0
    nowhere = cluster("ask", "explain", "--on", "QM1", "--queue", "NOPE")
    assert nowhere.lines[0] == "NOPE on QM1: 2085 MQRC_UNKNOWN_OBJECT_NAME"


def test_open_says_where_a_queue_is(cluster: Run) -> None:
    """An open of a cluster queue prints its instances, and where they are known from."""
    opened = cluster("open", "QM1", "ORDERS", "--at", "2025-03-03T10:00")
    assert opened.code == 0
    assert opened.lines[:3] == [
        "ORDERS on QM1 is a cluster queue with 1 known instance",
        "cluster  qmgr  qmid                     source  received",
        "CA       QM2   QM2_2025-03-03_09.00.00  FR1     2025-03-03T10:00:00Z",
    ]
    assert opened.lines[3] == "bound on open to QM2 by CA.QM2"
    assert opened.lines[4].startswith("as of 2025-03-03T10:00:00Z ")


def test_open_of_a_local_queue_needs_no_instance(cluster: Run) -> None:
    """An open prints that a queue is local, and names the base queue of an alias."""
    define = "DEFINE QLOCAL(MINE)\nDEFINE QALIAS(ALSO) TARGET(MINE)"
    cluster("runmqsc", "QM1", typed=define)
    assert cluster("open", "QM1", "MINE").lines[0] == "MINE on QM1 is a local queue of QM1"
    assert cluster("open", "QM1", "ALSO").lines[0] == "ALSO on QM1 is an alias of MINE"


def test_open_that_fails_names_its_reason(cluster: Run) -> None:
    """An open that fails prints the number and name of its reason code, and exits 10."""
    failed = cluster("open", "QM1", "NOWHERE")
    assert failed.code == 10
    assert failed.lines[0] == "NOWHERE on QM1: 2085 MQRC_UNKNOWN_OBJECT_NAME"
    (row,) = cluster("open", "QM1", "NOWHERE", "--format", "json").json["rows"]
    assert (row["reason"], row["reason_name"]) == (2085, "MQRC_UNKNOWN_OBJECT_NAME")


def test_open_takes_bind_and_queue_manager(cluster: Run) -> None:
    """The options --bind and --to are those of MQOPEN; an unknown binding is bad input."""
    opened = cluster("open", "QM1", "ORDERS", "--to", "QM2", "--bind", "open", "--at", AT)
    assert (opened.code, opened.lines[2].split()[1]) == (0, "QM2")
    assert cluster("open", "QM1", "ORDERS", "--bind", "loosely").code == 20
