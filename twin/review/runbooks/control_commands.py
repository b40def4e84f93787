"""The commands that start, end, delete and make a queue manager, on its platform.

On z/OS there are no control commands. MQSC commands from the console start and end a queue manager,
the channel initiator is started by itself, and no command makes or deletes one: it is a subsystem
with page sets, logs and a bootstrap data set (BSDS). CSQUTIL runs a script.

Sources: IBM MQ 9.4, "Using MQSC to start and stop a queue manager on z/OS"; "STOP QMGR on z/OS";
"START CHINIT on z/OS"; "Using the COMMAND function of CSQUTIL on z/OS"; "strmqm" (-ns).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from twin.events import AutomaticConfiguration
from twin.model.commands import Command
from twin.model.platforms import ZOS
from twin.questions.doctor.finding import some
from twin.review.runbooks.scene import Scene

ControlAct: TypeAlias = Literal["end", "start", "start-without-channels", "delete", "create"]

_ELSEWHERE: Final[Mapping[ControlAct, tuple[str, ...]]] = MappingProxyType(
    {
        "end": ("endmqm",),
        "start": ("strmqm",),
        "start-without-channels": ("strmqm", "-ns"),
        "delete": ("dltmqm",),
        "create": ("crtmqm",),
    }
)
"""The program and its flags."""
_ON_ZOS: Final[Mapping[ControlAct, str]] = MappingProxyType(
    {"end": "STOP", "start": "START", "start-without-channels": "START"}
)
"""The verb of the console; what is not here is done without a command."""
_PLAYED: Final[Mapping[str, str]] = MappingProxyType({"STOP": "endmqm", "START": "strmqm"})
"""The control command that a rehearsal runs in the place of a verb of the console."""

ON_ZOS: Final = "Using MQSC to start and stop a queue manager on z/OS"
"""The page that says how it is done on z/OS."""

NO_DELETION: Final = (
    "on z/OS no command deletes it: remove its subsystem, page sets, logs and bootstrap data set"
)
NO_CREATION: Final = (
    "on z/OS no command makes it: define its subsystem, page sets, logs and bootstrap data set"
)


def is_on_zos(scene: Scene) -> bool:
    """Return whether the queue manager of a runbook is on z/OS, also if it was deleted."""
    estate, subject = scene.estate, scene.subject
    known = scene.qmgr or scene.successor or estate.qmgrs.get(subject.name)
    known = known or estate.departed.get(subject.qmid)
    return known is not None and known.platform == ZOS


def control(scene: Scene, act: ControlAct, *, on: str = "") -> Iterator[Command]:
    """Yield the command for the queue manager of a runbook; nothing where none does it.

    `on` says where it is run, if that is not the queue manager itself.
    """
    where = on or scene.name
    if not is_on_zos(scene):
        program, *flags = _ELSEWHERE[act]
        yield Command.program(where, program, *((flag, None) for flag in flags), name=scene.name)
        return
    if act in _ON_ZOS:
        yield Command.of(where, _ON_ZOS[act], "QMGR")
    if act == "start":
        yield Command.of(where, "START", "CHINIT")


def create(scene: Scene) -> Iterator[Command]:
    """Yield the commands that make the queue manager of a runbook again, and start it."""
    if is_on_zos(scene):
        yield from control(scene, "start")
    else:
        yield Command.program(scene.name, "crtmqm", *_flags(configuration_of(scene)))
        yield from control(scene, "start")


def configuration_of(scene: Scene) -> AutomaticConfiguration | None:
    """Return the automatic configuration that the queue manager of a runbook was made with."""
    estate, subject = scene.estate, scene.subject
    known = estate.departed.get(subject.qmid) or estate.qmgrs.get(subject.name)
    return None if known is None or known.qmid != subject.qmid else known.configuration


def _flags(configuration: AutomaticConfiguration | None) -> Iterator[tuple[str, str]]:
    """Yield the flags of crtmqm that give an automatic configuration; of several files, a folder.

    Source: IBM MQ 9.4, "crtmqm" (-ii, -ic, -iv).
    """
    if configuration is None:
        return
    for flag, files in (("-ii", configuration.ini), ("-ic", configuration.mqsc)):
        if files:
            yield flag, files[0].name if len(files) == 1 else "FOLDER"
    if configuration.variables:
        given = ";".join(f"{name}={value}" for name, value in configuration.variables.items())
        yield "-iv", given


def files_of(configuration: AutomaticConfiguration) -> str:
    """Return the files of an automatic configuration in words."""
    return some(each.name for each in (*configuration.ini, *configuration.mqsc)) or "no files"


def played(command: Command, *, makes: bool) -> tuple[str, ...]:
    """Return the control commands that a rehearsal runs for one of a step.

    `makes` says whether there is no queue manager yet: on z/OS no command makes it.
    """
    word = _PLAYED.get(command.verb, command.verb)
    return ("crtmqm", word) if makes and command.verb == "START" else (word,)


def dump(scene: Scene) -> str:
    """Return the command that dumps the definitions of the queue manager of a runbook."""
    if is_on_zos(scene):
        return f"CSQUTIL PARM='{scene.name}': COMMAND MAKEDEF"
    return f"dmpmqcfg -m {scene.name} -a"


def run_script(scene: Scene, file: str) -> Command:
    """Return the command that runs a script at the queue manager of a runbook."""
    if not is_on_zos(scene):
        return Command.program(scene.name, "runmqsc", ("<", file))
    program = f"CSQUTIL PARM='{scene.name}': COMMAND DDNAME(CMDINP), where CMDINP is"
    return Command.program(scene.name, program, name=file)
