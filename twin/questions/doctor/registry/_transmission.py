"""Rules about transmission queues."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import transmission
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Effective

_SELECTING: Final = "IBM MQ 9.4, Planning how you use multiple cluster transmission queues"
_SWITCHING: Final = (
    "IBM MQ 9.4, Monitoring transmission queue switching; Potential issues when switching"
)
_RESOLVING: Final = "IBM MQ, Queue name resolution"

RULES: Final = (
    DoctorRule(
        id="clchname-ambiguous",
        severity=Severity.ERROR,
        condition="Two transmission queues have the same CLCHNAME.",
        why="MQ may use either at each start of a channel, so messages may wait on the other one.",
        source=_SELECTING,
        attributes=("CLCHNAME",),
        check=transmission.equal_patterns,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="clchname-overlap",
        severity=Severity.WARNING,
        condition="Two CLCHNAME patterns of the same kind match one channel.",
        why="IBM advises against it, and does not say which one is used.",
        what_to_do="At this queue manager: ALTER QLOCAL(queue) CLCHNAME(pattern), so that only "
        "one pattern matches each channel. The change takes effect when the channel starts again.",
        source=_SELECTING,
        attributes=("CLCHNAME",),
        check=transmission.overlapping_patterns,
    ),
    DoctorRule(
        id="switch-unfinished",
        severity=Severity.ERROR,
        condition="A channel has not finished a switch to another transmission queue: an error if "
        "the switch stopped with a reason, info while it moves messages.",
        why="New messages are put on the old queue, but the channel gets from the new one.",
        source=_SWITCHING,
        check=transmission.switches,
        fix=FixClass.OWNER,
        follows=(
            "cluster-queue-get-disabled",
            "cluster-queue-put-disabled",
            "queue-full",
        ),
    ),
    DoctorRule(
        id="switch-pending",
        severity=Severity.INFO,
        condition="A running channel will use another transmission queue at its next start.",
        why="The definitions were changed after the channel started. They take effect at its next "
        "start. Then each persistent message is logged twice more, and on rare occasions messages "
        "get out of order, but for those of a group: start it while few arrive.",
        source=_SWITCHING,
        check=transmission.pending_switches,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="transmission-queue-shared",
        severity=Severity.INFO,
        condition="Several SDR or SVR channels name one transmission queue; a warning if two of "
        "them were seen to be active, or one failed with AMQ9509.",
        why="A channel opens its transmission queue for exclusive input: the second one is "
        "RETRYING while the first runs.",
        what_to_do="If both are to run at a time, give one a transmission queue of its own: DEFINE "
        "QLOCAL(name) USAGE(XMITQ), then ALTER CHANNEL(channel) XMITQ(name).",
        source="IBM MQ, Defining a transmission queue; AMQ9509",
        attributes=("XMITQ",),
        check=transmission.shared,
    ),
    DoctorRule(
        id="transmission-queue-named-like-member",
        severity=Severity.WARNING,
        condition="A transmission queue has the name of a member of the cluster; info if a "
        "channel gets from it.",
        why="Name resolution finds it before the cluster: messages for that queue manager do "
        "not go through the cluster.",
        what_to_do="If a channel of your own gets from it, nothing needs to be done.",
        last="If messages are to go through the cluster, at this queue manager: empty the queue, "
        "then DELETE QLOCAL(name).",
        source=_RESOLVING,
        attributes=("USAGE",),
        check=transmission.named_like_member,
    ),
    DoctorRule(
        id="default-transmission-queue-in-cluster",
        severity=Severity.WARNING,
        condition="A member has DEFXMITQ.",
        why="A message for a misspelt queue manager name is not refused with 2087. It is put on "
        "that queue.",
        source=_RESOLVING,
        attributes=("DEFXMITQ",),
        check=transmission.default_queue_hides,
        fix=FixClass.OWNER,
    ),
)
