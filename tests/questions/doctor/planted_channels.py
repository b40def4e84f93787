"""Faults of full repositories and of cluster channels."""

from __future__ import annotations

from typing import Final

from tests.questions.doctor.healthy import sender
from tests.questions.doctor.planting import Planted, receiver, sender_to, tell
from tests.sandbox import Sandbox
from twin import events


def _disagree(estate: Sandbox) -> None:
    """Keep what PR1 publishes from FR2."""
    for name in ("FR1", "PR1"):
        estate.run(name, "STOP CHANNEL(SALES.FR2)")
    estate.run("PR1", "DEFINE QLOCAL(NEW) CLUSTER(SALES)")
    estate.at("+4h")


def _clone(estate: Sandbox) -> None:
    """Let FR2 be seen with another address of PR1."""
    said = events.RecordSaid(
        cluster="SALES",
        name="SALES.PR1",
        owner="PR1_2026-01-01_00.00.00",
        owner_name="PR1",
        values={"CONNAME": "copy.example(1414)"},
    )
    tell(
        estate, events.BeliefsObserved(qmgr="FR2", kind="qmgr", said=(said,), columns=("CONNAME",))
    )


def _join_while_ended(estate: Sandbox, full: str) -> None:
    """Define a manual CLUSSDR to a full repository that is down and unknown."""
    estate.create("NEW")
    estate.control("endmqm", full)
    estate.run("NEW", receiver("NEW") + sender(full))


def _end_full_repositories(estate: Sandbox) -> None:
    for name in ("FR1", "FR2"):
        estate.control("endmqm", name)


def _rebuild(estate: Sandbox, name: str) -> None:
    """Delete a queue manager that is a member, and make it again."""
    estate.at("+1d").control("endmqm", name)
    estate.control("dltmqm", name)
    estate.create(name)
    estate.run(name, receiver(name, host=f"{name}.example(1418)") + sender("FR1"))


REPOSITORIES: Final = (
    Planted(
        "full-repositories-none",
        "CLUSTER(NEW)",
        {
            "PR1": receiver("PR1", "NEW"),
            "PR2": receiver("PR2", "NEW") + sender_to("NEW.PR1", "PR1.example(1500)", "NEW"),
        },
    ),
    Planted(
        "full-repositories-ended",
        "CLUSTER(SALES)",
        make=_end_full_repositories,
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
        also=frozenset({"channel-stopped"}),
    ),
    Planted(
        "cluster-in-groups",
        "CLUSTER(SALES) groups",
        {
            "T1": "ALTER QMGR REPOS(SALES)\n"
            + receiver("T1", host="t1(1)")
            + sender_to("SALES.T2", "t2(1)"),
            "T2": "ALTER QMGR REPOS(SALES)\n"
            + receiver("T2", host="t2(1)")
            + sender_to("SALES.T1", "t1(1)"),
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
        {"NEW": receiver("NEW") + sender("FR1")},
        also=frozenset({"full-repository-older-level"}),
        create={"NEW": 943},
    ),
    Planted(
        "full-repositories-disagree",
        "FR2 CLUSTER(SALES) beside FR1",
        make=_disagree,
        also=frozenset({"channel-stopped"}),
    ),
)

CLUSTER_CHANNELS: Final = (
    Planted(
        "cluster-sender-none",
        "NEW CLUSTER(SALES)",
        {"NEW": receiver("NEW")},
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
        {"PR1": sender_to("SALES.NONE", "nowhere(1414)")},
    ),
    Planted(
        "cluster-sender-wrong-name",
        "PR1 CHANNEL(SALES.FRTWO)",
        {"PR1": sender_to("SALES.FRTWO", "fr2.example(1415)")},
    ),
    Planted(
        "cluster-sender-wrong-address",
        "PR3 CHANNEL(SALES.FR1)",
        {"PR3": "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) CONNAME('fr2.example(1415)')"},
    ),
    Planted(
        "cluster-sender-other-cluster",
        "NEW CHANNEL(SALES.FR1)",
        {"NEW": receiver("NEW") + sender_to("SALES.FR1", "fr1.example(1414)", "SALE")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-sender-to-itself",
        "PR1 CHANNEL(SALES.SELF)",
        {"PR1": sender_to("SALES.SELF", "PR1.example(1416)")},
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
            "PR1": sender_to("SALES.OLD", "old1(1414)"),
            "PR2": sender_to("SALES.OLD", "old2(1414)"),
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
        {"NEW": receiver("PR1", host="new.example(1)") + sender("FR1")},
        create={"NEW": 940},
    ),
    Planted(
        "cluster-receiver-address-shared",
        "CLUSTER(SALES) pr1.example(1416)",
        {"NEW": receiver("NEW", host="PR1.example(1416)") + sender("FR1")},
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
        {
            "NEW": "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
            "DEFINE CHANNEL(SALES.NEW) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\n" + sender("FR1")
        },
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
    Planted(
        "qmid-at-two-addresses",
        "CLUSTER(SALES) QMID(PR1_2026-01-01_00.00.00) CHANNEL(SALES.PR1)",
        make=_clone,
        after="+4h",
        also=frozenset({"full-repositories-disagree"}),
    ),
)
