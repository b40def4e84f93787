"""Random estates: two clusters with gateways; random operations are performed on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from tests.sandbox import Sandbox
from twin import events
from twin.events.base import Values
from twin.fold.handlers.restoring import backup_of
from twin.model.instants import SECOND
from twin.rules.commands.control import ControlRefused
from twin.rules.deriving import derive
from twin.rules.workload.exits import MQWDR, MQWQR, MQWXP, RESPONSE_SUPPRESS_FUNCTION

MEMBERS: Final = ("GW1", "GW2", "QM1", "QM2", "FR1")
"""The queue managers; the gateways and FR1 are in CA and CB."""

OBSERVED: Final = "OB1"
"""A queue manager in CA that is known from a dump, if at all."""

CLUSTERS: Final = {"QM1": "CLUSTER(CA)", "QM2": "CLUSTER(CB)", OBSERVED: "CLUSTER(CA)"}
BOTH: Final = "CLUSNL(NL)"
QUEUES: Final = ("A", "T", "U")
COMMAND_QUEUE: Final = "SYSTEM.CLUSTER.COMMAND.QUEUE"
TRANSMIT_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"

Members: TypeAlias = tuple[Any, ...]
"""What `ESTATES` chooses."""


def words(text: str) -> st.SearchStrategy[str]:
    """Choose one of some words, each as often as it is in the text."""
    return st.sampled_from(text.split())


def weighted(*choices: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Choose a strategy, each as often as its weight says, and let it choose."""
    each = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.sampled_from(each).flatmap(lambda strategy: strategy)


