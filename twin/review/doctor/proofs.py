"""Prove fixes: run their commands in a rehearsal, and look whether fault and effect are gone.

A fix is proved if its commands succeed, the finding is gone, no finding as bad is new among the
rules that read what the fix changes, and the effect of the fault is another one than without it.
A put is followed to its end: a fix after which it ends in a reason code or goes round for ever is
not proved. One that is to fail over must leave the routes as they are while all is as it is now.
Where the twin's rules do not depend on the fault (addresses, ports, TLS, listeners), a fix is not
rehearsable: then the definitions are fixed, and the effect is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from twin.app.rehearsing import Rehearsal
from twin.model.commands import Command
from twin.model.instants import MINUTE
from twin.questions.doctor.diagnosis import Diagnosis, Found, diagnose
from twin.questions.doctor.finding import FixClass, Probe, finding_effect, fingerprint
from twin.review.doctor.measures import Measured, described, difference, measure, written

Verdict: TypeAlias = Literal["proved", "definition checked", "not proved", "not rehearsable"]

_AFTER: Final = 2 * MINUTE
"""How long a rehearsal goes on after a fix: the first retries of channels are made within it."""

_EFFORT: Final = 10_000
"""How many fixes of one rule are measured, times queue managers."""

_LEAST: Final = 5
"""How many fixes of one rule are measured at least, however many queue managers there are."""

_MATES: Final = 8
"""How many fixes of one queue manager are rehearsed together at most."""

_NOT_REHEARSABLE: Final = "the definitions are fixed; the effect does not show in the twin"


class Proof(NamedTuple):
    """What came of a rehearsed fix.

    Attributes:
        verdict: `proved`, `not proved`, `not rehearsable`, or `definition checked`: the rehearsal
            shows that the definition is another one, and not what that changes.
        says: the effect that is gone, or why it is not proved.
        disproved: whether the rehearsal shows that the fix does not mend the fault, or brings
            another one.
    """

    verdict: Verdict
    says: str
    disproved: bool = False

    def __str__(self) -> str:
        """Write it in one line."""
        return f"{self.verdict}: {self.says}"


@dataclass
class Prover:
    """Proves fixes from one beginning; what they are compared with is computed once.

    `most` is the largest number of fixes of one rule whose effect is measured.
    """

    beginning: Rehearsal
    most: int = _EFFORT
    _measured: dict[Probe, Measured] = field(default_factory=dict)

    @cached_property
    def _undisturbed(self) -> Rehearsal:
        """The beginning after the same time without any fix."""
        rehearsal = self.beginning.fork()
        rehearsal.advance(rehearsal.now() + _AFTER)
        return rehearsal

    @cached_property
    def _before(self) -> Diagnosis:
        """What is found without any fix."""
        return diagnose(self._undisturbed.estate, self._undisturbed.now())

    @cached_property
    def _known(self) -> dict[str, Found]:
        """The findings without any fix, by fingerprint."""
        return {each.fingerprint: each for each in self._before.found}

    def after(self, trial: Rehearsal, own: Collection[str]) -> dict[str, Found]:
        """Return what is found after fixes of some rules, by fingerprint.

        Only these rules run again, and those that asked for anything that is another one now.
        """
        changed = trial.touched() | self._undisturbed.touched()
        parts, estate = {part for _, part in changed}, trial.estate
        unlike = {estate.names.get(qmid) for qmid, part in changed if part == "definitions"}
        found = self._before.found_in(estate, trial.now(), parts, unlike, own=own)
        return {each.fingerprint: each for each in found}

    def prove(self, found: Found) -> Proof:
        """Rehearse the fix of a finding alone."""
        (proof,), new = self._rehearse([found])
        return _disproved(new) if new and proof.verdict != "not proved" else proof

    def prove_together(self, found: Sequence[Found]) -> list[Proof] | None:
        """Rehearse the fixes of findings of one rule at once; None if they make a new finding."""
        proofs, new = self._rehearse(found)
        return None if new else proofs

    def _rehearse(self, found: Sequence[Found]) -> tuple[list[Proof], str]:
        """Return what came of each fix, and a finding as bad that is new; '' if there is none."""
        trial = self.beginning.fork()
        problems = [
            next(filter(None, (_run(trial, command) for command in each.finding.fix)), "")
            for each in found
        ]
        trial.advance(trial.now() + _AFTER)
        after = self.after(trial, {each.rule.id for each in found})
        worst = max(each.severity.rank for each in found)
        new = next(filter(None, (self._new(each, worst) for each in after.values())), "")
        proofs = [
            self._judged(each, problem, trial, after)
            for each, problem in zip(found, problems[: self.most], strict=False)
        ]
        rest = Proof("not proved", f"its effect is measured for the first {self.most} of its rule")
        return [*proofs, *[rest] * (len(found) - len(proofs))], new

    def _new(self, found: Found, worst: int) -> str:
        """Return a finding in words if it is as bad as a severity and was not there before."""
        known = self._known.get(found.fingerprint)
        effect = finding_effect(known and known.severity, found.severity)
        if effect in {"new", "worse"} and found.severity.rank <= worst:
            return f"{effect}: {found.rule.id} {found.finding.object}"
        return ""

    def _judged(
        self, found: Found, problem: str, trial: Rehearsal, after: Collection[str]
    ) -> Proof:
        if problem:
            return _disproved(problem)
        if found.fingerprint in after:
            return _disproved("the finding is still there")
        if found.root is not None and fingerprint(*found.root) in after:
            return _disproved(f"its cause is still there: {found.root[0]} {found.root[1]}")
        return self._effect(found.finding.probe, trial)

    def _effect(self, probe: Probe | None, trial: Rehearsal) -> Proof:
        if probe is None:
            return Proof("not rehearsable", _NOT_REHEARSABLE)
        if probe not in self._measured:
            self._measured[probe] = measure(probe, self._undisturbed)
        before, after = self._measured[probe], measure(probe, trial)
        what = described(probe)
        if before.rows == after.rows:
            return _disproved(f"{what} is the same as before: {written(before.rows)}")
        if moved := self._moved(probe, trial):
            return _disproved(moved)
        verdict: Verdict = "definition checked" if probe.kind == "definition" else "proved"
        says = f"{what}: {difference(before.rows, after.rows)}"
        return _disproved(says) if after.fails else Proof(verdict, says)

    def _moved(self, probe: Probe, trial: Rehearsal) -> str:
        """Return a route that a fix changes although it must not; '' if there is none."""
        for on in dict.fromkeys(probe.steady):
            routes = Probe("steady", on, probe.name)
            if routes not in self._measured:
                self._measured[routes] = measure(routes, self._undisturbed)
            before, after = self._measured[routes], measure(routes, trial)
            if not before.fails and before.rows != after.rows:
                return f"{described(routes)}: {difference(before.rows, after.rows)}"
        return ""


def _disproved(why: str) -> Proof:
    return Proof("not proved", why, disproved=True)


def _run(trial: Rehearsal, command: Command) -> str:
    """Run a command; return why it failed, '' if it did not; DISPLAY may find nothing."""
    session = trial.runmqsc(command.on, command.text)
    if not session.exit_code or command.verb == "DISPLAY":
        return ""
    answers = [line for line in session.lines if line.startswith(("AMQ", "TWN"))]
    return f"{command.on} refuses {command.text}: {answers[0] if answers else 'it is not running'}"


def prove_all(beginning: Rehearsal, found: Sequence[Found]) -> dict[str, Proof]:
    """Rehearse the fixes of findings; return the proofs by fingerprint.

    The fixes of one rule are rehearsed together. If that makes a new finding, each is rehearsed
    alone, in a large estate only the first ones.
    """
    most = max(_LEAST, _EFFORT // max(1, len(beginning.estate.qmgrs)))
    prover = Prover(beginning, most)
    by_rule: dict[str, list[Found]] = defaultdict(list)
    for each in found:
        if each.finding.fix:
            by_rule[each.rule.id].append(each)
    proofs: dict[str, Proof] = {}
    for group in by_rule.values():
        together = prover.prove_together(group) if len(group) > 1 else None
        if together is None:
            skipped = Proof("not proved", f"not rehearsed: only the first {most} of its rule are")
            together = [prover.prove(each) for each in group[:most]]
            together += [skipped] * (len(group) - most)
        proofs.update(zip((each.fingerprint for each in group), together, strict=True))
    return proofs | _proved_with_others(prover, found, proofs)


def _proved_with_others(
    prover: Prover, found: Sequence[Found], proofs: Mapping[str, Proof]
) -> dict[str, Proof]:
    """Rehearse what is not proved together with the other fixes of its queue manager.

    Of two faults at one queue manager, each may hide the effect of the other one's fix.
    """
    by_qmgr: dict[str, list[Found]] = defaultdict(list)
    for each in found:
        on = {command.on for command in each.finding.fix}
        if len(on) == 1 and each.fix_class is not FixClass.DESTRUCTIVE:
            by_qmgr[on.pop()].append(each)
    proved: dict[str, Proof] = {}
    tried = 0
    for group in by_qmgr.values():
        failed = [each for each in group if proofs[each.fingerprint].verdict == "not proved"]
        for mates in _mates(failed, group):
            tried += 1
            together = prover.prove_together(mates) if tried <= prover.most else None
            for each, proof in zip(mates, together or (), strict=False):
                if each in failed and proof.verdict != "not proved":
                    proved.setdefault(each.fingerprint, _with(proof, each, mates))
    return proved


def _mates(failed: list[Found], group: list[Found]) -> list[list[Found]]:
    """Return the fixes that are tried together: those that failed first, then all."""
    ways = [failed] if len(failed) == len(group) else [failed, group]
    return [way for way in ways if failed and 1 < len(way) <= _MATES]


def _with(proof: Proof, each: Found, mates: Iterable[Found]) -> Proof:
    """Return a proof that says which other fixes it needs."""
    others = ", ".join(f"{one.rule.id} {one.finding.object}" for one in mates if one is not each)
    return proof._replace(says=f"{proof.says}; {proof.verdict} together with {others}")
