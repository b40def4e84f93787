"""Rows of DISPLAY with some columns: what a row does not show is unknown, and no difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.importing.collected_cluster import clusqmgr, dump, qmid
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant, parse_instant
from twin.questions.sights import LONGEST

AT: Final = parse_instant("2026-01-01T07:00:00Z", now=0)
LATER: Final = AT + DAY

VALUES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "CHANNEL": {
        "CLWLRANK": ("0", "3"),
        "CLWLWGHT": ("50", "70"),
        "NETPRTY": ("0", "4"),
        "DISCINT": ("6000", "60"),
        "DESCR": (" ", "Oats"),
    },
    "QUEUE": {
        "CLWLPRTY": ("0", "5"),
        "DEFBIND": ("OPEN", "NOTFIXED"),
        "DEFPSIST": ("NO", "YES"),
        "DESCR": (" ", "Hay"),
        "PUT": ("ENABLED", "DISABLED"),
    },
}
"""Kind of object -> attribute -> its default, and another value."""

OWN: Final = {
    "QLOCAL": "MAXDEPTH(77) DEFREADA(YES)",
    "QALIAS": "TARGET(BARLEY)",
    "QREMOTE": "RNAME(BARLEY) RQMNAME(BARN)",
}
"""Type of a queue -> attributes that only its owner knows."""


@st.composite
def values_of(draw: st.DrawFn, kind: str) -> dict[str, str]:
    """Return a value for some attributes of a kind."""
    names = draw(st.sets(st.sampled_from(sorted(VALUES[kind]))))
    return {name: draw(st.sampled_from(VALUES[kind][name])) for name in sorted(names)}


def _define(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}('{value}')" for name, value in values.items())


def _cells(values: Mapping[str, str]) -> str:
    return "".join(f"   {name}({value})\n" for name, value in values.items())


def _definitions(kind: str, channel: Mapping[str, str], queue: Mapping[str, str]) -> str:
    """Write the dump of the full repository SILO, which shares the queue OATS."""
    text = dump("SILO", "MOWER", full=True)
    shared = f"DEFINE {kind}(OATS) CLUSTER(MILK) {OWN[kind]} {_define(queue)}\n"
    return text.replace("'silo(1414)') +", f"'silo(1414)') {_define(channel)} +").replace(
        "DEFINE CHANNEL", f"{shared}DEFINE CHANNEL", 1
    )


def _answers(kind: str, channel: Mapping[str, str], queue: Mapping[str, str]) -> str:
    """Write what the full repository MOWER shows: some columns of two records of SILO."""
    members = [(name, qmid(name)) for name in ("MOWER", "SILO")]
    text = clusqmgr("MOWER", members, full=("MOWER", "SILO"), manual="SILO")
    text = text.replace("   CONNAME(silo(1414))", f"   CONNAME(silo(1414))\n{_cells(channel)}")
    shown = (
        "     2 : DISPLAY QCLUSTER(*) ALL\nAMQ8409I: Display Queue details.\n"
        "   QUEUE(OATS)                             TYPE(QCLUSTER)\n"
        "   ALTDATE(2026-01-01)                     ALTTIME(10.00.00)\n"
        "   CLUSDATE(2026-01-01)                    CLUSTIME(10.00.00)\n"
        f"   CLUSQMGR(SILO)                          CLUSQT({kind})\n"
        f"   CLUSTER(MILK)                           QMID({qmid('SILO')})\n{_cells(queue)}"
    )
    return text.replace("One MQSC", f"{shown}2 MQSC").replace("command read.", "commands read.")


def _differing(
    kind: str, shown: Mapping[str, str], defined: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Return what is shown and differs: attribute -> what is shown, and the definition."""
    default = {name: values[0] for name, values in VALUES[kind].items()}
    pairs = {name: (value, {**default, **defined}[name]) for name, value in shown.items()}
    return {name: (a.strip(), b.strip()) for name, (a, b) in pairs.items() if a != b}


def _found(twin: Twin, kind: str, at: Instant) -> dict[str, tuple[object, object]]:
    rows = twin.ask("divergence", as_of=at, on="MOWER").rows
    return {
        str(row["field"]): (row["here"], row["there"])
        for row in rows
        if row["kind"] == kind and row["owner"] == "SILO"
    }


