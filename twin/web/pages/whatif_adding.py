"""The form that adds one step to a what-if: what can happen, and which fields describe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class StepForm(NamedTuple):
    """One thing that can happen.

    Attributes:
        act: its name in the form.
        label: how the form calls it.
        step: the step, made from the fields `on` and `what`.
        at: what to name in the field `on`; '' if the step has none.
        what: what to name in the field `what`; '' if the step has none.
        example: an example of the latter.
    """

    act: str
    label: str
    step: str
    at: str = "queue manager"
    what: str = ""
    example: str = ""


FORMS: Final = (
    StepForm("endmqm", "end a queue manager", "endmqm {on}"),
    StepForm("strmqm", "start a queue manager", "strmqm {on}"),
    StepForm(
        "suspend",
        "suspend from a cluster",
        "{on}: SUSPEND QMGR CLUSTER({what})",
        what="cluster",
        example="SALES",
    ),
    StepForm(
        "resume",
        "resume in a cluster",
        "{on}: RESUME QMGR CLUSTER({what})",
        what="cluster",
        example="SALES",
    ),
    StepForm("cut", "cut a link", "cut {on} {what}", what="other queue manager", example="QM2"),
    StepForm("heal", "heal a link", "heal {on} {what}", what="other queue manager", example="QM2"),
    StepForm(
        "mqsc",
        "run an MQSC command",
        "{on}: {what}",
        what="MQSC command",
        example="ALTER QLOCAL(ORDERS) PUT(DISABLED)",
    ),
    StepForm("pass", "let time pass", "pass {what}", at="", what="how long", example="12h, 30d"),
)
"""What the form offers, in its order."""


def added_step(fields: Mapping[str, str]) -> str:
    """Return the step that the fields `act`, `on` and `what` describe; '' if all are empty.

    If one is missing, what there is: reading the steps then says what is expected.
    """
    given = {name: fields.get(name, "").strip() for name in ("on", "what")}
    for form in FORMS:
        if form.act != fields.get("act"):
            continue
        needed = [given[name] for name in ("on", "what") if f"{{{name}}}" in form.step]
        return form.step.format(**given) if all(needed) else " ".join([form.act, *needed]).strip()
    return " ".join(filter(None, given.values()))
