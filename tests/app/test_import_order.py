"""Laws of imports: neither the order of files nor that one is imported twice changes an answer."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, build, make_twin, picture
from tests.app.test_laws import fresh
from tests.feeds.test_dumps import OWN, QUEUE, dump
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.fold.replay.one_instant import STATEMENTS
from twin.log import LogDamaged, NewEvent
from twin.model.instants import DAY, HOUR, Instant, mq_date, mq_time
from twin.mqsc.statement import Statement, parse
from twin.questions.display import display

AT = [START + DAY, START + 2 * DAY, START + 3 * DAY]
NAMES = ["PR1", "QM8", "QM9"]
RECEIVER = """DEFINE CHANNEL('CA.{qmgr}') CHLTYPE(CLUSRCVR) +
   CONNAME('{qmgr}(1414)') CLUSTER(CA) +
   REPLACE
DEFINE CHANNEL('CA.FR1') CHLTYPE(CLUSSDR) +
   CONNAME('fr1(1414)') CLUSTER(CA) +
   REPLACE
"""
COMMANDS = st.sampled_from(
    [
        "DEFINE QLOCAL(A) MAXDEPTH({n}) CLUSTER(CA) REPLACE",
        "DEFINE QLOCAL(B) DESCR('{n}') LIKE(A) REPLACE",
        "ALTER QLOCAL(A) DESCR('{n}') PUT(DISABLED)",
        "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH({n})",
        "DELETE QLOCAL(A)",
        "ALTER QMGR DESCR('{n}')",
        "DEFINE NAMELIST(N) NAMES(A{n})",
        "DEFINE CHANNEL(CA.{qmgr}) CHLTYPE(CLUSRCVR) CONNAME('h{n}') CLUSTER(CA)",
        "DEFINE QALIAS(P{n}) TARGET(A) REPLACE",
        "DEFINE QREMOTE(R{n}) RNAME(B) RQMNAME(QM8) REPLACE",
        "DELETE QALIAS(P{n})",
        "DEFINE QLOCAL(B) CLUSTER(CA) CLWLUSEQ(ANY) REPLACE",
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1') CLUSTER(CA)",
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT) AUTHRMV(GET)",
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET)",
    ]
)
File = tuple[Instant, FileText]


@st.composite
def scripts(draw: st.DrawFn) -> File:
    """Draw a script of a queue manager, and an instant."""
    qmgr, number = draw(st.sampled_from(NAMES)), draw(st.integers(1, 3))
    commands = draw(st.lists(COMMANDS, min_size=1, max_size=4))
    text = "\n".join(each.format(n=number, qmgr=qmgr) for each in commands)
    return draw(st.sampled_from(AT)), FileText(text, qmgr)


@st.composite
def dumps(draw: st.DrawFn) -> File:
    """Draw a dump of a queue manager, and an instant."""
    qmgr = draw(st.sampled_from(NAMES))
    queue = QUEUE.format(depth=draw(st.integers(1, 3)))
    if (altered := draw(st.sampled_from([None, *AT]))) is not None:
        altered += draw(st.integers(-2, 2)) * 6 * HOUR
        dates = f"*  ALTDATE({mq_date(altered)}) +\n*  ALTTIME({mq_time(altered)}) +\n"
        queue = queue.replace("   MAXDEPTH", f"{dates}   MAXDEPTH")
    bodies = [queue.replace("'A'", "'B'"), RECEIVER.format(qmgr=qmgr)]
    if draw(st.booleans()):
        bodies.append(queue.replace("MAXDEPTH", "CLUSTER(CA) MAXDEPTH"))
    if draw(st.booleans()):
        bodies.append("DEFINE QALIAS('P') +\n   TARGET('A') +\n   REPLACE\n")
    text = dump(*draw(st.permutations(bodies))).replace("QM7", qmgr)
    return draw(st.sampled_from(AT)), FileText(text, zone=draw(st.sampled_from([None, UTC])))


RECORD = """AMQ8409I: Display Queue details.
   QUEUE({queue})                                TYPE(QCLUSTER)
   CLUSTER(CA)                             CLUSQMGR({owner})
   CLUSQT(QLOCAL)                          DESCR({descr})
   CLUSDATE(2026-01-01)                    CLUSTIME(0{hour}.00.00){qmid}
