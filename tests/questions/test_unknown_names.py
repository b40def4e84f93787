"""Whether the names in the filters of a question are known."""

from __future__ import annotations

import pytest

from tests.questions.waiting_scene import scene
from twin.fold.estate import Estate
from twin.questions.unknown_names import unknown


@pytest.mark.parametrize(
    ("filter_", "known", "word"),
    [
        ("on", ["PR1"], "queue manager"),
        ("owner", ["PR2"], "queue manager"),
        ("cluster", ["CA"], "cluster"),
        ("channel", ["CA.PR2", "CA.FR1", "SYSTEM.DEF.CLUSSDR"], "channel"),
        ("queue", ["ORD", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"], "queue"),
        (
            "xmitq",
            ["SYSTEM.CLUSTER.TRANSMIT.QUEUE", "SYSTEM.CLUSTER.TRANSMIT.CA.PR2"],
            "transmission queue",
        ),
        ("name", ["PR1", "ORD", "SYSTEM.BASE.TOPIC"], "object"),
    ],
)
def test_a_name_in_a_definition_or_record_is_known(
    filter_: str, known: list[str], word: str
) -> None:
    """A name in a definition or record is known; any other is reported with its filter."""
    estate = scene().estate
    for name in known:
        assert unknown(estate, {filter_: name}) == ()
    assert unknown(estate, {filter_: "NOPE"}) == (f"{word} NOPE",)
    assert unknown(Estate(), {filter_: known[0]}) == (f"{word} {known[0]}",)


def test_kinds_and_message_ids_are_never_unknown() -> None:
    """A kind or a message id is never reported as unknown."""
    assert unknown(Estate(), {"kind": "queue", "id": "AMQ9469"}) == ()


def test_a_member_that_was_deleted_is_known() -> None:
    """A deleted queue manager is still known to the others."""
    sandbox = scene()
    sandbox.control("endmqm", "PR2")
    sandbox.control("dltmqm", "PR2")
    assert unknown(sandbox.estate, {"owner": "PR2", "queue": "ORD", "channel": "CA.PR2"}) == ()
