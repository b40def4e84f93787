"""The metrics under the names of IBM's exporter: queue managers, clusters, channels, queues.

Names, HELP texts, labels and codes are those of mq_prometheus, so that dashboards made for it draw
from a twin. What a twin does not know is left out: see `LEFT_OUT`.

Sources: ibm-messaging/mq-golang, package mqmetric; ibm-messaging/mq-metric-samples, metrics.txt and
cmd/mq_prometheus (the namespace, the label values, negative values shown as 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.model.attributes import Value as AttributeValue
from twin.model.objects import text_of
from twin.model.platforms import ZOS
from twin.questions.measures.channels import ChannelEnd
from twin.questions.measures.queue_managers import MeasuredQueueManager
from twin.questions.measures.queues import MeasuredQueue
from twin.questions.measures.records import Membership
from twin.web.metrics.exposition import ExportedMetric, Family, SeriesValue, Since

UNKNOWN: Final = "-"
"""What the exporter writes for a text that is unknown or blank."""

_HOSTNAME_SINCE: Final = 932
_CURRENT: Final = 1011
_PLATFORMS: Final = {"WINDOWSNT": "WINDOWS_NT", ZOS: "ZOS"}
_QMGR: Final = {"ENDED": 0, "STARTING": 1, "RUNNING": 2, "QUIESCING": 3, "STANDBY": 4}
_CHANNEL: Final = {
    "INACTIVE": 0,
    "BINDING": 1,
    "STARTING": 2,
    "RUNNING": 3,
    "STOPPING": 4,
    "RETRYING": 5,
    "STOPPED": 6,
    "REQUESTING": 7,
    "PAUSED": 8,
    "DISCONNECTED": 9,
    "INITIALIZING": 13,
    "SWITCHING": 14,
}
_SQUASHED: Final = {
    "RUNNING": 2,
    **dict.fromkeys(("BINDING", "STARTING", "STOPPING", "RETRYING", "REQUESTING"), 1),
    **dict.fromkeys(("INITIALIZING", "SWITCHING"), 1),
}
_TYPES: Final = {
    "SDR": (1, "SENDER"),
    "SVR": (2, "SERVER"),
    "RCVR": (3, "RECEIVER"),
    "RQSTR": (4, "REQUESTER"),
    "CLUSRCVR": (8, "CLUSRCVR"),
    "CLUSSDR": (9, "CLUSSDR"),
}


def _text(values: Mapping[str, AttributeValue], keyword: str) -> str:
    return str(values.get(keyword) or UNKNOWN)


def _platform(platform: str) -> str:
    return _PLATFORMS.get(platform, platform)


def _since(at: int | None) -> SeriesValue:
    return None if at is None else Since(at)


def _flag(value: bool | None, yes: int = 1) -> SeriesValue:  # noqa: FBT001 - the value itself
    return None if value is None else yes * value


def _of_qmgr(each: MeasuredQueueManager) -> tuple[str | None, ...]:
    qmgr = each.qmgr
    named = qmgr.cmdlevel >= _HOSTNAME_SINCE and qmgr.platform != ZOS
    return (
        qmgr.name,
        _platform(qmgr.platform),
        _text(qmgr.values, "DESCR"),
        UNKNOWN if named else None,
    )


QUEUE_MANAGERS: Final[Family[MeasuredQueueManager]] = Family(
    "ibmmq_qmgr_",
    ("qmgr", "platform", "description", "hostname"),
    _of_qmgr,
    (
        ExportedMetric("status", "Queue Manager Status", lambda each: _QMGR.get(each.status)),
        ExportedMetric("uptime", "Up time", lambda each: _since(each.started)),
        ExportedMetric(
            "channel_initiator_status",
            "Channel Initiator Status",
            lambda each: _flag(each.channel_initiator, 2),
        ),
        ExportedMetric(
            "command_server_status",
            "Command Server Status",
            lambda each: _flag(each.command_server, 2),
        ),
        ExportedMetric("active_listeners", "Active Listener Count", lambda each: each.listeners),
        ExportedMetric("active_services", "Active Service Count", lambda each: each.services),
        ExportedMetric(
            "interval_mqput_mqput1_total_count",
            "Interval total MQPUT/MQPUT1 count",
            lambda each: each.put,
            "counter",
        ),
        ExportedMetric(
            "interval_destructive_get_total_count",
            "Interval total destructive get- count",
            lambda each: each.got,
            "counter",
        ),
    ),
)

CLUSTERS: Final[Family[Membership]] = Family(
    "ibmmq_cluster_",
    ("qmgr", "platform", "cluster", "qmtype"),
    lambda each: (
        each.qmgr.name,
        _platform(each.qmgr.platform),
        each.cluster,
        "FULL" if each.full else "PARTIAL",
    ),
    (
        ExportedMetric("status", "Cluster Status", lambda each: _CHANNEL.get(each.status or "")),
        ExportedMetric("suspend", "Cluster Suspend", lambda each: _flag(each.suspended)),
        ExportedMetric("qmtype", "Queue Manager Type", lambda each: int(each.full)),
    ),
)


def _of_channel(each: ChannelEnd) -> tuple[str, ...]:
    return (
        each.qmgr.name,
        _platform(each.qmgr.platform),
        each.channel,
        _text(each.attributes, "DESCR"),
        _TYPES[each.type][1],
        each.partner or UNKNOWN,
        _text(each.attributes, "CONNAME"),
        UNKNOWN,
        _text(each.attributes, "SSLCIPH"),
    )


CHANNELS: Final[Family[ChannelEnd]] = Family(
    "ibmmq_channel_",
    (
        *("qmgr", "platform", "channel", "description", "type"),
        *("rqmname", "connname", "jobname", "sslciph"),
    ),
    _of_channel,
    (
        ExportedMetric("status", "Channel Status", lambda each: _CHANNEL.get(each.status)),
        ExportedMetric(
            "status_squash",
            "Channel Status - Simplified",
            lambda each: _SQUASHED.get(each.status, 0),
        ),
        ExportedMetric("type", "Channel Type", lambda each: _TYPES[each.type][0]),
        ExportedMetric(
            "instance_type",
            "Channel Instance Type",
            lambda each: None if each.status == "INACTIVE" else _CURRENT,
        ),
        ExportedMetric(
            "messages",
            "Messages (API Calls for SVRCONN)",
            lambda each: each.messages,
            "counter",
        ),
        ExportedMetric("time_since_msg", "Time Since Msg", lambda each: _since(each.used)),
        ExportedMetric(
            "start_epoch",
            "Start Time (epoch ms)",
            lambda each: None if each.started is None else each.started // 1000,
        ),
    ),
)


def _of_queue(each: MeasuredQueue) -> tuple[str, ...]:
    return (
        each.queue.name,
        each.qmgr.name,
        _platform(each.qmgr.platform),
        each.usage,
        text_of(each.queue, "DESCR") or UNKNOWN,
        text_of(each.queue, "CLUSTER") or UNKNOWN,
    )


def _oldest(each: MeasuredQueue) -> SeriesValue:
    if each.oldest is not None:
        return Since(each.oldest)
    return 0 if each.depth == 0 and each.put is not None else None


QUEUES: Final[Family[MeasuredQueue]] = Family(
    "ibmmq_queue_",
    ("queue", "qmgr", "platform", "usage", "description", "cluster"),
    _of_queue,
    (
        ExportedMetric("depth", "Queue depth", lambda each: each.depth),
        ExportedMetric("attribute_max_depth", "Queue Max Depth", lambda each: each.max_depth),
        ExportedMetric("attribute_usage", "Queue Usage", lambda each: int(each.usage == "XMITQ")),
        ExportedMetric("oldest_message_age", "Oldest Message", _oldest),
        ExportedMetric("time_since_put", "Time Since Put", lambda each: _since(each.last_put)),
        ExportedMetric("time_since_get", "Time Since Get", lambda each: _since(each.last_got)),
        ExportedMetric(
            "mqput_mqput1_count", "MQPUT/MQPUT1 count", lambda each: each.put, "counter"
        ),
        ExportedMetric("mqget_count", "MQGET count", lambda each: each.got, "counter"),
    ),
)

LEFT_OUT: Final[Mapping[str, str]] = {
    "ibmmq_channel_attribute_max_inst*": "SVRCONN channels have no clients in a twin",
    "ibmmq_channel_batches, _batchsz_*": "batches are not modelled",
    "ibmmq_channel_buffers_*, _bytes_*": "messages have no size in a twin",
    "ibmmq_channel_cur_inst": "SVRCONN channels have no clients in a twin",
    "ibmmq_channel_nettime_*, _xmitq_time_*": "channel agents are not timed in a twin",
    "ibmmq_channel_security_protocol, _substate": "TLS and channel agents are not modelled",
    "ibmmq_nha_*": "native HA is not modelled",
    "ibmmq_qmgr_commit_count, _rollback_count": "units of work are not modelled",
    "ibmmq_qmgr_connection_count": "a twin has no connections",
    "ibmmq_qmgr_cpu_*, _system_*, _user_*, _ram_*": "a twin has no processes",
    "ibmmq_qmgr_exporter_*": "twin's own metrics say how long a scrape takes",
    "ibmmq_qmgr_log_*, _queue_manager_file_system_*, _mq_*": "logs and files are not modelled",
    "ibmmq_qmgr_max_*": "on z/OS these are attributes; their limits are not modelled",
    "ibmmq_queue_input_handles, _output_handles": "an application gets messages in single calls",
    "ibmmq_queue_qfile_*": "messages have no size in a twin",
    "ibmmq_queue_qtime_*, _uncommitted_messages": "waits and units of work are not modelled",
    "ibmmq_queue_* of opens, inquiries and failures": "only puts and gets are counted",
    "ibmmq_topic_*, ibmmq_subscription_*": "publishing is not modelled",
}
"""The metrics of the exporter that a twin leaves out, and why; a 0 would be wrong."""
