"""The verbs of applications: open, put, get, close, inquire; and explain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from twin.app.results import Put
from twin.events import Caller
from twin.model.instants import Instant
from twin.model.reasons import BAD_HANDLE, reason_name
from twin.model.words import BINDS, PROFILES
from twin.questions.explanation import ExplainRequest
from twin.stories import fields
from twin.stories.document import YamlNode
from twin.stories.matching import Table
from twin.stories.stage import RecordStage, Stage
from twin.stories.story import Action, StepOutcome, not_done
from twin.stories.verbs.verb import ERRORS, READING, ROWS, Read, Verb, reads_only

_PROFILE: Final[dict[str, Read]] = {"profile": fields.choice(*PROFILES)}
_USER: Final[dict[str, Read]] = {"as": fields.text, "groups": fields.members}
_DESTINATION: Final[dict[str, Read]] = {
    "queue": fields.name,
    "handle": fields.text,
    "bind": fields.choice(*BINDS),
    "to": fields.name,
    "put1": fields.flag,
    "nonpersistent": fields.flag,
    "group": fields.text,
    "logical_order": fields.flag,
    **_USER,
}
_SET_BY_OPEN: Final = ("bind", "to", "put1", "profile", *_USER)
"""The options that MQOPEN sets for every put on its handle."""

_EXPLAINED: Final = frozenset({*_DESTINATION, *_PROFILE} - {"nonpersistent", *_USER})
"""The options of a put that its explanation depends on."""


def _one_destination(node: YamlNode, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check that a put names a queue or a handle, and repeats no option that the handle has set."""
    if ("queue" in options) == ("handle" in options):
        node.refuse("write one of queue and handle")
    if "handle" in options and (beside := [key for key in _SET_BY_OPEN if key in options]):
        node.refuse(f"{beside[0]} belongs to the open of the handle, not to its use")
    return _of_a_user(node, options)