@examples(cost=2)
@given(st.data())
def test_only_what_was_shown_differs(data: st.DataObject) -> None:
    """Divergence has each shown cell that the definition contradicts, and no other attribute.

    The record shows a later ALTER of its owner: so have the changes, at its instant.
    """
    kind = data.draw(st.sampled_from(sorted(OWN)))
    defined = {each: data.draw(values_of(each)) for each in VALUES}
    shown = {each: data.draw(values_of(each)) for each in VALUES}
    dumps = [dump("MOWER", "SILO", full=True), _definitions(kind, *defined.values())]
    files = [*((each, AT) for each in dumps), (_answers(kind, *shown.values()), LATER)]
    with fresh(1) as (twin,):
        for text, at in data.draw(st.permutations(files)):
            twin.ingest_files([FileText(text)], at=at)
        for record, each in (("qmgr", "CHANNEL"), ("queue", "QUEUE")):
            expected = _differing(each, shown[each], defined[each])
            assert _found(twin, record, LATER) == expected
        differing = {
            name: (there, here)
            for name, (here, there) in _differing("QUEUE", shown["QUEUE"], defined["QUEUE"]).items()
        }
        found = twin.ask("changes", since=AT, as_of=LATER, on="SILO", kind="queue").rows
        changed = {row["field"]: (row["before"], row["after"]) for row in found}
        assert changed == differing
        assert {row["at"] for row in found} <= {AT + 3 * HOUR}
        command = "DISPLAY QCLUSTER(OATS) ALL"
        text = "\n".join(twin.mqsc("MOWER", as_of=LATER).run(command).lines)
        assert all(f"{name}({value})" in text for name, value in shown["QUEUE"].items())


@pytest.mark.parametrize("later", [True, False])
def test_an_old_dump_is_said_to_be_older_than_what_others_hold(twin: Twin, *, later: bool) -> None:
    """The age names the objects of which records with a later ALTDATE were seen, if any."""
    date = "*  ALTDATE(2025-12-01) +\n*  ALTTIME(10.00.00) +\n"
    old = _definitions("QLOCAL", {}, {}).replace(
        "CLUSTER(MILK) MAX", f"+\n{date} CLUSTER(MILK) MAX"
    )
    twin.ingest_files([FileText(old, zone=UTC)], at=AT - 9 * DAY)
    twin.ingest_files([FileText(dump("MOWER", "SILO", full=True))], at=AT)
    shown = _answers("QLOCAL", {}, {"PUT": "DISABLED"})
    if not later:
        shown = shown.replace("ALTDATE(2026-01-01)", "ALTDATE(2025-12-01)")
    twin.ingest_files([FileText(shown, zone=UTC)], at=LATER)
    lines = twin.runmqsc("SILO", "DISPLAY QLOCAL(OATS) PUT", as_of=LATER).lines
    (said,) = [each for each in lines if "what is known is 10 days old" in each]
    assert said.endswith("; others hold later versions of OATS") is later


@pytest.mark.parametrize("later", [True, False])
def test_a_dump_does_not_say_who_is_suspended(twin: Twin, *, later: bool) -> None:
    """Without a sight it is assumed that nobody is; a sight of others counts, and differs not."""
    twin.ingest_files([FileText(dump("MOWER", "SILO", full=True))], at=AT)
    twin.ingest_files([FileText(_definitions("QLOCAL", {}, {}))], at=AT)
    if later:
        twin.ingest_files([FileText(_answers("QLOCAL", {}, {}))], at=LATER - HOUR)
    first, _, row = _answers("QLOCAL", {}, {}).partition("CLUSQMGR(SILO)")
    text = f"{first}CLUSQMGR(SILO){row.replace('SUSPEND(NO)', 'SUSPEND(YES)', 1)}"
    before, after = (_suspended(twin, at) for at in (AT, LATER))
    assert before == ("NO", "assumed")
    assert after == ("NO", "observed" if later else "assumed")
    twin.ingest_files([FileText(text)], at=LATER)
    assert _suspended(twin, LATER) == ("YES", "observed")
    assert _found(twin, "qmgr", LATER) == {}


