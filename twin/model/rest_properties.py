"""The properties of mqweb's resources, and the MQSC keywords that they stand for.

Sources: a saved answer of mqweb 9.2 to GET of a queue with all attributes; IBM MQ 9.0 and 9.1, the
pages "REST API and PCF equivalents" for queues and for channels. From memory are: the groups of
channels other than clusterRouting, those of subscriptions, and the status of queues.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

RestValue: TypeAlias = str | int | bool
"""A value of a property."""

_BOOLEANS: Final = MappingProxyType({"true": True, "false": False})


class RestProperty(NamedTuple):
    """One property of a resource.

    Attributes:
        path: its name, with the names of its groups in front, separated by dots.
        keyword: the keyword of MQSC.
        words: by each word of MQSC, the value of the property; empty for names, texts and numbers.
    """

    path: str
    keyword: str
    words: Mapping[str, RestValue] = MappingProxyType({})

    @property
    def group(self) -> str:
        """The outermost group; '' if it has none."""
        group, dot, _ = self.path.partition(".")
        return group if dot else ""


def _property(path: str, keyword: str, words: str = "") -> RestProperty:
    """Make a property; `words` has pairs of a word of MQSC and a value."""
    texts = words.split()
    pairs = zip(texts[::2], texts[1::2], strict=True)
    values = {word: _BOOLEANS.get(value, value) for word, value in pairs}
    return RestProperty(path, keyword, MappingProxyType(values))


_INHIBITED: Final = "DISABLED true ENABLED false"
_ENABLED: Final = "ENABLED true DISABLED false"
_FLAG: Final = "YES true NO false"
_LEVELS: Final = "QMGR asQmgr OFF off LOW low MEDIUM medium HIGH high"
_SWITCH: Final = "QMGR asQmgr OFF off ON on"

_GENERAL: Final = (
    _property("general.description", "DESCR"),
    _property("general.inhibitGet", "GET", _INHIBITED),
    _property("general.inhibitPut", "PUT", _INHIBITED),
)
_LOCAL: Final = (
    _property("general.isTransmissionQueue", "USAGE", "XMITQ true NORMAL false"),
    _property("storage.maximumDepth", "MAXDEPTH"),
    _property("storage.maximumMessageLength", "MAXMSGL"),
    _property("storage.messageDeliverySequence", "MSGDLVSQ", "PRIORITY priority FIFO fifo"),
    _property("storage.nonPersistentMessageClass", "NPMCLASS", "NORMAL normal HIGH high"),
    _property("trigger.enabled", "TRIGGER", _FLAG),
    _property("trigger.type", "TRIGTYPE", "NONE none EVERY every FIRST first DEPTH depth"),
    _property("trigger.depth", "TRIGDPTH"),
    _property("trigger.data", "TRIGDATA"),
    _property("trigger.initiationQueueName", "INITQ"),
    _property("trigger.processName", "PROCESS"),
    _property("trigger.messagePriority", "TRIGMPRI"),
    _property("events.serviceInterval.duration", "QSVCINT"),
    _property("events.serviceInterval.highEnabled", "QSVCIEV", "HIGH true OK false NONE false"),
    _property("events.serviceInterval.okEnabled", "QSVCIEV", "OK true HIGH false NONE false"),
    _property("events.depth.lowPercentage", "QDEPTHLO"),
    _property("events.depth.highPercentage", "QDEPTHHI"),
    _property("events.depth.lowEnabled", "QDPLOEV", _ENABLED),
    _property("events.depth.highEnabled", "QDPHIEV", _ENABLED),
    _property("events.depth.fullEnabled", "QDPMAXEV", _ENABLED),
    _property("extended.allowSharedInput", "SHARE", _FLAG),
    _property("extended.backoutRequeueQueueName", "BOQNAME"),
    _property("extended.backoutThreshold", "BOTHRESH"),
    _property("extended.enableMediaImageOperations", "IMGRCOVQ", "QMGR asQmgr YES yes NO no"),
    _property("extended.supportDistributionLists", "DISTL", _FLAG),
    _property("dataCollection.accounting", "ACCTQ", _SWITCH),
    _property("dataCollection.monitoring", "MONQ", _LEVELS),
    _property("dataCollection.statistics", "STATQ", _SWITCH),
)
_DEFAULTS: Final = (
    _property("extended.custom", "CUSTOM"),
    _property(
        "applicationDefaults.clusterBind", "DEFBIND", "OPEN onOpen NOTFIXED notFixed GROUP onGroup"
    ),
    _property(
        "applicationDefaults.messagePersistence", "DEFPSIST", "YES persistent NO nonPersistent"
    ),
    _property("applicationDefaults.messagePriority", "DEFPRTY"),
    _property(
        "applicationDefaults.messagePropertyControl",
        "PROPCTL",
        "ALL all COMPAT compatible FORCE force NONE none V6COMPAT version6",
    ),
    _property("applicationDefaults.putResponse", "DEFPRESP", "SYNC synchronous ASYNC asynchronous"),
    _property("applicationDefaults.readAhead", "DEFREADA", "NO no YES yes DISABLED disabled"),
    _property("applicationDefaults.sharedInput", "DEFSOPT", "SHARED true EXCL false"),
)
_CLUSTER: Final = (
    _property("cluster.name", "CLUSTER"),
    _property("cluster.namelist", "CLUSNL"),
    _property("cluster.transmissionQueueForChannelName", "CLCHNAME"),
    _property("cluster.workloadPriority", "CLWLPRTY"),
    _property("cluster.workloadRank", "CLWLRANK"),
    _property("cluster.workloadQueueUse", "CLWLUSEQ", "QMGR asQmgr ANY any LOCAL local"),
)

QUEUE: Final = (
    *_GENERAL,
    *_LOCAL,
    *_DEFAULTS,
    *_CLUSTER,
    _property("cluster.qmgrName", "CLUSQMGR"),
    _property("cluster.qmgrId", "QMID"),
    _property("cluster.queueType", "CLUSQT", "QLOCAL local QALIAS alias QREMOTE remote"),
    _property("alias.targetName", "TARGET"),
    _property("alias.targetType", "TARGTYPE", "QUEUE queue TOPIC topic"),
    _property("remote.queueName", "RNAME"),
    _property("remote.qmgrName", "RQMNAME"),
    _property("remote.transmissionQueueName", "XMITQ"),
    _property("model.type", "DEFTYPE", "TEMPDYN temporaryDynamic PERMDYN permanentDynamic"),
)
"""The properties of queues, apart from name, type, time stamps and status."""

QUEUE_STATUS: Final = (
    _property("status.currentDepth", "CURDEPTH"),
    _property("status.openInputCount", "IPPROCS"),
    _property("status.openOutputCount", "OPPROCS"),
    _property("status.oldestMessageAge", "MSGAGE"),
    _property("status.monitoringRate", "MONQ", "OFF off LOW low MEDIUM medium HIGH high"),
)
"""The status of local queues."""

QUEUE_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "QLOCAL": "local",
        "QALIAS": "alias",
        "QREMOTE": "remote",
        "QMODEL": "model",
        "QCLUSTER": "cluster",
    }
)
"""The type of a queue in MQSC -> its type in mqweb."""

CHANNEL_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "SDR": "sender",
        "SVR": "server",
        "RCVR": "receiver",
        "RQSTR": "requester",
        "CLUSSDR": "clusterSender",
        "CLUSRCVR": "clusterReceiver",
        "SVRCONN": "serverConnection",
        "CLNTCONN": "clientConnection",
    }
)
"""The type of a channel in MQSC -> its type in mqweb. mqweb shows all but the last two."""

CHANNEL: Final = (
    _property("general.description", "DESCR"),
    _property("general.maximumMessageLength", "MAXMSGL"),
    _property("clusterRouting.workloadPriority", "CLWLPRTY"),
    _property("clusterRouting.workloadRank", "CLWLRANK"),
    _property("clusterRouting.workloadWeight", "CLWLWGHT"),
    _property("clusterRouting.networkPriority", "NETPRTY"),
    _property("batch.preCommitHeartbeat", "BATCHHB"),
    _property("batch.timeExtend", "BATCHINT"),
    _property("batch.dataLimit", "BATCHLIM"),
    _property("batch.messageLimit", "BATCHSZ"),
    _property("batch.nonPersistentMessageSpeedFast", "NPMSPEED", "FAST true NORMAL false"),
    _property("connectionManagement.heartbeatInterval", "HBINT"),
    _property("connectionManagement.disconnectInterval", "DISCINT"),
    _property("connectionManagement.keepAliveInterval", "KAINT"),
    _property("connectionManagement.localAddress", "LOCLADDR"),
    _property("connectionManagement.shortRetry.count", "SHORTRTY"),
    _property("connectionManagement.shortRetry.interval", "SHORTTMR"),
    _property("connectionManagement.longRetry.count", "LONGRTY"),
    _property("connectionManagement.longRetry.interval", "LONGTMR"),
    _property("extended.messagePropertyControl", "PROPCTL", "ALL all COMPAT compatible NONE none"),
    _property("extended.sequenceNumberWrap", "SEQWRAP"),
    _property("dataCollection.monitoring", "MONCHL", _LEVELS),
    _property("dataCollection.statistics", "STATCHL", _LEVELS),
)
"""The properties of channels, apart from name, type, connection, time stamps and status."""

CHANNEL_OWN: Final = (
    _property("transmissionQueueName", "XMITQ"),
    _property("clusterName", "CLUSTER"),
    _property("clusterNamelist", "CLUSNL"),
)
"""The properties in the group of the type, which are always shown."""

SUBSCRIPTION: Final = (
    _property("topic.definedString", "TOPICSTR"),
    _property("topic.name", "TOPICOBJ"),
    _property("destination.name", "DEST"),
    _property("destination.qmgrName", "DESTQMGR"),
    _property("destination.correlationId", "DESTCORL"),
    _property("destination.isManaged", "DESTCLAS", "MANAGED true PROVIDED false"),
    _property("general.isDurable", "DURABLE", _FLAG),
    _property("general.type", "SUBTYPE", "ADMIN administrative API api PROXY proxy"),
    _property("selector.value", "SELECTOR"),
    _property("selector.type", "SELTYPE", "NONE none STANDARD standard EXTENDED extended"),
    _property("user.name", "SUBUSER"),
    _property("extended.level", "SUBLEVEL"),
    _property("extended.expiry", "EXPIRY"),
    _property("extended.publishApplicationIdentity", "PUBAPPID"),
    _property("extended.userData", "USERDATA"),
)
"""The properties of subscriptions, apart from name, id, topic string and time stamps."""
