"""Read the messages in which z/OS answers: on its console, to CSQUTIL, to its command server.

The verb and the object word of a command are echoed as they were typed, short or long, in any case.

Sources: public captures of CSQM201I, CSQM293I, CSQM297I, CSQM4nnI, CSQN205I, CSQ9022I, the short
verb in APAR PI08793; IBM MQ, "Examples of commands and their replies".
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from twin.feeds.captures.answers import SessionAnswers
from twin.feeds.captures.asked import NOTHING, object_word
from twin.feeds.captures.records import Cells, is_keyword, is_verb, read_line
from twin.mqsc.words import VERB_SPELLINGS

_MESSAGE: Final = re.compile(r"(?:^|\s)(CSQ[A-Z0-9]\d{3})[A-Z]\s+(.{0,2000})")
_QUOTED: Final = re.compile(r"'\s*(\w+)\s*(\w*)")
_DISPLAYED: Final = re.compile(r"(?i)\b(DIS\w*)\s+(\w+)\s*(?:\([^)]*\))?\s+DETAILS\b")
_FUNCTION: Final = re.compile(
    r"(?i)\s*(?:ANALYZE|COMMAND|COPY|COPYPAGE|EMPTY|FORMAT|LOAD|PAGEINFO|RESETPAGE|SCOPY|SDEFS"
    r"|SLOAD|SWITCH|XPARM)(?:\s+(?:\w+\(.{0,200}|\w{1,20}\s*))?$"
)
"""A control statement of CSQUTIL, which it echoes before its messages. Source: IBM MQ for z/OS,
"Using the IBM MQ utilities on z/OS".
"""

_END: Final = re.compile(r"(?i)\s*END\s+\w+\s*(?:\([^)]*\))?\s+DETAILS\b")
_CONSOLE_NUMBER: Final = re.compile(r"\s*\d{3}\s+(?=[A-Z])")
_FIRST: Final = 200


class ZosMessage(NamedTuple):
    """One message: its id without the letter, and its text."""

    id: str
    text: str
    whole: str


def message(line: str) -> ZosMessage | None:
    """Read a line with a message of z/OS, perhaps after a time stamp and a job."""
    match = _MESSAGE.search(line, 0, _FIRST)
    return None if match is None else ZosMessage(match[1], match[2], line[match.start(2) :])


def is_row_end(line: str) -> bool:
    """Return whether a line ends a row on the console."""
    return _END.match(line) is not None


def without_number(line: str) -> str:
    """Return a line of a row without the number that the console repeats before it."""
    match = _CONSOLE_NUMBER.match(line)
    return line[match.end() :] if match else line


def take(answers: SessionAnswers, said: ZosMessage) -> bool:
    """Take a message into the answers; return whether it belongs to them."""
    kind, id_ = said.id[:4], said.id
    if kind == "CSQU":
        answers.forget(_FUNCTION)
        answers.close(closed=False)
        answers.open = True
        if id_ in {"CSQU055", "CSQU121"}:
            answers.session(said.text.split()[-1])
    elif kind == "CSQN":
        answers.close_row()
        if answers.answer is not None:
            answers.close(closed=False)
        answers.open = True
    elif id_ in {"CSQ9022", "CSQ9023"}:
        _end(answers, said)
    elif kind in {"CSQM", "CSQ9"}:
        _part(answers, said)
    else:
        return False
    return True


def _part(answers: SessionAnswers, said: ZosMessage) -> None:
    """Take a row, the number of rows, or another message of an answer."""
    answers.close_row()
    if answers.answer is not None and not answers.answer.zos and not answers.answer.empty:
        answers.close(closed=False)
    if answers.answer is None:
        answers.adopt()
    answer = answers.answer or answers.begin()
    answer.zos = True
    answer.last_line = answers.number
    prefix, _, rest = said.whole.strip().partition(" ")
    answer.qmgr = answer.qmgr or _named(prefix)
    if (shown := _DISPLAYED.search(said.text)) and is_verb(shown[1]):
        answer.word = object_word(shown[2])
        answers.open_row(zos=True)
    elif (cells := _cells_text(rest)) and answers.open_row(zos=True).take(cells):
        pass
    elif said.id == "CSQM293":
        number = next((word for word in said.text.split() if word.isdecimal()), "")
        answer.found = int(number) if number and len(number) < len("1" + "0" * 9) else None
    else:
        answers.row = None
        answer.message(said.id)
        words = said.text.split()
        if said.id in NOTHING and "NO" in words[:-1]:
            answer.word = object_word(words[words.index("NO") + 1])


def _end(answers: SessionAnswers, said: ZosMessage) -> None:
    """Take the message that ends an answer."""
    answers.close_row()
    if answers.answer is None:
        answers.adopt()
        answers.begin()
    answer = answers.answer
    if answer is not None:
        answer.qmgr = answer.qmgr or _named(said.text.partition(" ")[0])
        quoted = _QUOTED.search(said.text)
        if quoted and not answer.asked.command:
            verb = VERB_SPELLINGS.get(quoted[1].upper(), quoted[1])
            answer.asked = answer.asked._replace(verb=verb, object=object_word(quoted[2]))
        if said.id == "CSQ9023":
            answer.message(said.id)
    answers.number += 1
    answers.close(closed=True)
    answers.number -= 1


def _named(prefix: str) -> str:
    """Return the queue manager of a command prefix: a sign and its name, by convention."""
    name = prefix.lstrip("+-!#%&*/]?=_@$:;<>|~^[")
    return name if name.isalnum() and name.isupper() else ""


def cells_in(text: str) -> Cells | None:
    """Return the cells at the end of the text of a message; None if it has none."""
    read = read_line(_cells_text(text))
    return read.cells if read is not None and read.open < 0 else None


def _cells_text(text: str) -> str:
    """Return the part of a text from its first cell on; '' if it has none."""
    bracket = text.find("(")
    start = text.rfind(" ", 0, max(bracket, 0)) + 1
    return text[start:] if bracket > start and is_keyword(text[start:bracket]) else ""
