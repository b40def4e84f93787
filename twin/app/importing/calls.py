"""The calls that import files: those of one instant, and feeds with instants of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from twin.app.acting import Fact
from twin.app.open_branch import OpenBranch
from twin.log import Head
from twin.model.instants import AsOf, Instant

if TYPE_CHECKING:
    from datetime import tzinfo

    from twin.app.importing.feeds import FeedFile, FeedRead
    from twin.app.observing import FileText, Observed


class ImportCalls(OpenBranch):
    """The calls that record what files say."""

    def ingest(
        self,
        text: str,
        *,
        qmgr: str | None,
        at: Instant | None = None,
        file: str | None = None,
        zone: tzinfo | None = None,
    ) -> Observed:
        """Record a script, a dump or saved answers to DISPLAY as observations of an instant.

        `file` is the path of the text, for the origin of the facts. `zone` is that of the local
        times in answers, by default UTC. See `ingest_files`.
        """
        from twin.app.observing import FileText  # noqa: PLC0415 - not every command asks

        return self.ingest_files([FileText(text, qmgr, file=file, zone=zone)], at=at)[0]

    def ingest_files(
        self, files: Sequence[FileText], *, at: Instant | None = None, marked: bool = False
    ) -> list[Observed]:
        """Record scripts, dumps and saved answers as statements of one instant, in one transaction.

        The instant may be late. If it is after now, the statements are recorded at now, with the
        claimed instant in the events. What the branch has already observed at the instant is not
        recorded again. Nothing follows from one file before all are taken in, so their order does
        not matter; answers stand against what follows from definitions of the same instant.

        If they are `marked`, the log notes the files, and how their import began and ended. More
        than 4,096 events are then several transactions; if the process is killed between them, the
        same call finishes the import.
        """
        from twin.app.importing.statements import finish, marking  # noqa: PLC0415 - few commands ask
        from twin.app.observing import Observing  # noqa: PLC0415 - not every command asks

        now = self.now()
        instant = now if at is None else min(at, now)
        claimed = at if at is not None and at > now else None
        result: list[Observed] = []
        if at is None:
            files = [replace(file, undated=True) for file in files]

        def facts_for(head: Head) -> list[Fact]:
            point = AsOf(instant, now, self.branch, head.position)
            before = self.views.upto(branch=self.branch, valid=instant, position=head.position)
            observing = Observing(self.log, before, point, claimed=claimed)
            result[:], facts = observing.take_all(files)
            return facts

        if not marked:
            self.writer.observe(facts_for, at=instant)
            return result
        self.writer.observe(facts_for, at=instant, mark=marking(self, files, result, at=instant))
        finish(self, files, result)
        return result

    def observable_until(self) -> Instant:
        """Return the instant after which nothing can have been observed."""
        return max(self.now(), self.clock())

    def ingest_feeds(self, files: Sequence[FeedFile]) -> list[FeedRead]:
        """Read feeds through, and then record what they say; see `record_feeds`."""
        from twin.app.importing.feeds import read_through  # noqa: PLC0415 - few commands ask

        present = self.observable_until()
        read = [read_through(file, present=present) for file in files]
        self.record_feeds(files, read)
        return read

    def record_feeds(self, files: Sequence[FeedFile], read: Sequence[FeedRead]) -> None:
        """Record what feeds say that were read through; `read` then has what was new.

        Each fact is recorded once, however often and in whatever files it comes. Facts are recorded
        in the order of their instants, in transactions of bounded size. If the process is killed
        between two of them, the same call finishes the import.

        Raises:
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
            FileChanged: if a file has other lines than when it was read through.
        """
        from twin.app.importing.feeds import record_feeds  # noqa: PLC0415 - few commands ask

        self.demand_clock()
        record_feeds(self, files, read)
