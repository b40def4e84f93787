"""The contract of a log, on every kind of database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.log.database import behind_the_back
from tests.log.evidence import keep
from tests.log.writing import (
    WITHDRAWAL,
    OpenLog,
    begin_import,
    end_import,
    fill,
    new,
    positions,
    retire,
)
from twin.errors import UnusablePage
from twin.log import (
    Appended,
    BadBranchName,
    BadExpectation,
    BadFork,
    BadSnapshot,
    Branch,
    BranchExists,
    ConcurrentAppend,
    EventIdConflict,
    Head,
    ImportState,
    Log,
    LogDamaged,
    MainStays,
    NewerLog,
    NoSuchBranch,
    NoSuchLog,
    ReadOnlyLog,
    RetiredBranch,
    StoredPage,
)


class TestAppend:
    """Appending events."""

    def test_positions_are_gapless_over_all_branches(self, log: Log) -> None:
        """Each event gets the next position of the whole log, whatever its branch."""
        log.create_branch("b")
        assert log.append([new(1), new(2)], recorded_at=5) == Appended(1, 2, recorded=True)
        assert log.append([new(1)], recorded_at=5, branch="b") == Appended(3, 3, recorded=True)
        assert log.append([new(3)], recorded_at=5) == Appended(4, 4, recorded=True)

    def test_every_column_comes_back(self, log: Log) -> None:
        """An event is read as it was appended, with any characters."""
        given = new(
            -5,
            type="Odd@2",
            qmgr="QM.ä%",
            cause="cause\t\\N",
            source="observation:x",
            body='{"text": "tab\\t \\\\N \n ünïcode 🙂 %s :name"}',
        )
        absent = new(7, cause=None)
        log.append([given, absent], recorded_at=9)
        first, second = log.events()
        assert first[:4] == (1, "main", -5, 9)
        assert first[4:-1] == given[1:]
        assert second.cause is None
        assert (second.position, second.digest) == log.last()

    @pytest.mark.parametrize("count", [1, 7, 8, 1000])
    def test_batches_of_any_size_are_kept_whole(self, log: Log, count: int) -> None:
        """A batch is recorded completely, in its order."""
        batch = [new(n, body=f"[{n}]") for n in range(count)]
        assert log.append(batch, recorded_at=1) == Appended(1, count, recorded=True)
        assert [row[3] for row in log.rows()] == [event.body for event in batch]

    def test_an_empty_batch_changes_nothing(self, log: Log) -> None:
        """An empty batch records nothing."""
        fill(log, 1, 2)
        assert log.append([], recorded_at=1) == Appended(3, 2, recorded=False)
        assert log.last().position == 2

    def test_recorded_at_never_decreases(self, log: Log) -> None:
        """The recording instant never decreases, even if the clock is set back."""
        log.append([new()], recorded_at=100)
        log.append([new()], recorded_at=50)
        log.append([new()], recorded_at=101)
        assert [event.recorded_at for event in log.events()] == [100, 100, 101]

    def test_after_is_compared_with_what_the_branch_sees(self, log: Log) -> None:
        """A newer event is a conflict for `after` only if the branch sees it."""
        fill(log, 1, 2)
        log.create_branch("b")
        fill(log, 3)
        assert log.append([new(3)], recorded_at=0, branch="b", after=2).last == 4
        assert log.append([new(4)], recorded_at=0, after=3).last == 5
        with pytest.raises(ConcurrentAppend, match="branch b"):
            log.append([new(5)], recorded_at=0, branch="b", after=2)
        with pytest.raises(ConcurrentAppend, match="branch main"):
            log.append([new(5)], recorded_at=0, after=0)
        assert log.last().position == 5

    def test_first_is_compared_with_the_whole_log(self, log: Log) -> None:
        """A batch that expects other positions than it would get is refused."""
        fill(log, 1, 2)
        log.create_branch("b")
        fill(log, 3)
        with pytest.raises(ConcurrentAppend, match="branch b"):
            log.append([new(3)], recorded_at=0, branch="b", after=2, first=3)
        assert log.append([new(3)], recorded_at=0, branch="b", after=2, first=4).last == 4

    def test_a_batch_that_is_known_is_not_recorded_again(self, log: Log) -> None:
        """A batch that is appended again returns its old positions, even if `after` is stale."""
        fill(log, 1)
        batch = [new(2), new(3), new(4)]
        appended = log.append(batch, recorded_at=0, after=1)
        fill(log, 5)
        again = log.append(batch, recorded_at=99, after=1)
        assert again == Appended(appended.first, appended.last, recorded=False)
        assert log.append(batch, recorded_at=99).recorded is False
        assert log.last().position == 5

    @pytest.mark.parametrize(
        "change",
        [
            {"occurred_at": 3},
            {"type": "Else"},
            {"qmgr": "QM2"},
            {"cause": "x"},
            {"cause": ""},
            {"source": "rules"},
            {"body": "[]"},
        ],
    )
    def test_an_id_stands_for_one_content(self, log: Log, change: dict[str, object]) -> None:
        """A known id with other content is refused with its whole batch."""
        event = new(2)
        log.append([event], recorded_at=0)
        with pytest.raises(EventIdConflict, match=event.event_id):
            log.append([new(3), event._replace(**change)], recorded_at=0)  # type: ignore[arg-type]
        assert log.last().position == 1

    def test_an_id_stands_for_one_branch(self, log: Log) -> None:
        """A known id is refused on another branch."""
        log.create_branch("b")
        event = new(2)
        log.append([event], recorded_at=0)
        with pytest.raises(EventIdConflict):
            log.append([event], recorded_at=0, branch="b")

    def test_a_batch_that_is_known_in_part_is_refused(self, log: Log) -> None:
        """A batch of known and new events is refused."""
        event = new(2)
        log.append([event], recorded_at=0)
        with pytest.raises(EventIdConflict):
            log.append([event, new(3)], recorded_at=0)
        assert log.last().position == 1

    def test_an_id_occurs_once_in_a_batch(self, log: Log) -> None:
        """A batch with the same id twice is refused."""
        event = new(2)
        with pytest.raises(EventIdConflict):
            log.append([event, event], recorded_at=0)
        assert log.last().position == 0
        fill(log, 1)
        assert log.verify().position == 1

    def test_threads_share_a_log(self, log: Log) -> None:
        """Threads that append and read through one log lose no events."""

        def work(number: int) -> int:
            log.append([new(number), new(number)], recorded_at=number)
            return len(log.rows())

        with ThreadPoolExecutor(8) as threads:
            seen = list(threads.map(work, range(40)))
        assert all(count % 2 == 0 for count in seen)
        assert log.verify().position == 80


class TestOpen:
    """Opening a log."""

    def test_reading_creates_nothing(self, log_url: str, open_log: OpenLog) -> None:
        """A log that does not exist is not created by reading."""
        for _ in range(2):
            with pytest.raises(NoSuchLog):
                open_log(log_url, mode="read")

    def test_a_log_outlives_its_process(self, log_url: str, open_log: OpenLog) -> None:
        """An event is there when the log is opened again, for reading or writing."""
        fill(open_log(log_url), 1, 2)
        assert open_log(log_url, mode="read").head() == Head(2, 2, 0)
        assert open_log(log_url, synchronous="NORMAL").append([new(3)], recorded_at=0).last == 3

    def test_a_reader_writes_nothing(self, log_url: str, open_log: OpenLog) -> None:
        """A log that is open for reading refuses every change."""
        fill(open_log(log_url), 1, 2)
        reader = open_log(log_url, mode="read")
        with pytest.raises(ReadOnlyLog):
            reader.append([new(3)], recorded_at=0)
        with pytest.raises(ReadOnlyLog):
            reader.create_branch("b")
        with pytest.raises(ReadOnlyLog):
            reader.drop_snapshots()
        with pytest.raises(ReadOnlyLog):
            reader.save_snapshot(branch="main", valid=1, position=2, version=1, pages={})

    def test_a_reader_sees_what_others_append(self, log_url: str, open_log: OpenLog) -> None:
        """An open reader sees events, withdrawals and forks of other connections."""
        writer = open_log(log_url)
        fill(writer, 1, 2)
        reader = open_log(log_url, mode="read")
        assert positions(reader) == [1, 2]
        writer.append([new(3, cause="x")], recorded_at=0)
        assert positions(reader) == [1, 2, 3]
        writer.append([new(2, type=WITHDRAWAL)], recorded_at=0)
        assert positions(reader) == [1, 2, 4]
        writer.create_branch("b")
        assert positions(reader, branch="b") == [1, 2, 4]

    def test_a_closed_log_may_be_closed_again(self, log_url: str, open_log: OpenLog) -> None:
        """Closing a log twice is no error."""
        log = open_log(log_url)
        log.close()
        log.close()


class TestRead:
    """Reading events."""

    def test_rows_are_in_fold_order(self, log: Log) -> None:
        """Rows are ordered by instant, and by position within one."""
        fill(log, 5, 3, 5, 3)
        assert log.rows() == [
            (3, 2, "SomethingHappened", "{}"),
            (3, 4, "SomethingHappened", "{}"),
            (5, 1, "SomethingHappened", "{}"),
            (5, 3, "SomethingHappened", "{}"),
        ]

    def test_rows_are_bounded_by_both_clocks(self, log: Log) -> None:
        """`valid` and `known` include their ends, `since_valid` excludes its own."""
        fill(log, 10, 20, 30, 20)
        assert [row[1] for row in log.rows(valid=20)] == [1, 2, 4]
        assert [row[1] for row in log.rows(valid=20, known=3)] == [1, 2]
        assert [row[1] for row in log.rows(since_valid=10, valid=29)] == [2, 4]
        assert log.rows(known=0) == []
        assert log.rows(since_valid=30) == []

    def test_the_ends_are_those_of_a_branch_and_of_all(self, log: Log) -> None:
        """The ends are the last position of one branch, and the last of the whole log."""
        assert log.heads() == (log.head(), 0)
        fill(log, 10, 20)
        log.create_branch("b")
        fill(log, 30)
        assert log.heads() == (log.head(), 3)
        assert log.heads("b") == (log.head("b"), 3)
        assert log.head("b").position == 2
        with pytest.raises(NoSuchBranch):
            log.heads("c")

    def test_either_is_of_what_a_line_sees(self, log: Log) -> None:
        """A branch sees its parent's events in fold order, without withdrawn ones."""
        log.append([new(1, type="A", qmgr="QM1"), new(3, type="B", qmgr="QM2")], recorded_at=0)
        log.append([new(4, type="C", qmgr="QM1", cause="p")], recorded_at=0)
        log.create_branch("b")
        log.append([new(5, type="B", qmgr="QM1")], recorded_at=0, branch="b")
        log.append([new(5, type="A", qmgr="QM3")], recorded_at=0, branch="b")

        def found(branch: str) -> list[int]:
            return [
                row[1] for row in log.rows(branch=branch, types=["A"], qmgrs=["QM1"], either=True)
            ]

        assert found("b") == [1, 3, 4, 5]
        assert found("main") == [1, 3]
        log.append([new(2, type=WITHDRAWAL, qmgr="QM9")], recorded_at=0, branch="b")
        assert found("b") == [1, 4, 5]
        assert log.rows(either=True) == log.rows()

    def test_rows_of_some_types_and_queue_managers(self, log: Log) -> None:
        """Only rows of the named types and queue managers are returned."""
        kinds = [("A", "QM1"), ("B", "QM1"), ("C", "QM2"), ("A", "QM2")]
        log.append([new(1, type=type_, qmgr=qmgr) for type_, qmgr in kinds], recorded_at=0)
        assert [row[1] for row in log.rows(types=["A"])] == [1, 4]
        assert [row[1] for row in log.rows(types=["A", "B"], qmgrs=["QM1"])] == [1, 2]
        assert [row[1] for row in log.rows(qmgrs=["QM2"])] == [3, 4]
        either = log.rows(types=["A", "C"], qmgrs=["QM1"], either=True)
        assert [row[1] for row in either] == [1, 2, 3, 4]
        assert [row[1] for row in log.rows(types=["C"], qmgrs=["QM1"], either=True)] == [1, 2, 3]
        assert log.rows(types=["D"]) == []

    def test_a_withdrawal_hides_what_was_derived_later(self, log: Log) -> None:
        """A withdrawal hides exactly the derived events recorded before it that occurred later."""
        log.append([new(1, event_id="p"), new(2, cause="p"), new(5, cause="p")], recorded_at=0)
        log.append([new(6)], recorded_at=0)
        log.append(
            [new(2, cause="q", event_id="late"), new(2, type=WITHDRAWAL), new(5, cause="p")],
            recorded_at=0,
        )
        assert positions(log) == [1, 2, 5, 6, 7, 4]
        assert positions(log, known=5) == [1, 2, 5, 3, 4]
        assert [event.position for event in log.events()] == [1, 2, 3, 4, 5, 6, 7]

    def test_events_come_in_the_order_of_the_log(self, log: Log) -> None:
        """All events within the given bounds are returned in the order of the log."""
        kinds = [(9, "A", "QM1"), (3, "B", "QM1"), (5, "A", "QM2"), (7, "B", "QM2")]
        log.append([new(at, type=type_, qmgr=qmgr) for at, type_, qmgr in kinds], recorded_at=0)

        def found(**bounds: object) -> list[int]:
            return [event.position for event in log.events(**bounds)]  # type: ignore[arg-type]

        assert found() == [1, 2, 3, 4]
        assert found(after=1, upto=3) == [2, 3]
        assert found(after=1, limit=1) == [2]
        assert found(limit=0) == []
        assert found(types=["A"], qmgr="QM2") == [3]
        assert found(since=5, until=7) == [3, 4]

    def test_events_are_paged_through(self, log: Log) -> None:
        """More events than fit in a page are returned, each once."""
        log.append([new(n) for n in range(4500)], recorded_at=0)
        assert [event.position for event in log.events()] == list(range(1, 4501))
        assert [event.position for event in log.events(limit=2001)] == list(range(1, 2002))

    def test_events_of_a_branch(self, log: Log) -> None:
        """The events of a branch are its own and those it inherits."""
        fill(log, 1, 9, 2)
        log.create_branch("b", at_occurred=5)
        fill(log, 3)
        fill(log, 4, branch="b")
        assert [event.position for event in log.events(branch="b")] == [1, 3, 5]
        assert [event.branch for event in log.events(branch="b")] == ["main", "main", "b"]

    def test_primary_facts_after_an_instant(self, log: Log) -> None:
        """The primary facts after an instant are those that the branch sees."""
        log.append([new(1), new(5, event_id="five"), new(5, cause="five")], recorded_at=0)
        log.create_branch("b")
        fill(log, 7)
        fill(log, 6, 3, branch="b")
        assert [event.position for event in log.primary_after(1)] == [2, 4]
        assert [event.position for event in log.primary_after(1, branch="b")] == [6, 2, 5]
        assert [event.position for event in log.primary_after(1, branch="b", known=5)] == [2, 5]

    def test_head_and_tail(self, log: Log) -> None:
        """The head is the last event that a branch sees; the tail is the last event of the log."""
        assert log.head() == Head(0, None, None)
        assert log.last() == (0, "00" * 32)
        log.append([new(9), new(4)], recorded_at=50)
        log.create_branch("b")
        log.append([new(5)], recorded_at=60, branch="b")
        assert log.head() == Head(2, 9, 50)
        assert log.head("b") == Head(3, 9, 60)
        assert log.last().position == 3

    def test_position_at_an_instant_of_recording(self, log: Log) -> None:
        """The position at an instant is the last one that the branch saw then."""
        for recorded_at in (10, 20, 20, 30):
            log.append([new(1), new(1)], recorded_at=recorded_at)
        log.create_branch("b", at_position=3)
        log.append([new(1)], recorded_at=40, branch="b")
        assert [log.position_at(at) for at in (9, 10, 19, 20, 29, 30, 99)] == [0, 2, 2, 6, 6, 8, 8]
        assert [log.position_at(at, branch="b") for at in (9, 10, 20, 39, 40)] == [0, 2, 3, 3, 9]


