"""Twin: the composition root, one log and everything that can be done with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from twin import events
from twin.app.batch import CLOCK, Fact
from twin.app.channels import Channels
from twin.app.controlling import Controls
from twin.app.exits import NO_EXITS
from twin.app.explaining import Explanations
from twin.app.messages import Applications
from twin.app.present import Present
from twin.app.reading import SNAPSHOT_EVERY, Views
from twin.app.ticking import OpenBatch, Ticked
from twin.app.writing import Writer
from twin.errors import TwinError
from twin.fold.agenda import TimerKind
from twin.fold.estate import Estate
from twin.log import Branch, Head, Log
from twin.model.asof import AsOf
from twin.model.instants import Instant, format_instant
from twin.questions.answer import Answer
from twin.rules.deriving import Outcome
from twin.rules.workload.exits import WorkloadExit

if TYPE_CHECKING:
    from twin.app.session import MqscSession
    from twin.feeds.definitions import Observed

Decision = TypeVar("Decision")

DEFAULT_URL: Final = "sqlite:///twin.db"


def system_clock() -> Instant:
    """Return the wall clock's instant."""
    return time.time_ns() // 1000


class NotThereYet(TwinError, ValueError):
    """A branch is to be forked at an instant that its parent has not reached."""

    def __init__(self, at: Instant, now: Instant, branch: str) -> None:
        super().__init__(
            f"{format_instant(at)} lies after {format_instant(now)}, which is as far as branch "
            f"{branch} has come: fork it there and let time pass "
            "(twin --branch NAME advance --to T)"
        )


