"""The table of every DISPLAY: object word of the command -> its view."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.questions.display._channels import CHANNEL
from twin.questions.display._chstatus import CHSTATUS
from twin.questions.display._clusqmgr import CLUSQMGR
from twin.questions.display._other_objects import OTHER_OBJECTS
from twin.questions.display._queue_manager import QUEUE_MANAGER_VIEWS
from twin.questions.display._queues import QUEUE_VIEWS
from twin.questions.display._statuses import STATUS_VIEWS
from twin.questions.display._topics import TOPIC_VIEWS
from twin.questions.display._view import DisplayView

VIEWS: Final[Mapping[str, DisplayView]] = MappingProxyType(
    {
        **QUEUE_VIEWS,
        **TOPIC_VIEWS,
        **QUEUE_MANAGER_VIEWS,
        **OTHER_OBJECTS,
        **STATUS_VIEWS,
        "CHANNEL": CHANNEL,
        "CHSTATUS": CHSTATUS,
        "CLUSQMGR": CLUSQMGR,
    }
)
"""The object words that can be displayed."""
