"""Rules about what makes channels connect and carry messages."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import (
    connections,
    estates,
    message_lengths,
    sender_targets,
)
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Effective, Need

_BATCHES: Final = "IBM MQ, Checking that the other end of the channel is still available; HBINT"
_RETRIES: Final = "IBM MQ 9.1, Long retry interval"
_STANZA: Final = "IBM MQ, Channels stanza (qm.ini)"

RULES: Final = (
    DoctorRule(
        id="sender-without-receiver",
        severity=Severity.ERROR,
        condition="A SDR or SVR has the address of a queue manager that has no receiving channel "
        "(RCVR or RQSTR) of its name; a warning if not all channels of that queue manager are "
        "known.",
        why="Both ends of a channel must have the same name. The channel cannot start (AMQ9520; "
        "the other end logs AMQ9519), and what is on its transmission queue waits.",
        what_to_do="At the queue manager of that address: DEFINE CHANNEL(name) CHLTYPE(RCVR). Or, "
        "if the CONNAME or the name of the SDR or SVR is wrong, correct it.",
        source="IBM MQ, Channel names; messages AMQ9519, AMQ9520",
        attributes=("CONNAME",),
        check=sender_targets.without_receiver,
    ),
    DoctorRule(
        id="ssl-cipher-differs",
        severity=Severity.ERROR,
        condition="The SSLCIPH values of a manual CLUSSDR and of its CLUSRCVR do not match.",
        why="The first connection fails, so the member never joins. Once it has joined, the "
        "values of the CLUSRCVR apply.",
        source="IBM MQ, SSLCIPH; Enabling CipherSpecs",
        attributes=("SSLCIPH",),
        check=connections.ciphers,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="message-length",
        severity=Severity.WARNING,
        condition="MAXMSGL of a shared queue is greater than that of the CLUSRCVR of its queue "
        "manager, or of the queue manager.",
        why="The sending queue manager accepts a longer message, which then goes to a dead-letter "
        "queue or stops the channel.",
        what_to_do="At the owner of the queue: raise MAXMSGL of the CLUSRCVR (ALTER CHANNEL) and "
        "of the queue manager (ALTER QMGR) to that of the queue; or lower MAXMSGL of the queue.",
        source="IBM MQ, MAXMSGL of channels, queues and queue managers",
        attributes=("MAXMSGL",),
        check=message_lengths.message_lengths,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="instances-message-length",
        severity=Severity.WARNING,
        condition="Instances of a queue differ in MAXMSGL.",
        why="The choice of a destination does not look at the length of a message. Messages that "
        "are too long for an instance go to its dead-letter queue with 2030.",
        source="IBM MQ, DEFINE queues (MAXMSGL); API reason codes (2030)",
        attributes=("MAXMSGL",),
        check=message_lengths.differing_lengths,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="channel-authentication-unchecked",
        severity=Severity.INFO,
        condition="One finding for the estate: it has channel authentication records besides those "
        "of a new queue manager.",
        why="The twin does not apply them. A channel that they block counts as connected, so no "
        "other rule finds anything.",
        what_to_do="At each of the queue managers: DISPLAY CHLAUTH(channel) MATCH(RUNCHECK) "
        "ADDRESS(address) says what a channel from an address is allowed.",
        source="IBM MQ, SET CHLAUTH; DISPLAY CHLAUTH (MATCH)",
        check=connections.unchecked,
    ),
    DoctorRule(
        id="heartbeat-interval",
        severity=Severity.WARNING,
        condition="A CLUSRCVR has HBINT(0), or less than 10 seconds.",
        why="Without heartbeats, a channel does not notice that its partner is lost. If the "
        "interval is very short, it takes a busy partner for lost.",
        source=_BATCHES,
        attributes=("HBINT",),
        check=connections.heartbeats,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="long-retry-interval",
        severity=Severity.WARNING,
        condition="A CLUSRCVR has a LONGTMR of more than 1200 seconds.",
        why="Waiting messages are rerouted only when a retry fails. Until then, they do not go to "
        "another instance.",
        source=_RETRIES,
        attributes=("LONGTMR",),
        check=connections.long_retries,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="retries-limited",
        severity=Severity.WARNING,
        condition="A CLUSRCVR has a LONGRTY of less than 999999999.",
        why="After the last retry the channels to this queue manager are STOPPED, and stay "
        "STOPPED when the fault is gone.",
        source=_RETRIES,
        attributes=("LONGRTY",),
        check=connections.retries_end,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="channel-initiator-manual",
        severity=Severity.WARNING,
        condition="A member has SCHINIT(MANUAL).",
        why="After a restart of the queue manager, its channels do not start and do not retry.",
        source="IBM MQ, ALTER QMGR (SCHINIT)",
        attributes=("SCHINIT",),
        check=connections.channel_initiator,
        fix=FixClass.SAFE,
        effective=Effective.QMGR,
    ),
    DoctorRule(
        id="adoption-refused",
        severity=Severity.WARNING,
        condition="A receiving end still waits for a partner that no longer answers, and "
        "AdoptNewMCA does not allow a new instance to replace it.",
        why="The partner connects again and is refused until the old instance ends: AMQ9514 here, "
        "AMQ9558 there.",
        what_to_do="On the machine of the receiving queue manager: AdoptNewMCA=ALL in the "
        "Channels stanza of its qm.ini, then restart the queue manager.",
        last="To end the old instance at once, at the same queue manager: DISPLAY CHSTATUS(name) "
        "INDOUBT, and if nothing is in doubt STOP CHANNEL(name) QMNAME(partner) MODE(FORCE) "
        "STATUS(INACTIVE).",
        source=_STANZA,
        check=connections.adoption,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="channel-limit",
        severity=Severity.WARNING,
        condition="A member may need more channels than MaxChannels or MaxActiveChannels (on "
        "z/OS MAXCHL, ACTCHL) allow.",
        why="Further channels do not start (AMQ9513), or stay STARTING.",
        what_to_do="On the machine of the member: raise MaxChannels and MaxActiveChannels in the "
        "Channels stanza of its qm.ini, then restart the queue manager.",
        source=_STANZA,
        attributes=("MAXCHL", "ACTCHL"),
        check=connections.channel_limits,
        fix=FixClass.OWNER,
        effective=Effective.QMGR,
        needs=(Need.INI,),
    ),
    DoctorRule(
        id="defaults-in-use",
        severity=Severity.INFO,
        condition="One finding for the estate: how many objects have defaults that some estates "
        "change.",
        why="BATCHHB(0), HBINT(300), LONGTMR(1200), NPMSPEED(FAST), AdoptNewMCA=NO, DEFBIND(OPEN) "
        "and CLWLUSEQ(QMGR) suit many estates. Decide whether they suit yours.",
        what_to_do="Nothing, if they suit you. Otherwise change them at each queue manager, best "
        "in the scripts that build it.",
        source="IBM MQ, DEFINE CHANNEL; DEFINE queues; Channels stanza (qm.ini)",
        check=estates.defaults,
    ),
)
