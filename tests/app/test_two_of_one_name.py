"""Two queue managers of one name in an observed cluster: told apart by QMID, and not judged."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.importing.feeds import FeedFile
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.feeds.detect import FileFormat
from twin.model.instants import DAY, format_instant, parse_instant
from twin.questions.explanation import ExplainRequest

AT = parse_instant("2026-05-04T10:00:00Z", now=0)
OLD, NEW = "2024-02-02_09.00.00", "2026-05-01_09.00.00"
HEAD = """*******************************************************************************
* Script generated on 2026-05-04   at 09.00.00
* Queue manager name: {name}
* Queue manager platform: UNIX
* Queue manager command level: (940/940)
* Command issued: dmpmqcfg -m {name} -a
*******************************************************************************
ALTER QMGR +
*  QMID({name}_{created}) +
*  VERSION(09040000) +
{repos}   FORCE
"""
CHANNELS = """DEFINE CHANNEL('{own}') CHLTYPE(CLUSRCVR) +
   CONNAME('{name}(1414)') CLUSTER(GRAIN) +
   REPLACE
DEFINE CHANNEL('GRAIN.HUB') CHLTYPE(CLUSSDR) +
   CONNAME('hub(1414)') CLUSTER(GRAIN) +
   REPLACE
"""
FOOT = f"{'*' * 79}\n* Script ended on 2026-05-04   at 09.00.01 \n{'*' * 79}\n"
MEMBER = """AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR({name})                        CHANNEL({channel})
   CLUSTER(GRAIN)                          CLUSDATE(2026-05-01)
   CLUSTIME(10.00.00)                      CONNAME({name}(1414))
   DEFTYPE({deftype})                      QMID({name}_{created})
   QMTYPE({qmtype})                        SUSPEND(NO)
   STATUS({status})
"""
QUEUE = """AMQ8409I: Display Queue details.
   QUEUE(FLOUR)                            TYPE(QCLUSTER)
   CLUSDATE(2026-05-01)                    CLUSTIME(10.00.00)
   CLUSQMGR({name})                        CLUSQT(QLOCAL)
   CLUSTER(GRAIN)                          CLWLPRTY(0)
   CLWLRANK({rank})                        DEFBIND(NOTFIXED)
   PUT({put})                              QMID({name}_{created})
