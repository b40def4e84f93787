"""Every rule of the doctor by its id: the only place where severity, grounds and fixes are stated.

Help, documentation, SARIF and answers are made from these declarations. Ids are permanent: a rule
that is dropped is entered in `RETIRED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.questions.doctor.registry import (
    _channel_states,
    _cluster_channels,
    _connections,
    _dead_letters,
    _estates,
    _lifetimes,
    _queues,
    _repositories,
    _seen_failures,
    _system_queues,
    _topics,
    _transmission,
    _workload,
)
from twin.questions.doctor.rule import DoctorRule

RULES: Final[Mapping[str, DoctorRule]] = MappingProxyType(
    {
        rule.id: rule
        for topic in (
            _repositories,
            _cluster_channels,
            _connections,
            _channel_states,
            _seen_failures,
            _queues,
            _workload,
            _topics,
            _dead_letters,
            _system_queues,
            _transmission,
            _lifetimes,
            _estates,
        )
        for rule in topic.RULES
    }
)
"""Every rule, in the order of the documentation."""

RETIRED: Final[Mapping[str, str]] = MappingProxyType({})
"""The id of a rule that no longer exists -> why. It is accepted, and reported as retired."""
