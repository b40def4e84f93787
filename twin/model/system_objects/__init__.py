"""The objects and the attributes that a queue manager has when it is created."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from twin.model.attributes import TYPES, Value, attribute_of
from twin.model.objects import Definition
from twin.model.system_objects._others import OTHERS
from twin.model.system_objects._queues import QUEUES, SystemObject

__all__ = ["initial_values", "system_objects"]

_CERTIFICATE_LABELS: Final = 800


@cache
def system_objects(level: int) -> Mapping[tuple[str, str], Definition]:
    """Return the objects of a new queue manager of this command level, by kind and name.

    All queue managers share these definitions, so they have no creation instant of their own.
    """
    rows = (row for row in (*QUEUES, *OTHERS) if row.since <= level)
    definitions = {(TYPES[row.type].kind, row.name): _definition(row, level) for row in rows}
    return MappingProxyType(definitions)


def _definition(row: SystemObject, level: int) -> Definition:
    values = {
        keyword: value
        for keyword, value in row.values.items()
        if attribute_of(row.type, keyword).since <= level
    }
    return Definition(
        kind=TYPES[row.type].kind,
        name=row.name,
        type=row.type,
        values=MappingProxyType(values),
        created=None,
        altered=None,
    )


def initial_values(qmgr: str, *, level: int) -> dict[str, Value]:
    """Return the attributes of a new queue manager that follow from its name.

    Source: dmpmqcfg -a of two 9.3.0.2 queue managers (CERTLABL, SSLKEYR).
    """
    values: dict[str, Value] = {"SSLKEYR": f"/var/mqm/qmgrs/{qmgr}/ssl/key"}
    if level >= _CERTIFICATE_LABELS:
        values["CERTLABL"] = f"ibmwebspheremq{qmgr.lower()}"
    return values
