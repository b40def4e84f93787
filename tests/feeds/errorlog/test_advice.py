"""What messages mean for an administrator, and what to do about them."""

from __future__ import annotations

import re

import pytest

from twin.feeds.errorlog.naming import filled
from twin.feeds.errorlog.record import split_id
from twin.model.messages import CATALOGUE

ROLES = {"channel", "cluster", "qmid", "queue", "object", "owner", "qmgr"}
ADVISED = {id_: row for id_, row in CATALOGUE.items() if row.means}

NOT_EXPLAINED = {"AMQ9531", "CSQX531"}
"""Replies that do not stand in error logs and are not in the range of other replies."""


def test_every_message_of_a_queue_manager_has_advice() -> None:
    """All that the twin knows can be explained, but for the messages of its own."""
    own = {id_ for id_ in CATALOGUE if id_.startswith("TWN")}
    assert CATALOGUE.keys() - ADVISED.keys() == own | NOT_EXPLAINED


@pytest.mark.parametrize("id_", ADVISED)
def test_advice_is_sound(id_: str) -> None:
    """Ids have no letter, texts are sentences, what is no noise says what to do, and why."""
    row = ADVISED[id_]
    assert split_id(id_) == (id_, "")
    assert row.means.endswith((".", "..."))
    assert row.noise is not bool(row.do)
    assert set(re.findall(r"\{(\w+)\}", row.do)) <= ROLES
    assert row.source


def test_what_has_no_source_says_so() -> None:
    """A row from memory does not look like one with a source."""
    assert CATALOGUE["AMQ9468"].source == "APAR PH65188"
    assert CATALOGUE["AMQ9519"].source == "seen in a public error log"
    assert CATALOGUE["AMQ9434"].source == "not confirmed by a public source"
    assert CATALOGUE["TWN0001"].source == ""


def test_z_os_has_the_advice_of_its_twin_unless_it_differs() -> None:
    """CSQX469 means what AMQ9469 means; CSQX448 does not end the queue manager."""
    assert CATALOGUE["CSQX469"].means == CATALOGUE["AMQ9469"].means
    assert CATALOGUE["CSQX448"].means != CATALOGUE["AMQ9448"].means


def test_a_name_becomes_part_of_a_command_only_if_mq_allows_it() -> None:
    """Lower case and QMIDs are quoted, other names are left out."""
    template = "RESET CLUSTER({cluster}) QMID({qmid}) {channel} {braces}"
    names = {
        "cluster": "demo",
        "qmid": "QM2_2026-08-20_09.00.00",
        "channel": "X) ;DELETE QL(A)",
        "braces": "{cluster}",
    }
    assert filled(template, names) == (
        "RESET CLUSTER('demo') QMID('QM2_2026-08-20_09.00.00') channel braces"
    )
