"""docs/in-ci.md and the hooks, tried on a repository that their tests write."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.conftest import Run
from tests.cli.test_folders import cluster, folder
from tests.cli.test_play import BAD, GOOD
from tests.doc_sessions import Step
from tests.doc_sessions import run as run_in_shell
from tests.review.doctor.sarif_rules import problems
from tests.stories.junit_schemas import ANT, violations

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "in-ci.md").read_text(encoding="utf-8")
HOOKS: Final[list[dict[str, Any]]] = yaml.safe_load(
    (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
)


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def workflow() -> list[dict[str, Any]]:
    """Return the steps of the example workflow."""
    (document,) = (each for each in map(yaml.safe_load, blocks("yaml")) if "jobs" in each)
    ((_, job),) = document["jobs"].items()
    steps: list[dict[str, Any]] = job["steps"]
    return steps


def in_shell(commands: list[str], where: Path, program: Path) -> list[tuple[str, int]]:
    """Run commands in one shell; return the output and the exit code of each."""
    steps = [Step(f"$ {each}; echo code $?\n", "") for each in commands]
    steps = run_in_shell(steps, where, program)
    ended = (step.answer.rpartition("code ") for step in steps)
    return [(output, int(code)) for output, _, code in ended]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with a fault that a pull request brings, beside its base."""
    monkeypatch.chdir(tmp_path)
    folder("base/mq", cluster())
    scripts = cluster()
    scripts["QM2.mqsc"] = scripts["QM1.mqsc"].replace("CA.QM1", "CA.QM2")
    folder("mq", scripts)
    folder("stories", {"good.yaml": GOOD, "bad.yaml": BAD})
    return tmp_path


def test_the_workflow_reviews_a_pull_request(repository: Path, twin_program: Path) -> None:
    """Its commands end as the page says, and leave the files that its other steps send."""
    steps = workflow()
    commands = {each["name"]: each["run"] for each in steps if "run" in each}
    assert list(commands) == ["install", "doctor", "plan", "comment", "play"]
    (found, code), planned, played = in_shell(
        [commands[each] for each in ("doctor", "plan", "play")], repository, twin_program
    )
    assert (code, planned, played[1]) == (10, ("", 0), 10)
    assert "error  cluster-receiver-address-shared  CLUSTER(CA) qm1(1414)" in found
    sarif = json.loads((repository / "doctor.sarif").read_text(encoding="utf-8"))
    places = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in sarif["runs"][0]["results"]
        if result["ruleId"] == "cluster-receiver-address-shared"
        for place in result["locations"]
    }
    assert places == {"mq/QM1.mqsc"}
    title, _, point, *_ = (repository / "plan.md").read_text(encoding="utf-8").splitlines()
    assert title.startswith("### Plan: 3 to add")
    assert re.fullmatch(r"as of \S+, compared at \S+ with doing nothing\.", point)
    assert violations((repository / "stories.xml").read_bytes(), ANT) == []
    sent = [each["with"] for each in steps if "with" in each]
    assert {"sarif_file": "doctor.sarif"} in sent
    assert {"name": "stories", "path": "stories.xml"} in sent
    assert commands["comment"].startswith("head -c 65000 plan.md | gh pr comment ")


def test_a_result_links_to_its_other_lines(run: Run, repository: Path) -> None:
    """One line is annotated, perhaps one that the pull request does not change."""
    assert repository == Path.cwd()
    rule = "cluster-receiver-address-shared"
    document = run("doctor", "--from", "mq", "--rule", rule, "--format", "sarif").json
    assert list(problems(document)) == []
    (result,) = document["runs"][0]["results"]
    assert result["message"]["text"].endswith("\nAlso at: [mq/QM2.mqsc:1](1)")
    assert result["relatedLocations"] == [
        {
            "id": 1,
            "physicalLocation": {
                "artifactLocation": {"uri": "mq/QM2.mqsc"},
                "region": {"startLine": 1},
            },
            "message": {"text": "mq/QM2.mqsc:1"},
        }
    ]


def test_only_new_findings_count(repository: Path, twin_program: Path) -> None:
    """The commands about a baseline fail for what the change brings, and for nothing else."""
    (block,) = blocks("sh")
    make, compare = block.splitlines()
    ends = in_shell([make, compare, "rm mq/QM2.mqsc", compare], repository, twin_program)
    assert [code for _, code in ends] == [0, 10, 0, 0]


def test_the_hooks_are_as_pre_commit_wants_them() -> None:
    """Each hook has what pre-commit needs; the page names only hooks that exist."""
    assert [hook["id"] for hook in HOOKS] == ["twin-doctor", "twin-play"]
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "files"} <= hook.keys()
        assert hook["language"] == "python"
    assert HOOKS[0]["always_run"], "pre-commit gives no hook the files that a commit deletes"
    (config,) = (each for each in map(yaml.safe_load, blocks("yaml")) if "repos" in each)
    named = [hook["id"] for hook in config["repos"][0]["hooks"]]
    assert named == [hook["id"] for hook in HOOKS]


@pytest.mark.parametrize(
    ("hook", "changed", "code"),
    [
        (HOOKS[0], ["mq/QM2.mqsc"], 10),
        (HOOKS[0] | {"args": ["base/mq", "--fail-on", "error"]}, ["mq/old/QM1.MQSC"], 0),
        (HOOKS[1], ["stories/good.yaml"], 0),
        (HOOKS[1], ["stories/good.yaml", "stories/bad.yaml"], 10),
    ],
)
def test_a_hook_runs(
    run: Run, repository: Path, hook: dict[str, Any], changed: list[str], code: int
) -> None:
    """A hook takes the changed files that it is for, and fails as its command does."""
    assert repository == Path.cwd()
    assert all(re.search(hook["files"], each) for each in changed)
    assert not re.search(hook["files"], "README.md")
    names = changed if hook.get("pass_filenames", True) else []
    arguments: list[str] = hook.get("args", [])
    command, *words = [*shlex.split(hook["entry"]), *arguments, *names]
    assert command == "twin"
    assert run(*words).code == code
