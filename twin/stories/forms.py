"""What steps look like: one table, with the keys that each has and what may be expected of it.

A step is named by its verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from twin.model.words import BINDS, STATUSES
from twin.stories import fields
from twin.stories.document import Node

Read: TypeAlias = Callable[[Node], Any]

COMMON: Final = frozenset({"at", "expect"})
"""What may stand beside every verb."""

READING: Final = frozenset({"as_of", "known_at"})

_ROWS: Final = frozenset({"rows", "exact", "count", "absent", "says"})
_ERRORS: Final = frozenset({"errors", "exact"})
_ACTING: Final = _ERRORS | {"messages", "says"}


@dataclass(frozen=True, slots=True)
class Form:
    """How a step of one verb is written.

    Attributes:
        expects: what may be expected of it.
        beside: the keys that may stand beside the verb, further to `at` and `expect`.
        options: the keys of the mapping behind the verb, empty where something else stands there.
        required: those of them that must be there.
        on: whether it happens at a queue manager, named beside the verb or in its mapping.
        bare: the option that a single text behind the verb gives, '' where a mapping is due.
    """

    expects: frozenset[str]
    beside: frozenset[str] = frozenset()
    options: Mapping[str, Read] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    on: bool = False
    bare: str = ""


_choice = fields.choice

_DESTINATION: Final[dict[str, Read]] = {
    "queue": fields.name,
    "handle": fields.text,
    "bind": _choice(*BINDS),
    "to": fields.name,
    "put1": fields.flag,
    "nonpersistent": fields.flag,
    "group": fields.text,
    "logical_order": fields.flag,
}
_CHANNEL: Final[dict[str, Read]] = {"channel": fields.channel}

FORMS: Final[Mapping[str, Form]] = {
    "runmqsc": Form(
        expects=_ROWS | _ACTING,
        beside=READING,
        on=True,
    ),
    "open": Form(
        expects=_ERRORS | {"reason", "bound_to", "waited", "says"},
        options={
            "queue": fields.name,
            "bind": _choice(*BINDS),
            "to": fields.name,
            "name": fields.text,
            "profile": _choice("v7", "v8"),
        },
        required=("queue",),
        on=True,
        bare="queue",
    ),
    "ask": Form(expects=_ROWS, beside=READING | {"with"}),
    "crtmqm": Form(expects=_ACTING),
    "strmqm": Form(expects=_ACTING),
    "endmqm": Form(expects=_ACTING),
    "dltmqm": Form(expects=_ACTING),
    "restore": Form(expects=_ACTING),
    "cut": Form(expects=_ACTING),
    "heal": Form(expects=_ACTING),
    "delay": Form(
        expects=_ACTING,
        options={"between": fields.pair, "latency": fields.duration},
        required=("latency",),
        bare="latency",
    ),
    "put": Form(
        expects=_ERRORS | {"to", "via", "order", "reason", "at", "waited", "says"},
        options={
            **_DESTINATION,
            "count": fields.amount,
            "name": fields.text,
            "profile": _choice("v7", "v8"),
        },
        on=True,
    ),
    "explain": Form(
        expects=_ROWS | {"reason"},
        beside=READING,
        options={**_DESTINATION, "count": fields.positive, "profile": _choice("v7", "v8")},
        on=True,
    ),
    "observe": Form(
        expects=_ACTING,
        beside=frozenset({"occurred"}),
        options={
            **_CHANNEL,
            "status": _choice(*STATUSES),
            "indoubt": _choice("YES", "NO"),
            "curmsgs": fields.number,
            "sent": fields.number,
            "occurred": fields.moment,
        },
        required=("channel",),
        on=True,
    ),
    "hold": Form(
        expects=_ACTING,
        options={**_CHANNEL, "switch": fields.flag},
        required=("channel",),
        on=True,
    ),
    "release": Form(
        expects=_ACTING,
        options={**_CHANNEL, "switch": fields.flag},
        required=("channel",),
        on=True,
    ),
    "close": Form(
        expects=_ERRORS | {"reason"},
        options={"handle": fields.text},
        required=("handle",),
        bare="handle",
    ),
    "get": Form(
        expects=_ERRORS | {"count", "reason"},
        options={"queue": fields.name, "count": fields.positive},
        required=("queue",),
        on=True,
        bare="queue",
    ),
    "inquire": Form(
        expects=_ROWS | {"reason"},
        options={"queue": fields.name},
        required=("queue",),
        on=True,
        bare="queue",
    ),
    "runswchl": Form(
        expects=_ROWS | _ACTING,
        options={"channel": fields.generic_channel},
        required=("channel",),
        on=True,
        bare="channel",
    ),
}
"""Every verb; a step without any only lets time pass."""

PASSING: Final = Form(expects=_ERRORS)
"""A step that has no verb."""


def options_of(form: Form, node: Node) -> tuple[dict[str, Any], Node | None]:
    """Read what stands behind a verb; return the options, and the `on` among them if there is one.

    Raises:
        MalformedStory: where the form does not have such a key, or wants one that is missing.
    """
    if form.bare and not isinstance(node.value, Mapping):
        return {form.bare: form.options[form.bare](node)}, None
    known = [*form.options, *(["on"] if form.on else [])]
    given = fields.entries(node, known, required=form.required)
    return {key: form.options[key](given[key]) for key in given if key != "on"}, given.get("on")


def demand(verb: str, node: Node, options: Mapping[str, Any]) -> None:
    """Check what the keys of a step have to do with each other.

    A put or explain says where to: a queue, or a handle, which knows how it was opened. What is
    observed of a channel is something.

    Raises:
        MalformedStory: where keys are missing, or at odds.
    """
    if verb == "observe" and not _OBSERVED & options.keys():
        node.refuse("nothing is observed: write status, indoubt (with curmsgs) or sent")
    if verb not in _PUTS:
        return
    if ("queue" in options) == ("handle" in options):
        node.refuse("write one of queue and handle")
    if "handle" in options and (beside := [key for key in _OPENING if key in options]):
        node.refuse(f"{beside[0]} is said as a handle is opened, not beside it")


_PUTS: Final = frozenset({"put", "explain"})
_OBSERVED: Final = frozenset({"status", "indoubt", "sent"})
_OPENING: Final = ("bind", "to", "put1", "profile")
"""What an MQOPEN settles for all that is put on its handle."""
