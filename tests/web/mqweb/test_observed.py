"""`twin observe`, which polls mqweb, asks a service of twin: what it records is what was served."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.web.conftest import Serve
from tests.web.serving import PASSWORD
from twin.app.twin import Twin
from twin.cli import main
from twin.web.certificate import CertificateFiles

COMMANDS: Final = (
    "DISPLAY CLUSQMGR(*) QMTYPE SUSPEND QMID CONNAME",
    "DISPLAY QCLUSTER(*) PUT CLUSQT DEFBIND",
    "DISPLAY QMGR REPOS DESCR DEADQ",
)


def rows(log: str, qmgr: str) -> list[dict[str, Any]]:
    """Return what a queue manager shows of itself, and of the others in its clusters.

    Its own records follow from its CLUSRCVR, which a poll does not ask for.
    """
    with Twin.open(log, read_only=True) as twin:
        session = twin.runmqsc(qmgr, "\n".join(COMMANDS))
    assert session.exit_code == 0
    shown = (dict(each) for each in session.displayed)
    return sorted((each for each in shown if each.get("clusqmgr") != qmgr), key=repr)


def test_what_is_served_is_what_is_observed(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A log that observes another one through REST has the same records of clusters."""
    names = ("localhost", "127.0.0.1", "::1")
    files = CertificateFiles(tmp_path / "cert.pem", tmp_path / "key.pem", names)
    service = serve(certificate=files)
    observed = f"sqlite:///{tmp_path / 'observed.db'}"
    monkeypatch.setenv("TWIN_MQWEB_PASSWORD", PASSWORD)
    words = ["observe", "--once", "--log", observed, "--url", f"{service.url}/ibmmq/rest/v3"]
    words += ["--user", "reader", "--cacert", str(files.certificate)]
    qmgrs = ("FR1", "PR1")
    code = main([*words, *(word for name in qmgrs for word in ("--qmgr", name))])
    assert code == 0, capfd.readouterr().err
    for name in qmgrs:
        assert rows(observed, name) == rows(service.log_url, name)
