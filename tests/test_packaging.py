"""The packages that the wheel installs."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Build the wheel and return the paths of the files that it installs."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_installs_two_packages(installed: set[str]) -> None:
    """The wheel installs only `twin` and `twin_scheduler`: another distribution has `scheduler`."""
    top = {path.split("/")[0] for path in installed if ".dist-info/" not in path}
    assert top == {"twin", "twin_scheduler"}


def test_the_wheel_holds_every_module(installed: set[str]) -> None:
    """Each module of the checkout is in the wheel at its import path."""
    roots = {"twin": ROOT, "scheduler/twin_scheduler": ROOT / "scheduler"}
    modules = {
        path.relative_to(root).as_posix()
        for folder, root in roots.items()
        for path in (ROOT / folder).rglob("*.py")
    }
    migrations = {
        f"twin/log/_migrations/{path.relative_to(ROOT / 'migrations').as_posix()}"
        for path in (ROOT / "migrations").rglob("*.py")
    }
    assert {path for path in installed if path.endswith(".py")} == modules | migrations


def test_the_wheel_holds_what_the_service_sends(installed: set[str]) -> None:
    """Templates, scripts, styles and licences of the pages are in the wheel, like all data."""
    files = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "twin").rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert {path for path in files if path.startswith("twin/web/")} >= {
        "twin/web/login/templates/login.html",
        "twin/web/pages/templates/layout.html",
    }
    assert files <= installed
