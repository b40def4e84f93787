"""What a step does, out of its verb and what stands behind and beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from twin.questions.catalogue import QUESTIONS
from twin.rules.commands.control import DEFAULT_LEVEL, LEVELS, PLATFORMS
from twin.stories import fields
from twin.stories.document import Node
from twin.stories.forms import FORMS, Form, demand, options_of
from twin.stories.moments import Moment
from twin.stories.story import (
    Action,
    Ask,
    Control,
    Create,
    Link,
    MessageStep,
    Open,
    Restore,
    RunMqsc,
    Script,
)

_SCRIPT: Final = ("cmdlevel", "platform", "mqsc")


class _Written(NamedTuple):
    """A step as it is written: at which queue manager, with which options and times."""

    node: Node
    on: str
    options: Mapping[str, Any]
    times: Mapping[str, Moment]
    narrowed: Node | None


def action_of(verb: str, given: Mapping[str, Node]) -> Action:
    """Read what a step does.

    Raises:
        MalformedStory: for what the verb does not take, or wants and does not get.
    """
    form, node = FORMS[verb], given[verb]
    options: Mapping[str, Any] = {}
    inner: Node | None = None
    if form.options:
        options, inner = options_of(form, node)
        demand(verb, node, options)
    on = _on(form, node, given.get("on"), inner, optional="handle" in options)
    times = {key: fields.moment(given[key]) for key in form.beside & given.keys() - {"with"}}
    if verb not in _ACTIONS:
        return MessageStep(node.place, verb, on, {**options, **times})
    return _ACTIONS[verb](_Written(node, on, options, times, given.get("with")))


def _on(form: Form, node: Node, beside: Node | None, inner: Node | None, *, optional: bool) -> str:
    """Return the queue manager that a step happens at, from beside the verb or in its mapping."""
    if beside is not None and inner is not None:
        inner.refuse("the queue manager is there twice")
    named = inner or beside
    if named is not None:
        return fields.name(named)
    if form.on and not optional:
        node.refuse("on is missing: at which queue manager?")
    return ""


def _runmqsc(written: _Written) -> RunMqsc:
    return RunMqsc(written.on, fields.text(written.node), **written.times)


def _open(written: _Written) -> Open:
    options = {"bind": "asqdef", "to": "", "name": "", "profile": "", **written.options}
    return Open(on=written.on, **options)


def _ask(written: _Written) -> Ask:
    question = fields.text(written.node)
    asked = QUESTIONS.get(question)
    if asked is None:
        known = ", ".join(sorted(QUESTIONS))
        written.node.refuse(f"unknown question {question!r}; expected one of {known}")
    known_filters = (*asked.filters, *(["since"] if asked.has_span else []))
    found = dict(fields.entries(written.narrowed, known_filters)) if written.narrowed else {}
    since = found.pop("since", None)
    filters = {key: fields.text(value) for key, value in found.items()}
    return Ask(question, filters, fields.moment(since) if since else None, **written.times)


def _create(written: _Written) -> Create:
    if not (scripts := scripts_of(written.node)):
        written.node.refuse("no queue manager is named")
    return Create(scripts)


def _restore(written: _Written) -> Restore:
    if not (backups := fields.mapping(written.node)):
        written.node.refuse("no queue manager is named")
    return Restore(tuple((qmgr, fields.moment(when)) for qmgr, when in backups.items()))


def _delay(written: _Written) -> Link:
    return Link("delay", written.options.get("between"), written.options["latency"])


def _cut(written: _Written) -> Link:
    return Link("cut", fields.pair(written.node))


def _heal(written: _Written) -> Link:
    return Link("heal", fields.pair(written.node))


def _control(command: Literal["strmqm", "endmqm", "dltmqm"]) -> Callable[[_Written], Control]:
    return lambda written: Control(command, fields.one_or_more(fields.name)(written.node))


_ACTIONS: Final[Mapping[str, Callable[[_Written], Action]]] = {
    "runmqsc": _runmqsc,
    "open": _open,
    "ask": _ask,
    "crtmqm": _create,
    "strmqm": _control("strmqm"),
    "endmqm": _control("endmqm"),
    "dltmqm": _control("dltmqm"),
    "restore": _restore,
    "cut": _cut,
    "heal": _heal,
    "delay": _delay,
}


def scripts_of(node: Node) -> tuple[Script, ...]:
    """Read queue managers with their MQSC: a name alone, or names with short or long forms.

    Raises:
        MalformedStory: for what is neither.
    """
    if node.value is None:
        return ()
    if isinstance(node.value, str):
        return (_script(fields.name(node), Node(node.place, node.text, None)),)
    return tuple(_script(qmgr, value) for qmgr, value in fields.mapping(node).items())


def _script(qmgr: str, node: Node) -> Script:
    fields.name(Node(node.place, node.key, qmgr, qmgr))
    if not isinstance(node.value, Mapping):
        return Script(node.place, qmgr, fields.script(node), DEFAULT_LEVEL, PLATFORMS[0])
    found = fields.entries(node, _SCRIPT)
    level = fields.number(found["cmdlevel"]) if "cmdlevel" in found else DEFAULT_LEVEL
    if level not in LEVELS:
        known = f"{LEVELS.start} to {LEVELS.stop - 1}"
        found["cmdlevel"].refuse(f"{level} is no command level: {known}")
    platform = PLATFORMS[0]
    if "platform" in found:
        platform = fields.choice(*PLATFORMS)(found["platform"])
    mqsc = fields.script(found["mqsc"]) if "mqsc" in found else ""
    return Script(node.place, qmgr, mqsc, level, platform)
