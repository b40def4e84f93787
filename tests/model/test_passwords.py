"""Passwords in URLs of any form, and in settings, are not in messages."""

from __future__ import annotations

import pytest

from twin.model.passwords import message_without_passwords, shown_url, without_passwords


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:hunter2@h/db", "postgresql://u:********@h/db"),
        ("postgresql://u:hunter2@h:5432/db", "postgresql://u:********@h:5432/db"),
        ("postgresql://u:hunter2@[::1]:5432/db", "postgresql://u:********@[::1]:5432/db"),
        ("postgresql://u:hun@ter2@h/db", "postgresql://u:********@h/db"),
        ("postgresql://u:hun/ter2@h/db", "postgresql://u:********@h/db"),
        ("postgresql://u:hun#ter2?x@h/db", "postgresql://u:********@h/db"),
        ("postgresql://u:hunter2@h:port/db", "postgresql://u:********@h:********/db"),
        ("postgresql://u:hunter2/db", "postgresql://u:********/db"),
        ("postgresql://h/db?password=hunter2&sslmode=require", "postgresql://h/db"),
        ("postgresql://h/db?p%61ssword=hunter2", "postgresql://h/db"),
        ("postgresql://h/db?connect_timeout=2", "postgresql://h/db?connect_timeout=2"),
        ("postgresql:/u:hunter2@h/db", "postgresql:********@h/db"),
        ("sqlite:///postgresql:/u:hunter2@h/db", "sqlite:///postgresql:********@h/db"),
        ("u:hunter2@h/db", "u:********@h/db"),
        ("host=h user=u password=hunter2", "host=********"),
        ("sqlite:////var/twin.db", "sqlite:////var/twin.db"),
        ("sqlite:///me@work.db", "sqlite:///me@work.db"),
        ("mysql://h/db", "mysql://h/db"),
    ],
)
def test_a_url_of_any_form_is_shown_without_its_password(url: str, shown: str) -> None:
    """The password is hidden, and also a message of the driver that repeats it."""
    found = shown_url(url)
    assert found.text == shown
    for secret in found.secrets:
        assert (
            found.scrubbed(f"could not connect with {secret}!")
            == "could not connect with ********!"
        )


def test_a_short_password_is_hidden_where_it_stands_alone() -> None:
    """A password of one letter does not make a message unreadable."""
    found = shown_url("postgresql://u:a@h/db")
    assert found.scrubbed("failed at a, again") == "failed at ********, again"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "cannot read postgresql://u:hunter2@h/db: No such file",
            "cannot read postgresql://u:********@h/db: No such file",
        ),
        ("unknown branch 'postgresql:/u:hunter2@h'", "unknown branch 'postgresql:/u:********@h'"),
        ("got password=hunter2 here", "got password=******** here"),
        (
            "two: my_pwd_1 = hunter2, host=h pass='hunter2'",
            "two: my_pwd_1 = ********, host=h pass=********",
        ),
        ("ftp://u:hun@ter2@h and ftp://v:hunter2@h", "ftp://u:********@h and ftp://v:********@h"),
        ("bad postgresql://u:hunter2/db", "bad postgresql://u:********/db"),
        ("unknown file 'u:hunter2@h/db'", "unknown file 'u:********@h/db'"),
        ("bad postgresql://[::1]:hunter2/db", "bad postgresql://[::1]:********/db"),
        ("server at postgresql://h:5432/db", "server at postgresql://h:5432/db"),
        ("user a@b said: no", "user a@b said: no"),
    ],
)
def test_a_message_with_a_url_in_it_is_shown_without_its_password(message: str, shown: str) -> None:
    """URLs and settings anywhere in a message lose their passwords, other text stays."""
    assert without_passwords(message) == shown


@pytest.mark.parametrize(
    ("message", "values", "shown"),
    [
        ("dspmq: unknown flag -p (see help)", ["-p"], "dspmq: unknown flag -p (see help)"),
        ("-p needs a value: -p PORT", ["-p"], "-p needs a value: -p PORT"),
        ("cannot read password: No such file", ["password"], "cannot read password: No such file"),
        ("cannot read x pass=hunter2: no", ["x pass=hunter2"], "cannot read x pass=********: no"),
        (
            "unknown file 'u:hunter2@h'; try -p 1",
            ["u:hunter2@h"],
            "unknown file 'u:********@h'; try -p 1",
        ),
        ("password = hunter2 of password: no", ["password"], "password = ******** of password: no"),
        ("my-password: hunter2", ["password", ""], "my-password: ********"),
        ("got -p hunter2 here", [], "got -p ******** here"),
    ],
)
def test_words_of_a_message_are_not_part_of_its_values(
    message: str, values: list[str], shown: str
) -> None:
    """A secret ends with the value that it is in, and a value without one hides nothing."""
    assert message_without_passwords(message, values) == shown


@pytest.mark.parametrize(
    "unit", ["pass", "pass ", "pass='", "a:", "a:b:", "a://b:", "a://b:1", "u:@", "%41", "a:/"]
)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    """This ends: with a pattern that begins at each letter, it would take hours."""
    text = f"@:={unit * (2_000_000 // len(unit))}"
    shown = without_passwords(f"{text} password=hunter2")
    assert shown.endswith("=********")
    assert "hunter2" not in shown
