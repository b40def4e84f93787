"""`twin collect-script`: prints a script that collects what twin imports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from typer import Option

from twin.cli.errors import BadUsage
from twin.cli.output import DONE, emit
from twin.model.basis import Source

_TEMPLATES: Final = Path(__file__).parents[1] / "data" / "collect"

_DISPLAYED: Final = tuple(source for source in Source if source.is_mqsc)
_OF_ZOS: Final = tuple(
    source for source in _DISPLAYED if source not in {Source.QMSTATUS, Source.LISTENERS}
)
_OBJECTS: Final = (
    "DISPLAY QMGR ALL",
    "DISPLAY QUEUE(*) TYPE(ALL) ALL",
    "DISPLAY CHANNEL(*) ALL",
    "DISPLAY NAMELIST(*) ALL",
    "DISPLAY TOPIC(*) ALL",
    "DISPLAY PROCESS(*) ALL",
    "DISPLAY CHLAUTH(*) ALL",
)

_FILES: Final[Mapping[str, tuple[str, tuple[Source, ...]]]] = MappingProxyType(
    {
        "unix": ("unix.sh", _DISPLAYED),
        "zos": ("zos.jcl", _OF_ZOS),
        "hub": ("hub.sh", _DISPLAYED),
    }
)
"""Place -> the template, and the DISPLAY commands that are sent."""


def collect_script(
    *,
    unix: Annotated[
        bool, Option("--unix", help="POSIX shell, run on the host of the queue managers")
    ] = False,
    zos: Annotated[bool, Option("--zos", help="JCL for a queue manager of z/OS")] = False,
    hub: Annotated[
        bool, Option("--hub", help="POSIX shell, over client connections from one place")
    ] = False,
) -> int:
    """Print a script that collects what twin imports.

    The script only reads: it runs DISPLAY commands and dmpmqcfg, and with --unix it copies qm.ini
    and the AMQERR files. Each run writes one new folder, with a manifest of the time zone, the
    instants and the exit codes. The first lines of the script say how to run it.

    Exit codes: 0 printed; 20 bad input.
    """
    chosen = [name for name, given in (("unix", unix), ("zos", zos), ("hub", hub)) if given]
    if len(chosen) != 1:
        raise BadUsage(command="collect-script", problem="name one of --unix, --zos and --hub")
    emit(script(chosen[0]).splitlines())
    return DONE


def script(place: str) -> str:
    """Return the script for a place: unix, zos or hub."""
    name, commands = _FILES[place]
    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    for mark, part in (
        ("@COMMON@", (_TEMPLATES / "common.sh").read_text(encoding="utf-8").rstrip()),
        ("@DISPLAY@", "\n".join(commands)),
        ("@OBJECTS@", "\n".join(_OBJECTS)),
    ):
        text = text.replace(mark, part)
    return text
