"""`twin doctor` prints findings, says where definitions came from, and ends with an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import AT, Run

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


def test_a_finding_has_its_evidence_fix_and_source(faulty: Run) -> None:
    """A paragraph has the rule, object, origin of the definition, fix, its class, and source."""
    result = faulty("doctor", "--rule", "cluster-sender-to-partial")
    assert result.code == 10
    first, text, evidence, fix, about, *_ = result.lines
    grounds, source = result.lines[7:9]
    assert first == "error  cluster-sender-to-partial  QM1 CHANNEL(CA.QM2)"
    assert text == "  The channel leads to QM2, which is no full repository of CA."
    assert evidence.endswith(", from typo.mqsc:2")
    assert fix == "  fix on QM1: DELETE CHANNEL(CA.QM2)"
    assert about == "  owner decides, definition checked"
    assert grounds.startswith("  destructive: rests on simulated facts, positions ")
    assert source == "  source: IBM MQ, Cluster channels; Components of a cluster"
    assert result.lines[-2] == "1 error, 0 warnings, 0 info, 0 rules not checked"


def test_json_has_the_keys_of_the_question_and_those_of_the_review(faulty: Run) -> None:
    """A row of JSON has the keys of `ask doctor`, and what the review adds."""
    (row,) = faulty("doctor", "--rule", "cluster-sender-to-partial", "--format", "json").json[
        "rows"
    ]
    (asked,) = faulty(
        "ask", "doctor", "--rule", "cluster-sender-to-partial", "--format", "json"
    ).json["rows"]
    assert {key: row[key] for key in asked} == asked
    assert row["fix"] == [{"on": "QM1", "mqsc": "DELETE CHANNEL(CA.QM2)"}]
    assert (row["class"], row["origins"]) == ("owner decides", ["typo.mqsc:2"])


def test_the_evidence_is_what_set_the_attribute_that_is_wrong(cluster: Run) -> None:
    """Later alterations of other attributes do not count; a definition with the default does."""
    scripts = {
        "first": "DEFINE QALIAS(A) TARGET(NOTHING) DESCR('a')\nALTER QMGR DEFXMITQ(NONE)\n"
        "DEFINE QALIAS(B) TARGET(ORDERS)\nALTER QALIAS(B) CLUSTER(CA)\n",
        "second": "ALTER QALIAS(A) DESCR('b')\nALTER QMGR DESCR('b')\nALTER QALIAS(B) DESCR('b')\n",
        "third": "ALTER QALIAS(A) TARGET(NADA)\nALTER QALIAS(A) DESCR('c')\n",
    }

    def origins(rule: str) -> list[str]:
        (row,) = cluster("doctor", "--rule", rule, "--format", "json").json["rows"]
        assert len(row["evidence"]) == 1
        return list(row["origins"])

    for name, script in scripts.items():
        Path(f"{name}.mqsc").write_text(script, encoding="utf-8")
        assert cluster("runmqsc", "QM1", f"{name}.mqsc", "--at", AT).code == 0
        assert origins("alias-to-nothing") == [
            "third.mqsc:1" if name == "third" else "first.mqsc:1"
        ]
        assert origins("default-transmission-queue") == ["first.mqsc:2"]
        assert origins("alias-bound-elsewhere") == ["first.mqsc:3"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 10),
        (["--fail-on", "error"], 10),
        (["--rule", "cluster-receiver-localhost", "--fail-on", "info"], 0),
        (["--on", "FR1", "--rule", "cluster-sender-to-partial"], 0),
        (["--skip", "cluster-sender-to-partial:known", "--rule", "cluster-sender-to-partial"], 0),
        (["--rule", "no-such-rule"], 20),
        (["--skip", "no-such-rule"], 20),
        (["--on", "QM9"], 20),
        (["--cluster", "CX"], 20),
        (["--rules", "--on", "QM1"], 20),
    ],
)
def test_exit_codes(faulty: Run, words: list[str], code: int) -> None:
    """0 without findings as bad as --fail-on, 10 with some, 20 for what cannot be run."""
    result = faulty("doctor", *words)
    assert result.code == code
    assert bool(result.err) == (code == 20)


def test_a_skipped_rule_is_counted_as_suppressed(faulty: Run) -> None:
    """A skipped finding is among the suppressed ones in JSON, with its reason."""
    only = ("--rule", "cluster-sender-to-partial")
    skipped = ("--skip", "cluster-sender-to-partial:being moved")
    document = faulty("doctor", *only, *skipped, "--format", "json").json
    assert (document["rows"], document["rules_run"]) == ([], 1)
    assert [row["suppressed"]["reason"] for row in document["suppressed"]] == ["being moved"]


def test_findings_with_the_same_text_share_a_paragraph(cluster: Run) -> None:
    """One paragraph names all objects, and has the fix of each."""
    lines = cluster("doctor", "--rule", "dead-letter-queue-blank").lines
    assert lines[0] == "warning  dead-letter-queue-blank  3 objects"
    assert lines[1] == "  FR1 QMGR DEADQ, QM1 QMGR DEADQ, QM2 QMGR DEADQ"
    fixes = [line.split(":")[0] for line in lines if line.startswith("  fix on ")]
    assert fixes == ["  fix on FR1", "  fix on QM1", "  fix on QM2"]
    assert "0 errors, 3 warnings, 0 info, 0 rules not checked" in lines


def test_without_proofs_a_fix_has_no_verdict(faulty: Run) -> None:
    """`--no-prove` leaves the rehearsals out: the fix is there, and no proof."""
    words = ("doctor", "--rule", "cluster-sender-to-partial", "--format", "json")
    (judged,), (plain,) = (faulty(*words, *more).json["rows"] for more in ([], ["--no-prove"]))
    assert judged["proof"]["verdict"] == "definition checked"
    assert plain == {**judged, "proof": None}


def test_the_limits_of_a_qm_ini_are_compared_with_what_is_needed(run: Run) -> None:
    """A full repository that needs more channels than MaxChannels has a finding."""
    Path("qm.ini").write_text("Channels:\n  MaxChannels=3\n", encoding="utf-8")
    script = "DEFINE CHANNEL(C.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(C)\n"
    for name in ("FR", "A", "B"):
        ini = ["-ii", "qm.ini"] if name == "FR" else []
        assert run("crtmqm", *ini, name, "--at", AT).code == 0
        assert run("strmqm", name, "--at", AT).code == 0
        more = "ALTER QMGR REPOS(C)" if name == "FR" else ""
        assert run("runmqsc", name, "--at", AT, typed=script.format(name) + more).code == 0
    (row,) = run("doctor", "--rule", "channel-limit", "--format", "json").json["rows"]
    assert row["object"] == "FR MaxChannels"
    assert row["finding"] == "The queue manager needs up to 4 cluster channels; MaxChannels is 3."


def test_all_rules_are_listed(cluster: Run) -> None:
    """`--rules` lists every rule with its grounds, as text and as JSON."""
    rules = cluster("doctor", "--rules", "--format", "json").json["rules"]
    assert {"id", "severity", "condition", "why", "source"} <= rules[0].keys()
    assert cluster("doctor", "--rules").lines[-1] == f"{len(rules)} rules"
