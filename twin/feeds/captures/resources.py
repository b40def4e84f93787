"""The resources of mqweb (GET) as rows with the keywords of MQSC.

A property without an equal keyword keeps its own name, with the names of its groups before it, such
as `status.started`. Those names are in lower case, so that nobody takes them for keywords.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from twin.feeds.captures.asked import Asked
from twin.feeds.captures.records import ALL_NAMES, without_secret
from twin.model.attributes import TYPES, Flag
from twin.model.rest_properties import CHANNEL_TYPES, QUEUE, QUEUE_STATUS, QUEUE_TYPES

RESOURCES: Final = {
    "qmgr": "QMGR",
    "queue": "QUEUE",
    "channel": "CHANNEL",
    "subscription": "SUB",
    "installation": "INSTALLATION",
}
"""The array of an answer -> the object word."""

_OPPOSITES: Final = {
    word: other
    for table in TYPES.values()
    for attribute in table.attributes
    if isinstance(attribute.form, Flag)
    for word, other in (
        (attribute.keyword, attribute.form.off),
        (attribute.form.off, attribute.keyword),
    )
}
_ALONE: Final = frozenset({*_OPPOSITES, "CURRENT", "SAVED", "SHORT"})
"""Keywords that DISPLAY shows without a value; mqweb gives them the value YES."""

_NAMES: Final = {"qmgr": "QMNAME", "queue": "QUEUE", "channel": "CHANNEL", "subscription": "SUB"}


def text_of(value: Any) -> str:
    """Return a value as DISPLAY writes it."""
    if isinstance(value, list | tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value).rstrip()


_NOT_ONE: Final = frozenset({"QSVCIEV", *_OPPOSITES})
"""Keywords of two properties, or without a value: those properties keep their own names."""

_TABLES: Final = {
    "queue": tuple(
        each
        for each in (*QUEUE, *QUEUE_STATUS)
        if each.keyword not in _NOT_ONE and each.path != "status.monitoringRate"
    )
}
_KEYWORDS: Final = {
    (kind, each.path): each.keyword for kind, table in _TABLES.items() for each in table
}
_TYPES: Final = {"queue": ("TYPE", QUEUE_TYPES), "channel": ("CHLTYPE", CHANNEL_TYPES)}
_WORDS: Final = {
    **{
        (kind, "type", name): (keyword, word)
        for kind, (keyword, names) in _TYPES.items()
        for word, name in names.items()
    },
    **{
        (kind, each.path, text_of(value)): (each.keyword, word)
        for kind, table in _TABLES.items()
        for each in table
        for word, value in each.words.items()
    },
}
"""(Resource, property, value) -> the keyword, and the word of MQSC."""


def resource_values(kind: str, value: dict[str, Any]) -> dict[str, str]:
    """Return one object of a resource as a row; its name comes first."""
    found: dict[str, str] = {}
    group = str(value.get("type", ""))
    for path, text in _flat(value, ""):
        plain = path.removeprefix(f"{group}.") if kind == "channel" else path
        keyword, shown = _translated(kind, plain, text)
        found[keyword] = without_secret(keyword, shown)
    name = _NAMES.get(kind)
    if name and "name" in found:
        found = {name: found.pop("name"), **found}
    return found


def asked_by_url(url: str) -> Asked | None:
    """Return what a GET of an administrative URL asks for; None for other URLs.

    The queue manager of the URL is in `selected`, with the keyword QMGR and no effect.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    _, found, path = parts.path.partition("/admin/")
    names = [unquote(name) for name in path.strip("/").split("/")]
    if not found or names[0] not in RESOURCES:
        return None
    kind, name = names[0], names[1] if len(names) > 1 else ALL_NAMES
    if kind == "qmgr" and len(names) > 2:  # noqa: PLR2004 - /qmgr/QM/queue
        kind, name = names[2], names[3] if len(names) > 3 else ALL_NAMES  # noqa: PLR2004
    query = dict(parse_qsl(parts.query))
    name = query.pop("name", name)
    narrowing = tuple((key, query[key]) for key in ("type", "filter", "state") if key in query)
    word = RESOURCES.get(kind, "")
    command = f"GET /admin/{'/'.join(names)}" if word else ""
    return Asked(command, "GET", word, name, (), narrowing, known=True) if word else None


def qmgr_of_url(url: str) -> str:
    """Return the queue manager in a URL; '' if there is none."""
    _, found, rest = url.partition("/qmgr/")
    return unquote(rest.split("/")[0].split("?")[0].strip("\"'")) if found else ""


def parameter_values(parameters: dict[str, Any]) -> dict[str, str]:
    """Return the parameters of a runCommandJSON answer as a row of text."""
    values: dict[str, str] = {}
    for key, value in parameters.items():
        keyword, text = key.upper(), text_of(value)
        if keyword in _ALONE and text.upper() in {"YES", "NO"}:
            keyword = keyword if text.upper() == "YES" else _OPPOSITES.get(keyword, "")
            text = ""
        if keyword:
            values[keyword] = without_secret(keyword, text)
    return values


def _flat(value: dict[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for key, inner in value.items():
        path = f"{before}{key}"
        if isinstance(inner, dict):
            yield from _flat(inner, f"{path}.")
        elif key == "connection" and isinstance(inner, list):
            hosts = [one for one in inner if isinstance(one, dict)]
            yield path, ",".join(f"{one.get('host', '')}({one.get('port', '')})" for one in hosts)
        else:
            yield path, text_of(inner)


def _translated(kind: str, path: str, text: str) -> tuple[str, str]:
    if (kind, path, text) in _WORDS:
        return _WORDS[kind, path, text]
    if kind == "channel":
        return {"connection": "CONNAME", "transmissionQueueName": "XMITQ"}.get(path, path), text
    return _KEYWORDS.get((kind, path), path), text
