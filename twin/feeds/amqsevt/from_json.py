"""Read the JSON of amqsevt (`-o json`, `json_compact`, `json_array`) and of amqsevtg.

Objects follow each other without commas, over several lines or one a line; an array works too.
Source: the sample amqsevta.c of IBM MQ 9.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from twin.feeds.amqsevt.events import MqEvent, event_of
from twin.feeds.reading.json_objects import json_objects
from twin.feeds.reading.not_understood import NotUnderstood, not_understood

START: Final = re.compile(
    r'\{\s*+"(?:event(?:Source|Type|Reason|Creation|Data)|msgType|callbackReason|correlationID)"'
)
"""The beginning of a message; the members may have any order."""

_BETWEEN: Final = re.compile(
    r"[][,]|\*{4} .*|Sample AMQSEVT .*|Press ENTER .*|Ending.*|Using default .*|Enter password.*"
)


def read_event_json(lines: Iterable[str]) -> Iterator[MqEvent | NotUnderstood]:
    """Yield the messages in order, and what is not understood; never raises."""
    for found in json_objects(lines, start=START, between=_BETWEEN):
        if isinstance(found, NotUnderstood):
            yield found
            continue
        event = event_of(found.value, found.text, line=found.line, last_line=found.last_line)
        if isinstance(event, str):
            yield not_understood(found.line, found.text, event)
        else:
            yield event
