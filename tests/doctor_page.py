"""Writes docs/doctor.md from the registry of the doctor's rules: `python -m tests.doctor_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule, Effective

PAGE: Final = Path(__file__).parents[1] / "docs" / "doctor.md"

_HEAD: Final = """\
# Rules of the doctor

`twin doctor` runs these rules. `twin doctor --rules` lists them. Ids do not change.

Severities: an *error* is broken now, or breaks with the next failure; a *warning* is a risk; *info*
is worth knowing, or a guess. A finding may be milder than its rule, which the condition then says.
Defaults of MQ are never a finding for each object. INACTIVE is healthy. A channel that is retried
because its partner was ended on purpose is not a finding.

Classes of fixes: *safe* changes nothing but the fault; *owner decides* changes where messages go,
or is one of several ways; *destructive* removes what may still be needed. REFRESH CLUSTER and
RESET CLUSTER are never the first offer.

This page is made from the code by `python -m tests.doctor_page`, and a test compares the two.
"""


def page() -> str:
    """Return the page as it should be."""
    parts = [_HEAD, *(line for rule in RULES.values() for line in _rule(rule))]
    return "\n".join(parts)


def _rule(rule: DoctorRule) -> Iterator[str]:
    yield f"## `{rule.id}`\n"
    yield f"**{rule.severity.capitalize()}.** {rule.condition}\n"
    yield f"Why it matters: {rule.why}\n"
    if rule.fix is not None:
        when = f", takes effect {rule.effective}" * (rule.effective is not Effective.AT_ONCE)
        yield f"Fix: {rule.fix}{when}.\n"
    if rule.needs:
        yield f"Not checked unless these were observed: {'; '.join(rule.needs)}.\n"
    if rule.follows:
        yield f"May follow from: {', '.join(f'`{each}`' for each in rule.follows)}.\n"
    yield f"Source: {rule.source}.\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
