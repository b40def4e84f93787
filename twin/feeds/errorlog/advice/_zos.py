"""Messages of z/OS that have no AMQ twin, or whose twin does not fit."""

from __future__ import annotations

from typing import Final

from twin.feeds.errorlog.advice._advice import ERRORS_OF_REPOSITORY, Advice, noise

_SWITCH: Final = (
    "DISPLAY CHSTATUS({channel}) XMITQ; messages of the channel wait on the old queue until the "
    "switch is done: START CHANNEL({channel})"
)
_PARTNER: Final = (
    "DISPLAY CHSTATUS({channel}) ALL; PING CHANNEL({channel}). Is the partner's listener up, and "
    "does CONNAME name its host and port?"
)

ZOS: Final[dict[str, Advice]] = {
    "CSQM550": noise("The switch of a channel to another transmission queue began."),
    "CSQM551": noise("The switch of a channel to another transmission queue is complete."),
    "CSQM553": noise("Messages of a switched channel are to be moved."),
    "CSQM554": noise("Messages of a switched channel were moved."),
    "CSQM555": Advice(
        "Moving the messages of a switched channel failed, with a reason code.",
        _SWITCH,
        "APAR PH00544",
    ),
    "CSQM556": Advice(
        "A transmission queue of a switched channel cannot be opened.", _SWITCH, "APAR PH00544"
    ),
    "CSQX022": noise("The channel initiator started."),
    "CSQX202": Advice("The partner's host did not answer. The channel retries.", _PARTNER),
    "CSQX208": Advice("Receiving from the partner failed.", _PARTNER),
    "CSQX293": noise("The switch of a channel to another transmission queue began."),
    "CSQX448": Advice(
        "The repository manager stopped because of errors and is started again in 600 seconds. "
        "Here the queue manager does not end after 5 days.",
        "Repair what the message before names; then ALTER QLOCAL(SYSTEM.CLUSTER.COMMAND.QUEUE) "
        "GET(ENABLED)",
        ERRORS_OF_REPOSITORY,
    ),
    "CSQX500": noise("A channel started. It is logged at every retry."),
    "CSQX501": noise("A channel is no longer active."),
    "CSQX599": Advice(
        "A channel ended abnormally. It says so, not why.",
        "Look at the messages just before it with the same channel: they have the reason. DISPLAY "
        "CHSTATUS({channel}) ALL",
    ),
}
"""Advice by id without severity letter."""
