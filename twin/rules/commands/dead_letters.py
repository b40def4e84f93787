"""runmqdlq: process the messages on a dead-letter queue by a rules table.

Decided here: a run looks at each message once, in order, and ends. Within a run nothing else
happens, so RETRY(n) makes one attempt, and RETRYINT and WAIT have no effect. A message that cannot
be put stays on the queue, and so does one that no rule fits. The handler opens the queue as an
application does. An expired repository command is discarded as the run reaches it.

Source: IBM MQ 9.1, "Processing messages on a dead-letter queue".
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from twin.events import ClusterCommandsTaken, DeadLettersHandled, Parcel, PutEntered, Share
from twin.fold import parcels
from twin.fold.estate import QueueManager
from twin.model.dead_letter_rules import DeadLetter, DeadLetterRule, DeadLetterRules
from twin.model.instants import COMMANDS_EXPIRE_AFTER
from twin.rules.draft import Draft
from twin.rules.messages import capacity, destinations, opening, outbound, put_plan
from twin.rules.queues.local_queues import is_get_inhibited, local_queue


class Handled(NamedTuple):
    """What happened to messages that were dead-lettered alike.

    Attributes:
        queue, qmgr: the queue and the queue manager that they were for.
        reason: the reason code for which they were on the dead-letter queue.
        messages: how many they are.
        line: the line of the rule that fits them; None if none does.
        action: its action; '' if none fits them.
        left: how many of them stay on the dead-letter queue.
        why: the reason code with which they could not be put; 0 if they could.
    """

    queue: str
    qmgr: str
    reason: int
    messages: int
    line: int | None
    action: str
    left: int
    why: int = 0


def input_queue(qmgr: QueueManager, rules: DeadLetterRules, named: str) -> tuple[str, str]:
    """Return the queue that a run reads, and why it cannot read it; '' if it can.

    It is the queue that was named, or else INPUTQ of the rules, or else the dead-letter queue.
    """
    name = named or rules.queue or qmgr.text("DEADQ")
    if rules.qmgr not in ("", qmgr.name):
        return name, f"INPUTQM({rules.qmgr}) is not {qmgr.name}"
    if not name:
        return "", f"{qmgr.name} has no dead-letter queue; name a queue, in INPUTQ or with --queue"
    if local_queue(qmgr, name) is None:
        return name, f"{qmgr.name} has no local queue {name}"
    return name, f"{name} is GET(DISABLED) (reason 2016)" if is_get_inhibited(qmgr, name) else ""


def handle(
    draft: Draft, qmgr: QueueManager, queue: str, rules: DeadLetterRules
) -> tuple[Handled, ...]:
    """Process all messages on a dead-letter queue; return what happened to them, in order."""
    handled: list[Handled] = []
    place = 0
    for parcel in list(qmgr.messaging.local.get(queue, ())) if qmgr.has_messaging else ():
        command = parcel.command
        if command is not None and draft.at >= command.since + COMMANDS_EXPIRE_AFTER:
            draft.emit(ClusterCommandsTaken(qmgr=qmgr.name, queue=queue, place=place, expired=True))
            continue
        result = _handle(draft, qmgr, queue, place, parcel, rules)
        handled.append(result)
        place += result.left
    return tuple(handled)


def _handle(
    draft: Draft, qmgr: QueueManager, queue: str, place: int, parcel: Parcel, rules: DeadLetterRules
) -> Handled:
    named = parcel.named or qmgr.name
    letter = DeadLetter(parcel.queue, named, parcel.reason, parcel.persistent)
    rule = next((rule for rule in rules.rules if rule.fits(letter)), None)
    left, why = parcel.count, 0
    if rule is not None and rule.action == "DISCARD":
        draft.emit(
            DeadLettersHandled(
                qmgr=qmgr.name, queue=queue, place=place, count=left, action="DISCARD"
            )
        )
        left = 0
    elif rule is not None and rule.action != "IGNORE":
        left, why = _put_again(draft, qmgr, queue, place, parcel, rule)
    return Handled(
        parcel.queue,
        named,
        parcel.reason,
        parcel.count,
        None if rule is None else rule.line,
        rule.action if rule is not None else "",
        left,
        why,
    )


def _target(qmgr: QueueManager, parcel: Parcel, rule: DeadLetterRule) -> tuple[str, str]:
    """Return the queue and the queue manager that a rule sends a message to."""
    named = parcel.named or qmgr.name
    if rule.action == "RETRY":
        return parcel.queue, named
    to = parcel.queue if rule.forward_to == "&DESTQ" else rule.forward_to
    at = qmgr.name if rule.forward_at is None else rule.forward_at
    return to, named if at == "&DESTQM" else at


def _put_again(
    draft: Draft, qmgr: QueueManager, queue: str, place: int, parcel: Parcel, rule: DeadLetterRule
) -> tuple[int, int]:
    """Put messages where a rule sends them; return how many stay, and the reason code."""
    to, at = _target(qmgr, parcel, rule)
    resolved = destinations.Resolver(draft, qmgr).resolve(to, at)
    opened = opening.open_resolved(draft, qmgr, resolved, bind="asqdef", profile="")
    plan = put_plan.of_opened(PutEntered(qmgr=qmgr.name, queue=to), opened)
    refused = opened.reason or put_plan.refusal(qmgr, plan).reason
    if refused:
        return parcel.count, refused
    left = parcel.count
    division = put_plan.division(draft, qmgr, plan, left).at_bases(qmgr)

    def placed_parcel(share: Share) -> Parcel:
        return parcels.put_again(parcel, share, draft.at, fixed=plan.fixed)

    while True:
        chosen = left if division.most is None else min(left, division.most)
        shares = cache(division.shares)
        fit = capacity.fit(draft, qmgr, shares, chosen, placed_parcel)
        going = shares(fit.first)
        if fit.first:
            draft.emit(
                DeadLettersHandled(
                    qmgr=qmgr.name,
                    queue=queue,
                    place=place,
                    count=fit.first,
                    action="RETRY" if rule.action == "RETRY" else "FWD",
                    shares=going,
                    fixed=plan.fixed,
                )
            )
            outbound.forward_shares(draft, qmgr, going)
            left -= fit.first
        if not left or fit.first == fit.total:
            return left, fit.refusal.reason or (division.reason if left else 0)
        division = division.after(fit.first)
