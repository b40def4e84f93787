"""Names: legal ones, generic ones and connection names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.model.names import (
    connection,
    generic,
    legal_channel_pattern,
    legal_name,
    name_limit,
)


@pytest.mark.parametrize("name", ["A", "QL.A", "lower_Case/%", "9.1", "N" * 48])
def test_legal_name(name: str) -> None:
    """Letters of both cases, digits and . / _ % make a name of up to 48 characters."""
    assert legal_name(name)


@pytest.mark.parametrize("name", ["", "A B", "A-B", "Ä", "A*", "N" * 49])
def test_illegal_name(name: str) -> None:
    """Nothing, blanks, other characters and 49 characters make no name."""
    assert not legal_name(name)


def test_channel_names_are_shorter() -> None:
    """A channel's name has 20 characters at most, any other name 48."""
    assert [name_limit(kind) for kind in ("CHANNEL", "CLNTCONN", "QUEUE")] == [20, 20, 48]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("*", "ANY", True),
        ("SYSTEM.*", "SYSTEM.ADMIN.COMMAND.QUEUE", True),
        ("SYSTEM.*", "SYSTEM", False),
        ("QL.A", "QL.A", True),
        ("QL.A", "QL.AB", False),
        ("*.A", "QL.A", False),
        ("ql.*", "QL.A", False),
    ],
)
def test_generic(pattern: str, name: str, matches: bool) -> None:  # noqa: FBT001
    """Only a star at the end stands for anything, and case counts."""
    assert generic(pattern, name) is matches


@given(st.text(), st.text())
def test_every_name_matches_its_beginning(start: str, rest: str) -> None:
    """The beginning of a name with an asterisk matches the name."""
    assert generic(start + "*", start + rest)


@pytest.mark.parametrize("pattern", ["", "*", "TO.QM1", "*.QM*.A*", "C" * 20])
def test_legal_channel_pattern(pattern: str) -> None:
    """CLCHNAME takes stars anywhere, any number of them, in up to 20 characters."""
    assert legal_channel_pattern(pattern)


@pytest.mark.parametrize("pattern", ["C" * 21, "A?B", "A B"])
def test_illegal_channel_pattern(pattern: str) -> None:
    """CLCHNAME takes neither 21 characters nor other wild cards."""
    assert not legal_channel_pattern(pattern)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", ()),
        ("QM1.example(1415)", (("qm1.example", 1415),)),
        ("host", (("host", 1414),)),
        ("a(1), B(2)", (("a", 1), ("b", 2))),
        ("fe80::1(1414)", (("fe80::1", 1414),)),
        ("host ( 1500 )", (("host", 1500),)),
        ("host(x)", (("host(x)", 1414),)),
    ],
)
def test_connection(text: str, read: tuple[tuple[str, int], ...]) -> None:
    """A connection name is a list of hosts, in lower case, with port 1414 if none is given."""
    assert connection(text) == read


@given(st.text())
def test_connection_never_raises(text: str) -> None:
    """Whatever stands in CONNAME, reading it gives hosts and ports."""
    assert all(isinstance(port, int) for _, port in connection(text))
