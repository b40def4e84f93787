"""A question does not change the estate it was given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app import asking
from twin.app.reading import Views
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.fold.store.pages import pages_of
from twin.model.instants import DAY, HOUR
from twin.questions.catalogue import QUESTIONS
from twin.questions.explain import explained, must_ask
from twin.questions.explanation import ExplainRequest

SINCE, NOW = START + HOUR, START + 40 * DAY
ASKED = [name for name, each in QUESTIONS.items() if each.home and not each.rehearses]
"""The questions that are given estates; those that rehearse are given a rehearsal."""

FILTERS = {
    "access": {"queue": "ORD"},
    "browse": {"on": "PR1", "queue": "SYSTEM.CLUSTER.TRANSMIT.QUEUE"},
    "route": {"on": "PR1", "queue": "UNASKED"},
}
PICTURES = [name for name in QUESTIONS if QUESTIONS[name].drawn_by]


class Watched:
    """Views that note the pages of each estate when they return it."""

    def __init__(self, twin: Twin) -> None:
        self._views = twin.views
        self.noted: list[tuple[Estate, dict[str, bytes]]] = []

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the twin's views."""
        method = getattr(self._views, name)

        def noting(*arguments: Any, **options: Any) -> Any:
            result = method(*arguments, **options)
            estate = result if isinstance(result, Estate) else result[0]
            self.noted.append((estate, pages_of(estate)))
            return result

        return noting


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twin]:
    """Make a cluster in which messages wait, channels retry, records expire and others change."""
    url = f"sqlite:///{tmp_path_factory.mktemp('log') / 'twin.db'}"
    with make_twin(url, lambda: NOW + DAY) as made:
        build(made)
        made.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
        made.runmqsc("PR2", "DEFINE QLOCAL(UNASKED) CLUSTER(CA)", at=START)
        made.open_queue("PR1", "ORD", at=START)
        made.runmqsc("PR2", "ALTER QLOCAL(ORD) DESCR('later')", at=SINCE + DAY)
        made.endmqm("PR2", at=SINCE + 2 * DAY)
        made.put("PR1", "ORD", count=5, at=SINCE + 3 * DAY)
        made.runmqsc("PR1", "DEFINE QLOCAL(OWN) CLUSTER(CA)", at=SINCE + 4 * DAY)
        made.snapshot()
        yield made


def noted(twin: Twin, name: str) -> Watched:
    """Answer a question, and return the views with the estates that it was given."""
    watched, point = Watched(twin), twin.as_of(valid=NOW)
    filters, views = FILTERS.get(name, {}), cast("Views", watched)
    asking.answer(views, twin.log, QUESTIONS[name], point, SINCE, filters)
    return watched


@pytest.mark.parametrize("name", ASKED)
def test_a_question_leaves_the_estates_it_was_given_as_they_were(twin: Twin, name: str) -> None:
    """The pages of each estate are the same before and after."""
    estates = noted(twin, name).noted
    assert estates
    assert all(pages_of(estate) == pages for estate, pages in estates)


def test_an_explanation_leaves_its_estate_as_it_was_if_no_name_is_requested(twin: Twin) -> None:
    """The pages of the estate are the same before and after."""
    estate = twin.views.at(twin.as_of(valid=NOW))
    pages, qmgr, request = pages_of(estate), estate.qmgr("PR1"), ExplainRequest(queue="ORD")
    assert not must_ask(estate, qmgr, request)
    explained(estate, qmgr, request, at=NOW, asks=False)
    assert pages_of(estate) == pages


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_leaves_the_estates_it_was_given_as_they_were(twin: Twin, name: str) -> None:
    """The pages of each estate are the same before and after."""
    watched, point = Watched(twin), twin.as_of(valid=NOW)
    asking.draw(cast("Views", watched), twin.log, QUESTIONS[name], point, SINCE, {})
    assert watched.noted
    assert all(pages_of(estate) == pages for estate, pages in watched.noted)
