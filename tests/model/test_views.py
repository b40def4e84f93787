"""Sparse and full values, and how a value is written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.model.attributes import (
    TYPES,
    Attribute,
    Choice,
    Choices,
    CipherSpec,
    Flag,
    HexString,
    NameList,
    Number,
    TextList,
    Value,
    attribute_of,
    cell,
    full,
    render,
    sparse,
    template_of,
)

MODELLED = [name for name, table in TYPES.items() if not table.kept]

_NAME = st.text("ABCabc019._/%", min_size=1, max_size=20)


def values_of(  # noqa: PLR0911 - one return for each form
    attribute: Attribute,
) -> st.SearchStrategy[Value]:
    """Draw canonical values of an attribute."""
    form = attribute.form
    if isinstance(form, CipherSpec):
        return st.sampled_from(["", "ANY_TLS12", "TLS_RSA_WITH_AES_256_CBC_SHA256"])
    if isinstance(form, Number):
        numbers = st.integers(form.low, form.high)
        return st.one_of(numbers, st.sampled_from(form.words)) if form.words else numbers
    if isinstance(form, Choice):
        return st.sampled_from(form.words)
    if isinstance(form, Choices):
        return st.lists(st.sampled_from(form.words), min_size=1, max_size=3).map(tuple)
    if isinstance(form, Flag):
        return st.sampled_from(["YES", "NO"])
    if isinstance(form, NameList | TextList):
        return st.lists(_NAME, max_size=3).map(tuple)
    if isinstance(form, HexString):
        return st.text("0123456789ABCDEF", min_size=form.digits, max_size=form.digits)
    return st.one_of(st.just(""), st.text("Ab1", min_size=1, max_size=8))


@st.composite
def objects(draw: st.DrawFn) -> tuple[str, dict[str, Value]]:
    """Draw a type and some canonical values that can be set in it."""
    type_name = draw(st.sampled_from(MODELLED))
    settable = [each for each in TYPES[type_name].at(940) if each.settable]
    chosen = draw(st.lists(st.sampled_from(settable), unique_by=lambda each: each.keyword))
    return type_name, {each.keyword: draw(values_of(each)) for each in chosen}


@given(objects())
def test_sparse_of_full_is_sparse(drawn: tuple[str, dict[str, Value]]) -> None:
    """Filling in the defaults and taking them out again gives what differs, and again the same."""
    type_name, values = drawn
    different = sparse(type_name, values)
    assert sparse(type_name, full(type_name, values, level=940)) == different
    assert full(type_name, different, level=940) == full(type_name, values, level=940)


@given(objects())
def test_full_keeps_the_order_of_display(drawn: tuple[str, dict[str, Value]]) -> None:
    """Whatever the order of the values, the full ones stand in the order of the display."""
    type_name, values = drawn
    order = [each.keyword for each in TYPES[type_name].at(940)]
    assert [key for key in order if key in full(type_name, values, level=940)] == list(
        full(type_name, values, level=940)
    )


def test_full_takes_what_only_the_caller_knows() -> None:
    """Dates and identifiers are there when given, at their place, and absent when not."""
    assert "ALTDATE" not in full("QALIAS", {}, level=940)
    values = full("QALIAS", {"TARGET": "Q", "ALTDATE": "2026-01-01"}, level=940)
    assert next(iter(values.items())) == ("ALTDATE", "2026-01-01")


def test_full_counts_the_names_of_a_namelist() -> None:
    """NAMCOUNT follows from NAMES."""
    assert full("NAMELIST", {"NAMES": ("A", "B")}, level=940)["NAMCOUNT"] == 2


def test_kept_types_keep_what_they_do_not_know() -> None:
    """Stored unknown keywords come last; the profile of a record is not an attribute."""
    values = full("CHLAUTH", {"CHLAUTH": "SYSTEM.*", "NEW": "x", "TYPE": "USERMAP"}, level=940)
    assert list(values) == ["TYPE", "DESCR", "CUSTOM", "NEW"]


@pytest.mark.parametrize(
    ("type_name", "keyword", "value", "shown"),
    [
        ("QLOCAL", "MAXDEPTH", 5000, ("MAXDEPTH", "5000")),
        ("QLOCAL", "CLUSTER", "", ("CLUSTER", " ")),
        ("TOPIC", "TOPICSTR", "", ("TOPICSTR", "")),
        ("QLOCAL", "TRIGGER", "NO", ("NOTRIGGER", None)),
        ("QLOCAL", "SHARE", "YES", ("SHARE", None)),
        ("QMGR", "SYNCPT", "YES", ("SYNCPT", None)),
        ("NAMELIST", "NAMES", ("A", "B"), ("NAMES", ("A", "B"))),
        ("NAMELIST", "NAMES", (), ("NAMES", " ")),
        ("SDR", "MSGEXIT", (), ("MSGEXIT", " ")),
        ("SDR", "COMPMSG", ("RLE", "ANY"), ("COMPMSG", "RLE,ANY")),
    ],
)
def test_cells(type_name: str, keyword: str, value: Value, shown: tuple[str, object]) -> None:
    """A cell is a keyword and its text; a flag has no text, and a blank value is one blank."""
    attribute = attribute_of(type_name, keyword)
    assert cell(attribute, value) == shown
    assert render(attribute, value) == shown[1]


def test_template_of() -> None:
    """Every type has one template, AUTHINFO one for each of its types."""
    assert template_of("QLOCAL", {}) == "SYSTEM.DEFAULT.LOCAL.QUEUE"
    assert template_of("AUTHINFO", {"AUTHTYPE": "OCSP"}) == "SYSTEM.DEFAULT.AUTHINFO.OCSP"
