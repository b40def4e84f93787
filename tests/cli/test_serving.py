"""`twin serve` as a process: the service beside the scheduler, over TLS, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.cli.conftest import Run
from tests.cli.processes import ROOT, Process, complained, running, said
from tests.patience import PATIENCE
from tests.web.serving import CSRF, PASSWORD, make_users
from twin.app.twin import Twin

Serve = Callable[..., AbstractContextManager[Process]]
_AUTH: Final = ("admin", PASSWORD)
_MQSC: Final = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc"


@pytest.fixture
def serve(run: Run, tmp_path: Path) -> Serve:
    """Make a log with QM1, and users; return a function that serves it as a process."""
    assert run("crtmqm", "QM1").code == 0
    assert run("strmqm", "QM1").code == 0
    make_users(tmp_path / "twin-users.json")

    def start(*words: str) -> AbstractContextManager[Process]:
        return running("serve", "--port", "0", *words, cwd=tmp_path)

    return start


def url_of(process: Process) -> str:
    """Return the URL that a process says it listens on."""
    return said(process, "listening on ").rpartition(" ")[2]


def stopped(process: Process) -> tuple[int, str]:
    """Stop a process; return its exit code and what it said on standard error."""
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, errors


def get(url: str) -> httpx.Response:
    """Send a GET as the administrator."""
    return httpx.get(url, auth=_AUTH, timeout=PATIENCE)


def post(url: str, body: dict[str, object]) -> httpx.Response:
    """Send a POST as the administrator."""
    return httpx.post(url, json=body, headers=CSRF, auth=_AUTH, timeout=PATIENCE)


def define(name: str) -> dict[str, object]:
    """Return the body of a request that defines a queue."""
    return {"type": "runCommand", "parameters": {"command": f"DEFINE QLOCAL({name})"}}


def test_the_service_runs_beside_the_scheduler(serve: Serve, tmp_path: Path) -> None:
    """It serves HTTPS with a certificate of its own; what REST records is in the log."""
    with serve() as process:
        assert "made the certificate twin-cert.pem for localhost, 127.0.0.1" in said(process)
        url = url_of(process)
        assert said(process) == "serving main: nothing is due"
        trusted = ssl.create_default_context(cafile=tmp_path / "twin-cert.pem")
        with httpx.Client(base_url=url, verify=trusted, auth=_AUTH, timeout=PATIENCE) as client:
            assert client.post(_MQSC, json=define("Q1"), headers=CSRF).status_code == 200
        assert f"admin POST {_MQSC} 200" in said(process, "POST")
        assert stopped(process) == (0, "")
    with Twin.open(f"sqlite:///{tmp_path}/twin.db", read_only=True) as twin:
        assert twin.runmqsc("QM1", "DISPLAY QLOCAL(Q1)").exit_code == 0


def test_the_service_runs_alone(serve: Serve) -> None:
    """Without the scheduler it serves, and writes what clients ask for."""
    with serve("--no-scheduler", "--http", "--access-log", "json") as process:
        url = url_of(process)
        assert url.startswith("http://127.0.0.1:")
        answer = post(f"{url}{_MQSC}", define("Q1"))
        assert answer.status_code == 200
        assert json.loads(said(process, "POST"))["user"] == "admin"
        assert stopped(process) == (0, "")


def test_a_service_for_reading_does_not_touch_the_log(serve: Serve, tmp_path: Path) -> None:
    """It serves a log that nobody may write, and refuses every write."""
    before = (tmp_path / "twin.db").read_bytes()
    with serve("--read-only", "--http") as process:
        url = url_of(process)
        answer = post(f"{url}{_MQSC}", define("Q1"))
        assert answer.status_code == 403
        assert get(f"{url}/twin/v1/ask/members").status_code == 200
        assert stopped(process) == (0, "")
    assert (tmp_path / "twin.db").read_bytes() == before


def test_a_service_without_users_says_how_to_make_one(serve: Serve, tmp_path: Path) -> None:
    """There is no default user or password; a user who is added may sign in at once."""
    (tmp_path / "twin-users.json").unlink()
    with serve("--http", "--no-scheduler") as process:
        assert complained(process, "") == (
            "twin: nobody may sign in yet: twin user add NAME --users twin-users.json makes a user"
        )
        url = url_of(process)
        assert httpx.get(f"{url}/readyz", timeout=PATIENCE).status_code == 503
        make_users(tmp_path / "twin-users.json")
        assert httpx.get(f"{url}/readyz", timeout=PATIENCE).status_code == 200
        assert get(f"{url}/twin/v1/ask/members").status_code == 200
        assert stopped(process) == (0, "")


def test_secrets_that_others_may_read_are_said(serve: Serve, tmp_path: Path) -> None:
    """The file of users is for its owner alone."""
    (tmp_path / "twin-users.json").chmod(0o644)
    with serve("--http", "--no-scheduler") as process:
        assert "other users may read or change twin-users.json" in complained(process, "")
        url_of(process)
        assert stopped(process) == (0, "")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--port", "{taken}"), "cannot listen on 127.0.0.1({taken}): Address already in use"),
        (("--cert", "x.pem"), "serve: --cert and --key belong together"),
        (("--cert", "x.pem", "--key", "y.pem"), "cannot use x.pem and y.pem: No such file"),
        (("--http", "--cert", "a", "--key", "b"), "serve: --http serves without TLS"),
        (("--no-web", "--port", "1"), "serve: --port has no effect with --no-web"),
        (("--no-web", "--no-scheduler"), "serve: with --no-web and --no-scheduler there is"),
        (("--prefix", "mq"), "serve: --prefix mq: expected /PATH"),
        (("--prefix", "/a//b"), "serve: --prefix /a//b: expected /PATH"),
        (("--host-name", "a/b"), "serve: --host-name a/b is not the name of a machine"),
        (("--metrics-token", "none"), "cannot read none: No such file"),
        (("--metrics-token", "empty"), "serve: empty, the file with the token for metrics, has no"),
        (("--users", "broken.json"), "the file of users broken.json cannot be used: it does not"),
    ],
)
def test_what_cannot_be_served_is_one_line(run: Run, words: tuple[str, ...], problem: str) -> None:
    """Bad options end with exit code 20 before anything is served; no other file is written."""
    assert run("crtmqm", "QM1").code == 0
    Path("empty").touch(0o600)
    Path("broken.json").write_text("{}")
    Path("broken.json").chmod(0o600)
    before = {path.name for path in Path().iterdir()}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = str(listener.getsockname()[1])
        given = [word.format(taken=taken) for word in words]
        web = [] if "--no-web" in words or "--users" in words else users()
        refused = run("serve", *web, *given)
    assert (refused.code, refused.out) == (20, "")
    assert refused.err.startswith(f"twin: {problem.format(taken=taken)}")
    assert refused.err.count("\n") == 1
    assert {path.name for path in Path().iterdir()} - before <= {"users.json", ".users.json.lock"}


def users() -> list[str]:
    """Make a file of users; return the option that names it."""
    make_users(Path("users.json"))
    return ["--users", "users.json"]


_WITHOUT: Final = """
import sys
sys.modules["{0}"] = None
from twin.cli import main
sys.exit(main(["serve"]))
"""


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "cryptography", "jinja2"])
def test_a_missing_extra_is_one_line(run: Run, package: str) -> None:
    """Without the extra `web`, one line says what to install."""
    assert run("crtmqm", "QM1").code == 0
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT.format(package)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (20, "")
    assert done.stderr == (
        f"twin: twin serve needs {package}; install it with pip install 'mq-cluster-twin[web]', "
        "or record without the service: twin serve --no-web\n"
    )
