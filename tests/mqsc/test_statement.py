"""One command's text to a statement."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mqsc.captures import texts_of
from twin.model.commands import quote, quote_if_needed
from twin.mqsc.statement import Malformed, Parameter, Statement, Token, Where, parse, write
from twin.mqsc.words import NAMING, Naming, resolve_keyword


def parsed(text: str) -> Statement:
    """Parse what must be a statement."""
    statement = parse(text)
    assert isinstance(statement, Statement), statement
    return statement


def values(text: str) -> dict[str, tuple[str, ...] | None]:
    """Return the texts of a statement's values by keyword."""
    return texts_of(parsed(text))


def segment(text: str) -> str:
    """Return the segment of what must be malformed."""
    malformed = parse(text)
    assert isinstance(malformed, Malformed), malformed
    return malformed.segment


def test_a_command_is_verb_object_name_and_parameters() -> None:
    """What is not quoted is folded to upper case, what is quoted is kept."""
    assert parsed("def ql(app.in) descr('Mixed case') share put (disabled)") == Statement(
        "DEFINE",
        "QLOCAL",
        Token("APP.IN", quoted=False),
        (
            Parameter("DESCR", (Token("Mixed case", quoted=True),)),
            Parameter("SHARE", None),
            Parameter("PUT", (Token("DISABLED", quoted=False),)),
        ),
        None,
    )


@pytest.mark.parametrize(
    ("text", "verb", "word"),
    [
        ("ALT CHL(C)", "ALTER", "CHANNEL"),
        ("DIS CHS(*) CURRENT", "DISPLAY", "CHSTATUS"),
        ("DIS Q(*)", "DISPLAY", "QUEUE"),
        ("DIS QC(*)", "DISPLAY", "QCLUSTER"),
        ("DIS QS(Q)", "DISPLAY", "QSTATUS"),
        ("DEF NL(N)", "DEFINE", "NAMELIST"),
        ("DEF LSTR(L)", "DEFINE", "LISTENER"),
        ("STA CHL(C)", "START", "CHANNEL"),
        ("RES CHL(C) ACTION(COMMIT)", "RESOLVE", "CHANNEL"),
        ("REF CLUSTER(C)", "REFRESH", "CLUSTER"),
        ("START LISTENER", "START", "LISTENER"),
        ("REFRESH SECURITY(*)", "REFRESH", "SECURITY"),
        ("REFRESH SECURITY TYPE(CONNAUTH)", "REFRESH", "SECURITY"),
        ("SUSPEND QMGR CLUSTER(C)", "SUSPEND", "QMGR"),
        ("DISPLAY QMGR ALL", "DISPLAY", "QMGR"),
        ("SET CHLAUTH('*') TYPE(BLOCKUSER)", "SET", "CHLAUTH"),
        ("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE)", "SET", "AUTHREC"),
        ("CLEAR QL(Q)", "CLEAR", "QLOCAL"),
        ("PING QMGR", "PING", "QMGR"),
        ("DISPLAY TPSTATUS('')", "DISPLAY", "TPSTATUS"),
        ("DEFINE NOREPLACE QLOCAL('A') PUT(ENABLED)", "DEFINE", "QLOCAL"),
    ],
)
def test_synonyms_stand_for_their_words(text: str, verb: str, word: str) -> None:
    """Verbs and object words are canonical however they were written."""
    statement = parsed(text)
    assert (statement.verb, statement.object) == (verb, word)


@pytest.mark.parametrize("text", ["DEFI QL(A)", "DEL QL(A)", "DISPL QL(A)", "DEFINE QLOC(A)"])
def test_synonyms_are_no_minimum_strings(text: str) -> None:
    """A word between its synonym and itself is none, and DELETE has no synonym."""
    assert isinstance(parse(text), Malformed)


