"""Healthy estates as they are drawn in practice: no rule may find more than info in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tests.sandbox import Sandbox

_EVERY: Final = """ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)
DEFINE LISTENER(TCP) TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)
START LISTENER(TCP)"""


def _channel(kind: str, cluster: str, name: str, more: str = "") -> str:
    return (
        f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE({kind}) CLUSTER({cluster}) "
        f"CONNAME('{name.lower()}.example(1414)') {more}\n"
    )


def _joins(estate: Sandbox, cluster: str, name: str, full: Sequence[str], more: str = "") -> None:
    """Let a queue manager join a cluster, with a manual CLUSSDR to each full repository."""
    senders = (_channel("CLUSSDR", cluster, each, more) for each in full if each != name)
    estate.run(name, _channel("CLUSRCVR", cluster, name, more) + "".join(senders))


def _cluster(
    cluster: str,
    full: Sequence[str],
    members: Sequence[str],
    more: str = "",
    estate: Sandbox | None = None,
) -> Sandbox:
    """Make a cluster of new queue managers."""
    made = Sandbox() if estate is None else estate
    for name in (*full, *members):
        made.create(name).run(name, _EVERY)
    for name in full:
        made.run(name, f"ALTER QMGR REPOS({cluster})")
    for name in (*full, *members):
        _joins(made, cluster, name, full, more)
    return made


def _gateways(*names: str) -> Sandbox:
    """Make two clusters, PA in CA and PB in CB, with gateways between them."""
    estate = _cluster("CA", ("FA1", "FA2"), ("PA",))
    _cluster("CB", ("FB1", "FB2"), ("PB",), estate=estate)
    estate.run("PB", "DEFINE QLOCAL(AUDIT) CLUSTER(CB)\nDEFINE QLOCAL(OWN)")
    estate.run("PB", "DEFINE QALIAS(OWN.A) TARGET(OWN)")
    for name in names:
        estate.create(name).run(name, _EVERY)
        _joins(estate, "CA", name, ("FA1", "FA2"))
        _joins(estate, "CB", name, ("FB1", "FB2"))
        estate.run(
            name,
            """DEFINE QREMOTE(AUDIT.R) RNAME(AUDIT) RQMNAME(PB) CLUSTER(CA) DEFBIND(NOTFIXED)
DEFINE QREMOTE(PB) RQMNAME(PB) CLUSTER(CA)
DEFINE QREMOTE(ANYB) RQMNAME(' ') CLUSTER(CA)
DEFINE QALIAS(AUDIT.A) TARGET(AUDIT) CLUSTER(CA) DEFBIND(NOTFIXED)""",
        )
    estate.run(
        "PA",
        f"""DEFINE QREMOTE(TO.OWN.A) RNAME(OWN.A) RQMNAME(PB)