class TestBranch:
    """Forking."""

    def test_a_branch_is_a_row(self, log: Log) -> None:
        """A branch stores where and when it was forked."""
        fill(log, 10, 20)
        assert log.create_branch("what.if-1") == Branch(2, "what.if-1", "main", 2, 20, 1)
        assert log.create_branch("c", parent="what.if-1") == Branch(3, "c", "what.if-1", 2, 20, 2)
        assert log.branch("c") == Branch(3, "c", "what.if-1", 2, 20, 2)
        assert [branch.name for branch in log.branches()] == ["main", "what.if-1", "c"]
        assert log.branch("main") == Branch(1, "main", None, 0, 0)

    def test_a_branch_sees_its_past_and_itself(self, log: Log) -> None:
        """A branch does not see later events of its parent, nor the parent those of the branch."""
        fill(log, 1, 2)
        log.create_branch("b")
        fill(log, 3)
        fill(log, 2, branch="b")
        log.create_branch("c", parent="b", at_position=2)
        fill(log, 9, branch="c")
        assert positions(log) == [1, 2, 3]
        assert positions(log, branch="b") == [1, 2, 4]
        assert positions(log, branch="c") == [1, 2, 5]

    def test_forking_at_an_instant(self, log: Log) -> None:
        """A branch forked at an instant inherits no later event, whenever it was recorded."""
        fill(log, 1, 9, 2, 8)
        assert log.create_branch("b", at_occurred=5) == Branch(2, "b", "main", 4, 5, 1)
        assert log.head("b") == Head(3, 2, 0)
        assert positions(log, branch="b") == [1, 3]

    def test_forking_before_everything(self, log: Log) -> None:
        """A branch may be forked before all events."""
        log.create_branch("empty")
        fill(log, 5)
        log.create_branch("before", at_occurred=4)
        log.create_branch("zero", at_position=0)
        for name in ("empty", "before", "zero"):
            assert log.head(name) == Head(0, None, None)
            assert positions(log, branch=name) == []

    def test_what_forking_refuses(self, log: Log) -> None:
        """A fork with an invalid name, an unknown parent or a future position is refused."""
        fill(log, 1)
        log.create_branch("b")
        with pytest.raises(BranchExists):
            log.create_branch("b")
        with pytest.raises(BranchExists):
            log.create_branch("main")
        with pytest.raises(NoSuchBranch):
            log.create_branch("c", parent="nobody")
        with pytest.raises(BadFork):
            log.create_branch("c", at_position=2)
        for name in ("", ".hidden", "-x", "a b", "a/b", "ä", "x" * 65, "b\n"):
            with pytest.raises(BadBranchName):
                log.create_branch(name)
        assert [branch.name for branch in log.branches()] == ["main", "b"]

    def test_unknown_branches_are_errors(self, log: Log) -> None:
        """An unknown branch is an error in every method."""
        for ask in (log.head, log.branch, lambda name: log.rows(branch=name)):
            with pytest.raises(NoSuchBranch, match="'nobody'"):
                ask("nobody")

    def test_a_withdrawal_on_a_branch_stays_there(self, log: Log) -> None:
        """A late fact on a branch hides inherited derived events from that branch only."""
        log.append([new(1), new(5, cause="x"), new(6)], recorded_at=0)
        log.create_branch("b")
        log.append([new(3, type=WITHDRAWAL)], recorded_at=0, branch="b")
        assert positions(log, branch="b") == [1, 4, 3]
        assert positions(log) == [1, 2, 3]


