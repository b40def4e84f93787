"""What is asked of a queue manager: reading calls only.

Source: IBM MQ 9.4, "POST /admin/action/qmgr/{qmgrName}/mqsc" and "GET /admin/qmgr".
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import quote


class ReadingCall(NamedTuple):
    """One call that reads.

    Attributes:
        qualifier: what DISPLAY shows, such as CLUSQMGR; '' for the GET of the queue manager.
        name: the name asked for; '' if the command has none.
    """

    qualifier: str = ""
    name: str = ""

    @property
    def shown(self) -> str:
        """The call, for people."""
        if not self.qualifier:
            return "GET of the queue manager"
        return f"DISPLAY {self.qualifier}{f'({self.name})' if self.name else ''}"

    @property
    def body(self) -> dict[str, Any] | None:
        """The body of the POST, in the JSON form of MQSC; None for a GET."""
        if not self.qualifier:
            return None
        name = {"name": self.name} if self.name else {}
        return {
            "type": "runCommandJSON",
            "command": "display",
            "qualifier": self.qualifier.lower(),
            **name,
            "responseParameters": ["all"],
        }

    def path(self, qmgr: str) -> str:
        """Return the path of the call, after that of the version of the API."""
        quoted = quote(qmgr, safe="").replace(".", "%2E")
        if not self.qualifier:
            return f"/admin/qmgr/{quoted}"
        return f"/admin/action/qmgr/{quoted}/mqsc"


CALLS: Final = (
    ReadingCall(),
    ReadingCall("QMGR"),
    ReadingCall("CLUSQMGR", "*"),
    ReadingCall("QCLUSTER", "*"),
    ReadingCall("TCLUSTER", "*"),
    ReadingCall("CHSTATUS", "*"),
    ReadingCall("QSTATUS", "*"),
)
"""The calls of one poll, in their order."""
