"""The events that a branch sees, and its usable snapshots, compared with a simple model."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import seeds
from tests.log.database import seen_in_sql
from tests.log.writing import WITHDRAWAL, OpenLog, new
from twin.log import BadSnapshot, Log, NewEvent

LATEST: Final = 12
RETRACTING: Final = ("retraction", "undo")
EVER: Final = 10**6


class Fact(NamedTuple):
    """An event in the model; a retraction names facts, or an instant, or is undone."""

    position: int
    branch: str
    occurred_at: int
    kind: str
    named: frozenset[int] = frozenset()
    since: int | None = None


class Fork(NamedTuple):
    """A branch in the model."""

    parent: str
    position: int
    occurred_at: int


class Append(NamedTuple):
    """Append a batch of (instant, kind) to one of the branches."""

    branch: int
    events: list[tuple[int, str]]


class Retract(NamedTuple):
    """Retract some of the last facts of one of the branches, or all since an instant."""

    branch: int
    occurred_at: int
    back: list[int]
    since: int | None
    alone: bool


class Undo(NamedTuple):
    """Undo one of the retractions, on one of the branches."""

    branch: int
    occurred_at: int
    number: int


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


Step: TypeAlias = Append | Branch | Save | Retract | Undo

instants = st.integers(0, LATEST)
kinds = st.sampled_from(["primary", "derived", "derived", "withdrawal"])
branches = st.integers(0, 3)
steps = st.lists(
    st.one_of(
        st.builds(Append, branches, st.lists(st.tuples(instants, kinds), min_size=1, max_size=5)),
        st.builds(Append, branches, st.lists(st.tuples(instants, kinds), min_size=1, max_size=5)),
        st.builds(Branch, branches, st.none() | st.integers(0, 20), st.none() | instants),
        st.builds(
            Retract,
            branches,
            instants,
            st.lists(st.integers(1, 12), max_size=3),
            st.none() | instants,
            st.booleans(),
        ),
        st.builds(Undo, branches, instants, st.integers(0, 3)),
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
        return [
            fact.position
            for fact in sorted(recorded, key=lambda fact: (fact.occurred_at, fact.position))
            if fact.occurred_at <= valid and not self.hidden(fact, recorded)
        ]

    def hidden(self, fact: Fact, recorded: list[Fact]) -> bool:
        """Return whether something that was recorded hides a fact."""
        later = [by for by in recorded if fact.position < by.position]
        before = [by for by in later if fact.occurred_at > by.occurred_at]
        if fact.kind == "derived":
            return any(by.kind == "withdrawal" for by in before)
        return fact.kind == "primary" and any(
            by.kind == "retraction"
            and (fact.position in by.named if by.since is None else fact.occurred_at >= by.since)
            and not any(
                undo.kind == "undo"
                and by.position in undo.named
                and undo.occurred_at <= by.occurred_at
                for undo in recorded
            )
            for by in before
        )

    def latest(self, branch: str, known: int) -> int | None:
        """Return the latest instant of a branch: of what was visible after the last retraction."""
        recorded = self.recorded(branch, known)
        last = max((fact.position for fact in recorded if fact.kind in RETRACTING), default=0)
        before = [fact for fact in recorded if fact.position <= last]
        instants = [fact.occurred_at for fact in recorded if fact.position >= max(last, 1)]
        instants += [
            fact.occurred_at
            for fact in before
            if fact.kind in ("primary", "derived") and not self.hidden(fact, before)
        ]
        return max(instants, default=None)

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
            case Retract():
                self._retract(step)
            case Undo():
                self._undo(step)

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

    def _retract(self, step: Retract) -> None:
        branch = self._name(step.branch)
        tail = self.log.last().position
        named = frozenset(tail + 1 - back for back in step.back if back <= tail)
        if step.since is None and not named:
            return
        body = {"since": step.since} if step.since is not None else {"positions": sorted(named)}
        batch = [new(step.occurred_at, type="FactsRetracted", body=json.dumps(body))]
        kinds = ["retraction"]
        if not step.alone:
            batch.insert(0, new(step.occurred_at, type=WITHDRAWAL))
            kinds.insert(0, "withdrawal")
        self._record(branch, batch, kinds, named, step.since)

    def _undo(self, step: Undo) -> None:
        retractions = [fact for fact in self.model.facts if fact.kind == "retraction"]
        if not retractions:
            return
        named = retractions[step.number % len(retractions)].position
        body = json.dumps({"retraction": named})
        batch = [new(step.occurred_at, type="RetractionUndone", body=body)]
        self._record(self._name(step.branch), batch, ["undo"], frozenset({named}), None)

    def _record(
        self,
        branch: str,
        batch: list[NewEvent],
        kinds: list[str],
        named: frozenset[int],
        since: int | None,
    ) -> None:
        appended = self.log.append(batch, recorded_at=0, branch=branch)
        for position, (event, kind) in enumerate(
            zip(batch, kinds, strict=True), start=appended.first
        ):
            self.model.facts.append(Fact(position, branch, event.occurred_at, kind, named, since))
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
        latest = self.model.latest(branch, position)
        try:
            self.log.save_snapshot(
                branch=branch, valid=step.valid, position=position, version=1, pages={"p": page}
            )
        except BadSnapshot:
            assert latest is None or latest <= step.valid
        else:
            assert latest is not None
            assert latest > step.valid
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
            assert seen_in_sql(log, branch) == play.model.seen(branch, EVER, tail)
            recorded = play.model.recorded(branch, tail)
            assert [event.position for event in log.events(branch=branch)] == sorted(
                fact.position for fact in recorded
            )
            head = log.head(branch)
            assert head.position == max((fact.position for fact in recorded), default=0)
            assert head.occurred_at == play.model.latest(branch, tail)
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


def drawn(seed: int) -> list[Step]:
    """Draw many steps."""
    random = Random(seed)

    def instant() -> int:
        return random.randint(0, LATEST)

    def one_step() -> Step:
        branch, part = random.randrange(4), random.random()
        if part < 0.5:
            kinds = ("primary", "derived", "derived", "withdrawal")
            count = random.randint(1, 4)
            return Append(branch, [(instant(), random.choice(kinds)) for _ in range(count)])
        if part < 0.6:
            return Branch(branch, random.choice([None, random.randrange(30)]), None)
        if part < 0.8:
            back = [random.randint(1, 12) for _ in range(2)]
            return Retract(branch, instant(), back, random.choice([None, instant()]), part < 0.7)
        return Undo(branch, instant(), random.randrange(4))

    return [one_step() for _ in range(60)]


@pytest.mark.parametrize("seed", seeds(1, 2, 3, 4, 5, 6))
def test_every_database_shows_the_same(log_url: str, open_log: OpenLog, seed: int) -> None:
    """Rows, heads and the SQL view are those of the model on each kind of database."""
    log = open_log(log_url)
    play = Play(log)
    for step in drawn(seed):
        play.step(step)
    tail = log.verify().position
    for branch in play.names:
        seen = play.model.seen(branch, EVER, tail)
        assert [row[1] for row in log.rows(branch=branch)] == seen
        assert seen_in_sql(log, branch) == seen
        assert log.head(branch).occurred_at == play.model.latest(branch, tail)


def test_the_sql_view_reads_only_the_span_that_is_asked_for(log: Log, log_url: str) -> None:
    """With a bound of instants, the view finds its events by the index in fold order."""
    if not log_url.startswith("sqlite"):
        pytest.skip("PostgreSQL plans by the numbers of rows")
    plan = log._database.driver.execute(
        "EXPLAIN QUERY PLAN SELECT count(*) FROM visible_event "
        "WHERE seen_by = 'main' AND occurred_at > 5"
    )
    steps = [step for *_, step in plan.fetchall()]
    (read,) = (step for step in steps if step.startswith("SEARCH event "))
    assert "event_in_fold_order (branch=? AND occurred_at>? AND occurred_at<?)" in read
