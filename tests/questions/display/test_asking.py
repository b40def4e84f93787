"""The parameters of DISPLAY: names, attributes, ALL, WHERE, and errors."""

from __future__ import annotations

import pytest

from tests.questions.display.shown import ask, column, lines, problem, rows
from tests.sandbox import Sandbox
from twin.fold.estate import NoSuchQueueManager
from twin.mqsc.layout import lay_out
from twin.mqsc.readback import read_back
from twin.questions.display._display import VIEWS

QUEUES = """
DEFINE QLOCAL(APP.ONE) MAXDEPTH(10) DESCR('first') TRIGGER
DEFINE QLOCAL(APP.TWO) MAXDEPTH(20) CLUSTER(CA)
DEFINE QALIAS(APP.ALIAS) TARGET(APP.ONE)
DEFINE NAMELIST(APP.LIST) NAMES(CA, CB)
DEFINE NAMELIST(APP.OTHER) NAMES(CC)
"""


@pytest.fixture
def sandbox() -> Sandbox:
    """Make one queue manager with a few queues."""
    sandbox = Sandbox().create("QM1")
    sandbox.run("QM1", QUEUES)
    return sandbox


def test_a_generic_name_shows_name_and_type_only(sandbox: Sandbox) -> None:
    """A generic name without attributes shows the first cells of each object, by name."""
    assert rows(sandbox, "QM1", "DISPLAY QUEUE(APP.*)") == [
        {"queue": "APP.ALIAS", "type": "QALIAS"},
        {"queue": "APP.ONE", "type": "QLOCAL"},
        {"queue": "APP.TWO", "type": "QLOCAL"},
    ]


def test_an_exact_name_shows_everything(sandbox: Sandbox) -> None:
    """An exact name without attributes is the same as ALL."""
    exact = ask(sandbox, "QM1", "DISPLAY QLOCAL(APP.ONE)")
    assert exact == ask(sandbox, "QM1", "DISPLAY QLOCAL(APP.ONE) ALL")
    assert len(exact.records[0].cells) > 50


def test_attributes_stand_in_the_order_of_the_table(sandbox: Sandbox) -> None:
    """Attributes are shown in the order of the table, not of the command."""
    assert lines(sandbox, "QM1", "DIS QL(APP.ONE) MAXDEPTH DESCR") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(APP.ONE)                          TYPE(QLOCAL)",
        "   DESCR(first)                            MAXDEPTH(10)",
    ]


def test_an_attribute_of_some_types_is_shown_where_it_exists(sandbox: Sandbox) -> None:
    """An attribute is left out of rows whose type does not have it."""
    assert rows(sandbox, "QM1", "DIS Q(APP.*) TARGET TYPE(QALIAS)") == [
        {"queue": "APP.ALIAS", "type": "QALIAS", "target": "APP.ONE"}
    ]
    assert column(sandbox, "QM1", "DIS Q(APP.*) TARGET", "target") == ["APP.ONE", None, None]


def test_an_older_keyword_is_understood(sandbox: Sandbox) -> None:
    """The old keyword TARGQ means TARGET."""
    assert column(sandbox, "QM1", "DIS QA(APP.ALIAS) TARGQ", "target") == ["APP.ONE"]


def test_a_flag_shows_as_a_bare_keyword(sandbox: Sandbox) -> None:
    """A flag requested as NOTRIGGER is shown as TRIGGER alone, and as YES among the values."""
    (record,) = ask(sandbox, "QM1", "DIS QL(APP.ONE) NOTRIGGER").records
    assert record.cells[2:] == (("TRIGGER", None),)
    assert record.values["trigger"] == "YES"


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("MAXDEPTH LT 20", ["APP.ONE"]),
        ("MAXDEPTH GT 10", ["APP.TWO"]),
        ("MAXDEPTH EQ 20", ["APP.TWO"]),
        ("MAXDEPTH NE 20", ["APP.ONE"]),
        ("MAXDEPTH LE 10", ["APP.ONE"]),
        ("MAXDEPTH GE 10", ["APP.ONE", "APP.TWO"]),
        ("DESCR LK 'fi*'", ["APP.ONE"]),
        ("DESCR NL 'fi*'", ["APP.TWO"]),
        ("CLUSTER EQ CA", ["APP.TWO"]),
        ("CLUSTER NE ' '", ["APP.TWO"]),
        ("TRIGGER EQ YES", ["APP.ONE"]),
        ("QUEUE LK APP.T*", ["APP.TWO"]),
    ],
)
def test_where_selects_by_one_attribute(sandbox: Sandbox, where: str, names: list[str]) -> None:
    """Every operator of WHERE compares the values that are shown."""
    assert column(sandbox, "QM1", f"DIS QL(APP.*) WHERE({where})", "queue") == names


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("NAMES CT CB", ["APP.LIST"]),
        ("NAMES EX CB", ["APP.OTHER"]),
        ("NAMES CTG C*", ["APP.LIST", "APP.OTHER"]),
        ("NAMES EXG CA*", ["APP.OTHER"]),
    ],
)
def test_where_selects_by_the_items_of_a_list(
    sandbox: Sandbox, where: str, names: list[str]
) -> None:
    """CT, EX, CTG and EXG look at the names in a namelist."""
    assert column(sandbox, "QM1", f"DIS NL(APP.*) WHERE({where})", "namelist") == names


