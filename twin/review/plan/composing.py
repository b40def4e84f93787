"""Compose the MQSC that makes one definition out of another, or out of nothing.

A command sets what differs from the defaults of the type. A DEFINE starts from the default object
of its queue manager (SYSTEM.DEFAULT...), so it also sets what that object may have otherwise.

Source: IBM MQ 9.4, "MQSC commands reference": DEFINE, ALTER, DELETE, SET.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from twin.model.attributes import (
    HIDDEN,
    TYPES,
    Flag,
    Value,
    attribute_of,
    keyword_of,
    template_of,
)
from twin.model.commands import quote_if_needed
from twin.model.objects import Definition, ObjectKey
from twin.model.records import AUTHORITIES, RECORDS, profile_of
from twin.questions.field_differences import default_of, of_definitions

_CLIENT: Final = "CLNTCONN"
_NOTHING: Final[Mapping[str, Value]] = {}


def defining(definition: Definition, *places: Mapping[ObjectKey, Definition]) -> list[str]:
    """Return the parts of the command that creates an object: verb and name, then attributes.

    `places` are the objects of its queue manager, before and after: where the default object of the
    type may be.
    """
    if definition.type in RECORDS:
        return _setting(definition)
    template = (definition.kind, template_of(definition.type, definition.values))
    usual = [each[template].values for each in places if template in each] or [_NOTHING]
    mandatory = [key for each in TYPES[definition.type].mandatory for key in each.split("|")]
    values = {
        key: _value(definition, key)
        for key in dict.fromkeys((*mandatory, *definition.values, *chain(*usual)))
        if key != "CHLTYPE"
    }
    wanted = [
        (key, value)
        for key, value in values.items()
        if (key in mandatory and value != "")
        or any(value != each.get(key, default_of(definition.type, key)) for each in usual)
    ]
    named = f"DEFINE {_named(definition)}"
    return [named, *_typed(definition), *_attributes(definition.type, wanted)]


def altering(before: Definition, after: Definition) -> list[str] | None:
    """Return the parts of the command that alters an object; None if it cannot be altered."""
    if after.type in RECORDS:
        return _setting(after)
    fields = [difference.field for difference in of_definitions(before, after)]
    if "AUTHTYPE" in fields or not all(
        attribute_of(after.type, field).alterable for field in fields
    ):
        return None
    fields = [*(["AUTHTYPE"] if after.type == "AUTHINFO" else []), *fields]
    values = [(field, _value(after, field)) for field in fields]
    return [f"ALTER {_named(after)}", *_typed(after), *_attributes(after.type, values)]


def altering_qmgr(values: Iterable[tuple[str, Value]]) -> list[str]:
    """Return the parts of the command that alters a queue manager."""
    return ["ALTER QMGR", *_attributes("QMGR", values)]


def deleting(definition: Definition) -> list[str]:
    """Return the parts of the command that deletes an object."""
    if definition.type in RECORDS:
        return _removing(definition)
    table = ["CHLTABLE(CLNTTAB)"] if definition.type == _CLIENT else []
    return [f"DELETE {_named(definition)}", *table]


def _named(definition: Definition) -> str:
    word = "CHANNEL" if TYPES[definition.type].word == "CHANNEL" else definition.type
    return f"{word}({quote_if_needed(definition.name)})"


def _typed(definition: Definition) -> list[str]:
    is_channel = TYPES[definition.type].word == "CHANNEL"
    return [f"CHLTYPE({definition.type})"] if is_channel else []


def _value(definition: Definition, keyword: str) -> Value:
    default = default_of(definition.type, keyword)
    return definition.values.get(keyword, default)


def _setting(record: Definition) -> list[str]:
    """Return the parts of the SET that replaces a record."""
    profile = profile_of(record)
    identity = [(key, record.values[key]) for key in _identity(record)]
    if record.type == "AUTHREC":
        words = record.values.get(AUTHORITIES) or "NONE"
        given = [("PROFILE", profile), *identity, ("AUTHRMV", "ALL"), ("AUTHADD", words)]
        return ["SET AUTHREC", *_attributes(record.type, given)]
    own = {TYPES[record.type].word, *(key for key, _ in identity)}
    others = [(key, value) for key, value in record.values.items() if key not in own]
    action = ["ACTION(REPLACE)"] if record.type == "CHLAUTH" else []
    named = f"SET {record.type}({quote_if_needed(profile)})"
    return [named, *_attributes(record.type, [*identity, *others]), *action]


def _removing(record: Definition) -> list[str]:
    """Return the parts of the command that removes a record."""
    profile = profile_of(record)
    identity = [(key, record.values[key]) for key in _identity(record)]
    if record.type == "AUTHREC":
        return ["DELETE AUTHREC", *_attributes(record.type, [("PROFILE", profile), *identity])]
    named = f"{record.type}({quote_if_needed(profile)})"
    if record.type == "POLICY":
        return [f"DELETE {named}"]
    return [f"SET {named}", *_attributes(record.type, identity), "ACTION(REMOVE)"]


def _identity(record: Definition) -> list[str]:
    """Return the keywords that identify a record besides its profile."""
    return [key for key in TYPES[record.type].identity if record.values.get(key)]


def _attributes(type_name: str, values: Iterable[tuple[str, Value]]) -> list[str]:
    """Write attributes as parameters; a password is left out, since only MQ knows it."""
    return [_attribute(type_name, keyword, value) for keyword, value in values if value != HIDDEN]


def _attribute(type_name: str, keyword: str, value: Value) -> str:
    attribute = attribute_of(type_name, keyword)
    if isinstance(attribute.form, Flag):
        return keyword_of(attribute, value)
    items = (value or ("",)) if isinstance(value, tuple) else (value,)
    shown = ",".join(_item(each, attribute.blank) for each in items)
    return f"{keyword_of(attribute, value)}({shown})"


def _item(item: str | int, blank: str) -> str:
    if isinstance(item, int):
        return str(item)
    return quote_if_needed(item) if item else f"'{blank}'"
