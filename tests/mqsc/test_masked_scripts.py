"""The secrets of a whole script are masked; its other commands stay as they were read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twin.mqsc.masking import masked_script
from twin.mqsc.reader import CommandRead, read

_LAST = "DEFINE CHANNEL(S) CHLTYPE(SVRCONN) PASSWORD('geheim')"


def _commands(script: str) -> list[str]:
    return [item.text for item in read(script) if isinstance(item, CommandRead)]


@given(st.sampled_from("x*- "), st.integers(1950, 2010), st.integers(0, 40))
def test_other_commands_are_unchanged(filler: str, size: int, after: int) -> None:
    """Beside a masked command, a command of any length is read as before."""
    lines = ["DEFINE QLOCAL(A) +", f" DESCR('{'x' * size}-", f"y{filler * after}y')"]
    script = "\n".join([*lines, "PING QMGR;PING QMGR", _LAST])
    before, masked = _commands(script), _commands(masked_script(script))
    assert masked[:-1] == before[:-1]
    assert "geheim" not in masked_script(script)
    assert "PASSWORD('" in masked[-1]


def test_a_script_without_secrets_keeps_its_comments() -> None:
    """A script without secrets is not changed at all."""
    script = "* comment\nPING QMGR\n"
    assert masked_script(script) == script
