"""`twin observe`: polls a real HTTPS server that answers well, badly or not at all."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run
from tests.cli.processes import Process, complained, running, said
from tests.patience import PATIENCE, wait_until
from tests.polling.mqweb import (
    NOT_FOUND,
    Request,
    SmallMqweb,
    certificate,
    make_certificate,
    member,
    mqweb,
    needs_openssl,
    rows,
    small_mqweb,
)
from twin.cli.observing import KEY_PASSWORD, PASSWORD

__all__ = ["certificate", "mqweb"]

pytestmark = needs_openssl


@pytest.fixture(autouse=True)
def no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the password from the environment."""
    monkeypatch.delenv(PASSWORD, raising=False)


def once(run: Run, mqweb: SmallMqweb, *words: str) -> Result:
    """Poll QM1 once, with these options instead of the usual ones."""
    usual = (
        *(("--url", mqweb.url), ("--cacert", str(mqweb.certificate)), ("--qmgr", "QM1")),
        ("--timeout", f"{PATIENCE}s"),
    )
    others = [word for name, value in usual if name not in words for word in (name, value)]
    return run("observe", *others, "--once", *words)


def shows(mqweb: SmallMqweb, **suspend: str) -> None:
    """Let QM1 show itself and FR1."""
    mqweb.shows = {
        "clusqmgr": rows(
            member("QM1", deftype="CLUSRCVR", qmtype="NORMAL"), member("FR1", **suspend)
        )
    }


@contextmanager
def observing(mqweb: SmallMqweb) -> Iterator[Process]:
    """Run `twin observe` as a process that polls each second."""
    words = ("--url", mqweb.url, "--cacert", str(mqweb.certificate), "--qmgr", "QM1")
    limit = f"{PATIENCE}s"
    with running("observe", *words, "--every", "1s", "--timeout", limit) as process:
        yield process


def besides_hurry(err: str) -> list[str]:
    """Return what was complained about, besides slow polls and one that was stopped on its way."""
    hurry = ("polls were left out", "was not asked")
    return [line for line in err.splitlines() if not any(each in line for each in hurry)]


def test_what_a_queue_manager_shows_is_recorded(run: Run, mqweb: SmallMqweb) -> None:
    """Its beliefs are those of its answers, with the server as their origin."""
    shows(mqweb)
    taken = once(run, mqweb)
    assert (taken.code, taken.err) == (0, "")
    assert taken.lines[-1].endswith(" QM1: 7 answers, 6 facts recorded")
    beliefs = run("ask", "beliefs", "--on", "QM1", "--format", "json").json["rows"]
    assert "FR1" in {row["owner"] for row in beliefs}
    shown = run("log", "show", "--format", "json").json["rows"]
    assert all(row["origin"].startswith(mqweb.url) for row in shown if row["origin"])


def test_what_did_not_change_is_recorded_as_seen_again(run: Run, mqweb: SmallMqweb) -> None:
    """The second poll refers to the first, and a change is seen."""
    shows(mqweb)
    once(run, mqweb)
    once(run, mqweb)
    shows(mqweb, suspend="YES")
    once(run, mqweb)
    rows_ = run("log", "show", "--type", "BeliefsObserved", "--format", "json").json["rows"]
    assert len(rows_) == 9
    assert "SUSPEND(YES)" in run("runmqsc", "QM1", typed="DISPLAY CLUSQMGR(FR1) SUSPEND\n").out


def test_the_zone_of_a_queue_manager_is_kept(run: Run, mqweb: SmallMqweb) -> None:
    """Local times of later polls are read in it without --tz."""
    shows(mqweb)
    first = once(run, mqweb, "--tz", "Europe/Berlin")
    assert first.lines[0] == (
        "local times of QM1 are those of Europe/Berlin, at later imports, too"
    )
    assert "are those of" not in once(run, mqweb).out
    words = ("ask", "beliefs", "--on", "QM1", "--format", "json")
    received = {row["received"] for row in run(*words).json["rows"] if row["owner"] == "FR1"}
    assert received == {"2025-12-31T23:00:00Z"}


