"""Channel authentication records: the twin keeps them, and lets no channel fail because of them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from twin.model.amounts import verb
from twin.model.objects import Definition, Subject
from twin.model.system_objects import system_objects
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Index, Site


def unchecked(index: Index) -> Iterator[Finding]:
    """Say once for the estate where channel authentication records may block channels.

    Those that every new queue manager has do not count: they name only channels of the system.
    """
    records = [(site, record) for site in index for record in _own_records(site)]
    if not records:
        return
    blocked = [channel for site, record in records for channel in _blocked(site, record)]
    may = f" Records with USERSRC(NOACCESS) may block {some(blocked)}." if blocked else ""
    owners = sorted({site.name for site, _ in records})
    yield Finding(
        subject=Subject(kind="CHLAUTH"),
        text=f"Channel authentication is not checked. {some(owners)} {verb(len(owners), 'have')} "
        f"records that may block channels; the twin assumes that these connect.{may}",
        evidence=tuple(site.place(record) for site, record in records[:20]),
        on=tuple(owners),
    )


def _own_records(site: Site) -> Iterator[Definition]:
    """Yield the records that are not those of a new queue manager."""
    usual = system_objects(site.qmgr.cmdlevel)
    for key, definition in sorted(site.qmgr.definitions.items()):
        if key[0] == "CHLAUTH" and key not in usual:
            yield definition


def _blocked(site: Site, record: Definition) -> Iterator[str]:
    """Yield the CLUSRCVRs, with their queue managers, to which a record refuses access."""
    if record.values.get("USERSRC") != "NOACCESS":
        return
    profile = str(record.values.get("CHLAUTH", ""))
    for receiver, _ in site.receivers:
        if fnmatchcase(receiver.name, profile):
            yield f"{receiver.name} of {site.name}"