"""


@st.composite
def captures(draw: st.DrawFn) -> File:
    """Draw a complete answer to DISPLAY QCLUSTER, with or without QMIDs, and an instant."""
    qmgr, shows_qmid = draw(st.sampled_from(NAMES)), draw(st.booleans())
    records = [
        RECORD.format(
            queue=draw(st.sampled_from("AB")),
            owner=owner,
            descr=draw(st.sampled_from("xy")),
            hour=draw(st.integers(0, 2)),
            qmid=f"\n   QMID({owner}_2026-01-01_00.00.00)" if shows_qmid else "",
        )
        for owner in draw(st.sets(st.sampled_from(["PR2", "QM8", "OUT"]), max_size=2))
    ]
    lines = [f"Starting MQSC for queue manager {qmgr}.", "     1 : DISPLAY QCLUSTER(*)"]
    ending = "One MQSC command read.\nNo commands have a syntax error.\n"
    text = "\n".join([*lines, *records, f"{ending}All valid MQSC commands were processed."])
    return draw(st.sampled_from(AT)), FileText(text)


FILES = st.lists(st.one_of(scripts(), dumps(), captures()), min_size=1, max_size=5)


def take_in(twin: Twin, files: list[File]) -> None:
    """Build a cluster, and import files one by one."""
    build(twin)
    for at, file in files:
        twin.ingest_files([file], at=at)


def seen(twin: Twin) -> dict[str, Any]:
    """Return what a twin knows at every instant of an import, and later."""
    points = [*AT, AT[-1] + HOUR]
    return {str(at): picture(twin.view(as_of=at)[0]) for at in points}


@examples(cost=4)
@given(FILES, st.randoms(use_true_random=False))
def test_no_order_of_imports_changes_an_answer(files: list[File], chance: Any) -> None:
    """Files of three instants give the same estate in any order of their imports."""
    other_order = list(files)
    chance.shuffle(other_order)
    with fresh(2) as (one, other):
        take_in(one, files)
        take_in(other, other_order)
        assert seen(one) == seen(other)
        one.log.verify()
        other.log.verify()


@examples(cost=4)
@given(FILES)
def test_files_of_one_instant_may_come_together_or_one_by_one(files: list[File]) -> None:
    """Files that are imported in one go give the same estate as one import each."""
    with fresh(2) as (one, other):
        take_in(one, files)
        build(other)
        for at in reversed(AT):
            other.ingest_files([file for when, file in files if when == at], at=at)
        assert seen(one) == seen(other)


@examples(cost=4)
@given(FILES, st.data())
def test_what_is_imported_again_is_not_recorded(files: list[File], data: st.DataObject) -> None:
    """A file imported again for its instant records nothing."""
    at, file = data.draw(st.sampled_from(files))
    with fresh(1) as (twin,):
        take_in(twin, files)
        last = twin.log.last()
        twin.ingest_files([file], at=at)
        assert twin.log.last() == last


@examples(cost=4)
@given(FILES, st.data())
def test_a_retracted_import_was_never_made(files: list[File], data: st.DataObject) -> None:
    """The estate after the retraction of a file is as if it had never been imported."""
    place = data.draw(st.integers(0, len(files) - 1))
    with fresh(2) as (one, other):
        build(one)
        positions: list[int] = []
        for number, (at, file) in enumerate(files):
            last = one.log.last().position
            (observed,) = one.ingest_files([file], at=at)
            recorded = [
                each.position
                for each in one.log.events(after=last, types=sorted(STATEMENTS))
                if each.cause is None
            ]
            assume(len(recorded) == len(observed.events))  # no other file said the same then
            if number == place:
                positions = recorded
        one.retract(positions)
        take_in(other, [each for number, each in enumerate(files) if number != place])
        assert seen(one) == seen(other)


@examples(cost=4)
@given(FILES, st.sampled_from(AT), st.sampled_from(["X", "A", "B"]), st.data())
def test_a_late_file_that_no_rule_reads_is_as_if_on_time(
    files: list[File], at: Instant, queue: str, data: st.DataObject
) -> None:
    """A late file about unclustered queues gives the estate that it would have given on time."""
    at -= data.draw(st.integers(0, 2)) * HOUR
    texts = (f"DEFINE QLOCAL({queue}) REPLACE", f"ALTER QLOCAL({queue}) GET(DISABLED)")
    late = (at, FileText(data.draw(st.sampled_from(texts)), data.draw(st.sampled_from(NAMES))))
    files.sort(key=lambda file: file[0])
    with fresh(2) as (one, other):
        take_in(one, [*files, late])
        take_in(other, sorted([late, *files], key=lambda file: file[0]))
        assert seen(one) == seen(other)


def test_a_late_file_that_no_rule_reads_costs_itself_only() -> None:
    """Late files about unclustered queues append one event each, and withdraw nothing."""
    with fresh(1) as (twin,):
        build(twin)
        clustered = RECEIVER.format(qmgr="QM9") + "DEFINE QLOCAL(C) CLUSTER(CA)\n"
        for day in range(3):
            twin.ingest(clustered, qmgr="QM9", at=AT[day])
        before = twin.log.last().position
        for hour in range(20):
            twin.ingest(f"DEFINE QLOCAL(Q{hour})", qmgr="QM9", at=AT[0] + hour * HOUR + 1)
        assert twin.log.last().position == before + 20
        assert ("QUEUE", "Q19") in twin.view()[0].qmgr("QM9").definitions
        twin.ingest("DEFINE QLOCAL(D) CLUSTER(CA)", qmgr="QM9", at=AT[0] + 1)
        assert ("QUEUE", "D") in twin.view()[0].qmgr("QM9").definitions


def test_a_confirmed_value_can_be_cited() -> None:
    """A file that confirms what is known is recorded as a reference, and is the last evidence."""
    with fresh(1) as (twin,):
        text = dump(QUEUE.format(depth=3))
        twin.ingest(text, qmgr=None, at=AT[0])
        twin.ingest(text, qmgr=None, at=AT[1])
        *_, again, depths = twin.log.events()
        assert '"said":[],' in again.body
        assert '"same_as":' in again.body
        qmgr = twin.view(as_of=AT[2])[0].qmgr("QM7")
        assert qmgr.definitions["QUEUE", "A"].position == 1
        assert qmgr.confirmed["QUEUE"][:3] == (again.position, again.position, AT[1])
        statement = parse("DISPLAY QLOCAL(A)")
        assert isinstance(statement, Statement)
        estate, point = twin.view()
        (record,) = display(estate, point, "QM7", statement).records
        assert record.evidence == (1, again.position, depths.position)


def test_a_reference_is_read_with_what_it_refers_to(tmp_path: Path) -> None:
    """An export keeps a reference as it is stored, and the copy answers like the original."""
    with fresh(1) as (twin,):
        text = dump(QUEUE.format(depth=3))
        for at in AT:
            twin.ingest(text, qmgr=None, at=at)
        references = [each for each in twin.log.events() if '"same_as":' in each.body]
        (first, *_) = twin.log.events()
        assert len(references) == 2
        assert all(first.event_id in each.body for each in references)
        twin.retract([first.position])
        exported = list(twin.log.export())
        assert sum('\\"same_as\\":' in line for line in exported) == 2
        with make_twin(f"sqlite:///{tmp_path}/copy.db", twin.clock) as copy:
            copy.log.import_lines(f"{line}\n".encode() for line in exported)
            assert seen(copy) == seen(twin)
        assert ("QUEUE", "A") in twin.view(as_of=AT[1])[0].qmgr("QM7").definitions
        twin.log.verify()


@pytest.mark.parametrize(
    "changes", [{"same_as": "nothing"}, {"kind": "CHANNEL"}, {"complete": None}]
)
def test_a_reference_to_something_else_is_damage(changes: dict[str, Any]) -> None:
    """A reference to an unknown event, or to one about something else, is found and not used."""
    with fresh(1) as (twin,):
        twin.ingest(dump(QUEUE.format(depth=3)), qmgr=None, at=AT[0])
        (first, *_) = twin.log.events()
        body = {**json.loads(first.body), "said": [], "same_as": first.event_id, **changes}
        wrong = NewEvent(AT[1], first.type, first.qmgr, None, "x", "an-id", _compact(body))
        twin.log.append([wrong], recorded_at=LATER)
        with pytest.raises(LogDamaged, match="not its like"):
            twin.log.verify()
        with pytest.raises(LogDamaged, match="not its like"):
            twin.log.rows()


def _compact(body: dict[str, Any]) -> str:
    return json.dumps(body, separators=(",", ":"))


def test_the_last_of_three_values_counts_in_any_order() -> None:
    """10, 20 and again 10 on three days are 10 at the end, in any order of their imports."""
    texts = [dump(QUEUE.format(depth=depth)) for depth in (10, 20, 10)]
    for order in ((0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)):
        with fresh(1) as (twin,):
            for day in order:
                twin.ingest(texts[day], qmgr=None, at=AT[day])
            depths = [
                twin.view(as_of=at)[0].qmgr("QM7").definitions["QUEUE", "A"].values["MAXDEPTH"]
                for at in AT
            ]
            assert depths == [10, 20, 10], order


def test_an_older_dump_that_comes_later_does_not_change_what_rows_rest_on() -> None:
    """An object rests on its dump, also if a newer dump was recorded before it."""
    old = dump(OWN, RECEIVER.format(qmgr="QM7"))
    new = dump(OWN, RECEIVER.format(qmgr="QM7"), QUEUE.format(depth=1))
    found = []
    for order in ([old, new], [new, old]):
        with fresh(1) as (twin,):
            for text in order:
                at = AT[text == new]
                twin.ingest_files([FileText(text)], at=at)
            rows = twin.ask("beliefs", on="QM7").rows
            found.append([(row["name"], row["basis"], row.get("basis_of")) for row in rows])
    assert found[0] == found[1]
    assert found[0][0][:2] == ("QM7", "assumed")
