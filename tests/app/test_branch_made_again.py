"""A branch that is deleted and made again under its name is another branch, to open twins, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from twin.app.twin import Twin

OLD: Final = ("QUEUE", "ON.OLD")


def _latest(twin: Twin) -> bool:
    return twin.read(lambda estate: OLD in estate.qmgr("QM1").definitions)


def _of_now(twin: Twin) -> bool:
    return bool(twin.ask("changes", on="QM1", name="ON.OLD").rows)


def _shared(twin: Twin) -> bool:
    with twin.sharing():
        return twin.look(lambda estate: OLD in estate.qmgr("QM1").definitions)


def _session(twin: Twin) -> bool:
    (answer,) = twin.runmqsc("QM1", "DISPLAY QLOCAL(ON.OLD)").messages
    return answer.id == "AMQ8409"


def _explained(twin: Twin) -> bool:
    from twin.questions.explanation import ExplainRequest

    return not twin.explain("QM1", ExplainRequest(queue="ON.OLD"))[0].reason


ASKED: Final[tuple[Callable[[Twin], bool], ...]] = (
    *(_latest, _of_now, _shared, _session, _explained),
)
"""Ways to find out whether a queue exists, each with a cache of its own."""


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Make a log with a branch on which a queue was defined."""
    made = f"sqlite:///{tmp_path / 'twin.db'}"
    with Twin.open(made) as main:
        main.crtmqm("QM1")
        main.strmqm("QM1")
        main.create_branch("b")
        main.on_branch("b").runmqsc("QM1", "DEFINE QLOCAL(ON.OLD)")
    return made


@pytest.fixture(params=[False, True], ids=["writer", "reader"])
def opened(url: str, request: pytest.FixtureRequest) -> Iterator[Twin]:
    """Open the branch, once to write and once to read."""
    with Twin.open(url, branch="b", read_only=request.param) as twin:
        yield twin


def make_again(url: str, *commands: str) -> None:
    """Delete the branch and make another one of its name, as another process would."""
    with Twin.open(url) as main:
        main.on_branch("b").delete_branch()
        main.create_branch("b")
        for command in commands:
            main.on_branch("b").runmqsc("QM1", command)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("commands", [(), ("DEFINE QLOCAL(ON.NEW)",)])
def test_an_open_twin_shows_the_new_branch(
    url: str, opened: Twin, asked: Callable[[Twin], bool], commands: tuple[str, ...]
) -> None:
    """What was defined on the old one is not there; what is recorded later changes nothing."""
    assert asked(opened)
    make_again(url, *commands)
    assert not asked(opened)


def test_a_command_of_an_open_twin_is_decided_on_the_new_branch(url: str) -> None:
    """The definition does not exist there, so it is not refused."""
    with Twin.open(url, branch="b") as opened:
        assert _latest(opened)
        make_again(url)
        (answer,) = opened.runmqsc("QM1", "DEFINE QLOCAL(ON.OLD)").messages
        assert answer.id == "AMQ8006"
