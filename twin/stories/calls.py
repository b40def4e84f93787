"""Steps that applications do: open, put, get, close, inquire; and the explanation of a put."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from twin.model.instants import Instant
from twin.model.periods import ANSWER_WITHIN
from twin.model.reasons import BAD_HANDLE, NO_ANSWER, reason_name
from twin.questions.explain import ExplainRequest
from twin.rules.messages.opening import Opened
from twin.rules.messages.putting import Put
from twin.stories.matching import Table
from twin.stories.outcome import Outcome, not_done
from twin.stories.stage import RecordStage, Stage
from twin.stories.story import MessageStep, Open

READING: Final = frozenset({"explain", "inquire"})
"""Steps that change nothing."""


def opened(action: Open, stage: Stage, at: Instant) -> Outcome:
    """Call MQOPEN; the handle stays open where it has a name, which no other open one may have."""
    if action.name and (where := stage.twin.handle_at(action.name)):
        return not_done(f"handle {action.name} is open at {where} already: close it first")
    found = stage.twin.open_queue(
        action.on,
        action.queue,
        to=action.to,
        bind=action.bind,
        handle=action.name,
        profile=action.profile,
        at=at,
    )
    said = f"{found.queue} {found.via} {found.base}".strip()
    return _called(
        action.queue,
        found.reason,
        [said],
        bound_to=(found.bound_to,) if found.bound_to else (),
        waited=_waited(found),
        at="open" if found.reason else "",
    )


def _waited(opened: Opened | None) -> int:
    return ANSWER_WITHIN if opened is not None and opened.reason == NO_ANSWER else 0


def _called(queue: str, reason: int, lines: list[str], **beside: Any) -> Outcome:
    problem = f"reason {reason} {reason_name(reason)}" if reason else ""
    said = [f"{queue} {problem}"] if reason else []
    return Outcome(done=not reason, problem=problem, lines=[*lines, *said], reason=reason, **beside)


def _put(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    options = dict(step.options)
    options["persistent"] = not options.pop("nonpersistent", False)
    on = _where(step, stage)
    if not on:
        return _called(options["handle"], BAD_HANDLE, [], at="put")
    put = stage.twin.put(on, options.pop("queue", ""), at=at, **options)
    to, via = counts_of(stage, put)
    return _called(
        put.queue or options.get("handle", ""),
        put.reason,
        [f"{name} {count}" for name, count in to.items()],
        at=put.at,
        to=to,
        via=via,
        order=put.order if put.count <= len(put.order) else (),
        waited=_waited(put.opened),
    )


def counts_of(stage: Stage, put: Put) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Count messages by the queue manager they were chosen for, and by channel."""
    names = stage.twin.names()
    to: Counter[str] = Counter()
    via: Counter[str] = Counter()
    for share in put.shares:
        to[names[share.to] if share.to else share.named] += share.count
        if channel := share.channel or share.route:
            via[channel] += share.count
    return to, via


def _where(step: MessageStep, stage: Stage) -> str:
    """Name the queue manager of a step; of one on a handle it is where that is open."""
    return step.on or stage.twin.handle_at(str(step.options.get("handle", "")))


def _get(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    got = stage.twin.get(step.on, step.options["queue"], count=step.options.get("count", 1), at=at)
    return _called(got.queue, got.reason, [f"{got.queue} {got.count}"], count=got.count)


def _close(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    handle = step.options["handle"]
    on = _where(step, stage)
    known = bool(on) and stage.twin.close_handle(on, handle, at=at)
    return _called(handle, 0 if known else BAD_HANDLE, [])


def _explain(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    options = dict(step.options)
    given = {key: options[key] for key in _ASKED & options.keys()}
    times = {key: options[key].at(stage.start) for key in ("as_of", "known_at") if key in options}
    if isinstance(stage, RecordStage) or "known_at" in times:
        times.setdefault("as_of", at)
    on = _where(step, stage)
    if not on:
        return _called(options["handle"], BAD_HANDLE, [])
    explained, point = stage.twin.explain(on, ExplainRequest(**given), **times)
    answer = explained.answer(point)
    table = Table(answer.rows, answer.instants, answer.columns, stage.start)
    return Outcome(lines=explained.lines, table=table, reason=explained.reason)


_ASKED: Final = frozenset({"queue", "handle", "to", "bind", "put1", "profile"})
"""What of a put counts for its explanation."""


def _inquire(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    del at
    found = stage.twin.inquire(step.on, step.options["queue"])
    table = Table(found.rows, start=stage.start)
    return _called(step.options["queue"], found.reason, [], table=table)


CALLS: Final[Mapping[str, Callable[[MessageStep, Stage, Instant], Outcome]]] = {
    "put": _put,
    "get": _get,
    "close": _close,
    "explain": _explain,
    "inquire": _inquire,
}
"""Each verb of an application."""
