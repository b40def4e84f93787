"""Templates to HTML: everything is escaped, and instants are written in the chosen zone."""

from __future__ import annotations

import re
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from twin.model.harmless import visible_line
from twin.model.instants import Instant, format_instant, parse_instant
from twin.model.versions import VERSION
from twin.questions.answer import MARK, Answer
from twin.web.guard import FORM_TOKEN
from twin.web.pages.place import PagePlace
from twin.web.pages.zones import FIELD_PATTERN, OFFERED, TimeZone

FOLDER: Final = Path(__file__).parent

STATIC: Final = FOLDER / "static"

HEADERS: Final = {"Vary": "HX-Request"}
"""The headers of every page, besides those of every answer."""

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

UNKNOWN: Final = MARK
"""What a page shows in place of a value that nobody knows."""

LETTERS: Final = {
    "RUNNING": "R",
    "INACTIVE": "I",
    "DISCONNECTED": "I",
    "RETRYING": "T",
    "STOPPED": "S",
    UNKNOWN: UNKNOWN,
}
"""The statuses that have a letter of their own; any other one passes soon."""

OTHER: Final = "other"


def render(template: str, place: PagePlace, **values: Any) -> str:
    """Return a template with these values.

    Beside them a template has `place`, `time` (writes an instant for people), `told`
    (does so with each instant in a text), `iso` (writes one
    for programs), `letter` (of a channel status), `static` (the URL of a file), and `unknown` (what
    stands for a value that nobody knows).
    """
    return _TEMPLATES.get_template(f"{template}.html").render(
        place=place,
        time=partial(_time, place.zone),
        told=partial(_told, place.zone),
        static=partial(static_url, place.prefix),
        form_token_name=FORM_TOKEN,
        iso=format_instant,
        letter=letter,
        unknown=UNKNOWN,
        version=VERSION,
        zones=OFFERED,
        date_pattern=FIELD_PATTERN,
        **values,
    )


def page(text: str, *, status: int = 200) -> Response:
    """Return a response with the headers of every page."""
    return HTMLResponse(text, status, headers=HEADERS)


def _time(zone: TimeZone, at: Instant | str | None) -> Markup:
    """Write an instant in a zone; a missing one as a dash, and one that nobody knows as `?`."""
    if isinstance(at, str):
        return escape(at)
    if at is None:
        return Markup("&ndash;")
    iso = format_instant(at)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(iso, iso, zone.text(at))


def _told(zone: TimeZone, text: object) -> Markup:
    """Write a text whose instants are those of programs, with the instants as people read them."""
    shown = visible_line(str(text))
    parts, end = Markup(), 0
    for found in _INSTANT.finditer(shown):
        parts += escape(shown[end : found.start()]) + _time(zone, parse_instant(found[0], now=0))
        end = found.end()
    return parts + escape(shown[end:])


_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)


def rows_of(answer: Answer) -> list[dict[str, Any]]:
    """Return the rows of an answer with `?` for each value that nobody knows."""
    return [
        {**row, **dict.fromkeys(unknown, UNKNOWN)}
        for row, unknown in zip(answer.rows, answer.unknowns(), strict=True)
    ]


def static_url(prefix: str, name: str) -> str:
    """Return the URL of a file; it changes with its content, so that it can be cached for ever."""
    return f"{prefix}/static/{digest(name)}/{name}"


@cache
def digest(name: str) -> str:
    """Return the beginning of the SHA-256 digest of a file."""
    return sha256((STATIC / name).read_bytes()).hexdigest()[:12]


def _breakable(name: str) -> Markup:
    """Write the name of an object; a line may end after each of its dots."""
    return Markup(".<wbr>").join(visible_line(name).split("."))


def _command(line: str) -> Markup:
    """Write a command line whose words stay whole where they fit."""
    words = visible_line(line).split(" ")
    return Markup(" ").join(Markup('<span class="word">{}</span>').format(word) for word in words)


_TEMPLATES.filters |= {
    "visible": visible_line,
    "breakable": _breakable,
    "command": _command,
    "number": "{:,}".format,
}

"""`visible` shows control characters of names, which a browser would hide."""


def letter(status: str) -> str:
    """Return the letter of a status; `other` for one that a channel passes through."""
    return LETTERS.get(status, OTHER)
