"""Replies of runmqsc and of z/OS: they stand in the output of commands, not in error logs."""

from __future__ import annotations

from typing import Final

from twin.feeds.errorlog.advice._advice import Advice, noise
from twin.model.messages import CATALOGUE

_REPLY: Final = "IBM MQ, replies to MQSC commands"
_FAILED: Final = "Correct the command and run it again; nothing was done"
_FIRST: Final = "AMQ8000"
_LAST: Final = "AMQ9099"


def _replies() -> dict[str, Advice]:
    """Return a row for each reply that twin itself may write."""
    found = {}
    for id_, template in CATALOGUE.items():
        if not _FIRST <= id_ <= _LAST:
            continue
        said = "..." if "{" in template.text else template.text.rstrip(".")
        means = f"Reply to an MQSC command: {said}."
        source = _REPLY if template.seen else ""
        found[id_] = Advice(means, _FAILED, source) if template.failed else noise(means, source)
    return found


REPLIES: Final[dict[str, Advice]] = {
    **_replies(),
    "AMQ8147": Advice(
        "Reply to an MQSC command: the object was not found.",
        "DISPLAY it with a generic name: NAME*",
        _REPLY,
    ),
    "AMQ8149": Advice(
        "Reply to an MQSC command: the object is damaged.",
        "With linear logging: rcrmqobj restores it",
        _REPLY,
    ),
    "AMQ8420": noise("Reply to DISPLAY CHSTATUS: none, so the channel is inactive.", _REPLY),
    "CSQM201": noise("Reply to a DISPLAY command: attributes follow.", _REPLY),
    "CSQM293": noise("Reply to a DISPLAY command: how many objects were found.", _REPLY),
    "CSQN205": noise("Reply to a command: how many messages it has, and its codes.", _REPLY),
    "CSQ9022": noise("Reply to a command: it ended normally.", _REPLY),
    "CSQ9023": Advice("Reply to a command: it ended abnormally.", _FAILED, _REPLY),
}
"""Advice by id without severity letter."""
