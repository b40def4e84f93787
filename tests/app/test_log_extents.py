"""Where an imported error log reaches, it has what was written: nothing else is shown there."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.app.test_standing import imported, observe, seen_channel
from tests.laws import examples
from twin import events
from twin.events import Origin
from twin.model.instants import HOUR, MINUTE, Instant, format_instant

FILES: Final = ("old.log", "new.log")
HOURS: Final = st.sets(st.integers(1, 30), max_size=5)
STATUSES: Final = st.dictionaries(
    st.integers(1, 40), st.sampled_from(["RUNNING", "RETRYING", "STOPPED", "INACTIVE"]), max_size=6
)


def line(file: str, number: int) -> events.EvidenceObserved:
    """Return a line of an imported log of P1."""
    origin = Origin(file=file, line=number, message="AMQ9513")
    return events.EvidenceObserved(qmgr="P1", id="AMQ9513", channel="CA.F1", origin=origin)


@examples(cost=4)
@given(st.tuples(HOURS, HOURS), STATUSES, st.integers(0, 40), st.integers(0, 40))
def test_nothing_is_made_up_where_a_log_reaches(
    hours: tuple[set[int], set[int]], seen: dict[int, str], one: int, other: int
) -> None:
    """Its lines are shown as observed; if there is none, the answer says what the log covers."""
    begin, end = (START + each * HOUR + MINUTE for each in sorted((one, other)))
    written: set[Instant] = set()
    covered: list[tuple[Instant, Instant]] = []
    with fresh(1) as (twin,):
        imported(twin)
        for hour, status in seen.items():
            observe(twin, START + hour * HOUR + 2, seen_channel("CA.F2", status))
        for file, those in zip(FILES, hours, strict=True):
            instants = [START + hour * HOUR for hour in sorted(those)]
            for number, at in enumerate(instants):
                observe(twin, at, line(file, 1 + 9 * number))
            written |= {*instants}
            covered += [(instants[0], instants[-1])] if instants else []
        found = twin.ask("errorlog", {"on": "P1"}, since=begin, as_of=end)
        observed = {row["at"] for row in found.rows if row["basis"] == "observed"}
        assert observed == {at for at in written if begin <= at <= end}
        for row in found.rows:
            moment = row["at"]
            assert isinstance(moment, int)
            assert row["basis"] == "observed" or not any(a <= moment <= b for a, b in covered)
        silent = f"no line of P1 between {format_instant(begin)} and {format_instant(end)}"
        said = [note for note in found.notes if note.startswith(silent)]
        assert len(said) == bool(written and not observed)
        assert all(format_instant(min(written)) in note for note in said)
        if written:
            assert not any(note.startswith("no log of P1") for note in found.notes)
        twin.log.verify()
