"""`explain` says how a name was resolved, how messages are bound, and what happens at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.questions.two_clusters import START, two_clusters
from twin import Twin, events
from twin.app.acting import Fact
from twin.events.messages import Bind
from twin.model.instants import HOUR, MINUTE, SECOND
from twin.questions.explanation import ExplainRequest, Explanation
from twin.questions.name_words import path_line


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return a branch of two clusters with a gateway, at an hour after they were made."""
    with two_clusters(tmp_path) as made:
        made.create_branch("lab")
        lab = made.on_branch("lab")
        lab.pass_time(START + HOUR)
        yield lab


def explained(twin: Twin, queue: str, qmgr: str = "QM1", **options: Any) -> Explanation:
    """Explain a put."""
    return twin.explain(qmgr, ExplainRequest(queue=queue, **options))[0]


def about(explanation: Explanation) -> list[str]:
    """Return the lines before those about the rules, joined where they were wrapped."""
    lines: list[str] = []
    for line in explanation.lines:
        if line.startswith("Rules in the order"):
            break
        lines += [line] if not line.startswith("  ") else []
        lines[-1] += f" {line.strip()}" if line.startswith("  ") else ""
    return lines


@pytest.mark.parametrize(
    ("queue", "options", "lines"),
    [
        ("ORDERS", {}, ["Bind notfixed: DEFBIND(NOTFIXED) of ORDERS at QM2."]),
        ("ORDERS", {"bind": "open"}, ["Bind open: the application asked for it."]),
        ("ORDERS", {"put1": True}, ["Bind notfixed: MQPUT1 fixes no destination."]),
        (
            "ORDERS",
            {"to": "QM2"},
            ["Bind open: a queue manager is named, so no DEFBIND applies."],
        ),
        (
            "BOUND",
            {},
            [
                "BOUND is an alias of ORDERS; ORDERS is a queue of cluster CA.",
                "Bind open: DEFBIND(OPEN) of alias BOUND at QM1.",
            ],
        ),
        (
            "REMOTE",
            {},
            [
                (
                    "REMOTE is a remote definition of ORDERS at QM2; QM2 is a queue manager of"
                    " cluster CA."
                ),
                "Bind open: DEFBIND(OPEN) of remote definition REMOTE at QM1.",
            ],
        ),
        (
            "STOCK",
            {"to": "QM3"},
            [
                "QM3 is a queue manager alias of cluster CA.",
                "Bind open: DEFBIND(OPEN) of QM3 at GW.",
            ],
        ),
        ("THERE", {}, ["THERE is an alias of HERE; HERE is a local queue."]),
    ],
)
def test_an_explanation_names_the_path_and_the_bind(
    twin: Twin, queue: str, options: dict[str, Any], lines: list[str]
) -> None:
    """Each definition on the way is named, and what says how messages are bound."""
    explanation = explained(twin, queue, **options)
    assert about(explanation)[1:] == lines
    row = explanation.answer(twin.as_of()).rows[0]
    assert (row["bind"] or "") == explanation.bind


@pytest.mark.parametrize(
    ("mqsc", "reason", "line"),
    [
        (
            "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(FAR) XMITQ(NONE)",
            2196,
            "R is a remote definition of Q at FAR by transmission queue NONE; NONE does not exist.",
        ),
        (
            "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(FAR) XMITQ(HERE)",
            2092,
            (
                "R is a remote definition of Q at FAR by transmission queue HERE; HERE is no"
                " transmission queue."
            ),
        ),
        (
            "ALTER QMGR DEFXMITQ(NONE)\nDEFINE QREMOTE(R) RNAME(Q) RQMNAME(FAR)",
            2197,
            "R is a remote definition of Q at FAR; DEFXMITQ names NONE, which does not exist.",
        ),
        (
            (
                "ALTER QMGR DEFXMITQ(TX)\nDEFINE QLOCAL(TX) USAGE(XMITQ)\n"
                "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(FAR)"
            ),
            0,
            (
                "R is a remote definition of Q at FAR; DEFXMITQ names TX, a transmission queue, for"
                " FAR."
            ),
        ),
        (
            "DEFINE QLOCAL(OFF) USAGE(XMITQ)\nDEFINE QREMOTE(R) RNAME(Q) RQMNAME(OFF)",
            0,
            "R is a remote definition of Q at OFF; OFF is a transmission queue that leads to OFF.",
        ),
        (
            "DEFINE QALIAS(R) TARGET(THERE)",
            2001,
            "R is an alias of THERE, which is an alias or a model queue itself.",
        ),
    ],
)
def test_the_path_says_why_a_definition_leads_nowhere(
    twin: Twin, mqsc: str, reason: int, line: str
) -> None:
    """No queue that does not exist is called a transmission queue, and DEFXMITQ is named."""
    twin.runmqsc("QM1", mqsc)
    explanation = explained(twin, "R")
    assert (explanation.reason, path_line(explanation.resolved)) == (reason, line)


