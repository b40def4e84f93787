"""The steps of a what-if, one on a line: read as changes to plan, or carried out on a branch.

A form adds one step: what can happen, and which fields describe it.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from twin.app.twin import Twin
from twin.errors import BadInstant, TwinError
from twin.model.commands import Command, quote_if_needed
from twin.model.instants import DAY, Instant, parse_length
from twin.mqsc.masking import masked
from twin.mqsc.statement import typed_command
from twin.review.plan.planned import LINKS, TIME_PASSES

LONGEST: Final = 400 * DAY
"""The longest time that steps may let pass, all together."""

MOST: Final = 200
"""The most steps; whoever needs more records them in several parts."""

_PIECE: Final = 4096
"""About how many timed events are recorded in one transaction."""

_NAME: Final = r"[A-Za-z0-9._/%]{1,48}"

_CONTROL: Final = re.compile(rf"(endmqm|strmqm)\s+({_NAME})", re.ASCII)

_LINK: Final = re.compile(rf"(cut|heal)\s+({_NAME})\s+({_NAME})", re.ASCII)

_PASS: Final = re.compile(r"pass\s+\+?(\S+)")

_MQSC: Final = re.compile(rf"({_NAME}):\s*(\S.*)", re.ASCII)


class StepForm(NamedTuple):
    """One thing that can happen.

    Attributes:
        act: its name in the form.
        label: how the form calls it.
        step: the step, made from the fields `on` and `what`; `name` is the latter as MQSC takes it.
        at: what to name in the field `on`; '' if the step has none.
        what: what to name in the field `what`; '' if the step has none.
        example: an example of the latter.
    """

    act: str
    label: str
    step: str
    at: str = "queue manager"
    what: str = ""
    example: str = ""


FORMS: Final = (
    StepForm("endmqm", "end a queue manager", "endmqm {on}"),
    StepForm("strmqm", "start a queue manager", "strmqm {on}"),
    StepForm(
        "suspend",
        "suspend from a cluster",
        "{on}: SUSPEND QMGR CLUSTER({name})",
        what="cluster",
        example="SALES",
    ),
    StepForm(
        "resume",
        "resume in a cluster",
        "{on}: RESUME QMGR CLUSTER({name})",
        what="cluster",
        example="SALES",
    ),
    StepForm("cut", "cut a link", "cut {on} {what}", what="other queue manager", example="QM2"),
    StepForm("heal", "heal a link", "heal {on} {what}", what="other queue manager", example="QM2"),
    StepForm(
        "mqsc",
        "run an MQSC command",
        "{on}: {what}",
        what="MQSC command",
        example="ALTER QLOCAL(ORDERS) PUT(DISABLED)",
    ),
    StepForm("pass", "let time pass", "pass {what}", at="", what="how long", example="12h, 30d"),
)
"""What the form offers, in its order."""


class BadStep(TwinError, ValueError):
    """A step that is not understood."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"cannot do {masked(text)!r}; expected endmqm QM, strmqm QM, cut QM QM, heal QM QM, "
            "QM: MQSC, or pass 12h"
        )


class TooManySteps(TwinError, ValueError):
    """More steps than are taken together."""

    def __init__(self, count: int) -> None:
        super().__init__(f"there are {count} steps; at most {MOST} are taken together")


class TooManyDays(TwinError, ValueError):
    """Steps that let too much time pass."""

    def __init__(self) -> None:
        days = LONGEST // DAY
        super().__init__(f"the steps let more than {days} days pass together")


class OutOfTime(
    TwinError, message="not recorded, or in part: the steps took too long; record fewer together"
):
    """Steps that took too long to record; what was recorded before stays."""


def command_line(step: Command) -> str:
    """Return the command of twin that does a step, without the branch."""
    if step.kind == "mqsc":
        return f"runmqsc {step.on}"
    if step.verb == TIME_PASSES:
        return f"advance --to +{step.name}"
    return f"link {step.text}" if step.verb in LINKS else step.text


def shown(step: Command) -> str:
    """Write a step as it is read, with passwords masked."""
    return f"{step.on}: {masked(step.typed)}" if step.kind == "mqsc" else step.text


