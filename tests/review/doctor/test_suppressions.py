"""Suppressions of findings: read from YAML, with reasons and end dates."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.model.instants import DAY, parse_instant
from twin.review.doctor.suppressions import BadSuppression, read_suppressions, suppressions_in

GOOD = """\
ignore:
  - id: listener-manual
    object: QM1 LISTENER(TCP)
    reason: started by hand after the backup
    until: 2026-12-31
  - {id: dead-letter-queue-blank, reason: not yet}
"""


def test_a_file_of_suppressions_is_read_with_its_lines() -> None:
    """Each entry has its rule, object, reason, last day and line."""
    first, second = read_suppressions(GOOD, "x.yaml")
    assert first.object == "QM1 LISTENER(TCP)"
    assert first.reason == "started by hand after the backup"
    assert first.until == parse_instant("2026-12-31", now=0) + DAY
    assert (first.place, second.place) == ("x.yaml:2", "x.yaml:6")
    assert (second.object, second.until) == ("", None)


def test_an_empty_file_suppresses_nothing() -> None:
    """A file without entries, or with comments only, is no mistake."""
    assert read_suppressions("", "x.yaml") == ()
    assert read_suppressions("# nothing\n", "x.yaml") == ()
    assert read_suppressions("ignore: []\n", "x.yaml") == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ignore: [", "x.yaml:1: this is not YAML"),
        ("[" * 5000, "x.yaml:1: this is nested too deeply"),
        ("ignore: []\nignore: []\n", "x.yaml:1: expected a list under the key ignore, once"),
        ("- a\n", "x.yaml:1: expected a list under the key ignore"),
        ("ignore: []\nother: 1\n", "x.yaml:1: expected a list under the key ignore"),
        ("ignore:\n  - listener-manual\n", "x.yaml:2: expected the keys id, object"),
        ("ignore:\n- {id: listener-manual}\n", "x.yaml:2: a reason for ignoring listener-manual"),
        ("ignore:\n- {reason: x}\n", "x.yaml:2: the id of a rule is missing"),
        (
            "ignore:\n- {id: listener-manuel, reason: x}\n",
            "x.yaml:2: unknown rule 'listener-manuel'; did you mean listener-manual",
        ),
        (
            "ignore:\n- {id: listener-manual, reason: x, untill: 2026-01-01}\n",
            "x.yaml:2: unknown key untill",
        ),
        (
            "ignore:\n- {id: listener-manual, reason: x, until: soon}\n",
            "x.yaml:2: until 'soon' is not a day",
        ),
        (
            "ignore:\n- {id: listener-manual, reason: x, until: 2026-13-01}\n",
            "x.yaml:2: until '2026-13-01' is not a day",
        ),
    ],
)
def test_a_mistake_in_the_file_is_refused_with_its_line(text: str, says: str) -> None:
    """Nothing in the file is silently ignored."""
    with pytest.raises(BadSuppression) as caught:
        read_suppressions(text, "x.yaml")
    assert str(caught.value).startswith(says)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A missing file, and one that is not UTF-8, are one line."""
    file = tmp_path / "x.yaml"
    with pytest.raises(BadSuppression, match=r"x\.yaml: cannot be read: No such file"):
        suppressions_in(file)
    file.write_bytes(b"ignore: []\n# \xff")
    with pytest.raises(BadSuppression, match=r"x\.yaml: cannot be read: this is not UTF-8"):
        suppressions_in(file)
