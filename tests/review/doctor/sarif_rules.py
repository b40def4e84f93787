"""The rules of the published SARIF 2.1.0 schema for the objects that twin writes.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, sections 3.13 to
3.58, and its JSON schema: the properties that objects may and must have, and their values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple


class SarifObject(NamedTuple):
    """An object of SARIF.

    Attributes:
        must: the properties that it has to have.
        may: all other properties that twin writes, and that the schema knows.
        objects: property -> the object in it, or in the list in it.
        words: property -> its values, where the schema lists them.
        numbers: property -> its least value, where others have text of that name.
    """

    must: str
    may: str = ""
    objects: dict[str, str] = {}  # noqa: RUF012 - it is never changed
    words: dict[str, str] = {}  # noqa: RUF012
    numbers: dict[str, int] = {}  # noqa: RUF012


_LEVELS: Final = "none note warning error"

OBJECTS: Final = {
    "log": SarifObject("version runs", "$schema", {"runs": "run"}, {"version": "2.1.0"}),
    "run": SarifObject(
        "tool",
        "invocations results",
        {"tool": "tool", "invocations": "invocation", "results": "result"},
    ),
    "tool": SarifObject("driver", "", {"driver": "component"}),
    "component": SarifObject("name", "version semanticVersion rules", {"rules": "rule"}),
    "rule": SarifObject(
        "id",
        "name shortDescription fullDescription help defaultConfiguration properties",
        {
            "shortDescription": "string",
            "fullDescription": "string",
            "help": "string",
            "defaultConfiguration": "configuration",
            "properties": "bag",
        },
    ),
    "string": SarifObject("text", "markdown"),
    "configuration": SarifObject("", "level", words={"level": _LEVELS}),
    "invocation": SarifObject(
        "executionSuccessful",
        "toolExecutionNotifications",
        {"toolExecutionNotifications": "notification"},
    ),
    "notification": SarifObject(
        "message",
        "level associatedRule",
        {"message": "string", "associatedRule": "reference"},
        {"level": _LEVELS},
    ),
    "reference": SarifObject("id", "index"),
    "result": SarifObject(
        "message",
        "ruleId ruleIndex level locations partialFingerprints suppressions baselineState "
        "properties relatedLocations",
        {
            "message": "string",
            "locations": "location",
            "relatedLocations": "location",
            "suppressions": "suppression",
            "partialFingerprints": "strings",
            "properties": "bag",
        },
        {"level": _LEVELS, "baselineState": "new unchanged updated absent"},
    ),
    "location": SarifObject(
        "",
        "physicalLocation logicalLocations id message",
        {"physicalLocation": "physical", "logicalLocations": "logical", "message": "string"},
        numbers={"id": -1},
    ),
    "physical": SarifObject(
        "artifactLocation", "region", {"artifactLocation": "artifact", "region": "region"}
    ),
    "artifact": SarifObject("uri"),
    "region": SarifObject("startLine"),
    "logical": SarifObject("", "fullyQualifiedName kind"),
    "suppression": SarifObject("kind", "justification", words={"kind": "inSource external"}),
}
"""The objects that twin writes, by a short name."""

LISTS: Final = frozenset(
    "runs invocations results rules toolExecutionNotifications locations logicalLocations"
    " relatedLocations suppressions".split()
)
"""The properties whose value is a list."""

INTEGERS: Final = {"startLine": 1, "ruleIndex": -1, "index": -1}
"""Property -> its least value."""


def problems(value: Any, kind: str = "log", path: str = "") -> Iterator[str]:
    """Yield what in a document breaks the rules, each with its place."""
    if kind == "bag":
        return
    if not isinstance(value, dict):
        yield f"{path} is no object"
        return
    if kind == "strings":
        yield from (f"{path}/{key}" for key, each in value.items() if not isinstance(each, str))
        return
    known = OBJECTS[kind]
    yield from (f"{path} lacks {name}" for name in known.must.split() if name not in value)
    for name, each in value.items():
        yield from _of_property(known, name, each, f"{path}/{name}")


def _of_property(known: SarifObject, name: str, value: Any, place: str) -> Iterator[str]:
    if name not in (*known.must.split(), *known.may.split()):
        yield f"{place} is unknown"
    elif name in known.objects:
        for number, one in enumerate(value if name in LISTS else [value]):
            yield from problems(one, known.objects[name], f"{place}[{number}]")
    elif name in known.words:
        yield from [f"{place} {value}"] * (value not in known.words[name].split())
    elif (least := known.numbers.get(name, INTEGERS.get(name))) is not None:
        yield from [f"{place} {value}"] * (type(value) is not int or value < least)
    elif not isinstance(value, bool if name == "executionSuccessful" else str):
        yield f"{place} is a {type(value).__name__}"
