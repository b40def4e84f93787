"""The file of users: what it holds, who may read it, and what is said when it is broken."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.web.serving import CHEAP
from twin.output_files import OutputIsLink
from twin.web.access.passwords import Cost, HashedPassword
from twin.web.access.users import (
    BadUserName,
    EmptyPassword,
    NoSuchUser,
    Role,
    UnusableUsers,
    Users,
)

_PASSWORD = "correct horse"  # noqa: S105 - of this test
_ROLES = [Role.ADMIN]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file of users that does not exist yet."""
    return tmp_path / "users.json"


def test_users_are_kept_in_a_file_of_their_owner_alone(path: Path) -> None:
    """The file is written for its owner alone, and without any password."""
    assert Users(path).add("anna", _PASSWORD, [Role.ADMIN, Role.USER], cost=CHEAP)
    assert path.stat().st_mode & 0o777 == 0o600
    assert _PASSWORD not in path.read_text()
    entry = Users(path).entries()["anna"]
    assert entry.user.roles == {Role.ADMIN, Role.USER}
    assert entry.password.fits(_PASSWORD)
    assert not entry.password.fits(f"{_PASSWORD} ")


def test_equal_passwords_have_different_hashes(path: Path) -> None:
    """Each password has a salt of its own."""
    users = Users(path)
    for name in ("anna", "otto"):
        users.add(name, _PASSWORD, _ROLES, cost=CHEAP)
    anna, otto = (entry.password for entry in users.entries().values())
    assert anna.salt != otto.salt
    assert anna.digest != otto.digest


def test_the_default_cost_is_what_is_advised(path: Path) -> None:
    """Without another cost a hash takes 16 MiB and five passes, and it is kept beside the hash."""
    Users(path).add("anna", _PASSWORD, _ROLES)
    assert Users(path).entries()["anna"].password.cost == (2**14, 8, 5)


def test_a_changed_file_is_read_again(path: Path) -> None:
    """What another process adds, replaces or removes counts at the next request."""
    mine, other = Users(path), Users(path)
    assert not mine.entries()
    other.add("anna", _PASSWORD, _ROLES, cost=CHEAP)
    assert list(mine.entries()) == ["anna"]
    assert not other.add("anna", "another one", [Role.READER], cost=CHEAP)
    assert mine.entries()["anna"].user.roles == {Role.READER}
    other.remove("anna")
    assert not mine.entries()
    with pytest.raises(NoSuchUser):
        mine.remove("anna")


@pytest.mark.parametrize("name", ["", "a:b", "a b", "é", "x" * 65, "a\nb"])
def test_a_name_that_no_header_can_have_is_refused(path: Path, name: str) -> None:
    """Nothing is written for such a name, or for an empty password."""
    with pytest.raises(BadUserName):
        Users(path).add(name, _PASSWORD, _ROLES, cost=CHEAP)
    with pytest.raises(EmptyPassword):
        Users(path).add("anna", "", _ROLES, cost=CHEAP)
    assert not path.exists()


_GOOD = {"n": 16, "r": 8, "p": 1, "salt": "AAAA", "digest": "AAAA"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"version": 2, "users": {}}',
        '{"version": 1}',
        '{"version": 1, "users": []}' * 2,
        '{"version": 1, "users": {"anna": {}}}',
        json.dumps({"version": 1, "users": {"a b": {"roles": [], "scrypt": _GOOD}}}),
        json.dumps({"version": 1, "users": {"anna": {"roles": ["root"], "scrypt": _GOOD}}}),
        json.dumps({"version": 1, "users": {"anna": {"roles": "MQWebAdmin", "scrypt": _GOOD}}}),
        json.dumps({"version": 1, "users": {"a": {"roles": [], "scrypt": _GOOD | {"n": 1 << 30}}}}),
        json.dumps({"version": 1, "users": {"a": {"roles": [], "scrypt": _GOOD | {"p": 1 << 30}}}}),
        json.dumps({"version": 1, "users": {"a": {"roles": [], "scrypt": _GOOD | {"n": 15}}}}),
        json.dumps({"version": 1, "users": {"a": {"roles": [], "scrypt": _GOOD | {"salt": ""}}}}),
        json.dumps({"version": 1, "users": {"a": {"roles": [], "scrypt": _GOOD | {"salt": "?"}}}}),
    ],
)
def test_a_broken_file_is_one_line(path: Path, text: str) -> None:
    """A file that is no file of users is named in one line, and stays as it is."""
    path.write_text(text)
    with pytest.raises(UnusableUsers) as refused:
        Users(path).add("anna", _PASSWORD, _ROLES, cost=CHEAP)
    assert str(refused.value).startswith(f"the file of users {path} cannot be used: it")
    assert "\n" not in str(refused.value)
    assert path.read_text() == text


@pytest.mark.parametrize("n", [2, 16, 1 << 15, 1 << 16, 1 << 20, 15, 17, 1, 0, -2])
@pytest.mark.parametrize("r", [1, 8, 1 << 10, 1 << 20])
@pytest.mark.parametrize("p", [1, 1 << 10, 1 << 19])
def test_a_cost_that_is_read_can_be_computed(n: int, r: int, p: int) -> None:
    """Scrypt takes every cost of a file that is read; others are refused when it is read."""
    cost = Cost(n, r, p)
    if not cost.is_usable:
        with pytest.raises(ValueError, match="scrypt with"):
            HashedPassword.read(_GOOD | cost._asdict())
    elif n * r * p <= 1 << 16:  # others take long
        assert not HashedPassword.read(_GOOD | cost._asdict()).fits(_PASSWORD)


def test_the_users_of_simultaneous_changes_are_all_there(path: Path) -> None:
    """Whoever adds or removes a user waits for the change of another process."""
    names = [f"user{number}" for number in range(40)]

    def change(name: str) -> None:
        users = Users(path)
        users.add(name, _PASSWORD, _ROLES, cost=CHEAP)
        users.add(f"{name}.gone", _PASSWORD, _ROLES, cost=CHEAP)
        users.remove(f"{name}.gone")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(change, names))
    assert list(Users(path).entries()) == sorted(names)


def test_a_file_is_never_larger_than_what_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user for whom there is no room is refused, and the others stay."""
    users = Users(path)
    users.add("anna", _PASSWORD, _ROLES, cost=CHEAP)
    monkeypatch.setattr("twin.web.access.users.LONGEST", path.stat().st_size)
    with pytest.raises(UnusableUsers, match="it would have more than"):
        users.add("otto", _PASSWORD, _ROLES, cost=CHEAP)
    assert list(Users(path).entries()) == ["anna"]
    path.write_text(f"{path.read_text()} ")
    with pytest.raises(UnusableUsers, match="it has more than"):
        Users(path).entries()


def test_a_folder_in_its_place_is_one_line(tmp_path: Path) -> None:
    """What cannot be read is named with the reason."""
    with pytest.raises(UnusableUsers, match="Is a directory"):
        Users(tmp_path).entries()


def test_nothing_is_written_through_a_link(path: Path, tmp_path: Path) -> None:
    """A link in the place of the file is refused, and what it leads to stays as it is."""
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputIsLink):
        Users(path).add("anna", _PASSWORD, _ROLES, cost=CHEAP)
    assert not (tmp_path / "elsewhere").exists()