def test_the_password_comes_from_the_environment_or_a_file(
    run: Run, mqweb: SmallMqweb, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line of the file is the password; a file that others may read is named."""
    shows(mqweb)
    Path("password").write_text("from file\nx\n", encoding="utf-8")
    Path("password").chmod(0o600)
    assert once(run, mqweb, "--user", "reader", "--password-file", "password").err == ""
    monkeypatch.setenv(PASSWORD, "from environment")
    assert once(run, mqweb, "--user", "reader").err == ""
    tokens = {request.headers["Authorization"] for request in mqweb.requests}
    assert tokens == {"Basic cmVhZGVyOmZyb20gZmlsZQ==", "Basic cmVhZGVyOmZyb20gZW52aXJvbm1lbnQ="}
    Path("password").chmod(0o644)
    told = once(run, mqweb, "--user", "reader", "--password-file", "password")
    assert told.err == "twin: other users may read or change password (chmod 600 password)\n"
    assert "from" not in run("log", "show", "--format", "json").out.replace('"from', "")


def test_without_a_terminal_no_password_is_asked_for(run: Run, mqweb: SmallMqweb) -> None:
    """A missing password, and a file that cannot be read, are one line each."""
    asked = once(run, mqweb, "--user", "reader")
    assert (asked.code, asked.err.count("\n")) == (20, 1)
    assert PASSWORD in asked.err
    missing = once(run, mqweb, "--user", "reader", "--password-file", "none")
    assert missing.err == "twin: cannot read none: No such file or directory\n"
    assert mqweb.requests == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--url", "https://u:s3cret@h/ibmmq/rest/v3"], "must not have a user or password"),
        (["--url", "http://h/ibmmq/rest/v3"], "does not begin with https://"),
        (["--every", "0s"], "malformed --every 0s"),
        (["--every", "often"], "malformed --every often"),
        (["--timeout", "x"], "malformed --timeout x"),
        (["--cacert", "none.pem"], "cannot use the certificates of none.pem"),
        (["--tz", "Mars/Base"], "unknown time zone"),
    ],
)
def test_bad_options_are_refused(run: Run, mqweb: SmallMqweb, words: list[str], why: str) -> None:
    """One line, exit code 20, and no log."""
    refused = once(run, mqweb, *words)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert why in refused.err
    assert "s3cret" not in refused.err
    assert not Path("twin.db").exists()


def test_a_client_certificate_is_shown(
    run: Run, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server with mutual TLS takes the one that it knows, also if its key has a password."""
    own, other = (make_certificate(tmp_path / name) for name in ("own", "other"))
    locked = tmp_path / "locked.pem"
    encrypt = ("openssl", "pkey", "-in", own / "key.pem", "-aes128", "-passout", "pass:s3cret")
    subprocess.run([*encrypt, "-out", locked], check=True, capture_output=True)
    locked.chmod(0o600)
    cert = ("--cert", str(own / "cert.pem"), "--key")
    with small_mqweb(certificate, own / "cert.pem") as mqweb:
        shows(mqweb)
        assert once(run, mqweb, *cert, str(own / "key.pem")).code == 0
        assert once(run, mqweb, *cert, str(locked)).err.endswith(
            "the key has a password, and none is given\n"
        )
        monkeypatch.setenv(KEY_PASSWORD, "s3cret")
        assert once(run, mqweb, *cert, str(locked)).code == 0
        asked = len(mqweb.requests)
        refused = once(
            run, mqweb, "--cert", str(other / "cert.pem"), "--key", str(other / "key.pem")
        )
        assert (refused.code, refused.err.count("\n")) == (20, 1)
        assert refused.err.endswith("does not take this client certificate\n")
        without = once(run, mqweb)
        assert (without.code, without.err.count("\n")) == (20, 1)
        assert without.err.endswith("wants a client certificate (--cert FILE --key FILE)\n")
        assert len(mqweb.requests) == asked


def test_a_client_certificate_needs_its_own_key(
    run: Run, mqweb: SmallMqweb, certificate: Path, tmp_path: Path
) -> None:
    """Another key, no key, or a text is one line each, and nothing is asked."""
    other = make_certificate(tmp_path / "other")
    Path("text.pem").write_text("text", encoding="utf-8")
    own = str(certificate / "cert.pem")
    for words, why in (
        (("--cert", own, "--key", str(other / "key.pem")), "is that of another certificate"),
        (("--cert", own), "it is no certificate with its key (PEM)"),
        (("--cert", "text.pem"), "it is no certificate with its key (PEM)"),
        (("--cert", "none.pem"), "No such file or directory"),
        (("--key", own), "add --cert"),
    ):
        refused = once(run, mqweb, *words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
        assert why in refused.err
    assert mqweb.requests == []


def test_a_refused_user_ends_with_20(run: Run, mqweb: SmallMqweb) -> None:
    """Nothing is recorded, and it is not tried again."""
    mqweb.answer = lambda request: request.send({"error": []}, 401)
    refused = once(run, mqweb)
    assert (refused.code, refused.out) == (20, "")
    assert refused.err.endswith("or a client certificate that it knows (401)\n")
    assert len(mqweb.requests) == 1


def test_parts_that_are_not_answered_are_named(run: Run, mqweb: SmallMqweb) -> None:
    """The rest is recorded, and the exit code is 10."""
    shows(mqweb)

    def partly(request: Request) -> None:
        if request.command == "POST" and request.body["qualifier"] == "qcluster":
            request.send({"error": [{"message": "MQWB0120E: no."}]}, 400)
        else:
            mqweb.well(request)

    mqweb.answer = partly
    taken = once(run, mqweb)
    assert taken.code == 10
    assert "QM1: 6 answers, 5 facts recorded" in taken.out
    assert taken.err == (
        f"twin: QM1: DISPLAY QCLUSTER(*): localhost:{mqweb.port} answered 400: MQWB0120E: no.\n"
    )


def test_an_outage_is_survived_and_said(run: Run, mqweb: SmallMqweb) -> None:
    """Polling goes on, says once that there is no answer, and later what was missed."""
    shows(mqweb)
    with observing(mqweb) as process:
        assert said(process, "observing QM1 through localhost:").endswith(" every 1s")
        assert "6 facts recorded" in said(process, "7 answers")
        mqweb.answer = Request.hang_up
        assert complained(process, "; trying again").endswith("end of its answer; trying again")
        asked = len(mqweb.requests)
        wait_until(lambda: len(mqweb.requests) >= asked + 2, "two more polls begin")
        mqweb.answer = mqweb.well
        assert " were missed" in said(process, "QM1 answers again; ")
        said(process, "7 answers")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, besides_hurry(err)) == (0, [])
        assert out.endswith("no longer observing QM1\n")
    assert run("log", "verify").code == 0


def test_a_server_that_begins_to_refuse_the_user_is_left_alone(run: Run, mqweb: SmallMqweb) -> None:
    """It is not asked again: that could lock the user out."""
    shows(mqweb)
    with observing(mqweb) as process:
        said(process, "7 answers")
        refused: list[Request] = []

        def refuse(request: Request) -> None:
            refused.append(request)
            request.send({"error": []}, 401)

        mqweb.answer = refuse
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, len(refused)) == (20, 1)
    assert err.endswith("client certificate that it knows (401); no longer observing\n")


def test_an_unknown_queue_manager_ends_polling_at_the_start_only(
    run: Run, mqweb: SmallMqweb
) -> None:
    """Later it may only be away, such as while it is made anew."""
    unknown = {"error": [{"message": "MQWB0009E: Could not query the queue manager 'QM1'."}]}
    mqweb.answer = lambda request: request.send(unknown, 404)
    with observing(mqweb) as process:
        assert process.wait(PATIENCE) == 20
    mqweb.answer = mqweb.well
    shows(mqweb)
    with observing(mqweb) as process:
        said(process, "7 answers")
        mqweb.answer = lambda request: request.send(unknown, 404)
        assert "MQWB0009E" in complained(process, "; trying again")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, " missed\nno longer observing QM1\n" in out) == (0, True)


def test_an_object_that_is_not_there_is_an_answer(run: Run, mqweb: SmallMqweb) -> None:
    """A queue manager that is in no cluster answers AMQ8147 to everything."""
    mqweb.shows = {"clusqmgr": NOT_FOUND}
    assert once(run, mqweb).out.endswith(" QM1: 7 answers, 5 facts recorded\n")
