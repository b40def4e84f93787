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
        only: the marks that it must have; see `Broken`.
    """

    law: str
    questions: tuple[str, ...]
    columns: tuple[str, ...]
    bases: tuple[str, ...]
    reason: str
    seed: int
    fault: str = "rebuilt"
    only: tuple[str, ...] = ()

    def covers(self, each: Broken) -> bool:
        """Return whether a difference is this one."""
        return (
            each.law == self.law
            and each.question in self.questions
            and (not self.columns or each.column in self.columns)
            and (not self.bases or each.basis in self.bases)
            and each.marks.issuperset(self.only)
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
        ("subscriptions", "beliefs", "lifetimes"),
        ("(row)",),
        ("assumed",),
        "No command displays the requests of a queue manager: that it uses what its aliases lead "
        "to is assumed, and so are the records that it would then hold, where no answer to DISPLAY "
        "QCLUSTER of it was collected.",
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
        ("messages-stuck", "left-cluster-used"),
        (),
        (),
        "CURDEPTH of a transmission queue does not say for which channel its messages are, nor "
        "whether they are repository commands, and XQMSGSA is blank with MONCHL(OFF). "
        "`channel-retrying` and `channel-stopped` tell the depth.",
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
        only=("later",),
    ),
    NotCarried(
        LOOP,
        ("beliefs", "lifetimes", "channels", "explain", "subscriptions"),
        ("(row)",),
        ("missing", "derived", "assumed"),
        "Nor does one say what reached a queue manager before it ended that nobody could ask then, "
        "or whether it was built again.",
        13,
        "several",
        only=("unasked",),
    ),
    NotCarried(
        LOOP,
        ("members",),
        ("known_by", "(row)"),
        ("assumed", "missing", "unknown"),
        "So what it holds may be all that is held of a queue manager.",
        13,
        "several",
    ),
    NotCarried(
        LOOP,
        ("reconcile", "divergence"),
        ("PUT", "record", "(row)"),
        ("differs", "observed-only", "assumed"),
        "Nor does one say what it had altered: others hold a later version than its last dump, or "
        "records of one that was built after that.",
        5,
        "z/OS+several",
        only=("unasked",),
    ),
    NotCarried(
        LOOP,
        ("explain",),
        ("(row)",),
        ("assumed",),
        "Which instances a full repository would name to a queue manager that has not used a queue "
        "yet rests on links that no channel uses.",
        2,
        "gateway+several",
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
        ("status", "since", "next_retry", "attempts", "reason", "waits"),
        _USES,
        "No file shows that a link is cut while nothing is sent over it: a channel that nobody saw "
        "running is assumed to start.",
        5,
        "cut",
    ),
    NotCarried(
        LOOP,
        ("channels", "explain"),
        ("status",),
        ("derived",),
        "RUNNING is displayed until a heartbeat finds that a link is cut.",
        6,
        "gateway+several",
        only=("later", "cut"),
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("adoption-refused",),
        ("less",),
        "Nor does a receiver show, until then, that its sender has gone.",
        6,
        "gateway+several",
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
        ("missing", "unknown", "unmarked"),
        "CURDEPTH of a transmission queue does not say what its messages are, nor whether they are "
        "still there later.",
        5,
        "messages wait",
    ),
    NotCarried(
        LOOP,
        ("transmission",),
        ("put_at", "status", "waits_for", "next_start"),
        ("unmarked",),
        "Commands of a repository that wait are sent as records are renewed, and no file shows how "
        "their links fail.",
        2,
        "several",
        only=("later",),
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("channel-stopped", "channel-retrying"),
        ("more", "otherwise"),
        "CURDEPTH of a transmission queue does not say for which of its channels that do not run "
        "the messages are: each is told, with the depth.",
        8,
        "several",
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("left-cluster-used",),
        ("otherwise",),
        "Nor does it say that they are for a cluster that was left.",
        7,
        "gateway+several",
    ),
    NotCarried(
        LOOP,
        ("doctor", "plan"),
        ("suspended-long",),
        ("less",),
        "DISPLAY shows that a queue manager is suspended, and not since when.",
        20,
        "several",
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
