"""Read saved answers of mqweb: runCommandJSON, runCommand, GET of resources, errors.

A file may have one answer, or many, as separate documents, in a list, or each in an object with
`body` or `response` and what was asked: `url`, `request`, `at`. Requests, URLs and the HTTP header
`Date` before an answer belong to it; after the line `StatusCode:` of a trace, to the answer before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any, Final

from twin.feeds.captures.answer import CommandAnswer
from twin.feeds.captures.answers import CaptureRecord
from twin.feeds.captures.asked import Asked, asked_by
from twin.feeds.captures.frame import zoned_instant
from twin.feeds.captures.records import Capture, left_over
from twin.feeds.captures.resources import (
    RESOURCES,
    asked_by_url,
    parameter_values,
    qmgr_of_url,
    resource_values,
)
from twin.feeds.captures.runmqsc import SessionReading
from twin.feeds.reading.json_documents import (
    BrokenJson,
    JsonDocument,
    JsonElement,
    JsonPieces,
    PlainLine,
)
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.instants import Instant, instant_of, is_instant
from twin.mqsc.json_form import JSON_KEYS, BadJsonCommand, command_text

_ANSWERS: Final = "commandResponse"
_URL: Final = re.compile(r"https?://[^\s\"'<>]{1,1000}|/ibmmq/rest/[^\s\"'<>]{1,1000}")
_HEADER: Final = re.compile(r"\s*(?:[A-Za-z][\w-]*:\s|HTTP/|StatusCode|[{}]\s*$|curl |Invoking)")
_DATE: Final = re.compile(r"\s*Date:\s*(.{1,60})", re.IGNORECASE)
_ID: Final = re.compile(r"\b((?:AMQ|CSQ\w|MQWB)\d{3,4})[A-Z]?\b")
_PARENTS: Final = ("CONN", "EXTCONN", "QUEUE", "TYPE")


def read_mqweb(lines: Iterable[str]) -> Iterator[CaptureRecord]:
    """Read lines, with or without their ends; never raises because of their text."""
    reading = _WebReading()
    for piece in JsonPieces(frozenset({_ANSWERS, *RESOURCES})).read(lines):
        reading.take(piece)
        if reading.out:
            yield from reading.out
            reading.out.clear()
    reading.end()
    yield from reading.out


class _WebReading:
    """The state of reading one text."""

    def __init__(self) -> None:
        self.out: list[CaptureRecord] = []
        self._qmgr = ""
        self._asked: Asked | None = None
        self._date: Instant | None = None
        self._after = False
        self._answer: CommandAnswer | None = None
        self._text: SessionReading | None = None
        self._held: Capture | None = None

    def take(self, piece: PlainLine | JsonElement | JsonDocument | BrokenJson) -> None:
        """Take one piece."""
        if isinstance(piece, PlainLine):
            self._take_text(piece)
        elif isinstance(piece, JsonElement):
            self._take_element(piece)
        elif isinstance(piece, JsonDocument):
            self._take_document(piece)
        else:
            if self._answer is not None:
                self._answer.fault("a part of it cannot be read")
            if piece.ends:
                self._finish(piece.line, closed=False)
            self.out.append(left_over(piece.line, piece.text, piece.why))

    def end(self) -> None:
        """Take the end of the text."""
        self._finish(0, closed=False)
        self._release()

    def _take_text(self, piece: PlainLine) -> None:
        """Take the URL, the date and the status beside an answer."""
        text = piece.text[:4096]
        if "StatusCode" in text or "HTTP/" in text:
            self._after = "StatusCode" in text
        if date := _DATE.match(text):
            self._take_date(_http_date(date[1]))
        url = _URL.search(text)
        if url is not None:
            self._take_url(url[0])
        elif text.strip() and not _HEADER.match(text):
            self.out.append(left_over(piece.line, piece.text, "is no part of an answer"))

    def _take_url(self, url: str) -> None:
        self._release()
        self._date, self._after = None, False
        self._qmgr = qmgr_of_url(url)
        self._asked = asked_by_url(url)

    def _take_date(self, instant: Instant | None) -> None:
        if not self._after:
            self._date = instant
        elif self._held is not None:
            self._held = self._held._replace(claimed=instant)
            self._release()

    def _take_element(self, piece: JsonElement) -> None:
        """Take one element of an answer."""
        answer = self._answer or self._begin(piece.line, piece.key)
        answer.last_line = piece.line
        if piece.key != _ANSWERS:
            self._add(answer, piece.line, resource_values(piece.key, piece.value))
            return
        texts = piece.value.get("text")
        if isinstance(texts, list):
            self._take_lines(piece.line, texts)
            return
        parameters = piece.value.get("parameters")
        if isinstance(parameters, dict):
            self._take_parameters(answer, piece.line, parameters)
        said = piece.value.get("message")
        ids = [found[1] for one in _texts(said) if (found := _ID.search(one[:200]))]
        for id_ in ids:
            answer.message(id_)
        if piece.value.get("completionCode") not in (0, None) and not ids:
            answer.fault(f"reason code {piece.value.get('reasonCode')} was answered")

    def _take_parameters(
        self, answer: CommandAnswer, line: int, parameters: dict[str, Any]
    ) -> None:
        """Take the row of an object, and the rows of the handles in it."""
        inner = parameters.pop("objects", None)
        values = parameter_values(parameters)
        handles = [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []
        keys: dict[str, str] = {key: values[key] for key in _PARENTS if key in values}
        if values and (not handles or values.keys() - keys.keys()):
            self._add(answer, line, values)
        for handle in handles:
            self._add(answer, line, {**keys, **parameter_values(handle)})

    def _take_lines(self, line: int, texts: list[Any]) -> None:
        """Take an element of runCommand: lines as runmqsc prints them."""
        if self._text is None:
            self._text = SessionReading()
            if self._qmgr:
                self._text.line(line, f"Starting MQSC for queue manager {self._qmgr}.")
            if self._asked is not None and self._asked.command:
                self._text.line(line, f"     1 : {self._asked.command}")
        for text in _texts(texts):
            for each in text.split("\n"):
                self.out += self._text.line(line, each)

    def _take_document(self, piece: JsonDocument) -> None:
        value = piece.value
        if piece.key:
            self._answer = self._answer or self._begin(piece.line, piece.key)
            overall = value.get("overallReasonCode")
            failed = value.get("overallCompletionCode") not in (0, None)
            if failed and not (self._answer.messages or self._answer.faults):
                self._answer.fault(f"reason code {overall} was answered")
            self._finish(piece.last_line, closed=True)
        elif _texts(value.get("error")) or isinstance(value.get("error"), list):
            self._take_errors(piece)
        elif isinstance(value.get("command") or value.get("parameters"), str | dict) and (
            value.get("type") in {"runCommand", "runCommandJSON"}
        ):
            self._release()
            self._asked, self._date, self._after = _requested(value), None, False
        elif isinstance(value.get("url"), str) or isinstance(value.get("at"), str):
            self._annotate(value)
        elif piece.outermost and not self._held:
            why = "is JSON, but no answer of mqweb"
            self.out.append(left_over(piece.line, " ".join(value), why))

    def _take_errors(self, piece: JsonDocument) -> None:
        """Take an error: the answer to what was asked, if that is known."""
        answer = self._begin(piece.line, _ANSWERS)
        for error in piece.value["error"]:
            if isinstance(error, dict):
                said = str(error.get("msgId") or error.get("messageId") or error.get("message"))
                found = _ID.search(said[:200])
                answer.message(found[1] if found else "error")
        if not answer.messages:
            answer.message("error")
        self._finish(piece.last_line, closed=True)

    def _annotate(self, value: dict[str, Any]) -> None:
        """Take what an object says about the answer in it."""
        held = self._held
        if held is None:
            return
        url = str(value.get("url", ""))
        instant = zoned_instant(str(value.get("at", "")))
        held = held._replace(qmgr=held.qmgr or qmgr_of_url(url), claimed=instant or held.claimed)
        self._held = held
        self._release()

    def _begin(self, line: int, key: str) -> CommandAnswer:
        """Begin an answer to what was asked before it."""
        self._release()
        asked = self._asked or Asked()
        if key != _ANSWERS and asked.verb != "GET":
            asked = Asked(verb="GET", object=RESOURCES[key])
        self._answer = CommandAnswer(line, self._qmgr, asked, self._date)
        return self._answer

    def _finish(self, line: int, *, closed: bool) -> None:
        answer, self._answer = self._answer, None
        text, self._text = self._text, None
        if text is not None:
            if closed:
                self.out += text.line(line, "One MQSC command read.")
            records = [_dated(each, self._date) for each in [*self.out, *text.end(line)]]
            last = records.pop() if records else None
            self.out = [*records, *([last] if isinstance(last, NotUnderstood) else [])]
            self._held = last if isinstance(last, Capture) else None
        elif answer is not None:
            answer.last_line = max(answer.last_line, line)
            self._held = answer.end(closed=closed)
        self._asked = None

    def _add(self, answer: CommandAnswer, line: int, values: dict[str, str]) -> None:
        record = answer.add(line, values)
        if record is not None:
            self.out.append(record)

    def _release(self) -> None:
        """Hand over the last answer; nothing that follows says more about it."""
        if self._held is not None:
            self.out.append(self._held)
            self._held = None


def _dated(record: Capture | NotUnderstood, instant: Instant | None) -> CaptureRecord:
    if isinstance(record, Capture) and record.claimed is None:
        return record._replace(claimed=instant)
    return record


def _requested(value: dict[str, Any]) -> Asked:
    """Return the command of a request as MQSC."""
    parameters = value.get("parameters")
    given = parameters if isinstance(parameters, dict) else {}
    if value["type"] == "runCommand":
        return asked_by(str(given.get("command", "")))
    command: dict[str, Any] = {key: value[key] for key in JSON_KEYS if key in value}
    try:
        return asked_by(command_text(command))
    except BadJsonCommand:
        return Asked()


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _http_date(text: str) -> Instant | None:
    try:
        instant = instant_of(parsedate_to_datetime(text.strip()))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return instant if is_instant(instant) else None
