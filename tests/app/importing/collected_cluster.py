"""A cluster of four queue managers as scripts, dumps and answers to DISPLAY: names are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

CREATED: Final = "2025-05-05_08.00.00"


def qmid(name: str, created: str = CREATED) -> str:
    """Return the QMID of a queue manager that was created then."""
    return f"{name}_{created}"


def script(name: str, to: str, *, full: bool = False, cluster: str = "MILK") -> str:
    """Write the script of a queue manager with a CLUSSDR to another one."""
    lines = [
        *([f"ALTER QMGR REPOS({cluster})"] if full else []),
        f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name.lower()}(1414)') +",
        f"  CLUSTER({cluster})",
        f"DEFINE CHANNEL({cluster}.{to}) CHLTYPE(CLUSSDR) CONNAME('{to.lower()}(1414)') +",
        f"  CLUSTER({cluster})",
    ]
    return "\n".join([*lines, ""])


def dump(name: str, to: str, *, full: bool = False, level: int = 930, version: str = "") -> str:
    """Write a complete dump of a queue manager, with its QMID."""
    stars = "*" * 79
    own = [
        "ALTER QMGR +",
        f"*  QMID({qmid(name)}) +",
        *([f"*  VERSION({version}) +"] if version else []),
        "   FORCE",
    ]
    return "\n".join(
        [
            stars,
            "* Script generated on 2026-01-01   at 07.00.00 ",
            f"* Queue manager name: {name} ",
            "* Queue manager platform: UNIX ",
            f"* Queue manager command level: ({level}/{level}) ",
            f"* Command issued: dmpmqcfg -m {name} -a ",
            stars,
            *own,
            script(name, to, full=full),
            stars,
            "* Script ended on 2026-01-01   at 07.00.00 ",
            stars,
            "",
        ]
    )


def _deftype(name: str, observer: str, manual: str) -> str:
    if name == observer:
        return "CLUSRCVR"
    return "CLUSSDRB" if name == manual else "CLUSSDRA"


def clusqmgr(
    observer: str,
    members: Sequence[tuple[str, str]],
    *,
    full: Sequence[str] = (),
    version: str = "",
    manual: str = "",
) -> str:
    """Write a complete answer to DISPLAY CLUSQMGR(*) ALL; members are names with QMIDs.

    To the one that is `manual` a CLUSSDR is defined.
    """
    lines = [f"Starting MQSC for queue manager {observer}.", "", "     1 : DISPLAY CLUSQMGR(*) ALL"]
    for name, shown in members:
        lines += [
            "AMQ8441I: Display Cluster Queue Manager details.",
            f"   CLUSQMGR({name})                        CHANNEL(MILK.{name})",
            "   CLUSTER(MILK)                           CLUSDATE(2025-12-20)",
            f"   CLUSTIME(10.00.00)                      CONNAME({name.lower()}(1414))",
            f"   DEFTYPE({_deftype(name, observer, manual)})",
            f"   QMID({shown})",
            f"   QMTYPE({'REPOS' if name in full else 'NORMAL'})             SUSPEND(NO)",
            *([f"   VERSION({version})"] if version else []),
            *(["   STATUS(RUNNING)"] if name != observer else []),
        ]
    return "\n".join([*lines, "One MQSC command read.", "No commands have a syntax error.", ""])
