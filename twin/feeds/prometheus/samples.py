"""One value of one series of mq_prometheus, and the words for the numbers of statuses.

Source: ibm-messaging/mq-golang, package mqmetric, and mq-metric-samples, cmd/mq_prometheus.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Final, NamedTuple

from twin.feeds.reading.not_understood import digest_of
from twin.model.instants import Instant

PREFIX: Final = "ibmmq_"
"""How the names of the metrics begin; the configuration of mq_prometheus can change it."""

_CHANNEL: Final = {
    0: "INACTIVE",
    1: "BINDING",
    2: "STARTING",
    3: "RUNNING",
    4: "STOPPING",
    5: "RETRYING",
    6: "STOPPED",
    7: "REQUESTING",
    8: "PAUSED",
    9: "DISCONNECTED",
    13: "INITIALIZING",
    14: "SWITCHING",
}
_CHANNEL_TYPES: Final = {
    1: "SDR",
    2: "SVR",
    3: "RCVR",
    4: "RQSTR",
    6: "CLNTCONN",
    7: "SVRCONN",
    8: "CLUSRCVR",
    9: "CLUSSDR",
    11: "AMQP",
}
_SERVER: Final = {0: "STOPPED", 1: "STARTING", 2: "RUNNING", 3: "STOPPING", 4: "RETRYING"}

_WORDS: Final[Mapping[str, Mapping[int, str]]] = {
    "channel_status": _CHANNEL,
    "channel_status_squash": {0: "STOPPED", 1: "TRANSITION", 2: "RUNNING"},
    "channel_type": _CHANNEL_TYPES,
    "channel_instance_type": {1011: "CURRENT", 1012: "SAVED", 1013: "SHORT"},
    "queue_attribute_usage": {0: "NORMAL", 1: "XMITQ"},
    "qmgr_status": {0: "ENDED", 1: "STARTING", 2: "RUNNING", 3: "QUIESCING", 4: "STANDBY"},
    "qmgr_channel_initiator_status": _SERVER,
    "qmgr_command_server_status": _SERVER,
    "cluster_status": _CHANNEL,
    "cluster_suspend": {0: "NO", 1: "YES"},
    "cluster_qmtype": {0: "NORMAL", 1: "REPOS"},
}
"""The metric without its prefix -> the words for its numbers."""

_TYPES: Final = {"SENDER": "SDR", "SERVER": "SVR", "RECEIVER": "RCVR", "REQUESTER": "RQSTR"}


class Sample(NamedTuple):
    """One value of a series.

    Attributes:
        line: the line where it stands, from 1.
        last_line: the line where it ends.
        at: its instant; None if the text has none.
        metric: the name of the metric without its prefix, such as `channel_status`.
        labels: its labels.
        value: its value.
        type: the type of the metric, such as "gauge" or "counter"; '' if the text has none. A
            counter counts from the start of the exporter, a gauge that counts since the last poll.
    """

    line: int
    last_line: int
    at: Instant | None
    metric: str
    labels: Mapping[str, str]
    value: float
    type: str

    @property
    def digest(self) -> str:
        """The digest of its content, whatever the order of the labels."""
        labels = "\x01".join(f"{name}\x02{text}" for name, text in sorted(self.labels.items()))
        return digest_of(f"{self.metric}\x01{labels}\x01{self.value!r}\x01{self.at}")

    @property
    def word(self) -> str:
        """MQ's word for the value, such as RETRYING; '' for a number without a word."""
        words = _WORDS.get(self.metric)
        if words is None or not isfinite(self.value):
            return ""
        return words.get(int(self.value), "") if self.value == int(self.value) else ""

    @property
    def channel_type(self) -> str:
        """The type of the channel in MQSC; '' without the label."""
        word = self.labels.get("type", "").upper()
        return _TYPES.get(word, word)
