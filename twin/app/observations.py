"""What `Twin.ingest` says of a text, and why bytes that are no text are not read."""

from twin.feeds.detect import WHY_NOT, FileFormat, detect, detect_bytes
from twin.feeds.observed import NotRecorded, Observed
from twin.feeds.observed_captures import CAPTURES, CapturesObserved
from twin.feeds.whole_records import is_log, whole_records

__all__ = [
    "CapturesObserved",
    "NotRecorded",
    "Observed",
    "grows",
    "has_answers",
    "has_json_answers",
    "whole_part",
    "why_not_text",
]


def has_answers(text: str) -> bool:
    """Return whether a text has saved answers to DISPLAY."""
    return detect(text) in CAPTURES


def has_json_answers(text: str) -> bool:
    """Return whether a text has saved answers of mqweb, which may be one long line."""
    return detect(text) is FileFormat.MQWEB_ANSWERS


def grows(text: str) -> bool:
    """Return whether a text is that of a log, which grows while it is used."""
    return is_log(detect(text))


def whole_part(text: str) -> str:
    """Return the whole records of a log that is still written; of other files, all."""
    return text[: whole_records(text, detect(text))]


def why_not_text(raw: bytes) -> str:
    """Say what bytes are that cannot be read as text; what is said follows the name of a file."""
    return WHY_NOT[detect_bytes(raw)]
