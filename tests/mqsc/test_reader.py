"""Text to commands."""

from hypothesis import given
from hypothesis import strategies as st

from twin.mqsc.reader import (
    COMMAND_LIMIT,
    LINE_LIMIT,
    CommandRead,
    Echoed,
    Ended,
    Item,
    read,
    read_lines,
)


def commands(text: str) -> list[str]:
    """Return the texts of all commands."""
    return [item.text for item in read(text) if isinstance(item, CommandRead)]


def echo(text: str) -> list[str]:
    """Return the echo."""
    return [item.text for item in read(text) if isinstance(item, Echoed)]


def test_each_line_is_a_command_with_a_number() -> None:
    """Lines without continuation are commands of their own, numbered from 1."""
    assert list(read("DEF QL(A)\nDEF QL(B)\n")) == [
        Echoed("     1 : DEF QL(A)", 1),
        CommandRead(1, "DEF QL(A)", 1),
        Echoed("     2 : DEF QL(B)", 2),
        CommandRead(2, "DEF QL(B)", 2),
        Ended(2, ""),
    ]


def test_plus_continues_from_the_first_non_blank() -> None:
    """A plus sign at the end joins the next line without its leading blanks."""
    assert commands("DEF QL(A) +\n      DESCR('x')\n") == ["DEF QL(A) DESCR('x')"]


def test_minus_continues_from_column_one() -> None:
    """A minus sign at the end joins the next line with its leading blanks."""
    assert commands("DEF QL(A) -\n  PUT(DISABLED)\n") == ["DEF QL(A)   PUT(DISABLED)"]


def test_continuation_joins_inside_quotes_and_values() -> None:
    """Both signs split a quoted string or a value without adding anything."""
    assert commands("'Fr+\n   ed'\n") == ["'Fred'"]
    assert commands("'Fr-\ned'\n") == ["'Fred'"]
    assert commands("NAMES(A+\n  ,B)\n") == ["NAMES(A,B)"]


def test_blanks_behind_a_continuation_sign_do_not_count() -> None:
    """The last non-blank of a line decides whether it is continued."""
    assert commands("DEF QL(A) + \t\nREPLACE\n") == ["DEF QL(A) REPLACE"]


def test_a_sign_inside_the_line_is_text() -> None:
    """Plus and minus signs elsewhere in a line stay."""
    assert commands("DEF QL(A) DESCR('+MQ_PATH+/x -y')\n") == ["DEF QL(A) DESCR('+MQ_PATH+/x -y')"]


def test_comments_and_blank_lines_are_echoed_and_dropped() -> None:
    """A line with an asterisk in column 1 and a blank line have no number and make no command."""
    assert echo("* note\n\nEND\n") == ["       : * note", "       : ", "     1 : END"]
    assert commands("* note\n\n   \n") == []


def test_an_asterisk_behind_a_blank_is_no_comment() -> None:
    """Only the first character of a line makes it a comment."""
    assert commands(" * note\n") == [" * note"]


def test_comments_and_blank_lines_inside_a_continuation_are_dropped() -> None:
    """A command continues after a comment or blank line; dmpmqcfg writes such comments."""
    text = "ALTER QMGR +\n*  ALTDATE(2026-05-14) +\n\n   FORCE\n"
    assert commands(text) == ["ALTER QMGR FORCE"]
    assert [line[:9] for line in echo(text)] == ["     1 : ", *["       : "] * 3]


def test_continuation_lines_are_echoed_without_number() -> None:
    """Only the first line of a command shows its number; blanks are echoed as typed."""
    assert echo("DEF QL(A) +\n   REPLACE\n") == ["     1 : DEF QL(A) +", "       :    REPLACE"]


def test_a_semicolon_ends_a_command() -> None:
    """Two commands on one line are echoed in two parts, each under its own number."""
    assert commands("DEF QL(A); DEF QL(B)\n") == ["DEF QL(A)", " DEF QL(B)"]
    assert echo("DEF QL(A); DEF QL(B)\n") == ["     1 : DEF QL(A);", "     2 :  DEF QL(B)"]


def test_a_semicolon_ends_a_command_continued_by_mistake() -> None:
    """A semicolon closes a command whose last line ended with a plus sign."""
    assert commands("DEF QL(A) +\n;\nDEF QL(B)\n") == ["DEF QL(A) ", "DEF QL(B)"]


