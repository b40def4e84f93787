"""The unit file for systemd."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

UNIT: Final = Path(__file__).parents[2] / "contrib" / "systemd" / "twin.service"


def test_the_command_of_the_unit_has_options_that_exist() -> None:
    """The unit starts `twin serve` with options that the command has."""
    command = re.search(r"^ExecStart=\S+/twin serve(.*)$", UNIT.read_text(), re.MULTILINE)
    assert command is not None
    done = subprocess.run(
        [sys.executable, "-m", "twin", "serve", *command[1].split(), "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """systemd-analyze finds nothing wrong, with a program in place of the one to be installed."""
    unit = tmp_path / "twin.service"
    unit.write_text(
        re.sub(r"^(ExecStart=)\S+", rf"\1{sys.executable}", UNIT.read_text(), flags=re.MULTILINE)
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in done.stderr.splitlines() if "twin.service" in line] == []
