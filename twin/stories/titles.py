"""What a step does, in one line, as somebody would type or say it."""

from __future__ import annotations

from typing import assert_never

from twin.stories.moments import shown_duration
from twin.stories.story import (
    Action,
    Ask,
    Control,
    Create,
    Link,
    MessageStep,
    Open,
    Pass,
    Restore,
    RunMqsc,
)


def title(action: Action) -> str:  # noqa: PLR0911 - one line for each kind of step
    """Write what an action does in one line."""
    match action:
        case Pass():
            return "time passes"
        case RunMqsc():
            return f"{action.on}: {_script(action.text)}{_times(action)}"
        case Open():
            to = f" at {action.to}" if action.to else ""
            return f"{action.on}: open {action.queue}{to}"
        case Control():
            return f"{action.command} {' '.join(action.qmgrs)}"
        case Create():
            return f"crtmqm {' '.join(script.qmgr for script in action.scripts)}"
        case Restore():
            return "restore " + ", ".join(f"{qmgr} to {when.text}" for qmgr, when in action.backups)
        case Ask():
            return f"ask {_question(action)}{_times(action)}"
        case Link():
            return _link(action)
        case MessageStep():
            return _message_step(action)
        case _:
            assert_never(action)


def _message_step(step: MessageStep) -> str:
    """Write a verb with what it is done to: a queue, a handle or a channel."""
    options = step.options
    about = next((options[key] for key in ("queue", "handle", "channel") if key in options), "")
    count = options.get("count", "") if step.verb in {"put", "get"} else ""
    to = f"at {options['to']}" if "to" in options else ""
    words = " ".join(str(word) for word in (step.verb, count, about, to) if word)
    return f"{step.on}: {words}" if step.on else words


def _script(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    more = f" ... ({len(lines)} lines)" if len(lines) > 1 else ""
    return f"{lines[0]}{more}"


def _question(ask: Ask) -> str:
    return " ".join([ask.question, *(f"{key}={value}" for key, value in ask.filters.items())])


def _times(action: RunMqsc | Ask) -> str:
    as_of = f" as of {action.as_of.text}" if action.as_of else ""
    return as_of + (f" known at {action.known_at.text}" if action.known_at else "")


def _link(link: Link) -> str:
    between = " - ".join(link.between) if link.between else "all links"
    latency = f" by {shown_duration(link.latency)}" if link.action == "delay" else ""
    return f"{link.action} {between}{latency}"
