"""What captures show of channels and their messages comes out as it was shown, whatever was due."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.app.test_standing import imported, observe, row, seen_channel, text_of
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.basis import Basis
from twin.model.commands import Command
from twin.model.instants import HOUR, SECOND, Instant, mq_date, mq_time
from twin.mqsc.statement import Statement, parse
from twin.questions.answer import Row
from twin.questions.display import display
from twin.review.plan.plan import Request, plan
from twin.review.plan.sentences import summary

SEEN: Final = START + 30 * HOUR
QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
SENDING: Final = ("CA.F1", "CA.F2", "CA.P2", "CA.ELSEWHERE", "HAY.SILO")
PARTNERS: Final = {"CA.ELSEWHERE": "ELSEWHERE", "HAY.SILO": ""}


def session(*answers: str, qmgr: str = "P1") -> FileText:
    """Return what runmqsc printed for these commands and their answers."""
    numbered = "".join(f"     {n} : {each}\n" for n, each in enumerate(answers, start=1))
    foot = f"{len(answers)} MQSC commands read.\nNo commands have a syntax error.\n"
    text = f"Starting MQSC for queue manager {qmgr}.\n\n\n{numbered}{foot}"
    return FileText(f"{text}All valid MQSC commands were processed.\n")


def answer(command: str, heading: str, *rows: dict[str, str]) -> str:
    """Return a command and its answer; a blank value is shown as MQ does, CURRENT without one."""
    lines = [f"DISPLAY {command}"]
    for shown in rows:
        lines.append(f"{heading}: Display details.")
        lines += [
            f"   {keyword}" if keyword in {"CURRENT", "SAVED"} else f"   {keyword}({text or ' '})"
            for keyword, text in shown.items()
        ]
    return "\n".join(lines)


def chstatus(*rows: dict[str, str], command: str = "CHSTATUS(*) ALL") -> str:
    """Return an answer to DISPLAY CHSTATUS."""
    return answer(command, "AMQ8417I", *rows)


def sender(channel: str, status: str, **cells: str) -> dict[str, str]:
    """Return the CURRENT row of a cluster channel that sends."""
    partner = PARTNERS.get(channel, channel.removeprefix("CA."))
    return {
        "CHANNEL": channel,
        "CHLTYPE": "CLUSSDR",
        "CONNAME": "10.0.0.9(1414)",
        "CURRENT": "",
        "RQMNAME": partner,
        "STATUS": status,
        "XMITQ": QUEUE,
        **cells,
    }


def member(channel: str, status: str) -> dict[str, str]:
    """Return a row of DISPLAY CLUSQMGR that says the status of the channel to a member."""
    name = channel.removeprefix("CA.")
    return {"CLUSQMGR": name, "CHANNEL": channel, "CLUSTER": "CA", "STATUS": status}


def displayed(twin: Twin, command: str, at: Instant = SEEN) -> list[Row]:
    """Return the rows of a DISPLAY at P1."""
    statement = parse(f"DISPLAY {command}")
    assert isinstance(statement, Statement)
    return [dict(each.values) for each in display(*twin.view(as_of=at), "P1", statement).records]


STATUSES: Final = ("RUNNING", "RETRYING", "STOPPED", "BINDING")
NUMBERS: Final = st.one_of(st.just(""), st.integers(0, 999).map(str))
CELLS: Final = st.fixed_dictionaries(
    {
        "MSGS": NUMBERS,
        "XQMSGSA": NUMBERS,
        "LSTMSGDA": st.sampled_from(["", "2026-01-01"]),
        "SUBSTATE": st.sampled_from(["", "MQGET"]),
        "JOBNAME": st.sampled_from(["", "0000A1B2"]),
    }
)
SHOWN: Final = st.dictionaries(
    st.sampled_from(SENDING), st.tuples(st.sampled_from(STATUSES), CELLS), min_size=1
)


@examples(cost=5)
@given(
    SHOWN, st.dictionaries(st.sampled_from(SENDING[:3]), st.sampled_from(STATUSES)), st.randoms()
)
def test_every_status_that_was_captured_is_told_as_it_was_shown(
    shown: dict[str, tuple[str, dict[str, str]]], lags: dict[str, str], random: Random
) -> None:
    """Expected by the rules or not, of a known partner or not, and whatever CLUSQMGR says."""
    rows = [sender(name, status, **cells) for name, (status, cells) in shown.items()]
    answers = [
        chstatus(*rows),
        *(answer(f"CLUSQMGR({name[3:]})", "AMQ8441I", member(name, lags[name])) for name in lags),
    ]
    random.shuffle(answers)
    with fresh(2) as (whole, pieces):
        imported(whole).ingest_files([session(*answers)], at=SEEN)
        for piece in answers:
            pieces.ingest_files([session(piece)], at=SEEN)
        pieces.ingest_files([text_of(name) for name in ("F1", "F2", "P1", "P2")], at=START)
        found = whole.ask("channels", {"on": "P1"}, as_of=SEEN)
        told = {
            str(each["channel"]): (each["status"], basis.get("status", each["basis"]))
            for each, basis in zip(found.rows, found.basis_of, strict=True)
        }
        assert told.items() >= {
            (name, (status, Basis.OBSERVED)) for name, (status, _) in shown.items()
        }
        assert pieces.ask("channels", {"on": "P1"}, as_of=SEEN).rows == found.rows
        lines = {str(each["channel"]): each for each in displayed(whole, "CHSTATUS(*) ALL")}
        assert lines.keys() == shown.keys()
        for each in rows:
            for keyword, text in each.items():
                if keyword not in {"CURRENT", "CHLTYPE"}:
                    number = keyword in {"MSGS", "XQMSGSA"}
                    value = (int(text) if text else None) if number else text
                    assert lines[each["CHANNEL"]][keyword.lower()] == value
        named = {str(each["object"]) for each in whole.ask("doctor", as_of=SEEN).rows}
        failing = {name for name, (status, _) in shown.items() if status in {"RETRYING", "STOPPED"}}
        assert {f"P1 CHANNEL({name})" for name in failing} <= named


def test_a_sight_of_a_channel_implies_the_record_that_it_was_made_from() -> None:
    """The sender holds a record of its target; that nothing else says why is a row."""
    with fresh(1) as (twin,):
        assert not held(imported(twin), "P1", "P2")
        twin.ingest_files([session(chstatus(sender("CA.P2", "RETRYING")))], at=SEEN)
        assert held(twin, "P1", "P2")
        (found,) = [
            each
            for each in twin.ask("reconcile", {"on": "P1"}, as_of=SEEN).rows
            if each["channel"] == "CA.P2"
        ]
        assert (found["observed"], found["derived"]) == ("present", None)
        assert (found["verdict"], found["owner"]) == ("observed-only", "P2")


def test_a_row_of_a_receiver_implies_a_record_at_its_partner() -> None:
    """A CLUSRCVR row says nothing of what its own queue manager holds."""
    receiver = {**sender("CA.P1", "RUNNING"), "CHLTYPE": "CLUSRCVR", "RQMNAME": "P2"}
    with fresh(1) as (twin,):
        imported(twin).ingest_files([session(chstatus(receiver))], at=SEEN)
        assert held(twin, "P2", "P1")
        assert not held(twin, "P1", "P2")


def held(twin: Twin, observer: str, owner: str) -> bool:
    """Return whether a queue manager holds a record of another."""
    asked = {"on": observer, "kind": "qmgr"}
    return owner in {each["owner"] for each in twin.ask("beliefs", asked, as_of=SEEN).rows}


def test_saved_rows_are_no_status() -> None:
    """A channel of which only saved rows were shown has no status, whatever they show."""
    saved = sender("CA.ELSEWHERE", "RUNNING", LSTLUWID="0A0B", INDOUBT="NO")
    saved = {"SAVED" if key == "CURRENT" else key: text for key, text in saved.items()}
    only_saved = chstatus(saved, command="CHSTATUS(*) SAVED")
    with fresh(1) as (twin,):
        imported(twin).ingest_files([session(only_saved)], at=SEEN)
        assert "CA.ELSEWHERE" not in {each["channel"] for each in of(twin, "channels")}
        (kept,) = displayed(twin, "CHSTATUS(CA.ELSEWHERE) SAVED ALL")
        assert kept["lstluwid"] == "0A0B"


def test_instances_of_a_receiver_are_told_apart() -> None:
    """They are known by partner, address and job, and none outranks another."""
    rows = [
        {**sender("CA.P1", status), "CHLTYPE": "CLUSRCVR", "RQMNAME": to, "JOBNAME": job}
        for to, status, job in (
            ("F1", "RUNNING", "A"),
            ("F1", "PAUSED", "B"),
            ("P2", "RUNNING", "C"),
        )
    ]
    with fresh(1) as (twin,):
        imported(twin).ingest_files([session(chstatus(*rows))], at=SEEN)
        (one,) = [each for each in of(twin, "channels") if each["channel"] == "CA.P1"]
        assert one["status"] == "RUNNING"
        assert isinstance(one["instances"], tuple)
        assert sorted(str(each).split()[-1] for each in one["instances"]) == [
            "PAUSED",
            "RUNNING",
            "RUNNING",
        ]
        lines = displayed(twin, "CHSTATUS(CA.P1) ALL")
        assert sorted((str(each["rqmname"]), str(each["status"])) for each in lines) == [
            ("F1", "PAUSED"),
            ("F1", "RUNNING"),
            ("P2", "RUNNING"),
        ]
        later = session(chstatus(rows[2]))
        twin.ingest_files([later], at=SEEN + HOUR)
        again = displayed(twin, "CHSTATUS(CA.P1) ALL", SEEN + HOUR)
        assert [each["rqmname"] for each in again] == ["P2"]


def of(twin: Twin, question: str, **asked: Any) -> list[Row]:
    """Return the rows of a question about P1."""
    return list(twin.ask(question, {"on": "P1", **asked}, as_of=SEEN).rows)


@examples(cost=5)
@given(
    st.integers(0, 30 * 60 * 60 - 600),
    st.sampled_from([0, 127]),
)
def test_the_retries_that_are_left_bound_a_failure(ago: int, hangs: int) -> None:
    """It lies between both bounds if attempts fail at once, and else at most 127 s each earlier."""
    short, long, every, later = 2, 3, 60, 600  # as the dumps of the estate define them
    at, made = 0, 0
    while made < short + long and at + (every if made < short else later) + hangs <= ago:
        at += (every if made < short else later) + hangs
        made += 1
    if made == short + long:
        return  # it has given up
    left = {"SHORTRTS": f"{short - min(made, short)}", "LONGRTS": f"{long - max(made - short, 0)}"}
    with fresh(1) as (twin,):
        imported(twin)
        twin.ingest_files([session(chstatus(sender("CA.F1", "RETRYING", **left)))], at=SEEN)
        found = row(twin, SEEN, "CA.F1")
        failed = SEEN - ago * SECOND
        since, earliest = found["since"], found["since_earliest"]
        assert isinstance(since, int)
        assert isinstance(earliest, int)
        assert earliest - made * hangs * SECOND - hangs * SECOND <= failed <= since
        assert found["attempts"] == made
        assert since != SEEN or not made


@pytest.mark.parametrize("ago", [130, 300, 970])
def test_a_failure_began_at_the_latest_when_its_series_was_first_seen(ago: int) -> None:
    """Attempts that hang are made later than their intervals say; an earlier sight knows better."""
    with fresh(1) as (twin,):
        imported(twin)
        for at, left in ((SEEN - ago * SECOND, 2), (SEEN, 0)):
            shown = sender("CA.F1", "RETRYING", SHORTRTS=f"{left}", LONGRTS="3")
            twin.ingest_files([session(chstatus(shown))], at=at)
        found = row(twin, SEEN, "CA.F1")
    assert (found["since"], found["attempts"]) == (SEEN - ago * SECOND, 2)


def test_a_status_that_was_only_seen_began_at_the_latest_then() -> None:
    """Its begin is no sight; that of a running channel is one if its row shows when it started."""
    started = {"CHSTADA": mq_date(SEEN - HOUR), "CHSTATI": mq_time(SEEN - HOUR)}
    with fresh(1) as (twin,):
        seen = session(chstatus(sender("CA.F1", "RUNNING", **started), sender("CA.F2", "STOPPED")))
        imported(twin).ingest_files([replace(seen, zone=UTC)], at=SEEN)
        found = twin.ask("channels", {"on": "P1"}, as_of=SEEN)
        since = {
            str(each["channel"]): (each["since"], bases.get("since", each["basis"]))
            for each, bases in zip(found.rows, found.basis_of, strict=True)
        }
        assert since["CA.F1"] == (SEEN - HOUR, Basis.OBSERVED)
        assert since["CA.F2"] == (SEEN, Basis.DERIVED)


@pytest.mark.parametrize("depth", [None, 0, 400, 5000])
@examples(cost=5)
@given(st.dictionaries(st.sampled_from(SENDING[:4]), st.integers(0, 4000), min_size=1))
def test_messages_are_told_as_at_least_and_at_most(depth: int | None, true: dict[str, int]) -> None:
    """CHSTATUS shows 999 at most, and the depth of the queue bounds the rest; unknown is not 0."""
    total = sum(true.values()) + (depth or 0)
    status = chstatus(
        *(sender(name, "RETRYING", XQMSGSA=f"{min(count, 999)}") for name, count in true.items())
    )
    queue = {"QUEUE": QUEUE, "TYPE": "QUEUE", "CURDEPTH": f"{total}", "UNCOM": "NO"}
    depths = [] if depth is None else [answer(f"QSTATUS({QUEUE}) ALL", "AMQ8450I", queue)]
    with fresh(1) as (twin,):
        imported(twin).ingest_files([session(status, *depths)], at=SEEN)
        rows = of(twin, "transmission")
        bounds = {each["channel"]: (each["count"], each["at_most"]) for each in rows}
        for name, count in true.items():
            least, most = bounds.get(name, (0, 0))
            assert isinstance(least, int)
            assert least <= count
            assert most is None or (isinstance(most, int) and count <= most)
            assert (most is None) == (depth is None and count >= 999)
        if depth is not None:
            assert sum(int(str(each["count"])) for each in rows) == total
            (line,) = displayed(twin, f"QSTATUS({QUEUE}) CURDEPTH")
            assert line["curdepth"] == total
        else:
            assert any("never observed" in note for note in notes(twin))


@pytest.mark.parametrize("later", STATUSES)
@pytest.mark.parametrize("shown", STATUSES)
@examples(cost=5)
@given(st.dictionaries(st.sampled_from(SENDING[:4]), st.integers(1, 900), min_size=1))
def test_messages_that_may_have_been_sent_since_wait_for_nobody(
    shown: str, later: str, counts: dict[str, int]
) -> None:
    """They are told as long as their channel was not RUNNING, and never as those of another one."""
    status = chstatus(*(sender(name, shown, XQMSGSA=f"{each}") for name, each in counts.items()))
    queue = {"QUEUE": QUEUE, "TYPE": "QUEUE", "CURDEPTH": f"{sum(counts.values())}"}
    depth = answer(f"QSTATUS({QUEUE}) ALL", "AMQ8450I", queue)
    changed = min(counts)
    with fresh(1) as (twin,):
        imported(twin).ingest_files([session(status, depth)], at=SEEN - HOUR)
        observe(twin, SEEN, seen_channel(changed, later))
        told = {each["channel"]: each["count"] for each in of(twin, "transmission")}
        stays = shown == later or "RUNNING" not in (shown, later)
        assert told == {name: each for name, each in counts.items() if stays or name != changed}


@examples(cost=5)
@given(
    st.dictionaries(st.sampled_from(SENDING[:3]), st.integers(0, 900)),
    st.integers(0, 3),
    st.integers(0, 10**7),
)
def test_the_age_of_the_oldest_message_says_when_it_was_put(
    counts: dict[str, int], others: int, age: int
) -> None:
    """If all messages on a queue are for one channel, it is one of them; else it is not known."""
    status = chstatus(*(sender(name, "RETRYING", XQMSGSA=f"{n}") for name, n in counts.items()))
    depth = sum(counts.values()) + others
    queue = {"QUEUE": QUEUE, "TYPE": "QUEUE", "CURDEPTH": f"{depth}", "MSGAGE": f"{age}"}
    with fresh(1) as (twin,):
        answers = session(status, answer(f"QSTATUS({QUEUE}) ALL", "AMQ8450I", queue))
        imported(twin).ingest_files([answers], at=SEEN)
        rows = of(twin, "transmission")
        assert sum(int(str(each["count"])) for each in rows) == depth
        known = SEEN - age * SECOND if len(rows) == 1 else None
        assert all((each["put_at"] or None) == known for each in rows)


@examples(cost=20)
@given(st.dictionaries(st.sampled_from(SENDING[:3]), st.integers(1, 900)))
def test_a_loss_counts_the_messages_that_wait_for_it_and_no_others(counts: dict[str, int]) -> None:
    """Neither those that its own queues have for others, nor those for other queue managers."""
    status = chstatus(*(sender(name, "RETRYING", XQMSGSA=f"{n}") for name, n in counts.items()))
    queue = {"QUEUE": QUEUE, "TYPE": "QUEUE", "MSGAGE": "5"}
    asked = f"QSTATUS({QUEUE}) ALL"
    with fresh(1) as (twin,):
        imported(twin)
        for name in ("F1", "F2", "P1", "P2"):
            depth = {"CURDEPTH": f"{sum(counts.values()) if name == 'P1' else 0}"}
            shown = answer(asked, "AMQ8450I", {**queue, **depth})
            twin.ingest_files(
                [session(*([status] if name == "P1" else []), shown, qmgr=name)], at=SEEN
            )
        for loss in twin.ask("resilience", as_of=SEEN).rows:
            if loss["kind"] in {"qmgr", "repository"}:
                assert loss["messages_waiting"] == counts.get(f"CA.{loss['loss']}", 0), loss


def notes(twin: Twin) -> tuple[str, ...]:
    """Return the notes of the answer about messages that wait at P1."""
    return twin.ask("transmission", {"on": "P1"}, as_of=SEEN).notes


def test_what_is_read_and_not_kept_is_said_at_the_import() -> None:
    """A column that the twin does not know is named, with the number of its rows."""
    with fresh(1) as (twin,):
        reports = imported(twin).ingest_files(
            [session(chstatus(sender("CA.F1", "RUNNING", WEATHER="FINE")))], at=SEEN
        )
        assert "1 WEATHER" in str(reports)


def test_a_stop_says_what_captures_show_of_the_messages_that_stay() -> None:
    """A plan counts them as at least and at most, of unknown content."""
    with fresh(1) as (twin,):
        queue = {"QUEUE": QUEUE, "TYPE": "QUEUE", "CURDEPTH": "3100", "MSGAGE": "9000"}
        status = chstatus(sender("CA.F1", "RUNNING", XQMSGSA="999"))
        depth = answer(f"QSTATUS({QUEUE}) ALL", "AMQ8450I", queue)
        imported(twin).ingest_files([session(status, depth)], at=SEEN)
        stop = Request(changes=lambda _: [Command.program("F1", "endmqm")])
        made = plan(twin, stop, as_of=SEEN)
        (seen,) = [each for each in made.seen if each.on == "P1"]
        assert (seen.channel, seen.least, seen.most) == ("CA.F1", 999, 3100)
        assert "at least 999" in summary(made)
