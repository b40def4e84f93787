"""Where a finding was written: a file and line, or a user at an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin import Twin
from twin.app.batch import recording_from
from twin.events import Origin
from twin.model.instants import parse_instant
from twin.review.doctor.examination import ExamRequest, examine
from twin.review.doctor.sarif import sarif_of
from twin.review.doctor.suppressions import suppress

NINE = parse_instant("2026-01-01T09:00", now=0)


def places(folder: Path, origin: Origin) -> tuple[list[tuple[str, int]], list[str]]:
    """Return the places of a finding in SARIF, and the files that are read for suppressions."""
    with Twin.open(f"sqlite:///{folder / 'twin.db'}", clock=lambda: NINE) as twin:
        twin.crtmqm("QM1", at=NINE)
        twin.strmqm("QM1", at=NINE)
        with recording_from(origin):
            twin.mqsc("QM1", at=NINE).run(
                "DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA) HBINT(0)"
            )
        examination = examine(twin, ExamRequest(rules=("heartbeat-interval",)))
    (result,) = sarif_of(examination, folder="/")["runs"][0]["results"]
    physical = [each["physicalLocation"] for each in result["locations"]]
    read: list[str] = []

    def lines_of(file: str) -> list[str]:
        read.append(file)
        return []

    suppress(examination, (), lines_of)
    return [
        (each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in physical
    ], read


def test_a_finding_is_shown_where_it_was_written(tmp_path: Path) -> None:
    """The place in the file is that of the definition."""
    assert places(tmp_path, Origin(file="a@b.mqsc", line=7)) == ([("a%40b.mqsc", 7)], ["a@b.mqsc"])


@pytest.mark.parametrize("user", ["alice", None])
def test_an_address_is_no_line_of_a_file(tmp_path: Path, user: str | None) -> None:
    """An IPv6 address ends as a place in a file does. Without a file, a dump is named."""
    at = Origin(user=user, address="2001:db8::17")
    assert places(tmp_path, at) == ([("QM1.mqsc", 1)], [])
