"""DISPLAY CHANNEL: the definitions; client connections come last, as in captures of 9.4."""

from __future__ import annotations

from typing import Final

from twin.model.attributes import TYPES
from twin.questions.display._definitions import columns_of, defined
from twin.questions.display._view import DisplayView

CHANNEL_TYPES: Final = tuple(
    name for name, table in TYPES.items() if table.type_keyword == "CHLTYPE"
)

CHANNEL: Final = DisplayView(
    message="AMQ8414",
    first=("CHANNEL", "CHLTYPE"),
    columns=columns_of(*(name for name in CHANNEL_TYPES if name != "CLNTCONN"), "CLNTCONN"),
    find=defined(*(name for name in CHANNEL_TYPES if name != "CLNTCONN"), "CLNTCONN"),
    selectors={"CHLTYPE": frozenset({*CHANNEL_TYPES, "ALL"})},
)