def test_the_type_of_queues_has_two_keywords(sandbox: Sandbox) -> None:
    """QTYPE selects queues as TYPE does."""
    assert column(sandbox, "QM1", "DIS Q(APP.*) QTYPE(QALIAS)", "queue") == ["APP.ALIAS"]


def test_the_filtered_attribute_is_shown_too(sandbox: Sandbox) -> None:
    """The attribute of a filter is shown in addition to the requested ones."""
    assert rows(sandbox, "QM1", "DIS QL(APP.*) WHERE(MAXDEPTH LT 20) DESCR") == [
        {"queue": "APP.ONE", "type": "QLOCAL", "descr": "first", "maxdepth": 10}
    ]


def test_a_row_without_the_filtered_attribute_does_not_pass(sandbox: Sandbox) -> None:
    """A row without the attribute of a filter is left out, whatever the operator."""
    assert "APP.ALIAS" not in column(sandbox, "QM1", "DIS Q(APP.*) WHERE(MAXDEPTH NE 1)", "queue")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("DIS Q(NO.SUCH)", "AMQ8147 NO.SUCH"),
        ("DIS Q(NO.*)", "AMQ8147 NO.*"),
        ("DIS Q(APP.*) WHERE(MAXDEPTH GT 999)", "AMQ8147 APP.*"),
        ("DIS CHS(NO.SUCH)", "AMQ8420 NO.SUCH"),
        ("DIS CHLAUTH(NO.SUCH)", "AMQ8884 NO.SUCH"),
        ("DIS QS(APP.ONE) TYPE(HANDLE)", "AMQ8565 APP.ONE"),
        ("DIS QS(APP.ALIAS)", "AMQ8147 APP.ALIAS"),
        ("DIS CONN(*)", "AMQ8147 *"),
        ("DIS POLICY(*)", "AMQ8958 *"),
        ("DIS Q(*) WHERE(MAXDEPTH LK 1*)", "AMQ8569"),
        ("DIS Q(*) WHERE(MAXDEPTH GT MANY)", "AMQ8569"),
        ("DIS Q(*) WHERE(MAXDEPTH ABOUT 5)", "AMQ8569"),
        ("DIS NL(*) WHERE(NAMES GT A)", "AMQ8569"),
        ("DIS Q(*) WHERE(NOTHING EQ 5)", "AMQ8405 DIS Q(*) WHERE(NOTHING EQ 5)"),
        ("DIS Q(*) DESCR FOO MAXDEPTH", "AMQ8405 DIS Q(*) DESCR FOO"),
        ("DIS QL(*) TARGET", "AMQ8405 DIS QL(*) TARGET"),
        ("DIS QL(*) MAXDEPTH(5)", "AMQ8405 DIS QL(*) MAXDEPTH(5)"),
        ("DIS Q(*) TYPE(CLUSSDR)", "AMQ8405 DIS Q(*) TYPE(CLUSSDR)"),
        ("DIS CHL(*) CHLTYPE(QLOCAL)", "AMQ8405 DIS CHL(*) CHLTYPE(QLOCAL)"),
        ("DIS ENTAUTH OBJTYPE(QMGR)", "AMQ8147 *"),
        ("DIS CONN(*) WHERE(OBJNAME EQ APP.ONE)", "AMQ8147 *"),
        ("DIS CONN(*) TYPE(HANDLE) OBJNAME OBJTYPE", "AMQ8147 *"),
        ("DIS APSTATUS(*) TYPE(APPL)", "AMQ8147 *"),
        ("DIS APSTATUS(*) TYPE(QMGR)", "TWN0001 DISPLAY APSTATUS TYPE(QMGR)"),
        ("DIS TPSTATUS('a') TYPE(SUB)", "TWN0001 DISPLAY TPSTATUS TYPE(SUB)"),
        ("DIS TPSTATUS('a') TYPE(NOSUCH)", "AMQ8405 DIS TPSTATUS('a') TYPE(NOSUCH)"),
        ("DIS TPSTATUS('a') PUB", "TWN0001 DISPLAY TPSTATUS PUB"),
        ("DIS SUB(*) SUMMARY", "TWN0001 DISPLAY SUB SUMMARY"),
        ("DIS SUB SUBID('41')", "TWN0001 DISPLAY SUB SUBID(41)"),
        ("DIS SUB(*) WHERE(SUBID EQ 41)", "TWN0001 DISPLAY SUB WHERE(SUBID)"),
        ("DIS SUB(*) SUBTYPE(PROXY)", "AMQ8147 *"),
        ("DIS SBSTATUS(*) NUMMSGS", "TWN0001 DISPLAY SBSTATUS NUMMSGS"),
        ("DIS CHLAUTH(A) MATCH(RUNCHECK)", "TWN0001 DISPLAY CHLAUTH MATCH(RUNCHECK)"),
        ("DIS CHS(*) CHLTYPE(AMQP)", "TWN0001 DISPLAY CHSTATUS CHLTYPE(AMQP)"),
        ("DIS CHS(*) CURSHCNV MAXSHCNV", "AMQ8420 *"),
        ("DIS QS(*) TYPE(HANDLE) APPLTAG PID CHANNEL CONNAME", "AMQ8565 *"),
        ("DIS QS(*) APPLTAG", "AMQ8405 DIS QS(*) APPLTAG"),
        ("DIS STGCLASS(*) ALL", "AMQ8405 DIS STGCLASS"),
        ("DIS QMSTATUS TYPE(NATIVEHA)", "TWN0001 DISPLAY QMSTATUS TYPE(NATIVEHA)"),
        ("DIS CHL(*) CHLTYPE(MQTT)", "TWN0001 DISPLAY CHANNEL CHLTYPE(MQTT)"),
        ("DIS CHL(*) QTYPE(QLOCAL)", "AMQ8405 DIS CHL(*) QTYPE(QLOCAL)"),
    ],
)
def test_what_is_wrong_is_answered_with_its_message(
    sandbox: Sandbox, command: str, expected: str
) -> None:
    """A DISPLAY that finds nothing or is wrong is answered with its message."""
    assert problem(sandbox, "QM1", command) == expected


