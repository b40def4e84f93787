"""Control commands: crtmqm, strmqm, endmqm, dltmqm, runswchl, runmqdlq.

The files of crtmqm -ii and -ic are kept with the queue manager; strmqm applies them.

crtmqm -p makes a listener that starts with the queue manager. Options about logging, paths or
installations are accepted and recorded with the command, but change
nothing.

Source: IBM MQ 9.x, "Control commands reference".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.errors import SubjectError, TwinError
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.amounts import whole_number
from twin.model.attributes import sparse
from twin.model.dead_letter_rules import read_rules
from twin.model.instants import SECOND, Instant, mq_date, mq_time
from twin.model.names import (
    CHANNEL_NAME_LENGTH,
    DEFAULT_LISTENER,
    generic,
    legal_generic,
    legal_name,
    qmid_of,
)
from twin.model.platforms import DEFAULT_LEVEL, FIX_PACKS, LEVELS, PLATFORMS
from twin.model.readings import REPUBLISH, RESTART, reading_of
from twin.rules import lifecycle, reachability, repository_manager
from twin.rules.channels import starting, switching
from twin.rules.commands import automatic_configuration, channel_commands, dead_letters, losses
from twin.rules.draft import Draft
from twin.rules.repository import publication


class ControlRefused(TwinError):
    """A control command that MQ would refuse; where MQ has a message, it is used."""


class QueueManagerExists(
    ControlRefused, SubjectError, message="AMQ8110S: IBM MQ queue manager {} already exists"
):
    """crtmqm for a queue manager that already exists."""


class BadQueueManagerName(
    ControlRefused,
    SubjectError,
    ValueError,
    message="AMQ7048E: {!r} is not a queue manager name; use 1 to 48 of A-Z a-z 0-9 . / _ %",
):
    """A name that MQ does not allow for a queue manager."""


class BadLevel(
    ControlRefused,
    SubjectError,
    ValueError,
    message=f"unknown command level {{!r}}; expected {LEVELS.start} to {LEVELS.stop - 1}",
):
    """crtmqm with an unknown command level."""


class BadFixPack(
    ControlRefused, SubjectError, ValueError, message="unknown fix pack {!r}; expected 0 to 99"
):
    """crtmqm with a fix pack that has more than two digits."""


class BadPlatform(
    ControlRefused,
    SubjectError,
    ValueError,
    message=f"unknown platform {{!r}}; expected one of {', '.join(PLATFORMS)}",
):
    """crtmqm with an unknown platform."""


class UnknownControlCommand(ControlRefused, LookupError):
    """A control command that the twin does not know."""

    def __init__(self, command: str) -> None:
        known = ", ".join(("crtmqm", *_COMMANDS))
        super().__init__(f"unknown control command {command!r}; expected one of {known}")


class WrongState(ControlRefused):
    """A command that the state of the queue manager does not allow."""


class BadChannelPattern(
    ControlRefused,
    SubjectError,
    ValueError,
    message=f"{{!r}} is not a channel name; use 1 to {CHANNEL_NAME_LENGTH} of "
    "A-Z a-z 0-9 . / _ %, with or without an asterisk at the end, or '*'",
):
    """runswchl -c with neither the name of a channel nor a generic name."""


class NoSuchChannel(ControlRefused, LookupError):
    """runswchl for channels that the queue manager does not have."""

    def __init__(self, name: str, pattern: str) -> None:
        super().__init__(f"{name} has no cluster-sender channel {pattern}")


_ATTRIBUTES: Final = {
    "deadq": "DEADQ",
    "defxmitq": "DEFXMITQ",
    "descr": "DESCR",
    "maxhands": "MAXHANDS",
    "maxumsgs": "MAXUMSGS",
    "trigint": "TRIGINT",
}
"""Option of crtmqm, by the name in its event -> the queue manager attribute that it sets."""

_NUMBERS: Final = frozenset({"maxhands", "maxumsgs", "trigint"})


ControlReport: TypeAlias = tuple[switching.Switching, ...] | tuple[dead_letters.Handled, ...]
"""The report of runswchl, or that of runmqdlq."""


def carry_out(draft: Draft, entered: events.ControlCommandEntered) -> ControlReport:
    """Carry out a control command; return its report, () for a command that has none.

    Raises:
        ControlRefused: if MQ would refuse the command.
        NoSuchQueueManager: if the queue manager does not exist.
        BadConfiguration: if an ini file of crtmqm is malformed or incomplete.
        BadRules: if the rules of runmqdlq are malformed, or need what the twin does not model.
    """
    # An argument `name=value` is an option; an argument without a value is a flag.
    options = dict(argument.partition("=")[::2] for argument in entered.arguments)
    if entered.command == "crtmqm":
        _create(draft, entered.qmgr, options, entered.configuration)
        return ()
    if entered.command not in _COMMANDS:
        raise UnknownControlCommand(entered.command)
    command = _COMMANDS[entered.command]
    qmgr = draft.qmgr(entered.qmgr)
    if qmgr.running != command.on_running:
        raise WrongState(command.refusal.format(qmgr.name))
    return command.rule(draft, qmgr, options) or ()


def _create(
    draft: Draft,
    name: str,
    options: dict[str, str],
    configuration: events.AutomaticConfiguration | None,
) -> None:
    if not name or not legal_name(name):
        raise BadQueueManagerName(name)
    if name in draft.estate.qmgrs:
        raise QueueManagerExists(name)
    level = options.get("cmdlevel", str(DEFAULT_LEVEL))
    platform = options.get("platform", PLATFORMS[0])
    if whole_number(level) not in LEVELS:
        raise BadLevel(level)
    if platform not in PLATFORMS:
        raise BadPlatform(platform)
    fix_pack = options.get("fixpack")
    if fix_pack is not None and whole_number(fix_pack) not in FIX_PACKS:
        raise BadFixPack(fix_pack)
    if configuration is not None:
        automatic_configuration.settings_of(configuration)  # check it before anything is recorded
    draft.emit(
        events.QueueManagerCreated(
            qmgr=name,
            qmid=new_qmid(draft, name),
            cmdlevel=int(level),
            platform=platform,
            configuration=configuration,
            fix_pack=None if fix_pack is None else int(fix_pack),
        )
    )
    values: Values = {
        keyword: int(options[option]) if option in _NUMBERS else options[option]
        for option, keyword in _ATTRIBUTES.items()
        if option in options
    }
    if values:
        draft.emit(events.QueueManagerAltered(qmgr=name, values=values))
    if port := whole_number(options.get("p", "")):
        given: Values = {"TRPTYPE": "TCP", "PORT": port, "CONTROL": "QMGR"}
        draft.emit(
            events.ObjectDefined(
                qmgr=name,
                kind="LISTENER",
                name=DEFAULT_LISTENER,
                type="LISTENER",
                values=sparse("LISTENER", given),
            )
        )


def new_qmid(draft: Draft, name: str) -> str:
    """Return a new QMID: name and second of creation, or the next second that is still free."""
    at: Instant = draft.at
    while (qmid := qmid_of(name, mq_date(at), mq_time(at))) in draft.estate.names:
        at += SECOND
    return qmid


def start(draft: Draft, qmgr: QueueManager) -> None:
    """Start a queue manager: timers that expired while it was down fire.

    So it sends again the records that fell due while it was down; with the reading
    `restart: republish` it sends all of them. Nonpersistent messages are lost. Listeners and
    services with CONTROL(QMGR) or CONTROL(STARTONLY) start. The automatic configuration is applied
    last.

    Source: IBM MQ 9.4, "How long do the queue manager repositories retain information?" (due
    instants are absolute; it does not say that a restart sends anything).
    """
    draft.emit(events.QueueManagerStarted(qmgr=qmgr.name))
    losses.discard(draft, qmgr)
    channel_commands.start_with_qmgr(draft, qmgr)
    lifecycle.play(draft, upto=draft.at)  # timers that expired while it was down
    reachability.bring_up_to_date(draft, qmgr)
    if reading_of(draft.estate.readings, RESTART) == REPUBLISH:
        publication.republish_all(draft, qmgr, before=draft.at)
    automatic_configuration.apply(draft, qmgr)


def delete(draft: Draft, qmgr: QueueManager) -> None:
    """Delete a queue manager that has ended; its messages are lost."""
    for queue in dict.fromkeys((*qmgr.messaging.local, *qmgr.messaging.waiting)):
        losses.lose(draft, qmgr, queue, "deleted")
    draft.emit(events.QueueManagerDeleted(qmgr=qmgr.name))


def _switch(
    draft: Draft, qmgr: QueueManager, options: dict[str, str]
) -> tuple[switching.Switching, ...]:
    pattern = options.get("c", "*")
    demand_channels(qmgr, pattern)
    switches = switching.switch_channels(draft, qmgr, pattern, move="n" not in options)
    for switch in switches:  # messages may be waiting on its new queue
        starting.start_for_waiting(draft, qmgr, switch.channel)
    return switches


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


class _Command(NamedTuple):
    """A control command for an existing queue manager.

    Attributes:
        rule: carries out the command.
        on_running: True if the queue manager must be running, False if it must have ended.
        refusal: MQ's message if the queue manager is in the other state.
    """

    rule: Callable[[Draft, QueueManager, dict[str, str]], ControlReport | None]
    on_running: bool
    refusal: str


def _handle_dead_letters(
    draft: Draft, qmgr: QueueManager, options: dict[str, str]
) -> tuple[dead_letters.Handled, ...]:
    rules = read_rules(options.get("rules", ""))
    queue, problem = dead_letters.input_queue(qmgr, rules, options.get("queue", ""))
    if problem:
        raise WrongState(problem)
    return dead_letters.handle(draft, qmgr, queue, rules)


ENDED: Final = "AMQ8146E: IBM MQ queue manager {} is not running"

_COMMANDS: Final = {
    "strmqm": _Command(
        lambda draft, qmgr, _options: start(draft, qmgr),
        on_running=False,
        refusal="AMQ5019E: IBM MQ queue manager {} is already running",
    ),
    "endmqm": _Command(
        lambda draft, qmgr, _options: repository_manager.end(draft, qmgr),
        on_running=True,
        refusal=ENDED,
    ),
    "dltmqm": _Command(
        lambda draft, qmgr, _options: delete(draft, qmgr),
        on_running=False,
        refusal="AMQ5003E: IBM MQ queue manager {} is running; end it before you delete it",
    ),
    "runswchl": _Command(_switch, on_running=True, refusal=ENDED),
    "runmqdlq": _Command(_handle_dead_letters, on_running=True, refusal=ENDED),
}
"""Every control command except crtmqm, by name."""
