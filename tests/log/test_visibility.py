"""The events that a branch sees, and its usable snapshots, compared with a simple model."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from tests.log.writing import WITHDRAWAL, new
from twin.log import BadSnapshot, Log

LATEST: Final = 12
EVER: Final = 10**6


class Fact(NamedTuple):
    """An event in the model."""

    position: int
    branch: str
    occurred_at: int
    kind: str


class Fork(NamedTuple):
    """A branch in the model."""

    parent: str
    position: int
    occurred_at: int


class Append(NamedTuple):
    """Append a batch of (instant, kind) to one of the branches."""

    branch: int
    events: list[tuple[int, str]]


class Branch(NamedTuple):
    """Fork one of the branches, at its head or at a position or an instant before."""

    parent: int
    position: int | None
    occurred_at: int | None


class Save(NamedTuple):
    """Save a snapshot of one of the branches, at its head or some positions before it."""

    branch: int
    valid: int
    back: int


Step: TypeAlias = Append | Branch | Save

instants = st.integers(0, LATEST)
kinds = st.sampled_from(["primary", "derived", "derived", "withdrawal"])
branches = st.integers(0, 3)
steps = st.lists(
    st.one_of(
        st.builds(Append, branches, st.lists(st.tuples(instants, kinds), min_size=1, max_size=5)),
        st.builds(Append, branches, st.lists(st.tuples(instants, kinds), min_size=1, max_size=5)),
        st.builds(Branch, branches, st.none() | st.integers(0, 20), st.none() | instants),
        st.builds(Save, branches, instants, st.sampled_from([0, 0, 0, 1, 2, 5])),
    ),
    max_size=14,
)


@dataclass
class Model:
    """A log as lists: slow and simple."""

    facts: list[Fact] = field(default_factory=list)
    forks: dict[str, Fork] = field(default_factory=dict)
    ends: set[int] = field(default_factory=lambda: {0})
    saved: list[tuple[str, int, int]] = field(default_factory=list)

    def recorded(self, branch: str, known: int) -> list[Fact]:
        """Return all positions that a branch has or inherits, up to a position."""
        inherited: list[Fact] = []
        if branch in self.forks:
            fork = self.forks[branch]
            above = self.recorded(fork.parent, min(known, fork.position))
            inherited = [fact for fact in above if fact.occurred_at <= fork.occurred_at]
        own = [fact for fact in self.facts if fact.branch == branch and fact.position <= known]
        return inherited + own

    def seen(self, branch: str, valid: int, known: int) -> list[int]:
        """Return the positions a branch sees, in fold order."""
        recorded = self.recorded(branch, known)
        withdrawals = [fact for fact in recorded if fact.kind == "withdrawal"]
        return [
            fact.position
            for fact in sorted(recorded, key=lambda fact: (fact.occurred_at, fact.position))
            if fact.occurred_at <= valid
            and not (
                fact.kind == "derived"
                and any(
                    fact.position < by.position and fact.occurred_at > by.occurred_at
                    for by in withdrawals
                )
            )
        ]

    def usable(self, snapshot: tuple[str, int, int], branch: str, valid: int, known: int) -> bool:
        """Return whether a snapshot is complete up to its instant, according to the law."""
        owner, at, position = snapshot
        bounds = self.bounds(branch)
        if owner not in bounds:
            return False
        upto, until = bounds[owner]
        if at > min(valid, until) or position > min(known, upto):
            return False
        return not any(
            fact.position > position and fact.occurred_at <= at
            for fact in self.recorded(branch, known)
        )

    def bounds(self, branch: str) -> dict[str, tuple[int, int]]:
        """Return how far a branch sees itself and its ancestors: last position, last instant."""
        bounds = {branch: (EVER, EVER)}
        while branch in self.forks:
            position, occurred_at = bounds[branch]
            fork = self.forks[branch]
            bounds[fork.parent] = min(position, fork.position), min(occurred_at, fork.occurred_at)
            branch = fork.parent
        return bounds


class Play:
    """A log and its model, which take the same steps."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.model = Model()
        self.names = ["main"]

    def step(self, step: Step) -> None:
        """Take one step in both."""
        match step:
            case Append():
                self._append(step)
            case Branch():
                self._fork(step)
            case Save():
                self._save(step)

    def _name(self, number: int) -> str:
        return self.names[number % len(self.names)]

    def _append(self, step: Append) -> None:
        branch = self._name(step.branch)
        batch = [
            new(
                occurred_at,
                type=WITHDRAWAL if kind == "withdrawal" else "Something",
                cause="fact" if kind == "derived" else None,
            )
            for occurred_at, kind in step.events
        ]
        appended = self.log.append(batch, recorded_at=0, branch=branch)
        for position, (occurred_at, kind) in enumerate(step.events, start=appended.first):
            self.model.facts.append(Fact(position, branch, occurred_at, kind))
        self.model.ends.add(appended.last)

    def _fork(self, step: Branch) -> None:
        parent = self._name(step.parent)
        name = f"b{len(self.names)}"
        head = self.log.head(parent).position
        position = None if step.position is None else min(step.position, head)
        made = self.log.create_branch(
            name, parent=parent, at_position=position, at_occurred=step.occurred_at
        )
        self.names.append(name)
        self.model.forks[name] = Fork(parent, made.fork_position, made.fork_occurred_at)

    def _save(self, step: Save) -> None:
        branch = self._name(step.branch)
        position = max(0, self.log.head(branch).position - step.back)
        page = repr(self.model.seen(branch, step.valid, position)).encode()
        latest = [fact.occurred_at for fact in self.model.recorded(branch, position)]
        try:
            self.log.save_snapshot(
                branch=branch, valid=step.valid, position=position, version=1, pages={"p": page}
            )
        except BadSnapshot:
            assert max(latest, default=-1) <= step.valid
        else:
            assert max(latest) > step.valid
            self.model.saved.append((branch, step.valid, position))


