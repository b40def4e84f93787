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

`twin doctor` looks for faults with these rules. `twin doctor --rules` lists them. The id of a rule
never changes.

| severity | meaning |
|---|---|
| error | something does not work, or will not work after the next failure |
| warning | a risk |
| info | worth knowing, or a guess |

With `--from`, a command of a script that `runmqsc` would reject is an error, too:
`command-rejected`, which belongs to no rule below and cannot be skipped.

A rule may report some of its findings with a lower severity; its condition then says when.
Attributes that have MQ's defaults are counted once for all objects (`defaults-in-use`). An INACTIVE
channel is not a finding, nor is a channel that retries because somebody ended its partner on
purpose.

| class of a fix | meaning |
|---|---|
| safe | corrects the fault and changes nothing else |
| owner decides | changes where messages go, or is one of several possible fixes |
| destructive | removes something that may still be needed |

REFRESH CLUSTER and RESET CLUSTER are proposed only if nothing else helps.

## Accept a finding

`--skip ID[:REASON]` leaves out a rule for one run. To accept a finding for longer, enter it in
`.twin-doctor.yaml` in the current folder (with `--from DIR`: in DIR). `object` may end with `*`;
without `object`, the entry is for every object. A reason is required. `until` is the last day (UTC)
of the entry: at a later `--as-of`, the finding counts again, with a note. `twin doctor` also names
each entry that suppresses nothing.

```yaml
ignore:
  - id: listener-manual
    object: QM1 LISTENER(TCP)
    reason: started by hand after the backup
    until: 2026-12-31
```

Or write a comment right above the definition in its script. `twin doctor` reads it in the file that
was imported, as this file is now:

```
* twin:ignore cluster-sender-several until 2026-12-31 the third one goes away in winter
DEFINE CHANNEL(SALES.FR3) CHLTYPE(CLUSSDR) CONNAME('fr3(1414)') CLUSTER(SALES)
```

`--baseline FILE` names the JSON of an earlier run (`twin doctor --format json --output FILE`).
Then only new findings give exit code 10. Two findings are the same if they have the same rule and
object. `--format sarif` writes SARIF 2.1.0 with all rules, and with the suppressed findings, too.
Its locations are the files and lines that last set what is wrong: the attributes that a rule
names below, at the object of the finding. Where an object is lacking something, it is the
definition of that object, and for a status the line that says it. If these are unknown, the
location is `QM1.mqsc` for queue manager QM1.

## Proofs

`twin doctor` rehearses the fixes in memory, all fixes of one rule together: it runs the commands,
and lets two minutes pass. `--no-prove` leaves the rehearsals out. The findings are those of
`twin ask doctor`, with what was seen of depths and channels. The result is one of these:

- **proved**: The finding is gone, and so is its cause. Every rule that read what the fix changes
  ran again, and has no new finding as bad as this one. The effect of the fault has changed: a
  reason code, a route, a transmission queue, or the records of another queue manager. A put is
  followed to its end: it must be delivered or wait, not end in a reason code or in a loop. A fix
  for failover must leave all routes as they are while nothing has failed. What is not proved alone
  is rehearsed again with the other fixes of its queue manager; then it says which ones it needs.
- **definition checked**: The finding is gone, and the definition is seen where it is published to.
  What that changes for applications does not show in the model.
- **not proved**, with the reason. If the rehearsal shows that the commands do not mend the fault,
  or bring another one, they are not a fix: the finding says that they were tried.
- **not rehearsable**: The model does not depend on the fault, for example on an address, a port,
  TLS or a listener, or on messages of which only the depth was seen.

## JSON

`--format json` has `question`, `as_of`, `rows`, `suppressed` (rows with `suppressed`: `reason`,
`kind`, `place`), `not_checked` (`id`, `why`), `rules_run`, and `notes` if there are any. A row has
the keys of `twin ask doctor` (`id`, `severity`, `object`, `finding`, `evidence`, `fix`, `source`,
`basis`) and these:

| key | what it is |
|---|---|
| `what_to_do` | what to do and where, if no commands are known |
| `origins` | files and lines: first the line that last set what is wrong, then the definition |
| `class` | class of the fix: `safe`, `owner decides` or `destructive`; null without a fix |
| `effective` | when the fix takes effect |
| `proof` | `verdict` and `says`; null without a fix, or with `--no-prove` |
| `tried` | the commands that the rehearsal disproved; `fix` is then null |
| `otherwise` | destructive commands, for the case that nothing else helps |
| `root` | `id` and `object` of the finding that causes this one; null if none does |
| `on`, `cluster` | queue managers and cluster of the finding |
| `fingerprint` | identity of the finding: a hash of rule and object |
| `known` | whether the baseline has it |
| `note` | a remark, for example that a suppression has ended |

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
        yield f"What to do{' if the finding has no commands' * bool(rule.fix)}: {rule.what_to_do}\n"
    if rule.last:
        yield f"Destructive, so only where observed or simulated facts call for it: {rule.last}\n"
    if rule.fix is not None:
        when = f", takes effect {rule.effective}" * (rule.effective is not Effective.AT_ONCE)
        yield f"Fix: {rule.fix}{when}.\n"
    if rule.attributes:
        yield f"Points at: the line that last set {' or '.join(rule.attributes)}.\n"
    if rule.needs:
        yield f"Checked only if this was observed: {'; '.join(rule.needs)}.\n"
    if rule.follows:
        yield f"May be caused by: {', '.join(f'`{each}`' for each in rule.follows)}.\n"
    yield f"Source: {rule.source}.\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