def _of_a_user(node: YamlNode, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check that groups are those of a user; return the options as calls have them."""
    if "groups" in options and "as" not in options:
        node.refuse("groups are those of a user: write as, too")
    return {"user" if key == "as" else key: value for key, value in options.items()}


def _open(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    """Call MQOPEN. The handle stays open if it has a name, which must be free."""
    options = dict(action.options)
    queue, name = options.pop("queue"), options.pop("name", "")
    if name and (where := stage.twin.handle_at(name)):
        return not_done(f"handle {name} is open at {where} already; close it first")
    opened = stage.twin.open_queue(action.on, queue, handle=name, at=at, **options)
    return _call_outcome(
        queue,
        opened.reason,
        [f"{opened.queue} {opened.via} {opened.base}".strip()],
        bound_to=(opened.bound_to,) if opened.bound_to else (),
        waited=opened.waited,
        at="open" if opened.reason else "",
    )


def _call_outcome(queue: str, reason: int, lines: list[str], **beside: Any) -> StepOutcome:
    problem = f"reason {reason} {reason_name(reason)}" if reason else ""
    last = [f"{queue} {problem}"] if reason else []
    return StepOutcome(
        done=not reason, problem=problem, lines=[*lines, *last], reason=reason, **beside
    )


def _put(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    options = dict(action.options)
    options["persistent"] = not options.pop("nonpersistent", False)
    on = _qmgr_of(action, stage)
    if not on:
        return _call_outcome(options["handle"], BAD_HANDLE, [], at="put")
    put = stage.twin.put(on, options.pop("queue", ""), at=at, **options)
    to, via = counts_of(stage, put)
    return _call_outcome(
        put.queue or options.get("handle", ""),
        put.reason,
        [f"{name} {count}" for name, count in to.items()],
        at=put.at,
        to=to,
        via=via,
        order=put.order if put.count <= len(put.order) else (),
        waited=put.waited,
    )


def counts_of(stage: Stage, put: Put) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Count messages by the queue manager they were routed to, and by channel."""
    names = stage.twin.names()
    to: Counter[str] = Counter()
    via: Counter[str] = Counter()
    for share in put.shares:
        to[names[share.to] if share.to else share.named] += share.count
        if channel := share.channel or share.route:
            via[channel] += share.count
    return to, via


def _qmgr_of(action: Action, stage: Stage) -> str:
    """Return the queue manager of a step; for a handle, the one at which it is open."""
    return action.on or stage.twin.handle_at(str(action.options.get("handle", "")))


def _get(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    queue, count = action.options["queue"], action.options.get("count", 1)
    got = stage.twin.get(action.on, queue, count=count, at=at)
    return _call_outcome(got.queue, got.reason, [f"{got.queue} {got.count}"], count=got.count)


def _close(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    handle = action.options["handle"]
    on = _qmgr_of(action, stage)
    closed = bool(on) and stage.twin.close_handle(on, handle, at=at)
    return _call_outcome(handle, 0 if closed else BAD_HANDLE, [])


def _explain(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    options = action.options
    request = {key: options[key] for key in _EXPLAINED & options.keys()}
    request["caller"] = Caller.of(options.get("user", ""), options.get("groups", ()))
    times = {key: options[key].at(stage.start) for key in READING if key in options}
    if isinstance(stage, RecordStage) or "known_at" in times:
        times.setdefault("as_of", at)
    on = _qmgr_of(action, stage)
    if not on:
        return _call_outcome(options["handle"], BAD_HANDLE, [])
    explained, point = stage.twin.explain(on, ExplainRequest(**request), **times)
    answer = explained.answer(point)
    table = Table(answer.rows, answer.instants, answer.columns, stage.start)
    return StepOutcome(lines=explained.lines, table=table, reason=explained.reason)


def _inquire(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    inquired = stage.twin.inquire(action.on, action.options["queue"])
    table = Table(inquired.rows, start=stage.start)
    return _call_outcome(action.options["queue"], inquired.reason, [], table=table)


VERBS: Final[Mapping[str, Verb]] = {
    "open": Verb(
        meaning="opens a queue for output; `name` keeps the handle open",
        perform=_open,
        expects=ERRORS | {"reason", "bound_to", "waited", "says"},
        options={
            "queue": fields.name,
            "bind": fields.choice(*BINDS),
            "to": fields.name,
            "name": fields.text,
            **_PROFILE,
            **_USER,
        },
        required=("queue",),
        bare="queue",
        on=True,
        finish=_of_a_user,
    ),
    "put": Verb(
        meaning="puts messages on a queue or an open handle",
        perform=_put,
        expects=ERRORS | {"to", "via", "order", "reason", "at", "waited", "says"},
        options={**_DESTINATION, "count": fields.amount, "name": fields.text, **_PROFILE},
        on=True,
        finish=_one_destination,
    ),
    "explain": Verb(
        meaning="explains where a message would go, and puts nothing",
        perform=_explain,
        expects=ROWS | {"reason"},
        beside=READING,
        options={**_DESTINATION, "count": fields.positive, **_PROFILE},
        on=True,
        finish=_one_destination,
        changes=reads_only,
    ),
    "close": Verb(
        meaning="closes an open handle",
        perform=_close,
        expects=ERRORS | {"reason"},
        options={"handle": fields.text},
        required=("handle",),
        bare="handle",
    ),
    "get": Verb(
        meaning="gets messages from a local queue",
        perform=_get,
        expects=ERRORS | {"count", "reason"},
        options={"queue": fields.name, "count": fields.positive},
        required=("queue",),
        bare="queue",
        on=True,
    ),
    "inquire": Verb(
        meaning="inquires the attributes of a queue, as MQINQ does",
        perform=_inquire,
        expects=ROWS | {"reason"},
        options={"queue": fields.name},
        required=("queue",),
        bare="queue",
        on=True,
        changes=reads_only,
    ),
}
