"""Random operations on a random estate: everything that may happen to messages."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from tests.rules.random_estates import (
    ABLE,
    COMMAND_QUEUE,
    COUNTS,
    DEPTHS,
    LINKS,
    MEMBERS,
    NAMES,
    OBSERVED,
    QUEUES,
    RECEIVER,
    SHARED,
    TRANSMIT_QUEUE,
    text,
    weighted,
    words,
)
from twin import events

Operation: TypeAlias = tuple[Any, ...]
"""The kind of an operation, and its arguments."""


def _rarely() -> st.SearchStrategy[bool]:
    return st.sampled_from((False, False, False, True))


AT: Final = st.sampled_from((*MEMBERS, OBSERVED, *["<busy>"] * 3))
NAMED: Final = words("A A A A A T T T U U R R XQ1 DLQ SYSTEM.CLUSTER.COMMAND.QUEUE")
CHANNELS: Final = st.sampled_from(
    (*[f"C.{name}" for name in (*MEMBERS, OBSERVED)], "S.QM2", *["<channel>"] * 5)
)
QUEUE: Final = st.sampled_from(
    (
        *QUEUES,
        *("R", "DLQ", COMMAND_QUEUE, "XQ1", "XQ2", "XS", TRANSMIT_QUEUE),
        *["<queue>", "<transmission queue>"] * 4,
    )
)
SMALL: Final = st.integers(min_value=0, max_value=9)
PATTERNS: Final = st.sampled_from(("' '", "'C.*'", "'C.QM1'", "'C*.GW1'"))
OTHERS: Final = st.sampled_from((*MEMBERS, OBSERVED, *["<partner>"] * 5))


def _fact(made: type[events.Event], **options: st.SearchStrategy[Any]) -> Any:
    return st.tuples(st.just("fact"), AT, st.just(made), st.fixed_dictionaries(options))


BINDS: Final = words("notfixed notfixed notfixed asqdef open group")
PERSISTENT: Final = st.sampled_from((True, True, False))
TO: Final = st.sampled_from(("", "", "", "", "", "", "", "", *MEMBERS, "U", "XS"))
HANDLES: Final = words("H1 H2")
PUTS: Final = _fact(
    events.PutEntered,
    queue=NAMED,
    count=COUNTS,
    bind=BINDS,
    persistent=PERSISTENT,
    to=TO,
    put1=_rarely(),
    logical_order=_rarely(),
)
CALLS: Final = st.one_of(
    _fact(
        events.PutEntered,
        handle=HANDLES,
        count=COUNTS,
        persistent=PERSISTENT,
        group=st.sampled_from(("", "G")),
        logical_order=st.booleans(),
    ),
    _fact(events.QueueOpened, queue=NAMED, to=TO, bind=BINDS, handle=HANDLES),
    _fact(events.HandleClosed, handle=HANDLES),
    _fact(events.GetEntered, queue=QUEUE, count=COUNTS),
)
CHANNEL_FACTS: Final = st.one_of(
    _fact(events.ChannelHeld, channel=CHANNELS, switch=st.booleans()),
    _fact(events.ChannelReleased, channel=CHANNELS, switch=st.booleans()),
    _fact(
        events.ChannelObserved,
        channel=CHANNELS,
        status=st.sampled_from((None, "RUNNING", "RETRYING", "STOPPED", "INACTIVE")),
        indoubt=st.sampled_from((None, True, True, False)),
        curmsgs=SMALL,
        sent=st.sampled_from((None, 0, 2, 5)),
    ),
)
COMMANDS: Final = st.tuples(
    st.just("run"),
    AT,
    st.one_of(
        text(
            "STOP CHANNEL({channel}){how}",
            channel=CHANNELS,
            how=st.sampled_from(("", " MODE(FORCE)", " MODE(TERMINATE)", " STATUS(INACTIVE)")),
        ),
        text("START CHANNEL({channel})", channel=CHANNELS),
        text(
            "RESOLVE CHANNEL({channel}) ACTION({how})",
            channel=CHANNELS,
            how=words("COMMIT BACKOUT"),
        ),
        text("RESET CHANNEL({channel})", channel=CHANNELS),
        text(
            "ALTER QLOCAL({queue}) {what}({able})",
            queue=QUEUE,
            what=words("PUT GET"),
            able=ABLE,
        ),
        text("ALTER QLOCAL({queue}) USAGE({usage})", queue=QUEUE, usage=words("XMITQ NORMAL")),
        text("ALTER QALIAS({queue}) PUT({able})", queue=words("A T U"), able=ABLE),
        text("ALTER QLOCAL({queue}) MAXDEPTH({depth})", queue=QUEUE, depth=DEPTHS),
        text("CLEAR QLOCAL({queue})", queue=QUEUE),
        text("DELETE QLOCAL({queue}) PURGE", queue=QUEUE),
        text("DELETE QALIAS({queue})", queue=words("A T U")),
        text("DELETE QREMOTE({queue})", queue=words("A T U")),
        text(
            "ALTER QLOCAL({queue}) CLCHNAME({pattern})",
            queue=words("XQ1 XQ2"),
            pattern=PATTERNS,
        ),
        text(
            "ALTER QLOCAL({queue}) CLCHNAME({pattern})\nSTOP CHANNEL({channel})\n"
            "START CHANNEL({channel})",
            queue=words("XQ1 XQ2"),
            pattern=PATTERNS,
            channel=CHANNELS,
        ),
        text(
            "ALTER QMGR DEFCLXQ({how})\nSTOP CHANNEL({channel})\nSTART CHANNEL({channel})",
            how=words("SCTQ CHANNEL"),
            channel=CHANNELS,
        ),
        text("ALTER QMGR DEADQ({name})", name=st.sampled_from(("' '", "DLQ", "DLQ", "T", "XQ1"))),
        text("ALTER QMGR CLWLUSEQ({how})", how=words("ANY LOCAL")),
        text("{how} QMGR CLUSTER({name})", how=words("SUSPEND RESUME"), name=words("CA CB")),
        text("SUSPEND QMGR CLUSTER({name}) MODE(FORCE)", name=words("CA CB")),
        text("REFRESH CLUSTER({name})", name=words("CA CB")),
        text(
            "RESET CLUSTER({name}) ACTION(FORCEREMOVE) QMNAME({other}) QUEUES(YES)",
            name=words("CA CB"),
            other=NAMES,
        ),
        text("ALTER NAMELIST(NL) NAMES({names})", names=words("CA CB CA,CB CA,CB")),
        text("ALTER CHANNEL(C.{other}) CHLTYPE(CLUSRCVR) {what}", other=NAMES, what=RECEIVER),
        text("DELETE CHANNEL({channel})", channel=CHANNELS),
        text("ALTER CHANNEL(S.QM2) CHLTYPE(SDR) XMITQ({queue})", queue=words("XS XQ1")),
        text(
            "DEFINE CHANNEL(D.{at}) CHLTYPE(CLUSRCVR) CONNAME('{at}(1414)') CLUSTER({cluster})",
            at=NAMES,
            cluster=words("CA CB"),
        ),
    ),
)
RULES: Final = st.sampled_from(
    (
        "ACTION(RETRY)",
        "ACTION(DISCARD)",
        "PERSIST(0) ACTION(DISCARD)\nACTION(FWD) FWDQ(T)",
        "ACTION(FWD) FWDQ(&DESTQ) FWDQM(GW1)",
    )
)
LIFE: Final = st.one_of(
    st.tuples(st.just("endmqm"), AT),
    st.tuples(st.just("endmqm"), AT, words("i p")),
    st.tuples(st.just("strmqm"), NAMES),
    st.tuples(st.just("strmqm"), NAMES),
    st.tuples(st.just("dltmqm"), NAMES),
    st.tuples(st.just("crtmqm"), NAMES),
    st.tuples(st.just("backup"), NAMES),
    st.tuples(st.just("restore"), AT),
    _fact(events.RepositoryStorageExhausted),
    st.tuples(st.just("link"), AT, OTHERS, st.sampled_from((*LINKS, "cut", "heal", "silence"))),
)
SEEN_QUEUE: Final = st.sampled_from((*QUEUES, "DLQ", "XQ1", "XQ2", "XS", "<queue>"))
SEEN: Final = st.one_of(
    _fact(events.ObjectVanished, kind=st.just("QUEUE"), name=SEEN_QUEUE),
    _fact(
        events.ObjectObserved,
        kind=st.just("QUEUE"),
        name=SEEN_QUEUE,
        type=words("QLOCAL QLOCAL QALIAS QMODEL"),
        values=st.just({}),
    ),
)
HANDLING: Final = st.one_of(
    st.tuples(st.just("runswchl"), AT, st.sampled_from(("c=*", "c=C.*", "c=C.GW1", "c=C.QM1"))),
    st.tuples(st.just("runswchl"), AT, st.just("c=*"), st.just("n")),
    st.tuples(st.just("runmqdlq"), AT, RULES.map(lambda rules: f"rules={rules}")),
    st.tuples(st.just("define"), AT, st.sampled_from(QUEUES), SHARED),
)
TIME: Final = st.tuples(
    st.just("pass"), NAMES, st.sampled_from((1, 5, 11, 20, 60, 400, 1500, 7000, 90_000, 700_000))
)
OPERATIONS: Final = st.lists(
    weighted(
        (1, st.just(("pass", MEMBERS[0], 0))),  # the simplest operation does nothing
        (8, PUTS),
        (4, CALLS),
        (4, CHANNEL_FACTS),
        (8, COMMANDS),
        (4, LIFE),
        (3, HANDLING),
        (1, SEEN),
        (3, TIME),
    ),
    min_size=25,
    max_size=35,
)
