"""Answers of a queue manager on z/OS: what is for z/OS only is displayed as it was shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.model.instants import parse_instant

AT = parse_instant("2026-01-01T07:00:00Z", now=0)

VALUES = {
    "QSGDISP": ("QMGR", "COPY", "SHARED"),
    "CFSTRUCT": (" ", "APP1"),
    "INDXTYPE": ("NONE", "CORRELID"),
    "STGCLASS": ("DEFAULT", "REMOTE"),
    "TPIPE": (" ", "TPIPE1"),
    "MAXDEPTH": ("5000", "7"),
}
ROWS = st.lists(
    st.fixed_dictionaries(
        {}, optional={each: st.sampled_from(words) for each, words in VALUES.items()}
    ),
    min_size=1,
    max_size=4,
)


def _answer(rows: list[dict[str, str]]) -> str:
    lines = ["DISPLAY QUEUE(*) ALL"]
    for number, cells in enumerate(rows):
        lines += [
            "CSQM201I +CSQ7 CSQMDRTS  DISPLAY QUEUE DETAILS",
            f"QUEUE(HERD{number})",
            "TYPE(QLOCAL)",
            *(f"{name}({value})" for name, value in cells.items()),
            "END QUEUE DETAILS",
        ]
    lines.append("CSQ9022I +CSQ7 CSQMDRTS ' DISPLAY QUEUE' NORMAL COMPLETION")
    return "\n".join([*lines, ""])


ITSELF = """DISPLAY QMGR ALL
CSQM409I +CSQ7 QMNAME(CSQ7) QMID(CSQ7.DCE41A) CMDLEVEL(930) PLATFORM(MVS)
CSQ9022I +CSQ7 CSQMDRTS ' DISPLAY QMGR' NORMAL COMPLETION
"""


@examples(cost=4)
@given(ROWS)
def test_what_is_shown_on_zos_is_displayed(rows: list[dict[str, str]]) -> None:
    """Each cell comes out as it was shown, and no attribute is reported as unknown."""
    with fresh(1) as (twin,):
        twin.ingest_files([FileText(ITSELF), FileText(_answer(rows))], at=AT)
        for number, cells in enumerate(rows):
            command = f"DISPLAY QUEUE(HERD{number}) ALL"
            text = "\n".join(twin.mqsc("CSQ7", as_of=AT).run(command).lines)
            assert all(f"{name}({value})" in text for name, value in cells.items())
        assert not twin.ask("ingest", kind="not-understood").rows
