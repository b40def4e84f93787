"""`twin collect-script`: the scripts only read, and overwrite nothing."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.conftest import Run
from tests.patience import PATIENCE

FAKES = {
    "runmqsc": 'echo "$0 MQSERVER=${MQSERVER-} $*" >>"$SENT"; tee -a "$SENT.in"; exit "$RC"',
    "dmpmqcfg": 'echo "$0 MQSERVER=${MQSERVER-} $*" >>"$SENT"; cat >>"$SENT.in"; echo "* dump"',
    "dspmq": "echo 'QMNAME(QM1)  STATUS(Running)'; echo 'QMNAME(A/B)  STATUS(Running)'\n"
    "echo 'QMNAME(OFF)  STATUS(Ended normally)'",
    "dspmqinf": 'printf "QueueManager:\\n   Prefix=%s\\n   Directory=D\\n" "$PREFIX"',
}
TYPED = "geheim123"


class Host(NamedTuple):
    """A folder with scripts and fake programs of MQ."""

    folder: Path
    environment: dict[str, str]

    def collect(self, *words: str, typed: str | None = None, code: int = 0) -> str:
        """Run the script collect.sh; return what it says on both streams."""
        stdin: int | None = subprocess.DEVNULL
        if typed is not None:
            master, stdin = os.openpty()
            os.write(master, f"{typed}\n".encode())
        done = subprocess.run(
            ["/bin/sh", "collect.sh", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    @property
    def sent(self) -> str:
        """The programs that ran, with their arguments."""
        return (self.folder / "sent").read_text("utf-8")

    @property
    def commands(self) -> list[str]:
        """What the programs read on standard input."""
        return (self.folder / "sent.in").read_text("utf-8").splitlines()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Make a host with fake programs, and error logs of QM1 and A/B."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, body in FAKES.items():
        program = programs / name
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)
    errors = tmp_path / "qmgrs" / "D" / "errors"
    errors.mkdir(parents=True)
    (errors / "AMQERR01.LOG").write_text("AMQ9001I: x\n", encoding="utf-8")
    (errors.parent / "qm.ini").write_text("Log:\n   LogType=CIRCULAR\n", encoding="utf-8")
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "PREFIX": str(tmp_path),
        "SENT": str(tmp_path / "sent"),
        "RC": "10",
        "TZ": "Europe/Berlin",
    }
    return Host(tmp_path, environment)


def put(run: Run, host: Host, place: str) -> None:
    """Write the script of a place to the host."""
    (host.folder / "collect.sh").write_text(run("collect-script", place).out, encoding="utf-8")


@pytest.mark.parametrize("place", ["--unix", "--hub"])
def test_a_script_is_of_the_posix_shell(run: Run, host: Host, place: str) -> None:
    """The shell reads the script without an error."""
    put(run, host, place)
    subprocess.run(["/bin/sh", "-n", "collect.sh"], cwd=host.folder, check=True)


def test_all_that_run_are_collected_on_unix(run: Run, host: Host) -> None:
    """Each queue manager that runs has a folder with its definitions, captures and error logs."""
    put(run, host, "--unix")
    host.collect("-d", "out")
    out = host.folder / "out"
    found = {str(file.relative_to(out)) for file in out.rglob("*") if file.is_file()}
    assert found == {
        *("display.mqsc", "manifest.txt", "stderr.txt"),
        *(
            f"{qmgr}/{file}"
            for qmgr in ("QM1", "A&B")
            for file in ("display.txt", "dmpmqcfg.mqsc", "AMQERR01.LOG", "qm.ini")
        ),
    }
    assert (out / "QM1" / "dmpmqcfg.mqsc").read_text("utf-8") == "* dump\n"
    manifest = (out / "manifest.txt").read_text("utf-8")
    assert re.search(r"^zone: CES?T\+0[12]00$", manifest, re.MULTILINE)
    assert "TZ: Europe/Berlin" in manifest
    assert re.search(
        r"file: QM1/display.txt, begin: \S+Z, end: \S+Z, exit code: 10$", manifest, re.MULTILINE
    )
    assert out.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("place", ["--unix", "--hub"])
def test_only_display_is_sent(run: Run, host: Host, place: str) -> None:
    """Every command that a queue manager gets is a DISPLAY."""
    put(run, host, place)
    (host.folder / "list").write_text("QM1 ccdt\n", encoding="utf-8")
    host.collect(*(["list"] if place == "--hub" else ["QM1"]))
    assert len(host.commands) > 5
    assert all(line.startswith("DISPLAY ") for line in host.commands)


def test_nothing_is_overwritten(run: Run, host: Host) -> None:
    """A folder that exists is left alone, with exit code 20."""
    put(run, host, "--unix")
    (host.folder / "out").mkdir()
    assert "cannot make the new folder out" in host.collect("-d", "out", code=20)
    assert not list((host.folder / "out").iterdir())


@pytest.mark.parametrize("name", ["..", "a;b", "$(x)", "-x", "a b"])
def test_a_bad_name_is_refused_before_anything_is_done(run: Run, host: Host, name: str) -> None:
    """A name that no queue manager can have gives exit code 20."""
    put(run, host, "--unix")
    host.collect("-d", "out", "QM1", name, code=20)
    assert not (host.folder / "out").exists()


def test_a_failure_is_named(run: Run, host: Host) -> None:
    """What could not be collected stands in the manifest; the exit code is 10."""
    put(run, host, "--unix")
    host.environment["RC"] = "20"
    said = host.collect("-d", "out", "QM1", code=10)
    assert "exit code: 20, FAILED" in said
    assert "exit code: 20, FAILED" in (host.folder / "out" / "manifest.txt").read_text("utf-8")


def test_the_hub_reaches_each_in_its_way(run: Run, host: Host) -> None:
    """A channel, the client channel table, or another queue manager leads to each."""
    put(run, host, "--hub")
    listed = "# ours\nQM1 client ADM qm1.x(1414)  # one\n\nQM2 ccdt\nMQ1A via HUB1\n"
    (host.folder / "list").write_text(listed, encoding="utf-8")
    host.collect("-d", "out", "list")
    assert [line.partition("/bin/")[2] for line in host.sent.splitlines()] == [
        "runmqsc MQSERVER=ADM/TCP/qm1.x(1414) -c -w 30 QM1",
        "dmpmqcfg MQSERVER=ADM/TCP/qm1.x(1414) -c default -m QM1 -a",
        "runmqsc MQSERVER= -c -w 30 QM2",
        "dmpmqcfg MQSERVER= -c default -m QM2 -a",
        "runmqsc MQSERVER= -w 30 -m HUB1 MQ1A",
        "dmpmqcfg MQSERVER= -m HUB1 -r MQ1A -a",
    ]
    folders = {path.name for path in (host.folder / "out").iterdir() if path.is_dir()}
    assert folders == {"QM1", "QM2", "MQ1A"}


@pytest.mark.parametrize(
    "line", ["QM1", "QM1 client ADM", "QM1 client ADM h(1);x", "QM1 ccdt more", "QM1 via .."]
)
def test_a_bad_line_of_the_list_is_refused(run: Run, host: Host, line: str) -> None:
    """The whole list is checked before anything is done."""
    put(run, host, "--hub")
    (host.folder / "list").write_text(f"QM2 ccdt\n{line}\n", encoding="utf-8")
    host.collect("-d", "out", "list", code=20)
    assert not (host.folder / "out").exists()


def test_a_password_is_asked_for_and_is_in_no_argument_or_file(run: Run, host: Host) -> None:
    """The password goes to standard input only, first of all."""
    put(run, host, "--hub")
    host.environment["RC"] = "0"
    fake = host.folder / "bin" / "runmqsc"
    fake.write_text(fake.read_text("utf-8").replace("tee -a", "cat >>"), encoding="utf-8")
    (host.folder / "list").write_text("QM1 ccdt\n", encoding="utf-8")
    said = host.collect("-d", "out", "-u", "adm", "list", typed=TYPED)
    assert TYPED not in said + host.sent
    assert "-u adm" in host.sent
    assert host.commands[0] == host.commands[-1] == TYPED
    written = [
        file.read_text("utf-8") for file in (host.folder / "out").rglob("*") if file.is_file()
    ]
    assert TYPED not in "".join(written)
    assert "run it at a terminal" in host.collect("-u", "adm", "list", code=20)


def test_the_job_of_z_os_fits_its_cards_and_only_displays(run: Run) -> None:
    """No line is longer than a card allows, and the input of CSQUTIL has DISPLAY commands."""
    lines = run("collect-script", "--zos").lines
    assert max(map(len, lines)) <= 71
    inputs = [line for line in lines if not line.startswith(("//", "/*"))]
    assert {line.partition(" ")[0] for line in inputs} == {"COMMAND", "DISPLAY"}
    assert sum("DISP=(NEW,CATLG,DELETE)" in line for line in lines) == 3


@pytest.mark.parametrize("options", [[], ["--unix", "--hub"]])
def test_one_place_is_named(run: Run, options: list[str]) -> None:
    """None or several places are refused."""
    found = run("collect-script", *options)
    assert (found.code, found.out) == (20, "")
    assert "name one of --unix, --zos and --hub" in found.err
