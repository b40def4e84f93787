"""The format of a text, and why texts of other formats are not read.

The first 64 KiB decide, and of MQSC the first 200 commands. The first check in the table that holds
gives the format. The order matters: a dump is also a script, the output of runmqsc repeats the
commands that it answers, and a log in JSON is also JSON. What is looked for is the same in all
languages wherever it can be: ids, attributes, members.

How much of a file that is still written can be read: its whole records.

A log grows at its end, so its last record may be there in part. Other files are written at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Final

from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Statement, parse
from twin.mqsc.words import VERB_SPELLINGS


class FileFormat(StrEnum):
    """The format of a text; only scripts, dumps and answers to DISPLAY are read."""

    MQSC_SCRIPT = "mqsc-script"
    DMPMQCFG = "dmpmqcfg"
    BINARY = "binary"
    PCF = "pcf"
    EMPTY = "empty"
    RUNMQSC_OUTPUT = "runmqsc-output"
    MQWEB_ANSWERS = "mqweb-answers"
    MQWEB_REQUESTS = "mqweb-requests"
    ERROR_LOG = "error-log"
    JSON_LOG = "error-log-json"
    CONTAINER_LOG = "container-log"
    WEB_SERVER_LOG = "web-server-log"
    ZOS_LOG = "zos-log"
    AMQSEVT_JSON = "amqsevt-json"
    AMQSEVT_TEXT = "amqsevt-text"
    PROMETHEUS_SCRAPE = "prometheus-scrape"
    PROMETHEUS_ANSWER = "prometheus-answer"
    DASHBOARD = "grafana-dashboard"
    CHANNEL_TABLE = "ccdt"
    INI = "ini"
    JSON = "json"
    HTML = "html"
    YAML = "yaml"
    SHELL = "shell"
    MARKDOWN = "markdown"
    PROSE = "prose"

    @property
    def readable(self) -> bool:
        """Whether observations can be read from it."""
        return self not in WHY_NOT


_OWN_INSTANTS: Final = "whose parts have instants of their own: twin import"
_DECODED: Final = f"{_OWN_INSTANTS}; twin decode explains it"
WHY_NOT: Final = {
    FileFormat.BINARY: "is not text",
    FileFormat.PCF: "is a binary PCF message; amqsevt writes such messages as text",
    FileFormat.EMPTY: "contains no command",
    FileFormat.MQWEB_REQUESTS: "contains HTTP requests or headers, but no answer about an object",
    FileFormat.ERROR_LOG: f"is an error log, {_DECODED}",
    FileFormat.JSON_LOG: f"is an error log in JSON, {_DECODED}",
    FileFormat.CONTAINER_LOG: f"is the console log of a container, {_DECODED}",
    FileFormat.WEB_SERVER_LOG: (
        "is a log of the web server, with no message of a queue manager in its first 64 KiB"
    ),
    FileFormat.ZOS_LOG: f"is a log of z/OS with CSQ messages, {_DECODED}",
    FileFormat.AMQSEVT_JSON: f"is output of amqsevt in JSON, {_OWN_INSTANTS}",
    FileFormat.AMQSEVT_TEXT: f"is output of amqsevt, {_OWN_INSTANTS}",
    FileFormat.PROMETHEUS_SCRAPE: f"is a scrape of a Prometheus exporter, {_OWN_INSTANTS}",
    FileFormat.PROMETHEUS_ANSWER: f"is an answer of Prometheus to a query, {_OWN_INSTANTS}",
    FileFormat.DASHBOARD: "is a Grafana dashboard, which says nothing about a queue manager",
    FileFormat.CHANNEL_TABLE: (
        "is a client channel definition table, which defines nothing on a queue manager"
    ),
    FileFormat.INI: "is a configuration file (ini), whose queue manager --qmgr QM names",
    FileFormat.JSON: "is JSON of an unknown kind",
    FileFormat.HTML: "is HTML; extract the MQSC from it",
    FileFormat.YAML: "is YAML; extract the MQSC from it",
    FileFormat.SHELL: "is a shell script; extract the MQSC from it",
    FileFormat.MARKDOWN: "is Markdown; extract the MQSC from it",
    FileFormat.PROSE: "is neither MQSC nor a dump: less than half of it consists of commands",
}
"""Why a format is not read; the text follows the name of a file."""

HEAD: Final = 1 << 16
"""The number of characters that decide; of MQSC, more may be looked at."""

_CONTROLS_IN: Final = 8192
_HEADER: Final = 512
"""Where binary formats have NULs; a text has them later, if at all, such as after a crash."""

_COMMANDS: Final = 200
_GARBLED: Final = 0.05
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_PCF: Final = re.compile(r"MD {2}|[^\0]\0{3}\$\0{3}|\0{3}[^\0]\0{3}\$")
"""A message descriptor; or the type and the length of an MQCFH, 36, in both byte orders."""

_BEGINS: Final = re.compile(r"\s*+[A-Za-z]++\s++[A-Za-z]++\(")
_KEY: Final = re.compile(r"\s*+(?:- +)?[\w.-]++:(?:\s|$)")


def detect(text: str) -> FileFormat:
    """Return the format of a text, from its first 64 KiB and its first 200 commands."""
    return next(found for found, holds in _CHECKS if holds(text))


def detect_bytes(raw: bytes) -> FileFormat:
    """Return the format of bytes that are not text."""
    return FileFormat.PCF if _PCF.match(raw[:8].decode("latin-1")) else FileFormat.BINARY


def may_be_script(text: str) -> bool:
    """Return whether any command begins as MQSC does: with a verb, or as DEFNE QLOCAL(A).

    Of a file whose name says that it is a script, that is enough: most of its commands may be
    wrong.
    """
    commands = (item.text for item in read(text[:HEAD]) if isinstance(item, CommandRead))
    return any(
        (words := command.split(maxsplit=1))
        and (words[0].upper() in VERB_SPELLINGS or _BEGINS.match(command))
        for command in commands
    )


def _is_binary(text: str) -> bool:
    sample = text[:_CONTROLS_IN]
    return "\0" in sample[:_HEADER] or len(_CONTROLS.findall(sample)) > _GARBLED * len(sample)


def _is_empty(text: str) -> bool:
    return not any(isinstance(item, CommandRead) for item in read(text))


def _is_script(text: str) -> bool:
    commands = (item for item in read(text) if isinstance(item, CommandRead))
    parsed = [isinstance(parse(command.text), Statement) for command in islice(commands, _COMMANDS)]
    return 2 * sum(parsed) >= len(parsed)


def _is_yaml(text: str) -> bool:
    lines = [line for line in text[:HEAD].split("\n") if line.strip() and line.lstrip()[:1] != "#"]
    return 2 * sum(_KEY.match(line) is not None for line in lines) > len(lines)


def _has(*patterns: str) -> Callable[[str], bool]:
    """Return a check that finds all of some patterns; `^` is the beginning of a line."""
    compiled = [re.compile(pattern, re.MULTILINE | re.ASCII) for pattern in patterns]
    return lambda text: all(pattern.search(text, 0, HEAD) for pattern in compiled)


def _member(names: str, value: str = "") -> str:
    r"""Return a pattern for a member of a JSON object, which may be quoted: ``\"a\":``."""
    return rf'"(?:{names})\\?"\s*+:\s*+{value}'


