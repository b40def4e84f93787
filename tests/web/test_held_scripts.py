"""Scripts that a service holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.web.pages.scripts import HELD, ScriptGone, script_in, without_script
from twin.web.service import HeldScripts, Service
from twin.web.settings import ServerSettings


def test_each_service_holds_its_own_scripts(tmp_path: Path) -> None:
    """What one service holds, another one in the same process does not know."""
    settings = ServerSettings(url=f"sqlite:///{tmp_path / 'twin.db'}", users=tmp_path / "users")
    first, second = Service(settings), Service(settings)
    own = without_script(first, {"script": "* a comment\n" * 1000}, "script")
    assert set(own) == {HELD}
    assert script_in(first, own, "script").startswith("* a comment")
    with pytest.raises(ScriptGone):
        script_in(second, own, "script")
    assert (first.computed, first.scrapes) != (second.computed, second.scrapes)


def test_the_oldest_script_goes() -> None:
    """Only the last 50 scripts are held."""
    scripts = HeldScripts()
    keys = [scripts.add(f"* script {number}") for number in range(51)]
    assert scripts.get(keys[0]) is None
    assert scripts.get(keys[1]) == "* script 1"
    assert scripts.get(keys[50]) == "* script 50"