def test_blanks_behind_a_last_semicolon_are_no_command() -> None:
    """Only text after the last semicolon of a line is another command."""
    assert echo("DEF QL(A);  \n;\n") == ["     1 : DEF QL(A);  ", "       : ;"]


def test_a_semicolon_inside_quotes_is_text() -> None:
    """Quotes protect a semicolon, also when they opened on an earlier line."""
    assert commands("DEF QL(A) DESCR('a;b')\n") == ["DEF QL(A) DESCR('a;b')"]
    assert commands("DEF QL(A) DESCR('a+\n;b'); END\n") == ["DEF QL(A) DESCR('a;b')"]


def test_end_exit_and_quit_end_the_reading() -> None:
    """END, EXIT and QUIT in any case are echoed with a number, make no command and end it all."""
    for word in ("END", "exit", " Quit ;"):
        items = list(read(f"DEF QL(A)\n{word}\nDEF QL(B)\n"))
        assert items[2:] == [
            Echoed(f"     2 : {word}", 2),
            Ended(2, word.strip(" ;").upper()),
        ]


def test_a_text_that_stops_inside_a_command_ends_it() -> None:
    """A continuation character on the last line ends the command there."""
    assert commands("DEF QL(A) +\n  REPLACE +\n") == ["DEF QL(A) REPLACE "]
    assert list(read("END +"))[-1] == Ended(1, "END")


def test_carriage_returns_and_tabs_are_no_text() -> None:
    """Files from Windows read as others do, and tabs are blanks."""
    assert commands("DEF QL(A) +\r\n\tREPLACE\r\n") == ["DEF QL(A) REPLACE"]


def test_a_byte_order_mark_is_dropped() -> None:
    """A byte order mark at the start is not part of the first command."""
    assert commands("\ufeffDEF QL(A)") == ["DEF QL(A)"]


def test_a_line_that_is_too_long_is_flagged_and_echoed_cut() -> None:
    """The echo of a line over the limit is cut; its command keeps the whole text."""
    long = "DEF QL(" + "A" * LINE_LIMIT + ")"
    first, command, _ = read(long)
    assert isinstance(first, Echoed)
    assert len(first.text) == LINE_LIMIT + 9
    assert command == CommandRead(1, long, 1, too_long=True)


def test_a_command_that_is_too_long_is_flagged() -> None:
    """A command of allowed lines may still be too long as a whole."""
    text = "+\n".join(["A" * 2000] * 17)
    (command,) = (item for item in read(text) if isinstance(item, CommandRead))
    assert len(command.text) > COMMAND_LIMIT
    assert command.too_long


def test_lines_are_read_as_they_come() -> None:
    """A command is given before the next line is asked for, as at a terminal."""
    typed = iter(["DEF QL(A)", "DEF QL(B)"])
    reading = read_lines(typed)
    next(reading)
    assert isinstance(next(reading), CommandRead)
    assert list(typed) == ["DEF QL(B)"]


TEXT = st.text(alphabet="aB1 \t'();+-*,\r\n\u00e9", max_size=80) | st.text(max_size=60)


@given(TEXT)
def test_no_text_is_lost(text: str) -> None:
    """Whatever is read, the echo of a line is that line, up to the end."""
    items = list(read(text))
    lines = text.removeprefix("\ufeff").split("\n")
    echoed: dict[int, str] = {}
    for item in items:
        if isinstance(item, Echoed):
            echoed[item.line] = echoed.get(item.line, "") + item.text[9:]
    last = items[-1]
    assert isinstance(last, Ended)
    shown = list(echoed.values())
    wanted = [line.removesuffix("\r") for line in lines[: last.line]]
    if last.by:
        assert wanted[-1].startswith(shown.pop())
        assert shown == wanted[:-1]
    else:
        assert shown == wanted


@given(TEXT)
def test_reading_ends_once_and_counts_in_order(text: str) -> None:
    """Commands are numbered 1, 2, 3 and the last item alone is the end."""
    items: list[Item] = list(read(text))
    numbers = [item.number for item in items if isinstance(item, CommandRead)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [isinstance(item, Ended) for item in items] == [False] * (len(items) - 1) + [True]
