"""The converters of feeds by format: records to facts with instants of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from twin.feeds.converting import configuration, error_logs, event_messages, scrapes
from twin.feeds.detect import FileFormat
from twin.feeds.observed import Converter
from twin.feeds.reading.local_time import DateOrder

CONVERTERS: Final[Mapping[FileFormat, Converter]] = MappingProxyType(
    {
        FileFormat.ERROR_LOG: error_logs.text_facts,
        FileFormat.JSON_LOG: error_logs.json_facts,
        FileFormat.CONTAINER_LOG: error_logs.console_facts,
        FileFormat.ZOS_LOG: error_logs.zos_facts,
        FileFormat.AMQSEVT_JSON: event_messages.json_facts,
        FileFormat.AMQSEVT_TEXT: event_messages.text_facts,
        FileFormat.PROMETHEUS_SCRAPE: scrapes.scrape_facts,
        FileFormat.PROMETHEUS_ANSWER: scrapes.range_facts,
        FileFormat.INI: configuration.ini_facts,
        FileFormat.CHANNEL_TABLE: configuration.client_channel_facts,
    }
)
"""Format -> its converter. Scripts and dumps have none: they have no instants of their own."""

DATE_ORDERS: Final[Mapping[FileFormat, Callable[[Iterable[str]], DateOrder | None]]] = (
    MappingProxyType({FileFormat.ERROR_LOG: error_logs.text_order})
)
"""Format with dates that may have two orders -> what finds the order that all its dates allow."""
