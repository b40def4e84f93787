"""Explain a message under several settings: as things are, and after some MQSC commands.

Each setting is rehearsed on a fork of its own, so that settings can be compared on one state of the
cluster, such as an outage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from twin.app.rehearsing import Rehearsal
from twin.errors import TwinError
from twin.model.commands import Command
from twin.mqsc.statement import typed_command
from twin.mqsc.words import READING_VERBS
from twin.questions.answer import Row
from twin.questions.explanation import ExplainRequest, Explanation
from twin.questions.hops import FAILING_ENDS
from twin.review.hearing import why_not_heard
from twin.review.plan.onward import RouteEnd, ends_of

_ON: Final = re.compile(r"\s*([A-Za-z0-9._/%]{1,48}):\s*(.*)", re.ASCII | re.DOTALL)
"""A queue manager before its commands."""

_COMMAND: Final = re.compile(r"(?:[^;']|'[^']*')+")
"""A command: a semicolon ends it, unless it is within quotes."""


class BadSetting(TwinError, ValueError, message="cannot set {!r}: {}"):
    """A setting without a command, or with one that is refused, or that changes nothing."""


class Setting(NamedTuple):
    """A message explained under a setting.

    Attributes:
        commands: what was set; () for things as they are.
        explanation: where the message goes then.
        unheard: why its queue manager does not hear of what was set elsewhere, one line each.
        ends: where it ends after the queue manager that was chosen, if it is not just put there.
    """

    commands: tuple[Command, ...]
    explanation: Explanation
    unheard: tuple[str, ...] = ()
    ends: tuple[RouteEnd, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the put fails, or its message comes to no queue on a way that it may take."""
        return bool(self.explanation.reason) or any(each.end in FAILING_ENDS for each in self.ends)

    @property
    def outcome(self) -> str:
        """Where the message goes, and whether it would wait or fail, in one line."""
        return " ".join([self.explanation.outcome, *(f"Then {each}." for each in self.ends)])

    def __str__(self) -> str:
        """Return what was set."""
        return "; ".join(f"{each.text} at {each.on}" for each in self.commands) or "as it is"


def commands_of(text: str, default: str) -> tuple[Command, ...]:
    """Read a setting: `[QM:] COMMAND [; [QM:] COMMAND]...`.

    A command without a queue manager is for that of the command before; the first is for `default`.

    Raises:
        BadSetting: if there is no command.
    """
    commands: list[Command] = []
    for part in filter(str.strip, _COMMAND.findall(text)):
        named = _ON.fullmatch(part)
        on = named[1] if named else commands[-1].on if commands else default
        commands.append(typed_command(on, (named[2] if named else part).strip()))
    if not commands or not all(each.typed for each in commands):
        raise BadSetting(text, "expected [QM:] COMMAND [; [QM:] COMMAND]...")
    return tuple(commands)


def explained_beside(
    base: Rehearsal, qmgr: str, request: ExplainRequest, texts: Iterable[str]
) -> list[Setting]:
    """Explain a message as things are, and under each of some settings.

    Raises:
        BadSetting: if a setting has no command, one that a queue manager refuses, or one that
            changes nothing, such as DISPLAY.
        NoSuchQueueManager: if a queue manager does not exist.
    """
    settings = [_setting(base, qmgr, request)]
    for text in texts:
        commands = commands_of(text, qmgr)
        fork = base.fork()
        for command in commands:
            _carry_out(fork, command, text)
        unheard = tuple(_unheard(fork, qmgr, commands))
        settings.append(_setting(fork, qmgr, request, commands, unheard))
    return settings


def _setting(
    rehearsal: Rehearsal,
    qmgr: str,
    request: ExplainRequest,
    commands: tuple[Command, ...] = (),
    unheard: tuple[str, ...] = (),
) -> Setting:
    """Explain a message in a rehearsal, and follow it on the route that is chosen."""
    explanation = rehearsal.explain(qmgr, request)
    chosen = explanation.trace.chosen if explanation.trace is not None else None
    if explanation.reason or chosen is None:
        return Setting(commands, explanation, unheard)
    bind = "notfixed" if request.put1 else request.bind
    hops = rehearsal.fork().follow(
        qmgr,
        request.queue,
        bind,
        to=request.to,
        profile=request.profile,
        caller=request.caller,
    )
    goes = {
        each.step
        for each in hops
        if each.on == qmgr and (each.home if chosen.local else each.channel == chosen.channel)
    }
    way = [each for each in hops if any(f"{each.step}.".startswith(f"{step}.") for step in goes)]
    return Setting(commands, explanation, unheard, ends_of(rehearsal.estate, way))


def _unheard(fork: Rehearsal, qmgr: str, commands: Iterable[Command]) -> Iterator[str]:
    """Yield a line for each other queue manager whose changes do not reach this one."""
    estate = fork.estate
    for name in dict.fromkeys(each.on for each in commands if each.on != qmgr):
        owner = estate.qmgr(name).qmid
        why = why_not_heard(estate, estate.qmgr(qmgr), owner, at=fork.now())
        if why:
            yield f"{qmgr} has not heard of what was set at {name}: {why}"


def _carry_out(fork: Rehearsal, command: Command, text: str) -> None:
    if command.verb in READING_VERBS:
        raise BadSetting(text, f"{command.verb} changes nothing; run it with twin runmqsc")
    fork.estate.qmgr(command.on)
    session = fork.runmqsc(command.on, command.text)
    if session.exit_code:
        raise BadSetting(text, f"{command.on} says {session.problem}")


def rows_of(settings: Sequence[Setting], base: Rehearsal) -> Iterator[Row]:
    """Yield the routes under each setting; setting 0 is things as they are."""
    for number, setting in enumerate(settings):
        for row in setting.explanation.answer(base.point).rows:
            then = tuple(map(str, setting.ends)) if row["chosen"] else ()
            yield {"setting": number, "set": str(setting) if number else None, **row, "then": then}


def table_of(
    settings: Sequence[Setting], base: Rehearsal
) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the headings and the rows of a table that shows the settings side by side."""
    routes: dict[tuple[str, str], list[str]] = {}
    for number, setting in enumerate(settings):
        for row in setting.explanation.answer(base.point).rows:
            key = (str(row["qmgr"]), str(row["channel"] or ""))
            routes.setdefault(key, ["no route"] * len(settings))[number] = _fate(row, setting)
    heads = ("qmgr", "channel", "as it is", *(f"set {n}" for n in range(1, len(settings))))
    return heads, [[*key, *fates] for key, fates in routes.items()]


def _fate(row: Row, setting: Setting) -> str:
    """Say what becomes of a route: chosen, or the rule that excluded it.

    What a definition at the sender refuses is refused on every route.
    """
    if row["chosen"]:
        fails = f", fails with {row['reason']}" if row["reason"] else ""
        fails += "".join(f", then {end}" for end in _failing(setting.ends))
        return f"chosen{', message waits' if row['waits'] else ''}{fails}"
    if row["removed_by"] == "weight":
        explanation = setting.explanation
        fails = f", fails with {explanation.reason}" if explanation.resolved.inhibited else ""
        return f"takes turns{fails}"
    return f"excluded by {row['removed_by']}: {row['attribute']}({row['value']})"


def _failing(ends: Iterable[RouteEnd]) -> Iterator[str]:
    """Yield the ends of messages that come to no queue, in a few words."""
    words = (
        f"{each.end} at {each.through[-1]}{f' with {each.reason}' if each.reason else ''}"
        for each in ends
        if each.end in FAILING_ENDS
    )
    yield from dict.fromkeys(words)
