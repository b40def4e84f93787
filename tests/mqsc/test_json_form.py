"""The JSON form of commands, written as MQSC."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.mqsc.json_form import BadJsonCommand, command_text
from twin.mqsc.statement import Malformed, Statement, parse


def text(command: str, qualifier: str, name: str | None = None, **more: Any) -> str:
    """Return the MQSC of a command in JSON."""
    return command_text(
        {"type": "runCommandJSON", "command": command, "qualifier": qualifier, "name": name, **more}
    )


@pytest.mark.parametrize(
    ("parameters", "written"),
    [
        ({"maxdepth": 9999}, "MAXDEPTH(9999)"),
        ({"MaxDepth": "9999"}, "MAXDEPTH(9999)"),
        ({"put": "disabled"}, "PUT(DISABLED)"),
        ({"descr": "it's Mixed"}, "DESCR('it''s Mixed')"),
        ({"descr": ""}, "DESCR('')"),
        ({"boqname": "Lower.case"}, "BOQNAME('Lower.case')"),
        ({"replace": "yes"}, "REPLACE"),
        ({"REPLACE": "NO"}, "NOREPLACE"),
        ({"noreplace": "no"}, "REPLACE"),
        ({"share": True}, "SHARE"),
        ({"share": False}, "NOSHARE"),
        ({"notrigger": "yes"}, "NOTRIGGER"),
        ({"force": "no"}, "NOFORCE"),
        ({"descr": "('CN=\"A\", L=''B''')"}, "DESCR('CN=\"A\", L=''B''')"),
        ({"descr": "(plain)"}, "DESCR('(plain)')"),
    ],
)
def test_parameters_are_written_as_mqsc(parameters: dict[str, Any], written: str) -> None:
    """Keys and words are folded, texts keep their case, and yes and no stand for keywords."""
    shown = text("define", "qlocal", "Q", parameters=parameters)
    assert shown == f"DEFINE QLOCAL('Q') {written}"


@pytest.mark.parametrize(
    ("request_", "written"),
    [
        (
            ("display", "QLOCAL", "*", {"where": "get eq disabled"}),
            "DISPLAY QLOCAL('*') WHERE(get eq disabled)",
        ),
        (
            ("DISPLAY", "chstatus", "*", {"current": "yes", "SAVED": "no"}),
            "DISPLAY CHSTATUS('*') CURRENT",
        ),
        (
            ("display", "channel", "*", {"chltype": "svrconn"}),
            "DISPLAY CHANNEL('*') CHLTYPE(SVRCONN)",
        ),
        (("suspend", "qmgr", None, {"cluster": "CLUS01"}), "SUSPEND QMGR CLUSTER('CLUS01')"),
        (("start", "listener", None, {"port": 1407}), "START LISTENER PORT(1407)"),
        (
            ("define", "channel", "C", {"descr": "d", "chltype": "sdr"}),
            "DEFINE CHANNEL('C') CHLTYPE(SDR) DESCR('d')",
        ),
        (
            ("define", "namelist", "N", {"names": ["a", "B"]}),
            "DEFINE NAMELIST('N') NAMES('a','B')",
        ),
        (("alter", "namelist", "N", {"names": []}), "ALTER NAMELIST('N') NAMES(' ')"),
        (
            ("stop", "channel", "C", {"mode": "quiesce", "status": "stopped"}),
            "STOP CHANNEL('C') MODE(QUIESCE) STATUS(STOPPED)",
        ),
        (("delete", "qlocal", "Q", {"purge": "yes"}), "DELETE QLOCAL('Q') PURGE"),
    ],
)
def test_commands_are_written_as_mqsc(request_: tuple[Any, ...], written: str) -> None:
    """Selectors are folded, the type comes first, lists are arrays, and a name is optional."""
    command, qualifier, name, parameters = request_
    assert text(command, qualifier, name, parameters=parameters) == written


def test_response_parameters_follow_once_each() -> None:
    """A response parameter that is a selector too is written once."""
    shown = text(
        "display",
        "clusqmgr",
        "*",
        parameters={"cluster": "CA"},
        responseParameters=["suspend", "CLUSTER", "Suspend"],
    )
    assert shown == "DISPLAY CLUSQMGR('*') CLUSTER('CA') SUSPEND"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"command": 1}, "command"),
        ({"command": "DISPLAY QMGR ALL"}, "command"),
        ({"qualifier": None}, "qualifier"),
        ({"name": 7}, "name"),
        ({"name": None}, "name"),
        ({"name": "A\nB"}, "name"),
        ({"parameters": []}, "parameters"),
        ({"parameters": {"descr": None}}, "DESCR"),
        ({"parameters": {"descr": 1.5}}, "DESCR"),
        ({"parameters": {"descr": {"a": 1}}}, "DESCR"),
        ({"parameters": {"descr": "\ud800"}}, "DESCR"),
        ({"parameters": {"descr": "a", "DESCR": "b"}}, "parameters"),
        ({"parameters": {"replace": "perhaps"}}, "REPLACE"),
        ({"parameters": {"replace": ["yes"]}}, "REPLACE"),
        ({"parameters": {"a b": 1}}, "key of parameters"),
        ({"parameters": {"where": "a eq 1) PURGE"}}, "where"),
        ({"parameters": {"where": 1}}, "where"),
        ({"responseParameters": ["all"]}, "responseParameters"),
        ({"quaifier": "x"}, "quaifier"),
    ],
)
def test_what_is_no_command_is_refused(changes: dict[str, Any], place: str) -> None:
    """The refusal begins with the place of the first problem."""
    request = {"type": "runCommandJSON", "command": "define", "qualifier": "qlocal", "name": "Q"}
    with pytest.raises(BadJsonCommand, match=f"^{place}: "):
        command_text({**request, **changes})


@given(value=st.text(), name=st.text(min_size=1))
def test_no_value_leaves_its_quotes(value: str, name: str) -> None:
    """Whatever a value contains, the command has its name, its parameter, and nothing else."""
    try:
        written = text("define", "qlocal", name, parameters={"descr": value})
    except BadJsonCommand:
        return
    statement = parse(written)
    if isinstance(statement, Malformed):
        assert "\ufffd" in written
        return
    assert isinstance(statement, Statement)
    assert statement.name is not None
    assert statement.name.text == name
    assert [each.keyword for each in statement.parameters] == ["DESCR"]


def test_a_keyword_and_its_opposite_that_say_the_same_are_named_as_given_twice() -> None:
    """`share: yes` and `noshare: no` are SHARE both; the problem names both keys."""
    command = {
        "command": "define",
        "qualifier": "qlocal",
        "name": "Q",
        "parameters": {"share": "yes", "noshare": "no"},
    }
    with pytest.raises(BadJsonCommand, match="SHARE is given twice, by SHARE and NOSHARE"):
        command_text(command)
