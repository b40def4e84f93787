"""The runbook `move-full-repository`: another queue manager takes over the role of one.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (two of them, connected by
manual CLUSSDRs; each member publishes to two); 9.1, "Queue manager definition commands" (REPOS,
REPOSNL); 9.2, "RESET CLUSTER" (one that is lost); 9.4, "Restoring a queue manager to its
pre-cluster state" (giving up the role); 8.0, "STOP CHANNEL" (what is STOPPED must be started).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from twin.review.runbooks import (
    automatic_configurations,
    departing,
    leaving,
    new_full_repository,
    old_full_repository,
    repository_senders,
)
from twin.review.runbooks.step import FORGOTTEN_WITHIN, RunbookStep

_SELECTING: Final = "IBM MQ, Selecting queue managers to hold full repositories"
_ROLE: Final = "IBM MQ 9.1, Queue manager definition commands (REPOS)"
_RETAIN: Final = "IBM MQ 9.4, How long do the queue manager repositories retain information?"

STEPS: Final = (
    RunbookStep(
        id="ready",
        text="Make sure that {to} is a running member of {clusters}.",
        done_when="{to} runs and has a CLUSRCVR in {clusters}.",
        check=new_full_repository.is_ready,
        source=f"{_SELECTING}; Migrating queue managers in a cluster",
    ),
    automatic_configurations.MOVE_FOR_GOOD,
    RunbookStep(
        id="promote",
        text="Make {to} a full repository of {clusters}.",
        done_when="REPOS or REPOSNL of {to} names {clusters}.",
        check=new_full_repository.is_promoted,
        commands=new_full_repository.promote,
        source=_ROLE,
    ),
    RunbookStep(
        id="connect",
        text="Connect {to} with each other full repository by manual CLUSSDRs, both ways.",
        done_when="{to} has a manual CLUSSDR to each full repository, and each of them to {to}.",
        check=repository_senders.is_connected,
        commands=repository_senders.connect,
        source=_SELECTING,
    ),
    RunbookStep(
        id="complete",
        text="Wait until {to} holds all records of {clusters}; only then go on.",
        done_when="{to} holds every record that another running full repository holds.",
        check=new_full_repository.is_complete,
        lasts=False,
        source=_SELECTING,
    ),
    RunbookStep(
        id="lead",
        text="Give a CLUSSDR to {to} to each member whose CLUSSDRs all lead to {name}.",
        done_when="Each running member has a manual CLUSSDR to a full repository that stays.",
        check=repository_senders.is_led,
        commands=repository_senders.lead,
        source=_SELECTING,
    ),
    replace(
        leaving.HAND_OVER,
        id="demote",
        text="Take the role of full repository of {clusters} from {name}.",
    ),
    RunbookStep(
        id="remove",
        text="Remove {name} by force if it never comes back: others hold it as a full repository.",
        done_when="No running full repository holds a record of {name}, unless it comes back.",
        check=old_full_repository.is_removed_if_lost,
        commands=departing.remove_by_force,
        destructive=True,
        source="IBM MQ 9.2, RESET CLUSTER",
    ),
    RunbookStep(
        id="known",
        text="Wait until all members know that {to} took over.",
        done_when="Every running member holds {to} as REPOS, and {name} not as REPOS.",
        check=old_full_repository.is_known,
        lasts=False,
        source=_SELECTING,
    ),
    RunbookStep(
        id="remove-senders",
        text="Delete the manual CLUSSDRs to {name}: new members must not copy them.",
        done_when="No running member has a manual CLUSSDR to {name}.",
        check=repository_senders.is_left_alone,
        commands=repository_senders.remove_senders,
        destructive=True,
        source=_SELECTING,
    ),
    RunbookStep(
        id="published",
        text="Wait until each member has sent its records to the full repositories; each does so "
        "by itself.",
        done_when="Each running member has sent its newest publication to both full repositories, "
        "and no channel to {name} is STOPPED.",
        check=old_full_repository.is_published,
        commands=old_full_repository.start_channels,
        patience=FORGOTTEN_WITHIN,
        lasts=False,
        source=f"{_SELECTING}; {_RETAIN}; STOP CHANNEL",
    ),
)
