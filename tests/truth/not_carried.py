"""What no file that is collected can show, and in which an answer may thus differ from the truth.

The truth test tolerates these differences and no others. Each has a law that it is an exception to,
its place, its reason, and an estate that needs it. None is about a value that is called observed,
and none about a finding that is told.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.truth.broken import INVENTED, LOOP, MISSED, TURNED_WRONG, Broken


class NotCarried(NamedTuple):
    """A difference that is tolerated.

    Attributes:
        law: the law that it is an exception to.
        questions: the questions, or the ids of rules of the doctor.
        columns: the columns; `(row)` is the row itself.
        bases: what the answer says that it rests on; empty for all.
        reason: why no file shows it.
        seed: an estate that needs it.
        fault: of a loop: what is wrong in that estate.
    """

    law: str
    questions: tuple[str, ...]
    columns: tuple[str, ...]
    bases: tuple[str, ...]
    reason: str
    seed: int
    fault: str = "rebuilt"

    def covers(self, each: Broken) -> bool:
        """Return whether a difference is this one."""
        return (
            each.law == self.law
            and each.question in self.questions
            and (not self.columns or each.column in self.columns)
            and (not self.bases or each.basis in self.bases)
        )


_USES: Final = ("assumed", "unknown")
_DATES: Final = ("published", "republish_due", "expires", "removal", "state", "days_to_removal")

NOT_CARRIED: Final = (
    NotCarried(
        TURNED_WRONG,
        ("beliefs", "lifetimes"),
        (*_DATES, "received"),
        ("assumed",),
        "DISPLAY shows when a record came first, or last: whether a renewal moves CLUSDATE is not "
        "documented. What nobody saw is dated by the import, which may be right by chance.",
        27,
    ),
    NotCarried(
        TURNED_WRONG,
        ("explain",),
        ("chosen",),
        ("assumed",),
        "No command displays the counters that decide between equal routes.",
        8,
    ),
    NotCarried(
        INVENTED,
        ("explain",),
        ("(row)",),
        ("assumed",),
        "Which instances a full repository would name to a queue manager that has not used a queue "
        "yet rests on links that no channel uses, and on when records were renewed last.",
        1,
    ),
    NotCarried(
        INVENTED,
        ("subscriptions",),
        ("(row)",),
        ("assumed",),
        "No command displays the requests of a queue manager: that it uses what its aliases lead "
        "to is assumed.",
        24,
    ),
    NotCarried(
        MISSED,
        ("suspended-long",),
        (),
        (),
        "DISPLAY shows that a queue manager is suspended, and not since when.",
        24,
    ),
    NotCarried(
        MISSED,
        ("messages-stuck",),
        (),
        (),
        "CURDEPTH of a transmission queue does not say for which channel its messages are, and "
        "XQMSGSA is blank with MONCHL(OFF). `channel-retrying` tells the depth.",
        27,
    ),
    NotCarried(
        MISSED,
        ("record-expired", "record-overdue", "record-removed-soon"),
        (),
        (),
        "When a record was published last rests on CLUSDATE, which has two readings, where no log "
        "of a full repository that names the days was collected.",
        27,
    ),
    NotCarried(
        LOOP,
        ("beliefs", "lifetimes"),
        (*_DATES, "received"),
        ("assumed",),
        "DISPLAY shows when a record came first, or last, and no command displays its last "
        "renewal. Nor does one say whether a queue is still used, and so asked for again.",
        1,
    ),
    NotCarried(
        LOOP,
        ("beliefs", "lifetimes", "members", "channels", "explain"),
        ("(row)", "known_by"),
        ("assumed",),
        "So no file says whether the records of a queue that was asked for are still held later.",
        2,
        "down",
    ),
    NotCarried(
        LOOP,
        ("beliefs",),
        ("source",),
        _USES,
        "No command displays which full repository sent a record.",
        1,
    ),
    NotCarried(
        LOOP,
        ("explain",),
        (
            *("chosen", "last_use", "factor", "reason", "waits"),
            *("removed_by", "attribute", "value", "best"),
        ),
        _USES,
        "No command displays the counters that decide between equal routes.",
        2,
    ),
    NotCarried(
        LOOP,
        ("subscriptions",),
        ("(row)", "made", "check_due", "expires", "state"),
        ("assumed", "missing"),
        "No command displays the requests of a queue manager: a record shows that there was one.",
        5,
        "messages wait",
    ),
    NotCarried(
        LOOP,
        ("channels", "explain"),
        ("status", "next_retry", "attempts", "reason", "waits"),
        _USES,
        "No file shows that a link is cut while nothing is sent over it: a channel that nobody saw "
        "running is assumed to start.",
        5,
        "cut",
    ),
    NotCarried(
        LOOP,
        ("plan",),
        ("channel-retrying",),
        ("less",),
        "Nor does a file show that a plan would use such a link.",
        4,
        "cut",
    ),
    NotCarried(
        LOOP,
        ("transmission",),
        ("(row)", "at least"),
        ("missing", "unmarked"),
        "CURDEPTH of a transmission queue does not say what its messages are, nor whether they are "
        "still there later.",
        5,
        "messages wait",
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("channel-retrying",),
        ("otherwise",),
        "Nor does it say for which channel they are: it is told that it retries, and the depth.",
        5,
        "messages wait",
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("messages-stuck",),
        ("less",),
        "CURDEPTH does not say for which channel messages are, and XQMSGSA is blank with "
        "MONCHL(OFF).",
        5,
        "messages wait",
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("record-expired", "record-overdue", "record-removed-soon"),
        ("info",),
        "When a record was published last rests on CLUSDATE, which has two readings.",
        4,
        "leaver",
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("single-instance",),
        (),
        "No file shows that a queue manager was deleted: while others hold records of its QMID, it "
        "may have another instance of a queue.",
        7,
    ),
    NotCarried(
        LOOP,
        ("divergence",),
        ("(row)",),
        ("missing",),
        "Nor does one show, then, that these records are of an owner that is there no more.",
        7,
    ),
)


def table() -> str:
    """Return the rows as docs/fidelity.md shows them."""
    return "".join(
        f"| {each.law} | {', '.join(f'`{one}`' for one in each.questions)} | "
        f"{', '.join(f'`{one}`' for one in each.columns)} | {each.reason} |\n"
        for each in NOT_CARRIED
    )