_Check = tuple[FileFormat, Callable[[str], bool]]

_JSON: Final[tuple[_Check, ...]] = (
    (FileFormat.JSON_LOG, _has(_member("ibm_message[iI][dD]", r'\\?"(?:AMQ|CSQ)'))),
    (FileFormat.JSON_LOG, _has(r"\A\ufeff?\s*+\{", r"- Process\(\d|\dZ AMQ\d{4}[A-Z]?: ")),
    (FileFormat.WEB_SERVER_LOG, _has(_member("type", r'\\?"liberty_'))),
    (FileFormat.CONTAINER_LOG, _has(_member("type", r'\\?"mq_containerlog'))),
    (FileFormat.AMQSEVT_JSON, _has(_member("eventSource|eventReason", r"\{"))),
    (FileFormat.PROMETHEUS_ANSWER, _has(_member("metric", r"\{"), _member("values?", r"\["))),
    (FileFormat.PROMETHEUS_ANSWER, _has(_member("resultType", '"'), _member("result", r"\["))),
    (FileFormat.CHANNEL_TABLE, _has(_member("channel", r"\["), _member("clientConnection", r"\{"))),
    (
        FileFormat.MQWEB_ANSWERS,
        _has(
            _member("commandResponse|overallCompletionCode")
            + "|"
            + _member("msgId|messageId", '"MQWB')
            + r"|^[ \t]*+\{\s*+"
            + _member("qmgr|queue|channel|subscription|installation", r"\[")
        ),
    ),
    (FileFormat.DASHBOARD, _has(_member("panels", r"\["), _member("datasource|schemaVersion"))),
)
"""Texts with JSON in them, perhaps after a prefix or among other lines."""

