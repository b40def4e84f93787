"""The lake: the log as Parquet, one folder per month and family, updated on request.

`lake.json` lists the valid files, relative to the lake, and is replaced after each batch: a reader
sees whole batches, whatever an update that was killed left behind, and a lake can be moved.
"""

from twin.history.lake.copying import BATCH, Compacted, Updated, compact, update
from twin.history.lake.place import LOCK, Lake, is_local
from twin.history.lake.reading import ABOUT, EVENTS, About, about_of, files, read

__all__ = [
    "ABOUT",
    "BATCH",
    "EVENTS",
    "LOCK",
    "About",
    "Compacted",
    "Lake",
    "Updated",
    "about_of",
    "compact",
    "files",
    "is_local",
    "read",
    "update",
]
