"""`explain --message`: what messages wait for, and what a reallocation pass would do with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.questions.two_clusters import START, two_clusters
from twin import Twin
from twin.events.messages import Bind
from twin.model.instants import HOUR, MINUTE


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return a branch on which messages wait at QM1 for QM2, which has ended; QM4 takes none."""
    with two_clusters(tmp_path) as made:
        made.create_branch("lab")
        lab = made.on_branch("lab")
        lab.pass_time(START + HOUR)
        lab.open_queue("QM1", "ORDERS")
        lab.runmqsc("QM4", "ALTER QLOCAL(ORDERS) PUT(DISABLED)")
        lab.endmqm("QM2")
        lab.put("QM1", "ORDERS", count=3, bind="notfixed")
        lab.put("QM1", "ORDERS", count=2, bind="open")
        lab.put("QM1", "ORDERS", count=1, to="QM2")
        yield lab


def test_each_kind_of_message_is_explained(twin: Twin) -> None:
    """Messages that are alike are one row, with why they may not be moved, or would not be."""
    rows = twin.ask("waiting", on="QM1").rows
    assert [(row["count"], row["why"], row["stays"], row["moves_to"]) for row in rows] == [
        (3, None, "no-better-route", None),
        (2, "bind-on-open", "bind-on-open", None),
        (1, "named-qmgr", "named-qmgr", None),
    ]
    assert {row["next_start"] for row in rows} == {twin.now() + MINUTE}
    assert [row["next_pass"] for row in rows] == [twin.now() + MINUTE, None, None]


def test_a_pass_does_what_was_foretold(twin: Twin) -> None:
    """What would stay at the next pass stays, and what would move is where it was said to go."""
    assert twin.ask("waiting", queue="ORDERS").rows[0]["stays"] == "no-better-route"
    twin.pass_time(twin.now() + MINUTE)
    assert twin.ask("waiting").rows[0]["count"] == 3
    twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) PUT(ENABLED)")
    row = twin.ask("waiting").rows[0]
    assert (row["stays"], row["moves_to"], row["moves_by"]) == (None, "QM4", "CA.QM4")
    twin.pass_time(twin.now() + MINUTE)
    assert [row["count"] for row in twin.ask("waiting").rows] == [2, 1]
    (moved,) = twin.ask("browse", on="QM4", queue="ORDERS").rows
    assert moved["count"] == 3


def test_the_words_say_what_to_expect(twin: Twin) -> None:
    """The text names the channel, its next retry, the reason, and the choice of a pass."""
    text = twin.ask("waiting", on="QM1", channel="CA.QM2").lines
    xmitq = "SYSTEM.CLUSTER.TRANSMIT.QUEUE of QM1"
    waits = "They wait: CA.QM2 is RETRYING, next retry 2026-01-01T10:01:00Z; QM2 has ended."
    assert text[:8] == (
        f"3 messages for ORDERS at QM2 on {xmitq}, put at 2026-01-01T10:00:00Z.",
        waits,
        "A pass now would leave them: their route is still among the best.",
        "The next pass is at 2026-01-01T10:01:00Z, if that retry fails.",
        "As a pass would choose now:",
        "  ORDERS at QM1 goes to QM2 by CA.QM2.",
        "  Rules in the order of v8 (MQ 8.0 and later), 2 candidates.",
        "  put                 1 left  QM4 excluded: PUT(DISABLED)",
    )
    assert "No pass moves them: they are bound to their destination (bind on open)." in text
    assert text[-3:] == (
        f"1 message for ORDERS at QM2 on {xmitq}, put at 2026-01-01T10:00:00Z.",
        waits.replace("They wait", "It waits"),
        "No pass moves it: the application, or a definition, named the queue manager.",
    )


def test_messages_can_be_named_by_their_put(twin: Twin) -> None:
    """A position selects the messages of one put; one that put nothing selects none."""
    put = twin.put("QM1", "ORDERS", count=4, bind="notfixed")
    position = str(put.positions[0])
    assert [row["count"] for row in twin.ask("waiting", position=position).rows] == [4]
    assert twin.ask("waiting", position="1").rows == ()


def test_a_channel_that_does_not_start_by_itself_is_named(twin: Twin) -> None:
    """Messages for a STOPPED channel wait for START CHANNEL, and no pass is due."""
    twin.runmqsc("QM1", "STOP CHANNEL(CA.QM2)")
    row = twin.ask("waiting").rows[0]
    assert (row["status"], row["next_start"], row["next_pass"]) == ("STOPPED", None, None)
    assert twin.ask("waiting").lines[1] == (
        "They wait: CA.QM2 is STOPPED; next start of CA.QM2, by START CHANNEL; QM2 has ended."
    )


def test_messages_are_found_by_the_name_that_was_opened(twin: Twin) -> None:
    """A remote definition stands for the queue at one queue manager, an alias for it anywhere."""
    for name, counts in (
        ("REMOTE", [1]),
        ("LOOSE", [3, 2]),
        ("BOUND", [3, 2]),
        ("FAR", []),
        ("HERE", []),
        ("THERE", []),
    ):
        answer = twin.ask("waiting", on="QM1", queue=name)
        assert [row["count"] for row in answer.rows] == counts
        if counts:
            (note,) = (each for each in answer.notes if each.startswith(f"{name} is "))
            assert note.endswith(": messages for it are listed, whatever name was opened")
    put = twin.put("QM1", "REMOTE", count=4)
    (row,) = twin.ask("waiting", on="QM1", queue="REMOTE").rows
    assert (row["count"], row["qmgr"]) == (5, "QM2")
    assert twin.ask("waiting", on="QM1", queue="REMOTE", position=str(put.positions[0])).rows


@pytest.mark.parametrize(
    ("bind", "pass_"),
    [
        ("open", "No pass moves it: it is bound to its"),
        ("notfixed", "A pass now would leave it: its route is"),
    ],
)
def test_the_words_for_one_message_agree_in_number(twin: Twin, bind: Bind, pass_: str) -> None:
    """One message waits, and a pass moves or leaves it."""
    put = twin.put("QM1", "ORDERS", bind=bind)
    _, waits, moves, *_ = twin.ask("waiting", position=str(put.positions[0])).lines
    assert waits.startswith("It waits: ")
    assert moves.startswith(pass_)
    twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) PUT(ENABLED)")
    lines = twin.ask("waiting", position=str(put.positions[0])).lines
    assert ("A pass now would move it." in lines) == (bind == "notfixed")
