"""Rules about dead-letter queues."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import dead_letters
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Need

_DEAD: Final = "IBM MQ 9.2, Working with dead-letter queues"

RULES: Final = (
    DoctorRule(
        id="dead-letter-queue-blank",
        severity=Severity.WARNING,
        condition="A member has no dead-letter queue.",
        why="If a message cannot be put, the channel that delivers it stops (AMQ9544).",
        what_to_do="At the queue manager: DEFINE QLOCAL(name), then ALTER QMGR DEADQ(name).",
        source=_DEAD,
        attributes=("DEADQ",),
        check=dead_letters.blank,
        fix=FixClass.SAFE,
        needs=(Need.QMGR,),
    ),
    DoctorRule(
        id="dead-letter-queue-missing",
        severity=Severity.ERROR,
        condition="DEADQ names a queue that does not exist or is not local; a warning if not all "
        "definitions are known.",
        why="The queue manager behaves as if it had no dead-letter queue.",
        what_to_do="At the queue manager: define the queue as QLOCAL, or ALTER QMGR DEADQ(name) "
        "with one that exists.",
        source=_DEAD,
        attributes=("DEADQ",),
        check=dead_letters.missing,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="dead-letter-queue-usage",
        severity=Severity.ERROR,
        condition="The dead-letter queue has USAGE(XMITQ).",
        why="MQ does not put dead letters on a transmission queue.",
        source=_DEAD,
        attributes=("USAGE",),
        check=dead_letters.usage,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="dead-letter-queue-disabled",
        severity=Severity.ERROR,
        condition="The dead-letter queue is PUT(DISABLED).",
        why="A channel that delivers an undeliverable message stops.",
        source=_DEAD,
        attributes=("PUT",),
        check=dead_letters.disabled,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="dead-letter-queue-full",
        severity=Severity.ERROR,
        condition="The dead-letter queue is full; a warning from 80 percent of MAXDEPTH.",
        why="Further undeliverable messages stop channels. A deeper queue alone fills again.",
        what_to_do="At the queue manager: browse the queue (amqsbcg), correct the cause, and let "
        "runmqdlq send the messages on by a rules table.",
        source=_DEAD,
        attributes=("MAXDEPTH",),
        check=dead_letters.full,
        fix=FixClass.OWNER,
        needs=(Need.DEPTHS,),
        follows=("channel-target-put-disabled",),
    ),
    DoctorRule(
        id="dead-letter-queue-used",
        severity=Severity.INFO,
        condition="The dead-letter queue has messages.",
        why="Each is a message that was not delivered. Repository commands among them expire.",
        what_to_do="At the queue manager: browse the queue (amqsbcg). The dead-letter header of "
        "each message has the reason. Correct the cause, then let runmqdlq send the messages on by "
        "a rules table.",
        source=_DEAD,
        check=dead_letters.used,
        needs=(Need.DEPTHS,),
    ),
)
