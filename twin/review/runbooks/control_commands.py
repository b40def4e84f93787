"""The commands that start, end and dump a queue manager, on its platform.

On z/OS there are no control commands. MQSC commands from the console start and end a queue manager,
and the channel initiator is started by itself. CSQUTIL writes the definitions.

Sources: IBM MQ 9.4, "Using MQSC to start and stop a queue manager on z/OS"; "STOP QMGR on z/OS";
"START CHINIT on z/OS"; "Using the COMMAND function of CSQUTIL on z/OS".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from twin.model.commands import Command
from twin.model.platforms import ZOS
from twin.review.runbooks.scene import Scene

ControlAct: TypeAlias = Literal["STOP", "START"]

_PROGRAMS: Final[Mapping[str, str]] = MappingProxyType({"STOP": "endmqm", "START": "strmqm"})
"""The verb of the console on z/OS -> the control command elsewhere, which rehearsals run."""

ON_ZOS: Final = "Using MQSC to start and stop a queue manager on z/OS"
"""The page that says how it is done on z/OS."""


def is_on_zos(scene: Scene) -> bool:
    """Return whether the queue manager of a runbook is on z/OS, also if it was deleted."""
    estate, subject = scene.estate, scene.subject
    known = estate.qmgrs.get(subject.name) or estate.departed.get(subject.qmid)
    return known is not None and known.platform == ZOS


def control(scene: Scene, act: ControlAct) -> Iterator[Command]:
    """Yield the commands that start or end the queue manager of a runbook."""
    if not is_on_zos(scene):
        yield Command.program(scene.name, _PROGRAMS[act], name=scene.name)
        return
    yield Command.of(scene.name, act, "QMGR")
    if act == "START":
        yield Command.of(scene.name, "START", "CHINIT")


def played(command: Command) -> str:
    """Return the control command that a rehearsal runs for one of a step."""
    return _PROGRAMS.get(command.verb, command.verb)


def dump(scene: Scene) -> str:
    """Return the command that dumps the definitions of the queue manager of a runbook."""
    if is_on_zos(scene):
        return f"CSQUTIL PARM='{scene.name}': COMMAND MAKEDEF"
    return f"dmpmqcfg -m {scene.name} -a"
