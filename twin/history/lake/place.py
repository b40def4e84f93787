"""Where a lake is: a folder of this machine, or a folder of any file system that Spark knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, TextIO, TypeAlias

from pyspark.sql import SparkSession

from twin.errors import reason_of
from twin.history.errors import FULL_ERRORS, LakeBusy, NotALake
from twin.output_files import demand_no_link, write_whole

LOCK: Final = "lock"

Lake: TypeAlias = Path | str
"""The folder of a lake: a path, or a URL such as `s3a://bucket/lake` or `hdfs://host/lake`."""

_HIDDEN: Final = ("_", ".")
"""How names begin of files that are not data."""


def is_local(lake: Lake) -> bool:
    """Return whether a lake is named by a path of this machine and not by a URL."""
    return "://" not in str(lake)


def place_of(lake: Lake, spark: SparkSession | None = None) -> Place:
    """Return the place of a lake; a URL needs a session, whose settings say how it is reached."""
    if is_local(lake):
        return Place(Path(lake))
    assert spark is not None, "a URL needs Spark"  # noqa: S101 - callers check `is_local`
    return SparkPlace(str(lake), spark)


class Place:
    """A folder of this machine. Names of files are relative to it, with `/`."""

    def __init__(self, folder: Path) -> None:
        """Look at a folder, which need not exist."""
        self._folder = folder

    def __str__(self) -> str:
        """Return the folder as the user named it."""
        return str(self._folder)

    def url(self, name: str) -> str:
        """Return the path of a file or a folder, for Spark."""
        return str(self._folder.absolute() / name)

    def read(self, name: str) -> str | None:
        """Read a text file; None if it does not exist.

        Raises:
            NotALake: if the place is not a folder, or the file cannot be read.
        """
        try:
            return (self._folder / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise NotALake(str(self), "is not a folder") from None
        except UnicodeDecodeError:
            return ""
        except OSError as error:
            raise NotALake(str(self), f"cannot be read ({reason_of(error)})") from None

    def write(self, name: str, text: str) -> None:
        """Write a text file, completely or not at all."""
        write_whole(self._folder / name, text)
        (self._folder / f".{name}.crc").unlink(missing_ok=True)  # of a lake named by file://

    def names(self) -> set[str]:
        """Return the names of everything directly in the folder."""
        return {each.name for each in self._folder.iterdir()} if self._folder.is_dir() else set()

    def files(self, folder: str) -> set[str]:
        """Return the names of all data files below a folder."""
        below = (each for each in (self._folder / folder).rglob("*") if each.is_file())
        return set(self._data(each.relative_to(self._folder).as_posix() for each in below))

    def empty(self, names: Iterable[str]) -> str | None:
        """Return the first of these files that has no content; None if all have some.

        Spark passes over such a file as if it had no rows, and names a missing one by itself.
        """
        for name in names:
            file = self._folder / name
            if file.is_file() and not file.stat().st_size:
                return name
        return None

    @staticmethod
    def _data(names: Iterable[str]) -> Iterator[str]:
        for name in names:
            if not any(part.startswith(_HIDDEN) for part in name.split("/")):
                yield name

    def delete(self, names: Iterable[str]) -> None:
        """Delete files, with the checksums that Spark keeps beside them."""
        for name in names:
            file = self._folder / name
            file.unlink(missing_ok=True)
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        """Delete a folder with everything in it, if it exists."""
        with suppress(FileNotFoundError):
            rmtree(self._folder / name)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes of this machine from updating the same lake."""
        with self._lock() as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                raise LakeBusy(str(self)) from None
            yield

    def _lock(self) -> TextIO:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            demand_no_link(self._folder / LOCK)
            return (self._folder / LOCK).open("a")
        except OSError as error:
            if error.errno in FULL_ERRORS:
                raise
            raise NotALake(str(self), f"cannot be written to ({reason_of(error)})") from None


class SparkPlace(Place):
    """A folder of a file system that Spark reaches, named by a URL."""

    def __init__(self, url: str, spark: SparkSession) -> None:
        """Look at a folder with the settings of a session."""
        super().__init__(Path())
        self._url = url.rstrip("/")
        context: Any = spark.sparkContext
        self._gateway = context._gateway  # noqa: SLF001 - Hadoop's file systems have no Python API
        self._jvm = self._gateway.jvm
        conf = context._jsc.hadoopConfiguration()  # noqa: SLF001
        hadoop = self._jvm.org.apache.hadoop.fs
        self._path = hadoop.Path
        uri = self._path(self._url).toUri()
        self._files = hadoop.FileSystem.newInstance(uri, conf)
        self._files.setWriteChecksum(False)
        self._files.setVerifyChecksum(False)
        self._context = hadoop.FileContext.getFileContext(uri, conf)

    def __str__(self) -> str:
        """Return the URL."""
        return self._url

    def url(self, name: str) -> str:
        """Return the URL of a file or a folder."""
        return f"{self._url}/{name}"

    def read(self, name: str) -> str | None:
        """Read a text file; None if it does not exist."""
        path = self._path(self.url(name))
        if not self._files.exists(path):
            return None
        with _closing(self._files.open(path)) as stream:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))

    def write(self, name: str, text: str) -> None:
        """Write a text file: completely or not at all, if the file system can rename so."""
        new = self._path(self.url(f"{name}.new"))
        with _closing(self._files.create(new, True)) as stream:  # noqa: FBT003 - Java's API
            stream.write(bytearray(text.encode()))
        kind = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._gateway.new_array(kind, 1)
        options[0] = kind.OVERWRITE
        self._context.rename(new, self._path(self.url(name)), options)

    def names(self) -> set[str]:
        """Return the names of everything directly in the folder."""
        path = self._path(self._url)
        if not self._files.exists(path):
            return set()
        return {each.getPath().getName() for each in self._files.listStatus(path)}

    def files(self, folder: str) -> set[str]:
        """Return the names of all data files below a folder."""
        path = self._path(self.url(folder))
        if not self._files.exists(path):
            return set()
        base = self._files.makeQualified(self._path(self._url)).toUri().getPath()
        found, below = [], self._files.listFiles(path, True)  # noqa: FBT003
        while below.hasNext():
            found.append(below.next().getPath().toUri().getPath()[len(base) :].lstrip("/"))
        return set(self._data(found))

    def empty(self, names: Iterable[str]) -> str | None:
        """Return the first of these files that has no content; None if all have some."""
        for name in names:
            path = self._path(self.url(name))
            if self._files.exists(path) and not self._files.getFileStatus(path).getLen():
                return name
        return None

    def delete(self, names: Iterable[str]) -> None:
        """Delete files."""
        for name in names:
            self._files.delete(self._path(self.url(name)), False)  # noqa: FBT003

    def delete_folder(self, name: str) -> None:
        """Delete a folder with everything in it, if it exists."""
        self._files.delete(self._path(self.url(name)), True)  # noqa: FBT003

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Do nothing: `lake.json` is compared before each change instead."""
        yield


@contextmanager
def _closing(stream: Any) -> Iterator[Any]:
    """Close a stream of Java at the end."""
    try:
        yield stream
    finally:
        stream.close()