"""


def written(name: str, created: str, own: str, *more: str, repos: bool = False) -> FileText:
    """Write a dump of a member of GRAIN."""
    head = HEAD.format(name=name, created=created, repos="   REPOS('GRAIN') +\n" if repos else "")
    channels = CHANNELS.format(own=own, name=name)
    channels = (
        channels.partition("DEFINE CHANNEL('GRAIN.HUB') CHLTYPE(CLUSSDR)")[0] if repos else channels
    )
    return FileText("".join([head, channels, *more, FOOT]), zone=UTC)


def answered(
    statuses: tuple[str, str], ranks: tuple[int, int], puts: tuple[str, str], old: str
) -> FileText:
    """Write what BAKER displays: two members with the queue, the first called `old`."""
    members = [
        MEMBER.format(
            name="HUB",
            channel="GRAIN.HUB",
            deftype="CLUSSDRB",
            created=OLD,
            qmtype="REPOS",
            status="RUNNING",
        ),
        *(
            MEMBER.format(
                name=name,
                channel=channel,
                deftype="CLUSSDRA",
                created=created,
                qmtype="NORMAL",
                status=status,
            )
            for name, channel, created, status in (
                (old, "GRAIN.MILL", OLD, statuses[0]),
                ("MILL", "GRAIN.MILL2", NEW, statuses[1]),
            )
        ),
    ]
    queues = [
        QUEUE.format(name=name, created=created, rank=rank, put=put)
        for name, created, rank, put in zip((old, "MILL"), (OLD, NEW), ranks, puts, strict=True)
    ]
    text = "\n".join(
        [
            "Starting MQSC for queue manager BAKER.",
            "     1 : DISPLAY CLUSQMGR(*) ALL",
            *members,
            "     2 : DISPLAY QCLUSTER(*) ALL",
            *queues,
            "2 MQSC commands read.\nNo commands have a syntax error.",
            "All valid MQSC commands were processed.\n",
        ]
    )
    return FileText(text, zone=UTC)


def collect(
    twin: Twin,
    statuses: tuple[str, str] = ("RETRYING", "RUNNING"),
    ranks: tuple[int, int] = (0, 0),
    puts: tuple[str, str] = ("ENABLED", "ENABLED"),
    *,
    old: str = "MILL",
) -> None:
    """Import three dumps, none of them of the old queue manager, and what BAKER displays."""
    alias = "DEFINE QALIAS('OUT') +\n   TARGET('FLOUR') +\n   REPLACE\n"
    flour = (
        f"DEFINE QLOCAL('FLOUR') +\n   CLUSTER('GRAIN') CLWLRANK({ranks[1]}) PUT({puts[1]}) +\n"
        "   DEFBIND(NOTFIXED) +\n   REPLACE\n"
    )
    twin.ingest_files(
        [
            written("HUB", OLD, "GRAIN.HUB", repos=True),
            written("MILL", NEW, "GRAIN.MILL2", flour),
            written("BAKER", OLD, "GRAIN.BAKER", alias),
        ],
        at=AT - DAY,
    )
    twin.ingest_files([answered(statuses, ranks, puts, old)], at=AT)


def log(twin: Twin, text: str, days: int) -> None:
    """Import a record of the log of HUB, some days after the dumps."""
    when = format_instant(AT + days * DAY).removesuffix("Z")
    line = f'{{"ibm_datetime":"{when}.000Z","ibm_serverName":"HUB",{text}}}\n'
    twin.ingest_feeds(
        [FeedFile("hub.json", lambda: iter([line]), FileFormat.JSON_LOG, qmgr="HUB", zone=UTC)]
    )


CHANNEL_STATES = st.sampled_from(["RUNNING", "RETRYING", "STOPPED", "INACTIVE"])


@examples(cost=5)
@given(
    st.tuples(CHANNEL_STATES, CHANNEL_STATES),
    st.tuples(st.integers(0, 1), st.integers(0, 1)),
    st.tuples(*[st.sampled_from(["ENABLED", "ENABLED", "DISABLED"])] * 2),
)
def test_the_choice_is_that_between_two_of_different_names(
    statuses: tuple[str, str], ranks: tuple[int, int], puts: tuple[str, str]
) -> None:
    """That two queue managers have one name changes neither the route nor the reason code."""
    with fresh(2) as (one, other):
        collect(one, statuses, ranks, puts)
        collect(other, statuses, ranks, puts, old="MILK")
        explained = [
            twin.explain("BAKER", ExplainRequest(queue="OUT"), as_of=AT) for twin in (one, other)
        ]
        assert explained[0][0].reason == explained[1][0].reason
        one_way, other_way = (
            {row["channel"]: (row["removed_by"], row["chosen"]) for row in each.answer(point).rows}
            for each, point in explained
        )
        assert one_way == other_way


@pytest.fixture
def estate(twin: Twin) -> Twin:
    """Return a twin of the collected cluster, as of the instant of the answers."""
    collect(twin)
    return twin


def test_explain_and_route_name_the_qmid(estate: Twin) -> None:
    """The funnel, the changes, the notes and the steps say which of the two they mean."""
    explained, _ = estate.explain("BAKER", ExplainRequest(queue="OUT"), as_of=AT)
    text = " ".join(" ".join((*explained.lines, *explained.notes)).split())
    assert f"goes to MILL (MILL_{NEW}) by GRAIN.MILL2" in text
    assert f"MILL (MILL_{OLD}) excluded: STATUS(RETRYING)" in text
    assert f"MILL (MILL_{OLD}): START CHANNEL(GRAIN.MILL) at BAKER" in text
    assert f"MILL (MILL_{NEW}) is observed" in text
    assert "HUB (" not in text
    route = estate.ask("route", on="BAKER", queue="OUT", as_of=AT)
    assert f"MILL (MILL_{NEW}) by GRAIN.MILL2" in " ".join(" ".join(route.lines).split())


def test_a_route_to_the_other_one_does_not_end_at_its_namesake(twin: Twin) -> None:
    """What the twin knows of one queue manager is not said of another one of its name."""
    collect(twin, statuses=("RUNNING", "STOPPED"))
    route = twin.ask("route", on="BAKER", queue="OUT", as_of=AT)
    assert [row["end"] for row in route.rows][-1] == "not-in-twin"
    assert f"MILL_{OLD} by GRAIN.MILL" in " ".join(" ".join(route.lines).split())


def test_reconcile_has_rows_for_record_and_queue_of_both(estate: Twin) -> None:
    """The old one's record and queue were seen, and follow from nothing in the twin."""
    rows = estate.ask("reconcile", on="BAKER", as_of=AT).rows
    seen = {(row["kind"], row["qmid"]): row["verdict"] for row in rows if row["owner"] == "MILL"}
    assert seen["qmgr", f"MILL_{OLD}"] == seen["queue", f"MILL_{OLD}"] == "observed-only"
    assert ("queue", f"MILL_{NEW}") in seen
    assert len(seen) == sum(row["owner"] == "MILL" for row in rows)


