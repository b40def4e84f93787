"""Control commands: crtmqm, strmqm, endmqm, dltmqm, runswchl.

Source: IBM MQ 9.x, "Control commands reference". Options about logging, paths or installations are
accepted and recorded with the command, but change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from twin import events
from twin.errors import TwinError
from twin.events.base import Values
from twin.fold.estate import NoSuchQueueManager, QueueManager
from twin.model.instants import SECOND, Instant, mq_date, mq_time
from twin.model.names import CHANNEL_NAME_LENGTH, generic, legal_generic, legal_name
from twin.model.platforms import DEFAULT_LEVEL, LEVELS, PLATFORMS
from twin.rules import lifecycle
from twin.rules.channels import get_inhibited, switching
from twin.rules.channels.switching import Switching
from twin.rules.commands import clearing
from twin.rules.draft import Draft
from twin.rules.messages import restart_losses
from twin.rules.queues import put_times
from twin.rules.repository import connecting, publication


class ControlRefused(TwinError):
    """A control command that MQ would refuse; the message is MQ's own."""


class QueueManagerExists(ControlRefused):
    """crtmqm of a queue manager that exists."""

    def __init__(self, name: str) -> None:
        super().__init__(f"AMQ8110S: IBM MQ queue manager {name} already exists")


class BadQueueManagerName(ControlRefused, ValueError):
    """A name that MQ does not allow for a queue manager."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"AMQ7048E: {name!r} is not a queue manager name; use 1 to 48 of A-Z a-z 0-9 . / _ %"
        )


class BadLevel(ControlRefused, ValueError):
    """crtmqm with an unknown command level."""

    def __init__(self, level: str) -> None:
        known = f"{LEVELS.start} to {LEVELS.stop - 1}"
        super().__init__(f"unknown command level {level!r}; expected {known}")


class BadPlatform(ControlRefused, ValueError):
    """crtmqm with an unknown platform."""

    def __init__(self, platform: str) -> None:
        super().__init__(f"unknown platform {platform!r}; expected one of {', '.join(PLATFORMS)}")


class UnknownControlCommand(ControlRefused, LookupError):
    """A control command that the twin does not know."""

    def __init__(self, command: str) -> None:
        known = ", ".join(_COMMANDS)
        super().__init__(f"unknown control command {command!r}; expected one of {known}")


class WrongState(ControlRefused):
    """A command that the state of the queue manager does not allow."""


class BadChannelPattern(ControlRefused, ValueError):
    """runswchl -c with neither the name of a channel nor a generic name."""

    def __init__(self, pattern: str) -> None:
        super().__init__(
            f"{pattern!r} is not a channel name; use 1 to {CHANNEL_NAME_LENGTH} of "
            "A-Z a-z 0-9 . / _ %, with or without an asterisk at the end, or '*'"
        )


class NoSuchChannel(ControlRefused, LookupError):
    """runswchl of channels that the queue manager does not have."""

    def __init__(self, name: str, pattern: str) -> None:
        super().__init__(f"{name} has no cluster-sender channel {pattern}")


class NoLink(ControlRefused):
    """A network link from a queue manager to itself."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a link needs two queue managers: {name} is given twice")


