"""The queues that a queue manager is created with.

Source: dmpmqcfg -a of a 9.3.0.2 queue manager. Queues that DISPLAY QUEUE(SYSTEM*) of 7.0.1 does not
list have the level of the release that announced their function.

One object that a queue manager is created with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.model.attributes import LARGEST, Value


class SystemObject(NamedTuple):
    """A type, a name, the values that differ from the type's defaults, and the first level."""

    type: str
    name: str
    values: Mapping[str, Value] = {}
    since: int = 0


_Values: TypeAlias = Mapping[str, Value]

_ALONE: Final[_Values] = {"DEFSOPT": "EXCL", "SHARE": "NO"}
_SHARED: Final[_Values] = {"DEFSOPT": "SHARED", "SHARE": "YES"}
_UNCOUNTED: Final[_Values] = {"ACCTQ": "OFF", "STATQ": "OFF"}
_SHORT: Final[_Values] = {"MAXDEPTH": 3000, "TRIGTYPE": "NONE"}
_KILO: Final[_Values] = {"MAXDEPTH": 1000, "TRIGTYPE": "NONE"}
_DEEP: Final[_Values] = {"MAXDEPTH": LARGEST}
_LARGE: Final[_Values] = {"MAXMSGL": 104_857_600}
_COMMAND: Final[_Values] = {"MAXMSGL": 32_762}
_UNTRIGGERED: Final[_Values] = {"TRIGTYPE": "NONE"}


def _merge(descr: str, groups: tuple[_Values, ...], values: _Values) -> dict[str, Value]:
    merged: dict[str, Value] = {"DESCR": descr} if descr else {}
    for group in (*groups, values):
        merged.update(group)
    return merged


def _local(
    name: str, descr: str, *groups: _Values, since: int = 0, **values: Value
) -> SystemObject:
    return SystemObject("QLOCAL", name, _merge(descr, groups, values), since)


def _model(
    name: str, descr: str, *groups: _Values, since: int = 0, **values: Value
) -> SystemObject:
    return SystemObject("QMODEL", name, _merge(descr, groups, values), since)


