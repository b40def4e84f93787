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

## Accept a finding

`--skip ID[:REASON]` leaves out a rule for one run. To accept a finding for longer, enter it in
`.twin-doctor.yaml` in the current folder (with `--from DIR`: in DIR). `object` may end with `*`, or
be left out for every object; a reason is required. After the last day `until` (UTC, at the time of
`--as-of`) the finding counts again, and says so. An entry that suppresses nothing is named.

```yaml
ignore:
  - id: listener-manual
    object: QM1 LISTENER(TCP)
    reason: started by hand after the backup
    until: 2026-12-31
```

Or write a comment right above the definition in its script. It is looked for in the file that the
definition came from, as it is now:

```
* twin:ignore cluster-sender-several until 2026-12-31 the third one goes away in winter
DEFINE CHANNEL(SALES.FR3) CHLTYPE(CLUSSDR) CONNAME('fr3(1414)') CLUSTER(SALES)
```

`--baseline FILE` names the JSON of an earlier run (`twin doctor --format json --output FILE`):
only findings that it does not have give exit code 10. A finding is the same if its rule and its
object are. `--format sarif` writes SARIF 2.1.0 with all rules and also the suppressed findings;
places are files and lines of definitions, or else `QM1.mqsc`.

## Proofs

Each fix is rehearsed in memory, those of one rule together: its commands are run, and two minutes
pass. It is **proved** if the finding is gone, no finding as bad is new among the rules that read
what the fix changes, and the effect of the fault has changed: a reason code, a route, a
transmission queue, or what another queue manager holds. Else it is **not proved**, with the reason.
It is **not rehearsable** where the twin does not depend on the fault: addresses, ports, TLS,
listeners. `--no-prove` leaves the rehearsals out.

## JSON

`--format json` has `question`, `as_of`, `rows`, `suppressed` (rows with `suppressed`: `reason`,
`kind`, `place`), `not_checked` (`id`, `why`), `rules_run` and perhaps `notes`. A row has the keys
of `twin ask doctor` (`id`, `severity`, `object`, `finding`, `evidence`, `fix`, `source`, `basis`)
and:

| key | what it is |
|---|---|
| `what_to_do` | what to do and where, if there are no commands |
| `origins` | files and lines that the definitions came from |
| `class` | class of the fix: `safe`, `owner decides` or `destructive`; null without a fix |
| `effective` | when the fix takes effect |
| `proof` | `verdict` and `says`; null without a fix, or with `--no-prove` |
| `otherwise` | commands that help if nothing else does: destructive |
| `root` | `id` and `object` of the finding that this one follows from; null if from none |
| `on`, `cluster` | queue managers and cluster that it is about |
| `fingerprint` | identity of the finding: a hash of rule and object |
| `known` | whether the baseline has it |
| `note` | what else is known, such as a suppression that has ended |

## Rules

This page is made from the code by `python -m tests.doctor_page`, and a test compares the two.
"""


def page() -> str:
    """Return the page as it should be."""
    parts = [_HEAD, *(line for rule in RULES.values() for line in _rule(rule))]
    return "\n".join(parts)


def _rule(rule: DoctorRule) -> Iterator[str]:
    yield f"### `{rule.id}`\n"
    yield f"**{rule.severity.capitalize()}.** {rule.condition}\n"
    yield f"Why it matters: {rule.why}\n"
    if rule.what_to_do:
        yield f"What to do{' without commands' if rule.fix else ''}: {rule.what_to_do}\n"
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