DEFINE QREMOTE(TO.REMOTE) RNAME(AUDIT.R) RQMNAME({names[0]})
DEFINE QREMOTE(BY.ALIAS) RNAME(AUDIT) RQMNAME(PB)
DEFINE QREMOTE(BY.CLUSTER) RNAME(AUDIT) RQMNAME(ANYB)
DEFINE QREMOTE(TO.OWN) RNAME(OWN) RQMNAME(PB)
DEFINE QALIAS(AUDIT) TARGET(AUDIT.A)""",
    )
    for queue in ("BY.ALIAS", "BY.CLUSTER", "TO.OWN", "TO.OWN.A", "TO.REMOTE", "AUDIT", "AUDIT.R"):
        assert estate.put("PA", queue).reason == 0
    return estate


def hub_and_spoke() -> Sandbox:
    """Make two hubs that serve requests, and spokes with a queue for replies each."""
    estate = _cluster("HUB", ("HUB1", "HUB2"), ("SP1", "SP2", "SP3"))
    for name in ("HUB1", "HUB2"):
        estate.run(name, "DEFINE QLOCAL(REQUEST) CLUSTER(HUB) DEFBIND(NOTFIXED)")
    for name in ("SP1", "SP2", "SP3"):
        estate.run(
            name, f"DEFINE QLOCAL(REPLY.{name}) CLUSTER(HUB)\nDEFINE QALIAS(R) TARGET(REQUEST)"
        )
        assert estate.put(name, "R", count=4).reason == 0
    return estate


def one_gateway() -> Sandbox:
    """Make two clusters with one gateway."""
    return _gateways("GW")


def two_gateways() -> Sandbox:
    """Make two clusters with two gateways that have the same definitions."""
    return _gateways("GW1", "GW2")


def uniform() -> Sandbox:
    """Make a uniform cluster: every member has the queue of the applications."""
    estate = _cluster("UNI", ("U1", "U2"), ("U3",), "SHORTRTY(120) SHORTTMR(5)")
    for name in ("U1", "U2", "U3"):
        estate.run(name, "ALTER QMGR CLWLUSEQ(ANY)\nDEFINE CHANNEL(APP) CHLTYPE(SVRCONN)")
        estate.run(name, "DEFINE QLOCAL(APPQ) CLUSTER(UNI) DEFBIND(NOTFIXED) CLWLUSEQ(ANY)")
        assert estate.put(name, "APPQ", count=6).reason == 0
    return estate


def zos_repositories() -> Sandbox:
    """Make full repositories on z/OS and members on Linux."""
    estate = Sandbox()
    for name in ("MQA1", "MQA2"):
        estate.control("crtmqm", name, "platform=MVS")
        estate.control("strmqm", name)
        estate.run(name, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) REPOS(ZC)")
    for name in ("LNX1", "LNX2"):
        estate.create(name).run(
            name, f"{_EVERY}\nDEFINE QLOCAL(WORK) CLUSTER(ZC) DEFBIND(NOTFIXED)"
        )
    for name in ("MQA1", "MQA2", "LNX1", "LNX2"):
        _joins(estate, "ZC", name, ("MQA1", "MQA2"))
    assert estate.put("MQA1", "WORK", count=4).reason == 0
    return estate


def namelists() -> Sandbox:
    """Make members whose channels, queues and repositories are in two clusters by a namelist."""
    estate = Sandbox()
    names = ("F1", "F2", "M1", "M2")
    for name in names:
        estate.create(name).run(name, f"{_EVERY}\nDEFINE NAMELIST(CL) NAMES(CX,CY)")
        if name in names[:2]:
            estate.run(name, "ALTER QMGR REPOSNL(CL)")
        for kind, other in (("CLUSRCVR", name), ("CLUSSDR", "F1"), ("CLUSSDR", "F2")):
            if kind == "CLUSRCVR" or other != name:
                line = _channel(kind, "NL", other).replace("CLUSTER(NL)", "CLUSNL(CL)")
                estate.run(name, line)
    for name in names[2:]:
        estate.run(name, "DEFINE QLOCAL(Q) CLUSNL(CL) DEFBIND(NOTFIXED)")
    assert estate.put("F1", "Q", count=4).reason == 0
    return estate


def tls() -> Sandbox:
    """Make a cluster with TLS on every channel."""
    estate = _cluster("SEC", ("T1", "T2"), ("T3",), "SSLCIPH(ANY_TLS12_OR_HIGHER)")
    estate.run("T3", "DEFINE QLOCAL(Q) CLUSTER(SEC)")
    assert estate.put("T1", "Q").reason == 0
    return estate


def several_listeners() -> Sandbox:
    """Make a member with two networks, and a listener for administrators that is not started."""
    estate = _cluster("ML", ("L1", "L2"), ("L3",))
    estate.run(
        "L3",
        """DEFINE LISTENER(INNER) TRPTYPE(TCP) PORT(1415) IPADDR(10.0.0.3) CONTROL(QMGR)
