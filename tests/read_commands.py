"""Read commands from MQSC, for tests: nothing in the program does."""

from __future__ import annotations

from twin.model.commands import Command, ParameterValue
from twin.mqsc.statement import Parameter, Statement, parse


def read(on: str, mqsc: str) -> Command:
    """Return the command that MQSC says, with values as they are read."""
    parsed = parse(mqsc)
    assert isinstance(parsed, Statement), mqsc
    given = tuple((each.keyword, _value(each)) for each in parsed.parameters)
    name = "" if parsed.name is None else parsed.name.text
    return Command(on, parsed.verb, parsed.object, name, given)


def _value(parameter: Parameter) -> ParameterValue:
    if parameter.values is None:
        return None
    texts = tuple(token.text for token in parameter.values)
    return texts if len(texts) > 1 else texts[0]
