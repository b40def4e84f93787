"""Rules about what makes channels connect and carry messages."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import connections, defaults, message_lengths
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Effective, Input, Need

_BATCHES: Final = "IBM MQ, Checking that the other end of the channel is still available; HBINT"
_RETRIES: Final = "IBM MQ 9.1, Long retry interval"
_STANZA: Final = "IBM MQ, Channels stanza (qm.ini)"

RULES: Final = (
    DoctorRule(
        id="ssl-cipher-differs",
        severity=Severity.ERROR,
        condition="The SSLCIPH of a manual CLUSSDR and that of its CLUSRCVR cannot be negotiated.",
        why="The first connection fails, so the member never joins; later the values of the "
        "CLUSRCVR apply.",
        source="IBM MQ, SSLCIPH; Enabling CipherSpecs",
        check=connections.ciphers,
        inputs=Input.CHANNELS,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="message-length",
        severity=Severity.WARNING,
        condition="A shared queue takes longer messages than the CLUSRCVR of its queue manager, "
        "or the queue manager.",
        why="A longer message is accepted by the sender, and goes to a dead-letter queue or "
        "stops the channel.",
        what_to_do="At the owner of the queue: raise MAXMSGL of the CLUSRCVR (ALTER CHANNEL) and "
        "of ALTER QMGR to that of the queue; or lower MAXMSGL of the queue.",
        source="IBM MQ, MAXMSGL of channels, queues and queue managers",
        check=message_lengths.message_lengths,
        inputs=Input.CHANNELS | Input.QUEUES | Input.QMGR,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="heartbeat-interval",
        severity=Severity.WARNING,
        condition="A CLUSRCVR has HBINT(0), or less than 10 seconds.",
        why="Without heartbeats a lost partner is not noticed; with very short ones a busy "
        "partner is taken for lost.",
        source=_BATCHES,
        check=connections.heartbeats,
        inputs=Input.CHANNELS,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="long-retry-interval",
        severity=Severity.WARNING,
        condition="A CLUSRCVR has a LONGTMR of more than 1200 seconds.",
        why="Waiting messages are rerouted only when a retry fails, so they wait that long for "
        "another instance.",
        source=_RETRIES,
        check=connections.long_retries,
        inputs=Input.CHANNELS,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="retries-limited",
        severity=Severity.WARNING,
        condition="A CLUSRCVR has a LONGRTY of less than 999999999.",
        why="After the last retry the channels to it are STOPPED, and stay so after the fault "
        "has gone.",
        source=_RETRIES,
        check=connections.retries_end,
        inputs=Input.CHANNELS,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="channel-initiator-manual",
        severity=Severity.WARNING,
        condition="A member has SCHINIT(MANUAL).",
        why="After a restart of the queue manager its channels are neither started nor retried.",
        source="IBM MQ, ALTER QMGR (SCHINIT)",
        check=connections.channel_initiator,
        inputs=Input.QMGR | Input.CHANNELS,
        fix=FixClass.SAFE,
        effective=Effective.QMGR,
    ),
    DoctorRule(
        id="adoption-refused",
        severity=Severity.WARNING,
        condition="A receiving end still waits for a silent partner, and is not adopted.",
        why="The partner connects again and is refused until the old end notices: AMQ9514 here, "
        "AMQ9558 there.",
        what_to_do="On the machine of the receiving queue manager: AdoptNewMCA=ALL in the "
        "Channels stanza of its qm.ini, then restart the queue manager. To end the "
        "wait at once, there: STOP CHANNEL(name) QMNAME(partner) MODE(FORCE) "
        "STATUS(INACTIVE).",
        source=_STANZA,
        check=connections.adoption,
        inputs=Input.STATUS | Input.QMGR,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="channel-limit",
        severity=Severity.WARNING,
        condition="A member may need more channels than MaxChannels or MaxActiveChannels (on "
        "z/OS MAXCHL, ACTCHL) allow.",
        why="Further channels do not start (AMQ9513), or wait in STARTING.",
        what_to_do="On the machine of the member: raise MaxChannels and MaxActiveChannels in the "
        "Channels stanza of its qm.ini, then restart the queue manager.",
        source=_STANZA,
        check=connections.channel_limits,
        inputs=Input.OTHER | Input.CHANNELS | Input.QMGR,
        fix=FixClass.OWNER,
        effective=Effective.QMGR,
        needs=(Need.INI,),
    ),
    DoctorRule(
        id="defaults-in-use",
        severity=Severity.INFO,
        condition="Once for the estate: how often it uses defaults that some estates change.",
        why="BATCHHB(0), HBINT(300), LONGTMR(1200), NPMSPEED(FAST), AdoptNewMCA=NO, "
        "DEFBIND(OPEN) and CLWLUSEQ(QMGR) are right for many estates; know that you chose them.",
        what_to_do="Nothing, if they are what you want. Else change them at each queue manager, "
        "best in the scripts that build it.",
        source="IBM MQ, DEFINE CHANNEL; DEFINE queues; Channels stanza (qm.ini)",
        check=defaults.defaults,
        inputs=Input.CHANNELS | Input.QUEUES,
    ),
)
