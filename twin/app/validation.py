"""Check the arguments of calls on `Twin`: names, words such as statuses, and counts."""

from __future__ import annotations

from collections.abc import Sequence

from twin.errors import SubjectError, TwinError
from twin.model.amounts import MOST_AT_ONCE
from twin.model.instants import parse_length
from twin.model.names import CHANNEL_NAME_LENGTH, NAME_LENGTH, legal_name
from twin.model.readings import FRESH, READINGS, expected_of, is_freshness, is_legal
from twin.model.words import BINDS, PROFILES, STATUSES


class BadName(
    TwinError,
    ValueError,
    message="invalid {kind} name {!r}; expected 1 to {limit} characters of A-Z a-z 0-9 . / _ %",
):
    """A name that no object of its kind can have."""


class BadWord(TwinError, ValueError, message="unknown {1} {0!r}; expected one of {2}"):
    """A value outside the allowed set."""


class BadCount(
    TwinError,
    ValueError,
    message=f"cannot {{1}} {{0}} messages at once; expected 1 to {MOST_AT_ONCE:,}",
):
    """A number of messages outside the range of one put or get."""


class BadBatch(
    SubjectError,
    ValueError,
    message=f"invalid batch of {{}} messages; expected 0 to {MOST_AT_ONCE:,}",
):
    """A number of messages that no batch of a channel can have."""


def check_queue(name: str) -> None:
    """Check the name of a queue.

    Raises:
        BadName: if MQ does not allow it.
    """
    _check_name(name, "queue", NAME_LENGTH)


def check_opening(queue: str | None, to: str, bind: str, profile: str) -> None:
    """Check the arguments of an MQOPEN, or of a put that opens a queue.

    Args:
        queue: the name of the queue; None if a handle is open already.
        to: the ObjectQMgrName; may be blank.
        bind: the bind option.
        profile: the order of the workload rules; '' means that of the command level.

    Raises:
        BadName: if MQ does not allow a name.
        BadWord: if the bind option or the order of the rules is unknown.
    """
    if queue is not None:
        check_queue(queue)
    if to:
        _check_name(to, "queue manager", NAME_LENGTH)
    _check_word(bind, "bind option", BINDS)
    _check_word(profile, "order of the rules", ("", *PROFILES))


def check_channel(name: str) -> None:
    """Check the name of a channel.

    Raises:
        BadName: if MQ does not allow it.
    """
    _check_name(name, "channel", CHANNEL_NAME_LENGTH)


def check_status(word: str | None) -> None:
    """Check an observed channel status; None means that it was not observed.

    Raises:
        BadWord: if no channel can have it.
    """
    if word is not None:
        _check_word(word, "channel status", STATUSES)


def check_reading(name: str, value: str) -> None:
    """Check the name and the value of a reading.

    Raises:
        BadWord: if there is no such reading, or it has no such value.
        BadInstant: if evidence is to be fresh for something else than a time.
    """
    if is_freshness(name):
        parse_length(value)
        return
    _check_word(name, "reading", [*READINGS, FRESH])
    if not is_legal(name, value):
        raise BadWord(value, f"value of the reading {name}", expected_of(name))


def check_count(count: int, *, verb: str) -> None:
    """Check how many messages one call puts or gets.

    Raises:
        BadCount: if it is less than 1, or more than a queue can hold.
    """
    if not 0 < count <= MOST_AT_ONCE:
        raise BadCount(count, verb)


def check_batch(count: int | None) -> None:
    """Check how many messages were observed in a batch; None means that it was not observed.

    Raises:
        BadBatch: if it is negative, or more than a queue can hold.
    """
    if count is not None and not 0 <= count <= MOST_AT_ONCE:
        raise BadBatch(count)


def _check_name(name: str, kind: str, limit: int) -> None:
    if not legal_name(name, limit=limit):
        raise BadName(name, kind=kind, limit=limit)


def _check_word(word: str, kind: str, words: Sequence[str]) -> None:
    if word not in words:
        raise BadWord(word, kind, ", ".join(filter(None, words)))
