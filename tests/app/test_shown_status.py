"""What an answer shows of a queue manager itself comes out again, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.attributes import TYPES, Choice
from twin.model.instants import HOUR
from twin.model.words import DATED_CELLS, LISTENER_CELLS, OWN_CELLS
from twin.questions.answer import Row
from twin.questions.belief import members
from twin.questions.channels import channels

AT: Final = START + HOUR
SCRIPT: Final = "DEFINE CHANNEL(NET.N7) CHLTYPE(CLUSRCVR) CONNAME('n7') CLUSTER(NET) REPLACE\n"
_DATES: Final = {each for pair in DATED_CELLS for each in pair}
_WORDS: Final = {
    each.keyword: each.form.words
    for each in TYPES["QMGR"].by_keyword.values()
    if isinstance(each.form, Choice) and each.alterable
}


@contextmanager
def imported(script: str, *answers: str) -> Iterator[Twin]:
    """Import a script that nothing dates, and answers."""
    with fresh(1) as [twin]:
        twin.ingest_files([FileText(script, qmgr="N7", undated=True)], at=AT)
        for text in answers:
            twin.ingest_files([FileText(text, qmgr="N7")], at=AT)
        yield twin


def shown(twin: Twin, command: str) -> Row:
    """Return the only row of an answer to DISPLAY."""
    (row,) = twin.runmqsc("N7", command, as_of=AT).displayed
    return row


def answer(command: str, message: str, **cells: str) -> str:
    """Write an answer of one row."""
    lines = "".join(f"   {keyword}({text})\n" for keyword, text in cells.items())
    return (
        f"Starting MQSC for queue manager N7.\n\n\n     1 : {command}\n{message}: details.\n{lines}"
        "One MQSC command read.\nNo commands have a syntax error.\n"
        "All valid MQSC commands were processed.\n"
    )


@examples(cost=6)
@given(st.dictionaries(st.sampled_from(sorted(_WORDS)), st.integers(0, 9), max_size=5))
def test_only_attributes_that_a_script_sets_are_known(chosen: dict[str, int]) -> None:
    """Neither DISPLAY nor a dump has defaults or dates of a queue manager that nobody showed."""
    chosen_words = {
        each: _WORDS[each][number % len(_WORDS[each])] for each, number in chosen.items()
    }
    own = "".join(f" {keyword}({value})" for keyword, value in chosen_words.items())
    with imported(f"ALTER QMGR DESCR('seven'){own}\n{SCRIPT}") as twin:
        row = shown(twin, "DISPLAY QMGR ALL")
        known = {keyword.lower(): value for keyword, value in chosen_words.items()}
        assert {key: value for key, value in row.items() if value is not None} == {
            "qmname": "N7",
            "descr": "seven",
            **known,
        }
        lines = "\n".join(twin.dmpmqcfg("N7", as_of=AT))
        written = lines[lines.index("ALTER QMGR") : lines.index("DEFINE ")]
        assert written.count("(") == len(chosen_words) + 1
        assert "CRDATE" not in lines
        assert "command level" not in lines
        (member,) = members(*twin.view(as_of=AT)).rows
        assert (member["qmtype"], member["basis"]) == ("NORMAL", "assumed")


_TEXT: Final = st.text("ABCxyz019/._-", min_size=1, max_size=12)


@examples(cost=6)
@given(st.dictionaries(st.sampled_from(sorted(OWN_CELLS - _DATES)), _TEXT))
def test_each_shown_column_of_qmstatus_comes_out(cells: dict[str, str]) -> None:
    """What DISPLAY QMSTATUS showed is shown, and a column that it did not show is not known."""
    said = {**cells, "QMNAME": "N7", "STATUS": "RUNNING", "TYPE": "QMGR"}
    said |= {each: "12" for each in ("CHKPTCNT", "CHKPTOPS", "CHKPTSZ") if each in cells}
    with imported(SCRIPT, answer("DISPLAY QMSTATUS ALL", "AMQ8705I", **said)) as twin:
        row = shown(twin, "DISPLAY QMSTATUS ALL")
        found = {key.upper(): str(value) for key, value in row.items() if value is not None}
        assert found == said


@examples(cost=6)
@given(st.dictionaries(st.sampled_from(sorted(LISTENER_CELLS - _DATES)), _TEXT))
def test_each_shown_column_of_lsstatus_comes_out(cells: dict[str, str]) -> None:
    """Also of a listener of which no definition was imported."""
    said = {**cells, "LISTENER": "L.1", "STATUS": "RUNNING"}
    said |= {each: "1500" for each in ("PID", "PORT", "BACKLOG") if each in cells}
    with imported(SCRIPT, answer("DISPLAY LSSTATUS(*) ALL", "AMQ8631I", **said)) as twin:
        row = shown(twin, "DISPLAY LSSTATUS(*) ALL")
        found = {key.upper(): str(value) for key, value in row.items() if value is not None}
        assert found == said


@pytest.mark.parametrize("status", ["RUNNING", "INACTIVE", "STOPPED", None])
def test_the_status_of_the_own_row_is_kept(status: str | None) -> None:
    """It is that of the CLUSRCVR, as far as nothing more direct shows that; else it is unknown."""
    said = {"CLUSQMGR": "N7", "CHANNEL": "NET.N7", "CLUSTER": "NET", "DEFTYPE": "CLUSRCVR"}
    said |= {"QMID": "N7_2025-01-02_03.04.05"} | ({"STATUS": status} if status else {})
    with imported(SCRIPT, answer("DISPLAY CLUSQMGR(*) ALL", "AMQ8441I", **said)) as twin:
        assert shown(twin, "DISPLAY CLUSQMGR(N7) ALL")["status"] == status
        (row,) = channels(*twin.view(as_of=AT), on="N7").rows
        if status in {"RUNNING", "STOPPED"}:
            assert (row["status"], row["basis"]) == (status, "observed")


def test_no_finding_about_a_script_that_nothing_dates_is_observed() -> None:
    """Nobody saw what it defines, so what is found in it is assumed, until an answer shows it."""
    doubled = "DEFINE CHANNEL(NET.X1) CHLTYPE(CLUSSDR) CONNAME('x1') CLUSTER(NET) REPLACE\n"
    script = f"{SCRIPT}{doubled}DEFINE QALIAS(NOWHERE.A) TARGET(NOWHERE) REPLACE\n"
    with imported(script) as twin:
        assert {row["basis"] for row in twin.ask("doctor", as_of=AT).rows} == {"assumed"}
    said = {"QMNAME": "N7", "STATUS": "RUNNING", "TYPE": "QMGR"}
    with imported(script, answer("DISPLAY QMSTATUS ALL", "AMQ8705I", **said)) as twin:
        assert "observed" in {row["basis"] for row in twin.ask("doctor", as_of=AT).rows}
