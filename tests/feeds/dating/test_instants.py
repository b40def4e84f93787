"""When the files of an import were true."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from twin.feeds.dating.instants import DatedBy, FileToDate, creation_after, date_generated, dates_of
from twin.feeds.dating.manifests import CollectionManifest
from twin.model.instants import HOUR, MINUTE, SECOND, Instant, format_instant, parse_instant

NOW = parse_instant("2026-06-01", now=0)
BERLIN = ZoneInfo("Europe/Berlin")


def dump(path: str, written: str, qmgr: str = "") -> FileToDate:
    """Return a dump with a date in its header: 2026-01-31 02.13.05."""
    date, time = written.split(" ")
    header = date_generated(f"* Script generated on {date}   at {time} ")
    return FileToDate(path, qmgr or path, definitive=True, generated=header)


def seen(*files: FileToDate, given: Instant | None = None) -> list[tuple[str, DatedBy]]:
    """Return the instants of files of one import, as text."""
    return [(format_instant(at), by) for at, by, _ in dates_of(files, now=NOW, given=given)]


def test_a_given_instant_dates_everything() -> None:
    """--at wins over what files say."""
    files = [dump("QM1", "2026-01-31 02.13.05"), FileToDate("2026-02-01/QM2.txt")]
    at = "2026-03-01T00:00:00Z"
    assert seen(*files, given=parse_instant(at, now=0)) == [(at, DatedBy.GIVEN)] * 2


def test_the_header_of_a_dump_is_read_in_the_zone_of_its_queue_manager() -> None:
    """Without a zone it is read as UTC, and is said to be local."""
    (date,) = dates_of([dump("QM1", "2026-07-31 02.13.05")], now=NOW)
    assert (format_instant(date.at), date.is_local) == ("2026-07-31T02:13:05Z", True)
    in_berlin = dump("QM1", "2026-07-31 02.13.05")._replace(zone=BERLIN)
    (date,) = dates_of([in_berlin], now=NOW)
    assert (format_instant(date.at), date.is_local) == ("2026-07-31T00:13:05Z", False)


def test_dumps_of_one_collection_share_its_last_instant() -> None:
    """Dumps that were made minutes apart become true together; those of another day do not."""
    files = [
        dump("QM1", "2026-01-31 02.13.05"),
        dump("QM3", "2026-02-28 02.13.05"),
        dump("QM2", "2026-01-31 02.16.00"),
    ]
    january = ("2026-01-31T02:16:00Z", DatedBy.HEADER)
    assert seen(*files) == [january, ("2026-02-28T02:13:05Z", DatedBy.HEADER), january]


def test_files_can_be_dated_each_on_its_own() -> None:
    """Then the date of a file does not depend on which others there are."""
    files = [dump("QM1", "2026-01-31 02.13.05"), dump("QM2", "2026-01-31 02.16.00")]
    dates = dates_of(files, now=NOW, together=False)
    assert [format_instant(date.at)[14:] for date in dates] == ["13:05Z", "16:00Z"]


def test_two_dumps_of_one_queue_manager_are_two_collections() -> None:
    """What a queue manager was a minute earlier is not overwritten."""
    files = [dump("a", "2026-01-31 02.13.00", "QM1"), dump("b", "2026-01-31 02.14.00", "QM1")]
    assert [at for at, _ in seen(*files)] == ["2026-01-31T02:13:00Z", "2026-01-31T02:14:00Z"]


def test_a_dated_folder_dates_what_has_no_date() -> None:
    """A time in its name is the instant; a date alone is the begin of that day."""
    files = [FileToDate("in/2026-01-31T0213Z/QM1.txt"), FileToDate("in/20260201/QM1.txt")]
    assert seen(*files) == [
        ("2026-01-31T02:13:00Z", DatedBy.PATH),
        ("2026-02-01T00:00:00Z", DatedBy.PATH),
    ]


def test_the_nearest_date_counts() -> None:
    """The name of a file is nearer than its folder, and a folder nearer than one around it."""
    files = [FileToDate("2025-01-01/2026-01-31/QM1.txt"), FileToDate("2026-01-31/QM1-20260202.txt")]
    assert [at for at, _ in seen(*files)] == ["2026-01-31T00:00:00Z", "2026-02-02T00:00:00Z"]


def test_saved_polls_keep_their_own_instants() -> None:
    """Different times in names are different instants, however near they are."""
    files = [FileToDate(f"QM1-2026-01-31T02{minute}Z.json") for minute in (13, 14, 15)]
    assert [at[14:16] for at, _ in seen(*files)] == ["13", "14", "15"]


def test_answers_share_the_instant_of_the_dumps_beside_them() -> None:
    """What was collected together is of one instant, and a date in the path chooses the day.

    A script was not collected.
    """
    files = [
        dump("in/QM1.mqsc", "2026-01-31 02.13.05", "QM1"),
        dump("in/QM2.mqsc", "2026-01-31 02.13.09", "QM2"),
        FileToDate("in/QM1.display.txt", "QM1"),
        FileToDate("elsewhere/QM1.display.txt", "QM1"),
        FileToDate("in/QM3.mqsc", "QM3", is_script=True),
    ]
    together = "2026-01-31T02:13:09Z"
    assert seen(*files) == [
        (together, DatedBy.HEADER),
        (together, DatedBy.HEADER),
        (together, DatedBy.FOLDER),
        (format_instant(NOW), DatedBy.NOW),
        (format_instant(NOW), DatedBy.NOW),
    ]
    of_day = [
        dump("2026-01-31/a.mqsc", "2026-01-30 23.59.00", "QM1"),
        dump("2026-01-31/b.mqsc", "2026-01-31 02.13.00", "QM1"),
        FileToDate("2026-01-31/display.txt"),
    ]
    assert seen(*of_day)[2] == ("2026-01-31T02:13:00Z", DatedBy.FOLDER)


def test_dumps_of_several_days_date_nothing_beside_them() -> None:
    """Then it is not known with which of them a file was collected."""
    files = [
        dump("in/a.mqsc", "2026-01-31 02.13.05", "QM1"),
        dump("in/b.mqsc", "2026-02-28 02.13.05", "QM1"),
        FileToDate("in/display.txt"),
    ]
    assert seen(*files)[2] == (format_instant(NOW), DatedBy.NOW)


def test_a_manifest_is_exact() -> None:
    """Its instant is UTC, and wins over the local time of a header and the name of the folder."""
    manifest = CollectionManifest(NOW - HOUR, None)
    files = [
        dump("x-2026-01-31/QM1.mqsc", "2026-01-31 02.13.05")._replace(manifest=manifest),
        FileToDate("x-2026-01-31/display.txt", manifest=manifest),
    ]
    assert seen(*files) == [(format_instant(NOW - HOUR), DatedBy.MANIFEST)] * 2


def test_modification_times_date_what_has_no_other_date() -> None:
    """They are asked for; a date without a time chooses the day, and they the time."""
    that_day = parse_instant("2026-01-31T02:13Z", now=0)
    files = [
        dump("QM1", "2026-02-28 02.13.05")._replace(modified=that_day),
        FileToDate("QM1.txt", modified=that_day),
        FileToDate("2026-01-31/QM1.txt", modified=that_day),
        FileToDate("2026-01-30/QM1.txt", modified=that_day),
    ]
    assert seen(*files) == [
        ("2026-02-28T02:13:05Z", DatedBy.HEADER),
        ("2026-01-31T02:13:00Z", DatedBy.MODIFIED),
        ("2026-01-31T02:13:00Z", DatedBy.MODIFIED),
        ("2026-01-30T00:00:00Z", DatedBy.PATH),
    ]


def test_a_file_without_any_date_is_true_now() -> None:
    """A script that somebody wrote has no date."""
    assert seen(FileToDate("QM1.mqsc")) == [(format_instant(NOW), DatedBy.NOW)]


def test_an_instant_before_the_creation_is_found() -> None:
    """Without a zone it is found only if it is so in every zone."""
    qmid = "QM1_2026-01-31_12.00.00"
    created = parse_instant("2026-01-31T12:00Z", now=0)
    assert creation_after(created - MINUTE, qmid, zone=None, is_local=False) is None
    assert creation_after(created - 16 * HOUR, qmid, zone=None, is_local=False) == created
    assert creation_after(created - SECOND, qmid, zone=None, is_local=True) == created
    assert creation_after(created - MINUTE, qmid, zone=BERLIN, is_local=False) is None
    assert (
        creation_after(created - HOUR - SECOND, qmid, zone=BERLIN, is_local=False) == created - HOUR
    )
    assert creation_after(created, "QM1", zone=BERLIN, is_local=False) is None


@given(st.permutations(range(5)))
def test_the_order_of_files_changes_no_date(order: list[int]) -> None:
    """Each file has the same instant, wherever it stands in the import."""
    files = [
        dump("in/QM1", "2026-01-31 02.13.05"),
        dump("in/QM2", "2026-01-31 02.16.05"),
        dump("in/QM3", "2026-01-31 02.30.05"),
        FileToDate("in/2026-01-31/display.txt"),
        FileToDate("in/2026-01-31T0215Z.txt"),
    ]
    dates = dates_of(files, now=NOW)
    assert dates_of([files[index] for index in order], now=NOW) == [dates[index] for index in order]
