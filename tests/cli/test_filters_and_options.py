"""Each filter of each question with each option: in Python, on the command line, and over REST.

The filters and the options are those that are declared: a new question or filter is covered.
Python differs from the other two in how it reads them, one by one, so each filter is crossed with
two options, in turn; `make test-more` crosses it with all.
Where Python has an answer, the other two have its rows; where it raises an error, they refuse.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from tests.cli.conftest import Run
from tests.web.serving import Served, make_users, served
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.instants import DAY, HOUR, format_instant, parse_instant
from twin.questions.answer import Answer, Row
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import Filter
from twin.questions.row_differences import compared

START: Final = parse_instant("2025-03-03T09:00", now=0)
REFERENCE, NOW, KNOWN = START + HOUR // 2, START + 3 * HOUR // 2, START + DAY
BRANCH: Final = "lab"

NEEDED: Final = {"on": "QM1", "queue": "ORDERS"}
"""The filters that some questions cannot be asked without."""

UNKNOWN: Final = "NOWHERE"
VALUES: Final = {"QM": "QM1", "QMGR": "QM2", "N": "1", "": "yes"}
"""The kind of a filter's value -> a value, where the rows have no column of its name."""

MEMBER: Final = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME({0}) CLUSTER(CA) REPLACE
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME(FR1) CLUSTER(CA) REPLACE
"""
ORDERS: Final = "DEFINE QLOCAL(ORDERS) CLUSTER(CA) CLWLUSEQ(ANY)"
SHOWN: Final = """Starting MQSC for queue manager GATE.
     1 : DISPLAY QCLUSTER(*) CLUSQT DESCR
AMQ8409I: Display Queue details.
   QUEUE(ORDERS)                           TYPE(QCLUSTER)
   CLUSTER(CA)                             CLUSQMGR(QM2)
   CLUSQT(QLOCAL)                          DESCR(of old)
One MQSC command read.
"""
"""What an imported queue manager shows of the cluster's queues."""

GLOBAL: Final = {"log", "branch", "trust-clock", "simulate-on-main", "help"}
"""The options of every command."""

Filters: TypeAlias = dict[str, str]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a log: messages wait, a queue manager was imported, and a branch differs from main."""
    path = tmp_path_factory.mktemp("crossed") / "twin.db"
    with Twin.open(f"sqlite:///{path}", clock=lambda: KNOWN) as twin:
        for qmgr in ("FR1", "QM1", "QM2"):
            twin.crtmqm(qmgr, at=START)
            twin.strmqm(qmgr, at=START)
        twin.runmqsc("FR1", f"ALTER QMGR REPOS(CA)\n{MEMBER.format('FR1')}", at=START)
        for qmgr in ("QM1", "QM2"):
            twin.runmqsc(qmgr, MEMBER.format(qmgr) + ORDERS, at=START)
        gateway = f"{MEMBER.format('GATE')}DEFINE QALIAS(OUT) TARGET(LOST)"
        twin.ingest_files([FileText(gateway, "GATE", file="GATE.mqsc")], at=START)
        twin.put("QM1", "ORDERS", at=START)
        twin.ingest_files([FileText(SHOWN, file="shown.txt")], at=START + HOUR)
        twin.runmqsc("QM2", "SUSPEND QMGR CLUSTER(CA)", at=START + HOUR)
        twin.endmqm("QM2", at=START + HOUR)
        twin.put("QM1", "ORDERS", to="QM2", count=2, at=START + HOUR)
        lab = twin.on_branch(twin.create_branch(BRANCH, at=START + HOUR).name)
        lab.strmqm("QM2", at=START + HOUR)
        lab.runmqsc("QM2", "RESUME QMGR CLUSTER(CA)\nDELETE QLOCAL(ORDERS)", at=START + HOUR)
        lab.runmqsc("QM1", "ALTER QLOCAL(ORDERS) DESCR('here')", at=START + HOUR)
    return path


@pytest.fixture(scope="module")
def twin(log: Path) -> Iterator[Twin]:
    """Open the log."""
    with Twin.open(f"sqlite:///{log}", read_only=True) as opened, opened.sharing():
        yield opened


@pytest.fixture(scope="module")
def service(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the log."""
    users = make_users(tmp_path_factory.mktemp("users") / "users.json")
    with served(log, users, read_only=True) as serving:
        yield serving


