"""Files of commands, as IBM's role for Ansible sends them, answered as runmqsc answers the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from tests.web.mqweb.rest import Rest
from tests.web.serving import CSRF, copy_log, served
from twin.app.session import MqscSession
from twin.app.twin import Twin
from twin.mqsc.json_form import command_text
from twin.mqsc.layout import Cell
from twin.mqsc.readback import read_back

SAMPLES: Final = Path(__file__).parents[4] / "shared" / "samples" / "open" / "rest"
"""IBM's own files (Apache-2.0), where they are."""

_CLUSTER: Final = """
ALTER QMGR REPOS(CLUS01)
DEFINE CHANNEL(TO.MQ07) CHLTYPE(CLUSRCVR) CONNAME('mq07(1414)') CLUSTER(CLUS01)
"""


class Pair(NamedTuple):
    """A command as JSON, and the same written as MQSC by hand; '' if JSON refuses it."""

    json: dict[str, Any]
    mqsc: str


PAIRS: Final = (
    Pair(
        {
            "command": "define",
            "qualifier": "qlocal",
            "name": "shop.orders",
            "parameters": {"descr": "Orders", "replace": "yes", "maxdepth": 900, "put": "disabled"},
        },
        "DEFINE QLOCAL('shop.orders') DESCR('Orders') REPLACE MAXDEPTH(900) PUT(DISABLED)",
    ),
    Pair(
        {
            "command": "define",
            "qualifier": "qlocal",
            "name": "SHOP.COPY",
            "parameters": {"like": "shop.orders", "get": "enabled", "noshare": "yes"},
        },
        "DEFINE QLOCAL(SHOP.COPY) LIKE('shop.orders') GET(ENABLED) NOSHARE",
    ),
    Pair(
        {"command": "display", "qualifier": "qlocal", "name": "SHOP.COPY"},
        "DISPLAY QLOCAL(SHOP.COPY)",
    ),
    Pair(
        {
            "command": "DISPLAY",
            "qualifier": "QLOCAL",
            "name": "*",
            "parameters": {"WHERE": "PUT EQ DISABLED"},
            "responseParameters": ["all"],
        },
        "DISPLAY QLOCAL(*) WHERE(PUT EQ DISABLED) ALL",
    ),
    Pair(
        {
            "command": "define",
            "qualifier": "qlocal",
            "name": "SHOP.COPY",
            "parameters": {"noreplace": "yes"},
        },
        "DEFINE QLOCAL(SHOP.COPY) NOREPLACE",
    ),
    Pair(
        {
            "command": "define",
            "qualifier": "channel",
            "name": "SHOP.SVRCONN",
            "parameters": {"descr": "clients", "chltype": "svrconn"},
        },
        "DEFINE CHANNEL(SHOP.SVRCONN) CHLTYPE(SVRCONN) DESCR('clients')",
    ),
    Pair(
        {
            "command": "alter",
            "qualifier": "channel",
            "name": "SHOP.SVRCONN",
            "parameters": {"chltype": "svrconn", "sendexit": ["a", "b"], "senddata": ["1", "2"]},
        },
        "ALTER CHANNEL(SHOP.SVRCONN) CHLTYPE(SVRCONN) SENDEXIT('a','b') SENDDATA('1','2')",
    ),
    Pair(
        {
            "command": "display",
            "qualifier": "channel",
            "name": "SHOP.*",
            "responseParameters": ["sendexit", "senddata", "sslpeer"],
        },
        "DISPLAY CHANNEL(SHOP.*) SENDEXIT SENDDATA SSLPEER",
    ),
    Pair(
        {
            "command": "set",
            "qualifier": "chlauth",
            "name": "SHOP.SVRCONN",
            "parameters": {
                "type": "sslpeermap",
                "sslpeer": "('CN=\"Jo O''Neil\", L=\"Bank\"')",
                "mcauser": "jo",
                "chckclnt": "asqmgr",
            },
        },
        "SET CHLAUTH(SHOP.SVRCONN) TYPE(SSLPEERMAP) SSLPEER('CN=\"Jo O''Neil\", L=\"Bank\"')"
        " MCAUSER('jo') CHCKCLNT(ASQMGR)",
    ),
    Pair(
        {
            "command": "display",
            "qualifier": "chlauth",
            "name": "SHOP.SVRCONN",
            "parameters": {"type": "SSLPEERMAP"},
            "responseParameters": ["sslpeer", "mcauser"],
        },
        "DISPLAY CHLAUTH(SHOP.SVRCONN) TYPE(SSLPEERMAP) SSLPEER MCAUSER",
    ),
    Pair(
        {
            "command": "define",
            "qualifier": "namelist",
            "name": "SHOP.NL",
            "parameters": {"names": ["shop.orders", "SHOP.COPY"]},
        },
        "DEFINE NAMELIST(SHOP.NL) NAMES('shop.orders','SHOP.COPY')",
    ),
    Pair(
        {"command": "display", "qualifier": "namelist", "name": "SHOP.NL"},
        "DISPLAY NAMELIST(SHOP.NL)",
    ),
    Pair(
        {
            "command": "define",
            "qualifier": "namelist",
            "name": "SHOP.NL",
            "parameters": {"nltype": "queue"},
        },
        "",
    ),
    Pair(
        {"command": "suspend", "qualifier": "qmgr", "parameters": {"cluster": "CLUS01"}},
        "SUSPEND QMGR CLUSTER(CLUS01)",
    ),
    Pair(
        {
            "command": "display",
            "qualifier": "clusqmgr",
            "name": "*",
            "parameters": {"cluster": "CLUS01"},
            "responseParameters": ["suspend"],
        },
        "DISPLAY CLUSQMGR(*) CLUSTER(CLUS01) SUSPEND",
    ),
    Pair(
        {"command": "start", "qualifier": "listener", "parameters": {"port": 1407}},
        "START LISTENER PORT(1407)",
    ),
    Pair({"command": "stop", "qualifier": "listener"}, "STOP LISTENER"),
    Pair({"command": "display", "qualifier": "qmgr", "responseParameters": ["maxchl"]}, ""),
    Pair(
        {"command": "display", "qualifier": "qmgr", "responseParameters": ["ALL"]},
        "DISPLAY QMGR ALL",
    ),
    Pair(
        {"command": "clear", "qualifier": "qlocal", "name": "SHOP.COPY"}, "CLEAR QLOCAL(SHOP.COPY)"
    ),
    Pair(
        {"command": "delete", "qualifier": "qlocal", "name": "SHOP.COPY"},
        "DELETE QLOCAL(SHOP.COPY)",
    ),
    Pair(
        {"command": "display", "qualifier": "qlocal", "name": "SHOP.COPY"},
        "DISPLAY QLOCAL(SHOP.COPY)",
    ),
)


