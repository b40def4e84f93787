"""Client channel definition tables in JSON."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import HOSTILE, reads, without_lines
from twin.feeds.configuration import ClientChannel, read_ccdt
from twin.feeds.reading.not_understood import NotUnderstood

CHANNEL: Final[dict[str, Any]] = {
    "name": "APPS",
    "clientConnection": {
        "connection": [{"host": "a.test", "port": 1415}, {"host": "b.test"}],
        "queueManager": "*HANSA",
    },
    "connectionManagement": {
        "clientWeight": 7,
        "affinity": "none",
        "defaultReconnect": "queueManager",
        "keepAliveInterval": "auto",
        "localAddress": [{"host": "c"}],
    },
    "transmissionSecurity": {"cipherSpecification": "ANY_TLS12"},
    "exits": {"security": {"name": "x", "userData": "hush"}},
    "general": {"description": "for all", "somethingNew": 1},
    "timestamps": {"altered": "2027-01-15T08:00:00.000Z"},
    "type": "clientConnection",
}


def read(text: str) -> list[ClientChannel | NotUnderstood]:
    """Read a text."""
    return list(read_ccdt(text.splitlines(keepends=True)))


def test_a_channel_is_read_with_the_words_of_mqsc() -> None:
    """Hosts have ports, attributes have keywords, and what is not used is listed."""
    (channel,) = read(json.dumps({"channel": [CHANNEL]}, indent=2))
    assert isinstance(channel, ClientChannel)
    assert (channel.line, channel.name, channel.qmgr) == (3, "APPS", "*HANSA")
    assert channel.connections == (("a.test", 1415), ("b.test", 1414))
    assert channel.values == {
        "QMNAME": "*HANSA",
        "CONNAME": "a.test(1415),b.test(1414)",
        "CLNTWGHT": 7,
        "AFFINITY": "NONE",
        "DEFRECON": "QMGR",
        "KAINT": "AUTO",
        "SSLCIPH": "ANY_TLS12",
        "DESCR": "for all",
    }
    assert channel.unread == ("connectionManagement.localAddress", "exits", "general.somethingNew")
    assert "hush" not in repr(channel)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"type": "serverConnection"}, "is not a client connection"),
        ({"clientConnection": None}, "is not a client connection"),
        ({"name": ""}, "has no name"),
    ],
)
def test_another_object_is_reported(change: dict[str, Any], why: str) -> None:
    """Only client connections with a name are channels."""
    problem, channel = read(json.dumps({"channel": [{**CHANNEL, **change}, CHANNEL]}))
    assert isinstance(problem, NotUnderstood)
    assert (problem.line, problem.why) == (1, why)
    assert isinstance(channel, ClientChannel)


def test_odd_values_are_left_out() -> None:
    """Wrong numbers, words and places give no attribute, and the channel is read."""
    odd = {
        "name": "A",
        "clientConnection": {"connection": {"host": "h", "port": "many"}, "queueManager": 5},
        "connectionManagement": {"clientWeight": "heavy", "affinity": "maybe"},
        "general": "none",
    }
    (channel,) = read(json.dumps({"channel": [odd]}))
    assert isinstance(channel, ClientChannel)
    assert channel.connections == (("h", 1414),)
    assert channel.values == {"QMNAME": "", "CONNAME": "h(1414)"}
    assert channel.unread == ("connectionManagement.clientWeight", "connectionManagement.affinity")


def test_documentation_around_a_table_is_reported() -> None:
    """A table inside a script is read; the other lines are reported once."""
    text = "cat > x <<EOF\n" + json.dumps({"channel": [CHANNEL]}, indent=1) + "\nEOF\n"
    found = read(text + '{"channel": [{"name": "X",}]}\n')
    assert [getattr(each, "why", "") for each in found] == [
        "is not part of a record",
        "",
        "is not part of a record",
        "is not valid JSON",
    ]


NAMES: Final = st.lists(st.text(min_size=1, max_size=5).filter(str.strip), max_size=4)


@given(NAMES, NAMES, st.sampled_from([None, 0, 3]))
def test_layout_changes_nothing(first: list[str], second: list[str], indent: int | None) -> None:
    """Any layout, and joined files, give the same channels."""
    one, two = ([{**CHANNEL, "name": name} for name in names] for names in (first, second))
    expected = without_lines(read(json.dumps({"channel": one + two})))
    assert [each.name for each in expected] == first + second
    assert without_lines(read(json.dumps({"channel": one + two}, indent=indent))) == expected
    joined = "".join(json.dumps({"channel": each}, indent=indent) + "\n" for each in (one, two))
    assert without_lines(read(joined)) == expected


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_texts_are_survived(name: str) -> None:
    """No text raises or takes long, and what follows is read."""
    found = reads(read_ccdt, [*HOSTILE[name], "\n", json.dumps(CHANNEL) + "\n"])
    assert isinstance(found[-1], ClientChannel)
    assert all(len(each.text) <= 80 for each in found if isinstance(each, NotUnderstood))
