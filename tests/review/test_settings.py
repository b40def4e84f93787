"""`explain --with`: where a message goes now, and under other settings, side by side."""

from __future__ import annotations

import csv

import pytest

from tests.cli.conftest import Run, run
from twin.review.settings import BadSetting, commands_of

__all__ = ["run"]

AT = "2025-03-03T09:00"
RANK = "QM2: ALTER QLOCAL(ORDERS) CLWLRANK(5)"
PRIORITY = "QM2: ALTER QLOCAL(ORDERS) CLWLPRTY(5)"


@pytest.fixture
def outage(run: Run) -> Run:
    """Make QM2 and QM3 with ORDERS; QM1 cannot reach QM2, and its channel retries."""
    receiver = "DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)\n"
    sender = "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)\n"
    orders = "DEFINE QLOCAL(ORDERS) CLUSTER(CA) DEFBIND(NOTFIXED)\n"
    scripts = {"FR1": "ALTER QMGR REPOS(CA)\n" + receiver, "QM1": receiver + sender}
    scripts |= dict.fromkeys(("QM2", "QM3"), receiver + sender + orders)
    for name, script in scripts.items():
        run("crtmqm", name, "--at", AT)
        run("strmqm", name, "--at", AT)
        assert run("runmqsc", name, "--at", AT, typed=script.format(name)).code == 0
    run("open", "QM1", "ORDERS", "--at", AT)
    run("link", "cut", "QM1", "QM2", "--at", AT)
    run("runmqsc", "QM1", "--at", AT, typed="START CHANNEL(CA.QM2)")
    return run


def test_rank_and_priority_are_shown_on_one_outage(outage: Run) -> None:
    """A rank chooses the queue manager that cannot be reached, a priority does not."""
    asked = ("explain", "QM1", "ORDERS", "--as-of", AT, "--with", RANK, "--with", PRIORITY)
    shown = outage(*asked)
    assert shown.code == 0
    assert (
        "\n".join(shown.lines[:-1])
        == """\
set 1: ALTER QLOCAL(ORDERS) CLWLRANK(5) at QM2
set 2: ALTER QLOCAL(ORDERS) CLWLPRTY(5) at QM2
qmgr  channel  as it is                     set 1                        set 2
QM2   CA.QM2   excluded by status:          chosen, message waits        excluded by status:
               STATUS(RETRYING)                                          STATUS(RETRYING)
QM3   CA.QM3   chosen                       excluded by queue-rank:      chosen
                                            CLWLRANK(0)
as it is: ORDERS at QM1 goes to QM3 by CA.QM3.
set 1: ORDERS at QM1 goes to QM2 by CA.QM2. It waits: CA.QM2 is RETRYING,
  next retry 2025-03-03T09:01:00Z. The link to QM2 is cut.
set 2: ORDERS at QM1 goes to QM3 by CA.QM3.
order can be lost: what waits is rerouted as its channel stops or fails; messages of a group stay \
in order"""
    )


def test_a_row_of_json_and_csv_has_its_setting(outage: Run) -> None:
    """Each setting has a row for each route; 0 is as things are. Nothing is recorded."""
    head = outage("log", "show", "--limit", "0").lines
    asked = ("explain", "QM1", "ORDERS", "--as-of", AT, "--with", RANK, "--format")
    rows = list(csv.DictReader(outage(*asked, "csv").lines))
    assert [(row["setting"], row["qmgr"], row["chosen"], row["waits"]) for row in rows] == [
        ("0", "QM2", "False", ""),
        ("0", "QM3", "True", "False"),
        ("1", "QM2", "True", "True"),
        ("1", "QM3", "False", ""),
    ]
    answer = outage(*asked, "json").json
    assert answer["question"] == "explain-with"
    assert {row["set"] for row in answer["rows"]} == {
        None,
        "ALTER QLOCAL(ORDERS) CLWLRANK(5) at QM2",
    }
    assert outage("log", "show", "--limit", "0").lines[:-1] == head[:-1]


