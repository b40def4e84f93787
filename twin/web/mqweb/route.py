"""Routes of mqweb: names arrive percent-encoded, and a slash at the end is allowed."""

from __future__ import annotations

from urllib.parse import unquote

from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope


class MqwebRoute(APIRoute):
    """A route whose path parameters may contain an encoded slash, dot or percent sign.

    Source: IBM MQ 9.1, GET /admin/qmgr (they must be sent as %2F, %2E and %25).
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match the path as it was sent, and decode its parameters."""
        if scope["type"] != "http":
            return Match.NONE, {}
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?")[0].decode("latin-1").rstrip("/")
        match, child = super().matches({**scope, "path": path})
        if "path_params" in child:
            child["path_params"] = {
                name: unquote(value) if isinstance(value, str) else value
                for name, value in child["path_params"].items()
            }
        return match, child
