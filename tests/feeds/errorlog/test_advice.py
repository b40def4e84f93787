"""The table of what messages mean for an administrator."""

from __future__ import annotations

import re

from twin.feeds.errorlog.advice import ADVICE, source_of
from twin.feeds.errorlog.meanings import MEANINGS
from twin.feeds.errorlog.naming import filled
from twin.feeds.errorlog.record import split_id
from twin.model.messages import CATALOGUE

ROLES = {"channel", "cluster", "qmid", "queue", "object", "owner", "qmgr"}


def test_every_message_with_a_meaning_has_advice() -> None:
    """What becomes a fact can be explained, and so can what twin itself writes."""
    assert sorted(MEANINGS.keys() - ADVICE.keys()) == []
    written = {id_ for id_ in CATALOGUE if not id_.startswith("TWN")}
    assert sorted(written - ADVICE.keys() - NOT_EXPLAINED) == []


NOT_EXPLAINED = {"AMQ9531"}
"""Replies that do not stand in error logs and are not in the range of other replies."""


def test_the_table_is_sound() -> None:
    """Ids have no letter, texts are sentences, and noise asks for nothing."""
    for id_, advice in ADVICE.items():
        assert split_id(id_) == (id_, "")
        assert advice.means.endswith((".", "...")), id_
        assert advice.noise is not bool(advice.do), id_
        assert set(re.findall(r"\{(\w+)\}", advice.do)) <= ROLES, id_
        assert source_of(id_)


def test_what_has_no_source_says_so() -> None:
    """A row from memory does not look like one with a source."""
    assert source_of("AMQ9468") == "APAR PH65188"
    assert source_of("AMQ9519") == "seen in a public error log"
    assert source_of("AMQ9434") == "not confirmed by a public source"
    assert source_of("AMQ0000") == ""


def test_z_os_has_the_advice_of_its_twin_unless_it_differs() -> None:
    """CSQX469 means what AMQ9469 means; CSQX448 does not end the queue manager."""
    assert ADVICE["CSQX469"] == ADVICE["AMQ9469"]
    assert ADVICE["CSQX448"] != ADVICE["AMQ9448"]


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
        "RESET CLUSTER('demo') QMID('QM2_2026-08-20_09.00.00') <channel> <braces>"
    )
