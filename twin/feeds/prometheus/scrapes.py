"""Read the text exposition of mq_prometheus: one sample a line.

Samples of other exporters are passed over. Instants are in milliseconds; one with a fraction, or
before 1973 as milliseconds, is in seconds, as OpenMetrics has it. Exemplars are ignored.

One value of one series of mq_prometheus, and the words for the numbers of statuses.

Source: Prometheus, Exposition formats.

Source: ibm-messaging/mq-golang, package mqmetric, and mq-metric-samples, cmd/mq_prometheus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Final, NamedTuple

from twin.feeds.reading.not_understood import (
    LONGEST,
    TOO_LONG,
    NotUnderstood,
    digest_of,
    not_understood,
)
from twin.model.instants import Instant, is_instant

PREFIX: Final = "ibmmq_"
"""How the names of the metrics begin; the configuration of mq_prometheus can change it."""

_CHANNEL: Final = {
    0: "INACTIVE",
    1: "BINDING",
    2: "STARTING",
    3: "RUNNING",
    4: "STOPPING",
    5: "RETRYING",
    6: "STOPPED",
    7: "REQUESTING",
    8: "PAUSED",
    9: "DISCONNECTED",
    13: "INITIALIZING",
    14: "SWITCHING",
}
_CHANNEL_TYPES: Final = {
    1: "SDR",
    2: "SVR",
    3: "RCVR",
    4: "RQSTR",
    6: "CLNTCONN",
    7: "SVRCONN",
    8: "CLUSRCVR",
    9: "CLUSSDR",
    11: "AMQP",
}
_SERVER: Final = {0: "STOPPED", 1: "STARTING", 2: "RUNNING", 3: "STOPPING", 4: "RETRYING"}

_WORDS: Final[Mapping[str, Mapping[int, str]]] = {
    "channel_status": _CHANNEL,
    "channel_status_squash": {0: "STOPPED", 1: "TRANSITION", 2: "RUNNING"},
    "channel_type": _CHANNEL_TYPES,
    "channel_instance_type": {1011: "CURRENT", 1012: "SAVED", 1013: "SHORT"},
    "queue_attribute_usage": {0: "NORMAL", 1: "XMITQ"},
    "qmgr_status": {0: "ENDED", 1: "STARTING", 2: "RUNNING", 3: "QUIESCING", 4: "STANDBY"},
    "qmgr_channel_initiator_status": _SERVER,
    "qmgr_command_server_status": _SERVER,
    "cluster_status": _CHANNEL,
    "cluster_suspend": {0: "NO", 1: "YES"},
    "cluster_qmtype": {0: "NORMAL", 1: "REPOS"},
}
"""The metric without its prefix -> the words for its numbers."""

_TYPES: Final = {"SENDER": "SDR", "SERVER": "SVR", "RECEIVER": "RCVR", "REQUESTER": "RQSTR"}


class Sample(NamedTuple):
    """One value of a series.

    Attributes:
        line: the line where it stands, from 1.
        last_line: the line where it ends.
        at: its instant; None if the text has none.
        metric: the name of the metric without its prefix, such as `channel_status`.
        labels: its labels.
        value: its value.
        type: the type of the metric, such as "gauge" or "counter"; '' if the text has none. A
            counter counts from the start of the exporter, a gauge that counts since the last poll.
    """

    line: int
    last_line: int
    at: Instant | None
    metric: str
    labels: Mapping[str, str]
    value: float
    type: str

    @property
    def digest(self) -> str:
        """The digest of its content, whatever the order of the labels."""
        labels = "\x01".join(f"{name}\x02{text}" for name, text in sorted(self.labels.items()))
        return digest_of(f"{self.metric}\x01{labels}\x01{self.value!r}\x01{self.at}")

    @property
    def word(self) -> str:
        """MQ's word for the value, such as RETRYING; '' for a number without a word."""
        words = _WORDS.get(self.metric)
        if words is None or not isfinite(self.value):
            return ""
        return words.get(int(self.value), "") if self.value == int(self.value) else ""

    @property
    def channel_type(self) -> str:
        """The type of the channel in MQSC; '' without the label."""
        word = self.labels.get("type", "").upper()
        return _TYPES.get(word, word)


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
