"""Runbooks on estates of several shapes: each is carried out to its end."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, make_twin
from tests.review.runbooks.carrying import carry_out
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import StepState

NOW = START + 2 * DAY
LEAVES = frozenset({"save", "forward-elsewhere", "redirect", "drain", "send", "empty"})
RESTS = frozenset({"others", "quiet"})
BY_HAND = frozenset({"fence", "start", "disarm", "test"})
"""The steps that depend on people, or on what an imported queue manager does not show."""


def member(name: str, to: str, cluster: str = "CA") -> str:
    """Return the channels of a member of a cluster."""
    return (
        f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}(1414)') "
        f"CLUSTER({cluster})\n"
        f"DEFINE CHANNEL({cluster}.{to}) CHLTYPE(CLUSSDR) CONNAME('{to}(1414)') "
        f"CLUSTER({cluster})\n"
    )


def full(name: str, *others: str) -> str:
    """Return the script of a full repository of CA."""
    senders = "".join(member(name, each).splitlines()[1] + "\n" for each in others)
    return "ALTER QMGR REPOS(CA)\n" + member(name, "X").splitlines()[0] + "\n" + senders


ORD = "DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)\n"
GATEWAY = (
    "DEFINE QALIAS(STOCK.CA) TARGET(STOCK) CLUSTER(CA) DEFBIND(NOTFIXED)\n"
    "DEFINE QREMOTE(STORE) RNAME(' ') RQMNAME(B1) CLUSTER(CA)\n"
    "DEFINE NAMELIST(BOTH) NAMES(CA, CB)\nDEFINE QLOCAL(BOTH.Q) CLUSNL(BOTH)\n"
)
MEMBERS = {
    "M1": member("M1", "F1") + ORD.replace("\n", " CLWLRANK(4)\n"),
    "M2": member("M2", "F1") + ORD,
}
ESTATES = {
    "one full repository": {"F1": full("F1"), **MEMBERS},
    "three full repositories": {
        "F1": full("F1", "F2", "F3"),
        "F2": full("F2", "F1", "F3"),
        "F3": full("F3", "F1", "F2"),
        **MEMBERS,
    },
    "a gateway in two clusters": {
        "F1": full("F1", "F2"),
        "F2": full("F2", "F1"),
        **MEMBERS,
        "FB": full("FB").replace("CA", "CB"),
        "B1": member("B1", "FB", "CB") + "DEFINE QLOCAL(STOCK) CLUSTER(CB)\n",
        "GW": member("GW", "F1") + member("GW", "FB", "CB") + GATEWAY,
    },
}


def build(url: str, estate: dict[str, str]) -> Twin:
    """Make an estate, in which M2 puts to ORD and to what a gateway shares."""
    twin = make_twin(url, lambda: NOW)
    for name in estate:
        twin.crtmqm(name, at=START)
        twin.strmqm(name, at=START)
    for name, script in estate.items():
        assert twin.runmqsc(name, script, at=START).exit_code == 0
    for queue in ("ORD", "STOCK.CA") if "GW" in estate else ("ORD",):
        assert not twin.put("M2", queue, count=2, bind="notfixed", at=START + HOUR).reason
    return twin


def imported(url: str, original: Twin) -> Twin:
    """Return a twin that knows only the dumps of the queue managers of another one."""
    twin = make_twin(url, lambda: NOW)
    for name in sorted(original.view()[0].qmgrs):
        lines = original.dmpmqcfg(name, as_of=START + DAY)
        twin.ingest("\n".join(lines), qmgr=name, at=START + DAY)
    return twin


def play(twin: Twin, runbook: str, request: RunbookRequest) -> list[str]:
    """Carry a runbook out; return the steps that are not done, with what blocks them."""
    carried = carry_out(twin, runbook, request)
    left = [each for each in carried.steps if each.state is not StepState.DONE]
    return [f"{each.step.id}: {each.blocked_by}" for each in left]


def _ways(name: str, cluster: str) -> list[tuple[str, RunbookRequest]]:
    """Return the runbooks of a queue manager, with what is asked for."""
    return [
        ("leave", RunbookRequest(qmgr=name, cluster=cluster, confirmed=LEAVES)),
        ("leave", RunbookRequest(qmgr=name, cluster=cluster, confirmed=LEAVES, lost=True)),
        ("rebuild", RunbookRequest(qmgr=name, confirmed=LEAVES)),
        ("rebuild", RunbookRequest(qmgr=name, confirmed=LEAVES, lost=True)),
        ("maintain", RunbookRequest(qmgr=name, confirmed=RESTS, since=NOW, lasts=HOUR)),
        ("dr-test", RunbookRequest(qmgr=name, confirmed=BY_HAND)),
    ]


@pytest.mark.parametrize("is_imported", [False, True], ids=["simulated", "imported"])
@pytest.mark.parametrize("shape", sorted(ESTATES))
def test_each_runbook_ends(
    tmp_path_factory: pytest.TempPathFactory, shape: str, *, is_imported: bool
) -> None:
    """All steps become done, unless it is about the only full repository, which cannot leave."""
    folder = tmp_path_factory.mktemp("estates")
    twin = build(f"sqlite:///{folder / 'made.db'}", ESTATES[shape])
    if is_imported:
        twin = imported(f"sqlite:///{folder / 'imported.db'}", twin)
    alone = "F1" if shape == "one full repository" else "FB"
    names = {"GW", "FB"} if "GW" in ESTATES[shape] else {"F1", "M1"}
    for name in sorted(names):
        for cluster in {"GW": ("CA", "CB"), "FB": ("CB",)}.get(name, ("CA",)):
            for runbook, request in _ways(name, cluster):
                left = play(twin, runbook, request)
                if name == alone and not request.lost and runbook in ("leave", "rebuild"):
                    assert left[0].startswith(f"hand-over: {name} is the only running full")
                else:
                    assert left == [], (name, runbook, request)
    for lost in (False, True):
        request = RunbookRequest(qmgr="F1", to="M2", cluster="CA", lost=lost)
        assert play(twin, "move-full-repository", request) == []
