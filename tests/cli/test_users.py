"""`twin user`: adds, lists and removes the users of the service."""

from __future__ import annotations

import getpass
import io
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from twin.cli import main
from twin.web.access.users import Users


class Terminal(io.StringIO):
    """A standard input at which somebody sits."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def test_a_user_is_added_with_a_password_from_standard_input(run: Run) -> None:
    """The password is the first line, and is written nowhere but as a hash."""
    added = run("user", "add", "anna", "--role", "admin", "--password-file", "-", typed="pä ss\n2")
    assert (added.code, added.out) == (0, "user anna added: MQWebAdmin\n")
    assert Users(Path("twin-users.json")).entries()["anna"].password.fits("pä ss")
    assert "ss" not in added.err


def test_a_user_is_changed_with_a_password_from_a_file(run: Run) -> None:
    """The last password and roles count; a file that others may read is said."""
    Path("secret").write_text("first\n")
    Path("secret").chmod(0o600)
    assert run("user", "add", "anna", "--password-file", "secret").err == ""
    Path("secret").write_text("second\n")
    Path("secret").chmod(0o644)
    roles = ["--role", "user", "--role", "reader"]
    changed = run("user", "add", "anna", *roles, "--password-file", "secret")
    assert changed.out == "user anna changed: MQWebAdminRO, MQWebUser\n"
    assert changed.err == "twin: other users may read or change secret (chmod 600 secret)\n"
    assert Users(Path("twin-users.json")).entries()["anna"].password.fits("second")


@pytest.mark.parametrize(("second", "code"), [("good", 0), ("other", 20)])
def test_a_password_is_asked_for_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str, code: int
) -> None:
    """At a terminal both must be the same; else nothing is written."""
    typed = iter(["good", second])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(getpass, "getpass", lambda _: next(typed))
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["user", "add", "anna"]) == code
    assert Path("twin-users.json").exists() == (code == 0)


def test_users_are_listed_and_removed(run: Run) -> None:
    """Every format has the same users, and no hashes."""
    assert run("user", "list").out == "no users\n"
    for name in ("otto", "anna"):
        run("user", "add", name, "--password-file", "-", typed="x")
    assert run("user", "list").lines == [
        "name  roles",
        "anna  MQWebAdminRO",
        "otto  MQWebAdminRO",
    ]
    assert run("user", "list", "--format", "json").json == [
        {"name": "anna", "roles": ["MQWebAdminRO"]},
        {"name": "otto", "roles": ["MQWebAdminRO"]},
    ]
    assert run("user", "list", "--format", "csv").lines[1:] == [
        "anna,MQWebAdminRO",
        "otto,MQWebAdminRO",
    ]
    assert run("user", "remove", "otto").out == "user otto removed\n"
    assert run("user", "list").lines[1:] == ["anna  MQWebAdminRO"]


@pytest.mark.parametrize(
    ("words", "typed", "problem"),
    [
        (("add", "anna"), "", "there is no terminal to ask for the password"),
        (("add", "anna", "--password-file", "-"), "", "the password is empty"),
        (("add", "anna", "--password-file", "none"), "", "cannot read none: No such file"),
        (("add", "a:b", "--password-file", "-"), "x", "'a:b' cannot be the name of a user"),
        (("add", "anna", "--role", "root"), "x", "'root' is not one of"),
        (("remove", "anna"), "", "there is no user anna"),
        (("list", "--users", "."), "", "the file of users . cannot be used: Is a directory"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    run: Run, words: tuple[str, ...], typed: str, problem: str
) -> None:
    """Bad input ends with exit code 20, and writes nothing."""
    refused = run("user", *words, typed=typed)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert problem in refused.err
    assert not list(Path().iterdir())


def test_another_file_can_be_named_once_for_all(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """TWIN_USERS names the file of users for all commands."""
    monkeypatch.setenv("TWIN_USERS", "others.json")
    run("user", "add", "anna", "--password-file", "-", typed="x")
    assert [path.name for path in Path().glob("*.json")] == ["others.json"]


def test_a_new_password_leaves_the_roles(run: Run) -> None:
    """Without --role an administrator who gets another password stays one."""
    words = ("user", "add", "anna", "--password-file", "-")
    run(*words, "--role", "admin", typed="first")
    assert run(*words, typed="second").out == "user anna changed: MQWebAdmin\n"
