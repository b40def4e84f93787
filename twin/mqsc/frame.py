"""The frame of a runmqsc session: first lines, echo, replies, counters and exit code.

Taken from public captures of 7.0 to 9.4, except for some lines and exit codes without a capture: no
command read, several syntax errors, a queue manager that is not available.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from twin.model.messages import LETTERS_FROM, SYNTAX_ERROR, Message
from twin.mqsc.reader import LINE_LIMIT, CommandRead, Echoed, Item
from twin.mqsc.statement import Malformed, Statement, parse

DONE = 0
FAILED = 10
NOT_RUN = 20


@dataclass(frozen=True, slots=True)
class CommandReply:
    """The reply to a command.

    Attributes:
        parts: messages and laid out lines, in order.
        failed: whether the command counts as one that could not be processed.
    """

    parts: tuple[Message | str, ...] = ()
    failed: bool = False

    @classmethod
    def of(cls, *parts: Message | str) -> "CommandReply":
        """Return a reply that failed if one of its messages reports a failure."""
        return cls(parts, failed=any(isinstance(part, Message) and part.failed for part in parts))


@dataclass(frozen=True, slots=True)
class AnsweredCommand:
    """A command that was read, and the reply to it.

    Attributes:
        text: the command.
        line: the number of the input line where it starts, from 1.
        messages: the reply messages.
        failed: whether it has a syntax error or could not be processed.
        segment: of a command with a syntax error, its text up to and including the error, which
            runmqsc prints below AMQ8405; '' of any other.
    """

    text: str
    line: int
    messages: tuple[Message, ...]
    failed: bool
    segment: str = ""


Answering = Callable[[Statement], CommandReply | Malformed]
"""A function that carries out one command; for an unknown keyword it returns ``Malformed``."""


@dataclass(slots=True)
class Session:
    """One run of runmqsc: it writes the lines for each item, and counts the commands.

    Attributes:
        qmgr: the name of the queue manager.
        first_line: the text that replaces IBM's product line.
        answer: carries out a command and returns its reply.
        level: the command level; message ids below 910 have no severity letter.
        echo: whether commands are echoed (not with ``runmqsc -e``).
        messages: the reply messages so far, including syntax errors and the refusal to begin.
        problem: the text of the first reply that reports a failure; '' if there is none.
        replies: the commands so far, with the reply to each.
    """

    qmgr: str
    first_line: str
    answer: Answering
    level: int = LETTERS_FROM
    echo: bool = True
    read: int = field(default=0, init=False)
    malformed: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    refused: bool = field(default=False, init=False)
    messages: list[Message] = field(default_factory=list, init=False)
    problem: str = field(default="", init=False)
    replies: list[AnsweredCommand] = field(default_factory=list, init=False)
    _segment: str = field(default="", init=False)

    def run(self, items: Iterable[Item]) -> Iterator[str]:
        """Yield the lines of the session, each as soon as its item is read."""
        yield from self.start()
        for item in items:
            yield from self.feed(item)
        yield from self.finish()

    def refuse(self, message: Message) -> Iterator[str]:
        """Yield the lines of a session that could not begin; its exit code is 20."""
        self.refused = True
        yield from self.start()
        yield from self._reply(message)
        yield from self.finish()

    def start(self) -> list[str]:
        """Return the lines before the first command."""
        return [self.first_line, f"Starting MQSC for queue manager {self.qmgr}.", "", ""]

    def feed(self, item: Item) -> Iterator[str]:
        """Yield the lines for one item."""
        if isinstance(item, Echoed):
            if self.echo:
                yield item.text
        elif isinstance(item, CommandRead):
            self.read += 1
            failures, messages = self.malformed + self.failed, len(self.messages)
            self._segment = ""
            yield from self._command(item)
            failed = self.malformed + self.failed > failures
            reply = tuple(self.messages[messages:])
            self.replies.append(AnsweredCommand(item.text, item.line, reply, failed, self._segment))

    def finish(self) -> list[str]:
        """Return the lines with the counters."""
        return [
            _count(self.read, "{} MQSC command{} read."),
            _count(self.malformed, "{} command{} {} a syntax error."),
            _count(self.failed, "{} valid MQSC command{} could not be processed.")
            if self.failed
            else "All valid MQSC commands were processed.",
        ]

    @property
    def exit_code(self) -> int:
        """0 if every command succeeded, 10 if one failed, 20 if the session could not begin."""
        if self.refused:
            return NOT_RUN
        return FAILED if self.malformed or self.failed else DONE

    def _command(self, command: CommandRead) -> Iterator[str]:
        statement = parse(command.text, line=command.line)
        if command.too_long:
            statement = Malformed(command.text.strip(), command.text)
        result = statement if isinstance(statement, Malformed) else self.answer(statement)
        if isinstance(result, Malformed):
            self.malformed += 1
            self._segment = result.segment[:LINE_LIMIT]
            yield from self._reply(Message(SYNTAX_ERROR), self._segment)
            return
        self.failed += result.failed
        for part in result.parts:
            yield from self._reply(part) if isinstance(part, Message) else [part]

    def _reply(self, message: Message, *segment: str) -> list[str]:
        """Note a reply message and return its lines."""
        lines = [message.render(self.level), *segment]
        self.messages.append(message)
        if message.failed:
            self.problem = self.problem or " ".join(lines)
        return lines


def _count(number: int, pattern: str) -> str:
    """Return a counter line: No, One or a number, and the words in singular or plural."""
    words = {0: "No", 1: "One"}.get(number, str(number))
    plural = number != 1
    return pattern.format(words, "s" if plural else "", "have" if plural else "has")
