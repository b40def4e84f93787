"""An isolated copy of a queue manager: it starts, forgets production, and is tested.

The twin does not see the copy. So these checks say what has to be looked at, and the commands name
the copy instead of a queue manager. Sources: see `twin.review.runbooks.dr_testing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from twin.model.commands import Command
from twin.model.names import connection
from twin.model.objects import text_of
from twin.model.platforms import ZOS
from twin.questions.doctor.finding import some
from twin.review.runbooks.control_commands import control
from twin.review.runbooks.scene import clusters_known_by
from twin.review.runbooks.step import Checked, done, unknown
from twin.rules import membership

if TYPE_CHECKING:
    from twin.review.runbooks.scene import Scene

_SHOWN: Final = 20
"""How many channels are shown."""
_LEADS: Final = ("CLUSSDR", "SDR", "SVR")
"""The types of channels that connect to the address in their definition."""


def is_fenced(scene: Scene) -> Checked:
    """Say which addresses the test network must not reach."""
    addresses = _addresses(scene)
    if not addresses:
        return done(f"{scene.name} knows no address")
    return unknown(
        f"whether the test network reaches what the copy knows, {len(addresses)} in all: "
        f"{some(addresses)}"
    )


def _addresses(scene: Scene) -> list[str]:
    """Return the addresses that a copy would connect to: of its channels, and in its repository."""
    qmgr = scene.qmgr
    if qmgr is None:
        return []
    names = {
        str(belief.values.get("CONNAME", ""))
        for _, belief in qmgr.repository.of_kind("qmgr")
        if belief.owner != qmgr.qmid
    }
    names |= {
        text_of(definition, "CONNAME")
        for definition in qmgr.definitions.values()
        if definition.type in _LEADS
    }
    return sorted({f"{host}({port})" for name in names for host, port in connection(name)})


def is_started(scene: Scene) -> Checked:
    """Say that somebody has to see the copy run, without channels."""
    if scene.qmgr is None:
        return done(f"{scene.name} no longer exists")
    return unknown(f"whether the copy of {scene.name} runs, and none of its channels")


def _copy(scene: Scene) -> str:
    return f"the copy of {scene.name}"


def start(scene: Scene) -> Iterator[Command]:
    """Yield the command that starts the copy, and nothing that starts its channels.

    `strmqm -ns` starts no channel initiator, listener, command server or service. On z/OS the
    channel initiator is started by itself.
    """
    if scene.qmgr is not None:
        yield from control(scene, "start-without-channels", on=_copy(scene))


def is_disarmed(scene: Scene) -> Checked:
    """Say which channels of the copy still lead to production, unless they were altered."""
    qmgr = scene.qmgr
    if qmgr is None:
        return done(f"{scene.name} no longer exists")
    channels = [
        f"{type_}({name}) {text_of(definition, 'CONNAME')}"
        for name, type_ in sorted(qmgr.channels.items())
        if type_ in (*_LEADS, "CLUSRCVR") and not name.startswith("SYSTEM.")
        for definition in [qmgr.definitions["CHANNEL", name]]
    ]
    shown = "; ".join(channels[:_SHOWN])
    more = f"; and {len(channels) - _SHOWN} more" if len(channels) > _SHOWN else ""
    return unknown(
        f"whether the copy of {scene.name} has other addresses than production ({shown}{more}), "
        "and has forgotten production"
    )


def disarm(scene: Scene) -> Iterator[Command]:
    """Yield the commands to run at the copy, before any of its channels runs.

    They are about all its clusters: in one that is left out, the copy would still publish. A full
    repository gives up its role meanwhile: REPOS(YES) is refused at one. On z/OS the repository
    manager is part of the channel initiator; so the channels are stopped before it works.
    """
    qmgr = scene.qmgr
    if qmgr is None:
        return
    copy = _copy(scene)
    if qmgr.platform == ZOS:
        yield Command.of(copy, "START", "CHINIT")
        for definition, _ in membership.channels_of(qmgr, "CLUSSDR"):
            yield Command.about(copy, "STOP", definition)
    is_full = bool(membership.full_repository_of(qmgr))
    keyword = "REPOS" if qmgr.values.get("REPOS") else "REPOSNL"
    if is_full:
        yield Command.of(copy, "ALTER", "QMGR", **{keyword: ""})
    for cluster in clusters_known_by(qmgr):
        yield Command.of(copy, "REFRESH", "CLUSTER", cluster, REPOS="YES")
    if is_full:
        yield Command.of(copy, "ALTER", "QMGR", **{keyword: qmgr.values[keyword]})


def connect(scene: Scene) -> Iterator[Command]:
    """Yield the commands that let the channels of the copy run."""
    qmgr = scene.qmgr
    if qmgr is None:
        return
    if qmgr.platform != ZOS:
        yield Command.of(_copy(scene), "START", "CHINIT")
    for (kind, name), _ in sorted(qmgr.definitions.items()):
        if kind == "LISTENER" and not name.startswith("SYSTEM."):
            yield Command.of(_copy(scene), "START", "LISTENER", name)
    for definition, _ in membership.channels_of(qmgr, "CLUSSDR"):
        yield Command.about(_copy(scene), "START", definition)


def is_tested(scene: Scene) -> Checked:
    """Say that somebody has to test the copy and delete it."""
    return unknown(f"whether the copy of {scene.name} was tested and deleted")
