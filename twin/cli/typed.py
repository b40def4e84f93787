"""Which options somebody typed: a value from the environment, or a default, is not among them."""

from __future__ import annotations

from typing import Any, Final

_GLOBAL: Final = {
    "log": "--log",
    "branch": "--branch",
    "trust_clock": "--trust-clock",
    "simulate_on_main": "--simulate-on-main",
}
"""The global options, which are about a log."""


def is_typed(context: Any, key: str) -> bool:
    """Return whether an option was typed, before or after the name of the command."""
    sources = (place.get_parameter_source(key) for place in (context, context.find_root()))
    return any(source is not None and source.name == "COMMANDLINE" for source in sources)


def typed_about_log(context: Any) -> list[str]:
    """Return the options about a log that were typed."""
    return [option for key, option in _GLOBAL.items() if is_typed(context, key)]
