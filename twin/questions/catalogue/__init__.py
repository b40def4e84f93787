"""Every question by its name: columns, filters, and where its implementation is.

Help, documentation, JSON Schema and completion are made from these declarations. Names of
questions and columns are public and stable.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.questions.catalogue import _channels, _events, _messages, _records, _review
from twin.questions.catalogue._events import INGEST_KINDS, UNRENEWED
from twin.questions.catalogue._filters import KINDS
from twin.questions.declared import Question

__all__ = ["INGEST_KINDS", "KINDS", "QUESTIONS", "UNRENEWED"]

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        name: question
        for family in (_records, _events, _messages, _channels, _review)
        for name, question in family.QUESTIONS.items()
    }
)
