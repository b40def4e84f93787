"""With its rule switched off, a proof of docs/fidelity.md fails; with the rule it holds."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import pytest

from tests.fidelity_page import PAGE, rows
from tests.stories import test_docs, test_fidelity, test_lifecycle, test_messages
from tests.stories.switched_off import TABLE, SwitchedOff
from twin.stories.play import play

STORIES: Final = {
    story.name: story
    for played in (test_docs, test_fidelity, test_lifecycle, test_messages)
    for story in played.STORIES
}
ROWS: Final = {row.id: row for row in rows(PAGE.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("off", TABLE, ids=lambda off: off.row)
def test_a_proof_fails_without_its_rule(off: SwitchedOff) -> None:
    """The proof holds, but not without the rule: an expectation is not met, and nothing breaks."""
    proof = ROWS[off.row].proofs[off.proof - 1]
    assert holds_with_all_rules(proof)
    with switched_off(off):
        assert not holds(proof)


def test_a_rule_that_is_not_needed_makes_no_proof_fail() -> None:
    """A proof holds without a rule that it does not need."""
    with switched_off(SwitchedOff("S1a-02", "twin.rules.lifecycle._warn")):
        assert holds(ROWS["S1a-02"].proofs[0])


def test_an_error_is_no_unmet_expectation() -> None:
    """A replacement that breaks twin raises its error instead of letting the proof fail."""
    nonsense = SwitchedOff("S3d-04", "twin.rules.repository.subscribers._subscribers")
    with switched_off(nonsense), pytest.raises(TypeError):
        holds(ROWS["S3d-04"].proofs[0])


@cache
def holds_with_all_rules(proof: str) -> bool:
    """Return whether a proof holds; several rows may have the same one."""
    return holds(proof)


def holds(proof: str) -> bool:
    """Play a story, or run a test with its first parameters; return whether it holds.

    An error of the code that is tested is no answer: it is raised.
    """
    if proof in STORIES:
        return all(step.held for step in play(STORIES[proof]))
    path, _, name = proof.partition("::")
    module = import_module(path.removesuffix(".py").replace("/", "."))
    test = getattr(module, name)
    try:
        test(**_first_parameters(test))
    except AssertionError as error:
        if traceback.extract_tb(error.__traceback__)[-1].filename != module.__file__:
            raise
        return False
    return True


def _first_parameters(test: Any) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for mark in getattr(test, "pytestmark", ()):
        names, sets = mark.args
        several = not isinstance(names, str)
        parameters.update(zip(names, sets[0], strict=True) if several else {names: sets[0]})
    return parameters


@contextmanager
def switched_off(off: SwitchedOff) -> Iterator[None]:
    """Use something else instead of a rule, in every module of twin that has it by its name."""
    path, _, name = off.rule.rpartition(".")
    owner = _module_or_class(path)
    rule = vars(owner)[name]
    instead = off.instead(rule)
    users = [owner, *_modules()] if isinstance(owner, ModuleType) else [owner]
    with pytest.MonkeyPatch.context() as patch:
        for user in users:
            if vars(user).get(name) is rule:
                patch.setattr(user, name, instead)
        yield


def _module_or_class(path: str) -> Any:
    module, _, last = path.rpartition(".")
    return (
        vars(import_module(module))[last] if last.strip("_")[0].isupper() else import_module(path)
    )


def _modules() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("twin.")]
