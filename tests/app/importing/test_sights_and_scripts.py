"""Laws of imports: a script without a date is no sight, and a first sight is no renewal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, make_twin
from tests.feeds.test_dumps import OWN, dump
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE, Instant, mq_date, mq_time

NOW = START + 60 * DAY
AT = [NOW - 2 * DAY, NOW - 2 * DAY + 20 * MINUTE, NOW - DAY]
FULL, OTHERS = ("HUB1", "HUB2"), ("SHOP", "TILL")
NAMES = (*FULL, *OTHERS)
CLUSTERS = ("NORTH", "SOUTH")
File = tuple[Instant | None, FileText]

DATED = "*  ALTDATE({date}) +\n*  ALTTIME({time}) +\n"
CHANNEL = """DEFINE CHANNEL('{cluster}.{qmgr}') CHLTYPE({type}) +
{dated}   CONNAME('{conname}') CLUSTER({cluster}) +
   REPLACE
"""
LOCAL = """DEFINE QLOCAL('{name}') +
{dated}   CLUSTER({cluster}) DESCR('{descr}') +
   REPLACE
"""
MEMBER = """AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR({qmgr})    CHANNEL({cluster}.{qmgr})
   CLUSTER({cluster})   CONNAME({conname})
   CLUSDATE({date})     CLUSTIME({time})
   ALTDATE({altdate})   ALTTIME({alttime})
   DEFTYPE({deftype})   QMTYPE({qmtype})
   QMID({qmid})         STATUS(RUNNING)
   SUSPEND(NO)
"""
QUEUE = """AMQ8409I: Display Queue details.
   QUEUE({name})        TYPE(QCLUSTER)
   CLUSTER({cluster})   CLUSQMGR({qmgr})
   CLUSQT(QLOCAL)       DESCR({descr})
   CLUSDATE({date})     CLUSTIME({time})
   ALTDATE({altdate})   ALTTIME({alttime})
   QMID({qmid})
"""
ASKED = ("beliefs", "lifetimes", "members", "divergence")


def _qmid(qmgr: str) -> str:
    return f"{qmgr}_2025-12-31_23.59.58"


def _altered(draw: st.DrawFn, qmgr: str) -> Instant:
    """Draw when the objects of a queue manager were altered."""
    return START + NAMES.index(qmgr) * HOUR + draw(st.sampled_from([0, 50])) * DAY


@st.composite
def commands(draw: st.DrawFn, qmgr: str, *, dated: bool) -> list[str]:
    """Draw the definitions of a queue manager: a member of one or two clusters."""
    result = []
    altered = _altered(draw, qmgr)
    dates = DATED.format(date=mq_date(altered), time=mq_time(altered)) if dated else ""
    for cluster in draw(st.sampled_from([CLUSTERS[:1], CLUSTERS])):
        hub = draw(st.sampled_from([each for each in FULL if each != qmgr]))
        conname = draw(st.sampled_from([qmgr.lower(), f"new-{qmgr.lower()}"]))
        common = {"cluster": cluster, "dated": dates}
        result += [
            CHANNEL.format(qmgr=qmgr, type="CLUSRCVR", conname=conname, **common),
            CHANNEL.format(qmgr=hub, type="CLUSSDR", conname=hub.lower(), **common),
        ]
        if qmgr in OTHERS:
            result.append(LOCAL.format(name=f"Q.{cluster}", descr=draw(_DESCR), **common))
    return result


_DESCR = st.sampled_from(["a", "b"])


@st.composite
def dumps(draw: st.DrawFn, qmgr: str) -> File:
    """Draw a dump, with or without the dates of its objects."""
    own = OWN if qmgr in OTHERS else OWN.replace("DEADQ('DLQ')", "REPOS(NORTH)")
    bodies = [own, *draw(commands(qmgr, dated=draw(st.booleans())))]
    text = dump(*bodies).replace("QM7", qmgr)
    return draw(st.sampled_from(AT)), FileText(text, zone=UTC)


@st.composite
def captures(draw: st.DrawFn, qmgr: str) -> File:
    """Draw complete answers to DISPLAY CLUSQMGR and QCLUSTER."""
    at = draw(st.sampled_from(AT))
    lines = [f"Starting MQSC for queue manager {qmgr}.", "     1 : DISPLAY CLUSQMGR(*) ALL"]
    rows: dict[str, list[str]] = {MEMBER: [], QUEUE: []}
    for cluster in CLUSTERS:
        for other in sorted({qmgr, *draw(st.sets(st.sampled_from(NAMES)))}):
            received = START + draw(st.integers(5, 55)) * DAY
            altered = _altered(draw, other)
            shown: dict[str, Any] = {
                "cluster": cluster,
                "qmgr": other,
                "qmid": _qmid(other),
                "conname": other.lower(),
                "date": mq_date(received),
                "time": mq_time(received),
                "altdate": mq_date(altered),
                "alttime": mq_time(altered),
                "deftype": "CLUSRCVR" if other == qmgr else "CLUSSDRA",
                "qmtype": "REPOS" if other in FULL else "NORMAL",
                "name": f"Q.{cluster}",
                "descr": draw(_DESCR),
            }
            rows[MEMBER].append(MEMBER.format(**shown))
            if other in OTHERS and other != qmgr:
                rows[QUEUE].append(QUEUE.format(**shown))
    lines += [*rows[MEMBER], "     2 : DISPLAY QCLUSTER(*) ALL", *rows[QUEUE]]
    lines += ["2 MQSC commands read.", "No commands have a syntax error."]
    text = "\n".join([*lines, "All valid MQSC commands were processed."])
    return at, FileText(text, zone=UTC)


@st.composite
def scripts(draw: st.DrawFn, qmgr: str) -> File:
    """Draw a script that nothing dates."""
    return None, FileText("".join(draw(commands(qmgr, dated=False))), qmgr)


_NAMES = st.sampled_from(NAMES)
SIGHTS = st.lists(
    st.one_of(_NAMES.flatmap(dumps), _NAMES.flatmap(captures)), min_size=2, max_size=5
)


@contextmanager
def _fresh(count: int) -> Iterator[list[Twin]]:
    """Make twins on empty logs whose clocks stand still."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        urls = [f"sqlite:///{Path(folder) / str(number)}.db" for number in range(count)]
        yield [stack.enter_context(make_twin(url, lambda: NOW)) for url in urls]


