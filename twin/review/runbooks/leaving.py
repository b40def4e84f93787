"""The runbook `leave`: a queue manager leaves a cluster, until nobody holds a record of it.

Sources: IBM MQ 9.4, "Restoring a queue manager to its pre-cluster state" and "Removing a queue
manager from a cluster" (the order of the steps); "RESET CLUSTER" (a queue manager that was deleted
without leaving).
"""

from __future__ import annotations

from typing import Final

from twin.review.runbooks import automatic_configurations, checks, departing, forwarding, saving
from twin.review.runbooks.scene import FORGOTTEN_WITHIN, RunbookStep

_LEAVING: Final = "IBM MQ 9.4, Restoring a queue manager to its pre-cluster state"
_REMOVING: Final = "IBM MQ, Removing a queue manager from a cluster"
RETENTION: Final = (
    "IBM MQ 9.4, How long do the queue manager repositories retain information?; RESET CLUSTER"
)


HAND_OVER: Final = RunbookStep(
    id="hand-over",
    text="Make sure that {name} is no full repository of {clusters}.",
    done_when="REPOS and REPOSNL of {name} do not name {clusters}, and the full repositories "
    "hold QMTYPE(NORMAL) of it.",
    check=checks.needs_it(departing.is_no_repository),
    commands=departing.hand_over,
    source=_LEAVING,
)
SUSPEND: Final = RunbookStep(
    id="suspend",
    text="Suspend {name} in {clusters}, so that others avoid it.",
    done_when="The running full repositories hold SUSPEND(YES) of {name}.",
    check=checks.needs_it(departing.is_suspended),
    commands=departing.suspend,
    source=_LEAVING,
)
WITHDRAW_OBJECTS: Final = RunbookStep(
    id="withdraw-objects",
    text="Take the queues and topics of {name} out of {clusters}.",
    done_when="No queue or topic of {name} names {clusters}, and no running full repository "
    "holds a record of one.",
    check=checks.needs_it(departing.shares_nothing),
    commands=departing.withdraw_objects,
    source=_REMOVING,
)
DRAIN: Final = RunbookStep(
    id="drain",
    text="Let the messages for {name} arrive, and close the handles that are bound to it.",
    done_when="No transmission queue elsewhere has messages for {name}, and no open handle is "
    "bound to it.",
    check=departing.nothing_comes,
    plays=departing.close_handles,
    lasts=False,
    source=_REMOVING,
)
SEND: Final = RunbookStep(
    id="send",
    text="Let the messages and repository commands that wait at {name} leave.",
    done_when="No transmission queue of {name} has messages or commands for {clusters}.",
    check=checks.needs_it(departing.nothing_goes),
    lasts=False,
    source=_REMOVING,
)
WITHDRAW_RECEIVERS: Final = RunbookStep(
    id="leave",
    text="Take the CLUSRCVR of {name} out of {clusters}.",
    done_when="{name} has no CLUSRCVR in {clusters}.",
    check=checks.needs_it(departing.is_no_member),
    commands=departing.withdraw_receivers,
    source=_LEAVING,
)
GONE_FROM_REPOSITORIES: Final = RunbookStep(
    id="repositories-forget",
    text="Wait until the full repositories have removed {name}; only then stop its channels.",
    done_when="No running full repository holds a record of {named}.",
    check=departing.is_gone_from_repositories,
    commands=departing.remove_by_force,
    destructive=True,
    lasts=False,
    source=f"{_LEAVING}; RESET CLUSTER",
)
_DISCONNECT: Final = RunbookStep(
    id="disconnect",
    text="Stop and delete the cluster channels of {name}.",
    done_when="{name} has no CLUSSDR in {clusters}, and no CLUSRCVR that is in no cluster.",
    check=checks.needs_it(departing.is_disconnected),
    commands=departing.disconnect,
    destructive=True,
    source=_LEAVING,
)
_FORGET: Final = RunbookStep(
    id="forget",
    text="Let {name} forget {clusters}; else it does so after 90 days.",
    done_when="{name} holds no record of {clusters}.",
    check=checks.needs_it(departing.has_forgotten),
    commands=departing.forget,
    destructive=True,
    source=f"{_REMOVING}; REFRESH CLUSTER",
)
FORGOTTEN: Final = RunbookStep(
    id="forgotten",
    text="Wait until no queue manager holds a record of {name} any more.",
    done_when="No queue manager holds a record of {qmid}.",
    check=departing.is_forgotten,
    source=RETENTION,
    patience=FORGOTTEN_WITHIN,
    lasts=False,
)

STEPS: Final = (
    saving.SAVE_UNLESS_GONE,
    automatic_configurations.LEAVE_FOR_GOOD,
    HAND_OVER,
    forwarding.FORWARD,
    forwarding.REDIRECT,
    SUSPEND,
    WITHDRAW_OBJECTS,
    DRAIN,
    SEND,
    WITHDRAW_RECEIVERS,
    GONE_FROM_REPOSITORIES,
    _DISCONNECT,
    _FORGET,
    FORGOTTEN,
)