@given(steps=steps, valid=st.integers(-1, LATEST + 1), known=st.integers(0, 40))
def test_rows_are_what_the_model_sees(steps: list[Step], valid: int, known: int) -> None:
    """A branch sees the same events as the model after any appends, forks and withdrawals."""
    with closing(Log.open("sqlite://")) as log:
        play = Play(log)
        for step in steps:
            play.step(step)
        tail = log.last().position
        for branch in play.names:
            for upto in {known, tail}:
                rows = log.rows(branch=branch, valid=valid, known=upto)
                assert [row[1] for row in rows] == play.model.seen(branch, valid, upto)
            recorded = play.model.recorded(branch, tail)
            assert [event.position for event in log.events(branch=branch)] == sorted(
                fact.position for fact in recorded
            )
            head = log.head(branch)
            assert head.position == max((fact.position for fact in recorded), default=0)
            assert head.occurred_at == max((fact.occurred_at for fact in recorded), default=None)
        assert log.verify().position == tail


@given(steps=steps, valid=st.integers(-1, LATEST + 1), known=st.integers(0, 40))
def test_snapshots_never_become_false(steps: list[Step], valid: int, known: int) -> None:
    """A snapshot that is found contains exactly the rows that are not replayed after it.

    If it was saved at the end of a batch, no usable snapshot is missed.
    """
    with closing(Log.open("sqlite://")) as log:
        play = Play(log)
        for step in steps:
            play.step(step)
        model = play.model
        for branch in play.names:
            for upto in {known, log.last().position}:
                found = log.find_snapshot(branch=branch, valid=valid, known=upto, version=1)
                usable = [
                    snapshot
                    for snapshot in model.saved
                    if model.usable(snapshot, branch, valid, upto)
                ]
                if found is None:
                    assert not [s for s in usable if s[2] in model.ends]
                    continue
                assert (found.branch, found.valid, found.position) in usable
                whole = model.seen(branch, valid, upto)
                rest = log.rows(branch=branch, valid=valid, known=upto, since_valid=found.valid)
                left_out = whole[: len(whole) - len(rest)]
                assert [row[1] for row in rest] == whole[len(left_out) :]
                assert log.load_pages(found) == {"p": repr(left_out).encode()}
                at_ends = [s[1] for s in usable if s[2] in model.ends]
                assert found.valid >= max(at_ends, default=-1)