def test_a_setting_under_which_the_put_fails_exits_10(outage: Run) -> None:
    """The reason code is in the table and in the outcome."""
    both = "QM2: ALTER QLOCAL(ORDERS) PUT(DISABLED); QM3: ALTER QLOCAL(ORDERS) PUT(DISABLED)"
    shown = outage("explain", "QM1", "ORDERS", "--as-of", AT, "--with", both)
    assert shown.code == 10
    assert "set 1: ORDERS at QM1 fails with 2268 MQRC_CLUSTER_PUT_INHIBITED." in shown.lines


def test_a_setting_is_read() -> None:
    """A semicolon outside quotes ends a command; a queue manager counts for those after it."""
    setting = "ALTER QMGR CLWLMRUC(1); Q2: ALTER QLOCAL(A) DESCR('a;b:c') ; X"
    assert [*map(str, commands_of(setting, "Q1"))] == [
        "Q1: ALTER QMGR CLWLMRUC(1)",
        "Q2: ALTER QLOCAL(A) DESCR('a;b:c')",
        "Q2: X",
    ]
    for text in ("", " ; ", "QM2:", "QM2: ;"):
        with pytest.raises(BadSetting, match="expected"):
            commands_of(text, "QM1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--with", "BOGUS"], "cannot set 'BOGUS': QM1 says AMQ8405I: Syntax error"),
        (["--with", "QM9: ALTER QMGR DESCR('x')"], "queue manager QM9 does not exist"),
        (["--with", "QM2: ALTER QLOCAL(NONE) PUT(DISABLED)"], "QM2 says AMQ8147E"),
        (["--with", RANK, "--route"], "answer different questions; choose one"),
        (["--with", "ALTER QMGR DESCR(X); DIS QMGR"], "DISPLAY changes nothing; run it with"),
        (["--with", ""], "expected [QM:] COMMAND"),
    ],
)
def test_a_setting_that_cannot_be_made_is_one_line(
    outage: Run, words: list[str], said: str
) -> None:
    """A refused command, or an option that does not fit, is one line and exit code 20."""
    refused = outage("explain", "QM1", "ORDERS", "--as-of", AT, *words)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert said in refused.err


def test_a_message_is_followed_over_a_gateway(outage: Run) -> None:
    """What would fail after the queue manager that is chosen is said, and exits 10."""
    alias = "DEFINE QALIAS(IN) TARGET(ORDERS) CLUSTER(CA) DEFBIND(NOTFIXED)"
    assert outage("runmqsc", "QM3", "--at", AT, typed=alias).code == 0
    disabled = "QM3: ALTER QLOCAL(ORDERS) PUT(DISABLED)"
    asked = ("explain", "QM1", "IN", "--as-of", AT, "--with", disabled)
    shown = outage(*asked)
    assert shown.code == 10
    text = " ".join(" ".join(shown.lines).split())
    assert "as it is: IN at QM1 goes to QM3 by CA.QM3. Then" not in text
    assert "set 1: IN at QM1 goes to QM3 by CA.QM3. Then QM3" in text
    rows = outage(*asked, "--format", "json").json["rows"]
    assert [bool(row["then"]) for row in rows] == [False, True]


def test_what_the_sender_refuses_fails_on_every_route(outage: Run) -> None:
    """An alias that is disabled hits the route that takes its turn later too."""
    define = "DEFINE QALIAS(AN.ALIAS) TARGET(ORDERS) DEFBIND(NOTFIXED)"
    assert outage("runmqsc", "QM1", "--at", AT, typed=define).code == 0
    assert outage("link", "heal", "QM1", "QM2", "--at", AT).code == 0
    later = AT.replace("09:00", "09:02")
    assert outage("advance", "--to", later).code == 0
    disabled = "QM1: ALTER QALIAS(AN.ALIAS) PUT(DISABLED)"
    shown = outage("explain", "QM1", "AN.ALIAS", "--as-of", later, "--with", disabled)
    assert shown.code == 10
    cells = [line.split("  ")[-1].strip() for line in shown.lines[2:4]]
    assert sorted(cells) == ["chosen, fails with 2051", "takes turns, fails with 2051"]
    assert "as it is: AN.ALIAS at QM1 goes to " in " ".join(shown.lines)
