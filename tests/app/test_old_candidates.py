"""An explanation says how old what is known of each candidate is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.app.importing.collected_cluster import dump
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.model.instants import DAY, HOUR, format_instant, parse_instant
from twin.questions.explanation import ExplainRequest

AT = parse_instant("2026-02-01T07:00:00Z", now=0)
NAMES = ("MOWER", "SILO", "BARN")


@examples(cost=3)
@given(st.lists(st.integers(1, 25 * 24), min_size=3, max_size=3), st.integers(0, 1))
def test_each_candidate_that_is_older_than_a_day_has_a_line(hours: list[int], closed: int) -> None:
    """So has the one that asks; also a candidate that a rule excludes. Newer ones have none."""
    put = ("PUT(ENABLED)", "PUT(DISABLED)")[closed]
    with fresh(1) as (twin,):
        for name, age in sorted(zip(NAMES, hours, strict=True), key=lambda each: -each[1]):
            text = dump(name, "SILO" if name == "MOWER" else "MOWER", full=name != "BARN")
            if name != "MOWER":
                queue = f"DEFINE QLOCAL(OATS) CLUSTER(MILK) {put if name == 'BARN' else ''}\n"
                text = text.replace("DEFINE CHANNEL", f"{queue}DEFINE CHANNEL", 1)
            twin.ingest_files([FileText(text)], at=AT - age * HOUR)
        explained, point = twin.explain("MOWER", ExplainRequest(queue="OATS"), as_of=AT)
        notes = explained.answer(point).notes
        assert {row["qmgr"] for row in explained.answer(point).rows} == {"SILO", "BARN"}
    for name, age in zip(NAMES, hours, strict=True):
        dated = f"old, of {format_instant(AT - age * HOUR)}"
        lines = [each for each in notes if each.startswith(f"{name}: what is known is ")]
        assert len(lines) == (age * HOUR > DAY)
        assert all(each.endswith(dated) for each in lines)