def test_a_queue_manager_alias_with_a_blank_rqmname_names_no_queue_manager(twin: Twin) -> None:
    """The alias leads back here, and the queue is looked for again."""
    twin.runmqsc("GW", "DEFINE QREMOTE(ANY) RNAME(' ') RQMNAME(' ')")
    line = path_line(explained(twin, "STOCK", "GW", to="ANY").resolved)
    assert line.startswith("ANY is a queue manager alias with a blank RQMNAME; ")


def test_instances_with_different_defbind_are_named(twin: Twin) -> None:
    """If the DEFBIND of the instances differs, the one that counts and the others are named."""
    twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) DEFBIND(GROUP)")
    (line,) = (each for each in about(explained(twin, "ORDERS")) if each.startswith("Bind "))
    assert line == "Bind notfixed: DEFBIND(NOTFIXED) of ORDERS at QM2; it differs: GROUP at QM4."


def _end(twin: Twin) -> None:
    twin.endmqm("QM2")


def _cut(twin: Twin) -> None:
    twin.link("cut", "QM1", "QM2")


def _stop(twin: Twin) -> None:
    twin.runmqsc("QM2", "STOP CHANNEL(CA.QM2)")


def _force(twin: Twin) -> None:
    twin.runmqsc("QM2", "SUSPEND QMGR CLUSTER(CA) MODE(FORCE)")
    twin.runmqsc("QM4", "SUSPEND QMGR CLUSTER(CA)")


OBSTACLES = [
    (_end, "QM2 has ended"),
    (_cut, "The link to QM2 is cut"),
    (_stop, "CA.QM2 is STOPPED at QM2"),
    (_force, "QM2 is suspended with MODE(FORCE)"),
]


@pytest.mark.parametrize(("happens", "said"), OBSTACLES)
@pytest.mark.parametrize("bind", ["open", "notfixed"])
def test_a_message_whose_channel_will_not_start_does_as_is_said(
    twin: Twin, happens: Any, said: str, bind: Bind
) -> None:
    """The end that an explanation foretells is what a put then comes to, bound or not."""
    twin.open_queue("QM1", "ORDERS")
    happens(twin)
    explanation = explained(twin, "ORDERS", bind=bind)
    line = about(explanation)[1]
    assert line.startswith(f"{said}: CA.QM2 would not start, and the message would ")
    instead = line.endswith("would go to QM4 by CA.QM4 instead.")
    assert instead == (bind == "notfixed")
    put = twin.put("QM1", "ORDERS", bind=bind)
    outcome = twin.whereabouts("QM1", put, at=twin.now())
    assert (outcome.delivered, outcome.waiting) == ((1, 0) if instead else (0, 1))
    row = explanation.answer(twin.as_of()).rows[0]
    assert (row["waits"], row["next_retry"]) == (
        (False, None) if instead else (True, twin.now() + 60 * SECOND)
    )
    if not instead:
        (waits,) = outcome.waits
        assert waits.block.next_retry == row["next_retry"]
        assert about(explained(twin, "ORDERS", to="QM2"))[1] == f"It waits: {waits}. {said}."


def _observe(twin: Twin, *seen: events.Event) -> None:
    facts = [Fact(event, "observation:test") for event in seen]
    twin.record_observations(facts, at=START + MINUTE)


def test_a_destination_that_is_not_in_the_twin_is_said(tmp_path: Path) -> None:
    """A queue manager that only a record names is not guessed to run, or to have ended."""
    with two_clusters(tmp_path) as twin:
        said = {
            kind: events.RecordSaid(
                cluster="CA", name=name, owner="QM9_1", owner_name="QM9", values={**values}
            )
            for kind, name, values in (
                ("qmgr", "CA.QM9", {}),
                ("queue", "SEEN", {"CLUSQT": "QLOCAL"}),
            )
        }
        for kind, record in said.items():
            _observe(twin, events.BeliefsObserved(qmgr="QM1", kind=kind, said=(record,)))
        explanation = explained(twin, "SEEN")
        assert explanation.lines[0] == "SEEN at QM1 goes to QM9 by CA.QM9."
        assert about(explanation)[1] == (
            "QM9 is not in the twin, so nothing is known of it: whether CA.QM9 reaches it cannot be"
            " said."
        )
        assert explanation.answer(twin.as_of()).rows[0]["waits"] is False


