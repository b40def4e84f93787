"""A command that would change an observed queue manager on main is refused in one line."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.conftest import AT, Run

LINE = "twin: OBS is observed, so only observations change it on main; try it on a branch: "
AND = " && "

REFUSED = (
    "strmqm OBS",
    "endmqm OBS -i",
    "dltmqm OBS",
    "runmqsc -e OBS",
    "open OBS ORDERS --bind open",
    "put OBS ORDERS --count 3",
    "get OBS ORDERS",
    f"restore OBS --to {AT}",
    "exhaust OBS",
    "runswchl -m OBS -c '*'",
    "runmqdlq OBS - --queue ORDERS",
    "link cut OBS QM1",
    "link heal QM1 OBS",
    "link delay 3s QM1 OBS",
    "link delay 2s",
)
"""Every command that acts on a queue manager, with its options."""

TYPED = {"runmqsc": "DEFINE QLOCAL(A)\n", "runmqdlq": "ACTION(DISCARD)\n"}


@pytest.fixture
def mixed(cluster: Run) -> Run:
    """Add the observed queue manager OBS, which has its own ORDERS."""
    script = """DEFINE CHANNEL(CA.OBS) CHLTYPE(CLUSRCVR) CONNAME('obs(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)
DEFINE QLOCAL(ORDERS) CLUSTER(CA)"""
    assert cluster("import", "-", "--qmgr", "OBS", "--at", AT, typed=script).code == 0
    return cluster


@pytest.mark.parametrize("typed", REFUSED)
def test_the_line_names_commands_that_work(mixed: Run, typed: str) -> None:
    """Nothing is recorded on main, and both commands of the line can be run as they are."""
    words = shlex.split(typed)
    script = TYPED.get(words[0], "")
    before = mixed("log", "verify").lines[0]
    refused = mixed(*words, typed=script)
    assert refused.code == 20
    assert refused.err == (
        f"{LINE}twin branch create whatif && twin --branch whatif {shlex.join(words)}\n"
    )
    assert mixed("log", "verify").lines[0] == before
    create, act = refused.err.removeprefix(LINE).split(AND)
    assert mixed(*shlex.split(create)[1:]).code == 0
    assert "is observed" not in mixed(*shlex.split(act)[1:], typed=script).err


@pytest.mark.parametrize("place", ["before", "after"])
def test_the_option_carries_it_out_on_main(mixed: Run, place: str) -> None:
    """It may be given before or after the command."""
    words = ["endmqm", "OBS"]
    words = ["--simulate-on-main", *words] if place == "before" else [*words, "--simulate-on-main"]
    assert mixed(*words).out == "IBM MQ queue manager 'OBS' ended.\n"
    assert "QMNAME(OBS)" in mixed("dspmq").out


def test_the_line_names_the_log_and_a_new_branch(mixed: Run) -> None:
    """Both commands name the log if it is not the default, and none names main."""
    assert mixed("branch", "create", "whatif").code == 0
    for words in (
        ("--log", "./twin.db", "--branch", "main", "put", "OBS", "ORDERS"),
        ("put", "OBS", "--log=./twin.db", "ORDERS", "--branch=main"),
        ("put", "--branch", "main", "OBS", "ORDERS", "--log", "sqlite:///./twin.db"),
    ):
        assert mixed(*words).err == (
            f"{LINE}twin --log sqlite:///./twin.db branch create whatif2 && "
            "twin --log sqlite:///./twin.db --branch whatif2 put OBS ORDERS\n"
        )


def test_the_log_of_the_environment_need_not_be_named(
    mixed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next command finds it, too."""
    monkeypatch.setenv("TWIN_LOG", "./twin.db")
    assert mixed("endmqm", "OBS").err.endswith(
        ": twin branch create whatif && twin --branch whatif endmqm OBS\n"
    )


def test_a_script_is_answered_up_to_its_first_change(mixed: Run) -> None:
    """A DISPLAY before it is answered; nothing after it is tried."""
    refused = mixed("runmqsc", "OBS", typed="DISPLAY QLOCAL(ORDERS) DESCR\nDEFINE QLOCAL(A)\n")
    assert "AMQ8409I: Display Queue details." in refused.out
    assert refused.code == 20
    assert refused.err.startswith(LINE)
    assert mixed("runmqsc", "OBS", typed="DISPLAY QLOCAL(ORDERS)\nPING QMGR\n").code == 0


def test_a_branch_of_an_imported_cluster_takes_every_command(mixed: Run) -> None:
    """There, an observed queue manager is simulated."""
    assert mixed("branch", "create", "trial").code == 0
    assert mixed("--branch", "trial", "put", "OBS", "ORDERS").code == 0
    assert mixed("--branch", "trial", "endmqm", "OBS").code == 0
    assert "OBS" in mixed("dspmq", "-m", "OBS").out
