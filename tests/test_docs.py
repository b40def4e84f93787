"""The documentation agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from typer import Context
from typer.main import get_command

import twin.rules
from tests import commands_page, doctor_page, metrics_page, prometheus_page, questions_page
from tests.events_page import PAGE, page
from tests.test_floors import FLOORS, SUB_FLOORS
from twin.cli.entry import app
from twin.events.catalogue import EVENTS, column_of

ROOT: Final = Path(__file__).parents[1]


def test_the_list_of_events_is_that_of_the_code() -> None:
    """docs/events.md is the output of `python -m tests.events_page`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_event_has_one_line() -> None:
    """Each event of the catalogue is in the list once, by its name in the log."""
    listed = re.findall(r"^\| `(\w+(?:@\d+)?)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(column_of(cls) for cls in EVENTS.values())


def test_the_list_of_metrics_is_that_of_the_code() -> None:
    """docs/metrics.md is the output of `python -m tests.metrics_page`."""
    assert metrics_page.PAGE.read_text(encoding="utf-8") == metrics_page.page()


def test_the_list_of_series_is_that_of_the_code() -> None:
    """docs/prometheus.md is the output of `python -m tests.prometheus_page`."""
    assert prometheus_page.PAGE.read_text(encoding="utf-8") == prometheus_page.page()


def test_the_list_of_rules_is_that_of_the_code() -> None:
    """docs/doctor.md is the output of `python -m tests.doctor_page`."""
    assert doctor_page.PAGE.read_text(encoding="utf-8") == doctor_page.page()


def test_the_list_of_commands_is_that_of_the_code() -> None:
    """docs/commands.md is the output of `python -m tests.commands_page`."""
    assert commands_page.PAGE.read_text(encoding="utf-8") == commands_page.page()


def test_every_command_option_and_argument_is_explained() -> None:
    """Every command and each of its options has help."""
    for name, command in commands_page.commands():
        assert command.help, name
        for param in command.params:
            if param.param_type_name == "option":
                assert param.help, f"{name} {param.opts}"


def test_the_list_of_questions_is_that_of_the_code() -> None:
    """docs/questions.md is the output of `python -m tests.questions_page`."""
    assert questions_page.PAGE.read_text(encoding="utf-8") == questions_page.page()


def test_the_floors_of_the_rooms_are_those_that_are_checked() -> None:
    """The table of docs/architecture.md has each room on its floor."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", text, re.MULTILINE)
    listed = {room: int(floor) for floor, rooms in rows for room in re.findall(r"`(\w+)`", rooms)}
    assert listed == FLOORS


def test_the_floors_of_the_rules_are_those_that_are_checked() -> None:
    """The docstring of `twin.rules` names each sub-room and module on its floor."""
    floors = re.findall(r"^\d+\. (.*(?:\n   .*)*)", twin.rules.__doc__ or "", re.MULTILINE)
    named = tuple(set(re.findall(r"`(\w+)`", floor)) for floor in floors)
    assert named == SUB_FLOORS["twin.rules"]


def test_the_walks_name_existing_files() -> None:
    """Each file that docs/architecture.md follows a command through exists."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    files = re.findall(r"`((?:twin|scheduler)/[\w/]+\.py)`", text)
    assert len(files) > 40
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_every_link_of_a_document_leads_somewhere() -> None:
    """Each relative link of a document leads to a file, and to a heading of it if it names one."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    links = [
        (each, *link)
        for each in pages
        for link in re.findall(
            r"\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)", each.read_text(encoding="utf-8")
        )
    ]
    assert len(links) > 300
    broken = []
    for document, file, heading in links:
        target = document.parent / file if file else document
        if not target.exists() or (heading and heading not in _anchors(target)):
            broken.append(f"{document.relative_to(ROOT)}: {file}#{heading}")
    assert broken == []


def _anchors(document: Path) -> set[str]:
    """Return the anchors of the headings of a document, as GitHub makes them."""
    code = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
    text = code.sub("", document.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    texts = (re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts}


def test_no_list_of_commands_is_cut() -> None:
    """The help of twin, and of each group of commands, has each summary whole at 80 columns."""
    root = Context(get_command(app), info_name="twin", terminal_width=80)
    group: Any = root.command
    helps = {"twin": root.get_help()}
    for name in group.list_commands(root):
        child = group.get_command(root, name)
        if hasattr(child, "list_commands"):
            helps[name] = Context(child, parent=root, info_name=name).get_help()
    assert len(helps) > 6
    cut = [line for text in helps.values() for line in text.splitlines() if line.endswith("...")]
    assert [line for line in cut if "Usage:" not in line] == []