class TestSnapshot:
    """Snapshots."""

    def test_a_snapshot_comes_back_page_by_page(self, log: Log) -> None:
        """All pages, or the requested ones, are read as they were saved."""
        fill(log, 1, 2, 3)
        pages = {"a": b"\x00one", "b": b"two", "c": b"", "d": b"two"}
        log.save_snapshot(branch="main", valid=2, position=3, version=1, pages=pages)
        found = log.find_snapshot(valid=9, known=9, version=1)
        assert found is not None
        assert (found.branch, found.valid, found.position, found.version) == ("main", 2, 3, 1)
        assert set(found.pages) == set(pages)
        assert log.load_pages(found) == pages
        assert log.load_pages(found, ["b", "c"]) == {"b": b"two", "c": b""}

    def test_more_pages_than_one_statement_takes(self, log: Log) -> None:
        """A snapshot may have thousands of pages."""
        fill(log, 1, 2)
        pages = {f"page/{n}": str(n).encode() for n in range(1203)}
        log.save_snapshot(branch="main", valid=1, position=2, version=1, pages=pages)
        found = log.find_snapshot(valid=2, known=2, version=1)
        assert found is not None
        assert log.load_pages(found) == pages

    def test_the_most_recent_usable_one_is_found(self, log: Log) -> None:
        """The snapshot that leaves the fewest events to replay is used."""
        fill(log, 1, 2, 3, 4)
        for valid, position in [(1, 4), (3, 4), (1, 2)]:
            log.save_snapshot(branch="main", valid=valid, position=position, version=1, pages={})

        def found(valid: int, known: int) -> tuple[int, int] | None:
            snapshot = log.find_snapshot(valid=valid, known=known, version=1)
            return None if snapshot is None else (snapshot.valid, snapshot.position)

        assert found(9, 4) == (3, 4)
        assert found(2, 4) == (1, 4)
        assert found(2, 3) == (1, 2)
        assert found(0, 4) is None
        assert found(9, 1) is None

    def test_late_facts_supersede_snapshots(self, log: Log) -> None:
        """A snapshot without a late fact is used only for views that do not know that fact."""
        fill(log, 10, 20, 30)
        log.save_snapshot(branch="main", valid=15, position=3, version=1, pages={"p": b"old"})
        log.save_snapshot(branch="main", valid=5, position=3, version=1, pages={})
        fill(log, 12)
        late = log.find_snapshot(valid=99, known=4, version=1)
        early = log.find_snapshot(valid=99, known=3, version=1)
        assert late is not None
        assert early is not None
        assert (late.valid, early.valid) == (5, 15)
        log.save_snapshot(branch="main", valid=15, position=4, version=1, pages={"p": b"new"})
        again = log.find_snapshot(valid=99, known=4, version=1)
        assert again is not None
        assert log.load_pages(again) == {"p": b"new"}

    def test_branches_use_their_ancestors_snapshots(self, log: Log) -> None:
        """A snapshot of a parent is used for a branch if it is within the bounds of the fork."""
        fill(log, 10, 20, 30)
        log.save_snapshot(branch="main", valid=15, position=3, version=1, pages={})
        log.save_snapshot(branch="main", valid=25, position=3, version=1, pages={})
        log.create_branch("b", at_occurred=22)
        log.create_branch("c", at_position=2)

        def found(branch: str) -> int | None:
            snapshot = log.find_snapshot(branch=branch, valid=99, known=99, version=1)
            return None if snapshot is None else snapshot.valid

        assert (found("b"), found("c")) == (15, None)
        fill(log, 16, branch="b")
        assert found("b") == 15
        fill(log, 15, branch="b")
        assert (found("b"), found("main")) == (None, 25)

    def test_a_snapshot_at_the_latest_instant_is_refused(self, log: Log) -> None:
        """A snapshot at the latest instant is refused, because more events may occur then."""
        fill(log, 10, 20)
        for valid, position in [(20, 2), (10, 1), (5, 3), (5, 0)]:
            with pytest.raises(BadSnapshot):
                log.save_snapshot(
                    branch="main", valid=valid, position=position, version=1, pages={}
                )
        log.save_snapshot(branch="main", valid=19, position=2, version=1, pages={})

    def test_unchanged_pages_are_given_by_number(self, log: Log) -> None:
        """An unchanged page is saved by its number, without its content."""
        fill(log, 1, 2, 3)
        numbers = log.save_snapshot(
            branch="main", valid=1, position=3, version=1, pages={"a": b"a", "b": b"b"}
        )
        pages: dict[str, bytes | StoredPage] = {"a": numbers["a"], "b": b"B"}
        again = log.save_snapshot(branch="main", valid=2, position=3, version=1, pages=pages)
        assert again["a"] == numbers["a"]
        found = log.find_snapshot(valid=2, known=3, version=1)
        assert found is not None
        assert log.load_pages(found) == {"a": b"a", "b": b"B"}

    def test_the_number_of_a_dropped_page_stands_for_nothing(self, log: Log) -> None:
        """The number of a dropped page is refused, and never reused."""
        fill(log, 1, 2, 3)
        old = log.save_snapshot(branch="main", valid=1, position=3, version=1, pages={"a": b"a"})
        log.drop_snapshots()
        later = log.save_snapshot(branch="main", valid=1, position=3, version=1, pages={"a": b"x"})
        assert old != later
        with pytest.raises(UnusablePage):
            log.save_snapshot(branch="main", valid=2, position=3, version=1, pages={**old})
        found = log.find_snapshot(valid=2, known=3, version=1)
        assert found is not None
        assert log.load_pages(found) == {"a": b"x"}

    def test_other_versions_are_ignored(self, log: Log) -> None:
        """Only snapshots of the requested version are used."""
        fill(log, 1, 2)
        log.save_snapshot(branch="main", valid=1, position=2, version=1, pages={"p": b"1"})
        assert log.find_snapshot(valid=2, known=2, version=2) is None
        log.save_snapshot(branch="main", valid=1, position=2, version=2, pages={"p": b"2"})
        found = log.find_snapshot(valid=2, known=2, version=1)
        assert found is not None
        assert log.load_pages(found) == {"p": b"1"}

    def test_snapshots_can_be_saved_twice_and_dropped(self, log: Log) -> None:
        """Saving a snapshot twice, and dropping all snapshots, is no error."""
        fill(log, 1, 2)
        for _ in range(2):
            log.save_snapshot(branch="main", valid=1, position=2, version=1, pages={"p": b"x"})
        found = log.find_snapshot(valid=2, known=2, version=1)
        log.drop_snapshots()
        assert log.find_snapshot(valid=2, known=2, version=1) is None
        assert found is not None
        with pytest.raises(UnusablePage):
            log.load_pages(found)
        assert log.verify().position == 2