START LISTENER(INNER)
DEFINE LISTENER(ADMIN) TRPTYPE(TCP) PORT(1499) CONTROL(MANUAL)
DEFINE CHANNEL(ML2.L3) CHLTYPE(CLUSRCVR) CONNAME('in.example(1415)') CLUSTER(ML) NETPRTY(5)
DEFINE QLOCAL(Q) CLUSTER(ML)""",
    )
    assert estate.put("L1", "Q").reason == 0
    return estate


def recovery_pair() -> Sandbox:
    """Make queue managers with a second address, at the other site."""
    both = "CONNAME('a.example(1414),b.example(1414)')"
    estate = _cluster("DR", ("D1", "D2"), ("D3",))
    estate.run("D1", f"ALTER CHANNEL(DR.D1) CHLTYPE(CLUSRCVR) {both}")
    for name in ("D2", "D3"):
        estate.run(name, f"ALTER CHANNEL(DR.D1) CHLTYPE(CLUSSDR) {both}")
    return estate


def active_and_standby() -> Sandbox:
    """Make two instances of which one has the higher CLWLPRTY."""
    estate = _cluster("AS", ("S1", "S2"), ("ACTIVE", "STANDBY"))
    for name, priority in (("ACTIVE", 9), ("STANDBY", 1)):
        estate.run(name, f"DEFINE QLOCAL(Q) CLUSTER(AS) DEFBIND(NOTFIXED) CLWLPRTY({priority})")
    assert estate.put("S1", "Q", count=3).reason == 0
    return estate


def own_transmission_queues() -> Sandbox:
    """Make members with DEFCLXQ(CHANNEL), and with CLCHNAME of different precision."""
    estate = _cluster("XQ", ("X1", "X2"), ("X3", "X4"))
    estate.run("X1", "ALTER QMGR DEFCLXQ(CHANNEL)")
    estate.run("X3", "DEFINE QLOCAL(FAST) USAGE(XMITQ) CLCHNAME(XQ.X4)")
    estate.run("X3", "DEFINE QLOCAL(REST) USAGE(XMITQ) CLCHNAME('XQ.*')")
    estate.run("X4", "DEFINE QLOCAL(Q) CLUSTER(XQ)")
    for name in ("X1", "X3"):
        assert estate.put(name, "Q").reason == 0
    return estate


def beside_the_cluster() -> Sandbox:
    """Make a gateway to a queue manager outside the clusters, by sender channels."""
    estate = _cluster("PP", ("R1", "R2"), ("R3",))
    estate.create("OLD").run("OLD", f"{_EVERY}\nDEFINE QLOCAL(LQ)")
    for name, other in (("R3", "OLD"), ("OLD", "R3")):
        estate.run(
            name,
            f"""DEFINE CHANNEL({other}.{name}) CHLTYPE(RCVR)
DEFINE QLOCAL({other}) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)
DEFINE CHANNEL({name}.{other}) CHLTYPE(SDR) CONNAME('{other}.example(1414)') XMITQ({other})""",
        )
    estate.run("R3", "DEFINE QREMOTE(LEGACY) RNAME(LQ) RQMNAME(OLD) XMITQ(OLD) CLUSTER(PP)")
    estate.run("R3", "DEFINE QREMOTE(OLDQM) RQMNAME(OLD) XMITQ(OLD) CLUSTER(PP)")
    assert estate.put("R1", "LEGACY", count=2).reason == 0
    return estate


def replies_by_alias() -> Sandbox:
    """Make a queue manager alias for replies, and a reply-to queue alias."""
    estate = _cluster("RP", ("A1", "A2"), ("A3", "A4"))
    estate.run("A3", "DEFINE QLOCAL(REPLYQ)\nDEFINE QREMOTE(A3.REPLY) RQMNAME(A3) CLUSTER(RP)")
    estate.run("A3", "DEFINE QREMOTE(RALIAS) RNAME(REPLYQ) RQMNAME(A3.REPLY)")
    assert estate.put("A4", "REPLYQ", to="A3.REPLY").reason == 0
    return estate


def published_names() -> Sandbox:
    """Make queues that are shared under another name, by aliases beside them."""
    estate = _cluster("AL", ("C1", "C2"), ("C3", "C4"))
    for name in ("C3", "C4"):
        estate.run(name, "DEFINE QLOCAL(REAL)\nDEFINE QALIAS(Q) TARGET(REAL) CLUSTER(AL)")
        estate.run(name, "ALTER QALIAS(Q) DEFBIND(NOTFIXED)")
    assert estate.put("C1", "Q", count=4).reason == 0
    return estate


def shared_topics() -> Sandbox:
    """Define each topic at two hosts with the same attributes, and one in two clusters."""
    estate = _cluster("CA", ("FA1", "FA2"), ("PA", "PB"))
    _cluster("CB", ("FB1", "FB2"), ("PC",), estate=estate)
    for name in ("PA", "PB"):
        estate.run(
            name,
            """DEFINE TOPIC(NEWS) TOPICSTR('/news') CLUSTER(CA)
DEFINE TOPIC(PRICES) TOPICSTR('/prices') CLUSTER(CA) CLROUTE(TOPICHOST)""",
        )
    estate.run("PC", "DEFINE TOPIC(NEWS) TOPICSTR('/other') CLUSTER(CB) CLROUTE(TOPICHOST)")
    estate.run("FA1", "DEFINE TOPIC(NEWS) TOPICSTR('/private')")
    return estate


ESTATES: Final[tuple[Callable[[], Sandbox], ...]] = (
    hub_and_spoke,
    one_gateway,
    two_gateways,
    uniform,
    zos_repositories,
    namelists,
    tls,
    several_listeners,
    recovery_pair,
    active_and_standby,
    own_transmission_queues,
    beside_the_cluster,
    replies_by_alias,
    published_names,
    shared_topics,
)
