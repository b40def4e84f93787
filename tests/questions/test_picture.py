"""The picture of lifetimes: its content, and that it is valid SVG."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from tests.questions.picture_scene import KEPT, drawn, scene
from tests.questions.telling import Tale
from tests.sandbox import START
from twin import events
from twin.fold.estate import NoSuchQueueManager
from twin.model.basis import SUPPORTED
from twin.model.instants import DAY, HOUR
from twin.questions import picture
from twin.questions.belief import ACTIVE
from twin.questions.picture import _style as style
from twin.questions.picture._lines import MOST, MOST_SINGLE

_SVG = "{http://www.w3.org/2000/svg}"


def _draw(tale: Tale, **options: str | int) -> ET.Element:
    text = picture.draw(tale.estate, tale.as_of, facts=iter(tale.facts), **options)  # type: ignore[arg-type]
    return ET.fromstring(text)  # noqa: S314 - our own


def _texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{_SVG}text")]


def _titles(root: ET.Element) -> list[str]:
    """Return the titles in the picture, its own first."""
    return [element.text or "" for element in root.iter(f"{_SVG}title")]


def _rows(root: ET.Element) -> dict[str, ET.Element]:
    """Return the groups of the rows by the first line of their titles."""
    found = {}
    for group in root.iter(f"{_SVG}g"):
        said = group.find(f"{_SVG}title")
        if said is not None:
            found[(said.text or "").splitlines()[0]] = group
    return found


def _bars(row: ET.Element) -> list[tuple[str, bool]]:
    """Return the colours of the parts of a bar, and whether each is in the future."""
    return [(bar.attrib["fill"], "opacity" in bar.attrib) for bar in row.iter(f"{_SVG}rect")]


BLUE, ORANGE, HOLLOW = "#0072b2", "#e69f00", "#ffffff"


def test_the_picture_equals_the_golden_file() -> None:
    """The picture of the scene equals tests/data/golden; look at a new one before storing it."""
    assert drawn() == KEPT.read_text(encoding="utf-8")


def test_the_same_is_drawn_the_same() -> None:
    """Two pictures of the same facts are equal, byte for byte."""
    assert drawn() == drawn()


def test_the_picture_needs_nothing_but_itself() -> None:
    """A picture loads no script, style sheet, image or font; it defines its own patterns."""
    root = ET.fromstring(drawn())  # noqa: S314 - our own
    tags = {element.tag.removeprefix(_SVG) for element in root.iter()}
    assert tags == {"svg", "title", "defs", "pattern", "g", "path", "rect", "text"}
    used = {
        value
        for element in root.iter()
        for value in element.attrib.values()
        if ":" in value or "url" in value
    }
    assert used == {"url(#twin-down)", "url(#twin-cut)"}


def test_the_title_says_what_of_when() -> None:
    """The title, point, counts and filters of a picture are selectable text."""
    texts = _texts(_draw(scene(), on="FR1"))
    assert texts[:3] == [
        "Lifetimes of cluster records",
        "as of 2026-04-05T07:30:00Z known at 2026-04-05T07:30:00Z branch main",
        "9 records at 1 queue manager (on FR1): 3 active, 2 overdue, 2 expired, 2 removed",
    ]
    assert "as of 2026-04-05T07:30:00Z" in texts


def test_every_record_is_a_row_with_its_state_and_days() -> None:
    """A row has the record's name, owner and kind, the days until its removal, and its basis."""
    texts = _texts(_draw(scene(), on="FR1"))
    start = texts.index("basis, state, to removal") + 1
    rows = [tuple(texts[place : place + 4]) for place in range(start, start + 36, 4)]
    assert {basis for *_, basis in rows} == {"D"}
    assert [row for *row, _ in rows] == [
        ["FR1", "qmgr", "active, 77 d"],
        ["QM2", "qmgr", "removed 2026-04-01"],
        ["ORDERS@QM2", "queue", "removed 2026-04-01"],
        ["QM3", "qmgr", "active, 77 d"],
        ["ORDERS@QM3", "queue", "active, 77 d"],
        ["QM4", "qmgr", "overdue, 62 d"],
        ["ORDERS@QM4", "queue", "overdue, 62 d"],
        ["QM5", "qmgr", "expired, 23 d"],
        ["ORDERS@QM5", "queue", "expired, 23 d"],
    ]


