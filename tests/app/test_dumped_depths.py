"""The depths and handles in the comments of a dump are seen at its instant, as in DISPLAY."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import HOUR

NUMBERS = st.fixed_dictionaries(
    {"CURDEPTH": st.integers(0, 40)},
    optional={"IPPROCS": st.integers(0, 9), "OPPROCS": st.integers(0, 9)},
)


def dump(queues: dict[str, dict[str, int]]) -> FileText:
    """Write a dump of KILN with local queues, and their numbers as comments."""
    rule = "*" * 79
    body = "".join(
        f"DEFINE QLOCAL('{name}') +\n"
        + "".join(f"*  {each}({number}) +\n" for each, number in numbers.items())
        + "   REPLACE\n"
        for name, numbers in queues.items()
    )
    return FileText(
        f"{rule}\n* Script generated on 2026-01-01   at 00.00.00 \n"
        "* Queue manager name: KILN \n* Queue manager platform: UNIX \n"
        "* Queue manager command level: (940/940) \n"
        f"* Command issued: dmpmqcfg -a -m KILN  \n{rule}\n"
        f"{body}{rule}\n* Script ended on 2026-01-01   at 00.00.00 \n{rule}\n"
    )


def shown(twin: Twin) -> dict[str, dict[str, object]]:
    """Return what DISPLAY shows of the numbers of each queue."""
    session = twin.mqsc("KILN", as_of=LATER)
    rows = session.run("DISPLAY QLOCAL(*) CURDEPTH IPPROCS OPPROCS").displayed
    return {
        str(row["queue"]): {
            each.upper(): row[each]
            for each in ("curdepth", "ipprocs", "opprocs")
            if row[each] is not None
        }
        for row in rows
    }


@examples(cost=2)
@given(st.dictionaries(st.sampled_from(["CLAY", "GLAZE", "SAND"]), NUMBERS, min_size=1))
def test_what_a_dump_shows_of_queues_is_shown_and_dumped_again(
    queues: dict[str, dict[str, int]],
) -> None:
    """No number is lost, none is made up, and a dump of the twin says the same to another one."""
    with fresh(2) as (twin, other):
        twin.ingest_files([dump(queues), dump(queues)], at=START)
        assert shown(twin) == queues
        again = "\n".join(twin.dmpmqcfg("KILN", as_of=START))
        other.ingest_files([FileText(f"{again}\n")], at=START)
        assert shown(other) == queues


def test_a_dump_of_a_simulated_queue_manager_has_its_depths(twin: Twin) -> None:
    """Messages on a queue are in the comments of its definition."""
    twin.crtmqm("KILN", at=START)
    twin.strmqm("KILN", at=START)
    twin.runmqsc("KILN", "DEFINE QLOCAL(CLAY)\nDEFINE QLOCAL(SAND)\n", at=START)
    twin.put("KILN", "CLAY", count=3, at=START)
    text = "\n".join(twin.dmpmqcfg("KILN", as_of=START + HOUR))
    assert "CURDEPTH(3)" in text.partition("'CLAY'")[2].partition("REPLACE")[0]
    assert "CURDEPTH(0)" in text.partition("'SAND'")[2].partition("REPLACE")[0]
