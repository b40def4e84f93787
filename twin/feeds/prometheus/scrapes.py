"""Read the text exposition of mq_prometheus: one sample a line.

Samples of other exporters are passed over. Instants are in milliseconds; one with a fraction, or
before 1973 as milliseconds, is in seconds, as OpenMetrics has it. Exemplars are ignored.

Source: Prometheus, Exposition formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from twin.feeds.prometheus.samples import PREFIX, Sample
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.model.instants import Instant, is_instant

_REMEMBERED: Final = 1 << 14
"""The most sets of labels that are kept, because each scrape repeats them."""

_LONG: Final = 1024
_SECONDS_BELOW: Final = 100_000_000_000
_DECLARED: Final = 4
_ESCAPES: Final = {"n": "\n", "\\": "\\", '"': '"'}


def read_scrape(lines: Iterable[str], *, prefix: str = PREFIX) -> Iterator[Sample | NotUnderstood]:
    """Yield the samples in order, and what is not understood; never raises.

    Consecutive lines that are no samples of any exporter are reported once.
    """
    known: dict[str, Mapping[str, str]] = {}
    types: dict[str, str] = {}
    cut = len(prefix)
    strange = False
    for number, raw in enumerate(lines, start=1):
        line = raw if raw.startswith(prefix) else raw.lstrip(" \t")
        if not line.startswith(prefix):
            if _is_strange(line, prefix, types):
                if not strange:
                    yield not_understood(number, line, "is not a sample")
                strange = True
            continue
        strange = False
        brace = line.find("{")
        close = line.rfind("} ") if "#" not in line else -1
        if 0 < brace < close and "\\" not in line:
            name, rest = line[cut:brace].rstrip(), line[close + 2 :]
            inside = line[brace + 1 : close]
            labels = known.get(inside) or _learned(known, inside)
        else:
            name, labels, rest = _parts(line, cut)
        found = None if labels is None else _value(rest)
        if labels is None or found is None:
            why = TOO_LONG if len(line) > LONGEST else "is not a sample"
            yield not_understood(number, line, why)
        else:
            yield Sample(number, number, found[1], name, labels, found[0], types.get(name, ""))


def _learned(known: dict[str, Mapping[str, str]], inside: str) -> Mapping[str, str] | None:
    """Read labels and remember them; None if they are malformed."""
    labels = _labels(inside)
    if labels is not None and len(inside) <= _LONG:
        if len(known) >= _REMEMBERED:
            known.clear()
        known[inside] = labels
    return labels


def _is_strange(line: str, prefix: str, types: dict[str, str]) -> bool:
    """Return whether a line is no comment, no other metric, and not blank; remember types."""
    if line.startswith("# TYPE "):
        words = line[: LONGEST + 1].split()
        if len(words) == _DECLARED and words[2].startswith(prefix) and len(types) < _REMEMBERED:
            types[words[2].removeprefix(prefix)] = words[3]
    return not (line[:1].isalpha() or line[:1] in {"#", "_", ":"}) and bool(line.strip())


def _value(rest: str) -> tuple[float, Instant | None] | None:
    """Read a value and perhaps an instant; None if they are not numbers."""
    words = rest.split(None, 2)
    try:
        if len(words) == 1:
            return float(words[0]), None
        value, stamp = words
        number = float(stamp)
        is_milliseconds = number >= _SECONDS_BELOW and "." not in stamp
        at = int(stamp) * 1000 if is_milliseconds else round(number * 1_000_000)
        return (float(value), at) if at >= 0 and is_instant(at) else None
    except (ValueError, OverflowError):
        return None


def _labels(inside: str) -> Mapping[str, str] | None:
    """Read labels without escapes; None if they are malformed."""
    if len(inside) > LONGEST:
        return None
    parts = inside.split('"')
    if parts.pop().strip(" ,"):
        return None
    names = [part.strip(" ,") for part in parts[0::2]]
    if len(parts) % 2 or not all(name.endswith("=") for name in names):
        return None
    labels = dict(zip((name[:-1].rstrip() for name in names), parts[1::2], strict=True))
    return labels if len(labels) == len(names) else None


def _parts(line: str, cut: int) -> tuple[str, Mapping[str, str] | None, str]:
    """Divide a line that may have escapes, an exemplar, or no labels: name, labels, the rest."""
    if len(line) > LONGEST or not line[cut:].strip():
        return "", None, ""
    brace, blank = line.find("{"), line.find(" ")
    if brace < 0 or (0 < blank < brace and not line[blank:brace].isspace()):
        name, *others = line[cut:].split(None, 1)
        return name, {}, "".join(others).partition(" # ")[0]
    labels: dict[str, str] = {}
    at, end = brace + 1, 0
    while True:
        end = line.find("}", at) if 0 <= end < at else end
        equals = line.find('="', at)
        if equals < 0 or 0 <= end < equals:
            good = end >= 0 and not line[at:end].strip(" ,")
            rest = line[end + 1 :].partition(" # ")[0]
            return line[cut:brace].strip(), labels if good else None, rest
        name = line[at:equals].strip(" ,")
        text, at = _quoted(line, equals + 2)
        if at < 0 or not name or name in labels:
            return "", None, ""
        labels[name] = text


def _quoted(line: str, at: int) -> tuple[str, int]:
    """Read a text up to its closing quote; return it and the place after the quote, or -1."""
    pieces: list[str] = []
    quote = line.find('"', at)
    while quote >= 0:
        escape = line.find("\\", at, quote)
        if escape < 0:
            pieces.append(line[at:quote])
            return "".join(pieces), quote + 1
        following = line[escape + 1]
        pieces += (line[at:escape], _ESCAPES.get(following, "\\" + following))
        at = escape + 2
        if at > quote:
            quote = line.find('"', at)
    return "", -1
