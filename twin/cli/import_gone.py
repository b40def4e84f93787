"""The part of `twin import` about queue managers that files no longer have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Option

from twin.cli.errors import BadUsage

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.cli.import_report import ImportedFile

GoneOption: TypeAlias = Annotated[
    list[str] | None,
    Option("--gone", metavar="QM", help="State that this queue manager no longer exists"),
]
RenamedOption: TypeAlias = Annotated[
    list[str] | None,
    Option("--renamed", metavar="OLD=NEW", help="State that OLD was built again as NEW"),
]


def gone_names(gone: Sequence[str] | None, renamed: Sequence[str] | None) -> dict[str, str]:
    """Return the queue managers that are stated to be gone, each with its new name or ''.

    Raises:
        BadUsage: if a word of --renamed is not OLD=NEW.
    """
    names = dict.fromkeys(gone or (), "")
    for word in renamed or ():
        old, equals, new = word.partition("=")
        if not (old and equals and new):
            raise BadUsage(command="import", problem=f"--renamed {word}: expected OLD=NEW")
        names[old] = new
    return names


def state_gone(
    twin: Twin, names: dict[str, str], imported: Sequence[ImportedFile], already: list[str]
) -> Iterator[str]:
    """Record that queue managers are gone, at the latest instant of the files, or now.

    Yield a line for each that cannot be recorded, because the files have it, or because the twin
    does not know the new name. Add to `already` a line for each that was gone by then.
    """
    at = max((file.dated.date.at for file in imported), default=twin.now())
    read = _names(imported)
    for name, renamed in names.items():
        if name in read:
            yield f"{name} is in these files, so it is not recorded as gone"
            continue
        if renamed and not twin.is_known(renamed):
            yield f"{renamed} is not in the twin, so {name} is not recorded as renamed to it"
            continue
        if not twin.state_gone(name, at=at, renamed=renamed):
            to = f", and not as renamed to {renamed}" if renamed else ""
            already.append(f"{name} was gone already, so it is not recorded again{to}")


def said_of_absent(twin: Twin, imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Yield lines about observed queue managers that several files no longer have."""
    read = _names(imported)
    absent = twin.absent(read) if len(read) > 1 else []
    for each in absent:
        if each.renamed:
            option = f"--renamed {each.name}={each.renamed}"
            yield f"{each.renamed} has the CONNAME of {each.name}: if it is the same, {option}"
    if others := [each.name for each in absent if not each.renamed]:
        options = " ".join(f"--gone {name}" for name in others)
        yield f"not among these files: {', '.join(others)}; if they are gone, {options}"


def _names(imported: Sequence[ImportedFile]) -> set[str]:
    """Return the queue managers of the files that were read."""
    of_files = (file.observed.qmgr.split(", ") for file in imported if file.is_read)
    return {name for names in of_files for name in names if name}
