"""The small questions clusters ask of definitions."""

from __future__ import annotations

from twin.model.attributes import Value
from twin.model.objects import (
    Definition,
    names_of,
    number_of,
    record_name,
    text_of,
    value_of,
)


def defined(kind: str, type_name: str, **values: Value) -> Definition:
    """Make a definition with these values."""
    return Definition(kind, "X", type_name, values, created=None, altered=None)


def test_values_with_their_defaults() -> None:
    """An attribute without a value has the default of the product; an unknown one is blank."""
    channel = defined("CHANNEL", "CLUSRCVR", CLWLRANK=4, COMPMSG=("RLE", "ANY"))
    assert number_of(channel, "CLWLRANK") == 4
    assert number_of(channel, "CLWLWGHT") == 50
    assert number_of(channel, "KAINT") == 0
    assert text_of(channel, "COMPMSG") == "RLE,ANY"
    assert text_of(channel, "MCATYPE") == "THREAD"
    assert value_of(channel, "ALTDATE") == ""
    assert value_of(channel, "NOSUCH") == ""


def test_records_of_one_profile_have_different_names() -> None:
    """Two rules for one profile are two records when they match different things."""
    anywhere = record_name("CHLAUTH", "A.*", {"TYPE": "ADDRESSMAP", "ADDRESS": "*"})
    somewhere = record_name("CHLAUTH", "A.*", {"TYPE": "ADDRESSMAP", "ADDRESS": "10.*"})
    assert anywhere == "A.* ADDRESSMAP *"
    assert somewhere != anywhere


def test_names_of_no_namelist() -> None:
    """Without a namelist there are no names."""
    assert names_of(None) == ()
