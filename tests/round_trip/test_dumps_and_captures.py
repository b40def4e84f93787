"""An estate that is written out as dumps and answers to DISPLAY comes back from them.

What these feeds do not carry, so it does not come back:

- when a queue manager, its attributes and its objects were created and altered, and when it
  started: as far as the twin knows, they exist since the import;
- the certificate label and the key repository that a queue manager has by default: the dump has
  blanks for them, DISPLAY has their values;
- when a channel got its status, and how many of its retries are left;
- that a channel was inactive: what follows from the definitions of an import may be sent over it
  at once;
- a channel that still retries to a member whose record was removed;
- anything about a queue manager that does not run, but what others hold and say of it;
- messages on queues, what applications have open, and subscriptions.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_laws import fresh
from tests.laws import examples
from tests.round_trip.random_estates import ACTS, Act, built, live
from tests.round_trip.written import dump_text, files, session_text
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.fold.estate import Estate
from twin.model.instants import AsOf

NOT_CARRIED: Final = {
    "QMGR": {"ALTDATE", "ALTTIME", "CRDATE", "CRTIME"},
    "QMSTATUS": {"STARTDA", "STARTTI", "CHINIT", "CMDSERV"},
    "CLUSQMGR": {"ALTDATE", "ALTTIME"},
    "QCLUSTER": {"ALTDATE", "ALTTIME"},
    "TCLUSTER": {"ALTDATE", "ALTTIME"},
    "CHSTATUS": {"CHSTADA", "CHSTATI", "MSGS", "STOPREQ"},
}
"""Object -> the attributes of its rows that no feed gives back."""

Displayed: TypeAlias = dict[str, list[dict[str, str]]]
"""Command -> its rows."""

_HEADER: Final = 8
"""The lines before the definitions of a dump."""


def displayed(estate: Estate, as_of: AsOf, qmgr: str) -> Displayed:
    """Return the rows of every capture by its command, without what no feed gives back."""
    captures = read_captures(session_text(estate, as_of, qmgr).splitlines())
    found = {
        each.command: [
            {key: row.values[key] for key in row.values if key not in NOT_CARRIED[each.object]}
            for row in each.rows
        ]
        for each in captures
        if isinstance(each, Capture)
    }
    members = {row["CHANNEL"] for row in found["DISPLAY CLUSQMGR(*) ALL"]}
    status = found["DISPLAY CHSTATUS(*) ALL"]
    return found | {"DISPLAY CHSTATUS(*) ALL": [row for row in status if row["CHANNEL"] in members]}


def defined(estate: Estate, as_of: AsOf, qmgr: str) -> list[str]:
    """Return the definitions of a queue manager, without dates."""
    lines = dump_text(estate, as_of, qmgr).splitlines()[_HEADER:]
    return [line for line in lines if not line.startswith("*")]


def at_rest(shown: Displayed, expected: Displayed) -> Displayed:
    """Return rows in which channels that were inactive in the source do not run."""
    inactive = {
        row["CHANNEL"] for row in expected["DISPLAY CLUSQMGR(*) ALL"] if row["STATUS"] == "INACTIVE"
    }
    running = {row["CHANNEL"] for row in expected["DISPLAY CHSTATUS(*) ALL"]}
    return {
        command: [
            row | {"STATUS": "INACTIVE"}
            if row.get("STATUS") == "RUNNING" and row.get("CHANNEL") in inactive
            else row
            for row in rows
            if "CHSTATUS" not in command or row["STATUS"] != "RUNNING" or row["CHANNEL"] in running
        ]
        for command, rows in shown.items()
    }


@examples(cost=8)
@given(st.lists(ACTS, min_size=1, max_size=3))
def test_an_estate_comes_back_from_what_was_collected_now_and_then(parts: list[list[Act]]) -> None:
    """Definitions, membership, beliefs and statuses are those of the source at each collection.

    A queue manager that did not run when the others were collected is missing from that collection.
    """
    source = built()
    with fresh(1) as (twin,):
        for acts in parts:
            live(source, acts)
            collected = list(files(source.estate, source.as_of))
            taken = twin.ingest_files(collected, at=source.as_of.valid)
            assert [each.not_understood for each in taken] == [()] * len(taken)
            estate, point = twin.view(as_of=source.as_of.valid)
            for name, qmgr in source.estate.qmgrs.items():
                if qmgr.running:
                    expected = defined(source.estate, source.as_of, name)
                    assert defined(estate, point, name) == expected
                    rows = displayed(source.estate, source.as_of, name)
                    assert at_rest(displayed(estate, point, name), rows) == rows