def test_a_bar_shows_what_was_and_pale_what_is_ahead() -> None:
    """A bar has a part for each past state, and a pale part for each future state."""
    rows = _rows(_draw(scene(), on="FR1"))
    held = "(queue) of cluster CA is held by FR1"
    assert _bars(rows[f"ORDERS@QM5 {held}"]) == [
        *((BLUE, False), (BLUE, False), (ORANGE, False), (HOLLOW, False), (HOLLOW, True)),
    ]
    assert _bars(rows[f"ORDERS@QM3 {held}"]) == [
        *((BLUE, False), (ORANGE, False), (HOLLOW, False)),  # the link was cut
        *((BLUE, False), (BLUE, False), (BLUE, False)),
        *((BLUE, True), (ORANGE, True), (HOLLOW, True)),
    ]
    assert _bars(rows["ORDERS@QM2 (queue) of cluster CA was held by FR1"]) == [
        *((BLUE, False), (ORANGE, False), (HOLLOW, False)),
    ]


def test_a_row_says_its_instants_in_words() -> None:
    """The tooltip of a bar gives its instants."""
    said = next(text for text in _titles(_draw(scene(), on="FR1")) if text.startswith("QM5 ("))
    assert said.splitlines() == [
        "QM5 (qmgr) of cluster CA is held by FR1",
        "owner QM5_1: expired",
        "these dates are derived",
        "sent 2026-01-28T00:00:00Z",
        "republication due 2026-02-24T00:00:00Z",
        "expires 2026-02-27T00:00:00Z",
        "removed 2026-04-28T00:00:00Z",
    ]


def test_outages_and_cut_links_are_hatched() -> None:
    """A row is hatched while its owner was down or a link of the owner was cut."""
    said = _titles(_draw(scene(), on="FR1", kind="qmgr"))
    assert [text for text in said if " was down " in text or " was cut " in text] == [
        "QM2 was down from 2026-01-21T00:00:00Z to 2026-04-05T07:30:00Z",
        "the link of FR1 and QM3 was cut from 2026-01-26T00:00:00Z to 2026-02-04T00:00:00Z",
        "QM4 was down from 2026-02-24T12:00:00Z to 2026-03-08T00:00:00Z",
        "QM4 was down from 2026-03-24T00:00:00Z to 2026-04-05T07:30:00Z",
        "QM5 was down from 2026-02-10T00:00:00Z to 2026-04-05T07:30:00Z",
    ]


def test_what_began_before_all_facts_is_hatched_from_the_start() -> None:
    """An outage that began before all facts is hatched from the start of the picture."""
    tale = scene()
    later = [fact for fact in tale.facts if fact.at >= START + 60 * DAY]
    said = _titles(
        ET.fromstring(picture.draw(tale.estate, tale.as_of, facts=later, on="FR1"))  # noqa: S314
    )
    assert "QM4 was down to 2026-03-08T00:00:00Z" in said
    assert "QM5 was down to 2026-04-05T07:30:00Z" in said


def test_a_record_without_facts_is_drawn_from_what_is_held() -> None:
    """If the facts begin too late, the estate still gives when a record was sent and received."""
    tale = Tale().create("FR1", "QM2").publish("QM2", "queue/ORDERS").at("+1d")
    tale.receive("FR1", "QM2").at("+2d")
    text = picture.draw(tale.estate, tale.as_of, facts=(), on="FR1")
    (row,) = _rows(ET.fromstring(text)).values()  # noqa: S314 - our own
    assert _bars(row) == [(BLUE, False), (BLUE, True), (ORANGE, True), (HOLLOW, True)]


def test_filters_narrow_a_picture() -> None:
    """The filters of the question are those of its picture, removed records included."""
    tale = scene()
    for options, count in (
        ({"on": "FR1"}, 9),
        ({"on": "FR1", "owner": "QM2"}, 2),
        ({"on": "FR1", "name": "ORDERS"}, 4),
        ({"kind": "qmgr", "owner": "QM5"}, 2),
        ({"cluster": "CB"}, 0),
        ({"on": "FR1", "basis": "derived"}, 9),
        ({"on": "FR1", "basis": "observed"}, 0),
    ):
        assert len(_rows(_draw(tale, **options))) == count
    with pytest.raises(NoSuchQueueManager):
        _draw(tale, on="QM9")


def test_since_says_where_the_picture_begins() -> None:
    """With `since` the axis begins there, and records removed earlier are not drawn."""
    tale = scene()
    late = _draw(tale, on="FR1", since=START + 92 * DAY)
    assert not [text for text in _texts(late) if text.startswith("removed ")]
    assert "2026-01" not in _texts(late)
    assert "2026-01" in _texts(_draw(tale, on="FR1", since=START - 900 * DAY))
    assert len(_rows(_draw(tale, on="FR1", since=START + 900 * DAY))) == 7