class TestVerify:
    """Verifying."""

    def test_a_sound_log_verifies(self, log: Log) -> None:
        """Verifying returns the tail, which a later verification can expect."""
        assert str(log.verify()) == "0:" + "00" * 32
        before = log.verify()
        fill(log, 1, 2)
        log.create_branch("b")
        fill(log, 3, branch="b")
        verified = log.verify(expect=str(before))
        assert tuple(verified) == log.last()
        fill(log, 4)
        assert log.verify(expect=str(verified)).position == 4

    def test_what_is_expected_must_be_readable(self, log: Log) -> None:
        """An expectation that is not POSITION:DIGEST is bad input."""
        for text in ("", "1", "1:", "x:" + "0" * 64, "1:" + "0" * 63):
            with pytest.raises(BadExpectation):
                log.verify(expect=text)


class TestRetire:
    """Retiring branches."""

    def test_a_retired_branch_is_hidden_and_its_name_is_free(self, log: Log) -> None:
        """A retired branch is not listed and not found, and another branch may have its name."""
        fill(log, 1, 2)
        log.create_branch("b")
        fill(log, 3, branch="b")
        retire(log, "b")
        assert [branch.name for branch in log.branches()] == ["main"]
        assert [branch.retired for branch in log.branches(retired=True)] == [None, 4]
        for _ in range(2):
            with pytest.raises(RetiredBranch, match="'b' was deleted"):
                log.branch("b")
        again = log.create_branch("b")
        assert (again.id, positions(log, branch="b")) == (3, [1, 2])
        with pytest.raises(BranchExists):
            log.create_branch("b")
        assert log.verify().position == 4

    def test_branches_below_a_retired_one_go_on(self, log: Log, log_url: str) -> None:
        """A branch of a retired branch sees what it saw, even if the name is used again."""
        fill(log, 1)
        log.create_branch("b")
        fill(log, 2, branch="b")
        log.create_branch("c", parent="b")
        retire(log, "b")
        log.create_branch("b")
        fill(log, 9, branch="b")
        fill(log, 5, branch="c")
        for each in (log, Log.open(log_url, mode="read")):
            assert positions(each, branch="c") == [1, 2, 5]
            assert positions(each, branch="b") == [1, 4]
            assert each.branch("c").parent == "b"
        assert log.verify().position == 5

    def test_another_process_finds_it_no_longer(self, log_url: str, open_log: OpenLog) -> None:
        """A process that knew the branch is refused, and then finds the new one of its name."""
        log, other = open_log(log_url), open_log(log_url)
        fill(log, 1)
        log.create_branch("b")
        fill(log, 2, branch="b")
        assert positions(other, branch="b") == [1, 2]
        retire(log, "b")
        with pytest.raises(RetiredBranch):
            other.head("b")
        log.create_branch("b", at_position=0)
        assert (other.branch("b").id, positions(other, branch="b")) == (3, [])

    def test_another_process_cannot_append_to_it(self, log_url: str, open_log: OpenLog) -> None:
        """A process that knew the branch before is refused, and nothing is recorded."""
        log, other = open_log(log_url), open_log(log_url)
        log.create_branch("b")
        fill(other, 1, branch="b")
        retire(log, "b")
        with pytest.raises(RetiredBranch):
            fill(other, 2, branch="b")
        assert other.last().position == 2
        with pytest.raises(RetiredBranch):
            other.create_branch("c", parent="b")

    def test_main_is_never_retired(self, log: Log) -> None:
        """The retirement of main is refused, and nothing is recorded."""
        with pytest.raises(MainStays):
            retire(log, "main")
        assert log.last().position == 0

    @pytest.mark.parametrize(
        ("change", "position"),
        [
            ("DELETE FROM branch_retired", 2),
            ("UPDATE branch_retired SET position = 1", 2),
            ("UPDATE branch_retired SET branch = 3", 2),
            ("INSERT INTO branch_retired SELECT 3, position, digest FROM branch_retired", 2),
        ],
    )
    def test_the_index_of_retired_branches_is_verified(
        self, log: Log, log_url: str, change: str, position: int
    ) -> None:
        """A row of the index that does not follow from the events is found."""
        log.create_branch("b")
        fill(log, 1, branch="b")
        log.create_branch("c")
        retire(log, "b")
        with behind_the_back(log_url, guarded=False) as connection:
            connection.execute(change)
        with pytest.raises(LogDamaged) as damage:
            log.verify()
        assert damage.value.position == position
        assert "branch_retired" in damage.value.why