@examples(cost=2)
@given(
    names=st.permutations(("ACRE", "MOWER", "SILO", "WELL")),
    suspended=st.booleans(),
    is_shown=st.booleans(),
    age=st.integers(0, 13 * DAY),
    data=st.data(),
)
def test_the_own_row_says_who_is_suspended_and_else_the_newest_record(
    names: list[str], *, suspended: bool, is_shown: bool, age: Instant, data: st.DataObject
) -> None:
    """A record that was not updated since says nothing of now, whoever holds it and shows it.

    SUSPEND QMGR leaves no trace, so a sight that is no longer fresh is assumed to hold still.
    """
    owner, fresh_one, *stale = names
    said = {owner: suspended, fresh_one: suspended, **dict.fromkeys(stale, not suspended)}
    dated = dict.fromkeys((owner, fresh_one), "2026-01-01")
    answers = data.draw(st.permutations([each for each in names if is_shown or each != owner]))
    with fresh(1) as (twin,):
        twin.ingest_files(_saying(owner, said, dated, answers), at=AT + DAY)
        value, basis = _suspended(twin, AT + DAY + age, owner)
        assert value == ("YES" if suspended else "NO")
        assert basis == ("observed" if age <= LONGEST else "assumed")


def test_a_full_repository_that_missed_a_suspension_is_found_by_its_clusdate(twin: Twin) -> None:
    """SUSPEND QMGR moves no ALTDATE: the record that was received earlier is the older one."""
    said = {"SILO": True, "MOWER": True, "WELL": False}
    dated = {"SILO": "2026-01-01", "MOWER": "2026-01-01"}
    twin.ingest_files(_saying("SILO", said, dated, list(said)), at=AT + DAY)
    rows = twin.ask("doctor", rule="full-repositories-disagree", as_of=AT + DAY + HOUR).rows
    assert {str(row["finding"]).split(" ", 1)[0] for row in rows} == {"WELL"}


def _saying(
    owner: str, said: Mapping[str, bool], dated: Mapping[str, str], answers: Sequence[str]
) -> list[FileText]:
    """Write dumps of full repositories, and what some show of whether one is suspended."""
    names = sorted(said)
    members = [(name, qmid(name)) for name in names]
    texts = [dump(name, names[0 if name == names[1] else 1], full=True) for name in names]
    for name in answers:
        head, _, row = clusqmgr(name, members, full=names).partition(f"CLUSQMGR({owner})")
        row = row.replace("SUSPEND(NO)", f"SUSPEND({'YES' if said[name] else 'NO'})", 1)
        row = row.replace("2025-12-20", dated.get(name, "2025-12-20"), 1)
        date = "   ALTDATE(2025-12-19)\n   ALTTIME(10.00.00)\n"
        texts.append(f"{head}CLUSQMGR({owner}){row.replace('   DEFTYPE', f'{date}   DEFTYPE', 1)}")
    return [FileText(text, zone=UTC) for text in texts]


def _suspended(twin: Twin, at: Instant, name: str = "SILO") -> tuple[object, object]:
    answer = twin.ask("members", as_of=at)
    rows = zip(answer.rows, answer.basis_of, strict=True)
    [(row, basis)] = [each for each in rows if each[0]["qmgr"] == name]
    return row["suspend"], basis.get("suspend", row["basis"])


def test_only_dates_that_rest_on_enough_are_listed(twin: Twin) -> None:
    """Each row of lifetimes has dates, also if what rests on less than a basis is left out."""
    twin.ingest_files([FileText(_answers("QLOCAL", {}, {}))], at=LATER)
    assert twin.ask("lifetimes", as_of=LATER).rows
    for basis in ("observed", "derived", "assumed"):
        rows = twin.ask("lifetimes", as_of=LATER, basis=basis).rows
        assert all(row["removal"] is not None and row["state"] for row in rows)


@pytest.mark.parametrize("first", [True, False])
def test_a_cell_that_no_sight_showed_is_blank(twin: Twin, *, first: bool) -> None:
    """DISPLAY shows it as blank, and JSON as null, until a sight shows it."""
    twin.ingest_files([FileText(_answers("QLOCAL", {}, {"PUT": "DISABLED"}))], at=LATER)
    if not first:
        more = _answers("QLOCAL", {}, {"CLWLPRTY": "5"})
        twin.ingest_files([FileText(more)], at=LATER + DAY)
    shown = twin.mqsc("MOWER", as_of=LATER + 2 * DAY)
    [row] = shown.run("DISPLAY QCLUSTER(OATS) PUT CLWLPRTY DEFBIND").displayed
    assert (row["put"], row["defbind"]) == ("DISABLED", None)
    assert row["clwlprty"] == (None if first else 5)