def test_an_attribute_of_a_later_level_is_a_syntax_error() -> None:
    """A keyword of a later command level is a syntax error."""
    sandbox = Sandbox().create("OLD", level=900)
    assert problem(sandbox, "OLD", "DIS QL(*) STREAMQ") == "AMQ8405 DIS QL(*) STREAMQ"


def test_a_queue_manager_that_is_down_does_not_answer(sandbox: Sandbox) -> None:
    """An ended queue manager refuses DISPLAY as runmqsc does."""
    sandbox.control("endmqm", "QM1")
    assert problem(sandbox, "QM1", "DIS QMGR") == "AMQ8146 QM1"


def test_an_unknown_queue_manager_is_an_error(sandbox: Sandbox) -> None:
    """DISPLAY at an unknown queue manager raises an error."""
    with pytest.raises(NoSuchQueueManager):
        ask(sandbox, "QM7", "DIS QMGR")


def test_an_answer_knows_what_it_rests_on(sandbox: Sandbox) -> None:
    """The evidence of a record is the position of the event that defined the object."""
    definition = sandbox.estate.qmgr("QM1").definitions["QUEUE", "APP.ONE"]
    assert ask(sandbox, "QM1", "DIS QL(APP.ONE)").records[0].evidence == (definition.position,)


def command_for(word: str) -> str:
    """Return the DISPLAY of an object word that shows most."""
    if word == "ENTAUTH":
        return "DISPLAY ENTAUTH GROUP('apps') OBJTYPE(QUEUE) OBJNAME(APP.ONE) ALL"
    nameless = {"QMGR", "QMSTATUS", "PUBSUB", "AUTHREC"}
    name = "" if word in nameless else "('#')" if word == "TPSTATUS" else "(*)"
    return f"DISPLAY {word}{name} ALL"


@pytest.mark.parametrize("word", sorted(VIEWS))
def test_every_answer_reads_back(sandbox: Sandbox, word: str) -> None:
    """The lines of a DISPLAY are read back as the same cells."""
    sandbox.full("QM1")
    sandbox.run("QM1", "DEFINE TOPIC(T) TOPICSTR(t) CLUSTER(CA)\nSTART LISTENER")
    sandbox.run("QM1", "SET AUTHREC PROFILE(APP.ONE) OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT,GET)")
    answer = ask(sandbox, "QM1", command_for(word))
    for record in answer.records:
        text = "\n".join([f"{record.message}I: Details.", *lay_out(record.cells)])
        (back,) = read_back(text).records
        assert [keyword for keyword, _ in back.cells] == [keyword for keyword, _ in record.cells]
        assert set(record.values) >= {
            keyword.lower().removeprefix("no") for keyword, value in back.cells if value is None
        }


def test_every_display_has_its_messages() -> None:
    """Each view's messages are in the catalogue, and the one for no rows is a failure."""
    from twin.model.messages import CATALOGUE

    for view in VIEWS.values():
        assert view.message in CATALOGUE
        for missing in (view.missing, *view.missing_of.values()):
            assert CATALOGUE[missing].failed
