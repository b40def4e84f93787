"""MQSC scripts as observations: they add to what is known."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.observing import START, Record, reasons
from twin.events import StatedObject
from twin.fold.estate import Estate
from twin.fold.replay import apply

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples"


def test_a_script_says_what_its_commands_say() -> None:
    """There is one event for each kind of object, and in it one statement for each command."""
    seen = Record().take(
        "ALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(B) MAXDEPTH(7)\nDEFINE QALIAS(A) TARGQ(B)\n"
    )
    own, queues = seen.events
    assert (own.kind, own.lines) == ("QMGR", (1,))
    assert own.said == (StatedObject(act="alter", name="", type="QMGR", values={"DEADQ": "DLQ"}),)
    assert (queues.kind, queues.lines, queues.complete) == ("QUEUE", (2, 3), None)
    assert queues.said == (
        StatedObject(
            name="B", type="QLOCAL", base="SYSTEM.DEFAULT.LOCAL.QUEUE", values={"MAXDEPTH": 7}
        ),
        StatedObject(
            name="A", type="QALIAS", base="SYSTEM.DEFAULT.ALIAS.QUEUE", values={"TARGET": "B"}
        ),
    )
    assert seen.counts == {
        "commands": 3,
        "taken": 3,
        "passed over": 0,
        "not understood": 0,
        "recorded": 4,
    }


def test_a_queue_manager_without_a_qmid_gets_one_of_that_instant() -> None:
    """A made QMID is one that nobody had: that of the next second if another had it."""
    record = Record()
    record.take("DEFINE QLOCAL(A)")
    qmgr = record.estate().qmgr("QM1")
    assert (qmgr.qmid, qmgr.cmdlevel, qmgr.platform) == ("QM1_2026-01-01_00.00.00", 940, "UNIX")
    (event,) = (event for _, event in record.rows)
    estate = Estate(names={qmgr.qmid: "QM1"})
    apply(estate, event, START, 1)
    assert estate.qmgr("QM1").qmid == "QM1_2026-01-01_00.00.01"


def test_an_explicit_default_is_no_change() -> None:
    """An attribute that repeats a default changes nothing."""
    record = Record()
    record.take("DEFINE QLOCAL(A)")
    again = record.take("DEFINE QLOCAL(A) MAXDEPTH(5000) DEFBIND(OPEN) SHARE DESCR(' ') REPLACE")
    assert record.news == {}
    assert again.counts["taken"] == 1


def test_a_define_goes_back_to_the_template_as_known() -> None:
    """An attribute that a DEFINE omits has the value of the known template."""
    record = Record()
    record.take(
        "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(9)\nDEFINE QLOCAL(A) PUT(DISABLED)"
    )
    assert record.known("QUEUE", "A").values == {"MAXDEPTH": 9, "PUT": "DISABLED"}
    record.take("DEFINE QLOCAL(A) DESCR('x') REPLACE", at="+1h")
    assert record.known("QUEUE", "A").values == {"MAXDEPTH": 9, "DESCR": "x"}


def test_like_takes_the_values_of_another_object() -> None:
    """LIKE copies a known object; with an unknown one the command is not understood."""
    record = Record()
    record.take("DEFINE QLOCAL(A) MAXDEPTH(3) PUT(DISABLED)")
    seen = record.take("DEFINE QLOCAL(B) LIKE(A) PUT(ENABLED)\nDEFINE QLOCAL(C) LIKE(NONE)")
    assert record.known("QUEUE", "B").values == {"MAXDEPTH": 3}
    assert reasons(seen) == [(2, "unknown QUEUE NONE")]


def test_alter_adds_to_what_is_known() -> None:
    """An ALTER keeps other attributes; of an unknown object it is not understood."""
    record = Record()
    record.take("DEFINE QLOCAL(A) MAXDEPTH(3)")
    seen = record.take("ALTER QLOCAL(A) PUT(DISABLED)\nALTER QLOCAL(B) PUT(DISABLED)")
    assert record.known("QUEUE", "A").values == {"MAXDEPTH": 3, "PUT": "DISABLED"}
    assert reasons(seen) == [(2, "unknown QUEUE B")]


def test_a_define_without_replace_of_a_known_object_is_taken() -> None:
    """A DEFINE without REPLACE of a known object is recorded: an observation says what exists."""
    record = Record()
    record.take("DEFINE QLOCAL(A) MAXDEPTH(3)")
    record.take("DEFINE QALIAS(A) TARGET(B)")
    assert record.known("QUEUE", "A").type == "QALIAS"


def test_delete_lets_a_known_object_vanish() -> None:
    """A DELETE of a known object removes it; of an unknown object it changes nothing."""
    record = Record()
    record.take("DEFINE QLOCAL(A)\nDEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME(H)")
    record.take("DELETE QLOCAL(A) PURGE\nDELETE QLOCAL(NONE)\nDELETE CHANNEL(C)")
    assert record.news == {("QUEUE", "A"): None, ("CLNTCONN", "C"): None}


def test_only_what_a_file_comes_to_counts() -> None:
    """Several commands about one object are one change, or none if they cancel out."""
    record = Record()
    record.take("DEFINE QLOCAL(A)")
    record.take(
        "DELETE QLOCAL(A)\nDEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\nALTER QLOCAL(B) PUT(DISABLED)\n"
        "DEFINE QLOCAL(C)\nDELETE QLOCAL(C)\n"
    )
    assert list(record.news) == [("QUEUE", "B")]


def test_commands_that_define_nothing_are_passed_over() -> None:
    """Commands such as START, STOP, REFRESH and DISPLAY are counted and record nothing."""
    seen = Record().take(
        "START LISTENER(L)\nREFRESH SECURITY\nDISPLAY QMGR\nSTOP CHANNEL(C)\nSET LOG ARCHIVED(X)\n"
    )
    assert seen.counts["passed over"] == 5
    assert seen.events == ()
    assert seen.not_understood == ()


def test_definitions_for_zos_only_are_passed_over() -> None:
    """Storage classes, buffer pools and page sets of z/OS are passed over."""
    seen = Record().take(
        "DEFINE STGCLASS(REMOTE) PSID(2)\nALTER BUFFPOOL(1) BUFFERS(9)\nDELETE PSID(3)\n"
    )
    assert (seen.counts["passed over"], seen.counts["not understood"]) == (3, 0)
    assert seen.events == ()


def test_attributes_of_zos_and_old_cipherspecs_are_kept() -> None:
    """An import keeps z/OS attributes and CipherSpecs that a DEFINE would refuse."""
    record = Record()
    seen = record.take(
        "DEFINE NOREPLACE QLOCAL('A') STGCLASS('REMOTE')\n"
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLCIPH(WITHDRAWN_SPEC)\n"
        "DEFINE LISTENER(L) TRPTYPE(TCP) NOVELTY(1)\n"
    )
    assert reasons(seen) == []
    kept = [each.values for each in record.news.values() if each is not None]
    assert kept == [{"SSLCIPH": "WITHDRAWN_SPEC"}, {"NOVELTY": "1"}, {"STGCLASS": "REMOTE"}]


def test_an_unknown_keyword_is_reported_and_its_command_is_taken() -> None:
    """A keyword that twin does not know is named in the report; the rest of its command counts."""
    record = Record()
    seen = record.take(
        "DEFINE QLOCAL(A) NOVELTY(1) MAXDEPTH(3) BARENEW\n"
        "ALTER QLOCAL(A) NOVELTY(2) PUT(DISABLED)\n"
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) NOVELTY(1) DESCR('x')\n"
        "ALTER QMGR NOVELTY(1) DEADQ(DLQ)\n"
    )
    unknown = "NOVELTY is an unknown keyword"
    assert [each[:3] for each in seen.not_understood] == [
        (1, "DEFINE QLOCAL(A) NOVELTY(1)", unknown),
        (1, "DEFINE QLOCAL(A) BARENEW", "BARENEW is an unknown keyword"),
        (2, "ALTER QLOCAL(A) NOVELTY(2)", unknown),
        (3, "DEFINE CHANNEL(C) NOVELTY(1)", unknown),
        (4, "ALTER QMGR NOVELTY(1)", unknown),
    ]
    assert (seen.counts["taken"], seen.counts["not understood"]) == (4, 0)
    assert record.known("QUEUE", "A").values == {"MAXDEPTH": 3, "PUT": "DISABLED"}
    assert record.known("CHANNEL", "C").values == {"DESCR": "x"}
    assert record.estate().qmgr("QM1").values == {"DEADQ": "DLQ"}


def test_what_runmqsc_would_refuse_is_not_understood() -> None:
    """A command that cannot be used is reported with line and reason; the others are recorded.

    Only a command whose single fault is an unknown keyword is recorded, without that keyword.
    """
    record = Record()
    seen = record.take(
        "DEFINE QLOCAL(A) NOSUCH(1)\n"
        "* a comment\n"
        "DEFINE QLOCAL(B) +\n  CLUSTER(C) CLUSNL(N)\n"
        "DEFINE CHANNEL(C) CONNAME(H)\n"
        "NONSENSE\n"
        "DEFINE QLOCAL('no name')\n"
        "DEFINE QLOCAL(GOOD)\n"
        "DEFINE QLOCAL(LONG) DESCR('" + "x" * 3000 + "')\n"
    )
    assert reasons(seen) == [
        (1, "NOSUCH is an unknown keyword"),
        (3, "CLUSTER and CLUSNL exclude each other"),
        (5, "CHLTYPE is missing or is not a channel type"),
        (6, "is not an MQSC command from here on"),
        (7, "'no name' is not a legal name"),
        (9, "is longer than MQSC allows"),
    ]
    assert list(record.news) == [("QUEUE", "A"), ("QUEUE", "GOOD")]


def test_attributes_of_the_queue_manager_agree_with_what_is_known() -> None:
    """REPOSNL is refused while REPOS is known, and accepted if it replaces REPOS."""
    record = Record()
    record.take("ALTER QMGR REPOS(CA)")
    assert reasons(record.take("ALTER QMGR REPOSNL(NL)")) == [
        (1, "REPOS and REPOSNL exclude each other")
    ]
    record.take("ALTER QMGR REPOS(' ') REPOSNL(NL)")
    assert record.estate().qmgr("QM1").values == {"REPOS": "", "REPOSNL": "NL"}


def test_a_script_needs_a_queue_manager() -> None:
    """A script without a queue manager records nothing and gives a reason."""
    seen = Record().take("DEFINE QLOCAL(A)", qmgr=None)
    assert seen.events == ()
    assert reasons(seen) == [(1, "names no queue manager; name the one that it belongs to")]


def test_an_illegal_name_is_refused() -> None:
    """A queue manager name with a blank is refused."""
    seen = Record().take("DEFINE QLOCAL(A)", qmgr="QM 1")
    assert seen.events == ()
    why = "cannot belong to 'QM 1', which is not a legal queue manager name"
    assert reasons(seen) == [(1, why)]


def test_records_are_named_by_what_they_match() -> None:
    """Two rules of a profile are separate records; authorities are added and removed."""
    record = Record()
    record.take(
        "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('1.*') USERSRC(CHANNEL)\n"
        "SET CHLAUTH('C') TYPE(USERMAP) CLNTUSER('u') USERSRC(NOACCESS)\n"
        "SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)\n"
        "SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET,INQ) AUTHRMV(PUT)\n"
    )
    assert record.has("CHLAUTH", "C ADDRESSMAP 1.*")
    assert record.has("CHLAUTH", "C USERMAP u")
    assert record.known("AUTHREC", "Q QUEUE g").values["AUTHLIST"] == ("GET", "INQ")
    record.take(
        "SET CHLAUTH('C') TYPE(USERMAP) ACTION(REMOVEALL)\nDELETE AUTHREC PROFILE('Q') +\n"
        " OBJTYPE(QUEUE) GROUP('g')"
    )
    assert record.has("CHLAUTH", "C ADDRESSMAP 1.*")
    assert not record.has("CHLAUTH", "C USERMAP u")
    assert not record.has("AUTHREC", "Q QUEUE g")


def test_an_implied_value_of_a_rule_is_no_change() -> None:
    """WARN(NO) and CHCKCLNT(ASQMGR) are the defaults of a rule, and no change."""
    record = Record()
    record.take("SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)")
    again = "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) WARN(NO) +\n"
    record.take(again + " CHCKCLNT(ASQMGR) ACTION(REPLACE)")
    assert record.news == {}


def test_a_file_that_alters_a_template_behind_its_use_is_taken_once() -> None:
    """A file that alters a template after its use changes nothing when it is imported again."""
    script = (
        "DEFINE QLOCAL(A) REPLACE\nALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(9)\n"
        "DEFINE QLOCAL(B) REPLACE\nDEFINE QLOCAL(C) LIKE(A) REPLACE\n"
        "ALTER QLOCAL(A) PUT(DISABLED)\n"
    )
    record = Record()
    record.take(script)
    assert record.known("QUEUE", "A").values == {"PUT": "DISABLED"}
    assert record.known("QUEUE", "B").values == {"MAXDEPTH": 9}
    assert record.known("QUEUE", "C").values == {}
    record.take(script, at="+1h")
    assert record.news == {}


def test_a_late_script_is_held_against_the_estate_of_its_own_instant() -> None:
    """A late script is compared with the estate of its instant, and later facts stay in force."""
    record = Record()
    record.take("DEFINE QLOCAL(A) MAXDEPTH(1)", at="+1d")
    record.take("ALTER QLOCAL(A) MAXDEPTH(3)", at="+3d")
    record.take("ALTER QLOCAL(A) MAXDEPTH(2) PUT(DISABLED)\nDEFINE QLOCAL(B)", at="+2d")
    assert list(record.news) == [("QUEUE", "A"), ("QUEUE", "B")]
    assert record.known("QUEUE", "A", at="+2d").values == {"MAXDEPTH": 2, "PUT": "DISABLED"}
    assert record.known("QUEUE", "A", at="+3d").values["MAXDEPTH"] == 3
    assert record.has("QUEUE", "B")
    assert not record.has("QUEUE", "B", at="+1d")


COMMANDS: Final = st.sampled_from(
    [
        *(f"DEFINE QLOCAL({name}) MAXDEPTH({depth}) REPLACE" for name in "AB" for depth in (1, 2)),
        *(f"DEFINE QLOCAL({name}) LIKE({like}) REPLACE" for name in "AB" for like in "BC"),
        *(f"ALTER QLOCAL({name}) DESCR('{text}')" for name in "ABC" for text in "xy"),
        *(f"DELETE QLOCAL({name})" for name in "AB"),
        "DEFINE QLOCAL(C) REPLACE",
        "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) PUT(DISABLED)",
        "ALTER QMGR REPOS(CA)",
        "ALTER QMGR REPOS(' ') DESCR('x')",
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT) AUTHRMV(GET)",
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET)",
    ]
)


@given(st.lists(COMMANDS, max_size=6, unique=True).filter(lambda found: not _chained(found)))
def test_importing_a_script_twice_changes_nothing(commands: list[str]) -> None:
    """Any script that is imported again changes nothing."""
    record = Record()
    record.take("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) GET(DISABLED)\nDEFINE QLOCAL(C)")
    script = "\n".join(commands)
    record.take(script)
    record.take(script, at="+1h")
    assert (record.news, record.own_news) == ({}, False)


def _chained(commands: list[str]) -> bool:
    """Return whether a copied object is deleted, copied or redefined after its copy.

    A second import cannot distinguish such a source from the result of the first import.
    """
    text = " ".join(commands)
    copies = [place for place, command in enumerate(commands) if "LIKE" in command]
    behind = " ".join(commands[min(copies, default=0) + 1 :])
    return bool(copies) and ("DELETE" in text or "DEFINE" in behind)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_real_scripts_are_taken_once() -> None:
    """A real script that is imported again changes nothing."""
    paths = [path for path in SAMPLES.glob("*/mqsc/**/*") if path.suffix.lower() == ".mqsc"]
    assert len(paths) > 100
    for path in sorted(paths):
        record = Record()
        text = path.read_text(encoding="utf-8", errors="replace")
        name = None if "Script generated on" in text else "QM1"
        seen = record.take(text, qmgr=name)
        counts = dict(seen.counts)
        total = counts["taken"] + counts["passed over"] + counts["not understood"]
        assert total == counts["commands"] > 0, path
        record.take(text, qmgr=name, at="+1h")
        assert (record.news, record.own_news) == ({}, False), path
