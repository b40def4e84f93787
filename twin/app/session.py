"""One runmqsc session: it records commands on a branch, or reads as of an instant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final, Protocol, TypeAlias

from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.reading import Views
from twin.app.recorded_estate import RecordedEstate
from twin.app.repeating import Soundly
from twin.fold.estate import Estate
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant
from twin.model.messages import LETTERS_FROM, NOT_RUNNING, SYNTAX_ERROR, Message
from twin.mqsc.frame import AnsweredCommand, CommandReply, Session
from twin.mqsc.layout import lay_out
from twin.mqsc.reader import Item, read
from twin.mqsc.statement import Malformed, Statement
from twin.questions.answer import Row
from twin.questions.display import Displayed, DisplayRecord, Unobserved, display
from twin.questions.sights import notes_of_age
from twin.rules import due_timers
from twin.rules.commands.mqsc_commands import fault_segment, read_known
from twin.rules.commands.read_command import ReadCommand
from twin.rules.deriving import Outcome

ReadEstate: TypeAlias = Callable[[Callable[[Estate, AsOf], Any]], Any]
"""A function that calls another one with an estate and its point, and returns the result.

The estate must not be read after the call.
"""

Recording: TypeAlias = Callable[[Sequence[Fact]], list[Outcome]]
"""A function that records facts and returns the outcome of each."""


class Record(Protocol):
    """A function that records facts of one instant and returns the outcome of each."""

    def __call__(self, facts: Sequence[Fact], *, at: Instant | None) -> list[Outcome]:
        """Record facts at `at`, or else now."""


def _begun(qmgr: str, estate: Estate, point: AsOf) -> tuple[Message | None, int, str, AsOf]:
    """Return why a session is refused, the level and platform of its queue manager, its point."""
    known_qmgr = estate.qmgrs.get(qmgr)
    if known_qmgr is None:
        is_seen = qmgr in estate.undefined or estate.is_only_named(qmgr)
        return Message("TWN0012", qmgr) if is_seen else _NONE, LETTERS_FROM, "", point
    refusal = None if known_qmgr.running else Message(NOT_RUNNING)
    return refusal, known_qmgr.cmdlevel, known_qmgr.platform, point


_NONE: Final = Message("AMQ8118")


class MqscSession:
    """A runmqsc session: its output lines, and the exit code (0, 10 or 20) at the end.

    Attributes:
        qmgr: the name of the queue manager.
        lines: the lines printed so far.
        point: the point that the session began at.
    """

    def __init__(
        self, qmgr: str, look: ReadEstate, act: Callable[[ReadCommand], CommandReply]
    ) -> None:
        """Answer DISPLAY commands from the estate, and all others by `act(command)`."""
        self.qmgr = qmgr
        self.lines: list[str] = []
        self._refusal: Message | None
        self._refusal, level, platform, point = look(partial(_begun, qmgr))
        self.point: AsOf = point
        # Neither the frame nor the commands refer to the session: a reference cycle would keep
        # the whole estate until the next garbage collection.
        self._commands = _Commands(qmgr, level, platform, look, act)
        if self._refusal is not None:
            self._commands.note_ages()
        self._frame = Session(qmgr, f"twin {point}", self._commands.answer, level=level)

    @property
    def exists(self) -> bool:
        """Whether the queue manager existed when the session began."""
        return self._refusal is None or self._refusal.id == NOT_RUNNING

    @property
    def messages(self) -> list[Message]:
        """All reply messages, including syntax errors and the refusal to begin."""
        return self._frame.messages

    @property
    def problem(self) -> str:
        """The text of the first reply that reports a failure; '' if there is none."""
        return self._frame.problem

    @property
    def replies(self) -> list[AnsweredCommand]:
        """The commands that were read so far, with the reply to each."""
        return self._frame.replies

    @property
    def level(self) -> int:
        """The command level of the queue manager."""
        return self._frame.level

    @property
    def displayed(self) -> list[Row]:
        """The values of all displayed records, by MQSC keyword in lower case."""
        return [record.values for record in self._commands.records]

    @property
    def unobserved(self) -> list[Unobserved]:
        """What the displayed records would show, and nobody observed."""
        return list(self._commands.unobserved.values())

    @property
    def left_out(self) -> Mapping[str, int]:
        """Keyword -> how many rows a filter left out because their value is not known."""
        return self._commands.left_out

    @property
    def records(self) -> list[DisplayRecord]:
        """All displayed records."""
        return self._commands.records

    @classmethod
    def acting(
        cls,
        recorded: RecordedEstate,
        views: Views,
        qmgr: str,
        *,
        soundly: Soundly,
        record: Record,
        at: Instant | None,
        now: Callable[[], AsOf],
        origin: events.Origin | None = None,
    ) -> MqscSession:
        """Make a session whose commands are recorded, at `at` or else at the wall clock.

        `origin` says where they come from; if it has a file, that of each command has its line.
        """

        def look(question: Callable[[Estate, AsOf], Any]) -> Any:
            with recorded.held():
                head, point = recorded.head(), now()
                estate = recorded.estate(head)
                due = due_timers.due(estate, upto=point.valid)
                if estate.instant <= point.valid and due is None:
                    return question(estate, replace(point, position=head.position))
            return question(views.at(point), point)

        soundly_look: ReadEstate = lambda question: soundly(partial(look, question))  # noqa: E731
        return cls.entering(qmgr, soundly_look, partial(record, at=at), origin=origin)

    @classmethod
    def entering(
        cls,
        qmgr: str,
        look: ReadEstate,
        record: Recording,
        *,
        origin: events.Origin | None = None,
    ) -> MqscSession:
        """Make a session whose commands are facts: `record` takes each and returns its outcome."""

        def act(command: ReadCommand) -> CommandReply:
            statement = command.statement
            place = origin
            if origin is not None and origin.file is not None:
                place = replace(origin, line=statement.line)
            entered = events.CommandEntered(qmgr=qmgr, text=statement.text, origin=place)
            (outcome,) = record([Fact(entered, COMMAND, command=command)])
            return CommandReply(outcome.messages, failed=outcome.failed)

        return cls(qmgr, look, act)

    @classmethod
    def reading(cls, look: ReadEstate, qmgr: str) -> MqscSession:
        """Make a read-only session about one estate."""

        def act(command: ReadCommand) -> CommandReply:
            return CommandReply.of(Message("TWN0002"))

        return cls(qmgr, look, act)

    @property
    def exit_code(self) -> int:
        """0 if all commands were processed, 10 if some were not, 20 if none was tried."""
        return self._frame.exit_code

    def run(self, text: str) -> MqscSession:
        """Run a whole script and return the session."""
        for _ in self.stream(read(text)):
            pass
        return self

    def stream(self, items: Iterable[Item]) -> Iterator[str]:
        """Run commands as they are read; yield each output line at once."""
        if self._refusal is not None:
            lines = chain(self._frame.refuse(self._refusal), self._footer())
        else:
            lines = chain(self._frame.run(items), self._footer())
        for line in lines:
            self.lines.append(line)
            yield line

    def _footer(self) -> Iterator[str]:
        """Yield the lines that say what the answers to DISPLAY rest on, and what they lack."""
        counts = self._commands.bases
        yield from (f"twin: {age}" for age in self._commands.ages)
        if counts.keys() - {Basis.DERIVED}:
            shown = ", ".join(f"{counts[basis]} {basis}" for basis in Basis if counts[basis])
            yield f"twin: records of clusters: {shown}"
        if missing := self._commands.missing():
            yield f"twin: {missing}"


def verification(look: ReadEstate, qmgr: str) -> Session:
    """Make a session that only checks whether commands are well formed (`runmqsc -v`).

    Raises:
        NoSuchQueueManager: if the queue manager does not exist.
    """
    level, platform, point = look(
        lambda estate, point: (estate.qmgr(qmgr).cmdlevel, estate.qmgr(qmgr).platform, point)
    )
    nothing = CommandReply.of()
    commands = _Commands(qmgr, level, platform, look, lambda _command: nothing)

    def check(statement: Statement) -> CommandReply | Malformed:
        answer = commands.answer(statement)
        return answer if isinstance(answer, Malformed) else nothing

    return Session(qmgr, f"twin {point}", check, level=level)


class _Commands:
    """The commands of a session: each is answered, and the answers are kept."""

    def __init__(
        self,
        qmgr: str,
        level: int,
        platform: str,
        look: ReadEstate,
        act: Callable[[ReadCommand], CommandReply],
    ) -> None:
        """Answer DISPLAY commands from the estate, and all others by `act(command)`."""
        self.records: list[DisplayRecord] = []
        self.bases: Counter[Basis] = Counter()
        self.unobserved: dict[str, Unobserved] = {}
        self.left_out: Counter[str] = Counter()
        self.ages: tuple[str, ...] = ()
        self._name = qmgr
        self._level = level
        self._platform = platform
        self._look = look
        self._act = act

    def answer(self, statement: Statement) -> CommandReply | Malformed:
        """Answer one command."""
        if statement.verb == "DISPLAY":
            return self._display(statement)
        command = read_known(statement, level=self._level, platform=self._platform)
        if fault := command.fault:
            return Malformed(fault_segment(statement, fault).strip(), statement.text)
        return self._act(command)

    def note_ages(self, owners: Collection[str] = ()) -> None:
        """Note how old what is known is, and which owners of records are gone."""

        def ages(estate: Estate, point: AsOf) -> tuple[str, ...]:
            names = {self._name, *(set(owners) - estate.qmgrs.keys())}
            return tuple(notes_of_age(estate, names, point.valid))

        self.ages = self._look(ages)

    def missing(self) -> str:
        """Say in one line what nobody observed, and which rows are left out for that; or ''."""
        every = self.unobserved.values()
        unseen = ", ".join(str(each) for each in every if not each.is_kind)
        parts = [f"{each} of {self._name} was never observed" for each in every if each.is_kind]
        parts += [f"not observed at {self._name}: {unseen}"] if unseen else []
        for keyword, rows in self.left_out.items():
            counted = "1 row is" if rows == 1 else f"{rows} rows are"
            parts.append(f"{counted} left out because {keyword} is not known")
        return "; ".join(parts)

    def _note(self, shown: Displayed) -> None:
        """Keep what an answer to DISPLAY rests on, and what it lacks."""
        self.records += shown.records
        self.bases.update(each.basis for each in shown.records if each.basis is not None)
        self.left_out.update(shown.left_out)
        for each in shown.unobserved:
            known = self.unobserved.get(each.state)
            self.unobserved[each.state] = each if known is None else known.joined(each)

    def _display(self, statement: Statement) -> CommandReply | Malformed:
        shown: Displayed = self._look(
            lambda estate, point: display(estate, point, self._name, statement)
        )
        self.note_ages({str(each.values.get("clusqmgr")) for each in shown.records})
        if shown.problem is not None and shown.problem.id == SYNTAX_ERROR:
            segment = next(iter(shown.problem.inserts), "") or statement.text
            return Malformed(segment.strip(), statement.text)
        self._note(shown)
        parts: list[Message | str] = []
        for record in shown.records:
            parts.append(Message(record.message))
            parts += lay_out(record.cells)
        if shown.problem is not None:
            parts.append(shown.problem)
        return CommandReply.of(*parts)