class AnotherQueueManager(ControlRefused):
    """A backup of a queue manager that was deleted, and created again with the same name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the backup is of an earlier queue manager {name}, which was deleted; restore it "
            f"from its definitions (twin dmpmqcfg {name} --as-of T)"
        )


_ATTRIBUTES: Final = {
    "deadq": "DEADQ",
    "defxmitq": "DEFXMITQ",
    "descr": "DESCR",
    "maxhands": "MAXHANDS",
    "maxumsgs": "MAXUMSGS",
    "trigint": "TRIGINT",
}
"""Option of crtmqm, by the name it is recorded under -> the attribute that it sets."""

_NUMBERS: Final = frozenset({"maxhands", "maxumsgs", "trigint"})


def carry_out(draft: Draft, entered: events.ControlCommandEntered) -> tuple[Switching, ...]:
    """Carry out a control command; return what runswchl reports.

    Raises:
        ControlRefused: if MQ would refuse the command.
        NoSuchQueueManager: if the queue manager does not exist.
    """
    command = _COMMANDS.get(entered.command)
    if command is None:
        raise UnknownControlCommand(entered.command)
    return command(draft, entered.qmgr, option_values(entered.arguments)) or ()


def option_values(arguments: tuple[str, ...]) -> dict[str, str]:
    """Read `name=value` arguments; an argument without a value is a flag."""
    return dict(argument.partition("=")[::2] for argument in arguments)


def _create(draft: Draft, name: str, options: dict[str, str]) -> None:
    if not name or not legal_name(name):
        raise BadQueueManagerName(name)
    if name in draft.estate.qmgrs:
        raise QueueManagerExists(name)
    level = options.get("cmdlevel", str(DEFAULT_LEVEL))
    platform = options.get("platform", PLATFORMS[0])
    if not level.isdecimal() or int(level) not in LEVELS:
        raise BadLevel(level)
    if platform not in PLATFORMS:
        raise BadPlatform(platform)
    draft.emit(
        events.QueueManagerCreated(
            qmgr=name, qmid=new_qmid(draft, name), cmdlevel=int(level), platform=platform
        )
    )
    values: Values = {
        keyword: int(options[option]) if option in _NUMBERS else options[option]
        for option, keyword in _ATTRIBUTES.items()
        if option in options
    }
    if values:
        draft.emit(events.QueueManagerAltered(qmgr=name, values=values))


def new_qmid(draft: Draft, name: str) -> str:
    """Return a new QMID: name and second of creation, or the next second that is not taken."""
    at: Instant = draft.at
    while (qmid := f"{name}_{mq_date(at)}_{mq_time(at)}") in draft.estate.names:
        at += SECOND
    return qmid


def _start(draft: Draft, name: str, options: dict[str, str]) -> None:
    del options
    qmgr = draft.qmgr(name)
    if qmgr.running:
        message = f"AMQ5019E: IBM MQ queue manager {name} is already running"
        raise WrongState(message)
    start(draft, qmgr)


def start(draft: Draft, qmgr: QueueManager) -> None:
    """Start a queue manager: timers that expired meanwhile fire, and it republishes its records.

    Messages that are not persistent are lost.

    Source: IBM MQ 9.4, "How long do the queue manager repositories retain information?"
    """
    draft.emit(events.QueueManagerStarted(qmgr=qmgr.name))
    restart_losses.discard(draft, qmgr)
    start_services(draft, qmgr)
    lifecycle.play(draft, upto=draft.at)  # timers that expired while it was down
    connecting.bring_up_to_date(draft, qmgr)
    publication.republish_all(draft, qmgr, before=draft.at)


def start_services(draft: Draft, qmgr: QueueManager) -> None:
    """Start the listeners with CONTROL(QMGR) or CONTROL(STARTONLY)."""
    for definition in list(qmgr.definitions.values()):
        if definition.type == "LISTENER" and re.fullmatch(
            "QMGR|STARTONLY", str(definition.values.get("CONTROL", ""))
        ):
            draft.emit(events.ListenerStarted(qmgr=qmgr.name, listener=definition.name))


def _end(draft: Draft, name: str, options: dict[str, str]) -> None:
    del options
    qmgr = draft.qmgr(name)
    if not qmgr.running:
        message = f"AMQ8146E: IBM MQ queue manager {name} is not running"
        raise WrongState(message)
    for channel in qmgr.messaging.channels() if qmgr.has_messaging else ():
        put_times.record(draft, qmgr, channel, upto=draft.at)
    draft.emit(events.QueueManagerEnded(qmgr=name))
    connecting.fail_channels_to(draft, qmgr)


def _delete(draft: Draft, name: str, options: dict[str, str]) -> None:
    del options
    qmgr = draft.qmgr(name)
    if qmgr.running:
        message = f"AMQ5003E: IBM MQ queue manager {name} is running; end it before you delete it"
        raise WrongState(message)
    for queue in dict.fromkeys((*qmgr.messaging.local, *qmgr.messaging.waiting)):
        clearing.lose(draft, qmgr, queue, "deleted")
    draft.emit(events.QueueManagerDeleted(qmgr=name))


def _switch(draft: Draft, name: str, options: dict[str, str]) -> tuple[Switching, ...]:
    qmgr = draft.qmgr(name)
    if not qmgr.running:
        message = f"AMQ8146E: IBM MQ queue manager {name} is not running"
        raise WrongState(message)
    pattern = options.get("c", "*")
    demand_channels(qmgr, pattern)
    found = switching.switch_channels(draft, qmgr, pattern, moving="n" not in options)
    for each in found:  # which may have a queue again on which something was left
        get_inhibited.start_for_waiting(draft, qmgr, each.channel)
    return found


def demand_channels(qmgr: QueueManager, pattern: str) -> None:
    """Check that runswchl -c names cluster-sender channels of a queue manager, or '*' for all.

    Raises:
        BadChannelPattern: if it is neither a name, nor a generic name, nor an asterisk.
        NoSuchChannel: if no channel has such a name.
    """
    if not legal_generic(pattern, limit=CHANNEL_NAME_LENGTH):
        raise BadChannelPattern(pattern)
    known = switching.cluster_senders(qmgr)
    if pattern != "*" and not any(generic(pattern, channel) for channel in known):
        raise NoSuchChannel(qmgr.name, pattern)


_Command: TypeAlias = Callable[[Draft, str, dict[str, str]], tuple[Switching, ...] | None]

_COMMANDS: Final[dict[str, _Command]] = {
    "crtmqm": _create,
    "strmqm": _start,
    "endmqm": _end,
    "dltmqm": _delete,
    "runswchl": _switch,
}

__all__ = ["ControlRefused", "NoSuchQueueManager", "carry_out"]
