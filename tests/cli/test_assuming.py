"""`twin assume`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

MEMBER = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)
"""
SCRIPTS = {
    "FR1": """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('FR1(1414)') CLUSTER(CA)
""",
    "QM1": MEMBER.format("QM1") + "DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n",
    "QM2": MEMBER.format("QM2") + "DEFINE QALIAS(APP.ORDERS) TARGET(ORDERS)\n",
}
AT = "2026-03-01T10:00:00Z"
NOTE = "assumes that QM2 uses ORDERS (QALIAS APP.ORDERS); twin assume QM2 --nothing drops it"


@pytest.fixture
def estate(run: Run) -> Run:
    """Import a full repository and two members, of which QM2 has an alias of ORDERS."""
    for name, text in SCRIPTS.items():
        Path(f"{name}.mqsc").write_text(text, encoding="utf-8")
    assert run("import", *(f"{name}.mqsc" for name in SCRIPTS), "--at", AT).code == 0
    return run


def test_what_is_assumed_is_printed_and_set(estate: Run) -> None:
    """Without an option the names are printed; with one, what is assumed from then on."""
    because = "QM2 is assumed to use queue ORDERS (QALIAS APP.ORDERS)\n"
    assert estate("assume", "QM2").out == because
    assert estate("assume", "QM2", "--nothing").out == "nothing is assumed of QM2\n"
    assert estate("assume", "QM2", "--at", AT).out == because
    added = "QM2 is assumed to use queue ORDERS\n"
    assert estate("assume", "QM2", "--queue", "ORDERS").out == added
    assert estate("assume", "QM2", "--used").out == because
    assert estate("assume", "FR1").out == "nothing is assumed of FR1\n"


def test_an_assumption_without_effect_is_said_to_have_none(estate: Run) -> None:
    """A full repository holds all records, so nothing is assumed of it, whatever is set."""
    first, second = estate("assume", "FR1", "--queue", "ORDERS").lines
    assert first == "nothing is assumed of FR1"
    assert second.startswith(
        "ORDERS is not assumed now: FR1 is a full repository, or a later answer"
    )


def test_answers_say_what_they_assume(estate: Run) -> None:
    """A put and its explanation name the assumption that they rest on, on a branch."""
    assert estate("branch", "create", "whatif").code == 0
    assert estate("--branch", "whatif", "endmqm", "FR1").code == 0
    explained = estate("--branch", "whatif", "explain", "QM2", "APP.ORDERS")
    assert (explained.code, explained.lines[-2]) == (0, NOTE)
    put = estate("--branch", "whatif", "put", "QM2", "APP.ORDERS")
    assert (put.code, put.lines[-2]) == (0, NOTE)
    asked = estate("ask", "subscriptions", "--format", "json").json
    assert NOTE in asked["notes"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("QM2", "--used", "--nothing"), "expected one of --queue, --used and --nothing"),
        (("QM2", "--queue", "no name"), "invalid queue name 'no name'"),
        (("QM7", "--used"), "QM7"),
        (("QM3", "--used"), "nothing is assumed of QM3: it was created in the twin"),
        (("QM2", "--used", "--at", "2100-01-01"), "2100-01-01"),
    ],
)
def test_what_cannot_be_assumed_is_refused(
    estate: Run, words: tuple[str, ...], problem: str
) -> None:
    """A wrong option, name or instant is refused in one line, and nothing is recorded."""
    assert estate("crtmqm", "QM3").code == 0
    said = estate("assume", *words)
    assert (said.code, len(said.err.splitlines())) == (20, 1)
    assert problem in said.err
