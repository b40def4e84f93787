"""Suppressions, baselines, SARIF and files of `twin doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import AT, Run
from tests.review.doctor.sarif_rules import problems
from twin.questions.doctor.registry import RULES

RULE = "cluster-sender-to-partial"
ONLY = ("doctor", "--rule", RULE)
TYPO = """\
* a second way into the cluster
DEFINE CHANNEL(CA.QM2) CHLTYPE(CLUSSDR) CONNAME('QM2(1414)') CLUSTER(CA)
"""


@pytest.fixture
def faulty(cluster: Run) -> Run:
    """Give QM1 a manual CLUSSDR to a partial repository, by a script."""
    Path("typo.mqsc").write_text(TYPO, encoding="utf-8")
    assert cluster("runmqsc", "QM1", "typo.mqsc", "--at", AT).code == 0
    return cluster


def _ignore(entry: str) -> None:
    Path(".twin-doctor.yaml").write_text(f"ignore:\n  - {{{entry}}}\n", encoding="utf-8")


def test_a_finding_is_suppressed_by_the_file(faulty: Run) -> None:
    """An entry with a reason suppresses a finding, which stays listed with the reason."""
    _ignore(f"id: {RULE}, object: QM1 CHANNEL(CA.*, reason: moved next week, until: 2999-12-31")
    result = faulty(*ONLY)
    assert result.code == 0
    assert result.lines[0] == f"suppressed  {RULE}  QM1 CHANNEL(CA.QM2): moved next week"
    assert "0 errors, 0 warnings, 0 info, 1 suppressed, 0 rules not checked" in result.lines
    (row,) = faulty(*ONLY, "--format", "json").json["suppressed"]
    assert row["suppressed"] == {
        "reason": "moved next week",
        "kind": "external",
        "place": ".twin-doctor.yaml:2",
    }


def test_a_suppression_ends_after_its_last_day(faulty: Run) -> None:
    """After that day the finding counts again, and says so."""
    _ignore(f"id: {RULE}, reason: moved soon, until: 2025-12-31")
    assert faulty(*ONLY, "--as-of", "2025-12-31T23:59").code == 0
    result = faulty(*ONLY, "--as-of", "2026-01-01")
    assert result.code == 10
    assert "  no longer suppressed (.twin-doctor.yaml:2): moved soon" in result.lines


def test_a_suppression_that_suppresses_nothing_is_named(faulty: Run) -> None:
    """An entry without a finding is a note, so that it is not forgotten."""
    _ignore("id: listener-manual, object: QM9 LISTENER(X), reason: old")
    says = ".twin-doctor.yaml:2: listener-manual QM9 LISTENER(X) suppresses nothing"
    assert says in faulty("doctor", "--rule", "listener-manual").out


@pytest.mark.parametrize(
    "narrower", [("--rule", "single-instance"), ("--on", "QM2"), ("--cluster", "CA")]
)
def test_what_was_not_looked_for_is_not_called_gone(faulty: Run, narrower: tuple[str, str]) -> None:
    """A run of other rules, or about one queue manager, does not know what is gone elsewhere."""
    faulty("doctor", "--format", "json", "--output", "base.json")
    _ignore("id: listener-manual, object: QM9 LISTENER(X), reason: old")
    faulty("runmqsc", "QM1", "--at", AT, typed="DELETE CHANNEL(CA.QM2)")
    everywhere = faulty("doctor", "--baseline", "base.json")
    assert "of the baseline are gone" in everywhere.out
    result = faulty("doctor", *narrower, "--baseline", "base.json")
    assert (result.code in (0, 10), "gone" in result.out) == (True, False)
    assert "suppresses nothing" not in result.out


@pytest.mark.parametrize(
    ("comment", "code", "says"),
    [
        (f"* twin:ignore {RULE} the only way in", 0, "the only way in (typo.mqsc:1)"),
        (f"* twin:ignore {RULE} until 2020-01-01 soon", 10, "no longer suppressed (typo.mqsc:1)"),
        ("* twin:ignore listener-manual other rule", 10, "error  cluster-sender-to-partial"),
        (f"* twin:ignore {RULE}", 10, "typo.mqsc:1: a reason for ignoring"),
    ],
)
def test_a_comment_above_a_definition_suppresses(
    cluster: Run, comment: str, code: int, says: str
) -> None:
    """A comment right above the definition suppresses its finding, with a reason only."""
    Path("typo.mqsc").write_text(TYPO.replace("* a second way into the cluster", comment), "utf-8")
    cluster("runmqsc", "QM1", "typo.mqsc", "--at", AT)
    result = cluster(*ONLY)
    assert (result.code, says in result.out) == (code, True)


def test_only_new_findings_count_with_a_baseline(faulty: Run) -> None:
    """A finding of the baseline is known, a new one gives exit code 10, gone ones are counted."""
    assert faulty(*ONLY, "--format", "json", "--output", "base.json").code == 10
    result = faulty(*ONLY, "--baseline", "base.json")
    assert (result.code, result.lines[0].endswith("  (known)")) == (0, True)
    assert ", 1 known, new: nothing, " in result.out
    typo = "DEFINE CHANNEL(CA.X) CHLTYPE(CLUSSDR) CONNAME('x(1)') CLUSTER(CA)"
    faulty("runmqsc", "QM2", "--at", AT, typed=typo)
    result = faulty("doctor", "--rule", "cluster-sender-without-target", "--baseline", "base.json")
    assert result.code == 10
    assert "1 error, 0 warnings, 0 info, new: 1 error, 0 rules not checked" in result.lines


@pytest.mark.parametrize("text", ["", "[]", '{"question": "members"}', '{"question": "doctor"}'])
def test_what_is_no_baseline_is_refused(faulty: Run, text: str) -> None:
    """A file that is not the JSON of an earlier run is bad input."""
    Path("base.json").write_text(text, encoding="utf-8")
    result = faulty("doctor", "--baseline", "base.json")
    assert (result.code, result.out, result.err.count("\n")) == (20, "", 1)


def test_sarif_follows_the_published_schema(faulty: Run) -> None:
    """SARIF has all rules, the findings with their places, and suppressed ones with the reason."""
    _ignore("id: listener-absent, reason: containers start it")
    faulty("doctor", "--format", "json", "--output", "base.json")
    document = faulty("doctor", "--format", "sarif", "--baseline", "base.json").json
    assert list(problems(document)) == []
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == [*RULES, "command-rejected"]
    (result,) = (each for each in run["results"] if each["ruleId"] == RULE)
    assert result["level"] == "error"
    assert result["baselineState"] == "unchanged"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == RULE
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "typo.mqsc"},
        "region": {"startLine": 2},
    }
    assert place["logicalLocations"] == [
        {"fullyQualifiedName": "QM1/CHANNEL/CA.QM2", "kind": "channel"}
    ]
    (accepted,) = (each for each in run["results"] if each["ruleId"] == "listener-absent")
    assert accepted["suppressions"] == [
        {"kind": "external", "justification": "containers start it"}
    ]


def test_a_clean_run_writes_sarif_with_an_empty_list(cluster: Run) -> None:
    """Without findings the results are an empty list, which closes alerts."""
    clean = cluster("doctor", "--rule", "listener-manual", "--format", "sarif")
    assert (clean.code, clean.json["runs"][0]["results"]) == (0, [])


def test_a_report_in_a_file_is_shown_on_standard_error_too(faulty: Run) -> None:
    """`--output` writes the file; the log of the run has the text."""
    result = faulty(*ONLY, "--format", "sarif", "--output", "found.sarif")
    assert (result.code, result.out) == (10, "")
    assert result.err.startswith(f"error  {RULE}  QM1 CHANNEL(CA.QM2)\n")
    assert json.loads(Path("found.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert faulty(*ONLY, "--output", "no/such/folder/x").code == 20


def test_the_help_says_that_suppressions_of_a_folder_are_in_it(run: Run) -> None:
    """With --from, the file in the current folder is not read."""
    text = " ".join(run("doctor", "--help").out.replace("│", " ").split())
    assert "with --from DIR in DIR (ignore:" in text
    assert "with --from DIR the one in DIR" in text
