"""All planted faults, and some in pairs."""

from __future__ import annotations

from typing import Final

from tests.questions.doctor.planted_channels import CLUSTER_CHANNELS, REPOSITORIES
from tests.questions.doctor.planted_connections import CONNECTIONS, DEAD_LETTERS, STATES
from tests.questions.doctor.planted_failures import FAILURES
from tests.questions.doctor.planted_lifetimes import ESTATES, LIFETIMES
from tests.questions.doctor.planted_queues import QUEUES, SYSTEM_QUEUES, TRANSMISSION, WORKLOAD

ALL: Final = (
    *REPOSITORIES,
    *CLUSTER_CHANNELS,
    *CONNECTIONS,
    *STATES,
    *FAILURES,
    *DEAD_LETTERS,
    *QUEUES,
    *WORKLOAD,
    *SYSTEM_QUEUES,
    *TRANSMISSION,
    *LIFETIMES,
    *ESTATES,
)