class Twin(Controls, Applications, Explanations, Channels):
    """One branch of one log, open.

    >>> import tempfile
    >>> from twin import Twin
    >>> folder = tempfile.TemporaryDirectory()
    >>> twin = Twin.open(f"sqlite:///{folder.name}/twin.db")
    >>> twin.crtmqm("FR1"); twin.strmqm("FR1")
    >>> session = twin.runmqsc("FR1", '''
    ... ALTER QMGR REPOS(CA)
    ... DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
    ... ''')
    >>> session.exit_code
    0
    >>> [(row["qmgr"], row["qmtype"]) for row in twin.ask("members").rows]
    [('FR1', 'REPOS')]
    >>> twin.close(); folder.cleanup()
    """

    def __init__(
        self,
        log: Log,
        *,
        clock: Callable[[], Instant],
        branch: str,
        exits: Mapping[str, WorkloadExit] = NO_EXITS,
    ) -> None:
        """Work on a branch of an open log; `open` is the usual way."""
        self.log = log
        self.branch = branch
        self.clock = clock
        self.views = Views(log)
        self.exits = exits
        self._writer = Writer(log, self.views, clock, exits)
        self._at_hand = Present(self._writer, branch)

    @classmethod
    def open(
        cls,
        url: str = DEFAULT_URL,
        *,
        branch: str = "main",
        read_only: bool = False,
        synchronous: str = "FULL",
        clock: Callable[[], Instant] = system_clock,
        exits: Mapping[str, WorkloadExit] = NO_EXITS,
    ) -> Self:
        """Open a log by its SQLAlchemy URL, and create and migrate it unless `read_only`.

        `exits` are the workload exits that CLWLEXIT may name.

        Raises:
            TwinError: when there is no such log or branch, or it is of a newer version.
        """
        log = Log.open(
            url,
            mode="read" if read_only else "write",
            synchronous="NORMAL" if synchronous.upper() == "NORMAL" else "FULL",
        )
        try:
            log.branch(branch)
        except TwinError:
            log.close()
            raise
        return cls(log, clock=clock, branch=branch, exits=exits)

    def close(self) -> None:
        """Close the log."""
        self.log.close()

    def __enter__(self) -> Self:
        """Use as a context manager that closes the log."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the log."""
        self.close()

    # Acting

    def check_instant(self, at: Instant | None) -> None:
        """Say beforehand whether a command may have this instant; None, which is now, always may.

        Raises:
            InThePast, InTheFuture: when it may not.
        """
        if at is not None:
            self._writer.check(self.branch, at)

    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Record what was asked at one instant, with all that follows from it, atomically."""
        return self._writer.record(facts, branch=self.branch, at=at)

    def record_observations(self, facts: Sequence[Fact], *, at: Instant) -> int:
        """Record what was observed of one instant, late or not; return how many facts."""
        return self._writer.observe(lambda _: facts, branch=self.branch, at=at)

    def runmqsc(
        self,
        qmgr: str,
        text: str,
        *,
        at: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> MqscSession:
        """Run MQSC at a queue manager; with `as_of` or `known_at` it only reads.

        Every command is recorded, with what came of it, before the session goes on.
        """
        session = self.mqsc(qmgr, at=at, as_of=as_of, known_at=known_at)
        return session.run(text)

    def mqsc(
        self,
        qmgr: str,
        *,
        at: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        file: str | None = None,
    ) -> MqscSession:
        """Begin a session of runmqsc that is fed as it is typed: see `MqscSession.stream`.

        `file` is the path of the script, for the origin of its commands.
        """
        from twin.app.session import MqscSession  # noqa: PLC0415 - not every command asks

        if as_of is None and known_at is None:
            return MqscSession.acting(
                self._writer,
                self.views,
                qmgr,
                branch=self.branch,
                at=at,
                now=lambda: self.as_of(valid=at),
                file=file,
            )
        point = self.as_of(valid=as_of, known=known_at)
        return MqscSession.reading(self.views.of_one(point, qmgr), point, qmgr)

    # Time

    def due(self) -> Instant | None:
        """Return the instant at which something is due next on this branch; None if ever."""
        return min(self.agenda().values(), default=None)

    def present(self) -> Instant:
        """Return how far this branch has come: its latest event or its fork, else now."""
        return self._writer.present(self.branch)

    def agenda(self) -> dict[TimerKind, Instant]:
        """Return the instant at which something is due next, of each rule that waits."""
        return self._writer.agenda(self.branch)

    def tick(self, upto: Instant, *, limit: int | None = None) -> Ticked:
        """Record everything that is due up to an instant, stamped at the instants it was due.

        `limit` ends it behind the first instant by which so many events were recorded.

        Raises:
            InTheFuture: on main, for an instant that the clock has not reached.
        """
        return self._writer.tick(branch=self.branch, upto=upto, limit=limit)

    def append_due(self, decide: Callable[[OpenBatch], Decision], *, upto: Instant) -> Decision:
        """Append what `decide` decides on an open batch, in one transaction; return its answer.

        `decide` lets happen what is due up to an instant at most. It is called again, with
        another batch, when another process appended to the branch first. If it raises, nothing
        is appended.

        Raises:
            InTheFuture: on main, for an instant that the clock has not reached.
        """
        return self._writer.append_due(decide, branch=self.branch, upto=upto)

    def pass_time(self, upto: Instant) -> None:
        """Record that time was let pass, so that a branch's now is this instant."""
        self.record([Fact(events.TimePassed(qmgr=""), CLOCK)], at=upto)

    # Observing

    def ingest(
        self, text: str, *, qmgr: str | None, at: Instant | None = None, file: str | None = None
    ) -> Observed:
        """Take an MQSC script or a dump as what was true of a queue manager at an instant.

        Late is fine; what is dated after now stands at now, with its claim. Only what differs
        from what was known of that instant is recorded. `file` is the path of the text, for the
        origin of what is recorded.
        """
        from twin.feeds.definitions import observe  # noqa: PLC0415 - not every command asks

        now = self._now()
        instant = now if at is None else min(at, now)
        claimed = at if at is not None and at > now else None
        found: list[Observed] = []

        def facts_for(head: Head) -> list[Fact]:
            before = self.views.upto(branch=self.branch, valid=instant, position=head.position)
            seen = observe(text, qmgr=qmgr, estate=before, at=instant, file=file)
            found[:] = [seen]
            source = f"observation:{seen.format}"
            return [Fact(replace(event, claimed=claimed), source) for event in seen.events]

        self._writer.observe(facts_for, branch=self.branch, at=instant)
        return found[0]

    # Asking

    def as_of(self, *, valid: Instant | None = None, known: Instant | None = None) -> AsOf:
        """Resolve a point in both times; what is not given is now."""
        now = self._now()
        return self.views.resolve(
            valid=now if valid is None else valid,
            known=self.clock() if known is None else known,
            branch=self.branch,
        )

    def view(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> tuple[Estate, AsOf]:
        """Rebuild the estate of an instant, with the point it was computed at."""
        point = self.as_of(valid=as_of, known=known_at)
        return self.views.at(point), point

    def ask(
        self,
        question: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        since: Instant | None = None,
        **filters: str | None,
    ) -> Answer:
        """Ask a question of an instant; `since` is the earlier one of a question about a span.

        Raises:
            NoSuchQuestion, BadFilter: when there is none, or it cannot be narrowed so.
        """
        from twin.app.asking import answer, question_of  # noqa: PLC0415 - not every command asks

        given = {name: value for name, value in filters.items() if value is not None}
        asked = question_of(question, given)
        if question == "explain":
            return self._ask_explain(as_of, known_at, **given)
        point = self.as_of(valid=as_of, known=known_at)
        return answer(self.views, self.log, asked, point, since, **given)

    def draw(
        self,
        question: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        since: Instant | None = None,
        **filters: str | None,
    ) -> str:
        """Draw the answer to a question as SVG; `since` is where the picture begins.

        Raises:
            NoSuchQuestion, BadFilter: when there is none, or it cannot be narrowed so.
            NoPicture: when it cannot be drawn.
        """
        from twin.app.asking import draw, question_of  # noqa: PLC0415 - not every command asks

        given = {name: value for name, value in filters.items() if value is not None}
        asked = question_of(question, given)
        point = self.as_of(valid=as_of, known=known_at)
        return draw(self.views, self.log, asked, point, since, **given)

    def dmpmqcfg(
        self, qmgr: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> Sequence[str]:
        """Write the definitions of a queue manager as of an instant, ready to replay."""
        from twin.questions.dump import dump  # noqa: PLC0415 - not every command asks

        point = self.as_of(valid=as_of, known=known_at)
        return dump(self.views.of_one(point, qmgr), qmgr, point)

    def snapshot(
        self, *, every: int = SNAPSHOT_EVERY, progress: Callable[[int], None] | None = None
    ) -> int:
        """Replay the branch and leave a snapshot behind every so many events; return how many."""
        return self.views.snapshot(branch=self.branch, every=every, progress=progress)

    # Branches

    def create_branch(self, name: str, *, at: Instant | None = None) -> Branch:
        """Fork this branch, at its head or at an earlier instant.

        Raises:
            NotThereYet: for an instant that the branch has not reached.
        """
        if at is not None and at > (now := self._now()):
            raise NotThereYet(at, now, self.branch)
        return self.log.create_branch(name, parent=self.branch, at_occurred=at)

    def on_branch(self, name: str) -> Twin:
        """Return a twin that works on another branch of the same open log."""
        self.log.branch(name)
        return Twin(self.log, clock=self.clock, branch=name, exits=self.exits)

    def _now(self) -> Instant:
        """Return now: the wall clock on main, a branch's own latest instant elsewhere."""
        return self.clock() if self.branch == "main" else self._writer.present(self.branch)
