"""The verbs of links and channels: cut, heal, delay; observe, hold, release, runswchl; runmqdlq."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from twin.app.results import Handled, Switching
from twin.model.instants import Instant
from twin.model.words import STATUSES
from twin.stories import fields
from twin.stories.document import YamlNode
from twin.stories.fields import shown_duration
from twin.stories.matching import Table
from twin.stories.stage import Stage
from twin.stories.story import Action, StepOutcome, not_done
from twin.stories.verbs.verb import ACTING, ROWS, Read, Verb


def _link(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    one, other = action.options.get("between", ("", ""))
    latency, silent = action.options.get("latency", 0), action.options.get("silent", False)
    stage.twin.link(action.verb, one, other, latency=latency, silent=silent, at=at)
    return StepOutcome()


def _moved(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    old, new = action.options["from"], action.options.get("to", "")
    stage.twin.move(action.on, old=old, new=new, at=at)
    return StepOutcome()


def _link_title(action: Action) -> str:
    between = " - ".join(action.options.get("between", ("all links",)))
    by = f" by {shown_duration(action.options['latency'])}" if "latency" in action.options else ""
    return f"{action.verb} {between}{by}{' silently' if action.options.get('silent') else ''}"


def _cut_verb(meaning: str, beside: Mapping[str, Read] = MappingProxyType({})) -> Verb:
    return Verb(
        meaning=meaning,
        perform=_link,
        expects=ACTING,
        beside=beside,
        options={"between": fields.pair, **beside},
        whole="between",
        qmgrs=lambda action: action.options["between"],
        title=_link_title,
    )


_OBSERVABLE: Final = frozenset({"status", "indoubt", "sent"})


def _something_observed(node: YamlNode, options: Mapping[str, Any]) -> Mapping[str, Any]:
    if not _OBSERVABLE & options.keys():
        node.refuse("nothing is observed; write status, indoubt (with curmsgs) or sent")
    return options


def _observe(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    options = dict(action.options)
    channel, occurred = options.pop("channel"), options.pop("occurred", None)
    if "indoubt" in options:
        options["indoubt"] = options["indoubt"] == "YES"
    instant = at if occurred is None else occurred.at(stage.start)
    if not stage.twin.knows_channel(action.on, channel, as_of=instant):
        return _unknown(action)
    stage.twin.observe_channel(action.on, channel, at=instant, **options)
    return StepOutcome()


def _unknown(action: Action) -> StepOutcome:
    """Return why a channel that its queue manager does not know is refused: it may be mistyped.

    A cluster-sender channel is created when it is first needed, so the step may also be too early.
    """
    channel = action.options["channel"]
    return not_done(f"{action.on} does not know channel {channel}")


def _holding(verb: str, **defaults: Any) -> Callable[[Action, Stage, Instant], StepOutcome]:
    def perform(action: Action, stage: Stage, at: Instant) -> StepOutcome:
        if not stage.twin.knows_channel(action.on, action.options["channel"], as_of=at):
            return _unknown(action)
        getattr(stage.twin, verb)(action.on, at=at, **{**defaults, **action.options})
        return StepOutcome()

    return perform


def _runswchl(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    switches = stage.twin.runswchl(action.on, action.options["channel"], at=at)
    rows = [switch._asdict() for switch in switches]
    return StepOutcome(
        lines=[_line(switch) for switch in switches],
        table=Table(rows, columns=Switching._fields, start=stage.start),
    )


def _runmqdlq(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    options = action.options
    handled = stage.twin.runmqdlq(
        action.on, options["rules"], queue=options.get("queue", ""), at=at
    )
    rows = [each._asdict() for each in handled]
    return StepOutcome(
        lines=[
            f"{row['messages']} for {row['queue']}: {row['action'] or 'no rule'}" for row in rows
        ],
        table=Table(rows, columns=Handled._fields, start=stage.start),
    )


def _line(switch: Switching) -> str:
    why = f"stopped with {switch.reason}" if switch.reason else switch.status
    done = "switched" if switch.switched else f"not switched: {why}"
    return f"{switch.channel} {switch.xmitq} {switch.pending_xmitq} {switch.messages} {done}"


def _holding_verb(verb: str, meaning: str, **defaults: Any) -> Verb:
    options: dict[str, Read] = {"channel": fields.channel, "switch": fields.flag}
    return Verb(
        meaning=meaning,
        perform=_holding(verb, **defaults),
        expects=ACTING,
        options=options,
        required=("channel",),
        on=True,
    )


VERBS: Final[Mapping[str, Verb]] = {
    "cut": _cut_verb(
        "cuts the link between two queue managers; with `silent`, neither is informed",
        {"silent": fields.flag},
    ),
    "heal": _cut_verb("heals the link between two queue managers"),
    "moved": Verb(
        meaning="moves a queue manager: the addresses `from` lead to it no longer",
        perform=_moved,
        expects=ACTING,
        options={"from": fields.text, "to": fields.text},
        required=("from",),
        on=True,
        title=lambda action: f"{action.on}: moved from {action.options['from']}",
    ),
    "delay": Verb(
        meaning="sets the latency of one link, or of all links that have none of their own",
        perform=_link,
        expects=ACTING,
        options={"between": fields.pair, "latency": fields.duration},
        required=("latency",),
        bare="latency",
        qmgrs=lambda action: action.options.get("between", ()),
        title=_link_title,
    ),
    "observe": Verb(
        meaning="records the status of a channel, as a feed would report it",
        perform=_observe,
        expects=ACTING,
        beside={"occurred": fields.moment},
        options={
            "channel": fields.channel,
            "status": fields.choice(*STATUSES),
            "indoubt": fields.choice("YES", "NO"),
            "curmsgs": fields.number,
            "sent": fields.number,
            "occurred": fields.moment,
        },
        required=("channel",),
        on=True,
        finish=_something_observed,
        not_later=("occurred", "an observation cannot be of a later instant"),
    ),
    "hold": _holding_verb(
        "hold", "keeps a channel from sending, or with `switch` keeps its switch from ending"
    ),
    "release": _holding_verb("release", "undoes a `hold`", switch=None),
    "runswchl": Verb(
        meaning="switches channels that do not run to their new transmission queue",
        perform=_runswchl,
        expects=ROWS | ACTING,
        options={"channel": fields.generic_channel},
        required=("channel",),
        bare="channel",
        on=True,
    ),
    "runmqdlq": Verb(
        meaning="processes the messages on a dead-letter queue by a rules table",
        perform=_runmqdlq,
        expects=ROWS | ACTING,
        options={"rules": fields.script, "queue": fields.name},
        required=("rules",),
        bare="rules",
        on=True,
    ),
}
