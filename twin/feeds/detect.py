"""The format of a text, and why texts of other formats are not read.

The first check in the table that holds decides. The order matters: a dump is also a script, and the
output of runmqsc repeats the commands that it answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import StrEnum
from itertools import islice
from typing import Final

from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Statement, parse


class FileFormat(StrEnum):
    """The format of a text; only the first two are read."""

    MQSC_SCRIPT = "mqsc-script"
    DMPMQCFG = "dmpmqcfg"
    BINARY = "binary"
    EMPTY = "empty"
    JSON = "json"
    RUNMQSC_OUTPUT = "runmqsc-output"
    ERROR_LOG = "error-log"
    YAML = "yaml"
    SHELL = "shell"
    PROSE = "prose"

    @property
    def readable(self) -> bool:
        """Whether definitions can be read from it."""
        return self not in WHY_NOT


WHY_NOT: Final = {
    FileFormat.BINARY: "is not text",
    FileFormat.EMPTY: "contains no command",
    FileFormat.JSON: "is JSON, which cannot be imported",
    FileFormat.RUNMQSC_OUTPUT: "is output of runmqsc, which cannot be imported",
    FileFormat.ERROR_LOG: "is an error log, which cannot be imported",
    FileFormat.YAML: "is YAML; extract the MQSC from it",
    FileFormat.SHELL: "is a shell script; extract the MQSC from it",
    FileFormat.PROSE: "is neither MQSC nor a dump: less than half of it consists of commands",
}
"""Why a format is not read; the text follows the name of a file."""

_SAMPLE: Final = 8192
_COMMANDS: Final = 200
_GARBLED: Final = 0.05
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_DUMP: Final = re.compile(r"^\* ?Script generated on ", re.MULTILINE)
_SESSION: Final = re.compile(
    r"^\s*Starting MQSC for queue manager|^ {0,5}\d{1,6} : \S", re.MULTILINE
)
_MESSAGES: Final = re.compile(r"^\s*(?:AMQ|CSQ)[A-Z]?\d{3,4}[A-Z]?:? ", re.MULTILINE)
_LOG: Final = re.compile(r"^EXPLANATION:|- Process\(\d", re.MULTILINE)
_YAML: Final = re.compile(r"^(?:apiVersion|kind): *\S", re.MULTILINE)
_SHELL: Final = re.compile(
    r"\A#!|^\s*(?:sudo\s+)?(?:crtmqm|strmqm|endmqm|runmqsc|setmqaut|dspmq\w*)\s+[-\w$\"{]",
    re.MULTILINE,
)


def detect(text: str) -> FileFormat:
    """Return the format of a text, from its first lines if they are enough."""
    return next(found for found, holds in _CHECKS if holds(text))


def _is_binary(text: str) -> bool:
    sample = text[:_SAMPLE]
    return "\0" in sample or len(_CONTROLS.findall(sample)) > _GARBLED * len(sample)


def _is_empty(text: str) -> bool:
    return not any(isinstance(item, CommandRead) for item in read(text))


def _is_json(text: str) -> bool:
    start = text.removeprefix("\ufeff").lstrip()
    if start[:1] not in {"{", "["}:
        return False
    try:
        json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return False
    return True


def _is_script(text: str) -> bool:
    commands = (item for item in read(text) if isinstance(item, CommandRead))
    parsed = [isinstance(parse(command.text), Statement) for command in islice(commands, _COMMANDS)]
    return 2 * sum(parsed) >= len(parsed)


def _found(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


_CHECKS: Final[tuple[tuple[FileFormat, Callable[[str], bool]], ...]] = (
    (FileFormat.BINARY, _is_binary),
    (FileFormat.DMPMQCFG, _found(_DUMP)),
    (FileFormat.EMPTY, _is_empty),
    (FileFormat.JSON, _is_json),
    (FileFormat.RUNMQSC_OUTPUT, _found(_SESSION)),
    (FileFormat.ERROR_LOG, _found(_LOG)),
    (FileFormat.RUNMQSC_OUTPUT, _found(_MESSAGES)),
    (FileFormat.YAML, _found(_YAML)),
    (FileFormat.SHELL, _found(_SHELL)),
    (FileFormat.MQSC_SCRIPT, _is_script),
    (FileFormat.PROSE, lambda _: True),
)
