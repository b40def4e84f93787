"""`twin log upgrade`, `backup`, `export` and `import-log`, and `twin branch delete`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editions import observed
from tests.editions.stored import put_back
from tests.log.evidence import keep
from twin.cli import main
from twin.log import Log


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command; return its exit code, its output and its errors."""
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_command_that_writes_upgrades_a_file_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader names the command that upgrades; a writer upgrades, and says where the copy is."""
    log = str(tmp_path / "twin.db")
    put_back("branches", f"sqlite:///{log}")
    code, out, err = run(capsys, "--log", log, "ask", "members")
    assert (code, out, err.count("\n")) == (20, "", 1)
    assert "twin log upgrade brings it to edition 2" in err
    code, _, err = run(capsys, "--log", log, "--branch", "what-if", "crtmqm", "NEW")
    assert code == 0
    assert "was upgraded from edition 1 to edition 2; twin.db.edition-1 is a copy" in err
    assert run(capsys, "--log", log, "ask", "members")[0] == 0


def test_upgrading_by_command(log_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`twin log upgrade` upgrades a log of each kind, saves snapshots, and may be run again."""
    assert run(capsys, "--log", log_url, "log", "upgrade")[0] == 20
    put_back("branches", log_url)
    if log_url.startswith("postgresql"):
        code, _, err = run(capsys, "--log", log_url, "crtmqm", "NEW")
        assert (code, err.count("\n")) == (20, 1)
        assert "twin log upgrade" in err
    code, out, _ = run(capsys, "--log", log_url, "log", "upgrade")
    assert code == 0
    assert "from edition 1 to edition 2" in out
    assert "saved" in out
    assert "already" in run(capsys, "--log", log_url, "log", "upgrade")[1]
    assert run(capsys, "--log", log_url, "log", "verify")[0] == 0


