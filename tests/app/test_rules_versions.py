"""A derivation names the version of the rules, and deriving again under another one is said."""

from __future__ import annotations

import itertools
from typing import Any, Final

import pytest

from tests.app.scenes import LATER, START, build, make_twin
from twin.app import batch
from twin.model.instants import DAY, HOUR, SECOND
from twin.questions.answer import Row
from twin.rules import version
from twin.rules.version import source_of, version_of


def test_sources_name_versions() -> None:
    """The first version has no number; a source that is not the rules has no version."""
    assert [source_of(number) for number in (1, 2, 10)] == ["rules", "rules/2", "rules/10"]
    assert [version_of(source) for source in ("rules", "rules/2", "rules/10")] == [1, 2, 10]
    assert {version_of(source) for source in ("command", "rules/", "rules/x", "rules2")} == {None}


LATEST: Final = version.RULES_VERSION


def rules_become(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the rules have a version."""
    monkeypatch.setattr(version, "RULES_VERSION", number)
    monkeypatch.setattr(batch, "RULES", source_of(number))


def test_deriving_again_by_another_version_is_said(
    log_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a late fact, answers say which version derived again what another had derived."""
    ticks = itertools.count(LATER, SECOND)
    with make_twin(log_url, lambda: next(ticks)) as twin:
        build(twin)
        twin.runmqsc("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)", at=START + DAY)
        twin.ingest("DEFINE QLOCAL(B) CLUSTER(CA)", qmgr="PR2", at=START + 3 * HOUR)
        first = twin.as_of().known
        assert twin.ask("members").notes == ()
        rules_become(monkeypatch, LATEST + 1)
        older = f"derived under rules {LATEST}; twin log rederive derives it again"
        assert twin.ask("members").notes == (older,)
        twin.ingest("DEFINE QLOCAL(C) CLUSTER(CA)", qmgr="PR2", at=START + 2 * HOUR)
        by = f"version {LATEST + 1} of the rules"
        said = f"what followed 2026-01-01T02:00:00Z was derived again by {by}"
        for question in ("members", "changes"):
            answer = twin.ask(question, since=START)
            assert answer.notes == (older, said)
            assert answer.as_json()["notes"] == [older, said]
        assert twin.ask("members", known_at=first).notes == (older,)
        sources = {event.source for event in twin.log.events(after=1) if event.cause}
        assert sources == {source_of(LATEST), source_of(LATEST + 1)}
        twin.ingest("DEFINE QLOCAL(D) CLUSTER(CA)", qmgr="PR2", at=START + 20 * HOUR)
        assert twin.ask("members").notes == (older, said)


def test_changes_have_a_row_for_another_version(
    log_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`changes` says which version derived again what lies within the time that is compared."""
    ticks = itertools.count(LATER, SECOND)
    with make_twin(log_url, lambda: next(ticks)) as twin:
        build(twin)
        twin.runmqsc("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)", at=START + DAY)
        first = twin.as_of().known
        rules_become(monkeypatch, LATEST + 1)
        late = START + 2 * HOUR
        twin.ingest("DEFINE QLOCAL(C) CLUSTER(CA)", qmgr="PR2", at=late)
        (withdrawal,) = twin.log.events(types=["DerivedFactsWithdrawn"])

        def rows(**options: Any) -> list[Row]:
            found = twin.ask("changes", **options).rows
            return [row for row in found if row["kind"] == "rules"]

        (row,) = rows(since=START)
        assert (row["at"], row["position"]) == (late, withdrawal.position)
        assert [row[key] for key in ("on", "name", "field", "before", "after")] == [
            *("", source_of(LATEST + 1), "version", f"{LATEST}", f"{LATEST + 1}")
        ]
        assert rows() == rows(since=late) == rows(on="PR1") == [row]
        assert rows(since=late + SECOND) == rows(since=START, as_of=late) == []
        assert rows(since=START, known_at=first) == []
        rules_become(monkeypatch, LATEST + 2)
        twin.ingest("DEFINE QLOCAL(D) CLUSTER(CA)", qmgr="PR2", at=START + 20 * HOUR)
        assert [(each["name"], each["before"], each["after"]) for each in rows()] == [
            (source_of(LATEST + 1), f"{LATEST}", f"{LATEST + 1}"),
            (source_of(LATEST + 2), f"{LATEST + 1}", f"{LATEST + 2}"),
        ]


def test_a_log_of_one_later_version_says_nothing(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If all was derived by the same version, nothing is said."""
    rules_become(monkeypatch, LATEST + 1)
    ticks = itertools.count(LATER, SECOND)
    with make_twin(sqlite_url, lambda: next(ticks)) as twin:
        build(twin)
        twin.runmqsc("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)", at=START + DAY)
        twin.ingest("DEFINE QLOCAL(B) CLUSTER(CA)", qmgr="PR2", at=START + 3 * HOUR)
        assert twin.ask("members").notes == ()
