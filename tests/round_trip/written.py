"""What an administrator would collect from a simulated estate: dumps and answers to DISPLAY."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from twin.app.observing import FileText
from twin.app.session import MqscSession
from twin.fold.estate import Estate
from twin.model.instants import AsOf
from twin.mqsc.statement import Statement, parse
from twin.questions.channels import channels
from twin.questions.display import display
from twin.questions.dump import dump

COMMANDS: Final = (
    "DISPLAY QMGR ALL",
    "DISPLAY QMSTATUS ALL",
    "DISPLAY CLUSQMGR(*) ALL",
    "DISPLAY QCLUSTER(*) ALL",
    "DISPLAY TCLUSTER(*) ALL",
    "DISPLAY CHSTATUS(*) ALL",
)
"""The captures of each queue manager."""


def dump_text(estate: Estate, as_of: AsOf, qmgr: str) -> str:
    """Write the definitions of a queue manager as dmpmqcfg does."""
    return "\n".join([*dump(estate, qmgr, as_of), ""])


def session_text(estate: Estate, as_of: AsOf, qmgr: str) -> str:
    """Write a session of runmqsc with its banner, its echo and its closing counters."""

    def look(question: Callable[[Estate, AsOf], Any]) -> Any:
        return question(estate, as_of)

    lines = MqscSession.reading(look, qmgr).run("\n".join(COMMANDS)).lines
    return "\n".join([*lines, ""])


def web_text(estate: Estate, as_of: AsOf, qmgr: str) -> str:
    """Write saved answers of mqweb to the same commands: each with its URL and its request."""
    lines = []
    for command in COMMANDS:
        statement = parse(command)
        assert isinstance(statement, Statement)
        records = display(estate, as_of, qmgr, statement).records
        answer = {
            "commandResponse": [
                {"completionCode": 0, "reasonCode": 0, "parameters": each.values}
                for each in records
            ]
            or [{"completionCode": 2, "reasonCode": 3065, "message": [_NONE[statement.object]]}],
            "overallReasonCode": 0,
            "overallCompletionCode": 0,
        }
        asked = {"type": "runCommand", "parameters": {"command": command}}
        lines += [URL.format(qmgr), json.dumps(asked), json.dumps(answer, indent=1)]
    return "\n".join([*lines, ""])


_NONE: Final = {
    "CLUSQMGR": "AMQ8147E: IBM MQ object * not found.",
    "QCLUSTER": "AMQ8147E: IBM MQ object * not found.",
    "TCLUSTER": "AMQ8147E: IBM MQ object * not found.",
    "CHSTATUS": "AMQ8420I: Channel Status not found.",
}
"""The object of a command -> the message that nothing matches."""


def scrape_text(estate: Estate, as_of: AsOf, qmgr: str) -> str:
    """Write a scrape of mq_prometheus: the statuses of senders and of the queue manager."""
    rows = channels(estate, as_of, on=qmgr).rows
    lines = ["# TYPE ibmmq_channel_status gauge"]
    lines += [
        f'ibmmq_channel_status{{channel="{row["channel"]}",connname="-",qmgr="{qmgr}",'
        f'type="CLUSSDR"}} {STATUS_NUMBERS[str(row["status"])]}'
        for row in rows
        if not str(row["channel"]).endswith(f".{qmgr}")
    ]
    lines += ["# TYPE ibmmq_qmgr_status gauge", f'ibmmq_qmgr_status{{qmgr="{qmgr}"}} 2']
    return "\n".join([*lines, ""])


STATUS_NUMBERS: Final = {"INACTIVE": 0, "RUNNING": 3, "RETRYING": 5, "STOPPED": 6}
"""The status of a channel -> its number in mq_prometheus."""

URL: Final = "https://host:9443/ibmmq/rest/v3/admin/action/qmgr/{}/mqsc"


def files(estate: Estate, as_of: AsOf) -> Iterator[FileText]:
    """Write all files; a queue manager that does not run answers no command."""
    for name, qmgr in sorted(estate.qmgrs.items()):
        if qmgr.running:
            yield FileText(dump_text(estate, as_of, name))
            yield FileText(session_text(estate, as_of, name))
