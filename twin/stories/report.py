"""Reports on stories: a line for each step, JSON, or JUnit XML."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from twin.model.harmless import visible, visible_line
from twin.model.instants import SECOND, Instant, format_instant
from twin.model.versions import VERSION
from twin.stories.checking import Difference, as_json, json_rows
from twin.stories.fields import shown_moment
from twin.stories.play import Played, StoryRun, UnplayedFile
from twin.stories.read import timetable
from twin.stories.story import StepOutcome, Story

HELD: Final = "held"
FAILED: Final = "FAILED"

_MARK_WIDTH: Final = len(FAILED)
_INDENT: Final = " " * (_MARK_WIDTH + 5)
_LABEL_WIDTH: Final = len("expected") + 2
_NARROWEST: Final = 60


def title_lines(story: Story, *, width: int | None) -> Sequence[str]:
    """Return the name of a story, on as many lines as the terminal needs."""
    return [story.name] if width is None else textwrap.wrap(story.name, max(width, _NARROWEST))


def moment_column(story: Story, start: Instant) -> int:
    """Return the width of the moments of a story, so that its steps form columns."""
    return max(len(shown_moment(at, start)) for at in timetable(story, start))


def step_lines(played: Played, *, width: int | None, moments: int = 0) -> Iterator[str]:
    """Return a step on one line; for a failed step, also the expected and the actual values.

    Args:
        played: the step.
        width: columns of the terminal; None for no limit.
        moments: the width of the widest moment of its story.
    """
    step = played.step
    mark = HELD if played.held else FAILED
    moment = shown_moment(played.at, played.start).ljust(moments)
    line = f"{mark.ljust(_MARK_WIDTH)} {step.number:>3}  {moment}  {step.title}"
    yield line if width is None or len(line) <= width else f"{line[: width - 1]}…"
    if not played.held:
        yield f"{_INDENT}at {step.place}"
    for difference in played.differences:
        yield from _difference(difference, width)


def _difference(difference: Difference, width: int | None) -> Iterator[str]:
    for label, lines in (("expected", difference.expected), ("actual", difference.actual)):
        first = _INDENT + label.ljust(_LABEL_WIDTH)
        for number, line in enumerate(lines):
            lead = first if not number else " " * len(first)
            yield from _wrapped(line, lead, width)


def _wrapped(text: str, lead: str, width: int | None) -> Sequence[str]:
    if width is None:
        return [lead + text]
    room = max(width, _NARROWEST)
    hanging = " " * (len(lead) + 2)
    return textwrap.wrap(
        text,
        room,
        initial_indent=lead,
        subsequent_indent=hanging,
        break_on_hyphens=False,
    )


def story_line(story: Story, steps: Sequence[Played]) -> str:
    """Return the outcome of a story in one line."""
    failed = sum(not played.held for played in steps)
    if failed:
        return f"{failed} of {_count(len(steps), 'step')} failed: {story.place}"
    return f"{_count(len(steps), 'step')} held"


def total_line(stories: int, failed: int, broken: int) -> str:
    """Return the outcome of several stories in one line."""
    parts = [f"{stories - failed - broken} held"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{broken} could not be played"] if broken else []
    return f"{_count(stories, 'story', 'stories')}: {', '.join(parts)}"


def _count(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def story_json(story: Story, steps: Sequence[Played]) -> dict[str, Any]:
    """Return the JSON of a story: {story, held, steps: [{number, held, expected, actual}]}."""
    return {
        "story": story.name,
        "held": all(played.held for played in steps),
        "steps": [
            {
                "number": played.step.number,
                "held": played.held,
                "expected": as_json(played.step.expect.written),
                "actual": _actual(played),
            }
            for played in steps
        ],
    }


def _of_messages(outcome: StepOutcome, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return where messages were routed to, or how many were got."""
    if outcome.count is not None:
        return {"count": outcome.count}
    values: dict[str, Any] = {
        "at": outcome.at,
        "to": dict(outcome.to),
        "via": dict(outcome.via),
        "order": list(outcome.order),
    }
    return {key: value for key, value in values.items() if value or key in wanted}