def duplicate(twin: Twin, days: int) -> Any:
    """Return the finding about the two, some days later."""
    rows = twin.ask("doctor", rule="queue-manager-name-duplicate", as_of=AT + days * DAY).rows
    return rows[0]


def replaced() -> str:
    """Return the fields of AMQ9468 about the two."""
    return (
        '"ibm_messageId":"AMQ9468W","message":"AMQ9468W: Queue manager '
        f"MILL_{NEW} has replaced queue manager MILL_{OLD} in a cluster due to reuse of channel "
        "GRAIN.MILL." + '"'
    )


def test_neither_is_dead_because_it_is_older(estate: Twin) -> None:
    """A failing channel and an old date prove nothing, so no command that destroys is named."""
    row = duplicate(estate, 0)
    assert f"Whether MILL_{OLD} exists is not known" in row["finding"]
    assert f"MILL_{NEW} was itself seen last" in row["finding"]
    assert not row["fix"]


def test_a_log_that_names_it_proves_that_it_is_dead(estate: Twin) -> None:
    """AMQ9468 ends the QMID that was replaced; the answer that chooses it says so."""
    log(estate, replaced(), days=1)
    row = duplicate(estate, 1)
    assert f"MILL_{OLD} was replaced by MILL_{NEW}, as AMQ9468" in row["finding"]


@pytest.mark.parametrize(("overdue", "proved"), [(1, False), (3, True), (30, True)])
def test_thirty_days_without_renewal_prove_it(estate: Twin, *, overdue: int, proved: bool) -> None:
    """A warning of a full repository counts if the last renewal is 30 days ago, and not before."""
    left = 63 - overdue
    text = f"GRAIN.MILL hosted on queue manager MILL_{OLD}, {overdue} days, {left} left"
    said = ",".join(
        [
            '"ibm_messageId":"AMQ9469W"',
            f'"message":"AMQ9469W: Update not received for CLUSRCVR channel {text}"',
            f'"ibm_arithInsert1":{overdue},"ibm_arithInsert2":{left}',
            f'"ibm_commentInsert1":"GRAIN.MILL","ibm_commentInsert2":"MILL_{OLD}"',
            '"ibm_commentInsert3":"GRAIN"',
        ]
    )
    log(estate, said, days=1)
    assert ("had not renewed" in duplicate(estate, 1)["finding"]) == proved


def test_what_was_seen_of_it_later_disproves_a_log(estate: Twin) -> None:
    """A queue manager that says its QMID after the log does not prove dead."""
    log(estate, replaced().replace(OLD, "X").replace(NEW, OLD).replace("_X", f"_{NEW}"), days=-2)
    assert "was replaced" not in duplicate(estate, 0)["finding"]


def test_a_choice_of_one_that_is_dead_says_so(twin: Twin) -> None:
    """MQ goes on choosing it while its record is held: the note has its QMID and channel."""
    collect(twin, statuses=("RUNNING", "STOPPED"))
    log(twin, replaced(), days=1)
    explained, _ = twin.explain("BAKER", ExplainRequest(queue="OUT"), as_of=AT + DAY)
    (note,) = [each for each in explained.notes if "MQ chooses" in each]
    assert f"MILL_{OLD} by GRAIN.MILL" in note
    assert "1 of 1 route in turn" in note


def test_a_finding_about_a_channel_means_the_one_whose_record_has_it(estate: Twin) -> None:
    """That a channel to the old one fails is not told of the one that has its name now."""
    rows = estate.ask("doctor", rule="channel-retrying", as_of=AT).rows
    (row,) = [each for each in rows if each["object"] == "BAKER CHANNEL(GRAIN.MILL)"]
    assert f"MILL is the one with QMID MILL_{OLD}." in str(row["finding"])
