"""Messages of pasted lines, explained and counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, Said, console_line, saids, text
from twin.feeds.errorlog.decoding import DecodedLog, decode_lines
from twin.feeds.errorlog.naming import owner_of
from twin.feeds.reading.local_time import DateOrder
from twin.model.messages import CATALOGUE, MessageRow

OVERDUE = (
    "Update not received for CLUSRCVR channel TO.QM2 hosted on queue manager"
    " QM2_2026-01-14_17.42.01 in cluster DEMO, expected {} days ago, {} days remaining."
)


def decoded(*shown: str) -> DecodedLog:
    """Explain texts, one after the other."""
    return decode_lines("".join(shown).splitlines())


def later(said: Said, seconds: int) -> Said:
    """Return the same message, some seconds later."""
    return replace(said, moment=said.moment + timedelta(seconds=seconds))


@given(saids(), st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_equal_messages_are_counted(said: Said, seconds: list[int]) -> None:
    """Messages that differ only in their time are one, with the first and the last time."""
    found = decoded(*(text(later(said, each)) for each in seconds))
    (message,) = found.messages
    assert (message.number, found.records) == (len(seconds), len(seconds))
    assert message.span.last_at == later(said, max(seconds)).at


def test_messages_about_different_channels_are_apart() -> None:
    """What a message is about belongs to what is equal."""
    other = replace(FIRST, comments=("TO.C", "4711", "c"))
    found = decoded(text(FIRST), text(other), text(FIRST))
    assert [(each.names["channel"], each.number) for each in found.messages] == [
        ("TO.B", 2),
        ("TO.C", 1),
    ]


def test_the_end_of_a_channel_has_the_message_before_it_as_its_cause() -> None:
    """The cause is of the same thread, and gets the channel that it does not name itself."""
    cause = replace(FIRST, id="AMQ9206E", message="Error.", comments=("b", "TCP/IP", "(send)"))
    stranger = replace(cause, id="AMQ9208E", process="9.9")
    before, _, end = decoded(text(cause), text(stranger), text(FIRST)).messages
    assert end.causes == (("AMQ9206", 1),)
    assert before.names == {"channel": "TO.B"}


@pytest.mark.parametrize(
    ("id_", "arith", "numbers", "days"),
    [
        ("AMQ9469W", ("12", "51"), ("0", "0"), (12, 51)),
        ("AMQ9469W", ("", ""), ("12", "51"), (12, 51)),
        ("CSQX469E", ("", ""), ("12", "51"), (12, 51)),
        ("AMQ9469W", ("63", ""), ("1", "1"), (63, 0)),
        ("AMQ9469W", ("", ""), ("12", "90"), None),
        ("AMQ9002I", ("12", "51"), ("12", "51"), None),
    ],
)
def test_days_left_come_from_the_message(
    id_: str, arith: tuple[str, str], numbers: tuple[str, str], days: tuple[int, int] | None
) -> None:
    """Two numbers that add up to the 63 days from renewal to removal are days over and left."""
    said = replace(
        FIRST, id=id_, message=OVERDUE.format(*numbers), comments=("", "", ""), arith=arith
    )
    shown = console_line(said) if id_.startswith("AMQ") else f"+{id_} +MQ1A CSQXREPO {said.message}"
    (message,) = decoded(shown).messages
    assert message.days == days


def test_the_owner_is_in_the_qmid() -> None:
    """A QMID begins with the name of its queue manager, on every platform."""
    assert owner_of("QM_2_2026-01-14_17.42.01") == "QM_2"
    assert owner_of("MQ1A.C0FFEE0123456789") == "MQ1A"
    assert owner_of("QM2") == ""
    said = replace(FIRST, id="AMQ9469W", message=OVERDUE.format(1, 62), comments=("", "", ""))
    assert decoded(text(said)).messages[0].owner == "QM2"


def test_local_times_need_a_zone() -> None:
    """Without a zone a time stays local, and a note says so; with one it is an instant."""
    lines = text(FIRST, old=True, date="%d.%m.%Y %H:%M:%S").splitlines()
    alone = decode_lines(lines)
    assert alone.messages[0].span.first == "2026-03-22T08:17:30"
    assert alone.notes
    there = decode_lines(lines, zone=ZoneInfo("Europe/Berlin"))
    assert there.messages[0].span.first == "2026-03-22T07:17:30Z"
    assert not there.notes


def test_a_date_that_may_be_two_stays_as_it_is_written() -> None:
    """03/04 is day/month or month/day, unless another date of the lines or the caller decides."""
    unclear = replace(FIRST, moment=FIRST.moment.replace(month=3, day=4))
    slashes = "%m/%d/%Y %H:%M:%S"
    lines = text(unclear, old=True, date=slashes).splitlines()
    zone = ZoneInfo("UTC")
    (message,) = decode_lines(lines, zone=zone).messages
    assert message.span.first == "03/04/2026 08:17:30"
    (message,) = decode_lines(lines, zone=zone, order=DateOrder.DMY).messages
    assert message.span.first == "2026-04-03T08:17:30Z"
    clear = text(FIRST, old=True, date=slashes).splitlines()
    (message,) = decode_lines([*lines, *clear], zone=zone).messages
    assert message.span.first == "2026-03-04T08:17:30Z"


def test_dates_that_contradict_each_other_decide_nothing() -> None:
    """If one date is day/month and another month/day, those that may be both stay as written."""
    other = replace(FIRST, moment=FIRST.moment.replace(day=25))
    unclear = replace(FIRST, moment=FIRST.moment.replace(day=4), comments=("TO.C", "1", "c"))
    lines = [
        *text(FIRST, old=True, date="%m/%d/%Y %H:%M:%S").splitlines(),
        *text(other, old=True, date="%d/%m/%Y %H:%M:%S").splitlines(),
        *text(replace(unclear, id="AMQ9202E"), old=True, date="%d/%m/%Y %H:%M:%S").splitlines(),
    ]
    found = decode_lines(lines, zone=ZoneInfo("UTC"))
    assert found.messages[-1].span.first == "04/03/2026 08:17:30"


def test_passwords_are_hidden() -> None:
    """No part of a result has a password."""
    said = replace(
        FIRST,
        message="Command ALTER AUTHINFO(A) LDAPPWD('geheim1') failed.",
        comments=("https://u:sesam@h/", "", ""),
    )
    found = str(decoded(text(said), console_line(said), "AMQ9001I: password=offen\n"))
    assert not [secret for secret in ("geheim1", "sesam", "offen") if secret in found]


_DECIDED = [
    (row, value) for row in CATALOGUE.values() if row.cases for value in (*row.cases, "987654")
]


@pytest.mark.parametrize(("row", "value"), _DECIDED, ids=lambda each: getattr(each, "id", each))
def test_an_insert_decides_what_a_message_says(row: MessageRow, value: str) -> None:
    """The value of the insert decides it, from the inserts, or from the sentence without them."""
    means, do = row.advice(value)
    comments = {"channel": "TO.B", "host": "b", "protocol": "TCP/IP"}
    first, second, third = [comments.get(each, "47") for each in (*row.comments.split(), "-")][:3]
    said = replace(FIRST, id=row.id[:7], message="Said.", comments=(first, second, third))
    said = replace(said, arith=(value, ""))
    worded = f"Channel 'TO.B' has 1b, is {value}, where 1 is."
    old = replace(said, comments=("", "", ""), arith=("", ""), explanation=worded)
    for each in (text(said), *([text(old, old=True)] if row.names == "channel" else [])):
        (message,) = decoded(each).messages
        assert (message.means, message.template) == (means, do)
        assert message.names["channel"] == "TO.B"


def test_messages_with_another_deciding_insert_are_apart() -> None:
    """One channel's messages that say something else are not counted together."""
    said = replace(FIRST, id="AMQ9544", comments=("TO.B", "1", ""), arith=("1", ""))
    found = decoded(text(said), text(replace(said, arith=("2", ""))), text(said))
    assert [each.number for each in found.messages] == [2, 1]
