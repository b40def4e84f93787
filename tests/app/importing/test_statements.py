"""Marks around statements: begun and ended in one transaction, or divided and finished later."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.app.scenes import START, picture
from tests.app.test_laws import fresh
from twin.app.importing import statements
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY

RECEIVER = "DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}') CLUSTER(CA)\n"
SENDER = "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1') CLUSTER(CA)\n"
FILES = [
    FileText("ALTER QMGR REPOS(CA)\n" + RECEIVER.format("FR1"), "FR1", file="FR1.mqsc"),
    *(
        FileText(
            RECEIVER.format(name) + SENDER + "DEFINE QLOCAL(Q) CLUSTER(CA)\n",
            name,
            file=f"{name}.mqsc",
        )
        for name in ("QM1", "QM2", "QM3")
    ),
]


def ingest(twin: Twin, at: int = START) -> None:
    """Import the files."""
    twin.ingest_files(FILES, at=at, marked=True)


def states(twin: Twin) -> list[tuple[str, int | None]]:
    """Return the names and the numbers of events of the imports in a log."""
    rows = twin.ask("ingest", kind="file").rows
    return [(str(row["name"]), row["count"]) for row in rows]  # type: ignore[misc]


def unfinished(twin: Twin) -> list[Any]:
    """Return the names of imports without an end."""
    return [row["name"] for row in twin.ask("ingest", kind="unfinished").rows]


def test_an_import_is_marked_once() -> None:
    """The same files of the same instant record nothing the second time."""
    with fresh(1) as (twin,):
        ingest(twin)
        assert states(twin) == [("FR1.mqsc", 2), *((f"QM{n}.mqsc", 2) for n in (1, 2, 3))]
        last = twin.log.last()
        ingest(twin)
        assert twin.log.last() == last
        twin.log.verify()


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_a_divided_import_that_was_killed_is_finished(
    monkeypatch: pytest.MonkeyPatch, *, late: bool, pieces: int
) -> None:
    """Whichever piece was the last, the same import gives the estate that it would have given."""
    with fresh(2) as (one, other):
        for twin in (one, other):
            if late:
                twin.ingest(RECEIVER.format("QM9"), qmgr="QM9", at=START + 20 * DAY)
                twin.tick(START + 50 * DAY)
        ingest(other)
        monkeypatch.setattr(statements, "PIECE", 12)
        append, done = one.log.append, [0]

        def killed(*args: Any, **options: Any) -> Any:
            if done[0] == pieces:
                raise KeyboardInterrupt
            done[0] += 1
            return append(*args, **options)

        monkeypatch.setattr(one.log, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            ingest(one)
        monkeypatch.setattr(one.log, "append", append)
        assert set(unfinished(one)) <= {file.file for file in FILES}
        assert len(unfinished(one)) >= 3
        assert any("has not ended" in note for note in one.ask("members").notes)
        ingest(one)
        assert unfinished(one) == []
        assert states(one) == states(other)
        assert not any("has not ended" in note for note in one.ask("members").notes)
        for at in (START, START + DAY, START + 30 * DAY, START + 60 * DAY):
            assert picture(one.view(as_of=at)[0]) == picture(other.view(as_of=at)[0])
        primary = Counter(
            each.body for each in one.log.events(types=["ObjectsObserved"]) if each.cause is None
        )
        assert max(primary.values()) == 1
        one.log.verify()
