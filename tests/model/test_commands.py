"""Commands as values: reading what one writes gives the same command."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.read_commands import read
from twin.model.commands import Command, ParameterValue
from twin.model.objects import Definition
from twin.mqsc.statement import parse, statement_of
from twin.mqsc.words import NAMING, Naming

_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=0x24F, exclude_characters="\x7f"))
_NAMED = _TEXT.filter(bool)
_LISTED = st.lists(_NAMED, min_size=2, max_size=4).map(tuple)
_VALUES = st.none() | _TEXT | st.just(()) | st.integers(0, 999_999_999) | _LISTED
_OWN = {"WHERE", "REPLACE", "NOREPLACE"}
_KEYWORDS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=3, max_size=8).filter(
    lambda word: word not in _OWN and not word.startswith("NO")
)


@st.composite
def commands(draw: st.DrawFn) -> Command:
    """Return any command with a verb and an object of MQSC."""
    verb, word = draw(st.sampled_from(sorted(NAMING)))
    named = {Naming.REQUIRED: _NAMED, Naming.NONE: st.just("")}.get(NAMING[verb, word], _TEXT)
    parameters = draw(st.dictionaries(_KEYWORDS, _VALUES, max_size=4))
    return Command("QM1", verb, word, draw(named), tuple(parameters.items()))


def _as_read(value: ParameterValue) -> ParameterValue:
    if isinstance(value, tuple):
        return value or ""
    return value if value is None else str(value) or " "


@given(commands())
def test_reading_what_a_command_writes_gives_the_command(command: Command) -> None:
    """Verb, object, name, keywords and values are the same; a blank stands for no text."""
    parameters = tuple((keyword, _as_read(value)) for keyword, value in command.parameters)
    written = read("QM1", command.text)
    assert (written.verb, written.object, written.name) == (
        *(command.verb, command.object, command.name),
    )
    assert written.parameters == parameters
    assert statement_of(command) == parse(command.text)


def test_values_are_quoted_where_mqsc_needs_it() -> None:
    """Lower case, brackets and blanks need quotes; a list has commas; a bare keyword has none."""
    command = Command.of(
        "QM1", "DEFINE", "CHANNEL", "To.QM2", CONNAME="qm2(1414)", NAMES=("A", "b"), HBINT=5
    )
    assert command.text == "DEFINE CHANNEL('To.QM2') CONNAME('qm2(1414)') NAMES(A,'b') HBINT(5)"
    assert str(Command.of("QM1", "ALTER", "QMGR", REPOS="", FORCE=None)) == (
        "QM1: ALTER QMGR REPOS(' ') FORCE"
    )


def test_alter_names_the_type_of_a_channel() -> None:
    """ALTER CHANNEL needs CHLTYPE; DELETE CHANNEL does not, and a queue has its own word."""
    channel = Definition("CHANNEL", "TO.QM1", "CLUSRCVR", {}, None, None)
    assert Command.about("QM1", "ALTER", channel, HBINT=5).text == (
        "ALTER CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) HBINT(5)"
    )
    assert Command.about("QM1", "DELETE", channel).text == "DELETE CHANNEL(TO.QM1)"
    queue = Definition("QUEUE", "Q", "QLOCAL", {}, None, None)
    altered = Command.about("QM1", "ALTER", queue, PUT="ENABLED")
    assert altered.text == "ALTER QLOCAL(Q) PUT(ENABLED)"
