"""The text of a comparison of what was seen with what the rules derive: what agrees is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from twin.model.amounts import counted
from twin.model.instants import format_instant
from twin.questions.answer import Row

_RECORD: Final = itemgetter("cluster", "kind", "name", "owner")
_ONE_SIDED: Final = {
    "observed-only": "seen, and does not follow by the rules",
    "derived-only": "follows by the rules, and was not seen",
}


def lines_of(rows: Sequence[Row], *, verdict: str | None = None) -> Iterator[str]:
    """Yield the lines of an answer: for each observer, what does not agree, and why.

    If the rows are only those with one verdict, how many agree is not known from them.
    """
    by_observer = sorted(rows, key=lambda row: (str(row["observer"]), row["at"]))
    for (observer, at), found in groupby(by_observer, key=itemgetter("observer", "at")):
        of_observer = sorted(found, key=lambda row: tuple(map(str, _RECORD(row))))
        records = [list(each) for _, each in groupby(of_observer, key=_RECORD)]
        agree = sum(record[0]["verdict"] == "agrees" for record in records)
        when = format_instant(int(str(at)))
        which = f"{agree} agree" if verdict is None else f"verdict {verdict} alone"
        yield f"{observer} at {when}: {counted(len(records), 'record')}, {which}"
        for record in records:
            if record[0]["verdict"] != "agrees":
                yield from _lines_of_record(record)


def _lines_of_record(rows: Sequence[Row]) -> Iterator[str]:
    row = rows[0]
    of_owner = "" if row["kind"] == "qmgr" else f" of {row['owner']}"
    name = f"  {row['kind']} {row['name']}{of_owner} in {row['cluster']}"
    if row["verdict"] in _ONE_SIDED:
        yield f"{name}: {_ONE_SIDED[str(row['verdict'])]}"
        yield f"    {row['reason']}"
        return
    yield name
    for each in rows:
        if each["verdict"] == "behind":
            yield f"    {each['field']} is behind: {_shown(each['observed'])}"
        else:
            seen, derived = _shown(each["observed"]), _shown(each["derived"])
            yield f"    {each['field']}: seen {seen}, by the rules {derived}"
        yield f"      {each['reason']}"


def _shown(value: Any) -> str:
    return "blank" if value in (None, "") else str(value)
