"""`twin watch`: imports what arrives in a folder, until it is stopped."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Context, Option

from twin.cli.errors import UnreadableFile
from twin.cli.folder_watcher import Watcher
from twin.cli.signals import stoppable
from twin.cli.target import length, target_of
from twin.cli.zones import zone_named


def watch(
    context: Context,
    folder: Annotated[str, Argument(metavar="DIR", help="Folder to watch")],
    *,
    every: Annotated[
        str, Option("--every", metavar="TIME", help="Time between two looks, such as 5s or 1m")
    ] = "5s",
    once: Annotated[bool, Option("--once", help="Import what is there, and end")] = False,
    qmgr: Annotated[
        str | None, Option(metavar="QM", help="Queue manager that the files belong to")
    ] = None,
    tz: Annotated[
        str | None,
        Option(metavar="ZONE", help="Zone of local times in files, such as Europe/Berlin [UTC]"),
    ] = None,
    dates: Annotated[
        Literal["dmy", "mdy"] | None,
        Option(metavar="dmy|mdy", help="Order of day and month in ambiguous dates of logs"),
    ] = None,
) -> int:
    """Import what arrives in a folder and in the folders in it.

    Imports a file when it did not change between two looks. Of a log that grows, imports each
    complete record at once, and the last record when the next one begins, or after a minute.
    Imports a folder of collect-script when its manifest says that the collection has ended.

    Each file is imported as by twin import, at its own date; a file without a date at the time of
    its last modification. You can stop or kill the command, and start it again, at any time. It
    then reads all files once, and records nothing twice.

    Prints what was imported.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM, or --once and all was taken; 10 --once and parts
    were not understood, or are still being written; 20 bad input, or the log cannot be written.
    """
    interval = length("--every", every, "such as 5s or 1m", command="watch") / 1e6
    zone = None if tz is None else zone_named(tz, command="watch")
    if not Path(folder).is_dir():
        raise UnreadableFile(folder, "it is no folder")
    with (
        stoppable(signal.SIGINT, signal.SIGTERM) as stop,
        target_of(context).writer(create=True) as twin,
    ):
        twin.demand_clock()
        watcher = Watcher(twin, stop, folder, qmgr=qmgr, zone=zone, order=dates)
        return watcher.once() if once else watcher.run(interval)
