"""No password in a file, or in a command, reaches the log or the output of a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Run
from tests.feeds.test_detect import EVENT, EVENT_TEXT, HEADER, JSON_LINE, SERIES
from tests.feeds.test_dumps import OWN, dump

SECRET: Final = "tops3cret"  # noqa: S105 - it is none
PLACES: Final = {
    "a setting with a colon": f"pwd:{SECRET}",
    "a setting with a blank": f"password = {SECRET}",
    "an address": f"user:{SECRET}@host(1414)",
    "a URL": f"https://user:{SECRET}@host/x",
    "a token": f"SSLKEYP({SECRET})",
}
OWN_KEYWORDS: Final = "SSLKEYP SSLCRYP".split()


def mqsc(value: str) -> str:
    """Return a script with the value in attributes of many forms."""
    own = "\n".join(f"ALTER QMGR {keyword}('{SECRET}')" for keyword in OWN_KEYWORDS)
    return f"""{own}
DEFINE QLOCAL(A) DESCR('{value}')
DEFINE SUB(S) TOPICSTR('x') DEST(A) USERDATA('{value}')
DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('{value}') XMITQ(A) SCYDATA('{value[:32]}')
DEFINE NAMELIST(N) NAMES('{value}')
DEFINE QLOCAL(B) NOSUCH('{value}')
DEFINE QLOCAL(C DESCR('{value}')
"""


def captured(value: str) -> str:
    """Return a saved answer of runmqsc."""
    rows = f"   CHANNEL(C)   CHLTYPE(SDR)\n   CONNAME({value})\n   DESCR({value})\n"
    keys = "".join(f"   {keyword}({SECRET})\n" for keyword in OWN_KEYWORDS)
    return (
        f"Starting MQSC for queue manager QM1.\n     1 : DISPLAY CHANNEL(*) ALL\n"
        f"AMQ8414I: Display Channel details.\n{rows}     2 : DISPLAY QMGR ALL\n"
        f"AMQ8408I: Display Queue Manager details.\n   QMNAME(QM1)\n{keys}   DESCR({value})\n"
        f"     3 : ALTER QMGR DESCR('{value}')\nAMQ8005I: Changed.\n"
    )


def mqweb(value: str) -> str:
    """Return an answer of mqweb."""
    parameters = {"channel": "C", "conname": value, "descr": value, "sslkeyp": SECRET}
    return json.dumps({"commandResponse": [{"completionCode": 0, "parameters": parameters}]})


def error_log(value: str) -> str:
    """Return two records of an error log in text."""
    header = HEADER.replace("QMgr(QM1)", "QMgr(QM1)\n Time(2026-03-04T08:17:30.123Z)")
    return "".join(
        f"{header}{id_}: The value '{value}' is wrong.\n\nEXPLANATION:\nIt is {value}\n"
        "ACTION:\nNone.\n----- a.c : 1 ------\n"
        for id_ in ("AMQ9999E", "AMQ9209E")
    )


def json_log(value: str) -> str:
    """Return records of an error log in JSON."""
    record = json.loads(JSON_LINE)
    record |= {"message": f"AMQ9209E: {value}", "ibm_commentInsert1": value, "other": value}
    escaped = json.dumps(record).replace(SECRET, SECRET.replace("t", "\\u0074", 1))
    return f"{json.dumps(record)}\n{escaped}\n"


def events_json(value: str) -> str:
    """Return a channel event and one with a value of every kind."""
    data = {"queueMgrName": "QM1", "channelName": "C", "connectionName": value, "userData": value}
    event = json.loads(EVENT)
    event["eventData"] |= {**data, "sslKeyRepoPassword": SECRET, "nested": {"inner": [value]}}
    return json.dumps(event, indent=2) + "\n"


def configuration(value: str) -> str:
    """Return the ini file of a queue manager."""
    return f"Channels:\n   MQIBindType=FASTPATH\nSSL:\n   OutboundSNI={value}\nTCP:\n   X={value}\n"


def ranges(value: str) -> str:
    """Return an answer of Prometheus to a range query."""
    series = json.loads(json.dumps(SERIES))
    series["metric"] |= {"qmgr": "QM1", "connname": value}
    return json.dumps([series])


CHANNELS: Final = {
    "channel": [
        {
            "name": "APP",
            "type": "clientConnection",
            "general": {"description": "VALUE"},
            "clientConnection": {
                "connection": [{"host": "VALUE", "port": 1414}],
                "queueManager": "QM1",
            },
        }
    ]
}
LABELS: Final = '{qmgr="QM1",channel="C",type="CLUSSDR",connname="VALUE",description="VALUE"} 3\n'

FEEDS: Final[dict[str, Callable[[str], str]]] = {
    "script.mqsc": mqsc,
    "dump.mqsc": lambda value: dump(OWN, mqsc(value)),
    "captured.txt": captured,
    "mqweb.json": mqweb,
    "AMQERR01.LOG": error_log,
    "AMQERR01.json": json_log,
    "console.log": lambda value: f"2026-03-04T08:17:30.123Z AMQ9209E: It is {value} now.\n",
    "chin.log": lambda value: (
        f"08.17.30 STC00042  CSQX599E +MQ1A CSQXRESP Channel {value} ended abnormally\n"
        f"08.17.31 STC00042  CSQX208E +MQ1A CSQXRESP Error with {value}\n"
    ),
    "events.json": events_json,
    "events.txt": lambda value: f"{EVENT_TEXT}  Connection Name : {value}\n  Data : {value}\n",
    "scrape.txt": lambda value: f"ibmmq_channel_status{LABELS.replace('VALUE', value)}",
    "ranges.json": ranges,
    "qm.ini": configuration,
    "ccdt.json": lambda value: json.dumps(CHANNELS).replace("VALUE", value),
}


def stored() -> str:
    """Return the text of every file of the log."""
    return "".join(path.read_bytes().decode("latin-1") for path in Path().glob("*.db*"))


@pytest.mark.parametrize("name", FEEDS)
def test_no_password_of_a_file_is_stored_or_shown(run: Run, name: str) -> None:
    """It is masked in definitions, in evidence, and in what was not understood, in every place."""
    folder = Path("qmgrs/QM1")
    folder.mkdir(parents=True)
    path = Path(folder, name)
    shown, secrets = "", {place: f"{SECRET}{number}" for number, place in enumerate(PLACES)}
    for day, (place, secret) in enumerate(secrets.items(), start=5):
        path.write_text(FEEDS[name](PLACES[place].replace(SECRET, secret)), encoding="utf-8")
        at = ("--tz", "UTC", "--at", f"2026-03-{day:02}T00:00:00Z")
        taken = run("import", str(path), "--qmgr", "QM1", *at)
        assert "Traceback" not in taken.err
        shown += taken.out + taken.err
    shown += run("ask", "ingest", "--format", "json").out
    shown += run("log", "show", "--all", "--format", "json").out
    kept = stored()
    assert [place for place, secret in secrets.items() if secret in shown or secret in kept] == []
    assert SECRET not in shown
    assert SECRET not in kept


@pytest.mark.parametrize("place", PLACES)
def test_no_password_of_a_command_is_stored(run: Run, place: str) -> None:
    """Commands are masked before they are recorded, also those that are refused."""
    for command in ("crtmqm", "strmqm"):
        run(command, "QM1")
    Path("commands.mqsc").write_text(mqsc(PLACES[place]), encoding="utf-8")
    run("runmqsc", "QM1", "commands.mqsc")
    assert "DEFINE SUB" in run("log", "show", "--all", "--format", "json").out
    assert SECRET not in stored()
