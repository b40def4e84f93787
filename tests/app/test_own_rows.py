"""The row of DISPLAY CLUSQMGR about the queue manager itself, and what it shows.

It may be all that is ever known of a CLUSRCVR. Each column counts as soon as it was
shown, and none that nothing showed.
"""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant

CELLS: Final = {
    "ALTDATE": "2025-11-02",
    "ALTTIME": "08.09.10",
    "BATCHSZ": "77",
    "CLWLWGHT": "61",
    "CONNAME": "kiln.example(2500)",
    "DISCINT": "42",
    "QMTYPE": "REPOS",
    "SUSPEND": "NO",
}
"""A column of the row, and its value."""

QMID: Final = "KILN_2025-11-01_07.08.09"
DATES: Final = ("ALTDATE", "ALTTIME")


def answer(cells: set[str]) -> FileText:
    """Write an answer of KILN about itself with some of the columns."""
    shown = "".join(f"   {name}({CELLS[name]})\n" for name in sorted(cells))
    return FileText(
        "Starting MQSC for queue manager KILN.\n\n\n"
        f"     1 : DISPLAY CLUSQMGR(KILN) {' '.join(sorted(cells))} QMID\n"
        "AMQ8441I: Display Cluster Queue Manager details.\n"
        "   CLUSQMGR(KILN)                          CHANNEL(CLAY.KILN)\n"
        f"   CLUSTER(CLAY)                           QMID({QMID})\n{shown}"
        "One MQSC command read.\n"
        "No commands have a syntax error.\n"
        "All valid MQSC commands were processed.\n"
    )


def row(twin: Twin, at: Instant) -> dict[str, str]:
    """Return the cells of the row that are asked for, as KILN would show them."""
    names = [each for each in CELLS if each not in DATES]
    session = twin.mqsc("KILN", as_of=at).run(f"DISPLAY CLUSQMGR(KILN) {' '.join(names)}")
    [found] = session.displayed
    return {name: str(found[name.lower()]) for name in names}


pieces_of = st.lists(
    st.tuples(st.sets(st.sampled_from(sorted(CELLS))), st.integers(0, 3)), min_size=1, max_size=4
)


@examples(cost=2)
@given(pieces_of, st.randoms(use_true_random=False))
def test_a_column_counts_from_whichever_answer_showed_it(
    pieces: list[tuple[set[str], int]], order: object
) -> None:
    """A row without CONNAME hides no CONNAME of another answer, before, after or beside it."""
    pieces = [(cells | set(DATES) if cells & set(DATES) else cells, day) for cells, day in pieces]
    shown = set().union(*(cells for cells, _ in pieces))
    files = [(answer(cells), START + day * DAY) for cells, day in pieces]
    order.shuffle(files)  # type: ignore[attr-defined]
    after = START + 4 * DAY
    with fresh(1) as (twin,):
        for text, at in files:
            twin.ingest_files([text], at=at)
        found = row(twin, after)
        for name in set(found) & shown:
            assert found[name] == CELLS[name], name
        has_address = "CONNAME" in shown
        dumped = "\n".join(twin.dmpmqcfg("KILN", as_of=after))
        assert ("DEFINE CHANNEL('CLAY.KILN')" in dumped) == has_address
        findings = twin.ask("doctor", as_of=after).rows
        assert "cluster-receiver-conname-blank" not in {each["id"] for each in findings}


def test_a_definition_is_not_undone_by_an_older_row(twin: Twin) -> None:
    """What a script says of the channel stays when a row with an older ALTDATE is imported."""
    script = (
        "DEFINE CHANNEL(CLAY.KILN) CHLTYPE(CLUSRCVR) CLUSTER(CLAY) "
        "CONNAME('kiln.example(2600)') BATCHSZ(50)\n"
    )
    twin.ingest_files([FileText(script, qmgr="KILN")], at=START + HOUR)
    twin.ingest_files([answer({*DATES, "BATCHSZ", "CONNAME"})], at=START + DAY)
    assert row(twin, START + 2 * DAY)["CONNAME"] == "kiln.example(2600)"


def test_scripts_may_follow_the_answer_that_has_the_real_qmid(twin: Twin) -> None:
    """Each is imported on its own, the one of the queue manager in the answer last."""
    twin.ingest_files([answer({*DATES, "CONNAME", "QMTYPE"})], at=START)
    channels = (
        "DEFINE CHANNEL(CLAY.{0}) CHLTYPE(CLUSRCVR) CLUSTER(CLAY) CONNAME('{0}.example(2500)')\n"
        "DEFINE CHANNEL(CLAY.{1}) CHLTYPE(CLUSSDR) CLUSTER(CLAY) CONNAME('{1}.example(2500)')\n"
    )
    full = "ALTER QMGR REPOS(CLAY)\n"
    scripts = {"WHEEL": channels.format("WHEEL", "PIT"), "LOFT": channels.format("LOFT", "KILN")}
    scripts |= {"PIT": full + channels.format("PIT", "KILN")}
    scripts |= {"KILN": full + channels.format("KILN", "PIT")}
    for name, text in scripts.items():
        twin.ingest_files([FileText(text, qmgr=name)], at=START)
    rows = twin.ask("members", as_of=START + 30 * DAY).rows
    assert {row["qmgr"] for row in rows} == set(scripts)
    assert QMID in {row["qmid"] for row in rows}