def text(pattern: str, /, **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[str]:
    """Fill in a pattern."""
    return st.builds(pattern.format, **parts)


NAMES: Final = st.sampled_from(MEMBERS)
REMOTE: Final = st.sampled_from((*MEMBERS, "U", "' '"))
ABLE: Final = words("ENABLED ENABLED ENABLED DISABLED")
COUNTS: Final = weighted((6, st.integers(min_value=1, max_value=9)), (1, st.sampled_from((20, 60))))
TARGETS: Final = words("A T T T U U XQ1 DLQ MODEL SYSTEM.CLUSTER.COMMAND.QUEUE")
DEPTHS: Final = words("0 1 3 6 9 9 5000 5000")


DEFINITION: Final = weighted(
    (2, st.just("")),
    (5, text("QLOCAL({{0}}) MAXDEPTH({depth}) PUT({put})", depth=DEPTHS, put=ABLE)),
    (3, text("QALIAS({{0}}) TARGET({to}) PUT({put})", to=TARGETS, put=ABLE)),
    (1, text("QREMOTE({{0}}) RNAME({to}) RQMNAME({at})", to=words("T U"), at=REMOTE)),
    (
        1,
        text(
            "QREMOTE({{0}}) RQMNAME({at}) XMITQ({by})",
            at=REMOTE,
            by=st.sampled_from(("' '", "' '", "XS", "XQ1")),
        ),
    ),
)
"""What a queue manager may have under a name; '' is nothing.

A remote definition without RNAME is an alias of a queue manager.
"""

SHARED: Final = st.tuples(
    DEFINITION,
    st.integers(min_value=0, max_value=4),
    words("OPEN NOTFIXED NOTFIXED GROUP"),
    text("CLWLRANK({rank}) CLWLPRTY({priority})", rank=words("0 0 1"), priority=words("0 0 3")),
)
"""A definition, whether it is in the clusters of its queue manager (not with 0), DEFBIND, and more.
"""

RECEIVER: Final = text(
    "NPMSPEED({speed}) USEDLQ({dlq}) BATCHSZ({size}) MRRTY({tries}) DISCINT({idle}) "
    "CLWLRANK({rank}) CLWLWGHT({weight})",
    speed=words("FAST NORMAL"),
    dlq=words("YES YES NO"),
    size=words("2 5 50"),
    tries=words("0 2 10"),
    idle=words("0 10 6000"),
    rank=words("0 0 1"),
    weight=words("1 20 50"),
)
MEMBER: Final = st.fixed_dictionaries(
    {
        "level": st.sampled_from((750, 940, 940)),
        "platform": words("UNIX UNIX MVS"),
        "receiver": RECEIVER,
        "queues": st.tuples(*[SHARED] * len(QUEUES)),
        "opens": st.booleans(),
        "dead": st.sampled_from(("", "MAXDEPTH(2)", "MAXDEPTH(9)", "", "PUT(DISABLED)")),
        "own": words("SCTQ SCTQ CHANNEL"),
        "choice": st.sampled_from(
            ("", "", "", "CLWLEXIT('last')", "CLWLEXIT('nobody')", "CLWLMRUC(1)", "DEFXMITQ(XS)")
        ),
    }
)
ESTATES: Final = st.tuples(*[MEMBER] * len(MEMBERS), st.none() | SHARED)
"""The choices for each member, and T at the observed queue manager; None without it."""

XMITQ_DEFINITIONS: Final = """
DEFINE QLOCAL(XQ1) USAGE(XMITQ) MAXDEPTH(4) {0}
DEFINE QLOCAL(XQ2) USAGE(XMITQ) MAXDEPTH(7) NPMCLASS(HIGH) {0}
"""
UNCLUSTERED: Final = {
    "QM1": """
DEFINE QLOCAL(XS) USAGE(XMITQ) MAXDEPTH(6) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)
DEFINE CHANNEL(S.QM2) CHLTYPE(SDR) CONNAME('QM2(1414)') XMITQ(XS)
DEFINE QREMOTE(R) RNAME(T) RQMNAME(QM2) XMITQ(XS)
""",
    "QM2": "DEFINE CHANNEL(S.QM2) CHLTYPE(RCVR)",
}
"""A sender channel outside the clusters from QM1 to QM2, and a remote queue that leads over it."""


def _last(block: MQWXP, routes: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Choose the last destination, whatever it is."""
    del queues
    return replace(block, destination_chosen=len(routes))


def _nobody(block: MQWXP, routes: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Refuse every choice."""
    del routes, queues
    return replace(block, exit_response=RESPONSE_SUPPRESS_FUNCTION)


EXITS: Final = {"last": _last, "nobody": _nobody}


def definition(name: str, queue: str, shared: tuple[str, int, str, str]) -> str:
    """Return the command that defines a queue of a queue manager; '' if there is none."""
    what, clustered, defbind, more = shared
    if not what:
        return ""
    cluster = CLUSTERS.get(name, BOTH) if clustered else ""
    return f"DEFINE {what.format(queue)} {cluster} DEFBIND({defbind}) {more} REPLACE"


def _join(sandbox: Sandbox, name: str, options: Mapping[str, Any]) -> None:
    """Define the channels and queues of a queue manager."""
    where = CLUSTERS.get(name, BOTH)
    sandbox.run(name, "DEFINE NAMELIST(NL) NAMES(CA,CB)" if where == BOTH else "")
    sandbox.run(name, "ALTER QMGR REPOSNL(NL)" if name == "FR1" else "")
    index = "INDXTYPE(CORRELID)" if options["platform"] == "MVS" else ""
    sandbox.run(name, XMITQ_DEFINITIONS.format(index) + UNCLUSTERED.get(name, ""))
    sandbox.run(name, f"ALTER QMGR DEFCLXQ({options['own']}) {options['choice']}")
    sandbox.run(name, "DEFINE QMODEL(MODEL)")
    for end, channel in (("CLUSRCVR", name), ("CLUSSDR", "FR1")):
        if end == "CLUSRCVR" or name != "FR1":
            attributes = (
                f"CHLTYPE({end}) CONNAME('{channel}(1414)') {where} SHORTTMR(20) LONGRTY(3)"
            )
            more = options["receiver"] if end == "CLUSRCVR" else ""
            sandbox.run(name, f"DEFINE CHANNEL(C.{channel}) {attributes} {more}")
    if options["dead"]:
        sandbox.run(name, f"DEFINE QLOCAL(DLQ) {options['dead']}\nALTER QMGR DEADQ(DLQ)")


class Estate:
    """A random estate, and the last backup of each queue manager; the first one lacks queues."""

    def __init__(self, members: Members) -> None:
        self.sandbox = Sandbox()
        self.sandbox.draft.exits = EXITS
        self.members: dict[str, dict[str, Any]] = dict(zip(MEMBERS, members, strict=False))
        self.backups: dict[str, events.QueueManagerRestored] = {}
        asks = any("CLWLEXIT" in options["choice"] for options in self.members.values())
        self.longest = 2000 if asks else 700_000  # every retry asks the exit again
        for name in reversed(MEMBERS):
            self._create(name)
        if members[-1] is not None:
            self._observe(members[-1])
        for name, options in self.members.items():
            for queue in QUEUES if options["opens"] else ():
                self.sandbox.open(name, queue)

    def _create(self, name: str) -> None:
        options = self.members[name]
        given = (f"cmdlevel={options['level']}", f"platform={options['platform']}")
        self.sandbox.control("crtmqm", name, *given)
        self.sandbox.control("strmqm", name)
        _join(self.sandbox, name, options)
        self.backups[name] = backup_of(self.sandbox.estate.qmgr(name), to=self.sandbox.draft.at)
        for queue, shared in zip(QUEUES, options["queues"], strict=True):
            self.sandbox.run(name, definition(name, queue, shared))

    def _observe(self, shared: tuple[str, int, str, str]) -> None:
        """Observe a queue manager with its channels and its queue T."""
        seen = events.QueueManagerFirstSeen(
            qmgr=OBSERVED, qmid=f"{OBSERVED}_2026", cmdlevel=940, platform="UNIX"
        )
        derive(self.sandbox.draft, seen)
        for end, name in (("CLUSRCVR", OBSERVED), ("CLUSSDR", "FR1")):
            values: Values = {"CONNAME": f"{name}(1414)", "CLUSTER": "CA"}
            channel = events.ObjectObserved(
                qmgr=OBSERVED, kind="CHANNEL", name=f"C.{name}", type=end, values=values
            )
            derive(self.sandbox.draft, channel)
        self.sandbox.run(OBSERVED, definition(OBSERVED, "T", shared))

    def perform(self, kind: str, name: str, *what: Any) -> None:
        """Perform one operation at a queue manager, unless it does not exist or refuses it."""
        name, what = self._aim(name, what)
        if name not in self.sandbox.estate.qmgrs:
            if kind == "crtmqm":
                self._create(name)
            return
        try:
            self._perform(kind, name, *what)
        except ControlRefused:
            return

    def _aim(self, name: str, what: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        """Put names of what is busy in the place of "<busy>", "<channel>" and so on."""
        estate = self.sandbox.estate
        name = next(iter(estate.qmgrs_with_waiting_messages), "QM1") if name == "<busy>" else name
        qmgr = estate.qmgrs.get(name)
        if qmgr is None:
            return name, what
        states, messaging = qmgr.activity.channels, qmgr.messaging
        channel = next(iter((*messaging.channels(), *states)), "C.FR1")
        busy = {
            "<channel>": channel,
            "<partner>": states[channel].partner if channel in states else "FR1",
            "<queue>": next(iter(messaging.local), "T"),
            "<transmission queue>": next(iter(messaging.waiting), TRANSMIT_QUEUE),
        }

        def aim(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: aim(each) for key, each in value.items()}
            for pattern, found in busy.items() if isinstance(value, str) else ():
                value = value.replace(pattern, found)
            return value

        return name, tuple(map(aim, what))

    def _perform(self, kind: str, name: str, *what: Any) -> None:
        sandbox = self.sandbox
        match kind, what:
            case "run", (text,):
                sandbox.run(name, text)
            case "define", (queue, shared):
                sandbox.run(name, definition(name, queue, shared))
            case "pass", (amount,):
                sandbox.pass_time(min(amount, self.longest) * SECOND)
            case "backup", _:
                self.backups[name] = backup_of(sandbox.estate.qmgr(name), to=sandbox.draft.at)
            case "restore", _ if name in self.backups:
                derive(sandbox.draft, self.backups[name])
            case (("crtmqm" | "restore"), _):
                return
            case "link", (other, change):
                if other != name and other in sandbox.estate.qmgrs:
                    derive(
                        sandbox.draft, events.LinkChanged(qmgr=name, other=other, **LINKS[change])
                    )
            case "fact", (made, options):
                derive(sandbox.draft, made(qmgr=name, **options))
            case _:
                sandbox.control(kind, name, *what)


LINKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "cut": {"cut": True},
    "silence": {"cut": True, "silent": True},
    "heal": {"cut": False},
    "delay": {"latency": 3 * SECOND},
    "hasten": {"latency": 0},
}
"""What may happen to a link."""
