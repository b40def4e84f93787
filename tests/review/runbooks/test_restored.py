"""Whether a restore calls for REFRESH CLUSTER: the doctor and the runbook give one answer."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from tests.review.runbooks.test_refreshing import NOW, asked, found
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant
from twin.questions.doctor.diagnosis import diagnose
from twin.questions.doctor.finding import Severity

_RULE = "restored-without-refresh"


@pytest.fixture
def twin(sqlite_url: str, request: pytest.FixtureRequest) -> Twin:
    """Return a cluster of a level with ORD at PR1, and PR2 that uses it."""
    twin = build(make_twin(sqlite_url, lambda: NOW), level=getattr(request, "param", 940))
    twin.runmqsc("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    twin.put("PR2", "ORD", at=START)
    return twin


def _said(twin: Twin, name: str, *, at: Instant = NOW) -> list[str]:
    """Return what the doctor finds, after checking that the runbook says the same."""
    estate, _ = twin.view(as_of=at)
    found_by_doctor = diagnose(estate, at, rules=[_RULE]).found
    findings = [each.finding.text for each in found_by_doctor]
    assert ("restored" in found(asked(twin, name, at=at))) is bool(findings)
    return findings


@pytest.mark.parametrize("name", ["PR1", "FR1"])
def test_a_restore_after_which_nothing_is_ignored_is_no_fault(twin: Twin, name: str) -> None:
    """If nothing was published since the backup, what is published now is newer to all."""
    twin.restore(name, to=START + HOUR, at=START + DAY)
    assert _said(twin, name) == []
    altered = f"ALTER CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) NETPRTY(3)"
    twin.runmqsc(name, altered, at=START + 2 * DAY)
    assert _said(twin, name) == []
    estate, _ = twin.view(as_of=NOW)
    held = estate.qmgrs["FR2"].repository.instances("CA", "qmgr", f"CA.{name}")
    assert [each.values["NETPRTY"] for each in held.values()] == [3]


@pytest.mark.parametrize("twin", [930], indirect=True)
def test_newer_versions_that_others_hold_are_named(twin: Twin) -> None:
    """What was published since the backup is newer to others than what comes next."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) DESCR('later')", at=START + DAY)
    twin.restore("PR1", to=START + HOUR, at=START + 2 * DAY)
    (text,) = _said(twin, "PR1")
    assert "FR1, FR2, PR2 hold newer versions of ORD, and ignore what it publishes" in text
    twin.runmqsc("PR1", "REFRESH CLUSTER(CA)", at=START + 2 * DAY + HOUR)
    assert _said(twin, "PR1") == []


def test_from_9_4_on_a_restored_queue_manager_is_heard(twin: Twin) -> None:
    """What it publishes next is accepted: no error, and IBM's procedure is named."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) DESCR('later')", at=START + DAY)
    twin.restore("PR1", to=START + HOUR, at=START + 2 * DAY)
    (text,) = _said(twin, "PR1")
    assert "accepted without REFRESH CLUSTER" in text
    estate, _ = twin.view(as_of=NOW)
    (said,) = diagnose(estate, NOW, rules=[_RULE]).found
    assert (said.severity, said.finding.fix, said.finding.otherwise) == (Severity.INFO, (), ())
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=START + 2 * DAY + HOUR)
    assert _said(twin, "PR1") == []
    for full in ("FR1", "FR2"):
        display = twin.mqsc(full, as_of=NOW).run("DISPLAY QCLUSTER(ORD) PUT")
        assert "PUT(DISABLED)" in "".join(display.lines)


def test_a_deletion_since_the_backup_is_newer_too(twin: Twin) -> None:
    """Full repositories that hold the deletion of a queue ignore its old record."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) CLUSTER(' ')", at=START + DAY)
    twin.restore("PR1", to=START + HOUR, at=START + 2 * DAY)
    (text,) = _said(twin, "PR1")
    assert "FR1, FR2" in text
    assert "newer versions of ORD" in text


def test_what_nobody_received_is_not_newer(twin: Twin) -> None:
    """A publication that was lost with the transmission queue leaves nothing to be ignored."""
    for full in ("FR1", "FR2"):
        twin.link("cut", "PR1", full, at=START + HOUR)
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) DESCR('later')", at=START + DAY)
    twin.restore("PR1", to=START + HOUR, at=START + 2 * DAY)
    assert _said(twin, "PR1") == []
