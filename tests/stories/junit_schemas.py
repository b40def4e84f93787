"""The rules of the two public schemas of JUnit XML, and a check of a document against them.

Apache Ant: JUnit.xsd of JUnitReport. Jenkins: junit-10.xsd of the plug-in xUnit. What is written
here are their rules for the elements that a report on stories has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET


class _Element(NamedTuple):
    """The rules for an element.

    Attributes:
        children: a regular expression for the names of its children, each followed by a comma.
        required: attribute -> a regular expression for its value.
        optional: the same, of attributes that may be absent.
    """

    children: str = ""
    required: Mapping[str, str] = {}
    optional: Mapping[str, str] = {}


_ANY: Final = r"(?s:.*)"
_WORDS: Final = r"(?:\S+(?: \S+)*)?"
_FULL_WORDS: Final = r"\S+(?: \S+)*"
_INT: Final = r"-?\d{1,9}"
_DECIMAL: Final = r"-?\d+(?:\.\d+)?"
_DATE_TIME: Final = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}"

ANT: Final[Mapping[str, _Element]] = {
    "testsuites": _Element(r"(testsuite,)*"),
    "testsuite": _Element(
        r"properties,(testcase,)*system-out,system-err,",
        {
            **dict.fromkeys(("name", "hostname"), _FULL_WORDS),
            **dict.fromkeys(("tests", "failures", "errors", "id"), _INT),
            "package": _WORDS,
            "timestamp": _DATE_TIME,
            "time": _DECIMAL,
        },
        {"skipped": _INT},
    ),
    "properties": _Element(r"(property,)*"),
    "property": _Element("", {"name": _FULL_WORDS, "value": _ANY}),
    "testcase": _Element(
        r"((skipped|error|failure),)?", {"name": _WORDS, "classname": _WORDS, "time": _DECIMAL}
    ),
    "failure": _Element("", {"type": _ANY}, {"message": _ANY}),
    "error": _Element("", {"type": _ANY}, {"message": _ANY}),
    "skipped": _Element(),
    "system-out": _Element(),
    "system-err": _Element(),
}

JENKINS: Final[Mapping[str, _Element]] = {
    "testsuites": _Element(
        r"(testsuite,)*",
        optional=dict.fromkeys(("name", "time", "tests", "failures", "disabled", "errors"), _ANY),
    ),
    "testsuite": _Element(
        r"(properties,)?(testcase,)*(system-out,)?(system-err,)?",
        {"name": _ANY, "tests": _ANY},
        dict.fromkeys(
            (
                *("failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname"),
                *("id", "package"),
            ),
            _ANY,
        ),
    ),
    "properties": _Element(r"(property,)*"),
    "property": _Element("", {"name": _ANY, "value": _ANY}),
    "testcase": _Element(
        r"(skipped,)?(error,)*(failure,)*(system-out,)*(system-err,)*",
        {"name": _ANY},
        dict.fromkeys(("assertions", "time", "classname", "status"), _ANY),
    ),
    "failure": _Element("", {}, {"type": _ANY, "message": _ANY}),
    "error": _Element("", {}, {"type": _ANY, "message": _ANY}),
    "skipped": _Element(),
    "system-out": _Element(),
    "system-err": _Element(),
}


def violations(document: bytes, schema: Mapping[str, _Element]) -> list[str]:
    """Return what in a document a schema does not allow; counts are checked, too."""
    root = ET.fromstring(document)  # noqa: S314 - it was written by the test itself
    if root.tag != "testsuites":
        return [f"the root is {root.tag}"]
    return [*_of(root, schema), *_of_counts(root)]


def _of(element: ET.Element, schema: Mapping[str, _Element]) -> Iterator[str]:
    rules = schema.get(element.tag)
    if rules is None:
        yield f"unknown element {element.tag}"
        return
    names = "".join(f"{child.tag}," for child in element)
    if not re.fullmatch(rules.children, names):
        yield f"{element.tag} has the children {names}"
    allowed = {**rules.optional, **rules.required}
    yield from (f"{element.tag} has no {name}" for name in rules.required.keys() - element.keys())
    for name, value in element.items():
        if name not in allowed or not re.fullmatch(allowed[name], value):
            yield f"{element.tag} has {name}={value!r}"
    if (element.text or "").strip() and len(element):
        yield f"{element.tag} has text beside its children"
    for child in element:
        yield from _of(child, schema)


def _of_counts(root: ET.Element) -> Iterator[str]:
    for number, suite in enumerate(root):
        counts = {
            "id": number,
            "tests": len(suite.findall("testcase")),
            "failures": len(suite.findall("testcase/failure")),
            "errors": len(suite.findall("testcase/error")),
            "skipped": len(suite.findall("testcase/skipped")),
        }
        yield from (
            f"testsuite {number} has {name}={suite.get(name)}, not {count}"
            for name, count in counts.items()
            if suite.get(name) != str(count)
        )
