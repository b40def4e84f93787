"""The documentation agrees with the code."""

from __future__ import annotations

import re

from tests import commands_page, doctor_page, metrics_page, prometheus_page, questions_page
from tests.events_page import PAGE, page
from twin.events.catalogue import EVENTS, column_of


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
