"""The views, in the order of the navigation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.web.pages.estate import ESTATE
from twin.web.pages.findings import FINDINGS
from twin.web.pages.history_view import HISTORY
from twin.web.pages.imports import IMPORT
from twin.web.pages.log_view import LOG
from twin.web.pages.map.view import MAP
from twin.web.pages.plan import PLAN
from twin.web.pages.qmgr import QMGR
from twin.web.pages.view import PageView
from twin.web.pages.waiting import WAITING
from twin.web.pages.whatif import WHAT_IF
from twin.web.pages.why import WHY

_IN_ORDER: Final = (
    ESTATE,
    MAP,
    QMGR,
    WHY,
    WAITING,
    FINDINGS,
    PLAN,
    WHAT_IF,
    HISTORY,
    LOG,
    IMPORT,
)

VIEWS: Final[Mapping[str, PageView]] = MappingProxyType({view.name: view for view in _IN_ORDER})
"""Name -> view."""

OTHER_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"estate": "estate", "qmgrs": "qmgr", "whatif": "what-if", "doctor": "findings"}
)
"""Other names that lead to a view -> its name; the page of the estate itself is at `/`."""
