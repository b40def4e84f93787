"""Run one rule of the doctor on an index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from twin.model.basis import Basis
from twin.questions.doctor.finding import Finding
from twin.questions.doctor.fixes import looked_at_first
from twin.questions.doctor.index import Index
from twin.questions.doctor.rule import DoctorRule


def findings(rule: DoctorRule, index: Index) -> Iterator[Finding]:
    """Yield what a rule finds; each says which queue manager it means if two have one name."""
    for finding in rule.check(index):
        grounded = _looked_at(index, _grounded(index, finding))
        yield _with_qmids(index, grounded) if index.namesakes else grounded


def _grounded(index: Index, finding: Finding) -> Finding:
    """Leave out destructive commands that rest on what was neither observed nor simulated.

    What would usually be so, or what the twin made up, must not lead to them (design law 17).
    """
    if finding.grounds is not None:
        return finding
    sites = [index.sites[name] for name in finding.on if name in index.sites]
    if sites and not any(site.qmgr.observed for site in sites):
        return replace(finding, grounds=Basis.DERIVED)
    fix = () if finding.destroys else finding.fix
    return replace(finding, fix=fix, otherwise=(), destroys=False)


def _looked_at(index: Index, finding: Finding) -> Finding:
    """Let a finding look for a batch in doubt before commands that may lose it."""
    fix, otherwise = (
        looked_at_first(index.estate.qmgrs, each, index.at)
        for each in (finding.fix, finding.otherwise)
    )
    if len(fix) == len(finding.fix) and len(otherwise) == len(finding.otherwise):
        return finding
    return replace(finding, fix=fix, otherwise=otherwise)


def _with_qmids(index: Index, finding: Finding) -> Finding:
    """Add the QMIDs of existing queue managers that share their name, unless it says one."""
    said = {index.estate.names.get(qmid) for qmid in finding.qmids}
    named = finding.on if finding.named is None else finding.named
    means = [
        f" {name} is the one with QMID {qmid}."
        for name in named
        if name in index.sites
        and name not in said
        and (qmid := _meant(index, finding, name)) in index.namesakes
    ]
    return replace(finding, text=finding.text + "".join(means)) if means else finding


def _meant(index: Index, finding: Finding, name: str) -> str:
    """Return the QMID of a queue manager that a finding names.

    A finding about a channel of another queue manager is about the one whose record has this
    channel there.
    """
    subject, meant = finding.subject, index.sites[name].qmgr.qmid
    sender = index.sites.get(subject.qmgr)
    if subject.kind != "CHANNEL" or sender is None or subject.qmgr == name:
        return meant
    owners = {
        belief.owner
        for key, belief in sender.qmgr.repository.of_kind("qmgr")
        if key[2] == subject.name and belief.owner_name == name
    }
    return owners.pop() if len(owners) == 1 else meant
