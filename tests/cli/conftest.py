"""Shared fixtures of the command line's tests: a new folder, and a way to run `twin` in it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import pytest

from twin.cli import main

AT = "2025-03-03T09:00"


class Result(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines on standard output."""
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        """The JSON on standard output."""
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `twin` in a new folder, with a text as standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TWIN_LOG", raising=False)

    def run(*words: str, typed: str | bytes = "") -> Result:
        raw = typed.encode() if isinstance(typed, str) else typed
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        capsys.readouterr()
        code = main(list(words))
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def cluster_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the log of a cluster, once: `cluster` copies it."""
    folder = tmp_path_factory.mktemp("cluster")
    log = f"sqlite:///{folder}/twin.db"

    def run(*words: str, typed: str = "") -> None:
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()):
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
            assert main(["--log", log, *words, "--at", AT]) == 0

    for qmgr in ("FR1", "QM1", "QM2"):
        run("crtmqm", qmgr)
        run("strmqm", qmgr)
    receiver = "DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)\n"
    sender = "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)\n"
    scripts = {
        "FR1": "ALTER QMGR REPOS(CA)\n" + receiver.format("FR1"),
        "QM1": receiver.format("QM1") + sender,
        "QM2": receiver.format("QM2") + sender + "DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n",
    }
    for qmgr, script in scripts.items():
        run("runmqsc", qmgr, typed=script)
    return folder


@pytest.fixture
def cluster(run: Run, cluster_folder: Path, tmp_path: Path) -> Run:
    """Have a full repository FR1, and members QM1 and QM2 (with ORDERS), running since nine."""
    copytree(cluster_folder, tmp_path, dirs_exist_ok=True)
    return run
