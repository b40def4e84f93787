"""Read answers of `/api/v1/query_range` and `/api/v1/query` of Prometheus.

An answer is one JSON text, often on one long line: series are read from it one by one, and each
series value by value. Instants are in seconds. A series has its labels before its values.

Source: Prometheus, HTTP API.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from twin.feeds.prometheus.scrapes import PREFIX, Sample
from twin.feeds.reading.blocks import PIECE, pieces
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.model.instants import is_instant

_SERIES: Final = re.compile(r'"metric"\s*+:\s*+(?=\{)')
_VALUES: Final = re.compile(r'[\s,]*+"(values?)"\s*+:\s*+\[')
_HISTOGRAMS: Final = re.compile(r'[\s,]*+"histograms?"\s*+:')
_PAIR: Final = re.compile(
    r'[\s,]*+\[?\s*+"?([\w.+-]{1,200})"?\s*+,\s*+"?([^"\s,\[\]]{0,200})"?\s*+\]', re.ASCII
)
"""An instant and a value, also those that are not numbers: the values after them still count."""

_END: Final = re.compile(r"[\s,]*+[]}]")
_FAILED: Final = re.compile(r'"status"\s*+:\s*+"error"')
_decode: Final = json.JSONDecoder().raw_decode


def read_ranges(lines: Iterable[str], *, prefix: str = PREFIX) -> Iterator[Sample | NotUnderstood]:
    """Yield the values in order, and what is not understood; never raises."""
    return _Ranges(lines, prefix).samples()


class _Ranges:
    """The text that is not read yet, and where it is."""

    def __init__(self, lines: Iterable[str], prefix: str) -> None:
        self._source = pieces(lines)
        self._prefix = prefix
        self._text = ""
        self._at = 0
        self._line = 1

    def _more(self) -> bool:
        """Add a piece of text; return whether there was one."""
        piece = next(self._source, None)
        if piece is None:
            return False
        self._text = self._text[self._at :] + piece
        self._at = 0
        return True

    def _go(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def samples(self) -> Iterator[Sample | NotUnderstood]:
        """Yield the values of all series."""
        while True:
            found = _SERIES.search(self._text, self._at)
            if found is None:
                if _FAILED.search(self._text, self._at):
                    yield not_understood(self._line, self._text, "is an error answer")
                self._go(max(self._at, len(self._text) - _TAIL))
                if not self._more():
                    return
                continue
            self._go(found.end())
            line = self._line
            metric = self._metric()
            if isinstance(metric, NotUnderstood):
                yield metric
            else:
                yield from self._series(metric, line)

    def _metric(self) -> Mapping[str, str] | NotUnderstood:
        """Read the labels of a series."""
        while True:
            try:
                labels, end = _decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                size = len(self._text) - self._at
                if self._is_cut(error) and size <= LONGEST and self._more():
                    continue
                why = TOO_LONG if size > LONGEST else "has labels that are not valid JSON"
                text = self._text[self._at : self._at + PIECE]
                self._go(self._at + 1)
                return not_understood(self._line, text, why)
            text = self._text[self._at : end]
            self._go(end)
            if all(isinstance(each, str) for each in labels.values()):
                return dict(labels)
            return not_understood(self._line, text, "has labels that are not texts")

    def _is_cut(self, error: ValueError | RecursionError) -> bool:
        """Return whether JSON is wrong because it goes on in the next piece."""
        return isinstance(error, json.JSONDecodeError) and (
            error.msg.startswith("Unterminated string") or len(self._text) - error.pos < _TAIL
        )

    def _series(self, labels: Mapping[str, str], line: int) -> Iterator[Sample | NotUnderstood]:
        """Yield the values of a series."""
        name = labels.get("__name__", "")
        own = {key: text for key, text in labels.items() if key != "__name__"}
        while len(self._text) - self._at < _TAIL and self._more():
            pass
        values = _VALUES.match(self._text, self._at)
        if values is None:
            if not _HISTOGRAMS.match(self._text, self._at):
                yield not_understood(line, str(labels), "has no values after its labels")
            return
        self._go(values.end())
        if name and not name.startswith(self._prefix):
            return
        if not name:
            yield not_understood(line, str(labels), "has no name: ask for the metric")
            return
        metric = name.removeprefix(self._prefix)
        while True:
            yield from self._pairs(metric, own)
            if _END.match(self._text, self._at):
                return
            if len(self._text) - self._at > _TAIL or not self._more():
                rest = self._text[self._at : self._at + PIECE]
                yield not_understood(self._line, rest, "is not an instant with a value")
                return

    def _pairs(self, metric: str, labels: Mapping[str, str]) -> Iterator[Sample | NotUnderstood]:
        """Yield the values that are complete in the text."""
        text, at, line = self._text, self._at, self._line
        while pair := _PAIR.match(text, at):
            begin, at = at, pair.end()
            place = line + text.count("\n", begin, pair.start(2))
            line += text.count("\n", begin, at)
            try:
                instant, value = round(float(pair[1]) * 1_000_000), float(pair[2])
            except (ValueError, OverflowError):
                yield not_understood(place, pair[0], "is not an instant with a value")
                continue
            if instant >= 0 and is_instant(instant):
                yield Sample(place, place, instant, metric, labels, value, "")
            else:
                yield not_understood(place, pair[0], "has an instant out of range")
        self._at, self._line = at, line


_TAIL: Final = 256
"""The most characters of a token that is cut at the end of a piece."""
