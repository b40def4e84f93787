"""Filters and columns that several questions have."""

from __future__ import annotations

from typing import Final

from twin.model.basis import SUPPORTED, Basis
from twin.questions.declared import Column, Filter, Trait

KINDS: Final = ("qmgr", "queue", "topic")
"""The kinds of records that a repository holds."""

OBSERVER: Final = Filter("on", "QM", "Only records that this queue manager holds.")
CLUSTER: Final = Filter("cluster", "NAME", "Only this cluster.")
KIND: Final = Filter("kind", "KIND", "Only records of this kind.", KINDS)
NAME: Final = Filter("name", "NAME", "Only records of this name.")
RECORDS: Final = (OBSERVER, CLUSTER, KIND, NAME)
ON_BASIS: Final = Filter(
    "basis",
    "BASIS",
    "Only what rests on this or on more: observed, then derived, then assumed.",
    SUPPORTED,
)
ON: Final = Filter("on", "QM", "Only this queue manager.")
AS: Final = Filter("as", "USER", "User that the application runs as.")
GROUPS: Final = Filter(
    "groups", "[USER=]G,...", "Groups of this user, or of USER; between several are blanks."
)
CHANNEL: Final = Filter("channel", "NAME", "Only this channel.")
RESTS_ON: Final = Column(
    "basis",
    "text",
    "What the row rests on: its weakest; observed, derived by the rules, assumed, or unknown.",
    Trait.BASIS,
    choices=tuple(Basis),
)
