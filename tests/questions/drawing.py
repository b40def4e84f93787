"""Random definitions: canonical values of every form, in objects of every type."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from twin.events import ObjectObserved
from twin.model.attributes import (
    HIDDEN,
    TYPES,
    Attribute,
    ChannelPattern,
    Choice,
    Choices,
    CipherSpec,
    Flag,
    Given,
    HexString,
    Name,
    NameList,
    Number,
    Secret,
    TextList,
    Value,
    conflict,
    sparse,
)
from twin.model.authorities import expanded
from twin.model.names import name_limit
from twin.model.objects import RECORDS, identified, record_name
from twin.model.system_objects import system_objects

LEVEL: Final = 940
FULLY: Final = sorted(name for name, table in TYPES.items() if not table.kept and name != "QMGR")
KEPT: Final = sorted(name for name, table in TYPES.items() if table.kept and name not in RECORDS)

NAMES: Final = st.text("ABZabz019._/%", min_size=1, max_size=20)
TEXTS: Final = st.one_of(
    st.just(""), st.text("Aa1 '*+-;,()\"ä", min_size=1, max_size=20).map(str.rstrip)
)
WORDS: Final = st.lists(st.sampled_from(["GET", "PUT", "INQ", "DSP"]), unique=True, min_size=1).map(
    tuple
)


def values_of(attribute: Attribute) -> st.SearchStrategy[Value]:  # noqa: C901, PLR0911, PLR0912
    """Draw canonical values of an attribute, including awkward ones."""
    form = attribute.form
    match form:
        case CipherSpec():
            return st.sampled_from(["", "ANY_TLS12", "TLS_RSA_WITH_AES_256_CBC_SHA256"])
        case Number():
            return st.one_of(
                st.integers(form.low, form.high), *(st.just(word) for word in form.words)
            )
        case Choice():
            return st.sampled_from(form.words)
        case Choices():
            return st.lists(st.sampled_from(form.words), min_size=1, max_size=3).map(tuple)
        case Flag():
            return st.sampled_from(["YES", "NO"])
        case NameList():
            return st.lists(NAMES, max_size=4).map(tuple)
        case TextList():
            items = TEXTS.map(str.strip).filter(bool)
            return st.lists(items, max_size=3).map(tuple)
        case HexString():
            return st.text("0123456789ABCDEF", min_size=form.digits, max_size=form.digits)
        case Name():
            return st.one_of(st.just(""), NAMES.map(lambda name: name[: form.limit]))
        case ChannelPattern():
            return st.one_of(st.just(""), NAMES.map(lambda name: f"{name[:19]}*"))
        case Secret():
            return st.sampled_from(["", HIDDEN])
        case Given():
            several = st.lists(TEXTS, min_size=2, max_size=3).map(tuple)
            return st.one_of(TEXTS.filter(bool), several)  # a blank that is given is ' '
        case _:
            return TEXTS.map(lambda text: text[: form.limit].strip())  # type: ignore[attr-defined]


@st.composite
def some_values(draw: st.DrawFn, type_name: str) -> dict[str, Value]:
    """Draw consistent values that can be set in a type."""
    settable = [each for each in TYPES[type_name].at(LEVEL) if each.settable]
    chosen = draw(st.lists(st.sampled_from(settable), unique=True, max_size=6))
    values = {each.keyword: draw(values_of(each)) for each in chosen}
    for keyword in list(values):
        if conflict(type_name, values):
            del values[keyword]
    return sparse(type_name, values)


@st.composite
def definitions(draw: st.DrawFn, *, types: list[str]) -> ObjectObserved:
    """Draw one object of a few types."""
    type_name = draw(st.sampled_from(types))
    kind = TYPES[type_name].kind
    name = draw(NAMES)[: name_limit(kind)]
    values = draw(some_values(type_name))
    if type_name == "AUTHINFO":
        template = (
            f"SYSTEM.DEFAULT.AUTHINFO.{draw(st.sampled_from(['OCSP', 'IDPWOS', 'IDPWLDAP']))}"
        )
        whole = system_objects(LEVEL)[kind, template].values
        values = {**whole, **{key: value for key, value in values.items() if key != "AUTHTYPE"}}
    if (variants := TYPES[type_name].variants) is not None:
        if variants.keyword in TYPES[type_name].mandatory and variants.keyword not in values:
            values[variants.keyword] = draw(st.sampled_from(sorted(variants.keywords)))
        strange = variants.strangers(values)
        values = {key: value for key, value in values.items() if key not in strange}
    return ObjectObserved(qmgr="QM1", kind=kind, name=name, type=type_name, values=values)


_USERS: Final[list[dict[str, Value]]] = [
    {"USERSRC": "MAP", "MCAUSER": "app"},
    {"USERSRC": "CHANNEL"},
    {"USERSRC": "NOACCESS"},
]


@st.composite
def rules(draw: st.DrawFn) -> ObjectObserved:
    """Draw one channel authentication rule or authority record."""
    profile = draw(NAMES)
    if draw(st.booleans()):
        kind = "CHLAUTH"
        values: dict[str, Value] = {
            "TYPE": "ADDRESSMAP",
            "ADDRESS": draw(TEXTS.filter(bool)),
            **draw(st.sampled_from(_USERS)),
            "DESCR": draw(TEXTS),
        }
    else:
        kind = "AUTHREC"
        words = expanded("QUEUE", draw(WORDS))
        values = {"OBJTYPE": "QUEUE", "GROUP": draw(NAMES), "AUTHLIST": words}
    return ObjectObserved(
        qmgr="QM1",
        kind=kind,
        name=record_name(kind, profile, values),
        type=kind,
        values=sparse(kind, identified(kind, profile, values)),
    )
