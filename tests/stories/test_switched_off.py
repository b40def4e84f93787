"""With its rule switched off, a proof of docs/fidelity.md fails; with the rule it holds."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import getfile, signature
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Final

import pytest

from tests.fidelity_page import PAGE, rows
from tests.stories import test_docs, test_fidelity, test_lifecycle, test_messages
from tests.stories.switched_off import TABLE, SwitchedOff
from twin import app, log, model, questions, rules, stories
from twin.stories.play import play

STORIES: Final = {
    story.name: story
    for played in (test_docs, test_fidelity, test_lifecycle, test_messages)
    for story in played.STORIES
}
ROWS: Final = {row.id: row for row in rows(PAGE.read_text(encoding="utf-8"))}

# A module that is first imported while a rule is off would keep what replaces the rule.
for room in (app, log, model, questions, rules, stories):
    for found in walk_packages(room.__path__, f"{room.__name__}."):
        import_module(found.name)


@pytest.mark.parametrize("off", TABLE, ids=lambda off: off.row)
def test_a_proof_fails_without_its_rule(off: SwitchedOff) -> None:
    """A proof of the row holds, but not without the rule; nothing breaks without it."""
    proofs = playable(off.row)
    with switched_off(off):
        failing = next((proof for proof in proofs if not holds(proof)), None)
    assert failing is not None
    assert holds_with_all_rules(failing)


def test_a_rule_that_is_not_needed_makes_no_proof_fail() -> None:
    """A proof holds without a rule that it does not need."""
    proofs = playable("S1a-02")
    with switched_off(SwitchedOff("S1a-02", "twin.rules.lifecycle._warn")):
        assert all(map(holds, proofs))


def test_an_error_is_no_unmet_expectation() -> None:
    """A replacement that breaks twin raises its error instead of letting the proof fail."""
    nonsense = SwitchedOff("S3d-04", "twin.rules.repository.recipients._subscribers")
    proofs = playable("S3d-04")
    with switched_off(nonsense), pytest.raises(TypeError):
        any(map(holds, proofs))


@cache
def holds_with_all_rules(proof: str) -> bool:
    """Return whether a proof holds; several rows may have the same one."""
    return holds(proof)


def playable(row: str) -> list[str]:
    """Return the proofs of a row without those tests that need pytest or Hypothesis to run."""
    return [proof for proof in ROWS[row].proofs if proof in STORIES or _runs_alone(proof)]


def _runs_alone(proof: str) -> bool:
    test = _test(proof)
    given = _first_parameters(test).keys() == signature(test).parameters.keys()
    return given and not hasattr(test, "is_hypothesis_test")


def holds(proof: str) -> bool:
    """Play a story, or run a test with its first parameters; return whether it holds.

    An error of the code that is tested is no answer: it is raised.
    """
    if proof in STORIES:
        return all(step.held for step in play(STORIES[proof]))
    test = _test(proof)
    try:
        test(**_first_parameters(test))
    except AssertionError as error:
        if traceback.extract_tb(error.__traceback__)[-1].filename != getfile(test):
            raise
        return False
    return True


def _test(proof: str) -> Any:
    path, _, name = proof.partition("::")
    return getattr(import_module(path.removesuffix(".py").replace("/", ".")), name)


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
    modules = _modules()
    with pytest.MonkeyPatch.context() as patch:
        for user in [owner, *modules] if isinstance(owner, ModuleType) else [owner]:
            if vars(user).get(name) is rule:
                patch.setattr(user, name, instead)
        yield
    assert _modules() == modules, "a module that is imported meanwhile keeps what replaced the rule"


def _module_or_class(path: str) -> Any:
    module, _, last = path.rpartition(".")
    return (
        vars(import_module(module))[last] if last.strip("_")[0].isupper() else import_module(path)
    )


def _modules() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("twin.")]
