"""Signing in by passwords and tokens: what is remembered, for how long, and what is limited."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.web.serving import CHEAP
from twin.web.access import signing
from twin.web.access.passwords import HashedPassword
from twin.web.access.signing import REMEMBERED, AccessControl
from twin.web.access.users import Role, Users
from twin.web.errors import NotSignedIn, SignedOut, TooManyAttempts

_HOME = "192.0.2.1"
_GOOD, _BAD = "good", "bad"


@dataclass
class Clock:
    """A clock that is set by hand."""

    now: float = 1000.0

    def __call__(self) -> float:
        """Return its time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Make a clock."""
    return Clock()


@pytest.fixture
def access(tmp_path: Path, clock: Clock) -> AccessControl:
    """Make the users anna and otto."""
    users = Users(tmp_path / "users.json")
    for name in ("anna", "otto"):
        users.add(name, _GOOD, [Role.ADMIN], cost=CHEAP)
    control = AccessControl(users, clock=clock)
    control._nobody = control._nobody._replace(cost=CHEAP)
    return control


def fail(access: AccessControl, name: str = "anna", address: str = _HOME) -> None:
    """Try a wrong password."""
    with pytest.raises(NotSignedIn):
        access.by_password(name, _BAD, address=address)


def test_a_right_password_signs_in(access: AccessControl) -> None:
    """A wrong password and an unknown user are refused alike."""
    assert access.by_password("anna", _GOOD, address=_HOME).user.name == "anna"
    fail(access)
    fail(access, "nobody")


def test_a_verified_password_is_not_hashed_again_for_ten_minutes(
    access: AccessControl, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scrypt runs once for many requests; then it runs again."""
    hashed = []
    real = HashedPassword.fits

    def fits(self: HashedPassword, password: str) -> bool:
        hashed.append(password)
        return real(self, password)

    monkeypatch.setattr(HashedPassword, "fits", fits)
    for _ in range(3):
        access.by_password("anna", _GOOD, address=_HOME)
    assert hashed == [_GOOD]
    clock.now += REMEMBERED
    access.by_password("anna", _GOOD, address=_HOME)
    assert hashed == [_GOOD, _GOOD]


def test_a_remembered_password_ends_with_the_password(access: AccessControl) -> None:
    """A changed password, and the removal of a user, count at once."""
    access.by_password("anna", _GOOD, address=_HOME)
    token = access.sign_in("anna", _GOOD, address=_HOME)
    access.users.add("anna", "new", [Role.READER], cost=CHEAP)
    with pytest.raises(NotSignedIn):
        access.by_password("anna", _GOOD, address=_HOME)
    with pytest.raises(SignedOut):
        access.by_token(token)
    access.by_password("otto", _GOOD, address=_HOME)
    access.users.remove("otto")
    with pytest.raises(NotSignedIn):
        access.by_password("otto", _GOOD, address=_HOME)


def test_nothing_that_is_remembered_has_the_password(access: AccessControl) -> None:
    """Only digests with the key of the process are in memory."""
    token = access.sign_in("anna", _GOOD, address=_HOME)
    kept = repr((access._remembered, access._tokens._given))
    assert _GOOD not in kept
    assert token not in kept


def test_wrong_passwords_of_one_address_for_one_name_are_limited(
    access: AccessControl, clock: Clock
) -> None:
    """After five, even the right one must wait; other addresses and names need not."""
    for _ in range(signing.OF_PAIR):
        fail(access)
        clock.now += 1
    with pytest.raises(TooManyAttempts) as refused:
        access.by_password("anna", _GOOD, address=_HOME)
    assert refused.value.headers == {"Retry-After": str(int(signing.WINDOW) - signing.OF_PAIR)}
    access.by_password("anna", _GOOD, address="192.0.2.2")
    access.by_password("otto", _GOOD, address=_HOME)
    clock.now += signing.WINDOW - signing.OF_PAIR
    access.by_password("anna", _GOOD, address=_HOME)


def test_wrong_passwords_of_one_address_are_limited(access: AccessControl) -> None:
    """Many names do not help an address; other addresses are not concerned."""
    for number in range(signing.OF_ADDRESS):
        fail(access, f"user{number}")
    with pytest.raises(TooManyAttempts):
        access.by_password("anna", _GOOD, address=_HOME)
    access.by_password("anna", _GOOD, address="192.0.2.2")


