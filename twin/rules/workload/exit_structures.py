"""The structures of a cluster workload exit: MQWXP, and the arrays of MQWDR and MQWQR.

Sources: IBM MQ 9.2, "MQWXP", "Fields in MQWDR", "Fields in MQWQR"; values from cmqc.h and cmqxc.h.
Fields have MQ's names in snake case. Structure ids, lengths and offsets are left out, because
arrays are tuples here. ClusterName of MQWCR is a field of the destination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EXIT_ID: Final = 20
"""MQXT_CLUSTER_WORKLOAD_EXIT."""

REASON_OPEN: Final = 20
"""MQXR_CLWL_OPEN: MQOPEN chooses."""

REASON_PUT: Final = 21
"""MQXR_CLWL_PUT: MQPUT or MQPUT1 chooses."""

REASON_MOVE: Final = 22
"""MQXR_CLWL_MOVE: a message on a transmission queue may be moved, as its channel changed state."""

RESPONSE_OK: Final = 0
"""MQXCC_OK: the chosen destination is used."""

RESPONSE_SUPPRESS_FUNCTION: Final = -1
"""MQXCC_SUPPRESS_FUNCTION: the call fails with 2188; a message to be rerouted stays."""

RESPONSE_SUPPRESS_EXIT: Final = -5
"""MQXCC_SUPPRESS_EXIT: the chosen destination is used, and the exit is not called again."""

FLAG_PUT_BY_CLUSTER_CHANNEL: Final = 2
"""MQWXP_PUT_BY_CLUSTER_CHL: the message arrived over a cluster channel."""

CLUSSDR_AUTO_DEFINED: Final = 0x10
"""MQQMF_CLUSSDR_AUTO_DEFINED."""

AVAILABLE: Final = 0x20
"""MQQMF_AVAILABLE: the queue manager is not suspended [memory, unverified]."""

LOCAL_QUEUE: Final = 0x1
"""MQQF_LOCAL_Q."""

USEQ_ANY: Final = 0x40
"""MQQF_CLWL_USEQ_ANY; not set if the message arrived over a cluster channel."""

USEQ_LOCAL: Final = 0x80
"""MQQF_CLWL_USEQ_LOCAL."""

CHANNEL_STATES: Final = (
    "INACTIVE BINDING STARTING RUNNING STOPPING RETRYING STOPPED REQUESTING PAUSED"
    " DISCONNECTED . . . INITIALIZING SWITCHING"
).split()
"""MQSC's channel statuses; the index is the value of MQCHS_*."""

QUEUE_TYPES: Final = {"QLOCAL": 1, "QALIAS": 2, "QREMOTE": 3}
"""MQCQT_LOCAL_Q, MQCQT_ALIAS_Q, MQCQT_REMOTE_Q."""

QMGR_ALIAS: Final = 4
"""MQCQT_Q_MGR_ALIAS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MQWDR:
    """A destination (MQWDR).

    Attributes:
        q_mgr_flags: QMgrFlags, bits MQQMF_*.
        q_mgr_identifier: QMgrIdentifier, the QMID.
        q_mgr_name: QMgrName.
        cluster_name: ClusterName of its MQWCR: the cluster of the channel.
        channel_name: ChannelName of its MQCD (ChannelDefOffset).
        channel_state: ChannelState, MQCHS_*.
        clwl_channel_rank: CLWLChannelRank of its MQCD.
        clwl_channel_priority: CLWLChannelPriority of its MQCD.
        clwl_channel_weight: CLWLChannelWeight of its MQCD.
        network_priority: NetworkPriority of its MQCD.
        dest_seq_number: DestSeqNumber, when it was used last.
        dest_seq_factor: DestSeqFactor, which grows with every use.
    """

    q_mgr_flags: int
    q_mgr_identifier: str
    q_mgr_name: str
    cluster_name: str
    channel_name: str
    channel_state: int
    clwl_channel_rank: int
    clwl_channel_priority: int
    clwl_channel_weight: int
    network_priority: int
    dest_seq_number: int
    dest_seq_factor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MQWQR:
    """The queue at a destination (MQWQR); it has the same index as its destination.

    Attributes:
        q_flags: QFlags, bits MQQF_*.
        q_name: QName.
        q_mgr_identifier: QMgrIdentifier, the QMID.
        cluster_name: ClusterName of its MQWCR: the cluster that the queue is shared in.
        q_type: QType, MQCQT_*; 0 if only a queue manager was named.
        inhibit_put: InhibitPut: 0 enabled, 1 disabled (MQQA_PUT_*).
        clwl_queue_priority: CLWLQueuePriority.
        clwl_queue_rank: CLWLQueueRank.
    """

    q_flags: int
    q_name: str
    q_mgr_identifier: str
    cluster_name: str
    q_type: int
    inhibit_put: int
    clwl_queue_priority: int
    clwl_queue_rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MQWXP:
    """The parameters of a call (MQWXP).

    An exit returns them with its answer in `destination_chosen` and `exit_response`.

    Attributes:
        exit_reason: ExitReason, MQXR_CLWL_*.
        exit_data: ExitData, the queue manager's CLWLDATA.
        flags: Flags, bits MQWXP_*.
        q_name: QName, the queue that messages are put to.
        q_mgr_name: QMgrName, the queue manager that chooses.
        destination_count: DestinationCount.
        destination_chosen: DestinationChosen: the number of the chosen destination, from 1; 0 for
            none. When the exit is called, it is the choice of the rules.
        clwl_mru_channels: CLWLMRUChannels, the queue manager's CLWLMRUC.
        exit_response: ExitResponse, MQXCC_*: what the queue manager does next.
        exit_id: ExitId.
    """

    exit_reason: int
    exit_data: str
    flags: int
    q_name: str
    q_mgr_name: str
    destination_count: int
    destination_chosen: int
    clwl_mru_channels: int
    exit_response: int = RESPONSE_OK
    exit_id: int = EXIT_ID
