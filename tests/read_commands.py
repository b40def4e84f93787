"""Read commands from MQSC, for tests: what the program writes it never reads."""

from dataclasses import replace

from twin.model.commands import Command
from twin.mqsc.statement import typed_command


def read(on: str, mqsc: str) -> Command:
    """Return the command that MQSC says, as one that is written from its values."""
    command = typed_command(on, mqsc)
    assert command.verb, mqsc
    return replace(command, typed="")