def _actual(played: Played) -> dict[str, Any]:
    """Return the outcome of a step by the keys of `expect`."""
    outcome, wanted = played.outcome, played.step.expect.values
    actual: dict[str, Any] = {}
    if not outcome.done:
        actual["problem"] = outcome.problem
    if outcome.messages or "messages" in wanted:
        actual["messages"] = list(outcome.messages)
    if (table := outcome.table) is not None:
        actual["rows"] = json_rows(table.rows, table.instants)
        actual["count"] = len(table.rows)
    if outcome.reason is not None:
        bound = outcome.bound_to
        actual["reason"] = outcome.reason
        actual["bound_to"] = bound[0] if len(bound) == 1 else list(bound) or None
        actual["waited"] = outcome.waited / SECOND
    actual |= _of_messages(outcome, wanted)
    if "says" in wanted:
        actual["says"] = list(outcome.lines)
    if (errors := outcome.errors) is not None:
        actual["errors"] = json_rows(errors.rows, errors.instants)
    return actual


_HOST: Final = "localhost"
"""What a report says of its host: a story plays nowhere else, and the name is nobody's business."""

_NO_XML: Final = re.compile("[\ufffe\uffff]")
"""What XML 1.0 excludes and `visible` leaves."""

_SKIPPED: Final = "not played, because another story file could not be read"
"""The test cases of story files of which nothing was played."""

_COUNTED: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""What became of a test case -> the attribute of its suite that counts it."""


def junit_xml(runs: Iterable[StoryRun | UnplayedFile]) -> str:
    """Return the report on stories as an XML document."""
    by_file: dict[str, list[StoryRun | UnplayedFile]] = {}
    for run in runs:
        by_file.setdefault(run.file, []).append(run)
    root = ET.Element("testsuites")
    for number, (file, of_file) in enumerate(by_file.items()):
        root.append(_suite(number, file, of_file))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(number: int, file: str, runs: Sequence[StoryRun | UnplayedFile]) -> ET.Element:
    """Return the test suite of a file, which may have several stories."""
    played = [run for run in runs if isinstance(run, StoryRun)]
    cases = [case for run in played for case in _cases(run)]
    cases += [_unplayed(run) for run in runs if isinstance(run, UnplayedFile)]
    suite = ET.Element(
        "testsuite",
        {
            "name": _line(file),
            "package": "",
            "id": str(number),
            "timestamp": format_instant(min(run.began for run in runs))[:19],
            "hostname": _HOST,
            "tests": str(len(cases)),
            **{
                name: str(len([each for each in cases if each.find(tag) is not None]))
                for tag, name in _COUNTED.items()
            },
            "time": _seconds(sum(sum(run.lasted) for run in played)),
        },
    )
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", {"name": "twin", "value": VERSION})
    suite.extend(cases)
    ET.SubElement(suite, "system-out").text = _text(line for run in played for line in _lines(run))
    ET.SubElement(suite, "system-err").text = _text(run.problem for run in runs if run.problem)
    return suite


def _cases(run: StoryRun) -> Iterator[ET.Element]:
    for played, lasted in zip(run.steps, run.lasted, strict=True):
        case = _case(run.story.name, f"{played.step.number} {played.step.title}", lasted)
        if not played.held:
            first = played.differences[0]
            message = f"expected {'; '.join(first.expected)}, actual {'; '.join(first.actual)}"
            failure = ET.SubElement(case, "failure", {"type": "expect", "message": _line(message)})
            failure.text = _text(step_lines(played, width=None))
        yield case
    if run.problem:
        case = _case(run.story.name, f"{len(run.steps) + 1} could not be played", 0)
        _add_error(case, run.problem)
        yield case


def _unplayed(run: UnplayedFile) -> ET.Element:
    case = _case(run.file, "could not be read" if run.problem else _SKIPPED, 0)
    if run.problem:
        _add_error(case, run.problem)
    else:
        ET.SubElement(case, "skipped")
    return case


def _add_error(case: ET.Element, problem: str) -> None:
    error = ET.SubElement(case, "error", {"type": "story", "message": _line(problem)})
    error.text = _text([problem])


def _case(about: str, name: str, lasted: int) -> ET.Element:
    values = {"classname": _line(about), "name": _line(name), "time": _seconds(lasted)}
    return ET.Element("testcase", values)


def _lines(run: StoryRun) -> Iterator[str]:
    """Yield what `twin play` prints of a story."""
    yield from title_lines(run.story, width=None)
    for played in run.steps:
        yield from step_lines(played, width=None, moments=moment_column(run.story, played.start))
    if not run.problem:
        yield story_line(run.story, run.steps)


def _line(text: str) -> str:
    return _NO_XML.sub("?", visible_line(" ".join(text.split())))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{_NO_XML.sub('?', visible(line))}\n" for line in lines)


def _seconds(microseconds: int) -> str:
    return f"{microseconds / SECOND:.3f}"