@pytest.mark.parametrize(
    ("text", "upto"),
    [
        ("", ""),
        ("FROB QL(A)", "FROB"),
        ("DEFINE BOGUS('X') REPLACE", "DEFINE BOGUS"),
        ("DEFINE QSTATUS(A)", "DEFINE QSTATUS"),
        ("DISPLAY QUEUE", "DISPLAY QUEUE"),
        ("DISPLAY QMGR(*) ALL", "DISPLAY QMGR(*)"),
        ("DEFINE QLOCAL() REPLACE", "DEFINE QLOCAL()"),
        ("DEFINE QLOCAL(A,B) REPLACE", "DEFINE QLOCAL(A,B)"),
        ("DEFINE QLOCAL(A) DESCR('x) REPLACE", "DEFINE QLOCAL(A) DESCR('x) REPLACE"),
        ("DEFINE QLOCAL(A) PUT(DISABLED", "DEFINE QLOCAL(A) PUT(DISABLED"),
        ("DEFINE QLOCAL(A)) REPLACE", "DEFINE QLOCAL(A))"),
        ("DEFINE QLOCAL(A)REPLACE", "DEFINE QLOCAL(A)REPLACE"),
        ("DEFINE QLOCAL(A) 'x' REPLACE", "DEFINE QLOCAL(A) '"),
        ("DISPLAY Q(*) WHERE(A EQ B C) ALL", "DISPLAY Q(*) WHERE(A EQ B C)"),
    ],
)
def test_a_syntax_error_is_cut_behind_what_is_wrong(text: str, upto: str) -> None:
    """AMQ8405 repeats the command up to and including its first mistake."""
    assert segment(text) == upto


def test_a_stray_quote_is_the_end_of_the_segment() -> None:
    """A quote inside an unquoted value is where runmqsc stops too (capture of 9.1)."""
    text = "DEFINE QREMOTE (R) RNAME (Q) RQMNAME (QMB') XMITQ (QMB)"
    assert segment(text) == "DEFINE QREMOTE (R) RNAME (Q) RQMNAME (QMB'"


@pytest.mark.parametrize("again", ["PUT(ENABLED)", "NOREPLACE", "REPLACE"])
def test_a_parameter_is_not_repeated(again: str) -> None:
    """A keyword written twice, or beside its NO form, is a syntax error."""
    text = f"DEFINE QL(A) PUT(DISABLED) REPLACE {again}"
    assert segment(f"{text} SHARE") == text


def test_signers_and_recipients_may_be_repeated() -> None:
    """SIGNER and RECIP of SET POLICY may occur several times."""
    statement = parse("SET POLICY(P) SIGNER('A') RECIP('B') SIGNER('C') RECIP('D')")
    assert isinstance(statement, Statement)
    assert parse(write(statement)) == statement
    assert [each.keyword for each in statement.parameters] == ["SIGNER", "RECIP"] * 2


def test_blanks_and_commas_separate_alike() -> None:
    """Any number of either stands between keywords, brackets and values."""
    assert values("ALTER NL ( N ) , NAMES ( A,, B  C )  DESCR( 'x' )") == {
        "NAMES": ("A", "B", "C"),
        "DESCR": ("x",),
    }


def test_empty_brackets_hold_one_empty_value() -> None:
    """Nothing, a blank and an empty string between brackets are each one value."""
    assert values("ALTER QMGR DEADQ() DESCR('') REPOS(' ')") == {
        "DEADQ": ("",),
        "DESCR": ("",),
        "REPOS": (" ",),
    }


def test_quotes_inside_quotes_are_doubled() -> None:
    """Two quotes inside a quoted string are one, and brackets and commas are text there."""
    assert values("ALTER QL(A) DESCR('it''s (a), b')") == {"DESCR": ("it's (a), b",)}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("host(1414)", ("HOST(1414)",)),
        ("host (1414) , 'b(1415)'", ("HOST(1414)", "b(1415)")),
        ("(1000,2000)", ("(1000,2000)",)),
        ("10.0.0.1( 1414 )", ("10.0.0.1(1414)",)),
    ],
)
def test_nested_brackets_belong_to_the_value(written: str, value: tuple[str, ...]) -> None:
    """Connection names and port ranges may be written without quotes."""
    assert values(f"ALTER CHL(C) CHLTYPE(SDR) CONNAME({written})")["CONNAME"] == value


