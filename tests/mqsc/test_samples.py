"""What real scripts, dumps and sessions hold; skipped where the public samples are absent."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mqsc.captures import SAMPLES
from twin.mqsc.dump import DumpedAttribute, definition
from twin.mqsc.layout import lay_out
from twin.mqsc.readback import read_back
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Malformed, Statement, parse, write

INDEX = SAMPLES / "INDEX.md"
SCRIPTS = {".mqsc", ".MQSC", ".tpl", ".txt", ""}

EXPECTED = re.compile(r"\b((?:ALTER|DEFINE|DELETE|SET) [A-Z]+) (\d+)")
MESSAGES = re.compile(r"\b((?:AMQ\d{4}|CSQ\w\d{3})[A-Z]?) x(\d+)")

MALFORMED = (
    "alter chl(UNICLUS_QM3) chltype(CLUSRCVR) conname(",
    "ALTER CHL CHLTYPE(SC.DEMO.",
)
"""How the commands begin that are wrong in the samples: no closing quote, no name."""


def indexed(*folders: str) -> list[tuple[str, str]]:
    """Return the index's paths in some folders, each with what is expected of it."""
    if not INDEX.exists():
        return []
    index = INDEX.read_text(encoding="utf-8")
    return [
        (path, expected)
        for path, expected in re.findall(r"(?m)^- `([^`]+)`.*EXPECT: ?(.*)$", index)
        if path.split("/")[1] in folders and Path(path).suffix in SCRIPTS
    ]


def text_of(path: str) -> str:
    """Return a sample's text as it is, line ends included."""
    return (SAMPLES / path).read_bytes().decode("utf-8", errors="replace")


def commands(path: str) -> list[Statement | Malformed]:
    """Return every command of a script."""
    items = read(text_of(path))
    return [parse(item.text) for item in items if isinstance(item, CommandRead)]


needs_samples = pytest.mark.skipif(not INDEX.exists(), reason="no public samples here")


@needs_samples
@pytest.mark.parametrize(("path", "expected"), indexed("mqsc", "dmpmqcfg"))
def test_scripts_hold_the_commands_that_were_counted(path: str, expected: str) -> None:
    """An independent count of each script's commands by object comes to the same numbers."""
    found: Counter[str] = Counter()
    for command in commands(path):
        if isinstance(command, Malformed):
            assert command.text.startswith(MALFORMED)
            found["ALTER CHANNEL"] += 1
        elif command.verb in {"ALTER", "DEFINE", "DELETE", "SET"}:
            found[f"{command.verb} {command.object}"] += 1
    counted = Counter({name: int(number) for name, number in EXPECTED.findall(expected)})
    assert counted == found


@needs_samples
@pytest.mark.parametrize(("path", "expected"), indexed("mqsc", "dmpmqcfg"))
def test_every_real_command_survives_being_written(path: str, expected: str) -> None:
    """Each command of each script, written anew, parses to the same statement."""
    for command in commands(path):
        if isinstance(command, Statement):
            assert parse(write(command)) == command


@needs_samples
@pytest.mark.parametrize(("path", "expected"), indexed("runmqsc-output"))
def test_sessions_hold_the_messages_that_were_counted(path: str, expected: str) -> None:
    """An independent count of each session's message ids comes to the same numbers."""
    counted: Counter[str] = Counter()
    for number, times in MESSAGES.findall(expected):
        counted[number[:7]] += int(times)
    assert counted == Counter(record.id for record in read_back(text_of(path)).records)


CLEAN = (
    "id55882327986__interactive_session_v701.txt",
    "id6852209416__ALPHA_clusqmgr.txt",
    "id33165179043__tls_sslpeer_session_v925.txt",
    "id33350894186__zabbix_v75_queue_all.txt",
    "id55095233774__clusqmgr_QM1.txt",
    "id56063991905__media_recovery_damaged.txt",
    "id7864810444__japanese_chstatus_cluster.txt",
)
"""Captures whose columns are runmqsc's own, up to trailing blanks."""


@needs_samples
@pytest.mark.parametrize("name", CLEAN)
def test_captured_rows_are_laid_out_as_they_were(name: str) -> None:
    """The cells of each captured row, laid out anew, are the captured lines."""
    text = text_of(f"reference/runmqsc-output/{name}")
    lines = text.splitlines()
    laid_out = 0
    for record in read_back(text).records:
        rows = [line.rstrip() for line in lay_out(record.cells)]
        captured = [line.rstrip() for line in lines[record.line : record.line + len(rows)]]
        assert rows == captured
        laid_out += len(rows)
    assert laid_out


def dumped(path: str) -> list[list[str]]:
    """Return the commands of a dump, each as its lines."""
    blocks: list[list[str]] = []
    going = False
    for line in text_of(path).splitlines():
        if not going and line.startswith("*"):
            continue
        if not going:
            blocks.append([])
        blocks[-1].append(line)
        going = line.endswith("+")
    return blocks


CELL = re.compile(r"^(\*  |   )(\w+)(?:\((.*)\) ?)?$", re.DOTALL)


def attributes(lines: list[str]) -> list[DumpedAttribute]:
    """Read the lines of one dumped command as the attributes they were written from."""
    joined = "\n".join(line.removesuffix(" +") for line in lines)
    result = []
    for line in re.sub(r"\n +,", ",", joined).split("\n"):
        cell = CELL.match(line)
        assert cell, line
        start, keyword, inside = cell.groups()
        quoted = bool(inside) and inside.startswith("'")
        value: str | tuple[str, ...] | None = inside
        if quoted:
            items = re.findall(r"'((?:[^']|'')*)'", inside)
            texts = tuple(item.replace("''", "'").strip() for item in items)
            value = texts[0] if len(texts) == 1 else texts
        settable = start != "*  "
        result.append(DumpedAttribute(keyword, value, quoted=quoted, settable=settable))
    return result


@needs_samples
@pytest.mark.parametrize(("path", "expected"), indexed("dmpmqcfg"))
def test_dumped_definitions_are_written_as_they_were(path: str, expected: str) -> None:
    """Every command of a real dump, taken apart and written anew, has the dump's very lines."""
    for block in dumped(path):
        statement = parse(block[0].removesuffix(" +"))
        assert isinstance(statement, Statement)
        ending = {"ALTER": "   FORCE", "DEFINE": "   REPLACE"}.get(statement.verb)
        body = block[1:-1] if ending else block[1:]
        name = statement.name.text if statement.name else None
        again = definition(statement.verb, statement.object, name, attributes(body))
        assert again == block
