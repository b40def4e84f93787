"""The small questions clusters ask of definitions."""

from __future__ import annotations

import pytest

from twin.model.attributes import Value
from twin.model.objects import (
    Definition,
    clusters_of,
    names_of,
    number_of,
    record_name,
    text_of,
    value_of,
)


def defined(kind: str, type_name: str, **values: Value) -> Definition:
    """Make a definition with these values."""
    return Definition(kind, "X", type_name, values, created=None, altered=None)


LISTS = {"BOTH": defined("NAMELIST", "NAMELIST", NAMES=("CA", "CB", "CA"))}


@pytest.mark.parametrize(
    ("values", "clusters"),
    [
        ({}, ()),
        ({"CLUSTER": "CA"}, ("CA",)),
        ({"CLUSNL": "BOTH"}, ("CA", "CB")),
        ({"CLUSNL": "NONE"}, ()),
    ],
)
def test_clusters_of(values: dict[str, Value], clusters: tuple[str, ...]) -> None:
    """An object is in its cluster, or in those its namelist names, each once."""
    assert clusters_of(defined("QUEUE", "QLOCAL", **values), LISTS) == clusters


def test_clusters_of_a_queue_manager() -> None:
    """The clusters of a queue manager are those of which it is a full repository."""
    assert clusters_of(defined("QMGR", "QMGR", REPOS="CA"), {}) == ("CA",)
    assert clusters_of(defined("QMGR", "QMGR", REPOSNL="BOTH"), LISTS) == ("CA", "CB")


def test_names_of_no_namelist() -> None:
    """Without a namelist there are no names."""
    assert names_of(None) == ()


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