def test_an_instance_without_a_channel_is_named(tmp_path: Path) -> None:
    """If no channel to the owner of a queue is known, the put fails and the owner is named."""
    with two_clusters(tmp_path) as twin:
        record = events.RecordSaid(
            cluster="CA",
            name="SEEN",
            owner="QM9_1",
            owner_name="QM9",
            values={"CLUSQT": "QLOCAL"},
        )
        _observe(twin, events.BeliefsObserved(qmgr="QM1", kind="queue", said=(record,)))
        explanation = explained(twin, "SEEN")
        assert explanation.reason == twin.rehearse().put("QM1", "SEEN").reason == 2085
        assert explanation.notes[-1] == "QM1 knows of an instance at QM9, but no channel to it"


def test_a_destination_that_is_only_observed_is_said(tmp_path: Path) -> None:
    """On main, a note says when an observed destination was last seen, or that it never was."""
    with two_clusters(tmp_path) as twin:
        first = events.QueueManagerFirstSeen(
            qmgr="QM8", qmid="QM8_1", cmdlevel=940, platform="UNIX"
        )
        channel = events.ObjectObserved(
            qmgr="QM8",
            kind="CHANNEL",
            name="CA.QM8",
            type="CLUSRCVR",
            values={"CONNAME": "QM8", "CLUSTER": "CA"},
        )
        sending = events.ObjectObserved(
            qmgr="QM8",
            kind="CHANNEL",
            name="CA.FA",
            type="CLUSSDR",
            values={"CONNAME": "FA", "CLUSTER": "CA"},
        )
        queue = events.ObjectObserved(
            qmgr="QM8", kind="QUEUE", name="SEEN", type="QLOCAL", values={"CLUSTER": "CA"}
        )
        _observe(twin, first, channel, sending, queue)
        assert explained(twin, "SEEN").notes == ("QM8 is observed: nothing says whether it runs",)
        twin.create_branch("lab")
        assert explained(twin.on_branch("lab"), "SEEN").notes == ()


KEEPS = (
    "The request is kept until 2026-01-31T10:00:00Z: each record that comes until then is sent.",
    "Until one comes, another open fails, too.",
)
UNKNOWN = [
    (
        "BLANK",
        {},
        2087,
        ["A remote definition with a blank RQMNAME leads to no queue manager."],
    ),
    (
        "STOCK",
        {},
        2085,
        [
            "QM1 has no queue STOCK.",
            "FA, a full repository of CA, is asked by this call, and holds no record of it.",
            *KEEPS,
            "QLOCAL(STOCK) at QM3 is shared in cluster CB, but QM1 is not; in both: GW.",
        ],
    ),
    (
        "EMPTY",
        {},
        2082,
        [
            "QM1 has no queue NADA.",
            "FA, a full repository of CA, is asked by this call, and holds no record of it.",
            *KEEPS,
            "No queue manager in the twin defines NADA.",
        ],
    ),
    (
        "FAR",
        {},
        2087,
        [
            (
                "QM1 has no transmission queue and no queue manager alias QM9, and its DEFXMITQ is"
                " blank."
            ),
            "FA, a full repository of CA, is asked by this call, and holds no record of it.",
            *KEEPS,
            "QM9 is not in the twin; did you mean QM4 or QM3 or QM2?",
        ],
    ),
    (
        "ORDERS",
        {"to": "QM1"},
        2085,
        [
            "QM1 was named as the queue manager, so only its own queues count.",
            "QLOCAL(ORDERS) at QM2 is shared in cluster CA; its record is held by FA.",
            "QLOCAL(ORDERS) at QM3 is not shared in a cluster.",
            "QLOCAL(ORDERS) at QM4 is shared in cluster CA; its record is held by FA.",
        ],
    ),
]


@pytest.mark.parametrize(("queue", "options", "reason", "notes"), UNKNOWN)
def test_an_unknown_name_is_explained(
    twin: Twin, queue: str, options: dict[str, Any], reason: int, notes: list[str]
) -> None:
    """It is said where the name is defined, who would know it, and when to ask again."""
    explanation = explained(twin, queue, **options)
    assert (explanation.reason, list(explanation.notes)) == (reason, notes)
    put = twin.put("QM1", queue, **options)
    assert put.reason == reason


def test_a_queue_manager_alias_that_is_opened_as_a_queue_is_named(twin: Twin) -> None:
    """FA knows it and answers, but it is no queue: with a queue it is named as ObjectQMgrName."""
    instead = "QM3 is a queue manager alias: name a queue, and QM3 as ObjectQMgrName (--to QM3)."
    for _ in range(2):  # before it was asked for, and after
        explanation = explained(twin, "QM3")
        assert explanation.reason == 2085
        assert explanation.notes == (
            "QM1 has no queue QM3.",
            "FA, a full repository of CA, knows it as a queue manager alias alone.",
            "QREMOTE(QM3) at GW is shared in cluster CA; its record is held by FA.",
            instead,
        )
        assert twin.open_queue("QM1", "QM3").reason == 2085
    full = twin.rehearse().explain("FA", ExplainRequest(queue="QM3"))
    assert (
        full.notes[1]
        == "FA is a full repository of CA and knows it as a queue manager alias alone."
    )
    assert explained(twin, "STOCK", to="QM3").reason == 0


