"""The format of a file, detected from its text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.observing import Record
from twin.feeds.detect import WHY_NOT, FileFormat, detect

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples"

TEXTS: Final = {
    FileFormat.MQSC_SCRIPT: "* a comment\ndef ql(a) +\n  maxdepth(5)\nstart listener(l1)\n",
    FileFormat.DMPMQCFG: "***\n* Script generated on 2026-01-01   at 00.00.00 \nALTER QMGR FORCE\n",
    FileFormat.BINARY: "\x7fELF\x02\0\0\0",
    FileFormat.EMPTY: "* nothing\n\n* but comments\n",
    FileFormat.JSON: '{"ibm_messageId": "AMQ9209E"}\n',
    FileFormat.RUNMQSC_OUTPUT: "Starting MQSC for queue manager QM1.\n\n     1 : DISPLAY QMGR\n",
    FileFormat.ERROR_LOG: "AMQ9410: Repository manager started.\n\nEXPLANATION:\nIt was started.\n",
    FileFormat.YAML: "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.mqsc: |\n    DEFINE QLOCAL(A)\n",
    FileFormat.SHELL: "#!/bin/sh\nrunmqsc QM1 <<EOF\nDEFINE QLOCAL(A)\nEOF\n",
    FileFormat.PROSE: "Dear colleague,\nplease define a queue.\nThanks\n",
}


@pytest.mark.parametrize("expected", list(TEXTS))
def test_every_format_is_told_from_its_text(expected: FileFormat) -> None:
    """Each format is detected; all but scripts and dumps have a reason why they are not read."""
    assert detect(TEXTS[expected]) is expected
    assert expected.readable is (expected not in WHY_NOT)
    assert expected.readable is (expected in {FileFormat.MQSC_SCRIPT, FileFormat.DMPMQCFG})


@pytest.mark.parametrize("unread", list(WHY_NOT))
def test_what_is_not_read_gives_no_events_and_says_why(unread: FileFormat) -> None:
    """A file of another format gives no events and one reason."""
    seen = Record().take(TEXTS[unread])
    assert seen.events == ()
    assert [(each.line, each.why) for each in seen.not_understood] == [(1, WHY_NOT[unread])]


@given(st.text())
def test_no_text_raises(text: str) -> None:
    """Any text has a format, and importing it raises no error."""
    assert detect(text) in FileFormat
    Record().take(text)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_real_scripts_are_scripts_and_other_samples_are_not() -> None:
    """Real MQSC files are detected as scripts, and captures of other kinds are not."""
    for path in sorted(SAMPLES.glob("*/*/**/*")):
        if path.is_dir():
            continue
        found = detect(path.read_text(encoding="utf-8", errors="replace"))
        folder = path.relative_to(SAMPLES).parts[1]
        if folder == "mqsc" and path.suffix.lower() == ".mqsc":
            assert found.readable, path
        elif folder == "dmpmqcfg":
            assert found is FileFormat.DMPMQCFG, path
        elif folder != "mqsc":
            assert not found.readable, path
