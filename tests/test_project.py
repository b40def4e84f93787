"""Rules for the files of the project."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from twin.model.versions import VERSION

ROOT: Final = Path(__file__).parents[1]
LOCKS: Final = sorted((ROOT / "requirements").glob("*.lock"))

TOP_LEVEL: Final = {
    *(".ci", ".github", ".gitignore", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml"),
    *("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md"),
    *("alembic.ini", "benchmarks", "contrib", "docs", "migrations", "pyproject.toml"),
    *("requirements", "scheduler", "tests", "twin"),
}
REGISTRY: Final = re.compile(
    r"--(?:extra-)?index-url|--find-links|py" + r"pi\.(?:org|python)|python" + r"hosted\.org"
)
MACHINE_PATH: Final = re.compile(r"(?<![\w.])/(?:farm|home|root|tmp|work|Users)/\w")
LOCKED: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _files() -> list[Path]:
    """List the project's own files: those that are committed or would be."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for line in listed.stdout.splitlines() if (path := Path(line)) and _is_file(path)]


def _is_file(path: Path) -> bool:
    return (ROOT / path).is_file()


def _matches(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    found = []
    for path in paths:
        text = (ROOT / path).read_bytes().decode("utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{path}:{number}: {line.strip()[:100]}")
    return found


def _versions(lock: Path) -> dict[str, Version]:
    text = lock.read_text(encoding="utf-8")
    return {canonicalize_name(name): Version(version) for name, version in LOCKED.findall(text)}


def test_no_file_names_a_package_registry() -> None:
    """No file has a host or index option of a package registry."""
    here = Path(__file__).relative_to(ROOT)
    assert _matches(REGISTRY, [path for path in _files() if path != here]) == []


def test_build_files_hold_no_address() -> None:
    """Lock files, the Makefile and the CI script have no network address."""
    build = [path for path in _files() if path.suffix == ".lock" or path.parts[0] == ".ci"]
    assert _matches(re.compile("://"), [*build, Path("Makefile")]) == []


def test_no_file_outside_the_tests_names_a_path_of_one_machine() -> None:
    """No file outside the tests has a path of one machine."""
    assert _matches(MACHINE_PATH, [path for path in _files() if path.parts[0] != "tests"]) == []


def test_the_top_level_holds_what_the_layout_names() -> None:
    """The top level has only the listed files; a new one is recorded in docs/decisions."""
    assert {path.parts[0] for path in _files()} <= TOP_LEVEL


def test_the_version_stands_in_one_place() -> None:
    """The version is in pyproject, in the code and at the start of the changelog, and the same."""
    python = [path for path in _files() if path.suffix == ".py"]
    assert _matches(re.compile(r"^__version__\s*(?::.*)?=\s*[\"']"), python) == []
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == VERSION == _project()["project"]["version"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_locked_package_is_pinned_with_hashes(lock: Path) -> None:
    """Each entry of a lock has one exact version and at least one digest."""
    entries = re.split(r"^(?=\w)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert entries
    bad = [e.split()[0] for e in entries if not LOCKED.match(e) or "--hash=sha256:" not in e]
    assert bad == []


@pytest.mark.parametrize("name", ["build", "runtime", "test", "clients", "bench", "history"])
def test_locks_hold_what_the_project_declares(name: str) -> None:
    """Every declared dependency is locked at an allowed version."""
    project = _project()
    declared = {
        "runtime": project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
        **project["dependency-groups"],
    }[name]
    locked = _versions(ROOT / "requirements" / f"{name}.lock")
    for wanted in map(Requirement, declared):
        assert locked[canonicalize_name(wanted.name)] in wanted.specifier, wanted


def test_locks_agree_with_each_other() -> None:
    """A package in several locks has the same version in all of them."""
    versions: dict[str, set[Version]] = {}
    for lock in LOCKS:
        for name, version in _versions(lock).items():
            versions.setdefault(name, set()).add(version)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_documented_make_targets_exist() -> None:
    """Every `make X` in a guide is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    guides = [path for path in _files() if path.suffix == ".md"]
    for guide in guides:
        mentioned = set(re.findall(r"`make ([\w-]+)", (ROOT / guide).read_text(encoding="utf-8")))
        assert mentioned <= targets, guide


def test_the_guide_names_every_room() -> None:
    """The guide's table of rooms has every folder and module below twin/."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `twin/(\w+)", guide, re.MULTILINE))
    code = [path for path in _files() if path.parts[0] == "twin" and path.suffix == ".py"]
    rooms = {Path(path.parts[1]).stem for path in code} - {"__init__", "__main__"}
    assert rooms <= named
