"""The format of a file, detected from its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import HOSTILE, in_linear_time
from tests.feeds.observing import Record
from twin.feeds.amqsevt.outputs import read_event_json, read_event_text
from twin.feeds.captures.mqweb import read_mqweb
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.configuration import read_ccdt, read_ini
from twin.feeds.detect import HEAD, WHY_NOT, FileFormat, detect, detect_bytes
from twin.feeds.errorlog.json_lines import read_console, read_json
from twin.feeds.errorlog.text import read_text
from twin.feeds.errorlog.zos import read_zos
from twin.feeds.prometheus.ranges import read_ranges
from twin.feeds.prometheus.scrapes import read_scrape
from twin.feeds.reading.not_understood import NotUnderstood

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples"

HEADER: Final = (
    "03/04/26 08:17:30 - Process(16296.7) User(mqm) Program(amqrmppa)\n"
    "                    Host(h1) Installation(Installation1)\n"
    "                    VRMF(9.3.0.1) QMgr(QM1)\n\n"
)
JSON_LINE: Final = (
    '{"ibm_messageId":"AMQ9209E","ibm_datetime":"2026-03-04T08:17:30.123Z","type":"mq_log",'
    '"ibm_serverName":"QM1","message":"AMQ9209E: The connection was closed."}\n'
)
CONSOLE: Final = "2026-03-04T08:17:30.123Z AMQ9209E: The connection was closed.\n"
EVENT: Final = (
    '{\n  "eventSource" : { "objectName": "SYSTEM.ADMIN.CHANNEL.EVENT", "queueMgr" : "QM1" },\n'
    '  "eventType" : { "name" : "Channel Event", "value" : 46 },\n'
    '  "eventReason" : { "name" : "Channel Started", "value" : 2282 },\n'
    '  "eventCreation" : { "timeStamp" : "2026-03-04T08:17:30Z", "epoch" : 1772612250 },\n'
    '  "eventData" : { "queueMgrName" : "QM1", "channelName" : "TO.QM2" }\n}\n'
)
EVENT_TEXT: Final = (
    "**** Message #1 (236 Bytes) on Queue SYSTEM.ADMIN.QMGR.EVENT ****\n"
    "Event Type                       : Queue Mgr Event [44]\n"
    "Reason                           : Queue Mgr Active [2222]\n"
    "Event created                    : 2026/03/04 08:17:30.12 GMT\n"
    "  Queue Mgr Name                 : QM1\n"
)
SERIES: Final = {
    "metric": {"__name__": "ibmmq_channel_status", "channel": "TO.QM2"},
    "values": [[1772612250, "3"]],
}
CHANNEL: Final = {
    "channel": [
        {
            "name": "APP",
            "type": "clientConnection",
            "clientConnection": {"connection": [{"host": "h1", "port": 1414}]},
        }
    ]
}

TEXTS: Final[dict[FileFormat, tuple[str, ...]]] = {
    FileFormat.MQSC_SCRIPT: (
        "* a comment\ndef ql(a) +\n  maxdepth(5)\nstart listener(l1)\n",
        "* see CSQX500I, 2026-03-04T08:17:30Z AMQ9209E:, /ibmmq/rest/v3\nDEFINE QLOCAL(A)\n",
        "* a long licence\n" * HEAD + "DEFINE QLOCAL(A)\n",
    ),
    FileFormat.DMPMQCFG: (
        "***\n* Script generated on 2026-01-01   at 00.00.00 \nALTER QMGR FORCE\n",
    ),
    FileFormat.BINARY: ("\x7fELF\x02\0\0\0",),
    FileFormat.EMPTY: ("* nothing\n\n* but comments\n", "", "* a long licence\n" * HEAD),
    FileFormat.RUNMQSC_OUTPUT: (
        "Starting MQSC for queue manager QM1.\n\n     1 : DISPLAY QMGR\n",
        "5724-H72 (C) Copyright IBM Corp. 1994, 2026.\nMQSC f\u00fcr QM1 wird gestartet.\n",
        "2026-03-04T08:17:30.123Z setup.sh: 5724-H72 (C) Copyright IBM Corp. 1994, 2026.\n",
        "AMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR(FR1)   CHANNEL(TO.FR1)\n",
        "CSQM201I MQ1A CSQMDRTC  DISPLAY CHSTATUS DETAILS\n CHSTATUS(TO.FR1)\n STATUS(RUNNING)\n",
    ),
    FileFormat.MQWEB_ANSWERS: (
        '{"commandResponse": [{"completionCode": 0, "parameters": {"qmname": "QM1"}}]}\n',
        'GET https://h:9443/ibmmq/rest/v3/admin/qmgr\n{"qmgr": [{"name": "QM1"}]}\n',
        '{"error": [{"msgId": "MQWB0009E"}]}\n',
    ),
    FileFormat.MQWEB_REQUESTS: (
        "curl -k https://h:9443/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc \\\n  -X POST\n",
        "HTTP/1.1 204 No Content\nContent-Length: 0\n",
    ),
    FileFormat.ERROR_LOG: (
        "AMQ9410: Repository manager started.\n\nEXPLANATION:\nIt was started.\n",
        HEADER + "AMQ9209E: La connexion est ferm\u00e9e.\n\nEXPLICATION :\nFerm\u00e9e.\n",
        "Mar  4 08:17:31 h1 mq: " + " ".join(HEADER.split()) + " AMQ9209E: Closed. -----\n",
    ),
    FileFormat.JSON_LOG: (
        JSON_LINE,
        json.dumps({"log": JSON_LINE, "stream": "stdout"}) + "\n",
        json.dumps({"log": CONSOLE, "stream": "stdout"}) + "\n",
        json.dumps({"message": HEADER + "AMQ9209E: Closed.\n"}) + "\n",
        '{"type":"liberty_message","message":"CWWKE0001I: Started."}\n' + JSON_LINE,
    ),
    FileFormat.CONTAINER_LOG: (
        "2026-03-04T08:17:30.100Z Starting queue manager\n" + CONSOLE,
        '{"type":"mq_containerlog","message":"Starting queue manager"}\n',
    ),
    FileFormat.WEB_SERVER_LOG: (
        '{"type":"liberty_message","ibm_datetime":"2026-03-04T08:17:30.123+0000"}\n',
    ),
    FileFormat.ZOS_LOG: (
        "08.17.30 STC00042  CSQX500I +MQ1A CSQXRCTL Channel TO.FR1 started\n",
        "+CSQX599E +MQ1A CSQXRESP Channel TO.FR1 ended abnormally\n",
    ),
    FileFormat.AMQSEVT_JSON: (EVENT, " ".join(EVENT.split()) + "\n", "[" + EVENT + "]\n"),
    FileFormat.AMQSEVT_TEXT: (EVENT_TEXT,),
    FileFormat.PROMETHEUS_SCRAPE: (
        "# HELP ibmmq_channel_status Channel Status\n# TYPE ibmmq_channel_status gauge\n",
        'ibmmq_channel_status{channel="TO.QM2",qmgr="QM1"} 3\n',
    ),
    FileFormat.PROMETHEUS_ANSWER: (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [SERIES]}}),
        json.dumps([SERIES]),
    ),
    FileFormat.DASHBOARD: ('{"annotations": {}, "panels": [{"datasource": "P"}]}\n',),
    FileFormat.CHANNEL_TABLE: (
        json.dumps(CHANNEL),
        "# the table\ncat > ccdt.json <<EOF\n" + json.dumps(CHANNEL, indent=2) + "\nEOF\n",
    ),
    FileFormat.INI: (
        "#* Queue managers\nQueueManager:\n   Name=QM1\n   Directory=QM1\n",
        "# uniform\nAutoCluster:\n# of all\n\n   Type=Uniform\n   ClusterName=UNI\n",
        "Log:\r\n   LogPrimaryFiles=3\r\n",
    ),
    FileFormat.JSON: ('{"name": "x"}\n', "[1, 2]\n", "[]", '\ufeff{"a":'),
    FileFormat.HTML: ("<!DOCTYPE html>\n<html><body>DEFINE QLOCAL(A)</body></html>\n",),
    FileFormat.YAML: (
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.mqsc: |\n    DEFINE QLOCAL(A)\n",
        "# commands\n---\n- command: define\n  qualifier: qlocal\n",
        "queueManager:\n  name: QM1\n  mqsc:\n    - configMap: a\n",
    ),
    FileFormat.SHELL: ("#!/bin/sh\nrunmqsc QM1 <<EOF\nDEFINE QLOCAL(A)\nEOF\n",),
    FileFormat.MARKDOWN: ("# Queues\n\n## How to\n\nSay it:\n```\nDEFINE QLOCAL(A)\n```\n",),
    FileFormat.PROSE: (
        "Dear colleague,\nplease define a queue.\nThanks\n",
        "{{ template }}\n{% if a %}\n{% endif %}\n",
    ),
}
"""Texts of each format that `detect` tells."""

READERS: Final[dict[FileFormat, Callable[[Iterable[str]], Iterator[Any]]]] = {
    FileFormat.RUNMQSC_OUTPUT: read_captures,
    FileFormat.MQWEB_ANSWERS: read_mqweb,
    FileFormat.ERROR_LOG: read_text,
    FileFormat.JSON_LOG: read_json,
    FileFormat.WEB_SERVER_LOG: read_json,
    FileFormat.CONTAINER_LOG: read_console,
    FileFormat.ZOS_LOG: read_zos,
    FileFormat.AMQSEVT_JSON: read_event_json,
    FileFormat.AMQSEVT_TEXT: read_event_text,
    FileFormat.PROMETHEUS_SCRAPE: read_scrape,
    FileFormat.PROMETHEUS_ANSWER: read_ranges,
    FileFormat.CHANNEL_TABLE: read_ccdt,
    FileFormat.INI: read_ini,
}
"""The reader of each format that has one."""

FOLDERS: Final = {
    "amqerr-json": {FileFormat.JSON_LOG, FileFormat.WEB_SERVER_LOG},
    "amqerr-text": {FileFormat.ERROR_LOG, FileFormat.CONTAINER_LOG},
    "amqsevt": {FileFormat.AMQSEVT_JSON, FileFormat.AMQSEVT_TEXT},
    "ccdt": {FileFormat.CHANNEL_TABLE},
    "dmpmqcfg": {FileFormat.DMPMQCFG},
    "ini": {FileFormat.INI},
    "mqsc": {FileFormat.MQSC_SCRIPT, FileFormat.DMPMQCFG, FileFormat.YAML},
    "prometheus": {FileFormat.DASHBOARD},
    "rest": {FileFormat.MQWEB_ANSWERS, FileFormat.MQWEB_REQUESTS, FileFormat.YAML},
    "runmqsc-output": {FileFormat.RUNMQSC_OUTPUT},
}
"""The folder of a sample -> the formats of its files."""

OTHERS: Final = {
    "-expected.json": FileFormat.JSON,  # what another program reads from a log
    "DataDog__statistics_": FileFormat.BINARY,
    "mq-metric-samples__metrics.txt": FileFormat.PROSE,
    "04-app2_README": FileFormat.ERROR_LOG,  # a message without the header of a record
}
"""A part of a name -> the format of files that are no examples of their folder."""

FRAGMENTS: Final = (
    "04-app2_README",
    "eventData_fragments",
    "mqoc_connect_app",  # one bracket is missing
    "administrating.md__L258",  # one message, of no command
    "mqseries-api-cli__README.md__L75",  # a session without a command
)
"""Parts of the names of files that have no whole record."""

UNMARKED: Final = {
    FileFormat.EMPTY,
    FileFormat.MQSC_SCRIPT,
    FileFormat.MQWEB_REQUESTS,
    FileFormat.MARKDOWN,
    FileFormat.PROSE,
}
"""The formats that are told by how many commands there are, or by what a script may contain."""

CASES: Final = [(expected, text) for expected, texts in TEXTS.items() for text in texts]


READ: Final = {
    FileFormat.MQSC_SCRIPT,
    FileFormat.DMPMQCFG,
    FileFormat.RUNMQSC_OUTPUT,
    FileFormat.MQWEB_ANSWERS,
}


@pytest.mark.parametrize(("expected", "text"), CASES)
def test_every_format_is_told_from_its_text(expected: FileFormat, text: str) -> None:
    """Each format is detected; all but those in READ have a reason why not."""
    assert detect(text) is expected
    assert expected.readable is (expected in READ)


def test_every_format_has_a_text() -> None:
    """Every format is told from a text; only binary messages are told from their bytes."""
    assert {FileFormat.PCF, *TEXTS} == set(FileFormat)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"\x07\0\0\0$\0\0\0\x01\0\0\0", FileFormat.PCF),
        (b"\0\0\0\x15\0\0\0$\0\0\0\x03", FileFormat.PCF),
        (b"MD  \0\0\0\x02", FileFormat.PCF),
        (b"\x7fELF\x02\0\0\0", FileFormat.BINARY),
        (b"", FileFormat.BINARY),
    ],
)
def test_binary_messages_are_told_from_their_header(raw: bytes, expected: FileFormat) -> None:
    """The header of a PCF message is known in both byte orders, and a descriptor before it."""
    assert detect_bytes(raw) is expected


@pytest.mark.parametrize("unread", [each for each in WHY_NOT if each in TEXTS])
def test_what_is_not_read_gives_no_events_and_says_why(unread: FileFormat) -> None:
    """A file of another format gives no events and one reason."""
    seen = Record().take(TEXTS[unread][0])
    assert seen.events == ()
    assert [(each.line, each.why) for each in seen.not_understood] == [(1, WHY_NOT[unread])]


@pytest.mark.parametrize("expected", [each for each in TEXTS if each not in UNMARKED])
def test_the_first_part_decides(expected: FileFormat) -> None:
    """What follows after 64 KiB does not change the format of a text that has marks of its own."""
    text = TEXTS[expected][0] + "\n" * HEAD + "DEFINE QLOCAL(A)\n" * 1000
    assert detect(text) is expected


HOSTILE_TEXTS: Final = {
    **{name: "".join(lines) for name, lines in HOSTILE.items()},
    "line ends": "a\n" + "\n" * HEAD,
    "line ends after a brace": "{" + "\n" * HEAD,
    "line ends after stanzas": "a:\n" * 1000 + "\n" * HEAD,
    "blanks": "a\n" + " " * HEAD,
    "line ends after a command": "x\nrunmqsc" + "\n" * HEAD,
}


@given(st.text())
def test_no_text_raises(text: str) -> None:
    """Any text has a format, and importing it raises no error."""
    assert detect(text) in FileFormat
    Record().take(text)


@pytest.mark.parametrize("name", list(HOSTILE_TEXTS))
def test_hostile_texts_are_detected_in_linear_time(name: str) -> None:
    """No text makes detection slow."""
    text = HOSTILE_TEXTS[name]
    with in_linear_time():
        assert detect(text) in FileFormat


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_every_sample_is_recognised_and_its_reader_reads_it() -> None:
    """Each public file has the format of its folder, and the reader of the format finds records."""
    for path in (path for path in sorted(SAMPLES.glob("*/*/**/*")) if path.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        found = detect(text)
        other = next((each for part, each in OTHERS.items() if part in path.name), None)
        folder = path.relative_to(SAMPLES).parts[1]
        assert found is other or (other is None and found in FOLDERS[folder]), path
        if found in READERS and not any(part in path.name for part in FRAGMENTS):
            records = READERS[found](text.splitlines(keepends=True))
            assert not all(isinstance(each, NotUnderstood) for each in records), path
