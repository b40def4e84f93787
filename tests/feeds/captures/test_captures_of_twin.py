"""What twin itself displays is read back to the same rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox import Sandbox
from twin.app.session import MqscSession
from twin.feeds.captures.mqweb import read_mqweb
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.fold.estate import Estate
from twin.model.instants import AsOf
from twin.mqsc.layout import Cell
from twin.mqsc.masking import masked_text
from twin.mqsc.statement import Statement, parse
from twin.questions.display import display

WORDS: Final = """CLUSQMGR QCLUSTER QUEUE TOPIC TCLUSTER CHSTATUS QSTATUS CHANNEL CONN LSSTATUS
LISTENER NAMELIST PROCESS CHLAUTH SUB""".split()
COMMANDS: Final = (
    *(f"DISPLAY {word}(*) ALL" for word in WORDS),
    "DISPLAY QMGR ALL",
    "DISPLAY QMSTATUS ALL",
    "DISPLAY QUEUE(*) CLUSINFO",
    "DISPLAY QUEUE(*) CURDEPTH MAXDEPTH",
    "DISPLAY CHSTATUS(*) SAVED",
    "DISPLAY CLUSQMGR(*) WHERE(QMTYPE EQ REPOS)",
    "DISPLAY CLUSQMGR(NOSUCH)",
    "DISPLAY QLOCAL(Q*) DESCR",
)
SCRIPT: Final = """DEFINE QLOCAL(Q1) CLUSTER(CA) DEFBIND(NOTFIXED) SHARE TRIGGER
DEFINE QLOCAL(Q2) DESCR('a (b) c, d') NOSHARE
DEFINE QALIAS(QA) TARGET(Q1)
DEFINE NAMELIST(NL) NAMES(A, B, C)
DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1415)
START LISTENER(L)
DEFINE TOPIC(T) TOPICSTR('a/b') CLUSTER(CA)
"""


@cache
def estate() -> Sandbox:
    """Return a small cluster with some traffic."""
    box = Sandbox().create("FR1", "FR2", "QM1")
    box.full("FR1", "FR2").full("FR2", "FR1").member("QM1", "FR1")
    box.pass_time(60_000_000)
    box.run("QM1", SCRIPT)
    box.pass_time(60_000_000)
    box.put("FR2", "Q1")
    return box.pass_time(60_000_000)


def printed(box: Sandbox, qmgr: str, *commands: str) -> list[str]:
    """Return the lines of a session."""

    def look(question: Callable[[Estate, AsOf], Any]) -> Any:
        return question(box.estate, box.as_of)

    return MqscSession.reading(look, qmgr).run("\n".join(commands)).lines


def shown(cell: Cell) -> tuple[str, str]:
    """Return a cell as a captured attribute."""
    keyword, value = cell
    return keyword, (",".join(value) if isinstance(value, tuple) else value or "").rstrip()


def values(capture: Capture) -> list[dict[str, str]]:
    """Return the rows as plain dictionaries."""
    return [dict(row.values) for row in capture.rows]


def displayed(box: Sandbox, qmgr: str, command: str) -> Any:
    """Return what DISPLAY answers, before it is printed."""
    statement = parse(command)
    assert isinstance(statement, Statement)
    return display(box.estate, box.as_of, qmgr, statement)


@pytest.mark.parametrize("qmgr", ["FR1", "QM1"])
def test_what_twin_prints_is_read_back(qmgr: str) -> None:
    """Every command of one session gives its rows, complete unless it has a filter."""
    box = estate()
    captures = list(read_captures(printed(box, qmgr, *COMMANDS)))
    assert all(isinstance(capture, Capture) for capture in captures)
    assert [capture.command for capture in captures if isinstance(capture, Capture)] == list(
        COMMANDS
    )
    for capture in captures:
        assert isinstance(capture, Capture)
        records = displayed(box, qmgr, capture.command).records
        assert values(capture) == [dict(map(shown, record.cells)) for record in records], (
            capture.command
        )
        assert (capture.qmgr, capture.claimed) == (qmgr, box.as_of.valid)
        assert bool(capture.complete_for) is ("WHERE" not in capture.command), capture


@pytest.mark.parametrize("command", COMMANDS)
def test_json_of_the_same_rows_gives_the_same_capture(command: str) -> None:
    """The numbers of JSON become the text of runmqsc, and flags its keywords."""
    box = estate()
    (capture,) = read_captures(printed(box, "QM1", command))
    records = displayed(box, "QM1", command).records
    body = {
        "commandResponse": [{"completionCode": 0, "parameters": each.values} for each in records],
        "overallCompletionCode": 0,
    }
    asked = {"type": "runCommand", "parameters": {"command": command}}
    (web,) = read_mqweb([json.dumps(asked), json.dumps(body)])
    assert isinstance(capture, Capture)
    assert isinstance(web, Capture)
    assert values(web) == values(capture)
    assert (web.object, web.name, web.asked) == (capture.object, capture.name, capture.asked)


@given(
    descriptions=st.lists(
        st.one_of(
            st.text("aZ09 .,:;=/-+*'<>@", max_size=64),
            st.text("aZ09 .,:;=/-+*<>@", max_size=20).map(lambda text: f"x ({text}) y"),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_description_is_read_back(descriptions: list[str]) -> None:
    """Values with blanks, commas and brackets in pairs come back, without passwords."""
    box = Sandbox().create("QM1")
    for at, text in enumerate(descriptions):
        quoted = text.replace("'", "''")
        box.run("QM1", f"DEFINE QLOCAL(Q{at}) DESCR('{quoted}')")
    command = "DISPLAY QLOCAL(Q*) DESCR MAXDEPTH"
    (capture,) = read_captures(printed(box, "QM1", command))
    assert isinstance(capture, Capture)
    assert values(capture) == [
        {key: masked_text(value.rstrip()) for key, value in map(shown, record.cells)}
        for record in displayed(box, "QM1", command).records
    ]