def test_where_is_taken_apart() -> None:
    """A filter is keyword, operator and value and no parameter, wherever it stands."""
    statement = parsed("DISPLAY CHSTATUS(*) where (chltype eq clussdr) ALL")
    assert statement.where == Where("CHLTYPE", "EQ", "CLUSSDR")
    assert statement.parameters == (Parameter("ALL", None),)
    assert parsed("DIS Q(*) WHERE(DESCR LK 'My app*')").where == Where("DESCR", "LK", "My app*")
    assert parsed("DIS Q(*) WHERE(CLUSTER NE ' ')").where == Where("CLUSTER", "NE", " ")


def test_what_a_where_lacks_is_empty() -> None:
    """An incomplete filter is a statement, so that it can be answered with AMQ8569."""
    assert parsed("DIS Q(*) WHERE(CURDEPTH)").where == Where("CURDEPTH", "", "")


def test_a_segment_can_be_cut_at_a_parameter() -> None:
    """Who finds a keyword that the object does not have can repeat the command up to it."""
    statement = parsed("DISPLAY QMGR LOGTYPE ALL")
    assert statement.segment(statement.parameters[0]) == "DISPLAY QMGR LOGTYPE"


def test_keywords_are_exact_or_known_synonyms() -> None:
    """TARGQ is TARGET and TYPE of a channel is CHLTYPE; nothing else is shortened."""
    assert resolve_keyword("TARGQ", ("TARGET", "DESCR")) == "TARGET"
    assert resolve_keyword("TYPE", ("CHLTYPE",)) == "CHLTYPE"
    assert resolve_keyword("TYPE", ("CHLTYPE", "TYPE")) == "TYPE"
    assert resolve_keyword("DESC", ("DESCR",)) is None


PLAIN = st.from_regex(r"[A-Z0-9._/%*]{1,20}(\([A-Z0-9.,]{0,6}\))?", fullmatch=True)
TOKENS = PLAIN.map(lambda text: Token(text, quoted=False)) | st.text(max_size=30).map(
    lambda text: Token(text, quoted=True)
)
KEYWORDS = st.from_regex(r"[A-MO-Z][A-Z0-9]{1,7}", fullmatch=True).filter(lambda x: x != "WHERE")
PARAMETERS = st.builds(
    Parameter, KEYWORDS, st.none() | st.lists(TOKENS, min_size=1, max_size=3).map(tuple)
)


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    """Draw a statement that somebody could have written."""
    (verb, word), naming = draw(st.sampled_from(sorted(NAMING.items(), key=lambda item: item[0])))
    name = {
        Naming.REQUIRED: TOKENS,
        Naming.OPTIONAL: st.none() | TOKENS,
        Naming.NONE: st.none(),
    }[naming]
    parameters = st.lists(PARAMETERS, max_size=5, unique_by=lambda one: one.keyword).map(tuple)
    filters = st.builds(Where, KEYWORDS, st.sampled_from(["EQ", "LK"]), st.text(max_size=10))
    where = draw(st.none() | filters) if verb == "DISPLAY" else None
    return Statement(verb, word, draw(name), draw(parameters), where)


@given(statements())
def test_what_is_written_parses_to_itself(statement: Statement) -> None:
    """A statement written as text and read again is the same statement."""
    assert parse(write(statement)) == statement


@given(st.text(alphabet="DEFINE QL(A)DISPLAY' ,+*;x\t\n", max_size=60) | st.text(max_size=40))
def test_parsing_never_raises(text: str) -> None:
    """Any text is a statement or malformed, and a segment is a piece of its command."""
    result = parse(text)
    if isinstance(result, Malformed):
        assert result.segment in text


@given(st.text())
def test_quoting_is_undone_by_the_parser(text: str) -> None:
    """A quoted value comes back as it was."""
    assert values(f"ALTER QMGR DESCR({quote(text)})") == {"DESCR": (text,)}


@given(st.text(alphabet="Qq1./_%- '*", min_size=1) | st.text(min_size=1))
def test_a_value_is_quoted_only_if_it_would_else_be_read_otherwise(text: str) -> None:
    """Upper case, digits and . / _ % need no quotes; mixed case and all else do."""
    assert values(f"ALTER QMGR DESCR({quote_if_needed(text)})") == {"DESCR": (text,)}
    assert quote_if_needed("A.B/C_1%") == "A.B/C_1%"