class Both(NamedTuple):
    """The same log twice: one is served, one is used directly."""

    rest: Rest
    twin: Twin

    def check(self, command: dict[str, Any], mqsc: str, qmgr: str = "MQ07") -> bool:
        """Run a command both ways and compare the answers; return whether its syntax is right."""
        answer = self.rest.run({"type": "runCommandJSON", **command}, qmgr)
        session = self.twin.runmqsc(qmgr, mqsc) if mqsc else None
        if session is None or session.messages[0].id == "AMQ8405":
            assert (answer.status_code, [*answer.json()]) == (400, ["error"]), command
            return False
        assert answer.status_code == 200, answer.text
        assert self.as_printed(answer.json()) == self.printed(session), command
        assert bool(answer.json()["overallCompletionCode"]) == bool(session.exit_code)
        return True

    @staticmethod
    def printed(session: MqscSession) -> list[list[Cell] | str]:
        """Return the cells of each record that runmqsc printed, or the text of each message."""
        records = read_back("\n".join(session.lines)).records
        return [_undated(each.cells) or each.text for each in records]

    @staticmethod
    def as_printed(answer: dict[str, Any]) -> list[list[Cell] | str]:
        """Return the parameters or messages of each element, as runmqsc prints them."""
        found: list[list[Cell] | str] = []
        for each in answer["commandResponse"]:
            found += [text.partition(": ")[2].strip() for text in each.get("message", ())]
            if "parameters" in each:
                found.append(_undated([_cell(*item) for item in each["parameters"].items()]))
        return found


_FLAGS: Final = frozenset("SHARE NOSHARE TRIGGER NOTRIGGER HARDENBO NOHARDENBO SYNCPT".split())


_TIMES: Final = frozenset("ALTDATE ALTTIME CRDATE CRTIME CLUSDATE CLUSTIME QMID".split())


def _undated(cells: list[Cell]) -> list[Cell]:
    """Leave out times: the two logs record each command at an instant of its own."""
    return [cell for cell in cells if cell[0] not in _TIMES]


def _cell(key: str, value: Any) -> Cell:
    keyword = key.upper()
    if keyword in _FLAGS:
        assert value == "YES"
        return keyword, None
    if keyword == "NAMES":
        return keyword, tuple(value)
    return keyword, ",".join(value) if isinstance(value, list) else str(value)


@pytest.fixture
def both(tmp_path: Path, users_file: Path) -> Iterator[Both]:
    """Make MQ07, the only full repository of CLUS01, and serve a copy of it."""
    log = tmp_path / "twin.db"
    with closing(Twin.open(f"sqlite:///{log}", synchronous="NORMAL")) as twin:
        twin.crtmqm("MQ07")
        twin.strmqm("MQ07")
        assert twin.runmqsc("MQ07", _CLUSTER).exit_code == 0
        with served(copy_log(log, tmp_path / "served"), users_file) as service:
            yield Both(Rest(service), twin)


def test_commands_in_json_are_answered_as_by_runmqsc(both: Both) -> None:
    """Each command gives the messages and the cells that runmqsc prints for the same in MQSC."""
    for pair in PAIRS:
        both.check(pair.json, pair.mqsc)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_the_command_files_of_ibm_are_answered_as_by_runmqsc(both: Both) -> None:
    """All seven files run; only attributes of z/OS are refused."""
    files = sorted(SAMPLES.glob("ansible_*.yml"))
    assert len(files) == 7
    refused = []
    for file in files:
        for command in yaml.safe_load(file.read_text(encoding="utf-8"))["mq_commands"]:
            mqsc = command_text({"type": "runCommandJSON", **command})
            if not both.check(command, mqsc):
                refused.append(mqsc)
    zos = ("NLTYPE", "BRIDGEEV", "MAXCHL")
    assert [[word for word in zos if word in each] for each in refused] == [[each] for each in zos]


def test_the_role_of_ansible_finds_what_it_reads(both: Both) -> None:
    """An empty CSRF header, basic authentication, and a command with its keys in any order."""
    body = '{"qualifier": "qmgr", "type": "runCommandJSON", "command": "display"}'
    answer = both.rest.service.admin.post(
        "/ibmmq/rest/v3/admin/action/qmgr/MQ07/mqsc",
        content=body,
        headers={**CSRF, "content-type": "application/json; charset=utf-8"},
    )
    assert answer.status_code == 200
    assert json.loads(answer.text)["overallCompletionCode"] == 0
    assert answer.json()["commandResponse"][0]["parameters"]["qmname"] == "MQ07"
