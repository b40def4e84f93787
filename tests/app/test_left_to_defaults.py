"""What a script leaves to DEFINE has the values of a default object, which nobody may have seen."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR

_GIVEN = {
    "MAXDEPTH": "MAXDEPTH(5000)",
    "DESCR": "DESCR('of the script')",
    "PUT": "PUT(ENABLED)",
    "DEFBIND": "DEFBIND(OPEN)",
}
_ANSWER = """Starting MQSC for queue manager MILL.
     1 : DISPLAY QLOCAL({name}) ALL
AMQ8409I: Display Queue details.
   QUEUE({name})                           TYPE(QLOCAL)
   DEFBIND(OPEN)                           DEFPRTY(0)
   DEFPSIST(NO)                            DEFPRESP(SYNC)
   MAXDEPTH(77)                            PUT(ENABLED)
   DESCR( )                                CLUSTER({cluster})
One MQSC command read.
"""
_MEMBER = (
    "DEFINE CHANNEL(GRAIN.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(GRAIN)\n"
    "DEFINE QLOCAL(OATS) CLUSTER(GRAIN) {1}\n"
)
_NOTE = "attributes that no script sets"


def _script(twin: Twin, name: str, words: str, *, undated: bool = False) -> None:
    text = _MEMBER.format(name, words)
    twin.ingest_files([FileText(text, name, undated=undated)], at=START + HOUR)


def _default(twin: Twin) -> None:
    text = _ANSWER.format(name="SYSTEM.DEFAULT.LOCAL.QUEUE", cluster=" ")
    twin.ingest_files([FileText(text, None, zone=UTC)], at=START)


@examples(cost=6)
@given(
    words=st.sets(st.sampled_from(sorted(_GIVEN))),
    asked=st.sampled_from(sorted(_GIVEN)),
    seen=st.sampled_from(("", "default", "queue")),
    dated=st.sampled_from(("dated", "")),
)
def test_display_says_which_answers_have_what_no_script_sets(
    words: set[str], asked: str, seen: str, dated: str
) -> None:
    """The note stands beside attributes that were left out, until the queue itself is shown."""
    with fresh(1) as (twin,):
        if seen == "default":
            _default(twin)
        _script(twin, "MILL", " ".join(_GIVEN[each] for each in sorted(words)), undated=not dated)
        if seen == "queue":
            text = _ANSWER.format(name="OATS", cluster="GRAIN")
            twin.ingest_files([FileText(text, None, zone=UTC)], at=START + 2 * HOUR)
        session = twin.mqsc("MILL", as_of=START + DAY).run(f"DISPLAY QLOCAL(OATS) {asked}")
    is_left = asked not in words and seen != "queue"
    assert any(_NOTE in line for line in session.lines) is is_left


@pytest.mark.parametrize(
    ("words", "shown", "basis"),
    [("", "", "assumed"), ("", "shown", "derived"), ("DEFBIND(OPEN)", "", "observed")],
)
def test_a_finding_about_a_default_is_not_observed(
    twin: Twin, words: str, shown: str, basis: str
) -> None:
    """It follows from the default object if that was seen; else it is assumed."""
    if shown:
        _default(twin)
    _script(twin, "MILL", words)
    _script(twin, "BARN", "DEFBIND(NOTFIXED)")
    rows = twin.ask("doctor", as_of=START + DAY).rows
    (found,) = [row for row in rows if row["id"] == "instances-differ"]
    assert found["basis"] == basis


def test_a_change_to_what_the_default_object_has_is_derived(twin: Twin) -> None:
    """A script that defines a queue again sets what it names; the rest is of the default object."""
    _script(twin, "MILL", "")
    text = _ANSWER.format(name="SYSTEM.DEFAULT.LOCAL.QUEUE", cluster=" ")
    twin.ingest_files([FileText(text, None, zone=UTC)], at=START + 2 * HOUR)
    again = "DEFINE QLOCAL(OATS) CLUSTER(GRAIN) DESCR('again') REPLACE\n"
    twin.ingest_files([FileText(again, "MILL")], at=START + 3 * HOUR)
    found = twin.ask("changes", since=START + HOUR, as_of=START + DAY, on="MILL", name="OATS").rows
    bases = {row["field"]: row["basis"] for row in found}
    assert bases == {"DESCR": "observed", "MAXDEPTH": "derived"}