def _take(twin: Twin, files: Sequence[File]) -> None:
    for at, file in files:
        twin.ingest_files([file], at=at)


def _rows(twin: Twin, *, later: bool = True) -> dict[str, list[str]]:
    """Return the rows of all queue managers now and, on a branch, 40 days ahead."""
    found = {each: sorted(map(str, twin.ask(each).rows)) for each in ASKED}
    if later:
        twin.create_branch("ahead")
        ahead, at = twin.on_branch("ahead"), NOW + 40 * DAY
        found |= {
            f"{each} later": sorted(map(str, ahead.ask(each, as_of=at).rows)) for each in ASKED
        }
    return found


@examples(cost=8)
@given(SIGHTS, st.lists(_NAMES.flatmap(scripts), max_size=2), st.randoms(use_true_random=False))
def test_no_order_of_dumps_captures_and_scripts_changes_a_row(
    sights: list[File], undated: list[File], chance: Any
) -> None:
    """Files of several full repositories and clusters give the same rows in any order."""
    files = [*sights, *undated]
    other_order = [*files, chance.choice(files)]
    chance.shuffle(other_order)
    with _fresh(2) as (one, other):
        _take(one, files)
        _take(other, other_order)
        assert _rows(one) == _rows(other)


@examples(cost=8)
@given(SIGHTS, _NAMES, st.data())
def test_a_script_without_a_date_changes_nothing_that_was_seen(
    sights: list[File], name: str, data: st.DataObject
) -> None:
    """What was seen of records and objects stays as it was, with its dates and its last sight."""
    with _fresh(1) as (twin,):
        _take(twin, sights)
        before, _ = twin.view()
        held, seen = (
            _held(twin),
            {row["qmgr"]: row["last_seen"] for row in twin.ask("members").rows},
        )
        _take(twin, [data.draw(scripts(name))])
        after, _ = twin.view()
        assert {key: row for key, row in _held(twin).items() if key in held} == held
        for row in twin.ask("members").rows:
            assert row["last_seen"] == seen.get(row["qmgr"])
        for qmgr in before.qmgrs.values():
            now = after.qmgr(qmgr.name)
            for (kind, object_), definition in qmgr.definitions.items():
                if qmgr.was_seen(kind, object_, definition.type):
                    assert now.definitions[kind, object_].values == definition.values
            assert now.activity.seen.collected == qmgr.activity.seen.collected


def _held(twin: Twin) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return what was seen to be held by others than its owner, with its dates."""
    of = ("observer", "cluster", "kind", "name", "qmid")
    dates = ("received", "published", "expires", "removal", "state")
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for question in ("beliefs", "lifetimes"):
        for row in twin.ask(question).rows:
            content = row.get("basis_of") or {"name": row["basis"]}
            assert isinstance(content, dict)
            if row["observer"] != row["owner"] and content["name"] == "observed":
                key = tuple(row[each] for each in of)
                found.setdefault(key, {}).update({each: row[each] for each in dates if each in row})
    return found
