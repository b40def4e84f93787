"""DISPLAY TOPIC and TCLUSTER: topic objects, and clustered topics as the repository holds them.

Source: IBM MQ 9.2, DISPLAY TOPIC: TYPE(LOCAL), which is the default, TYPE(CLUSTER), TYPE(ALL) and
CLUSINFO for both. No public capture shows a cluster topic: the cluster columns come after CLROUTE
here. Every topic in a repository is ACTIVE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from twin.model.attributes import TYPES
from twin.questions.display._definitions import defaults, defined, instance_columns
from twin.questions.display._view import Columns, DisplaySource, DisplayView, FoundRow, texts, words

_TYPES: Final = frozenset({"LOCAL", "CLUSTER", "ALL"})
_IN_CLUSTER: Final = (
    words("CLSTATE", "ACTIVE PENDING INVALID ERROR"),
    *texts("CLUSDATE CLUSTIME CLUSQMGR QMID"),
)

_local: Final = defined("TOPIC")


@cache
def _columns(level: int) -> tuple[Columns, ...]:
    local = TYPES["TOPIC"].at(level)
    keywords = [column.keyword for column in local]
    place = keywords.index("CLROUTE" if "CLROUTE" in keywords else "CLUSTER") + 1
    return local, (*local[:place], *_IN_CLUSTER, *local[place:])


def _find(source: DisplaySource) -> Iterator[FoundRow]:
    chosen = source.request.selected.get("TYPE", "LOCAL")
    both = chosen == "*" or "CLUSINFO" in source.request.words
    if both or chosen == "LOCAL":
        columns, _ = _columns(source.level)
        for row in _local(source):
            yield replace(row, columns=columns)
    if both or chosen == "CLUSTER":
        yield from _clustered(source)


def _clustered(source: DisplaySource) -> Iterator[FoundRow]:
    _, columns = _columns(source.level)
    known = sorted(
        (name[2], name[0], belief.owner_name, belief.owner, belief)
        for name, belief in source.qmgr.repository.of_kind("topic")
        if source.request.names(name[2])
    )
    for topic, cluster, _, _, belief in known:
        values = {
            **defaults("TOPIC", source.level),
            **instance_columns(cluster, belief),
            "TOPIC": topic,
            "TYPE": "CLUSTER",
            "CLSTATE": "ACTIVE",
        }
        yield FoundRow(values, (belief.position,), columns)


TOPIC_VIEWS: Final = {
    "TOPIC": DisplayView(
        message="AMQ8633",
        first=("TOPIC", "TYPE"),
        columns=_columns,
        find=_find,
        selectors={"TYPE": _TYPES, "CLUSTER": frozenset()},
        words=frozenset({"CLUSINFO"}),
    ),
    "TCLUSTER": DisplayView(
        message="AMQ8633",
        first=("TOPIC", "TYPE"),
        columns=_columns,
        find=_clustered,
        selectors={"CLUSTER": frozenset()},
    ),
}