def ask(twin: Twin, question: str, filters: Filters, **options: Any) -> Answer | TwinError:
    """Ask in Python; return the answer, or the error that refuses it."""
    asked: dict[str, Any] = {"as_of": NOW, **options, **filters}
    try:
        return twin.ask(question, **asked)
    except TwinError as error:
        return error


class Narrowing(NamedTuple):
    """A filter of a question with a value, and the other filters that the question needs."""

    name: str
    value: str
    needed: Filters

    @property
    def filters(self) -> Filters:
        """All filters that are given."""
        return {**self.needed, self.name: self.value}


def narrowings(twin: Twin, question: str, *, most: int | None = 1) -> Iterator[Narrowing]:
    """Yield each filter of a question with at most so many values; also alone, if it needs others.

    None stands for all values.
    """
    declared = QUESTIONS[question].narrowed_by
    needed = {each.name: NEEDED[each.name] for each in declared if each.required}
    answer = ask(twin, question, needed)
    assert isinstance(answer, Answer)
    assert answer.rows
    for each in declared:
        values = each.choices or values_of(each, answer.rows)
        yield from (Narrowing(each.name, value, needed) for value in values[:most])
        if needed:
            yield Narrowing(each.name, values[0], {})


def values_of(filter_: Filter, rows: Sequence[Row]) -> list[str]:
    """Return a value that the rows have, and one that is unknown."""
    seen = (str(row[filter_.name]) for row in rows if row.get(filter_.name))
    known = next(seen, VALUES.get(filter_.metavar, "CA"))
    return [known] if filter_.metavar in ("", "N") else [known, UNKNOWN]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_rows_that_differ_are_those_that_match_the_filter(twin: Twin, question: str) -> None:
    """A comparison has the matching rows of the whole one, or those that differ of the matching.

    A filter of a column that identifies rows looks for the same rows at both points. Another one
    may match a row at one of them only.
    """
    declared, lab = QUESTIONS[question], twin.on_branch(BRANCH)
    for each in narrowings(twin, question, most=None):
        filters = each.filters
        for against, other, then in ((REFERENCE, twin, REFERENCE), (BRANCH, lab, NOW)):
            found = ask(twin, question, filters, against=against)
            now, before = ask(twin, question, filters), ask(other, question, filters, as_of=then)
            if declared.no_reference:
                assert declared.no_reference in str(found)
            elif isinstance(now, TwinError) and isinstance(before, TwinError):
                assert isinstance(found, TwinError)
            elif each.name in declared.keys:
                whole = ask(twin, question, each.needed, against=against)
                assert isinstance(whole, Answer)
                assert isinstance(found, Answer)
                matching = [row for row in whole.rows if row[each.name] == each.value]
                assert found.rows == tuple(matching), each
            else:
                assert isinstance(now, Answer)
                assert isinstance(before, Answer)
                assert isinstance(found, Answer)
                assert found.rows == compared(now, before).rows, each


class Options(NamedTuple):
    """The same options in Python, on the command line and over REST.

    Attributes:
        python: the keywords.
        words: the words of the command line.
        query: the parameters of the URL.
        shows_rows: whether the command line and REST write all rows as JSON.
    """

    python: dict[str, Any]
    words: tuple[str, ...]
    query: dict[str, Any]
    shows_rows: bool = True


def options_of(question: str) -> Iterator[Options]:
    """Yield options to cross with each filter of a question; each option occurs."""
    declared, then, known = QUESTIONS[question], format_instant(REFERENCE), format_instant(KNOWN)
    column, field, begin = declared.names[0], declared.fields()[-1], format_instant(START)
    json = ("--format", "json")
    yield Options(
        {"known_at": KNOWN}, ("--known-at", known, "--strict", *json), {"known-at": known}
    )
    yield Options(
        {"against": REFERENCE}, ("--against=-1h", "--exit-code", *json), {"against": "-1h"}
    )
    yield Options(
        {"against": REFERENCE},
        ("--against", then, "--wide", "--limit", "1"),
        {"against": then, "limit": 1},
        shows_rows=False,
    )
    yield Options(
        {"against": BRANCH, "ignore": [field]},
        ("--against", BRANCH, "--ignore", field, "--format", "csv", "--columns", column),
        {"against": BRANCH, "ignore": field, "format": "csv", "columns": column},
        shows_rows=False,
    )
    if declared.has_span:
        yield Options({"since": START}, ("--since", begin, *json), {"since": begin})
        yield Options(
            {"since": START, "against": REFERENCE},
            ("--since", begin, "--against", then, *json),
            {"since": begin, "against": then},
        )