def test_asking_again_is_advised_once_for_all_channels(twin: Twin) -> None:
    """It helps for a name that nobody has only if that has come by then."""
    twin.endmqm("FA")
    for queue, to, joins in (("ORDERS", "ZZ", "ZZ has joined"), ("NADA", "", "a member shares it")):
        notes = explained(twin, queue, to=to).notes
        advice = [each for each in notes if each.startswith("Asking again")]
        assert advice == [f"Asking again helps once CA.FA runs, but only if {joins} by then."]


def test_what_one_full_repository_said_is_not_contradicted(twin: Twin) -> None:
    """Where one was asked, the request stands: a channel to another one changes nothing now."""
    twin.crtmqm("FX")
    twin.strmqm("FX")
    twin.runmqsc(
        "FX",
        "ALTER QMGR REPOS(CA)\n"
        "DEFINE CHANNEL(CA.FX) CHLTYPE(CLUSRCVR) CONNAME('fx(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CA.FA) CHLTYPE(CLUSSDR) CONNAME('fa(1414)') CLUSTER(CA)",
    )
    twin.endmqm("FA")
    notes = explained(twin, "NADA").notes
    assert "FX, a full repository of CA, is asked by this call, and holds no record of it." in notes
    assert "FA, a full repository of CA, does not get the request." in notes
    assert [each for each in notes if each.startswith("Asking again")] == []
    assert "Until one comes, another open fails, too." in notes


def test_an_earlier_request_is_named_with_its_instant(twin: Twin) -> None:
    """A name that was asked for before is not asked for again: the first request still counts."""
    twin.open_queue("QM1", "STOCK")
    twin.pass_time(twin.now() + HOUR)
    assert explained(twin, "STOCK").notes[1:4] == (
        (
            "FA, a full repository of CA, was asked at 2026-01-01T10:00:00Z, and holds no record of"
            " it."
        ),
        *KEEPS,
    )
    twin.runmqsc("QM2", "DEFINE QLOCAL(STOCK) CLUSTER(CA)")
    assert explained(twin, "STOCK").reason == 0  # sent, and not asked for again


def test_a_repository_that_cannot_be_asked_is_named(twin: Twin) -> None:
    """Without an answer (2189) the channel to the full repository is named, and its next retry."""
    twin.endmqm("FA")
    explanation = explained(twin, "ORDERS")
    assert explanation.reason == 2189
    assert explanation.notes[1:5] == (
        "FA, a full repository of CA, does not get the request.",
        "CA.FA is RETRYING, next retry 2026-01-01T10:01:00Z; FA has ended.",
        "Asking again helps once CA.FA runs.",
        "QLOCAL(ORDERS) at QM2 is shared in cluster CA; its record is held by FA.",
    )
    twin.strmqm("FA")
    twin.pass_time(twin.now() + MINUTE)
    assert explained(twin, "ORDERS").reason == 0


def test_a_record_that_no_full_repository_has_is_looked_for_at_its_owner(twin: Twin) -> None:
    """A definition that was not published yet waits at its queue manager, for a channel."""
    twin.link("cut", "QM2", "FA")
    twin.runmqsc("QM2", "DEFINE QLOCAL(NEW) CLUSTER(CA)\nDEFINE QLOCAL(OTHER) CLUSTER(CZ)")
    waiting = "but its record waits at QM2: CA.FA is RETRYING"
    (*_, last) = explained(twin, "NEW").notes
    assert last.startswith(f"QLOCAL(NEW) at QM2 is shared in cluster CA, {waiting}")
    assert explained(twin, "OTHER").notes[-1] == (
        "QLOCAL(OTHER) at QM2 is shared in cluster CZ, but QM2 has no CLUSRCVR there."
    )
    assert explained(twin, "STOCK", qmgr="FA").notes[1] == (
        "FA is a full repository of CA and holds no record of it."
    )


def test_a_partner_that_no_longer_has_the_channel_is_named(twin: Twin) -> None:
    """A receiving end that was deleted is the obstacle, and the doctor can look at its channel."""
    twin.open_queue("QM1", "ORDERS")
    twin.runmqsc("QM2", "SUSPEND QMGR CLUSTER(CA) MODE(FORCE)")
    twin.runmqsc("QM1", "START CHANNEL(CA.QM2)")
    twin.link("cut", "QM2", "FA")
    twin.runmqsc("QM2", "DELETE CHANNEL(CA.QM2)")
    assert about(explained(twin, "ORDERS", to="QM2"))[1].endswith(
        "QM2 has no receiving end of CA.QM2."
    )
    found = {row["id"] for row in twin.ask("doctor").rows}
    assert "channel-retrying" in found