_LOGS: Final[tuple[_Check, ...]] = (
    (
        FileFormat.RUNMQSC_OUTPUT,
        _has(r"^[ \t]*+Starting MQSC for |^ {0,5}\d{1,6} : \S"),
    ),
    (FileFormat.RUNMQSC_OUTPUT, _has(r"^(?:\d{4}-\S{1,30} \S{1,99}: )?5724-H72 ")),
    (FileFormat.ERROR_LOG, _has(r"^EXPLANATION:|- Process\(\d")),
    (FileFormat.CONTAINER_LOG, _has(r"^(?!\*).{0,99}?\d\d:\d\d(?:\.\d{1,9})?Z AMQ\d{4}[A-Z]?: ")),
    (FileFormat.ZOS_LOG, _has(r"^(?!\*).{0,99}?[\s+]CSQ[XYJRPVE]\d{3}[A-Z] ")),
    (FileFormat.RUNMQSC_OUTPUT, _has(r"^[ \t]*+(?:AMQ|CSQ)[A-Z]?\d{3,4}[A-Z]?:? ")),
    (FileFormat.RUNMQSC_OUTPUT, _has(r"^(?!\*).{0,99}?[\s+]CSQ[MN9]\d{3}[A-Z] ")),
    (FileFormat.ZOS_LOG, _has(r"^(?!\*).{0,99}?[\s+]CSQ[A-Z0-9]\d{3}[A-Z] ")),
    (FileFormat.AMQSEVT_TEXT, _has(r"^\*{4} Message #\d+ \(")),
    (
        FileFormat.PROMETHEUS_SCRAPE,
        _has(r"^# (?:HELP|TYPE) [a-zA-Z_:]|^ibmmq_\w++(?:\{.*\})? [-+.\dNI]"),
    ),
    (
        FileFormat.INI,
        _has(r"^[A-Za-z]\w*+ *+:[ \t]*+\r?\n(?>(?:[ \t]*+(?:[#;].*+)?\n)*)[ \t]*+\w++ *+="),
    ),
)

_CHECKS: Final[tuple[_Check, ...]] = (
    (FileFormat.BINARY, _is_binary),
    (FileFormat.DMPMQCFG, _has(r"^\* ?Script generated on ")),
    (FileFormat.EMPTY, _is_empty),
    *_JSON,
    (FileFormat.JSON, _has(r'\A\ufeff?\s*+(?:\{\s*+["}]|\[\s*+(?:["\d\[\]{]|true|false|null))')),
    *_LOGS,
    (FileFormat.HTML, _has(r"\A\ufeff?\s*+(?i:<!DOCTYPE html|<html)")),
    (
        FileFormat.YAML,
        _has(r"\A(?>(?:#.*+\n|[ \t\r]*+\n)*)---[ \t\r]*+$|^(?:apiVersion|kind): *\S"),
    ),
    (
        FileFormat.SHELL,
        _has(
            r"\A#!|^[ \t]*+(?:sudo )?(?:(?:crt|str|end)mqm|runmqsc|setmqaut|dspmq\w*+)\s++[-\w$\"{]"
        ),
    ),
    (FileFormat.MQSC_SCRIPT, _is_script),
    (FileFormat.MQWEB_REQUESTS, _has(r"/ibmmq/rest/v\d|\AHTTP/\d")),
    (FileFormat.MARKDOWN, _has(r"^(?:```|#{2,6} \S)")),
    (FileFormat.YAML, _is_yaml),
    (FileFormat.PROSE, lambda _: True),
)


_LINE: Final = re.compile(r"\n")
_TRAILER: Final = re.compile(r"^-{5}.{0,200}-{10}-*[ \t\r]*\n", re.MULTILINE)
_RECORD_HEADER: Final = re.compile(r"^(?!.{0,400}?AMQ\d{4}).{0,99}- Process\(\d", re.MULTILINE)
"""The first line of a record that has several."""

_OBJECT: Final = re.compile(r"^(?:\}|\{.*\})[ \t\r]*\n", re.MULTILINE)
_MESSAGE: Final = re.compile(r"^(?=\*{4} Message #)", re.MULTILINE)
_ZOS_MESSAGE: Final = re.compile(r"^(?=.{0,99}?[\s+]CSQ[A-Z0-9]\d{3}[A-Z] )", re.MULTILINE)

_ENDS: Final[Mapping[FileFormat, re.Pattern[str]]] = MappingProxyType(
    {
        FileFormat.ERROR_LOG: _TRAILER,
        FileFormat.JSON_LOG: _LINE,
        FileFormat.CONTAINER_LOG: _LINE,
        FileFormat.WEB_SERVER_LOG: _LINE,
        FileFormat.ZOS_LOG: _ZOS_MESSAGE,
        FileFormat.AMQSEVT_JSON: _OBJECT,
        FileFormat.AMQSEVT_TEXT: _MESSAGE,
    }
)
"""The formats of logs, and what ends a record."""


def is_log(form: FileFormat) -> bool:
    """Return whether files of a format are logs, which grow while they are used."""
    return form in _ENDS


def whole_records(text: str, form: FileFormat) -> int:
    """Return the length of the whole records at the begin of a text; of other formats, all of it.

    An error log of shippers has one line for each record, and no trailers.
    """
    end = _ENDS.get(form)
    if end is None:
        return len(text)
    length = _last_end(text, end)
    if form is FileFormat.ERROR_LOG and not length and not _RECORD_HEADER.search(text):
        return _last_end(text, _LINE)
    return length


def _last_end(text: str, end: re.Pattern[str]) -> int:
    """Return where the last match ends: 0 without a match."""
    size = _NEAR
    while True:
        begin = max(0, len(text) - size)
        begin = text.rfind("\n", 0, begin) + 1 if begin else 0
        last = 0
        for found in end.finditer(text, begin):
            last = found.end()
        if last or not begin:
            return last
        size *= 8


_NEAR: Final = 1 << 14
"""The number of characters at the end in which the end of a record is looked for first."""
