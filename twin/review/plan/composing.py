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
from twin.model.commands import Command, ParameterValue
from twin.model.objects import AUTHORITIES, RECORDS, Definition, ObjectKey, profile_of
from twin.questions.field_differences import default_of, of_definitions

_NOTHING: Final[Mapping[str, Value]] = {}


def defining(on: str, definition: Definition, *places: Mapping[ObjectKey, Definition]) -> Command:
    """Return the command that creates an object.

    `places` are the objects of its queue manager, before and after: where the default object of the
    type may be.
    """
    if definition.type in RECORDS:
        return _setting(on, definition)
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
    return Command.about(on, "DEFINE", definition, **_given(definition.type, wanted))


def altering(on: str, before: Definition, after: Definition) -> Command | None:
    """Return the command that alters an object; None if it cannot be altered."""
    if after.type in RECORDS:
        return _setting(on, after)
    fields = [difference.field for difference in of_definitions(before, after)]
    if "AUTHTYPE" in fields or not all(
        attribute_of(after.type, field).alterable for field in fields
    ):
        return None
    fields = [*(["AUTHTYPE"] if after.type == "AUTHINFO" else []), *fields]
    values = [(field, _value(after, field)) for field in fields]
    return Command.about(on, "ALTER", after, **_given(after.type, values))


def altering_qmgr(on: str, values: Iterable[tuple[str, Value]]) -> Command:
    """Return the command that alters a queue manager."""
    return Command.of(on, "ALTER", "QMGR", **_given("QMGR", values))


def deleting(on: str, definition: Definition) -> Command:
    """Return the command that deletes an object."""
    if definition.type in RECORDS:
        return _removing(on, definition)
    table = {"CHLTABLE": "CLNTTAB"} if definition.type == "CLNTCONN" else {}
    return Command.about(on, "DELETE", definition, **table)


def _value(definition: Definition, keyword: str) -> Value:
    return definition.values.get(keyword, default_of(definition.type, keyword))


def _setting(on: str, record: Definition) -> Command:
    """Return the SET that replaces a record."""
    profile = profile_of(record)
    identity = [(key, record.values[key]) for key in _identity(record)]
    if record.type == "AUTHREC":
        words = record.values.get(AUTHORITIES) or "NONE"
        given = [("PROFILE", profile), *identity, ("AUTHRMV", "ALL"), ("AUTHADD", words)]
        return Command.of(on, "SET", "AUTHREC", **_given(record.type, given))
    own = {TYPES[record.type].word, *(key for key, _ in identity)}
    others = [(key, value) for key, value in record.values.items() if key not in own]
    values = _given(record.type, [*identity, *others])
    action = {"ACTION": "REPLACE"} if record.type == "CHLAUTH" else {}
    return Command.of(on, "SET", record.type, profile, **values, **action)


def _removing(on: str, record: Definition) -> Command:
    """Return the command that removes a record."""
    profile = profile_of(record)
    identity = [(key, record.values[key]) for key in _identity(record)]
    if record.type == "AUTHREC":
        values = _given(record.type, [("PROFILE", profile), *identity])
        return Command.of(on, "DELETE", "AUTHREC", **values)
    if record.type == "POLICY":
        return Command.of(on, "DELETE", "POLICY", profile)
    values = _given(record.type, identity)
    return Command.of(on, "SET", record.type, profile, **values, ACTION="REMOVE")


def _identity(record: Definition) -> list[str]:
    """Return the keywords that identify a record besides its profile."""
    return [key for key in TYPES[record.type].identity if record.values.get(key)]


def _given(type_name: str, values: Iterable[tuple[str, Value]]) -> dict[str, ParameterValue]:
    """Return attributes as parameters; a password is left out, since only MQ knows it."""
    given: dict[str, ParameterValue] = {}
    for keyword, value in values:
        attribute = attribute_of(type_name, keyword)
        if value != HIDDEN:
            blank: ParameterValue = "" if attribute.blank else ()
            written = blank if value in ("", ()) else value
            is_flag = isinstance(attribute.form, Flag)
            given[keyword_of(attribute, value)] = None if is_flag else written
    return given
