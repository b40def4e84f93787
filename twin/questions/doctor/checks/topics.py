"""Checks of cluster topics.

Source: IBM MQ 9.4, "Multiple cluster topic definitions of the same name"; "Routing for
publish/subscribe clusters: Notes on behavior". They do not say what MQ does with one topic string
under several names, so nothing is said of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.model.commands import parameters_text
from twin.model.objects import text_of
from twin.questions.doctor.finding import Finding, Severity
from twin.questions.doctor.index import Index, OwnedObject, sites_of

_ROUTES: Final = "CLROUTE"
_STRING: Final = "TOPICSTR"
_SHOWN: Final = 5

_WHAT_FOLLOWS: Final = {
    _ROUTES: "MQ refuses the definition at a queue manager that knows the other one "
    "(MQRCCF_CLUSTER_TOPIC_CONFLICT); if both were made, full repositories accept one of them, and "
    "the other one gets CLSTATE(INVALID).",
    _STRING: "Each queue manager uses one of the definitions, and not all the same one (AMQ9465, "
    "AMQ9466); among CLROUTE(TOPICHOST) MQ may refuse one.",
}
"""The attribute in which definitions of one topic differ -> what MQ does."""


def conflicting(index: Index) -> Iterator[Finding]:
    """Find topics of one name in a cluster whose CLROUTE or TOPICSTR differs.

    CLROUTE is compared first: where it differs, one of the definitions is not used at all.
    """
    for cluster in index.clusters:
        for name, defined in sorted(cluster.topics.items()):
            places = cluster.shared(defined)
            keyword = next((each for each in _WHAT_FOLLOWS if _differs(places, each)), "")
            if keyword:
                yield Finding(
                    subject=cluster.about("TOPIC", name),
                    text=f"The definitions differ: {_values(places, keyword)}. "
                    f"{_WHAT_FOLLOWS[keyword]}",
                    attributes=(keyword,),
                    evidence=tuple(site.place(each) for site, each in places),
                    on=sites_of(places),
                    cluster=cluster.name,
                    severity=None if keyword == _ROUTES else Severity.WARNING,
                )


def _value(place: OwnedObject, keyword: str) -> str:
    """Return the value of an attribute; before MQ 8.0 all topics were routed directly."""
    return text_of(place[1], keyword) or ("DIRECT" if keyword == _ROUTES else "")


def _differs(places: list[OwnedObject], keyword: str) -> bool:
    return len({_value(place, keyword) for place in places}) > 1


def _values(places: list[OwnedObject], keyword: str) -> str:
    shown = "; ".join(
        f"{place[0].name} {parameters_text([(keyword, _value(place, keyword))])}"
        for place in places[:_SHOWN]
    )
    return f"{shown}; and {len(places) - _SHOWN} more" if len(places) > _SHOWN else shown