class WhatIfOutcome(NamedTuple):
    """What became of a step.

    Attributes:
        step: the step.
        messages: what the queue manager answered, or why it refused.
        done: whether it was carried out.
    """

    step: str
    messages: tuple[str, ...]
    done: bool


def read_steps(text: str) -> tuple[Command, ...]:
    """Read steps, one on a line; empty lines and comments (`*`) are passed over.

    Raises:
        BadStep: if a line is not understood, or lets more than 400 days pass.
        TooManySteps: if there are more than `MOST`.
        TooManyDays: if all together let more than 400 days pass.
    """
    lines = [line for each in text.splitlines() if (line := each.strip()) and line[0] != "*"]
    if len(lines) > MOST:
        raise TooManySteps(len(lines))
    steps = tuple(map(_read, lines))
    if sum(_length(step) for step in steps if step.verb == TIME_PASSES) > LONGEST:
        raise TooManyDays
    return steps


def _read(line: str) -> Command:
    if match := _CONTROL.fullmatch(line):
        return Command.program(match[2], match[1])
    if match := _LINK.fullmatch(line):
        return Command.program(match[2], match[1], (match[3], None))
    if match := _PASS.fullmatch(line):
        step = Command.program("", TIME_PASSES, name=match[1])
        if _length(step) <= LONGEST:
            return step
    elif match := _MQSC.fullmatch(line):
        return typed_command(match[1], match[2])
    raise BadStep(line)


def _length(step: Command) -> Instant:
    """Return how long time passes, in microseconds; too long for what is no length."""
    try:
        return parse_length(step.name)
    except BadInstant:
        return LONGEST + 1


def carry_out(
    branch: Twin, steps: Sequence[Command], *, within: float = math.inf
) -> Iterator[WhatIfOutcome]:
    """Carry out steps in order, whatever is refused; yield what became of each.

    This records: the twin must be of a branch other than main. What is left after `within` seconds
    is refused; time that passes then stops where it is.
    """
    ends = time.monotonic() + within

    def go_on() -> None:
        if time.monotonic() >= ends:
            raise OutOfTime

    for step in steps:
        try:
            go_on()
            yield _outcome(branch, step, go_on)
        except TwinError as refused:
            yield WhatIfOutcome(shown(step), (str(refused),), done=False)


def _outcome(branch: Twin, step: Command, go_on: Callable[[], None]) -> WhatIfOutcome:
    messages: tuple[str, ...] = ()
    done = True
    if step.kind == "mqsc":
        session = branch.runmqsc(step.on, step.text)
        messages = tuple(each.render(session.level) for each in session.messages)
        done = session.exit_code == 0
    elif step.verb == TIME_PASSES:
        _pass(branch, _length(step), go_on)
    elif step.verb in LINKS:
        ((other, _),) = step.parameters
        branch.link(step.verb, step.on, other)
    else:
        branch.control(step.verb, step.on)
    return WhatIfOutcome(shown(step), messages, done)


def _pass(branch: Twin, length: Instant, go_on: Callable[[], None]) -> None:
    """Let time pass, and record what falls due, a piece at a time."""
    upto = branch.present() + length
    while not branch.tick(upto, limit=_PIECE).finished:
        go_on()
    branch.pass_time(upto)


def added_step(fields: Mapping[str, str]) -> str:
    """Return the step that the fields `act`, `on` and `what` describe; '' if all are empty.

    If one is missing, what there is: reading the steps then says what is expected.
    """
    given = {name: fields.get(name, "").strip() for name in ("on", "what")}
    for form in FORMS:
        if form.act != fields.get("act"):
            continue
        needed = [given[field] for field, label in (("on", form.at), ("what", form.what)) if label]
        if not all(needed):
            return " ".join([form.act, *needed]).strip()
        return form.step.format(**given, name=_as_mqsc(given["what"]))
    return " ".join(filter(None, given.values()))


def _as_mqsc(name: str) -> str:
    """Return a name in quotes if it needs them and has none."""
    return name if name.startswith("'") else quote_if_needed(name)
