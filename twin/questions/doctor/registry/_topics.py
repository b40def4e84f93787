"""Rules about cluster topics."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import topics
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.rule import DoctorRule

RULES: Final = (
    DoctorRule(
        id="cluster-topics-conflict",
        severity=Severity.ERROR,
        condition="Topics of one name in a cluster differ in CLROUTE; a warning if only TOPICSTR "
        "differs.",
        why="With another CLROUTE a definition is refused, or invalid: its queue manager is no "
        "host of the topic. With another TOPICSTR it depends on the queue manager which part of "
        "the topic tree is shared.",
        what_to_do="Decide which definition is right. At the queue managers of the others: ALTER "
        "TOPIC(name) CLUSTER(' '), or delete the topic and define it again like the first one.",
        source="IBM MQ 9.4, Multiple cluster topic definitions of the same name; Routing for "
        "publish/subscribe clusters: Notes on behavior",
        attributes=("CLROUTE", "TOPICSTR"),
        check=topics.conflicting,
    ),
)