def crossed(twin: Twin, question: str, at_once: int) -> Iterator[tuple[Narrowing, list[Options]]]:
    """Yield each filter with so many of the options, in turn; each option occurs."""
    options, filters = list(options_of(question)), list(narrowings(twin, question))
    turns = itertools.cycle(options)
    taken = [list(itertools.islice(turns, min(at_once, len(options)))) for _ in filters]
    taken[0] += options[sum(map(len, taken)) :]
    yield from zip(filters, taken, strict=True)


AT_ONCE: Final = [2, pytest.param(sys.maxsize, marks=pytest.mark.more)]
"""With how many options each filter is crossed."""


@pytest.mark.parametrize("at_once", AT_ONCE)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_command_line_answers_as_python_does(
    run: Run, log: Path, twin: Twin, question: str, at_once: int
) -> None:
    """Each filter with options gives the rows, or one line and exit code 20."""
    asked = ("--log", str(log), "ask", question, "--as-of", format_instant(NOW))
    for each, with_options in crossed(twin, question, at_once):
        words = [*asked, *words_of(question, each.filters)]
        for options in with_options:
            expected = ask(twin, question, each.filters, **options.python)
            done = run(*words, *options.words)
            if isinstance(expected, TwinError):
                assert (done.code, done.out, done.err) == (20, "", f"twin: {expected}\n")
                continue
            fails = {"--strict", "--exit-code"} & {*options.words}
            assert done.code in ((0, 10) if fails else (0,)), done
            if options.shows_rows:
                assert done.json["rows"] == expected.as_json()["rows"], (each, options)
        if QUESTIONS[question].drawn_by and isinstance(ask(twin, question, each.filters), Answer):
            picture = run(*words, "--format", "svg", "--since", format_instant(START))
            assert picture.out.startswith("<svg ")
        assert run(*words, "--schema").code == 20


def words_of(question: str, filters: Filters) -> Iterator[str]:
    """Yield filters as the command line has them."""
    flags = {each.name for each in QUESTIONS[question].narrowed_by if each.is_flag}
    for name, value in filters.items():
        yield from (f"--{name}",) if name in flags else (f"--{name}", value)


@pytest.mark.parametrize("at_once", AT_ONCE)
@pytest.mark.parametrize("question", QUESTIONS)
def test_rest_answers_as_python_does(
    service: Served, twin: Twin, question: str, at_once: int
) -> None:
    """Each filter with options gives the rows and status 200, or a status that refuses it."""
    for each, with_options in crossed(twin, question, at_once):
        for options in with_options:
            params = {**each.filters, "as-of": format_instant(NOW), **options.query}
            answer = service.reader.get(f"/twin/v1/ask/{question}", params=params)
            expected = ask(twin, question, each.filters, **options.python)
            if isinstance(expected, TwinError):
                assert answer.status_code in (400, 404), answer.text
                continue
            assert answer.status_code == 200, answer.text
            if options.shows_rows:
                assert answer.json()["rows"] == expected.as_json()["rows"], (each, options)


def test_every_option_is_crossed_and_none_has_the_name_of_a_filter(
    run: Run, service: Served
) -> None:
    """A name is either a filter or an option; an option that is new has to be crossed, too."""
    paths = service.reader.get("/twin/v1/openapi.json").json()["paths"]
    for name, question in QUESTIONS.items():
        told = run("ask", name, "--no-such-option").err.partition("expected one of")[2]
        parameters = paths[f"/twin/v1/ask/{name}"]["get"]["parameters"]
        crossing = list(options_of(name))
        words = {word[2:].split("=")[0] for each in crossing for word in each.words}
        query = {key for each in crossing for key in each.query}
        others = {"schema", "since"} if question.drawn_by else {"schema"}
        for named, used in (
            (re.findall(r"--([a-z-]+)", told), words | others),
            ([each["name"] for each in parameters if each["in"] == "query"], query),
        ):
            options = Counter(named)
            options.subtract(question.filters)
            assert {*options.values()} <= {0, 1}
            assert {*+options} - GLOBAL - used == {"as-of"}
