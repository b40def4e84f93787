"""A client of mqweb for tests: it sends what real clients send, and returns what they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import httpx

from tests.web.serving import CSRF, Served

STRANGE: Final = "Q.M/3%"
"""A queue manager whose name must be encoded in a URL."""


@dataclass(frozen=True)
class Rest:
    """The REST interface of a running service."""

    service: Served

    def get(self, path: str, version: str = "v3", **params: str) -> httpx.Response:
        """Get a resource."""
        return self.service.reader.get(f"/ibmmq/rest/{version}{path}", params=params)

    def post(
        self,
        path: str,
        body: Any,
        *,
        client: httpx.Client | None = None,
        point: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Post a JSON document, as a client, at a point."""
        sender = client or self.service.admin
        headers = {**CSRF, **(point or {})}
        return sender.post(f"/ibmmq/rest/v3{path}", json=body, headers=headers)

    def run(self, body: Any, qmgr: str = "QM1", **options: Any) -> httpx.Response:
        """Post a command."""
        return self.post(f"/admin/action/qmgr/{quote(qmgr, safe='')}/mqsc", body, **options)

    def text(self, command: str, **options: Any) -> httpx.Response:
        """Run a command as text."""
        body = {"type": "runCommand", "parameters": {"command": command}}
        return self.run(body, **options)

    def json(
        self,
        command: str,
        qualifier: str,
        name: str | None = None,
        parameters: Any = None,
        response: list[str] | None = None,
        **options: Any,
    ) -> httpx.Response:
        """Run a command as JSON."""
        given = {
            "command": command,
            "qualifier": qualifier,
            "name": name,
            "parameters": parameters,
            "responseParameters": response,
        }
        body = {key: value for key, value in given.items() if value is not None}
        return self.run({"type": "runCommandJSON", **body}, **options)

    def shown(self, *command: Any, **options: Any) -> list[dict[str, Any]]:
        """Run a DISPLAY as JSON; return the parameters of each object."""
        answer = self.json("display", *command, **options)
        assert answer.status_code == 200, answer.text
        return [each["parameters"] for each in answer.json()["commandResponse"]]
