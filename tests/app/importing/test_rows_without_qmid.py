"""Rows that show no QMID are about the queue manager that shows its QMID elsewhere."""

from __future__ import annotations

from random import Random

import pytest

from tests.app.importing.collected_cluster import clusqmgr, qmid, script
from tests.app.test_laws import fresh
from tests.laws import seeds
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, MINUTE, Instant, parse_instant
from twin.questions.answer import Row

SEEN: Instant = parse_instant("2026-01-01T07:00:00Z", now=0)
NAMES = ("OAK", "YEW", "ELM", "ASH")
FULL = ("OAK", "YEW")


def _without_qmids(observer: str) -> str:
    """Write the answer of a queue manager to DISPLAY CLUSQMGR(*) QMTYPE."""
    lines = [f"Starting MQSC for queue manager {observer}.", "     1 : DISPLAY CLUSQMGR(*) QMTYPE"]
    for name in NAMES:
        lines += [
            "AMQ8441I: Display Cluster Queue Manager details.",
            f"   CLUSQMGR({name})  CHANNEL(MILK.{name})",
            f"   CLUSTER(MILK)  QMTYPE({'REPOS' if name in FULL else 'NORMAL'})",
        ]
    return "\n".join([*lines, "One MQSC command read.", "No commands have a syntax error.", ""])


def _answers(twin: Twin) -> dict[str, list[Row]]:
    """Return what is known of the members, now and weeks later."""
    return {
        f"{question} {at}": [
            {key: value for key, value in row.items() if key != "evidence"}
            for row in twin.ask(question, as_of=at).rows
        ]
        for question in ("members", "beliefs", "lifetimes")
        for at in (SEEN + MINUTE, SEEN + 20 * DAY)
    }


@pytest.mark.parametrize("seed", seeds(1, *range(2, 25)))
def test_scripts_and_rows_without_qmids_give_one_member_each_in_any_order(seed: int) -> None:
    """Scripts make QMIDs up, one member shows its own: each order of imports knows each once."""
    random = Random(seed)
    shower = random.choice(NAMES)
    brief = random.choice([name for name in NAMES if name != shower])
    members = [(name, qmid(name)) for name in NAMES]
    files = [
        clusqmgr(shower, members, full=FULL),
        _without_qmids(brief),
        *(script(name, "OAK" if name != "OAK" else "YEW", full=name in FULL) for name in NAMES),
    ]
    names = [shower, brief, *NAMES]
    with fresh(2) as (one, other):
        one.ingest_files(
            [FileText(text, qmgr=name) for name, text in zip(names, files, strict=True)], at=SEEN
        )
        for number in random.sample(range(len(files)), len(files)):
            other.ingest(files[number], qmgr=names[number], at=SEEN)
        expected = _answers(one)
        assert {row["qmid"] for row in expected[f"members {SEEN + MINUTE}"]} == {
            qmid(name) for name in NAMES
        }
        assert _answers(other) == expected
        found = {row["id"] for row in other.ask("doctor", as_of=SEEN + MINUTE).rows}
        assert "queue-manager-name-duplicate" not in found
