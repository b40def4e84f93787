"""The view Waiting: messages by channel, whether they may be moved, and the clock to a pass."""

from __future__ import annotations

from datetime import UTC

from playwright.sync_api import expect

from tests.web.browser import OpenPage
from tests.web.serving import Served
from twin.app.twin import Twin


def test_waiting_messages_are_shown_by_channel(estate: Served, open_page: OpenPage) -> None:
    """Each channel has its status, what its messages wait for, and why they may not be moved."""
    page = open_page(f"{estate.url}/waiting")
    channel = page.get_by_role("region", name="SALES.QM3 at QM1")
    expect(channel).to_contain_text("T RETRYING")
    expect(channel).to_contain_text("0 eligible · 3 not eligible")
    expect(channel).to_contain_text("no: the application, or a definition, named the queue manager")
    expect(channel).to_contain_text("next pass in")
    expect(channel.get_by_role("img", name="percent of the time")).to_be_visible()
    commands = page.get_by_role("group", name="Repository commands")
    expect(commands).to_contain_text("SALES.QM1")


def test_a_pass_says_where_it_would_move_messages(own_estate: Served) -> None:
    """Messages that are not bound are eligible, and the page says where a pass moves them."""
    with Twin.open(own_estate.log_url) as twin:
        twin.link("heal", "QM1", "FR1")
        twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) PUT(ENABLED)")
        twin.put("QM1", "ORDERS", count=4, to="")
        rows = twin.ask("waiting", on="QM1").rows
    text = own_estate.reader.get("/waiting", params={"on": "QM1"}).text
    moving = [row for row in rows if row["why"] is None]
    eligible = sum(row["count"] for row in moving if isinstance(row["count"], int))
    assert f"{eligible} eligible" in text
    assert ("moves them to" in text) == any(row["moves_to"] for row in moving)


SEEN = """Starting MQSC for queue manager LOFT.
     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(LOFT)                          CHANNEL(ATTIC.LOFT)
   CLUSTER(ATTIC)                          CONNAME(loft(1414))
   DEFTYPE(CLUSRCVR)                       QMID(LOFT_2025-05-05_08.00.00)
   QMTYPE(NORMAL)                          SUSPEND(NO)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(ROOF)                          CHANNEL(ATTIC.ROOF)
   CLUSTER(ATTIC)                          CONNAME(roof(1414))
   DEFTYPE(CLUSSDRA)                       QMID(ROOF_2025-05-05_08.00.00)
   QMTYPE(REPOS)                           STATUS(RETRYING)
     2 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(ATTIC.ROOF)                     CHLTYPE(CLUSSDR)
   CONNAME(roof(1414))                     CURRENT
   RQMNAME(ROOF)                           STATUS(RETRYING)
   XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)    XQMSGSA(7)
     3 : DISPLAY QSTATUS(*) ALL
AMQ8450I: Display queue status details.
   QUEUE(SYSTEM.CLUSTER.TRANSMIT.QUEUE)    TYPE(QUEUE)
   CURDEPTH(9)                             UNCOM(NO)
3 MQSC commands read.
No commands have a syntax error.
"""


def test_what_nobody_knows_of_waiting_messages_has_a_mark(own_estate: Served) -> None:
    """Seen messages of an unknown queue may not be told to be movable: each such cell is `?`."""
    with Twin.open(own_estate.log_url) as twin:
        twin.ingest(SEEN, qmgr=None, zone=UTC)
        answer = twin.ask("waiting", on="LOFT")
    known = zip(answer.rows, answer.unknowns(), strict=True)
    counted = [row["count"] for row, unknown in known if "why" in unknown]
    assert counted
    text = own_estate.reader.get("/waiting", params={"on": "LOFT"}).text
    assert text.count("<td>?</td>") >= len(counted)
    assert '<b class="ok">yes</b>' not in text
    assert "None" not in text
    total = sum(each for each in counted if isinstance(each, int))
    assert f"{total} not known" in text or f"{counted[0]} not known" in text


def test_nothing_that_waits_is_said_so(estate: Served) -> None:
    """Where no message waits the page says so, and an unknown name is called unknown."""
    assert "No message of an application waits." in estate.reader.get("/waiting?on=QM2").text
    assert "NOBODY" in estate.reader.get("/waiting?on=NOBODY").text


def test_the_tables_are_those_of_the_questions(estate: Served) -> None:
    """A program gets the rows of the three questions behind the page."""
    document = estate.reader.get("/waiting.json?on=QM1").json()
    assert list(document["tables"]) == ["waiting", "transmission", "passes"]
    assert document["commands"][0] == "twin ask waiting --on QM1"
    assert document["tables"]["waiting"]["rows"][0]["count"] == 3