def test_nothing_held_is_a_picture_that_says_so() -> None:
    """An empty answer is a picture with its title, its point and one sentence."""
    assert _texts(_draw(Tale(), name="ORDERS")) == [
        "Lifetimes of cluster records",
        "as of 2026-01-01T00:00:00Z known at 2026-01-01T00:00:00Z branch main",
        "No records are held (name ORDERS).",
    ]


def test_names_are_escaped() -> None:
    """Characters that XML reserves or forbids do no harm in a name."""
    tale = Tale().create("FR1").publish("FR1", "queue/<b>&\"'\x00\x1b]]>")
    assert "<b>&\"']]>@FR1" in "".join(_texts(_draw(tale)))


def test_owners_of_one_name_are_told_apart() -> None:
    """If two owners share a name, their rows are labelled by QMID."""
    tale = Tale().create("FR1", "QM2").publish("QM2", "qmgr/CA.QM2").receive("FR1", "QM2")
    tale.tell(events.QueueManagerEnded(qmgr="QM2"), events.QueueManagerDeleted(qmgr="QM2"))
    tale.at("+1d").tell(
        events.QueueManagerCreated(qmgr="QM2", qmid="QM2_2", cmdlevel=940, platform="UNIX"),
        events.QueueManagerStarted(qmgr="QM2"),
        events.InformationPublished(
            qmgr="QM2",
            qmid="QM2_2",
            cluster="CA",
            sequence=1,
            records=(events.RecordPublished(kind="qmgr", name="CA.QM2", values={}),),
        ),
    )
    item = events.Item(owner="QM2_2", sequence=1)
    tale.tell(events.InformationReceived(qmgr="FR1", sender="QM2", cluster="CA", items=(item,)))
    said = _titles(_draw(tale, on="FR1"))
    assert [text.split()[0] for text in said if "is held" in text] == ["QM2_1", "QM2_2"]
    downs = [text for text in said if " was down " in text]
    assert downs == ["QM2 was down from 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z"]


def test_channels_tell_the_records_of_one_member_apart() -> None:
    """A member by two channels has two rows, each with its channel."""
    tale = Tale().create("FR1").publish("FR1", "qmgr/CA.ONE", "qmgr/CA.TWO")
    texts = _texts(_draw(tale))
    assert {"FR1 by CA.ONE", "FR1 by CA.TWO"} <= set(texts)


def test_many_records_of_an_owner_share_a_bar() -> None:
    """Above sixty rows, the records of one publication share a row with their count."""
    tale = Tale().create("FR1", "QM2")
    names = [f"queue/Q{number:02}" for number in range(MOST_SINGLE)]
    tale.publish("QM2", *names[:-1], "qmgr/CA.QM2").receive("FR1", "QM2")
    assert len(_rows(_draw(tale, on="FR1"))) == MOST_SINGLE
    tale.at("+1d").publish("QM2", names[-1], sequence=2).receive("FR1", "QM2", sequence=2)
    root = _draw(tale, on="FR1")
    assert [said.splitlines()[0] for said in _rows(root)] == [
        "Q59@QM2 (queue) of cluster CA is held by FR1",
        "QM2: 60 records of cluster CA are held by FR1",
    ]
    assert _texts(root)[2] == "61 records at 1 queue manager (on FR1): 61 active"


def test_then_observers_share_bars_and_the_rest_is_told() -> None:
    """Above that, observers share rows; beyond 300 rows, the first to be removed are drawn."""
    names = [f"QM{number:03}" for number in range(MOST + 1)]
    tale = Tale().create("FR1", "FR2", *names)
    for number, name in enumerate(names):
        tale.now = START + number * HOUR // 8
        tale.publish(name, f"qmgr/CA.{name}").receive("FR1", name).receive("FR2", name)
    root = _draw(tale)
    texts = _texts(root)
    assert len(_rows(root)) == MOST
    assert "Records of cluster CA at several queue managers" in texts
    assert "QM000: 3 records at 3" in texts
    assert f"{names[-1]}: 3 records at 3" not in texts
    assert texts[-1].startswith("Not drawn: 1 more line. ")


def test_observed_derived_and_assumed_dates_are_drawn_differently() -> None:
    """A basis has a frame, a dash or a height, and a letter that the legend explains: no colour."""
    ways = set()
    for basis in SUPPORTED:
        bar = ET.fromstring(style.piece(ACTIVE, 0, 0, 9, ahead=False, basis=basis))  # noqa: S314 - our own
        assert bar.attrib["fill"] == BLUE
        ways.add((bar.get("stroke"), bar.get("stroke-dasharray"), bar.attrib["height"]))
    assert len(ways) == len(SUPPORTED)
    told = [text.partition(":")[0] for text in _texts(_draw(scene())) if text[1:2] == ":"]
    assert told == [style.letter(basis) for basis in SUPPORTED] == ["O", "D", "A"]
