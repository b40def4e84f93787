"""The resources of mqweb, under the same paths in versions 1 to 3."""

from __future__ import annotations

from fastapi import APIRouter

from twin.web.mqweb import channels, commands, messages, queue_managers, queues, subscriptions

router = APIRouter(prefix="/ibmmq/rest")
for _version in ("v1", "v2", "v3"):
    for _part in (commands, queue_managers, queues, channels, subscriptions, messages):
        router.include_router(_part.router, prefix=f"/{_version}")
