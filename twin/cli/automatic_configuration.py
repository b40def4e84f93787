"""The flags -ii, -ic and -iv of crtmqm: reads the files of an automatic configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from twin.cli.errors import BadUsage
from twin.cli.files import check_regular, read_text

if TYPE_CHECKING:
    from twin.events import AutomaticConfiguration, ConfigurationFile


def configuration_of(flags: dict[str, str]) -> AutomaticConfiguration | None:
    """Take -ii, -ic and -iv out of the flags, and return what they give; None without them.

    Raises:
        BadUsage: if a folder has no file of the kind, or a variable has no name or no value.
        UnreadableFile: if a file does not exist or cannot be read.
        BadConfiguration: if an ini file is malformed or its stanza AutoCluster is incomplete.
    """
    ini, mqsc, variables = (flags.pop(flag, "") for flag in ("ii", "ic", "iv"))
    if not (ini or mqsc or variables):
        return None
    from twin.events import AutomaticConfiguration
    from twin.model.auto_cluster import read_settings

    configuration = AutomaticConfiguration(
        ini=_files(ini, "ini"), mqsc=_files(mqsc, "mqsc"), variables=_variables(variables)
    )
    read_settings((file.name, file.text) for file in configuration.ini)
    return configuration


def _files(path: str, ending: str) -> tuple[ConfigurationFile, ...]:
    """Read a file, or all files of a folder with this ending in the order of their names."""
    from twin.events import ConfigurationFile

    if not path:
        return ()
    paths = [Path(path)]
    if paths[0].is_dir():
        paths = sorted(file for file in paths[0].glob(f"*.{ending}") if file.is_file())
        if not paths:
            raise BadUsage(command="crtmqm", problem=f"{path} contains no *.{ending}")
    for file in paths:
        check_regular(str(file))
    return tuple(ConfigurationFile(name=file.name, text=read_text(str(file))) for file in paths)


def _variables(text: str) -> dict[str, str]:
    """Read NAME=VALUE, separated by semicolons."""
    variables: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        name, _, value = part.partition("=")
        if not (name.strip() and value.strip()):
            raise BadUsage(command="crtmqm", problem=f"-iv: expected NAME=VALUE, not {part!r}")
        variables[name.strip().upper()] = value.strip()
    return variables
