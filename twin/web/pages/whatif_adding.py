"""The form that adds one step to a what-if: what can happen, and which fields describe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from twin.model.commands import quote_if_needed


class StepForm(NamedTuple):
    """One thing that can happen.

    Attributes:
        act: its name in the form.
        label: how the form calls it.
        step: the step, made from the fields `on` and `what`; `name` is the latter as MQSC takes it.
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
        "{on}: SUSPEND QMGR CLUSTER({name})",
        what="cluster",
        example="SALES",
    ),
    StepForm(
        "resume",
        "resume in a cluster",
        "{on}: RESUME QMGR CLUSTER({name})",
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
        needed = [given[field] for field, label in (("on", form.at), ("what", form.what)) if label]
        if not all(needed):
            return " ".join([form.act, *needed]).strip()
        return form.step.format(**given, name=_as_mqsc(given["what"]))
    return " ".join(filter(None, given.values()))


def _as_mqsc(name: str) -> str:
    """Return a name in quotes if it needs them and has none."""
    return name if name.startswith("'") else quote_if_needed(name)