def test_wrong_passwords_for_one_name_are_limited(access: AccessControl) -> None:
    """Many addresses do not help either; a user who is known already is not locked out."""
    access.by_password("anna", _GOOD, address="192.0.2.99")
    for number in range(signing.OF_NAME):
        fail(access, address=f"198.51.100.{number}")
    with pytest.raises(TooManyAttempts):
        access.by_password("anna", _BAD, address="203.0.113.1")
    access.by_password("anna", _GOOD, address="203.0.113.1")


def test_what_is_refused_is_not_remembered(access: AccessControl) -> None:
    """Refused attempts take no memory, nor do names that no user can have."""
    for number in range(signing.OF_ADDRESS):
        fail(access, f"user{number}")
    remembered = len(access._attempts)
    for number in range(50):
        with pytest.raises(TooManyAttempts):
            access.by_password(f"other{number}", _BAD, address=_HOME)
        fail(access, "x" * (65 + number), address="192.0.2.2")
        fail(access, f"\N{SNOWMAN}{number}", address="192.0.2.2")
    assert len(access._attempts) == remembered


def test_only_so_many_names_and_addresses_are_remembered(clock: Clock) -> None:
    """Those of the oldest attempts are forgotten first."""
    counted = signing.SignInAttempts(clock)
    for number in range(signing.MOST):
        counted.begin(f"address {number}", f"user{number}")
        assert len(counted) <= signing.MOST


def test_success_leaves_nothing_behind(clock: Clock) -> None:
    """An address and a name without failures are not remembered."""
    counted = signing.SignInAttempts(clock)
    counted.begin(_HOME, "anna")
    counted.succeeded(_HOME, "anna")
    assert len(counted) == 0


def test_right_passwords_are_not_limited(access: AccessControl) -> None:
    """Success takes back its own attempt, and the failures of this address for this name."""
    for _ in range(2 * signing.OF_ADDRESS):
        access.sign_in("anna", _GOOD, address=_HOME)
        access._remembered.clear()
    for _ in range(2):
        for _ in range(signing.OF_PAIR - 1):
            fail(access)
        access.sign_in("anna", _GOOD, address=_HOME)
        access._remembered.clear()


def test_a_token_lasts_two_hours(access: AccessControl, clock: Clock) -> None:
    """A token names its user until it expires; nobody can make one."""
    token = access.sign_in("anna", _GOOD, address=_HOME)
    clock.now += signing.LIFETIME - 1
    assert access.by_token(token).user.name == "anna"
    clock.now += 1
    for text in (token, "made up", "\udcff"):
        with pytest.raises(SignedOut):
            access.by_token(text)


def test_a_token_can_be_ended(access: AccessControl) -> None:
    """Signing out ends one token, and no other one of the user."""
    first, second = (access.sign_in("anna", _GOOD, address=_HOME) for _ in range(2))
    access.sign_out(first)
    with pytest.raises(SignedOut):
        access.by_token(first)
    assert access.by_token(second).user.name == "anna"


def test_tokens_are_bounded(access: AccessControl, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest token of a user gives way to a new one, and the oldest of all if all are many."""
    monkeypatch.setattr(signing, "OF_USER", 3)
    monkeypatch.setattr(signing, "_MOST", 5)
    first = [access.sign_in("anna", _GOOD, address=_HOME) for _ in range(4)]
    with pytest.raises(SignedOut):
        access.by_token(first[0])
    assert access.by_token(first[1]).user.name == "anna"
    for _ in range(3):
        access.sign_in("otto", _GOOD, address=_HOME)
    with pytest.raises(SignedOut):
        access.by_token(first[1])
    assert access.by_token(first[2]).user.name == "anna"


def test_a_form_token_belongs_to_one_session(access: AccessControl) -> None:
    """The token of a form fits the session that the page was shown to, and no other one."""
    sessions = [access.by_token(access.sign_in("anna", _GOOD, address=_HOME)) for _ in range(2)]
    sessions.append(access.by_password("anna", _GOOD, address=_HOME))
    made = [access.form_token(each) for each in sessions]
    assert len(set(made)) == 3
    for number, session in enumerate(sessions):
        fits = [access.is_form_token(session, token) for token in [*made, "", "\udcff"]]
        assert fits == [place == number for place in range(5)]
