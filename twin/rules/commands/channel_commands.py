"""Which channel a command is about, and what it says.

Source: IBM MQ 9.4, "MQSC commands reference": a channel that only the cluster knows is commanded
like a defined one.
"""

from __future__ import annotations

from twin.fold.estate import QueueManager
from twin.model.objects import Definition
from twin.mqsc.statement import Statement


def option(statement: Statement, keyword: str) -> str | None:
    """Return what a command says of a keyword; '' where it stands alone, None where it does not."""
    for parameter in statement.parameters:
        if parameter.keyword == keyword:
            return parameter.values[0].text if parameter.values else ""
    return None


def find(qmgr: QueueManager, statement: Statement) -> tuple[str, Definition | None, bool]:
    """Find the channel a command names: its definition, and whether only the cluster knows it."""
    name = statement.name.text if statement.name else ""
    definition = qmgr.definitions.get(("CHANNEL", name))
    automatic = definition is None and (
        name in qmgr.activity.channels
        or any(there[2] == name for there, _ in qmgr.repository.of_kind("qmgr"))
    )
    return name, definition, automatic
