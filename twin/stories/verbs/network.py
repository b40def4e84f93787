"""The verbs of the network: cut, heal, delay."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.instants import Instant
from twin.stories import fields
from twin.stories.moments import shown_duration
from twin.stories.stage import Stage
from twin.stories.story import Action, StepOutcome
from twin.stories.verbs.verb import ACTING, Read, Verb


def _link(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    one, other = action.options.get("between", ("", ""))
    latency, silent = action.options.get("latency", 0), action.options.get("silent", False)
    stage.twin.link(action.verb, one, other, latency=latency, silent=silent, at=at)
    return StepOutcome()


def _title(action: Action) -> str:
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
        title=_title,
    )


VERBS: Final[Mapping[str, Verb]] = {
    "cut": _cut_verb(
        "cuts the link between two queue managers; with `silent`, neither is informed",
        {"silent": fields.flag},
    ),
    "heal": _cut_verb("heals the link between two queue managers"),
    "delay": Verb(
        meaning="sets the latency of one link, or of all links that have none of their own",
        perform=_link,
        expects=ACTING,
        options={"between": fields.pair, "latency": fields.duration},
        required=("latency",),
        bare="latency",
        qmgrs=lambda action: action.options.get("between", ()),
        title=_title,
    ),
}