QUEUES: Final = (
    _local(
        "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
        "IBM MQ Administration Accounting Queue",
        _UNCOUNTED,
        _SHORT,
    ),
    _local("SYSTEM.ADMIN.ACTIVITY.QUEUE", "IBM MQ Administration Activity Queue"),
    _local(
        "SYSTEM.ADMIN.CHANNEL.EVENT",
        "IBM MQ Channel Related Event Queue",
        _ALONE,
        _SHORT,
        MAXMSGL=9000,
    ),
    _local("SYSTEM.ADMIN.COMMAND.EVENT", "IBM MQ Command Event Queue", _ALONE, _UNTRIGGERED),
    _local(
        "SYSTEM.ADMIN.COMMAND.QUEUE",
        "IBM MQ Administration Command Queue",
        _ALONE,
        _SHORT,
        _COMMAND,
    ),
    _local("SYSTEM.ADMIN.CONFIG.EVENT", "IBM MQ Configuration Event Queue", _ALONE, _UNTRIGGERED),
    _local("SYSTEM.ADMIN.LOGGER.EVENT", "IBM MQ Logger Event Queue", _ALONE, _SHORT, MAXMSGL=9000),
    _local(
        "SYSTEM.ADMIN.PERFM.EVENT",
        "IBM MQ Performance Related Event Queue",
        _ALONE,
        _SHORT,
        MAXMSGL=9000,
    ),
    _local("SYSTEM.ADMIN.PUBSUB.EVENT", "IBM MQ Publish/Subscribe Related Event Queue", since=710),
    _local(
        "SYSTEM.ADMIN.QMGR.EVENT",
        "IBM MQ Queue Manager Related Event Queue",
        _ALONE,
        _SHORT,
        _COMMAND,
    ),
    _local(
        "SYSTEM.ADMIN.STATISTICS.QUEUE",
        "IBM MQ Administration Statistics Queue",
        _UNCOUNTED,
        _SHORT,
    ),
    _local(
        "SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE",
        "IBM MQ Administration Trace Activity Queue",
        _UNCOUNTED,
        _SHORT,
        since=710,
    ),
    _local("SYSTEM.ADMIN.TRACE.ROUTE.QUEUE", "IBM MQ Administration Trace Route Queue"),
    _local(
        "SYSTEM.AMQP.COMMAND.QUEUE",
        "IBM MQ Administration Command Queue",
        _ALONE,
        _SHORT,
        _COMMAND,
        since=802,
    ),
    _local("SYSTEM.AUTH.DATA.QUEUE", "IBM MQ Authority Data Queue", _DEEP),
    _local(
        "SYSTEM.BROKER.ADMIN.STREAM",
        "Admin stream for queued Pub/Sub interface",
        DEFPSIST="YES",
        MSGDLVSQ="FIFO",
    ),
    _local(
        "SYSTEM.BROKER.CONTROL.QUEUE",
        "Control queue for queued Pub/Sub interface",
        DEFPSIST="YES",
        MSGDLVSQ="FIFO",
    ),
    _local(
        "SYSTEM.BROKER.DEFAULT.STREAM",
        "Default stream for queued Pub/Sub interface",
        DEFPSIST="YES",
        MSGDLVSQ="FIFO",
    ),
    _local(
        "SYSTEM.BROKER.INTER.BROKER.COMMUNICATIONS",
        "MQSeries Publish/Subscribe internal reply queue",
        _DEEP,
        _LARGE,
        DEFPSIST="YES",
        MSGDLVSQ="FIFO",
        SHARE="NO",
    ),
    _local("SYSTEM.CHANNEL.INITQ", "IBM MQ Channel Initiation Queue", _ALONE, _KILO, MAXMSGL=2000),
    _local(
        "SYSTEM.CHANNEL.SYNCQ",
        "IBM MQ Channel Sync Queue",
        _UNTRIGGERED,
        DEFPSIST="YES",
        MAXDEPTH=20000,
        MAXMSGL=20000,
        QDEPTHLO=40,
    ),
    _local(
        "SYSTEM.CHLAUTH.DATA.QUEUE",
        "IBM MQ Channel Authentication Data Queue",
        _DEEP,
        _LARGE,
        since=710,
    ),
    _local(
        "SYSTEM.CICS.INITIATION.QUEUE", "IBM MQ Default CICS Initiation queue", _KILO, MAXMSGL=1000
    ),
    _local("SYSTEM.CLUSTER.COMMAND.QUEUE", "IBM MQ Cluster Command Queue", _DEEP),
    _local("SYSTEM.CLUSTER.HISTORY.QUEUE", "IBM MQ Cluster History Queue", _DEEP),
    _local("SYSTEM.CLUSTER.REPOSITORY.QUEUE", "IBM MQ Cluster Repository Queue", _DEEP),
    _model(
        "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE",
        "IBM MQ Cluster Transmission Model Queue",
        _SHARED,
        _DEEP,
        since=750,
        DEFTYPE="PERMDYN",
        USAGE="XMITQ",
    ),
    _local(
        "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
        "IBM MQ Cluster Transmission Queue",
        _DEEP,
        TRIGGER="YES",
        USAGE="XMITQ",
    ),
    _local(
        "SYSTEM.DDELAY.LOCAL.QUEUE",
        "IBM MQ Deferred Delivery Queue",
        _ALONE,
        _DEEP,
        since=800,
        MSGDLVSQ="FIFO",
        QDPMAXEV="DISABLED",
    ),
    _local("SYSTEM.DEAD.LETTER.QUEUE", "IBM MQ Default Dead Letter Queue", _DEEP, _UNTRIGGERED),
    SystemObject("QALIAS", "SYSTEM.DEFAULT.ALIAS.QUEUE"),
    _local(
        "SYSTEM.DEFAULT.INITIATION.QUEUE", "IBM MQ Default Initiation Queue", _KILO, MAXMSGL=1000
    ),
    _local("SYSTEM.DEFAULT.LOCAL.QUEUE", ""),
    _model("SYSTEM.DEFAULT.MODEL.QUEUE", ""),
    SystemObject("QREMOTE", "SYSTEM.DEFAULT.REMOTE.QUEUE"),
    _local(
        "SYSTEM.DOTNET.XARECOVERY.QUEUE",
        "IBM MQ .NET XA Recovery Queue",
        _DEEP,
        since=710,
        DEFPSIST="YES",
    ),
    _model(
        "SYSTEM.DURABLE.MODEL.QUEUE",
        "Model for managed queues for durable subscriptions",
        _SHARED,
        _DEEP,
        DEFTYPE="PERMDYN",
    ),
    _local(
        "SYSTEM.DURABLE.SUBSCRIBER.QUEUE",
        "Store of information about durable subscribers",
        _DEEP,
        _LARGE,
    ),
    _local(
        "SYSTEM.HIERARCHY.STATE",
        "MQ Publish/Subscribe Distributed Pub/sub hierarchy relationship",
        _DEEP,
        DEFPSIST="YES",
    ),
    _local(
        "SYSTEM.INTER.QMGR.CONTROL",
        "MQ Publish/Subscribe Distributed Pub/sub Control Queue",
        _DEEP,
        DEFPSIST="YES",
    ),
    _local(
        "SYSTEM.INTER.QMGR.FANREQ",
        "MQ Publish/Subscribe Distributed Pub/sub proxy-sub request queue",
        _DEEP,
        DEFPSIST="YES",
    ),
    _local(
        "SYSTEM.INTER.QMGR.PUBS",
        "MQ Publish/Subscribe Distributed Pub/sub Publications",
        _DEEP,
        DEFPSIST="YES",
    ),
    _local("SYSTEM.INTERNAL.REPLY.QUEUE", "IBM MQ Internal Reply Queue", _DEEP, _COMMAND),
    _local(
        "SYSTEM.INTERNAL.REQUEST.QUEUE", "IBM MQ Internal Request Queue", _DEEP, _COMMAND, since=800
    ),
    _model("SYSTEM.JMS.TEMPQ.MODEL", "Model for JMS temporary queues", _SHARED, _LARGE, since=710),
    _model("SYSTEM.MQEXPLORER.REPLY.MODEL", "", DEFREADA="YES"),
    _model("SYSTEM.MQSC.REPLY.QUEUE", "IBM MQ MQSC Reply Queue", _DEEP, _COMMAND, _UNTRIGGERED),
    _model(
        "SYSTEM.NDURABLE.MODEL.QUEUE",
        "Model for managed queues for non durable subscriptions",
        _SHARED,
        _DEEP,
        DEFREADA="YES",
    ),
    _local(
        "SYSTEM.PENDING.DATA.QUEUE",
        "IBM MQ Deferred Message Queue",
        _ALONE,
        _DEEP,
        MSGDLVSQ="FIFO",
        QDPMAXEV="DISABLED",
    ),
    _local(
        "SYSTEM.PROTECTION.ERROR.QUEUE",
        "IBM MQ Message Protection Error Queue",
        _DEEP,
        since=750,
        DEFPSIST="YES",
    ),
    _local(
        "SYSTEM.PROTECTION.POLICY.QUEUE",
        "IBM MQ Message Protection Policy Queue",
        _DEEP,
        since=750,
        DEFPSIST="YES",
    ),
    _local(
        "SYSTEM.REST.REPLY.QUEUE", "IBM MQ REST Reply Queue", _DEEP, since=902, QDPMAXEV="DISABLED"
    ),
    _local(
        "SYSTEM.RETAINED.PUB.QUEUE",
        "Store of retained publications",
        _DEEP,
        _LARGE,
        MSGDLVSQ="FIFO",
    ),
    _local("SYSTEM.SELECTION.EVALUATION.QUEUE", "IBM MQ Selection Evaluation Queue", _DEEP, _LARGE),
    _local("SYSTEM.SELECTION.VALIDATION.QUEUE", "IBM MQ Selection Validation Queue", _DEEP),
)
