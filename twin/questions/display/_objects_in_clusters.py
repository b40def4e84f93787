"""DISPLAY QUEUE, TOPIC and the like: local definitions, and instances in clusters.

Source: IBM MQ, DISPLAY QUEUE: QCLUSTER, TYPE(QCLUSTER) and CLUSINFO show what the repository
holds, one row per instance. No public capture shows a whole row: the columns have the order of a
local queue, with the cluster columns in alphabetical order between them.

Source: IBM MQ 9.2, DISPLAY TOPIC: TYPE(LOCAL), which is the default, TYPE(CLUSTER), TYPE(ALL) and
CLUSINFO for both. No public capture shows a cluster topic: the cluster columns come after CLROUTE
here. Every topic in a repository is ACTIVE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from twin.fold.beliefs import Belief, RecordName
from twin.model.attributes import TYPES, Value
from twin.model.cluster_records import type_of
from twin.questions.basis import basis_of_content, basis_of_record
from twin.questions.display._definitions import (
    Columns,
    ColumnsAt,
    DisplaySource,
    DisplayView,
    Find,
    FoundRow,
    defaults,
    defined,
    instance_columns,
    row_of,
    shown,
    texts,
    unknown_columns,
    words,
)
from twin.questions.display._depths import Depths

QUEUE_TYPES: Final = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
CLUSTER_TYPE: Final = "QCLUSTER"
_ALL_TYPES: Final = frozenset({*QUEUE_TYPES, CLUSTER_TYPE, "ALL"})
_ANY: Final = frozenset[str]()

_CLUSTER_COLUMNS: Final = """ALTDATE ALTTIME CLUSDATE CLUSQMGR CLUSQT CLUSTER CLUSTIME CLWLPRTY
    CLWLRANK DEFBIND DEFPRTY DEFPSIST DEFPRESP DEFREADA DESCR PUT QMID"""


@cache
def _cluster_columns(level: int) -> Columns:
    known = TYPES["QLOCAL"].by_keyword
    return tuple(known.get(keyword) or texts(keyword)[0] for keyword in _CLUSTER_COLUMNS.split())


@cache
def _cluster_defaults(type_name: str, level: int) -> Mapping[str, Value]:
    shown = _CLUSTER_COLUMNS.split()
    return {key: value for key, value in defaults(type_name, level).items() if key in shown}


def _columns(*types: str) -> ColumnsAt:
    @cache
    def at(level: int) -> tuple[Columns, ...]:
        return (*(TYPES[name].at(level) for name in types), _cluster_columns(level))

    return at


def _find(*types: str) -> Find:
    def find(source: DisplaySource) -> Iterator[FoundRow]:
        request = source.request
        chosen = request.selected.get("TYPE", "*")
        if chosen != CLUSTER_TYPE:
            depths = Depths.of(source.qmgr, source.at)
            for definition in shown(source, types):
                row = row_of(source, definition)
                values = {**row.values, **depths.values(definition)}
                evidence = (*row.evidence, *depths.evidence(definition.name))
                yield FoundRow(values, evidence, row.columns)
        if "CLUSINFO" in request.words or chosen == CLUSTER_TYPE:
            yield from cluster_queues(source)

    return find


def cluster_queues(source: DisplaySource) -> Iterator[FoundRow]:
    """Go through the instances of cluster queues that a queue manager knows."""
    repository, request = source.qmgr.repository, source.request
    if request.named:
        instances = repository.queues_called(request.pattern)
    else:
        instances = (each for each in repository.of_kind("queue") if request.names(each[0][2]))
    for name, belief in sorted(instances, key=_order):
        yield FoundRow(
            _instance(source, name, belief),
            (belief.position,),
            _cluster_columns(source.level),
            basis_of_content(source.qmgr, name, belief),
        )


def _order(instance: tuple[RecordName, Belief]) -> tuple[str, str, str, str]:
    (cluster, _, queue), belief = instance
    return queue, cluster, belief.owner_name, belief.owner


def _instance(source: DisplaySource, name: RecordName, belief: Belief) -> dict[str, Value | None]:
    kind = str(belief.values.get("CLUSQT", "QLOCAL"))
    return {
        **_cluster_defaults(type_of("queue", kind), source.level),
        **instance_columns(source, name, belief),
        "QUEUE": name[2],
        "TYPE": CLUSTER_TYPE,
        "CLUSQT": kind,
        **unknown_columns(belief),
    }


def _view(*types: str) -> DisplayView:
    """Return the view of one queue type, or of several, which TYPE (or QTYPE) selects from."""
    by_type = dict.fromkeys(("TYPE", "QTYPE"), _ALL_TYPES) if len(types) > 1 else {}
    return DisplayView(
        message="AMQ8409",
        first=("QUEUE", "TYPE"),
        columns=_columns(*types),
        find=_find(*types),
        selectors={"CLUSTER": _ANY, "CLUSNL": _ANY, **by_type},
        words=frozenset({"CLUSINFO"}),
    )


QUEUE_VIEWS: Final = {
    "QUEUE": _view(*QUEUE_TYPES),
    **{name: _view(name) for name in QUEUE_TYPES},
    CLUSTER_TYPE: DisplayView(
        message="AMQ8409",
        first=("QUEUE", "TYPE"),
        columns=_columns(),
        find=cluster_queues,
        selectors={"CLUSTER": _ANY},
    ),
}

_TOPIC_TYPES: Final = frozenset({"LOCAL", "CLUSTER", "ALL"})
_TOPIC_IN_CLUSTER: Final = (
    words("CLSTATE", "ACTIVE PENDING INVALID ERROR"),
    *texts("CLUSDATE CLUSTIME CLUSQMGR QMID"),
)

_local_topics: Final = defined("TOPIC")


@cache
def _topic_columns(level: int) -> tuple[Columns, ...]:
    local = TYPES["TOPIC"].at(level)
    keywords = [column.keyword for column in local]
    place = keywords.index("CLROUTE" if "CLROUTE" in keywords else "CLUSTER") + 1
    return local, (*local[:place], *_TOPIC_IN_CLUSTER, *local[place:])


def _find_topics(source: DisplaySource) -> Iterator[FoundRow]:
    chosen = source.request.selected.get("TYPE", "LOCAL")
    both = chosen == "*" or "CLUSINFO" in source.request.words
    if both or chosen == "LOCAL":
        columns, _ = _topic_columns(source.level)
        yield from (replace(row, columns=columns) for row in _local_topics(source))
    if both or chosen == "CLUSTER":
        yield from _clustered_topics(source)


def _clustered_topics(source: DisplaySource) -> Iterator[FoundRow]:
    _, columns = _topic_columns(source.level)
    known = sorted(
        (name[2], name[0], belief.owner_name, belief.owner, belief)
        for name, belief in source.qmgr.repository.of_kind("topic")
        if source.request.names(name[2])
    )
    for topic, cluster, _, _, belief in known:
        values = {
            **defaults("TOPIC", source.level),
            **instance_columns(source, (cluster, "topic", topic), belief),
            "TOPIC": topic,
            "TYPE": "CLUSTER",
            "CLSTATE": "ACTIVE",
            **unknown_columns(belief),
        }
        basis = basis_of_record(source.estate, source.qmgr, (cluster, "topic", topic), belief)
        yield FoundRow(values, (belief.position,), columns, basis.content)


TOPIC_VIEWS: Final = {
    "TOPIC": DisplayView(
        message="AMQ8633",
        first=("TOPIC", "TYPE"),
        columns=_topic_columns,
        find=_find_topics,
        selectors={"TYPE": _TOPIC_TYPES, "CLUSTER": frozenset()},
        words=frozenset({"CLUSINFO"}),
    ),
    "TCLUSTER": DisplayView(
        message="AMQ8633",
        first=("TOPIC", "TYPE"),
        columns=_topic_columns,
        find=_clustered_topics,
        selectors={"CLUSTER": frozenset()},
    ),
}
