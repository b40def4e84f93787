"""The definitions of a queue manager as of an instant, as `dmpmqcfg -a` writes them.

The output can be replayed by runmqsc, and by the rules of this package. The feed that reads dumps
finds the same definitions in it. Of a password, only the fact that it is set is known. It is
written as a comment line, as MQ does; a replay must supply it again.

Source: dmpmqcfg -a of 9.3.0.2 queue managers, and without -a of a 9.3.1 one (passwords).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import (
    HIDDEN,
    TYPES,
    Attribute,
    Flag,
    Secret,
    Value,
    attribute_of,
    full,
    keyword_of,
)
from twin.model.instants import AsOf, format_instant, mq_date, mq_time
from twin.model.objects import AUTHORITIES, RECORDS, Definition, in_order, profile_of
from twin.mqsc import dump as layout
from twin.questions.display import Depths, object_dates, own_values

_ORDER: Final = (
    *("QUEUE", "NAMELIST", "PROCESS", "CHANNEL", "CLNTCONN", "AUTHINFO", "LISTENER", "SERVICE"),
    *("COMMINFO", "TOPIC", "SUB", "CHLAUTH", "AUTHREC", "POLICY"),
)
"""The kinds in the order in which they are written."""

_FIRST: Final = {
    "LISTENER": ("TRPTYPE", "CONTROL"),
    "AUTHREC": ("PROFILE", "PRINCIPAL", "GROUP", "OBJTYPE"),
}
"""Keywords that a dump writes first, in this order, by type; DISPLAY has another order."""

_PLAIN: Final = re.compile(r"[A-Z0-9._/%*$@#&=:+-]+")
"""A value that needs no quotes."""


def dump(estate: Estate, qmgr: str, as_of: AsOf) -> list[str]:
    """Write every definition of a queue manager, line by line.

    Of an observed one, default objects and own attributes that nothing showed are left out, and a
    CLUSRCVR whose CONNAME nobody saw: to define it again without one would change it. Depths,
    handles and dates that nobody knows are left out, too.

    Raises:
        NoSuchQueueManager: when there is no queue manager of that name.
    """
    owner = estate.qmgr(qmgr)
    date, time = mq_date(as_of.valid), mq_time(as_of.valid)
    lines = layout.header(
        date=date,
        time=time,
        by=f"twin {as_of}",
        qmgr=owner.name,
        platform=owner.platform,
        level=None if owner.made_level else owner.cmdlevel,
        command=f"twin dmpmqcfg {owner.name} --as-of {format_instant(as_of.valid)}",
        in_part=not (
            owner.shows_all and all(_is_known(owner, each) for each in owner.definitions.values())
        ),
    )
    own = {each: value for each, value in own_values(owner).items() if value is not None}
    del own["QMNAME"]
    lines += layout.definition("ALTER", "QMGR", None, list(_attributes("QMGR", own)))
    words, depths = Counter({"QMGR": 1}), Depths.of(owner, as_of.valid)
    for definition in _in_order(owner):
        lines += _definition(owner, definition, depths.values(definition))
        words[_word(definition)] += 1
    return [*layout.folded(lines), *layout.footer(date=date, time=time, words=words)]


def _in_order(owner: QueueManager) -> list[Definition]:
    return sorted(
        (
            each
            for each in owner.definitions.values()
            if each.kind in _ORDER and _is_known(owner, each)
        ),
        key=lambda each: (_ORDER.index(each.kind), in_order(each)),
    )


def _is_known(owner: QueueManager, definition: Definition) -> bool:
    return owner.was_shown(definition) and not owner.lacks_address(definition)


def _definition(
    owner: QueueManager, definition: Definition, live: Mapping[str, Value | None]
) -> list[str]:
    dates = object_dates(owner, definition)
    known = {each: value for each, value in {**live, **dates}.items() if value is not None}
    values = {**definition.values, **known}
    name: str | None = definition.name
    before: list[layout.DumpedAttribute] = []
    after: list[layout.DumpedAttribute] = []
    if definition.type in RECORDS:
        name = None if definition.type == "AUTHREC" else profile_of(definition)
        values = _as_set(definition, values)
        if definition.type != "AUTHREC":
            after = [layout.DumpedAttribute("ACTION", "REPLACE")]
    elif TYPES[definition.type].word == "CHANNEL":
        before = [layout.DumpedAttribute("CHLTYPE", definition.type)]
    attributes = [
        each
        for each in _attributes(
            definition.type, full(definition.type, values, level=owner.cmdlevel)
        )
        if each.keyword in known or each.keyword not in live
    ]
    verb = "SET" if definition.type in RECORDS else "DEFINE"
    return layout.definition(verb, _word(definition), name, [*before, *attributes, *after])


def _word(definition: Definition) -> str:
    return "CHANNEL" if TYPES[definition.type].word == "CHANNEL" else definition.type


def _as_set(definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values of a record as SET takes them."""
    undated = {"CRDATE", "CRTIME"} | (set() if definition.type == "CHLAUTH" else _ALTERED)
    settable = {key: value for key, value in values.items() if key not in undated}
    if definition.type == "AUTHREC":
        words = settable.pop(AUTHORITIES, ())
        settable |= {"PROFILE": profile_of(definition), "AUTHADD": words or "NONE"}
    return settable


_ALTERED: Final = {"ALTDATE", "ALTTIME"}


def _attributes(type_name: str, shown: Mapping[str, Value]) -> Iterator[layout.DumpedAttribute]:
    dates = {*_ALTERED, "CRDATE", "CRTIME"} - set(TYPES[type_name].by_keyword)
    first = [keyword for keyword in _FIRST.get(type_name, ()) if keyword in shown]
    for keyword in dict.fromkeys((*first, *shown)):
        if keyword not in dates:
            yield _attribute(attribute_of(type_name, keyword), shown[keyword])


def _attribute(attribute: Attribute, value: Value) -> layout.DumpedAttribute:
    keyword = keyword_of(attribute, value)
    if isinstance(attribute.form, Flag):
        return layout.DumpedAttribute(keyword, None, settable=attribute.settable)
    items = value if isinstance(value, tuple) else (str(value),)
    quoted = attribute.form.quoted or (
        attribute.settable and not all(_PLAIN.fullmatch(item) for item in items)
    )
    hidden = isinstance(attribute.form, Secret) and value == HIDDEN
    return layout.DumpedAttribute(
        keyword, value, quoted=quoted, settable=attribute.settable and not hidden
    )
