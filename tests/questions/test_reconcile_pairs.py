"""A record as it was shown beside its definition: a law over random pairs of the two."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.importing.collected_cluster import CREATED, clusqmgr, dump, qmid
from tests.laws import examples
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE, Instant, format_instant, parse_instant

SEEN: Final = parse_instant("2026-01-01T07:00:00Z", now=0)
SHOWN: Final = SEEN + DAY
ADDRESS: Final = "yew(1414)"
COPIED: Final = {
    "NETPRTY": ("0", "3"),
    "CLWLPRTY": ("0", "7"),
    "HBINT": ("300", "60"),
    "DESCR": (" ", "by the lake"),
    "SUSPEND": ("NO", "YES"),
    "CONNAME": (ADDRESS, "alder(1415)", " "),
}
"""The columns that the record of a queue manager copies: the default, and other values."""
NOT_COPIED: Final = {"MCAUSER": "mqm", "PUTAUT": "CTX", "SSLCAUTH": "OPTIONAL"}


def shown(values: dict[str, str], *, of: str, date: Instant) -> str:
    """Write a complete answer of OAK with its own row and that of YEW."""
    day, time = format_instant(date).rstrip("Z").split("T")
    own = qmid("OAK")
    rows = [
        f"   CLUSQMGR(OAK)  CHANNEL(MILK.OAK)  CLUSTER(MILK)  DEFTYPE(CLUSRCVR)  QMID({own})",
        f"   CLUSQMGR(YEW)  CHANNEL(MILK.YEW)  CLUSTER(MILK)  DEFTYPE(CLUSSDRA)  QMID({of})",
        f"   CLUSDATE({day})  CLUSTIME({time.replace(':', '.')})",
        *(f"   {keyword}({value})" for keyword, value in values.items()),
    ]
    head = "AMQ8441I: Display Cluster Queue Manager details."
    return "\n".join(
        [
            "Starting MQSC for queue manager OAK.",
            "     1 : DISPLAY CLUSQMGR(*) ALL",
            *(head, rows[0], head, *rows[1:]),
            "One MQSC command read.",
            "No commands have a syntax error.",
            "",
        ]
    )


def rows_of(
    values: dict[str, str], *, of: str, minutes: int | None, ago: int
) -> list[dict[str, Any]]:
    """Return what is said of YEW at OAK; its channel to OAK may be RETRYING since some minutes."""
    with (
        TemporaryDirectory() as folder,
        Twin.open(f"sqlite:///{Path(folder) / 'twin.db'}", clock=lambda: SHOWN + HOUR) as twin,
    ):
        twin.ingest(dump("OAK", "ELM", full=True), qmgr="OAK", at=SEEN)
        twin.ingest(dump("YEW", "OAK"), qmgr="YEW", at=SEEN)
        if minutes is not None:
            at = SHOWN - minutes * MINUTE
            twin.observe_channel("YEW", "MILK.OAK", status="RETRYING", at=at)
        twin.ingest(shown(values, of=of, date=SHOWN - ago * DAY), qmgr=None, at=SHOWN)
        answer = twin.ask("reconcile", on="OAK", name="YEW")
        return [dict(row) for row in answer.rows]


@given(
    values=st.fixed_dictionaries(
        {},
        optional={
            **{keyword: st.sampled_from(options) for keyword, options in COPIED.items()},
            **{keyword: st.just(value) for keyword, value in NOT_COPIED.items()},
        },
    ),
    is_other=st.booleans(),
    minutes=st.none() | st.integers(1, 600),
    ago=st.integers(0, 3),
)
@examples(cost=2)
def test_each_copied_column_that_was_shown_is_compared_by_qmid(
    values: dict[str, str], *, is_other: bool, minutes: int | None, ago: int
) -> None:
    """A column differs if it was shown, is copied, and has another value; a blank CONNAME has none.

    With another QMID it is a record of its own, and the queue manager that is known is missing. If
    the way is not usable, what differs is behind, and the reason says since when.
    """
    of = qmid("YEW", "2025-12-31_08.00.00" if is_other else CREATED)
    found = rows_of(values, of=of, minutes=minutes, ago=ago)
    late = minutes is not None
    if is_other:
        one, other = sorted(found, key=lambda row: str(row["qmid"]))
        assert (one["qmid"], one["observed"], one["derived"]) == (qmid("YEW"), None, "present")
        assert one["verdict"] == ("behind" if late else "derived-only")
        assert "OAK did not know YEW at" in one["reason"]
        assert (other["qmid"], other["verdict"]) == (of, "observed-only")
        assert of in other["reason"]
        return
    differing = {
        keyword
        for keyword, options in COPIED.items()
        if keyword in values and values[keyword] != options[0] and values[keyword].strip()
    }
    expected = {(field, "behind" if late else "differs") for field in differing}
    assert {(row["field"], row["verdict"]) for row in found} == (expected or {("record", "agrees")})
    for row in found:
        assert ("since" in (row["reason"] or "")) is (late and bool(differing))


@given(
    manual=st.sampled_from(["YEW", "ELM"]),
    shown_as=st.sampled_from(["YEW", "ELM", ""]),
    minutes=st.integers(0, 300),
)
@examples(cost=2)
def test_deftype_differs_only_from_channels_of_the_same_collection(
    manual: str, shown_as: str, minutes: int
) -> None:
    """DEFTYPE is compared with a dump of up to ten minutes before; a later row says what is new."""
    with (
        TemporaryDirectory() as folder,
        Twin.open(f"sqlite:///{Path(folder) / 'twin.db'}", clock=lambda: SHOWN + HOUR) as twin,
    ):
        for name, to in (("OAK", manual), ("YEW", "OAK"), ("ELM", "OAK")):
            twin.ingest(dump(name, to, full=name == "OAK"), qmgr=name, at=SEEN)
        members = [(each, qmid(each)) for each in ("OAK", "YEW", "ELM")]
        answer = clusqmgr("OAK", members, full=["OAK"], manual=shown_as)
        twin.ingest(answer, qmgr=None, at=SEEN + minutes * MINUTE)
        rows = twin.ask("reconcile", on="OAK").rows
    found = {(row["owner"], row["derived"]) for row in rows if row["field"] == "DEFTYPE"}
    wrong = {manual, shown_as} - {""} if manual != shown_as and minutes <= 10 else set()
    assert found == {(each, "CLUSSDRB" if each == manual else "CLUSSDRA") for each in wrong}
