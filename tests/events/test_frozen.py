"""Events are values: equal by fields, hashable, printable, picklable, immutable."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, replace
from unittest.mock import ANY

import pytest

from twin.events import QueueManagerDeleted, QueueManagerStarted, Share

_DELETED = QueueManagerDeleted(qmgr="QM1")
_SHARE = Share(count=2, to="QM2", channel="CA.QM2", lies_on="X", queue="Q")


def test_events_are_equal_when_class_and_fields_are() -> None:
    """Events are equal exactly if their classes and fields are."""
    assert QueueManagerDeleted(qmgr="QM1") == _DELETED
    assert len({_DELETED, QueueManagerDeleted(qmgr="QM1"), QueueManagerStarted(qmgr="QM1")}) == 2
    assert replace(_DELETED, qmgr="QM2") != _DELETED
    assert _DELETED == ANY


def test_the_text_of_an_event_makes_it_again() -> None:
    """The repr of an event, evaluated, gives an equal event."""
    made = eval(repr(_SHARE), {"Share": Share})  # noqa: S307 - the text is our own
    assert made == _SHARE


@pytest.mark.parametrize("value", [_DELETED, _SHARE])
def test_a_copy_of_an_event_is_equal(value: object) -> None:
    """A pickled or deep copied event is equal to the original."""
    assert pickle.loads(pickle.dumps(value)) == deepcopy(value) == value  # noqa: S301 - our own


def test_an_event_cannot_be_changed() -> None:
    """Setting or deleting a field of an event raises an error."""
    with pytest.raises(FrozenInstanceError, match="qmgr"):
        _DELETED.qmgr = "QM2"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="qmgr"):
        del _DELETED.qmgr
