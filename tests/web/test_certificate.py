"""The certificate of the service: made, read, renewed, and refused."""

from __future__ import annotations

import logging
import ssl
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives import serialization

from tests.patience import PATIENCE
from tests.web.conftest import Serve
from twin.web import certificate
from twin.web.certificate import (
    CertificateFiles,
    UnusableCertificate,
    names_of_service,
    watched_context,
)

_NAMES = ("localhost", "127.0.0.1", "::1")


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    """Return the files of a certificate that does not exist yet."""
    return CertificateFiles(tmp_path / "cert.pem", tmp_path / "key.pem", _NAMES)


def serial(url: str, trusted: Path) -> str:
    """Return the serial number of the certificate that a service shows in a new connection."""
    context = ssl.create_default_context(cafile=trusted)
    with (
        httpx.Client(verify=context, timeout=PATIENCE) as client,
        client.stream("GET", f"{url}/healthz") as answer,
    ):
        shown = answer.extensions["network_stream"].get_extra_info("ssl_object").getpeercert()
    return str(shown["serialNumber"])


def test_a_certificate_is_made_once(files: CertificateFiles) -> None:
    """The key is for its owner alone; the next start takes what is there."""
    files.prepare()
    made = files.certificate.read_bytes(), files.key.read_bytes()
    assert files.key.stat().st_mode & 0o777 == 0o600
    files.prepare()
    assert (files.certificate.read_bytes(), files.key.read_bytes()) == made


def test_clients_can_verify_a_made_certificate(serve: Serve, files: CertificateFiles) -> None:
    """A client that trusts the file reaches the service by name and by address; no other does."""
    url = serve(certificate=files).url
    assert url.startswith("https://127.0.0.1:")
    for name in ("127.0.0.1", "localhost"):
        assert serial(url.replace("127.0.0.1", name), files.certificate)
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(f"{url}/healthz", timeout=PATIENCE)


def test_a_made_certificate_is_renewed(
    files: CertificateFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate of our own is made again before it ends, and when it lacks a name."""
    monkeypatch.setattr(certificate, "_LASTS", timedelta(days=29))
    files.prepare()
    first = files.certificate.read_text()
    monkeypatch.undo()
    files.prepare()
    second = files.certificate.read_text()
    assert second != first
    replace(files, names=(*_NAMES, "twin.example.com")).prepare()
    assert files.certificate.read_text() != second


def test_a_given_certificate_is_never_replaced(
    files: CertificateFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that the user names, or that another maker signed, stay as they are."""
    monkeypatch.setattr(certificate, "_LASTS", timedelta(days=29))
    monkeypatch.setattr(certificate, "_MAKER", "somebody else")
    files.prepare()
    monkeypatch.undo()
    made = files.certificate.read_text()
    files.prepare()
    replace(files, names=()).prepare()
    assert files.certificate.read_text() == made


def test_a_renewed_certificate_counts_for_the_next_connection(
    serve: Serve, files: CertificateFiles, caplog: pytest.LogCaptureFixture
) -> None:
    """New files are read without a restart; broken ones are not, and the log says so once."""
    files.prepare()
    url = serve(certificate=replace(files, names=())).url
    old, old_file = serial(url, files.certificate), files.certificate.read_bytes()
    with caplog.at_level(logging.WARNING):
        files.certificate.write_text("no certificate")
        trusted = files.certificate.with_name("old.pem")
        trusted.write_bytes(old_file)
        assert [serial(url, trusted) for _ in range(2)] == [old, old]
    assert [record.getMessage().count("stays in use") for record in caplog.records] == [1]
    for path in (files.certificate, files.key):
        path.unlink()
    files.prepare()
    assert serial(url, files.certificate) != old


def test_files_that_do_not_fit_are_refused(files: CertificateFiles, tmp_path: Path) -> None:
    """A missing file, a key of another certificate, and a key with a password are one line each."""
    files.prepare()
    other = CertificateFiles(tmp_path / "cert2.pem", tmp_path / "key2.pem", _NAMES)
    other.prepare()
    key = serialization.load_pem_private_key(files.key.read_bytes(), None)
    locked = tmp_path / "locked.pem"
    locked.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    for bad in (tmp_path / "missing.pem", other.key, locked, files.certificate):
        with pytest.raises(UnusableCertificate) as refused:
            watched_context(CertificateFiles(files.certificate, bad))
        assert str(refused.value).startswith(f"cannot use {files.certificate} and {bad}: ")
        assert "\n" not in str(refused.value)


def test_a_certificate_has_the_names_that_clients_use() -> None:
    """All addresses of the machine are none; what is no name of a machine is left out."""
    assert set(_NAMES) <= set(names_of_service("0.0.0.0", ("a.example", "b/c")))  # noqa: S104
    assert "0.0.0.0" not in names_of_service("0.0.0.0", ())  # noqa: S104
    assert "b/c" not in names_of_service("127.0.0.1", ("b/c",))
    assert "192.0.2.1" in names_of_service("192.0.2.1", ())
