"""Reports on stories as JUnit XML: a test suite for each story file, a test case for each step.

The form is the one that the two public schemas agree on: JUnit.xsd of Apache Ant's JUnitReport, and
junit-10.xsd of the Jenkins plug-in xUnit. So a test suite has properties, test cases, system-out
and system-err, in this order, and a test case has one failure, one error or one skipped at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from twin.model.harmless import visible, visible_line
from twin.model.instants import SECOND, format_instant
from twin.model.versions import VERSION
from twin.stories.play import StoryRun, UnplayedFile
from twin.stories.report import moment_column, step_lines, story_line, title_lines

_HOST: Final = "localhost"
"""What a report says of its host: a story plays nowhere else, and the name is nobody's business."""

_NO_XML: Final = re.compile("[\ufffe\uffff]")
"""What XML 1.0 excludes and `visible` leaves."""

_UNREADABLE: Final = "could not be read"
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
    case = _case(run.file, _UNREADABLE if run.problem else _SKIPPED, 0)
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
        moments = moment_column(run.story, played.start)
        yield from step_lines(played, width=None, moments=moments)
    if not run.problem:
        yield story_line(run.story, run.steps)


def _line(text: str) -> str:
    return _NO_XML.sub("?", visible_line(" ".join(text.split())))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{_NO_XML.sub('?', visible(line))}\n" for line in lines)


def _seconds(microseconds: int) -> str:
    return f"{microseconds / SECOND:.3f}"
