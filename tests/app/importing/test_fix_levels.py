"""The fix level is that of a dump or an answer; nothing is concluded from one that nobody saw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.importing.collected_cluster import clusqmgr, dump, qmid, script
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant, parse_instant
from twin.model.platforms import is_version, level_in, version_of, versions_agree
from twin.review.runbooks.refreshing import decide
from twin.review.runbooks.subjects import RunbookRequest

AT: Final = parse_instant("2026-01-01T07:00:00Z", now=0)
NAMES: Final = ("DAIRY1", "DAIRY2", "SHOP1")
FULL: Final = NAMES[:2]


@pytest.fixture
def twin() -> Iterator[Twin]:
    """Return a twin on an empty log."""
    with ExitStack() as stack:
        yield stack.enter_context(fresh(1))[0]


def dumps(version: str, *, level: int = 930) -> list[FileText]:
    """Return a dump of each queue manager."""
    return [
        FileText(dump(name, FULL[name == FULL[0]], full=name in FULL, level=level, version=version))
        for name in NAMES
    ]


def answers(version: str) -> list[FileText]:
    """Return an answer of each queue manager that shows all members with a VERSION."""
    members = [(name, qmid(name)) for name in NAMES]
    return [
        FileText(clusqmgr(name, members, full=FULL, version=version, manual=FULL[name == FULL[0]]))
        for name in NAMES
    ]


def shown(twin: Twin, name: str, at: Instant) -> str:
    """Return the VERSION that DISPLAY QMGR shows."""
    lines = twin.runmqsc(name, "DISPLAY QMGR VERSION", as_of=at).lines
    return next(each for each in lines if "VERSION(" in each).partition("VERSION(")[2].strip(" )")


def wrong(twin: Twin, at: Instant) -> list[str]:
    """Return what is said to be wrong with records, and who is said to need a refresh."""
    found = [str(row["id"]) for row in twin.ask("doctor", as_of=at).rows]
    bad = [each for each in found if each in {"full-repositories-disagree", "member-dropped-out"}]
    bad += [
        f"{row['observer']} {row['name']} {row['field']}"
        for row in twin.ask("reconcile", as_of=at).rows
        if row["verdict"] != "agrees"
    ]
    wanted = (RunbookRequest(qmgr=name, cluster="MILK") for name in NAMES)
    return bad + [each.qmgr for each in wanted if decide(twin, each, as_of=at).is_needed]


@pytest.mark.parametrize("version", ["09030000", "09030015", "09030399"])
def test_the_version_of_a_dump_is_that_of_its_queue_manager(twin: Twin, version: str) -> None:
    """VERSION in a dump is shown, and answers that show the same one agree in all records."""
    twin.ingest_files(dumps(version), at=AT)
    twin.ingest_files(answers(version), at=AT + 2 * HOUR)
    assert {shown(twin, name, AT) for name in NAMES} == {version}
    assert wrong(twin, AT + 2 * HOUR) == []


def test_where_only_the_level_is_known_only_the_level_is_compared(twin: Twin) -> None:
    """Without VERSION the fix pack is blank; an answer that shows one agrees with it."""
    twin.ingest_files(dumps(""), at=AT)
    assert shown(twin, "DAIRY1", AT) == ""
    twin.ingest_files(answers("09030007"), at=AT + 2 * HOUR)
    assert shown(twin, "DAIRY1", AT + 2 * HOUR) == "09030007"
    assert wrong(twin, AT + 2 * HOUR) == []


def test_a_script_says_no_level(twin: Twin) -> None:
    """Of a queue manager that is only known by a script any VERSION agrees with what is known."""
    for name in NAMES:
        twin.ingest_files(
            [FileText(script(name, FULL[name == FULL[0]], full=name in FULL), name)], at=AT
        )
    twin.ingest_files(answers("09000012"), at=AT + 2 * HOUR)
    assert wrong(twin, AT + 2 * HOUR) == []


def test_a_fix_pack_changes_no_receipt(twin: Twin) -> None:
    """A record that is seen with another VERSION keeps its source and its dates."""

    def held(at: Instant) -> list[list[object]]:
        rows = [
            *twin.ask("lifetimes", as_of=at, kind="qmgr").rows,
            *twin.ask("beliefs", as_of=at, kind="qmgr").rows,
        ]
        columns = ("observer", "name", "source", "published", "removal")
        return [[row.get(each) for each in columns] for row in rows]

    twin.ingest_files(dumps("09030015"), at=AT)
    twin.ingest_files(answers("09030015"), at=AT + HOUR)
    before = held(AT + HOUR)
    assert any(source for _, _, source, *_ in before)
    twin.ingest_files(answers("09030020"), at=AT + DAY)
    assert held(AT + DAY) == before


def test_an_upgraded_queue_manager_has_its_new_level(twin: Twin) -> None:
    """A later dump of a higher level changes CMDLEVEL and VERSION, and nothing disagrees."""
    twin.ingest_files(dumps("09030015"), at=AT)
    twin.ingest_files(answers("09030015"), at=AT + HOUR)
    twin.ingest_files(dumps("09040005", level=940), at=AT + DAY)
    twin.ingest_files(answers("09040005"), at=AT + DAY + HOUR)
    assert (shown(twin, "SHOP1", AT + HOUR), shown(twin, "SHOP1", AT + DAY)) == (
        "09030015",
        "09040005",
    )
    estate, _ = twin.view(as_of=AT + DAY)
    assert estate.qmgr("SHOP1").cmdlevel == 940
    assert not [each for each in wrong(twin, AT + DAY + HOUR) if "VERSION" not in each]


@examples()
@given(st.integers(700, 1099), st.integers(0, 99), st.integers(0, 99))
def test_two_versions_agree_as_far_as_both_are_known(level: int, one: int, other: int) -> None:
    """A level agrees with each of its fix packs, and two fix packs only with themselves."""
    first, second = version_of(level, one), version_of(level, other)
    assert is_version(first)
    assert level_in(first) == level
    assert versions_agree(version_of(level), first)
    assert versions_agree(first, "")
    assert versions_agree(first, second) == (one == other)
