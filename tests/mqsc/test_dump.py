"""Definitions as dmpmqcfg writes them."""

from hypothesis import given
from hypothesis import strategies as st

from tests.mqsc.captures import texts_of
from twin.mqsc.dump import RULE, DumpedAttribute, definition, footer, header
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Statement, parse


def reread(lines: list[str]) -> list[Statement]:
    """Read dumped lines as MQSC again."""
    statements = [
        parse(item.text) for item in read("\n".join(lines)) if isinstance(item, CommandRead)
    ]
    assert all(isinstance(one, Statement) for one in statements)
    return [one for one in statements if isinstance(one, Statement)]


def test_a_definition_has_one_attribute_on_a_line() -> None:
    """Strings are quoted, words are not, read-only values are comments and REPLACE ends it."""
    attributes = [
        DumpedAttribute("CHLTYPE", "CLUSSDR"),
        DumpedAttribute("ALTDATE", "2026-05-14", settable=False),
        DumpedAttribute("BATCHLIM", 5000),
        DumpedAttribute("CLUSNL", "", quoted=True),
        DumpedAttribute("CONNAME", "127.0.0.1(2415)", quoted=True),
        DumpedAttribute("DESCR", "it's", quoted=True),
        DumpedAttribute("SHARE", None),
    ]
    assert definition("DEFINE", "CHANNEL", "C_QM5", attributes) == [
        "DEFINE CHANNEL('C_QM5') +",
        "   CHLTYPE(CLUSSDR) +",
        "*  ALTDATE(2026-05-14) +",
        "   BATCHLIM(5000)  +",
        "   CLUSNL(' ') +",
        "   CONNAME('127.0.0.1(2415)') +",
        "   DESCR('it''s') +",
        "   SHARE +",
        "   REPLACE",
    ]


def test_names_are_written_one_on_a_line() -> None:
    """A list of quoted names leads with commas, as a display does."""
    names = DumpedAttribute("NAMES", ("SYSTEM.A", "SYSTEM.B"), quoted=True)
    assert definition("DEFINE", "NAMELIST", "N", [names])[1:3] == [
        "   NAMES('SYSTEM.A' +",
        "        ,'SYSTEM.B') +",
    ]
    empty = DumpedAttribute("NAMES", (), quoted=True)
    assert definition("DEFINE", "NAMELIST", "N", [empty])[1] == "   NAMES(' ') +"


def test_alter_ends_with_force_and_set_with_its_last_attribute() -> None:
    """ALTER ends with FORCE, SET with nothing of its own."""
    assert definition("ALTER", "QMGR", None, []) == ["ALTER QMGR +", "   FORCE"]
    assert definition(
        "SET",
        "AUTHREC",
        None,
        [DumpedAttribute("PROFILE", "Q", quoted=True), DumpedAttribute("AUTHADD", ("GET", "PUT"))],
    ) == ["SET AUTHREC +", "   PROFILE('Q') +", "   AUTHADD(GET,PUT)"]


def test_strings_of_varying_length_may_be_empty() -> None:
    """An empty topic string has no blank between its quotes."""
    topic = [DumpedAttribute("TOPICSTR", "", quoted=True)]
    assert definition("DEFINE", "TOPIC", "T", topic)[1] == "   TOPICSTR('') +"


def test_header_and_footer_are_comments() -> None:
    """They name the queue manager and count what was written, in dmpmqcfg's order."""
    top = header(
        date="2026-05-14",
        time="14.47.03",
        by="user 'mqm' on host 'h1'",
        qmgr="QM4",
        platform="UNIX",
        level=930,
        command="dmpmqcfg -a -m QM4",
    )
    assert top[0] == top[-1] == RULE
    assert "* Script generated on 2026-05-14   at 14.47.03 " in top
    assert "* Queue manager name: QM4 " in top
    bottom = footer(
        date="2026-05-14", time="14.47.03", words={"CHANNEL": 2, "QLOCAL": 3, "QMODEL": 1}
    )
    assert bottom[2:-1] == [
        "* Queue count: 4 ",
        "* Channel count: 2 ",
        "* Number of objects/records: 6 ",
    ]
    assert reread(top + bottom) == []


TEXTS = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=30)
KEYWORDS = st.from_regex(r"[A-MO-QS-Z][A-Z]{2,7}", fullmatch=True)
WORDS = st.from_regex(r"[A-Z0-9]{1,12}", fullmatch=True)
LISTS = st.lists(TEXTS, min_size=1, max_size=3).map(tuple)
BARE = st.none() | WORDS | st.integers(0)
YES = st.sampled_from([True])
ATTRIBUTES = st.builds(
    DumpedAttribute, KEYWORDS, TEXTS | LISTS, quoted=YES, settable=st.booleans()
) | st.builds(DumpedAttribute, KEYWORDS, BARE, settable=st.booleans())


@given(st.lists(ATTRIBUTES, max_size=6, unique_by=lambda one: one.keyword))
def test_what_is_dumped_is_read_again(attributes: list[DumpedAttribute]) -> None:
    """The reader takes every settable value back out of the dump, and none of the others."""
    lines = definition("DEFINE", "QLOCAL", "a'b", attributes)
    (statement,) = reread(lines)
    assert statement.name is not None
    assert statement.name.text == "a'b"
    read_again = texts_of(statement)
    assert read_again.pop("REPLACE") is None
    assert read_again == {one.keyword: texts(one) for one in attributes if one.settable}


def texts(attribute: DumpedAttribute) -> tuple[str, ...] | None:
    """Return an attribute's values as a statement has them."""
    value = attribute.value
    if value is None:
        return None
    values = value if isinstance(value, tuple) else (str(value),)
    return tuple(one or " " for one in values) if attribute.quoted else values