def test_backing_up(tmp_path: Path, postgres_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup of a file is a log; for a server the command is printed, and nothing is copied."""
    log, copy = str(tmp_path / "twin.db"), str(tmp_path / "copy.db")
    assert run(capsys, "--log", log, "log", "backup", copy)[0] == 20
    put_back("story", f"sqlite:///{log}")
    run(capsys, "--log", log, "log", "upgrade", "--no-snapshots")
    assert run(capsys, "--log", log, "log", "backup", copy)[0] == 0
    heads = [run(capsys, "--log", each, "log", "verify")[1].splitlines()[0] for each in (log, copy)]
    assert heads[0] == heads[1]
    code, _, err = run(capsys, "--log", log, "log", "backup", copy)
    assert (code, err.count("\n")) == (20, 1)
    Log.open(postgres_url).close()
    secret = postgres_url.replace("twin@", "twin:hidden@")
    code, out, err = run(capsys, "--log", secret, "log", "backup", copy)
    assert code == 10
    assert out.startswith("pg_dump ")
    assert "hidden" not in out + err


def test_a_deleted_branch_is_refused_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A deleted branch is not listed, and a command that names it says so in one line."""
    log = ["--log", str(tmp_path / "twin.db")]
    run(capsys, *log, "crtmqm", "QM1", "--at", "2026-01-01")
    run(capsys, *log, "branch", "create", "a")
    run(capsys, *log, "branch", "create", "b", "--from", "a")
    code, out, _ = run(capsys, *log, "branch", "delete", "a")
    assert code == 0
    assert "its events stay in the log" in out
    assert "stay: b" in out
    assert "\na " not in run(capsys, *log, "branch", "list")[1]
    for words in (
        ["ask", "members"],
        ["crtmqm", "QM2"],
        ["log", "show"],
        ["advance", "--days", "1"],
        ["branch", "delete", "a"],
        ["branch", "create", "c", "--from", "a"],
        ["branch", "diff", "a"],
    ):
        code, out, err = run(capsys, *log, "--branch", "a", *words)
        assert (code, out, err.count("\n")) == (20, "", 1)
        assert "branch 'a' was deleted" in err
    assert run(capsys, *log, "--branch", "b", "crtmqm", "QM2")[0] == 0
    assert run(capsys, *log, "branch", "create", "a")[0] == 0
    code, _, err = run(capsys, *log, "branch", "delete", "main")
    assert (code, err.count("\n")) == (20, 1)
    assert "main cannot be deleted" in err
    assert run(capsys, *log, "log", "verify")[0] == 0


def test_moving_a_log(
    tmp_path: Path, postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log is exported, and imported into a log of the other kind with the same head."""
    log, file = str(tmp_path / "twin.db"), str(tmp_path / "lines")
    put_back("branches", f"sqlite:///{log}")
    run(capsys, "--log", log, "log", "upgrade", "--no-snapshots")
    code, out, err = run(capsys, "--log", log, "log", "export", file)
    assert (code, err) == (0, "")
    assert "428 events" in out
    assert run(capsys, "--log", log, "log", "export")[1] == Path(file).read_text("utf-8")
    code, out, _ = run(capsys, "--log", postgres_url, "log", "import-log", file)
    assert code == 0
    head = run(capsys, "--log", log, "log", "verify")[1].splitlines()[0].split()[-1]
    assert out == f"428 events of 4 branches imported, head {head}\n"
    for words, said in (
        (["--log", postgres_url, "log", "import-log", file], "is not empty"),
        (["--log", log, "log", "export", file], "exists already"),
        (["--log", log, "log", "export", str(tmp_path / "no" / "lines")], "cannot write"),
        (["--log", str(tmp_path / "n.db"), "log", "import-log", log], "no line of an export"),
        (["--log", str(tmp_path / "n.db"), "log", "import-log", f"{file}2"], "cannot read"),
    ):
        code, out, err = run(capsys, *words)
        assert (code, out, err.count("\n")) == (20, "", 1)
        assert said in err


def test_a_refused_first_command_leaves_no_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first command that records nothing leaves no file where it would have made the log."""
    (tmp_path / "lines").write_text('{"twin_log": 1}\n')
    (tmp_path / "notes").write_text("nothing that twin reads\n")
    before = sorted(tmp_path.iterdir())
    for words in (
        ["crtmqm", "a name that no queue manager has"],
        ["--branch", "what-if", "crtmqm", "QM1"],
        ["crtmqm", "QM1", "--at", "2999-01-01"],
        ["import", str(tmp_path / "notes")],
        ["import", str(tmp_path / "notes"), "--qmgr", "QM1"],
        ["log", "import-log", str(tmp_path / "lines")],
        ["log", "import-log", str(tmp_path / "notes")],
    ):
        code, _, err = run(capsys, "--log", str(tmp_path / "twin.db"), *words)
        assert (code, bool(err)) == (20, True)
        assert sorted(tmp_path.iterdir()) == before
    assert run(capsys, "--log", str(tmp_path / "twin.db"), "crtmqm", "QM1")[0] == 0
    assert (tmp_path / "twin.db").exists()


def test_verifying_counts_what_was_purged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`twin log verify` says how many texts of evidence were purged; that is no damage."""
    log = str(tmp_path / "twin.db")
    opened = Log.open(f"sqlite:///{log}")
    opened.purge_evidence([keep(opened, "AMQ9999E", first_seen=1)])
    opened.close()
    code, out, _ = run(capsys, "--log", log, "log", "verify")
    assert code == 0
    assert "; 1 text of evidence purged" in out


def test_deriving_again_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`twin log rederive` names the rules, and branches that keep theirs; then it does nothing."""
    log = f"sqlite:///{tmp_path / 'twin.db'}"
    opened = Log.open(log)
    opened.import_lines(observed.stored_lines())
    opened.close()
    code, out, _ = run(capsys, "--log", log, "log", "rederive")
    first, *branches = out.splitlines()
    assert code == 0
    assert first.startswith("what was derived under rules 1 is derived again: ")
    assert branches == ["branch try keeps what main was at its fork"]
    assert run(capsys, "--log", log, "log", "rederive")[1].startswith("nothing to do")
    code, out, err = run(capsys, "--log", log, "--branch", "try", "log", "rederive")
    assert (code, out, err.count("\n")) == (20, "", 1)
