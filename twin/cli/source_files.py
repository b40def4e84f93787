"""The files that an import or a watch reads: from paths and folders, with what is beside them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.cli.errors import FileTooLong, NoFile, NotLines, NotText, UnreadableFile
from twin.cli.files import (
    MAX_BYTES,
    STANDARD_INPUT,
    check_regular,
    lines_of,
    name_of,
    read_bytes,
    text_in,
)
from twin.cli.output import complain

if TYPE_CHECKING:
    from twin.app.dated_files import CollectionManifest
    from twin.model.instants import Instant

LONGEST: Final = 1 << 20
"""The most bytes of a line; a longer one is cut there."""


class SourceFile(NamedTuple):
    """The text of one file.

    Attributes:
        path: its path as given.
        text: the text; of saved answers that are read line by line, its beginning.
        modified: when it was modified last; None if that is unknown.
        manifest: the manifest of the collection that it is in; None if there is none.
        lines: opens the file and yields its lines; None if `text` is all of it.
    """

    path: str
    text: str
    modified: Instant | None = None
    manifest: CollectionManifest | None = None
    lines: Callable[[], Iterator[str]] | None = None

    @property
    def stem(self) -> str:
        """The file's name without its endings and its date, '' for standard input.

        The endings are the last one, and .mqsc before it: QM1.mqsc.txt is of QM1.
        """
        from twin.app.dated_files import name_without_date

        if self.path == STANDARD_INPUT:
            return ""
        stem = Path(Path(name_without_date(self.name)).stem)
        return stem.stem if stem.suffix.lower() == ".mqsc" else stem.name

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return Path(self.path).name


def files_of(path: str) -> list[str]:
    """Return a file, or all files of a folder and the folders in it, in the order of names.

    Hidden files are left out, and so are those that a script of collect-script wrote about itself.
    A link to a folder inside is not followed. An empty folder is reported.
    """
    if path == STANDARD_INPUT or not Path(path).is_dir():
        return [path]
    files = list(files_below(path))
    if not files:
        complain(f"{path} contains no files", [path])
    return files


def files_below(folder: str, *, failed: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """Yield the files of a folder and the folders in it, in the order of names; see `files_of`.

    `failed` is called for a folder that cannot be listed, and for a link that leads nowhere. By
    default they are left out.
    """
    for place, folders, names in os.walk(folder, onerror=failed):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        own = _own_files(place)
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or name in own:
                continue
            if path.is_file():
                yield str(path)
            elif failed is not None and not path.exists():
                failed(FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)))


def _own_files(folder: str) -> frozenset[str]:
    """Return the files of a folder that its manifest makes uninteresting."""
    from twin.app.dated_files import OF_THE_SCRIPT

    return frozenset() if _manifest_in(folder) is None else OF_THE_SCRIPT


def sources_of(files: Sequence[str]) -> Iterator[SourceFile]:
    """Open files: saved answers of any size are read line by line later, others now.

    Those that cannot be read are reported and left out.
    """
    from twin.app.observing import has_answers, has_json_answers

    for path in files:
        beginning = beginning_of(path)
        if has_answers(beginning):
            longest = MAX_BYTES if has_json_answers(beginning) else LONGEST
            lines = partial(lines_of, path, longest=longest)
            yield SourceFile(path, beginning, modified_at(path), manifest_of(path), lines)
        else:
            yield from texts_of([path])


def beginning_of(path: str) -> str:
    """Return the beginning of a file, as much as its format is detected by; '' if it has none."""
    from twin.app.importing.feeds import HEAD

    if path == STANDARD_INPUT:
        return ""
    text = ""
    try:
        check_regular(path)
        for line in lines_of(path, longest=HEAD):
            text += line
            if len(text) >= HEAD:
                break
    except (UnreadableFile, NoFile, NotLines):
        return ""
    return text


def texts_of(files: Sequence[str]) -> Iterator[SourceFile]:
    """Read files; those that cannot be read are reported and left out."""
    for path in files:
        try:
            check_regular(path)
            raw = read_bytes(path)
        except (UnreadableFile, NoFile, FileTooLong) as error:
            complain(str(error), error.values)
            continue
        try:
            yield SourceFile(path, text_in(raw, path), modified_at(path), manifest_of(path))
        except NotText:
            complain(f"{name_of(path)} {_why_not_text(raw)}", [name_of(path)])


def _why_not_text(raw: bytes) -> str:
    from twin.app.observing import why_not_text

    return why_not_text(raw)


def modified_at(path: str) -> Instant | None:
    """Return when a file was modified last; None for standard input."""
    if path == STANDARD_INPUT:
        return None
    try:
        return Path(path).stat().st_mtime_ns // 1000
    except OSError:
        return None


def manifest_of(path: str) -> CollectionManifest | None:
    """Return the manifest of the folder of a file, or of the folder around that."""
    if path == STANDARD_INPUT:
        return None
    folders: Iterable[Path] = Path(path).parents
    found = (_manifest_in(str(folder)) for folder, _ in zip(folders, range(2), strict=False))
    return next(filter(None, found), None)


def forget_manifests() -> None:
    """Read manifests again: they may have changed."""
    _manifest_in.cache_clear()


@lru_cache(maxsize=4096)
def _manifest_in(folder: str) -> CollectionManifest | None:
    from twin.app.dated_files import MANIFEST, read_manifest

    try:
        return read_manifest(text_in(read_bytes(str(Path(folder, MANIFEST))), MANIFEST))
    except (UnreadableFile, FileTooLong, NotText):
        return None
