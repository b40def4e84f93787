"""`twin runmqdlq`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

LATER = "2025-03-03T10:00"
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"


def dead_letters(cluster: Run) -> None:
    """Dead-letter three messages from QM1 for ORDERS on QM2, which is full."""
    typed = f"ALTER QMGR DEADQ({DEAD})\nALTER QLOCAL(ORDERS) MAXDEPTH(0)\n"
    assert cluster("runmqsc", "QM2", "--at", LATER, typed=typed).code == 0
    assert cluster("put", "QM1", "ORDERS", "--count", "3", "--at", LATER).code == 0
    typed = "ALTER QLOCAL(ORDERS) MAXDEPTH(2)\n"
    assert cluster("runmqsc", "QM2", "--at", LATER, typed=typed).code == 0


def test_it_says_what_happened_to_the_messages(cluster: Run, tmp_path: Path) -> None:
    """Rules come from a file or from standard input; what could not be put is told, with 10."""
    dead_letters(cluster)
    found = cluster("runmqdlq", "QM2", "--at", LATER, typed="ACTION(RETRY)\n")
    assert (found.code, found.lines[:2]) == (
        10,
        [
            "3 messages for ORDERS at QM2 (MQRC_Q_FULL)",
            "  RETRY (line 1): 1 message left on the queue, MQRC_Q_FULL",
        ],
    )
    rules = tmp_path / "rules.txt"
    rules.write_text("* nothing is left\nDESTQ(OR*) ACTION(DISCARD)\n")
    done = cluster("runmqdlq", "QM2", str(rules), "--at", LATER, "--format", "json")
    assert done.code == 0
    assert done.json["rows"] == [
        {
            "queue": "ORDERS",
            "qmgr": "QM2",
            "reason": 2053,
            "messages": 1,
            "line": 2,
            "action": "DISCARD",
            "left": 0,
            "why": 0,
            "evidence": [],
        }
    ]
    empty = cluster("runmqdlq", "QM2", "--at", LATER, typed="ACTION(RETRY)")
    assert (empty.code, empty.lines[:1]) == (0, ["there is no message"])


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("", "rules, line 1: there is no rule"),
        ("INPUTQ(X)\n", "there is no rule"),
        ("DESTQ(X)\n", "rules, line 1: no ACTION"),
        ("ACTION(EAT)\n", "unknown action 'EAT'; expected one of DISCARD, FWD, IGNORE, RETRY"),
        ("* one\nUSERID(ann) ACTION(RETRY)\n", "line 2: the pattern USERID(ann) is not modelled"),
        ("REASON(MQRC_NONSENSE) ACTION(RETRY)\n", "unknown reason code MQRC_NONSENSE"),
        ("PERSIST(9) ACTION(RETRY)\n", "unknown persistence 9"),
        ("ACTION(FWD)\n", "ACTION(FWD) needs FWDQ"),
        ("ACTION(FWD) FWDQ(&REPLYQ)\n", "FWDQ(&REPLYQ) is not modelled"),
        ("ACTION(RETRY) RETRY(many)\n", "RETRY cannot be 'many'"),
        ("ACTION(RETRY) ACTION(FWD)\n", "ACTION is repeated"),
        ("ACTION(RETRY) INPUTQ(X)\n", "INPUTQ belongs to the first entry"),
        ("ACTION(RETRY) MOOD(X)\n", "unknown keyword MOOD"),
        ("ACTION RETRY\n", "expected KEYWORD(value), not 'ACTION RETRY'"),
        ("INPUTQM(OTHER)\nACTION(RETRY)\n", "INPUTQM(OTHER) is not QM1"),
        ("INPUTQ(NONE)\nACTION(RETRY)\n", "QM1 has no local queue NONE"),
        ("ACTION(RETRY)\n", "QM1 has no dead-letter queue"),
    ],
)
def test_bad_rules_are_one_line_and_change_nothing(cluster: Run, rules: str, problem: str) -> None:
    """A table that is malformed, or not modelled, is refused with its line."""
    before = cluster("log", "show").lines[:-1]
    refused = cluster("runmqdlq", "QM1", "--at", LATER, typed=rules)
    assert refused.code == 20
    assert problem in refused.err
    assert len(refused.err.splitlines()) == 1
    assert cluster("log", "show").lines[:-1] == before


def test_the_queue_must_be_readable(cluster: Run) -> None:
    """A get-disabled queue and an ended queue manager are refused."""
    typed = "DEFINE QLOCAL(SHUT) GET(DISABLED)\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0
    words = ("runmqdlq", "QM1", "--at", LATER)
    shut = cluster(*words, "--queue", "SHUT", typed="ACTION(RETRY)")
    assert (shut.code, "SHUT is GET(DISABLED) (reason 2016)" in shut.err) == (20, True)
    assert cluster("endmqm", "QM1", "--at", LATER).code == 0
    ended = cluster(*words, typed="ACTION(RETRY)")
    assert (ended.code, "AMQ8146E" in ended.err) == (20, True)
