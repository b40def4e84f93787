"""Planted faults: for each rule the commands that make its fault in the healthy estate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.questions.doctor.healthy import sender
from tests.sandbox import Sandbox


@dataclass(frozen=True)
class Planted:
    """A planted fault.

    Attributes:
        rule: the id of the rule that finds it.
        subject: the object of the finding.
        scripts: queue manager -> MQSC that makes the fault.
        also: the other rules above info that find something, for a reason.
        after: how long after the scripts it is found.
        make: what else makes it.
        create: queue managers that are created before, with their command levels.
    """

    rule: str
    subject: str
    scripts: dict[str, str] = field(default_factory=dict)
    also: frozenset[str] = frozenset()
    after: str = ""
    make: Callable[[Sandbox], object] | None = None
    create: dict[str, int] = field(default_factory=dict)

    def plant(self, estate: Sandbox) -> Sandbox:
        """Make the fault in an estate."""
        for name, level in self.create.items():
            estate.create(name, level=level)
        for name, script in self.scripts.items():
            estate.run(name, script)
        if self.make is not None:
            self.make(estate)
        return estate.at(self.after) if self.after else estate


def _receiver(name: str, cluster: str = "SALES", host: str = "") -> str:
    return (
        f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CLUSTER({cluster}) "
        f"CONNAME('{host or name + '.example(1500)'}')\n"
        "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
    )


def _sender(name: str, conname: str, cluster: str = "SALES") -> str:
    return f"DEFINE CHANNEL({name}) CHLTYPE(CLUSSDR) CONNAME('{conname}') CLUSTER({cluster})\n"


REPOSITORIES: Final = (
    Planted(
        "full-repositories-none",
        "CLUSTER(NEW)",
        {
            "PR1": _receiver("PR1", "NEW"),
            "PR2": _receiver("PR2", "NEW") + _sender("NEW.PR1", "PR1.example(1500)", "NEW"),
        },
    ),
    Planted(
        "full-repository-single",
        "CLUSTER(SALES)",
        {"FR2": "ALTER QMGR REPOS(' ')"},
        also=frozenset({"cluster-sender-to-partial"}),
    ),
    Planted(
        "full-repositories-many",
        "CLUSTER(SALES) full repositories FR1",
        {
            "PR3": "ALTER QMGR REPOS(SALES)\n" + sender("FR2"),
            "FR1": sender("PR3"),
            "FR2": sender("PR3"),
        },
    ),
    Planted(
        "full-repositories-not-connected",
        "FR2 CLUSTER(SALES) to FR1",
        {"FR2": "STOP CHANNEL(SALES.FR1)\nDELETE CHANNEL(SALES.FR1)"},
    ),
    Planted(
        "cluster-in-groups",
        "CLUSTER(SALES) groups",
        {
            "T1": "ALTER QMGR REPOS(SALES)\n"
            + _receiver("T1", host="t1(1)")
            + _sender("SALES.T2", "t2(1)"),
            "T2": "ALTER QMGR REPOS(SALES)\n"
            + _receiver("T2", host="t2(1)")
            + _sender("SALES.T1", "t1(1)"),
        },
        create={"T1": 940, "T2": 940},
    ),
    Planted(
        "full-repository-without-receiver",
        "PR1 CLUSTER(OTHER)",
        {"PR1": "ALTER QMGR REPOS(OTHER)"},
    ),
    Planted(
        "full-repository-with-applications",
        "FR1 CLUSTER(SALES)",
        {"FR1": "DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DEFBIND(NOTFIXED)"},
    ),
    Planted(
        "full-repository-older-level",
        "FR1 CLUSTER(SALES)",
        {"NEW": _receiver("NEW") + sender("FR1")},
        create={"NEW": 943},
    ),
)

CLUSTER_CHANNELS: Final = (
    Planted(
        "cluster-sender-none",
        "NEW CLUSTER(SALES)",
        {"NEW": _receiver("NEW")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-sender-several",
        "PR1 CLUSTER(SALES)",
        {
            "PR3": "ALTER QMGR REPOS(SALES)\n" + sender("FR2"),
            "FR1": sender("PR3"),
            "FR2": sender("PR3"),
            "PR1": sender("FR2") + sender("PR3"),
        },
    ),
    Planted(
        "cluster-sender-to-partial",
        "PR1 CHANNEL(SALES.PR2)",
        {"PR1": sender("PR2")},
    ),
    Planted(
        "cluster-sender-without-target",
        "PR1 CHANNEL(SALES.NONE)",
        {"PR1": _sender("SALES.NONE", "nowhere(1414)")},
    ),
    Planted(
        "cluster-sender-wrong-name",
        "PR1 CHANNEL(SALES.FRTWO)",
        {"PR1": _sender("SALES.FRTWO", "fr2.example(1415)")},
    ),
    Planted(
        "cluster-sender-wrong-address",
        "PR3 CHANNEL(SALES.FR1)",
        {"PR3": "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) CONNAME('fr2.example(1415)')"},
    ),
    Planted(
        "cluster-sender-other-cluster",
        "NEW CHANNEL(SALES.FR1)",
        {"NEW": _receiver("NEW") + _sender("SALES.FR1", "fr1.example(1414)", "SALE")},
        also=frozenset({"cluster-sender-none", "cluster-sender-without-receiver"}),
        create={"NEW": 940},
    ),
    Planted(
        "cluster-sender-to-itself",
        "PR1 CHANNEL(SALES.SELF)",
        {"PR1": _sender("SALES.SELF", "PR1.example(1416)")},
        also=frozenset({"cluster-sender-without-target"}),
    ),
    Planted(
        "cluster-sender-workload-attributes",
        "PR1 CHANNEL(SALES.FR1)",
        {"PR1": "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) CLWLPRTY(5)"},
    ),
    Planted(
        "cluster-sender-without-receiver",
        "NEW CHANNEL(SALES.FR1)",
        {"NEW": sender("FR1")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-sender-addresses-differ",
        "CLUSTER(SALES) CHANNEL(SALES.OLD)",
        {
            "PR1": _sender("SALES.OLD", "old1(1414)"),
            "PR2": _sender("SALES.OLD", "old2(1414)"),
        },
        also=frozenset({"cluster-sender-without-target"}),
    ),
    Planted(
        "cluster-sender-never-connected",
        "NEW CHANNEL(SALES.FR2)",
        make=lambda estate: _join_while_ended(estate, "FR2"),
    ),
    Planted(
        "cluster-receiver-name-duplicate",
        "CLUSTER(SALES) CHANNEL(SALES.PR1)",
        {"NEW": _receiver("PR1", host="new.example(1)") + sender("FR1")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-receiver-address-shared",
        "CLUSTER(SALES) pr1.example(1416)",
        {"NEW": _receiver("NEW", host="PR1.example(1416)") + sender("FR1")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-receiver-localhost",
        "PR1 CHANNEL(SALES.PR1)",
        {"PR1": "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) CONNAME('localhost(1416)')"},
    ),
    Planted(
        "cluster-receiver-container-address",
        "PR1 CHANNEL(SALES.PR1)",
        {"PR1": "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) CONNAME('172.17.0.2(1416)')"},
    ),
    Planted(
        "cluster-receiver-conname-blank",
        "NEW CHANNEL(SALES.NEW)",
        {"NEW": "DEFINE CHANNEL(SALES.NEW) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\n" + sender("FR1")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-receiver-port",
        "PR1 CHANNEL(SALES.PR1)",
        {"PR1": "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) CONNAME('PR1.example')"},
    ),
    Planted(
        "listener-manual",
        "PR1 LISTENER(TCP)",
        {"PR1": "ALTER LISTENER(TCP) TRPTYPE(TCP) CONTROL(MANUAL)"},
    ),
    Planted(
        "listener-absent",
        "LISTENER",
        {"PR1": "STOP LISTENER(TCP)\nDELETE LISTENER(TCP)"},
    ),
    Planted(
        "cluster-receiver-stopped",
        "PR1 CHANNEL(SALES.PR1)",
        {"PR1": "STOP CHANNEL(SALES.PR1)"},
    ),
    Planted(
        "queue-manager-name-duplicate",
        "CLUSTER(SALES) QMGR(PR3)",
        make=lambda estate: _rebuild(estate, "PR3"),
    ),
)


def _join_while_ended(estate: Sandbox, full: str) -> None:
    """Define a manual CLUSSDR to a full repository that is down and unknown."""
    estate.create("NEW")
    estate.control("endmqm", full)
    estate.run("NEW", _receiver("NEW") + sender(full))


def _rebuild(estate: Sandbox, name: str) -> None:
    """Delete a queue manager that is a member, and make it again."""
    estate.at("+1d").control("endmqm", name)
    estate.control("dltmqm", name)
    estate.create(name)
    estate.run(name, _receiver(name, host=f"{name}.example(1418)") + sender("FR1"))


ALL: Final = (*REPOSITORIES, *CLUSTER_CHANNELS)