class TestImports:
    """The index of imports."""

    def test_the_last_import_of_a_content_is_indexed(self, log: Log, log_url: str) -> None:
        """The index has the events that began and ended the last import of each content."""
        begin_import(log, "aa", "one.mqsc")
        end_import(log, "aa", events=7)
        begin_import(log, "bb", "two.mqsc")
        begin_import(log, "aa", "renamed.mqsc")
        assert log.import_of("aa") == ImportState("aa", "renamed.mqsc", None, 4, None, None)
        end_import(log, "aa", events=0, done=False)
        assert log.import_of("aa") == ImportState("aa", "renamed.mqsc", 0, 4, done=False, ended=5)
        assert log.import_of("cc") is None
        assert log.verify().position == 5
        with behind_the_back(log_url, guarded=False) as connection:
            connection.execute("UPDATE import_state SET events = 1 WHERE begun = 4")
        with pytest.raises(LogDamaged, match="import_state"):
            log.verify()


class TestEvidence:
    """Raw texts beside the chain."""

    def test_a_text_is_kept_once_and_purged(self, log: Log) -> None:
        """A text is found by its digest, kept once, and gone after it was purged."""
        digest = keep(log, "AMQ9999E ünïcode\n", first_seen=5)
        assert keep(log, "AMQ9999E ünïcode\n", first_seen=9) == digest
        assert log.evidence(digest) == "AMQ9999E ünïcode\n"
        assert log.evidence("00" * 32) is None
        assert log.purge_evidence([digest, "00" * 32]) == 1
        assert log.evidence(digest) is None
        assert log.purge_evidence([digest]) == 0
        assert log.purged_evidence() == 1
        assert keep(log, "AMQ9999E ünïcode\n", first_seen=9) == digest
        assert log.evidence(digest) is None

    def test_evidence_that_was_altered_is_found(self, log: Log, log_url: str) -> None:
        """A text that does not have its digest is found by verify; a purged one is not damage."""
        keep(log, "one", first_seen=5)
        log.purge_evidence([keep(log, "two", first_seen=5)])
        log.verify()
        with behind_the_back(log_url, guarded=False) as connection:
            connection.execute("UPDATE evidence SET text = 'other' WHERE text = 'one'")
        with pytest.raises(LogDamaged, match="evidence"):
            log.verify()


class TestInfo:
    """Values beside the chain, and the version that a log needs."""

    def test_values_are_kept_by_name(self, log: Log, log_url: str, open_log: OpenLog) -> None:
        """A value is replaced, and another process reads it."""
        assert log.info("trusted") is None
        for value in ("1", "2"):
            log.set_info("trusted", value)
        assert open_log(log_url, mode="read").info("trusted") == "2"

    def test_a_newer_event_type_raises_the_version_needed(
        self, log_url: str, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A log with an event type of a newer version is refused in one line that names it."""
        log = open_log(log_url)
        assert log.info("reader") == "0.2.0"
        monkeypatch.setattr(
            "twin.events.catalogue.newer_columns", lambda: {"New": "0.10.0", "Old": "0.1.5"}
        )
        log.append([new(1, type="Old")], recorded_at=0)
        assert log.info("reader") == "0.2.0"
        log.append([new(1, type="Old"), new(1, type="New")], recorded_at=0)
        assert log.info("reader") == "0.10.0"
        for mode in ("read", "write"):
            with pytest.raises(NewerLog, match=r"needs twin 0\.10\.0 or later; this is 0\.2\.0"):
                open_log(log_url, mode=mode)
