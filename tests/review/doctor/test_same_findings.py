"""`twin doctor` finds what `ask doctor` finds at the same point; only its fixes are rehearsed."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Final, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_laws import fresh
from tests.laws import examples
from tests.round_trip.random_estates import ACTS, PARTIAL, Act, built, live
from tests.round_trip.written import files
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.fold.estate import Estate
from twin.model.amounts import counted
from twin.model.instants import DAY, HOUR, Instant
from twin.review.doctor.examination import ExamRequest, examine

DEAD: Final = "SYSTEM.DEAD.LETTER.QUEUE"
QUEUES: Final = ("A", "B", DEAD, "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "SYSTEM.CLUSTER.COMMAND.QUEUE")
MAXDEPTH: Final = 5000
"""The default."""

Depths: TypeAlias = dict[str, dict[str, int]]
"""Queue manager -> queue -> its depth."""

DEPTHS: Final = st.dictionaries(
    st.sampled_from(PARTIAL),
    st.dictionaries(
        st.sampled_from(QUEUES), st.sampled_from([0, 3, MAXDEPTH - 1, MAXDEPTH]), min_size=1
    ),
    min_size=1,
)
COMMANDS: Final = st.lists(
    st.tuples(
        st.sampled_from(PARTIAL),
        st.one_of(
            st.builds("CLEAR QLOCAL({})".format, st.sampled_from(QUEUES)),
            st.builds("ALTER QLOCAL({}) MAXDEPTH({})".format, st.sampled_from(QUEUES), st.just(3)),
            st.builds("DELETE QLOCAL({}) PURGE".format, st.sampled_from(QUEUES)),
            st.just("DEFINE QLOCAL(A) CLUSTER(CA)"),
            st.just("STOP CHANNEL(CA.FR1)"),
        ),
    ),
    max_size=4,
)
"""Commands on a branch."""

WAITS: Final = st.sampled_from([0, HOUR, 3 * DAY, 40 * DAY])


def shown_depths(estate: Estate, depths: Depths) -> list[FileText]:
    """Write what queue managers that run answer to DISPLAY QSTATUS."""
    texts = []
    for name, queues in depths.items():
        if estate.qmgr(name).running:
            lines = [
                f"Starting MQSC for queue manager {name}.",
                "     1 : DISPLAY QSTATUS(*) CURDEPTH",
            ]
            for queue, depth in queues.items():
                lines += ["AMQ8450I: Display queue status details.", f"   QUEUE({queue})"]
                lines += ["   TYPE(QUEUE)", f"   CURDEPTH({depth})"]
            texts.append(FileText("\n".join([*lines, "One MQSC command read.", ""])))
    return texts


def same_findings(twin: Twin, at: Instant, *, prove: bool) -> None:
    """Check that both commands find the same at an instant, and could not check the same."""
    review, answer = examine(twin, ExamRequest(as_of=at, prove=prove)), twin.ask("doctor", as_of=at)
    found = [
        (each.found.rule.id, each.found.finding.object, str(each.severity), str(each.found.basis))
        for each in review.findings
    ]
    asked = [(row["id"], row["object"], row["severity"], row["basis"]) for row in answer.rows]
    assert found == asked
    unchecked = Counter(each.why for each in review.not_checked)
    notes = [f"{counted(n, 'rule')} not checked: {why}" for why, n in unchecked.items()]
    assert [note for note in answer.notes if "not checked: " in note] == notes


@examples(cost=5)
@given(
    st.lists(st.tuples(ACTS, DEPTHS), min_size=1, max_size=2),
    COMMANDS,
    st.lists(WAITS, min_size=1, max_size=2),
    st.booleans(),
)
def test_the_findings_are_those_of_the_estate_as_it_is_on_its_branch(
    parts: list[tuple[list[Act], Depths]],
    commands: list[tuple[str, str]],
    waits: list[int],
    prove: bool,  # noqa: FBT001 - Hypothesis draws it
) -> None:
    """Law: on main and on a branch, at any instant, with and without proofs, they are the same."""
    source = built()
    for name in PARTIAL:
        source.run(name, f"ALTER QMGR DEADQ({DEAD})\nDEFINE QLOCAL(A) CLUSTER(CA)")
    with fresh(1) as (twin,):
        for acts, depths in parts:
            live(source, acts)
            at = source.as_of.valid
            collected = [*files(source.estate, source.as_of), *shown_depths(source.estate, depths)]
            taken = twin.ingest_files(collected, at=at)
            assert not any(each.not_understood for each in taken)
        twin.create_branch("lab", at=at)
        branch = twin.on_branch("lab")
        for name, command in commands:
            with suppress(TwinError):
                branch.runmqsc(name, command, at=at + HOUR)
        for one in (twin, branch):
            for wait in waits:
                same_findings(one, at + wait, prove=prove)
