"""Every parameter of every page: a value that it does not take is refused in one sentence."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.web.serving import Served
from twin.web.pages.parameters import POINT, SHARED, TEXT
from twin.web.pages.routes import VIEWS

BAD: Final = "no such thing"
"""A value that no parameter takes, but texts."""

TEXTS: Final = {
    ("map", "q"),  # words to find; an unknown field is refused
    ("waiting", "queue"),  # messages may wait for a queue that nothing defines
    ("why", "queue"),  # an unknown one has a reason code
    ("why", "to"),
    ("why", "with"),  # commands, which a queue manager may refuse
    ("plan", "script"),
    ("what-if", "steps"),
    ("what-if", "refused"),
    ("log", "name"),
}
"""The parameters that take any text."""

HELD: Final = {("plan", "kept"), ("what-if", "kept")}
"""The parameters that name what the service holds."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the view and the path of each page, of its tables and of its parts."""
    for name, view in VIEWS.items():
        parts = [*view.parts, *(["result"] if view.long else [])]
        endings = ["", ".json", ".csv", *(f"/part/{part}" for part in parts)]
        for ending in endings:
            yield name, "/" if (name, ending) == ("estate", "") else f"/{name}{ending}"


def cases() -> Iterator[tuple[str, str]]:
    """Yield the path of each page with each parameter that takes not just any text."""
    for name, path in pages():
        shared = (*SHARED, *POINT, "twin-as-of", "twin-branch", "branch")
        texts = {parameter for view, parameter in TEXTS if view == name}
        for parameter in (*shared, *(each for each in VIEWS[name].own if each not in texts)):
            yield path, parameter
        if path.endswith(".csv") and name not in ("why", "plan", "what-if", "history"):
            yield path, "table"
    yield from (("/go", "view"), ("/go", "local"), ("/go", "zone"))
    yield from (("/why/edit", parameter) for parameter in ("on", "bind", "picked", "edit.colour"))


@pytest.mark.parametrize(("path", "parameter"), [*cases()])
def test_a_bad_value_is_refused_in_one_sentence(estate: Served, path: str, parameter: str) -> None:
    """The answer is 400, names the parameter and the value, and says what is expected."""
    answer = estate.reader.get(path, params={parameter: BAD})
    assert answer.status_code == 400, answer.text
    (says,) = re.findall(r'role="alert">([^<]*)<', answer.text)
    says = " ".join(html.unescape(says).split())
    name = parameter.removeprefix("twin-")
    assert re.search(rf"\bparameter '?{re.escape(name)}\b.*; expected \S", says), says
    assert says.count("\n") == 0


def test_which_parameters_take_any_text() -> None:
    """A new parameter is either one of them, or has a kind that refuses what it does not take."""
    found = {
        (view.name, name)
        for view in VIEWS.values()
        for name, kind in view.own.items()
        if kind is TEXT
    }
    assert found == TEXTS | HELD


@pytest.mark.parametrize(
    ("query", "says"),
    [
        (
            "/?against=nope",
            "'nope' of parameter against; expected a branch, or an instant",
        ),
        ("/plan?advance=banana", "expected how long: a number with d, h or m"),
        ("/?cluster=SALE", "expected a cluster: ARCHIVE, SALES; did you mean SALES?"),
        ("/qmgr?on=QM9", "expected a queue manager in the twin: FR1, FR2, GW%1, QM1"),
        ("/?branch=none", "bad value 'none' of parameter branch; expected main"),
        ("/log?before=x", "parameter before; expected a whole number"),
        ("/log?position=0", "parameter position; expected the position of an event"),
        ("/plan?refresh=QM1", "parameter refresh; expected QM:CLUSTER"),
        ("/plan?refresh=QM1:NOWHERE", "parameter refresh; expected QM:CLUSTER"),
        ("/plan?suspend=QM1+QM9", "parameter suspend; expected queue managers in the twin"),
        ("/map?show=some", "parameter show; expected all"),
        ("/why.csv?on=QM1&queue=ORDERS&table=x", "parameter table; expected one of explain, route"),
        ("/plan.csv?suspend=QM1&table=x", "parameter table; expected plan"),
        ("/what-if.csv?steps=endmqm+QM1&table=x", "parameter table; expected plan"),
        ("/estate.csv?table=x", "parameter table; expected one of members, channels"),
        ("/?as-of=9000-01-01", "more than 400 days after now"),
        ("/?as-of=1850-01-01", "parameter as-of"),
    ],
)
def test_what_is_allowed_is_named(estate: Served, query: str, says: str) -> None:
    """The names to choose from are listed, and those like the bad one."""
    answer = estate.reader.get(query)
    assert answer.status_code == 400
    assert says in html.unescape(answer.text)


@pytest.mark.parametrize(
    "query",
    [
        "/?against=-1h",
        "/map?qmgr=QM1&show=all&q=",
        "/map?cluster=SALES&as-of=1999-01-01",
        "/plan?suspend=QM1,QM2&advance=2h30m&put=QM1:ORDERS&refresh=QM1:SALES",
        "/why?on=QM1&queue=NOT.THERE&bind=open&profile=v8&put1=yes",
        "/log?qmgr=QM1&type=ObjectDefined&kind=queue&all=yes&before=20&position=1",
        "/import?kind=file&on=QM1",
        "/waiting?on=QM1&channel=SALES.QM3&queue=ORDERS",
        "/findings?rule=&severity=error&prove=no&on=QM1",
    ],
)
def test_good_values_are_taken(estate: Served, query: str) -> None:
    """Also a cluster that nothing had at the instant of the page: the handle may be moved there."""
    answer = estate.reader.get(query)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("path", ["/history.csv", "/why.csv", "/history.csv?table=incidents"])
def test_a_view_without_a_table_says_so(estate: Served, path: str) -> None:
    """Without a report, or a put to explain, there are no rows to send."""
    answer = estate.reader.get(path)
    assert (answer.status_code, "this view has no table" in answer.text) == (404, True)
