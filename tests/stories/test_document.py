"""YAML with lines, read as YAML 1.2 defines it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.stories.document import YamlNode, load, scalar
from twin.stories.errors import MalformedStory


def only(text: str) -> YamlNode:
    """Load the one document of a text."""
    (node,) = load(text, file="s.yaml")
    return node


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("YES", "YES"),
        ("No", "No"),
        ("off", "off"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("12", 12),
        ("-3", -3),
        ("0123", 123),
        ("1.5", 1.5),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("+27d", "+27d"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        (".nan", ".nan"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    """Null, true, false and decimal numbers are typed; all else is text, also `on` and YES."""
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


def test_what_is_quoted_is_text() -> None:
    """A quoted number is text, and a block keeps its lines."""
    assert only("{a: '12', b: \"true\", c: 12}").plain() == {"a": "12", "b": "true", "c": 12}
    assert only("a: |\n  one\n  two\n").plain() == {"a": "one\ntwo\n"}


def test_every_value_knows_the_line_of_its_key() -> None:
    """A value of a mapping has the line of its key, an item of a list its own line."""
    node = only("a: 1\n\nb:\n  - x\n  -\n    c: |\n      text\n")
    assert isinstance(node.value, dict)
    listed = node.value["b"]
    assert isinstance(listed.value, tuple)
    mapping = listed.value[1].value
    assert isinstance(mapping, dict)
    lines = [node.value["a"], listed, *listed.value, mapping["c"]]
    assert [each.place.line for each in lines] == [1, 3, 4, 6, 6]
    assert mapping["c"].key == "c"


def test_anchors_are_written_out() -> None:
    """An alias is replaced by the value of its anchor."""
    assert only("a: &x [1, 2]\nb: *x").plain() == {"a": [1, 2], "b": [1, 2]}


def test_documents_without_anything_are_left_out() -> None:
    """An empty document before or after a separator is left out."""
    assert [node.plain() for node in load("---\na: 1\n---\n---\nb: 2\n", file="s")] == [
        {"a": 1},
        {"b": 2},
    ]
    assert load("# nothing\n", file="s") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2", "s.yaml:2: a: this key occurs twice"),
        ("a: [1", "s.yaml:1: invalid YAML: while parsing a flow sequence"),
        ("a: 1\n\tb: 2", "s.yaml:2: invalid YAML: "),
        ("a: *nowhere", "s.yaml:1: invalid YAML: found undefined alias"),
        ("a: !!python/object:os.system x", "s.yaml:1: a: stories cannot have tags such as"),
        ("a: !mine x", "s.yaml:1: a: stories cannot have tags such as !mine"),
        ("? [a, b]\n: 1", "s.yaml:1: a key must be text"),
        ("a: \x07", "s.yaml:1: invalid YAML: "),
        ("&a [*a]", "s.yaml:1: this is nested too deeply"),
        ("[" * 40 + "]" * 40, "s.yaml:1: this is nested too deeply"),
        ("[" * 5000 + "]" * 5000, "s.yaml:1: this is nested too deeply"),
    ],
)
def test_what_is_no_document_is_one_line(text: str, said: str) -> None:
    """An error in the YAML is one line with file and line number."""
    with pytest.raises(MalformedStory) as refused:
        load(text, file="s.yaml")
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_an_alias_of_aliases_does_not_take_all_memory() -> None:
    """A document that would become huge by its aliases is refused."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(MalformedStory, match="too large"):
        load("\n".join(lines), file="s.yaml")


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcdef", min_size=1), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(_JSON)
def test_json_is_read_as_what_it_says(value: object) -> None:
    """A JSON document is read as YAML with the same value."""
    documents = load(json.dumps({"value": value}), file="s")
    assert [node.plain() for node in documents] == [{"value": value}]


@given(st.text(max_size=60))
def test_no_text_makes_it_fail_otherwise(text: str) -> None:
    """Any text is a document or a malformed story."""
    with suppress(MalformedStory):
        load(text, file="s")
