"""Definitions in saved answers to DISPLAY."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox import START, Sandbox
from twin.app.session import MqscSession
from twin.events import ListenersObserved, ObjectsObserved
from twin.feeds.detect import FileFormat
from twin.feeds.observed import PassedOver
from twin.feeds.observed_captures import CapturesObserved, observe_captures
from twin.fold.estate import Estate
from twin.model.instants import DAY, AsOf
from twin.rules.deriving import derive

WORDS = "QUEUE CHANNEL NAMELIST TOPIC LISTENER PROCESS SERVICE AUTHINFO COMMINFO".split()
DEFINED = """
DEFINE QLOCAL(Q1) TRIGGER NOSHARE PUT(DISABLED) DESCR('it''s (x), y') MAXDEPTH(7) CLUSTER(CA)
ALTER QLOCAL(Q1) DEFBIND(NOTFIXED) USAGE(XMITQ) CLCHNAME('CA.*')
DEFINE QALIAS(QA) TARGET(Q1) CUSTOM('CAPEXPRY(10)')
DEFINE QREMOTE(QR) RNAME(X) RQMNAME(B) XMITQ(Q1)
DEFINE QMODEL(QM) DEFTYPE(PERMDYN)
DEFINE NAMELIST(N) NAMES(A, B, C)
DEFINE CHANNEL(S) CHLTYPE(SDR) CONNAME('a(1),b(2)') XMITQ(Q1) MSGDATA(a,b) COMPHDR(SYSTEM)
DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('x(1414)') QMNAME(A)
DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1415) IPADDR('1.2.3.4') CONTROL(QMGR)
DEFINE TOPIC(T) TOPICSTR('a/b') CLUSTER(CA) DURSUB(NO)
DEFINE PROCESS(P) APPLICID('x y') APPLTYPE(UNIX)
DEFINE SERVICE(SV) STARTCMD('/a') SERVTYPE(SERVER)
DEFINE AUTHINFO(AI) AUTHTYPE(OCSP) OCSPURL('http://x')
DEFINE COMMINFO(CI) TYPE(MULTICAST) MCHBINT(5)
"""


def shown(box: Sandbox, *commands: str) -> list[str]:
    """Return what queue manager A answers, as a session of runmqsc."""

    def look(question: Callable[[Estate, AsOf], Any]) -> Any:
        return question(box.estate, box.as_of)

    return list(MqscSession.reading(look, "A").run("\n".join(commands)).lines)


def observed(box: Sandbox, lines: list[str]) -> CapturesObserved:
    """Read a session."""
    return observe_captures(lines, FileFormat.RUNMQSC_OUTPUT, qmgr="A", estate=box.estate)


def stated(found: CapturesObserved) -> list[ObjectsObserved]:
    """Return what a session says of objects."""
    return [each for each in found.events if isinstance(each, ObjectsObserved)]


RULES = """
SET CHLAUTH('CA.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
SET CHLAUTH('CA.*') TYPE(QMGRMAP) QMNAME(B) USERSRC(CHANNEL)
SET CHLAUTH(APP.SVRCONN) TYPE(BLOCKUSER) USERLIST('nobody', 'guest')
SET CHLAUTH(APP.SVRCONN) TYPE(SSLPEERMAP) SSLPEER('CN=a') USERSRC(MAP) MCAUSER('app')
SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1')
SET AUTHREC PROFILE(Q1) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(GET, PUT)
SET AUTHREC PROFILE(Q1) OBJTYPE(QUEUE) GROUP('ops') AUTHADD(NONE)
SET AUTHREC OBJTYPE(QMGR) GROUP('ops') AUTHADD(CONNECT)
"""


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("DISPLAY CHLAUTH(*) ALL", "CHLAUTH"),
        ("DISPLAY CHLAUTH(*)", "CHLAUTH"),
        ("DISPLAY AUTHREC", "AUTHREC"),
    ],
)
def test_rules_and_authorities_that_are_displayed_are_those_that_were_set(
    command: str, kind: str
) -> None:
    """Each comes back under its name, with what it matches and grants; the answer has all."""
    box = Sandbox().create("A").full("A", "B")
    box.run("A", RULES)
    found = observed(box, shown(box, command))
    assert (found.not_understood, found.passed_over) == ((), ())
    (event,) = stated(found)
    assert (event.kind, event.complete) == (kind, "*")
    known = {
        name: definition.values
        for (of, name), definition in box.estate.qmgr("A").definitions.items()
        if of == kind
    }
    assert {each.name for each in event.said} == set(known)
    if command != "DISPLAY CHLAUTH(*)":
        defaults = {("USERSRC", "MAP"), ("CHCKCLNT", "ASQMGR"), ("WARN", "NO")}
        assert {each.name: set(each.values.items()) - defaults for each in event.said} == {
            name: set(values.items()) - defaults for name, values in known.items()
        }


@pytest.mark.parametrize(
    "options",
    [
        "PROFILE(Q1)",
        "OBJTYPE(QUEUE)",
        "GROUP('ops')",
        "MATCH(EXACT) PROFILE(Q1)",
        "ENTITY",
        "AUTHLIST",
    ],
)
def test_authority_records_are_complete_only_if_all_were_asked_for(options: str) -> None:
    """A selection of records or of columns says nothing of the records that it does not show."""
    box = Sandbox().create("A")
    box.run("A", RULES)
    found = observed(box, shown(box, f"DISPLAY AUTHREC {options}"))
    assert all(event.complete is None for event in stated(found))
    known = box.estate.qmgr("A").definitions
    for each in (each for event in stated(found) for each in event.said):
        assert each.values["AUTHLIST"] == known["AUTHREC", each.name].values["AUTHLIST"]


def test_what_is_displayed_is_defined_again() -> None:
    """All definitions come back with their types, values and dates; each kind is complete."""
    box = Sandbox().create("A").full("A", "B")
    box.run("A", DEFINED)
    found = observed(box, shown(box, *(f"DISPLAY {word}(*) ALL" for word in WORDS)))
    assert found.not_understood == ()
    assert {each.kind for each in stated(found) if each.complete == "*"} == set(WORDS)
    definitions = box.estate.qmgr("A").definitions
    said = {(event.kind, each.name): each for event in stated(found) for each in event.said}
    assert {key: (each.type, each.values) for key, each in said.items()} == {
        key: (each.type, dict(each.values))
        for key, each in definitions.items()
        if key[0] in {*WORDS, "CLNTCONN"}
    }
    own = [key for key in said if not key[1].startswith("SYSTEM.")]
    assert [said[key].altered for key in own] == [definitions[key].altered for key in own]


@pytest.mark.parametrize(
    ("command", "said", "complete"),
    [
        ("DISPLAY QUEUE(Q*) ALL", {"Q1", "QA", "QM", "QR"}, "Q*"),
        ("DISPLAY QUEUE(Q1)", {"Q1"}, "Q1"),
        ("DISPLAY QLOCAL(Q*) ALL", {"Q1"}, None),
        ("DISPLAY QUEUE(Q*) TYPE(QALIAS) ALL", {"QA"}, None),
        ("DISPLAY QUEUE(Q*) WHERE(DEFPSIST EQ NO) ALL", {"Q1", "QA", "QM", "QR"}, None),
        ("DISPLAY CHANNEL(S) ALL", {"S"}, "S"),
    ],
)
def test_an_answer_about_some_objects_says_nothing_of_others(
    command: str, said: set[str], complete: str | None
) -> None:
    """Only one about all types of queues, or channels, says which names do not exist."""
    box = Sandbox().create("A").full("A", "B")
    box.run("A", DEFINED)
    (event,) = stated(observed(box, shown(box, command)))
    assert {each.name for each in event.said} == said
    assert event.complete == complete


def test_what_an_answer_lacks_is_said_in_one_line() -> None:
    """Without ALL, or cut, it gives no definition."""
    box = Sandbox().create("A").full("A", "B")
    box.run("A", DEFINED)
    some = observed(box, shown(box, "DISPLAY QLOCAL(*) PUT", "DISPLAY QUEUE(*)"))
    assert stated(some) == []
    (note,) = some.notes
    assert note.endswith("where the command does not show ALL: 2, the first in line 5")
    whole = shown(box, "DISPLAY QUEUE(*) ALL")
    cut = observed(box, whole[: len(whole) // 2])
    assert stated(cut) == []
    (problem,) = [each for each in cut.not_understood if "no definition" in each.why]
    assert problem.why.endswith("no definition is taken from it: its end is missing")


def test_an_answer_that_says_nothing_is_passed_over_with_the_number_of_its_rows() -> None:
    """Connections are in one line, and in no note."""
    box = Sandbox().create("A")
    connections = """     1 : DISPLAY CONN(*) ALL
AMQ8276I: Display Connection details.
   CONN(A1)
   APPLTAG(one)
AMQ8276I: Display Connection details.
   CONN(A2)
   APPLTAG(two)
One MQSC command read.
""".splitlines()
    found = observed(box, connections)
    assert found.passed_over == (PassedOver(1, "DISPLAY CONN", "*", rows=2),)
    assert not found.notes


def test_a_temporary_queue_is_not_defined_by_what_shows_it() -> None:
    """It exists; that is all."""
    box = Sandbox().create("A")
    box.run("A", "DEFINE QLOCAL(Q1)")
    lines = [
        each.replace("DEFTYPE(PREDEFINED)", "DEFTYPE(TEMPDYN)")
        for each in shown(box, "DISPLAY QUEUE(Q1) ALL")
    ]
    (event,) = stated(observed(box, lines))
    assert [(each.act, each.name, each.values) for each in event.said] == [("alter", "Q1", {})]


def test_definitions_of_a_sharing_group_are_not_those_of_its_members() -> None:
    """On z/OS, a queue manager has the copy; what is for z/OS only is kept as it is shown."""
    lines = """CSQU055I Target queue manager is A
DISPLAY QUEUE(*) TYPE(ALL) ALL
CSQM401I !A QUEUE(ORDERS          ) TYPE(QLOCAL  ) QSGDISP(COPY    ) MAXDEPTH(      7) NOTRIGGER
CSQM401I !A QUEUE(ORDERS          ) TYPE(QLOCAL  ) QSGDISP(GROUP   ) MAXDEPTH(      9) TRIGGER
CSQ9022I !A CSQMDRTS ' DISPLAY QUEUE' NORMAL COMPLETION
""".splitlines()
    found = observed(Sandbox(), lines)
    (event,) = stated(found)
    values = {"MAXDEPTH": 7, "QSGDISP": "COPY"}
    assert [(each.name, each.values) for each in event.said] == [("ORDERS", values)]
    assert (event.complete, found.notes) == ("*", ())


def test_definitions_of_an_answer_count_as_those_of_a_dump() -> None:
    """What is not in a complete answer has vanished."""
    box = Sandbox().create("A").full("A", "B")
    lines = shown(box, "DISPLAY QMGR ALL", "DISPLAY QUEUE(*) ALL")
    box.run("A", DEFINED)
    box.pass_time(DAY)
    for event in observed(box, lines).events:
        derive(box.draft, event)
    names = {name for kind, name in box.estate.qmgr("A").definitions if kind == "QUEUE"}
    assert names.isdisjoint({"Q1", "QA", "QR", "QM"})


def test_listeners_run_as_they_were_seen() -> None:
    """One that was seen starts; another stops only if a complete answer does not show it."""
    box = Sandbox().create("A")
    box.run("A", "DEFINE LISTENER(L1) TRPTYPE(TCP)\nDEFINE LISTENER(L2) TRPTYPE(TCP)")

    def seen(*names: str, complete: str | None) -> set[str]:
        derive(box.draft, ListenersObserved(qmgr="A", running=names, complete=complete))
        return set(box.estate.qmgr("A").activity.listeners)

    assert seen("L1", complete=None) == {"L1"}
    assert seen("L2", complete=None) == {"L1", "L2"}
    assert seen(complete="L1") == {"L2"}
    assert seen("L1", complete="*") == {"L1"}
    again = observed(box, shown(box, "DISPLAY LSSTATUS(*) ALL"))
    assert [type(each) for each in again.states] == [ListenersObserved]
    assert seen(*again.states[0].running, complete=again.states[0].complete) == {"L1"}  # type: ignore[attr-defined]
    assert box.draft.at == START
