"""The options of `/metrics`: which channels, observed queue managers, and further labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from twin.errors import TwinError
from twin.model.names import CHANNEL_NAME_LENGTH, generic, legal_generic
from twin.questions.measures.channels import is_clustered

_LABEL: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.ASCII | re.DOTALL)
_OTHER: Final = "!"


class BadPattern(
    TwinError,
    ValueError,
    message="bad pattern {!r}; expected generic channel names with commas between them, each "
    "perhaps after a !, such as 'SALES.*,!SALES.TEST*'",
):
    """A pattern of `--metrics-channels` that is no list of generic names."""


class BadLabel(TwinError, ValueError, message="bad label {!r}: {}"):
    """A label of `--label` that is malformed, given twice, or taken."""


@dataclass(frozen=True, slots=True)
class MetricsOptions:
    """What `/metrics` shows.

    Attributes:
        channels: generic names of the channels that have series, and after a `!` of those that have
            none; () for all cluster channels.
        full: whether queue managers that are only observed have series under the exporter's names.
        labels: names and values of labels that every series gets.
    """

    channels: tuple[str, ...] = ()
    full: bool = False
    labels: tuple[tuple[str, str], ...] = ()

    def wants(self, channel: str, type_: str) -> bool:
        """Return whether a channel of this name and type has series."""
        if not self.channels:
            return is_clustered(channel, type_)
        taken = [each for each in self.channels if not each.startswith(_OTHER)]
        refused = [each[1:] for each in self.channels if each.startswith(_OTHER)]
        return any(generic(each, channel) for each in taken or ["*"]) and not any(
            generic(each, channel) for each in refused
        )


DEFAULT: Final = MetricsOptions()
"""All cluster channels, nothing of observed queue managers under the exporter's names."""


def read_pattern(text: str) -> tuple[str, ...]:
    """Read the value of `--metrics-channels`.

    Raises:
        BadPattern: if a part is no generic name.
    """
    parts = tuple(part.strip() for part in text.split(","))
    for part in parts:
        if not legal_generic(part.removeprefix(_OTHER), limit=CHANNEL_NAME_LENGTH):
            raise BadPattern(text)
    return parts


def read_labels(texts: Iterable[str], *, taken: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Read the values of `--label`; `taken` are the names of labels that the metrics have.

    Raises:
        BadLabel: if one is malformed, given twice or taken.
    """
    labels: dict[str, str] = {}
    for text in texts:
        match = _LABEL.fullmatch(text)
        if match is None or match[1].startswith("__"):
            raise BadLabel(text, "expected NAME=VALUE, such as mq_cluster=SALES")
        if match[1] in labels:
            raise BadLabel(text, "given twice")
        if match[1] in taken:
            raise BadLabel(text, "the metrics have a label of this name")
        labels[match[1]] = match[2]
    return tuple(labels.items())
