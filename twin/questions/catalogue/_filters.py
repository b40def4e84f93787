"""Filters that several questions have."""

from __future__ import annotations

from typing import Final

from twin.questions.declared import Filter

KINDS: Final = ("qmgr", "queue", "topic")
"""The kinds of records that a repository holds."""

OBSERVER: Final = Filter("on", "QM", "Only records that this queue manager holds.")
CLUSTER: Final = Filter("cluster", "NAME", "Only this cluster.")
KIND: Final = Filter("kind", "KIND", "Only records of this kind.", KINDS)
NAME: Final = Filter("name", "NAME", "Only records of this name.")
RECORDS: Final = (OBSERVER, CLUSTER, KIND, NAME)
ON: Final = Filter("on", "QM", "Only this queue manager.")
CHANNEL: Final = Filter("channel", "NAME", "Only this channel.")
