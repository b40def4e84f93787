"""Every rule of the doctor finds its planted fault, and no other rule finds anything."""

from __future__ import annotations

import pytest

from tests.questions.doctor.healthy import healthy
from tests.questions.doctor.planted import ALL, Planted
from tests.sandbox import Sandbox
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity


def _found(estate: Sandbox) -> list[Found]:
    return list(diagnose(estate.estate, estate.as_of.valid).found)


def test_a_healthy_estate_has_no_finding_above_info() -> None:
    """No rule finds an error or a warning in an estate without faults."""
    findings = _found(healthy())
    assert [each for each in findings if each.severity is not Severity.INFO] == []


@pytest.mark.parametrize("planted", ALL, ids=lambda planted: planted.rule)
def test_a_planted_fault_is_found_by_its_rule(planted: Planted) -> None:
    """The rule of a fault finds it, and only rules that are named find anything else."""
    findings = _found(planted.plant(healthy()))
    assert (planted.rule, planted.subject) in {
        (each.rule.id, each.finding.object) for each in findings
    }
    bad = {
        each.rule.id
        for each in findings
        if each.severity is not Severity.INFO and each.root is None
    }
    assert bad - {planted.rule} == planted.also
