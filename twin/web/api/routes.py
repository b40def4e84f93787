"""The JSON interface of twin."""

from __future__ import annotations

from fastapi import APIRouter

from twin.web.api import asking, openapi, recorded, reviewing

router = APIRouter(prefix="/twin/v1")
for _part in (openapi, asking, reviewing, recorded):
    router.include_router(_part.router)
