"""On main, only observations change an observed queue manager; a branch simulates it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given

from tests.app.scenes import LATER, SCRIPTS, START, Act, build, histories, make_twin
from twin.app.protection import ObservedOnMain
from twin.app.refusals import ControlRefused, NoSuchQueueManager
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR

AT: Final = START + HOUR

REFUSED: Final[dict[str, Callable[[Twin], Any]]] = {
    "strmqm": lambda twin: twin.strmqm("OBS"),
    "endmqm": lambda twin: twin.endmqm("OBS"),
    "dltmqm": lambda twin: twin.dltmqm("OBS"),
    "DEFINE": lambda twin: twin.runmqsc("OBS", "DEFINE QLOCAL(A)"),
    "ALTER": lambda twin: twin.runmqsc("OBS", "ALTER QMGR DESCR('x')"),
    "DELETE": lambda twin: twin.runmqsc("OBS", "DELETE QLOCAL(ORDERS)"),
    "SET": lambda twin: twin.runmqsc(
        "OBS", "SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)"
    ),
    "START CHANNEL": lambda twin: twin.runmqsc("OBS", "START CHANNEL(CA.FR1)"),
    "STOP CHANNEL": lambda twin: twin.runmqsc("OBS", "STOP CHANNEL(CA.FR1)"),
    "SUSPEND": lambda twin: twin.runmqsc("OBS", "SUSPEND QMGR CLUSTER(CA)"),
    "RESUME": lambda twin: twin.runmqsc("OBS", "RESUME QMGR CLUSTER(CA)"),
    "REFRESH": lambda twin: twin.runmqsc("OBS", "REFRESH CLUSTER(CA)"),
    "RESET": lambda twin: twin.runmqsc("OBS", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR1)"),
    "CLEAR": lambda twin: twin.runmqsc("OBS", "CLEAR QLOCAL(ORDERS)"),
    "put": lambda twin: twin.put("OBS", "ORDERS"),
    "get": lambda twin: twin.get("OBS", "ORDERS"),
    "open": lambda twin: twin.open_queue("OBS", "ORDERS"),
    "close": lambda twin: twin.close_handle("OBS", "H"),
    "restore": lambda twin: twin.restore("OBS", to=AT),
    "runswchl": lambda twin: twin.runswchl("OBS", "*"),
    "runmqdlq": lambda twin: twin.runmqdlq("OBS", "ACTION(DISCARD)", queue="ORDERS"),
    "exhaust": lambda twin: twin.exhaust("OBS"),
    "hold": lambda twin: twin.hold("OBS", "CA.FR1"),
    "release": lambda twin: twin.release("OBS", "CA.FR1"),
    "link cut from it": lambda twin: twin.link("cut", "OBS", "PR1"),
    "link heal to it": lambda twin: twin.link("heal", "PR1", "OBS"),
    "link delay": lambda twin: twin.link("delay", "PR1", "OBS", latency=5),
    "link delay everywhere": lambda twin: twin.link("delay", "", "", latency=5),
}
"""Commands that act on the observed queue manager OBS."""

ALLOWED: Final[dict[str, Callable[[Twin], Any]]] = {
    "DISPLAY": lambda twin: twin.runmqsc("OBS", "DISPLAY QLOCAL(*)"),
    "PING": lambda twin: twin.runmqsc("OBS", "PING QMGR\nping channel(CA.FR1)"),
    "verification": lambda twin: twin.verify_mqsc("OBS").run([]),
    "a session about the past": lambda twin: twin.runmqsc("OBS", "DEFINE QLOCAL(A)", as_of=AT),
    "explain": lambda twin: twin.ask("explain", on="OBS", queue="ORDERS"),
    "pending switches": lambda twin: twin.pending_switches("OBS", "*"),
    "an import": lambda twin: twin.ingest("DEFINE QLOCAL(A)", qmgr="OBS"),
    "an observed channel": lambda twin: twin.observe_channel(
        "OBS", "CA.FR1", at=LATER, status="STOPPED"
    ),
    "time": lambda twin: twin.tick(START + 40 * DAY),
    "a new queue manager": lambda twin: twin.crtmqm("NEW"),
    "a put to it": lambda twin: twin.put("PR1", "ORDERS", to="OBS"),
    "a publication to it": lambda twin: twin.runmqsc("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)"),
    "removing it elsewhere": lambda twin: twin.runmqsc(
        "FR1", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(OBS)"
    ),
    "a link of others": lambda twin: twin.link("cut", "FR1", "PR1"),
    "a reading": lambda twin: twin.choose_reading("restart", "republish"),
    "a retraction": lambda twin: twin.retract(_seen(twin)),
}
"""What may be done on main although OBS is observed."""


def _seen(twin: Twin) -> list[int]:
    """Return the positions of what was observed of OBS."""
    stored = twin.log.events(qmgr="OBS", types=["ObjectsObserved"])
    return [each.position for each in stored]


@pytest.fixture
def mixed(twin: Twin) -> Twin:
    """Make a cluster of simulated queue managers, and the observed one OBS with ORDERS."""
    build(twin)
    script = SCRIPTS["PR1"].replace("PR1", "OBS").replace("pr1", "obs")
    twin.ingest(f"{script}\nDEFINE QLOCAL(ORDERS) CLUSTER(CA)", qmgr="OBS", at=AT)
    return twin


@pytest.mark.parametrize("command", REFUSED)
def test_a_command_at_an_observed_queue_manager_is_refused_on_main(
    mixed: Twin, command: str
) -> None:
    """The line names the branch calls that do it, and nothing is recorded."""
    last = mixed.log.last()
    with pytest.raises(ObservedOnMain) as refused:
        REFUSED[command](mixed)
    assert str(refused.value) == (
        "OBS is observed, so only observations change it on main; try it on a branch: "
        "twin.create_branch('whatif'), then twin.on_branch('whatif')"
    )
    assert mixed.log.last() == last


@pytest.mark.parametrize("command", REFUSED)
def test_a_branch_simulates_an_observed_queue_manager(mixed: Twin, command: str) -> None:
    """Nothing is refused there because a queue manager was observed on main."""
    mixed.create_branch("whatif")
    _tried(REFUSED[command], mixed.on_branch("whatif"))


@pytest.mark.parametrize("command", REFUSED)
def test_a_program_may_simulate_on_main(mixed: Twin, command: str, tmp_path: Path) -> None:
    """Whoever says so acts on main, as at a simulated queue manager."""
    url = f"sqlite:///{tmp_path / 'twin.db'}"
    with Twin.open(url, clock=mixed.clock, simulate_on_main=True) as twin:
        _tried(REFUSED[command], twin)


def _tried(command: Callable[[Twin], Any], twin: Twin) -> None:
    """Run a command that MQ itself may refuse, and check that it is recorded if MQ does not."""
    last = twin.log.last()
    try:
        command(twin)
    except ControlRefused:
        return
    assert twin.log.last() != last


@pytest.mark.parametrize("command", ALLOWED)
def test_what_does_not_change_an_observed_queue_manager_by_command_is_allowed(
    mixed: Twin, command: str
) -> None:
    """Reading, observing, time, and commands at simulated queue managers go on as before."""
    ALLOWED[command](mixed)


def test_mq_refuses_before_main_is_protected(mixed: Twin) -> None:
    """A name that is taken or unknown is said in MQ's words."""
    with pytest.raises(ControlRefused, match=r"AMQ8110S: .* OBS already exists"):
        mixed.crtmqm("OBS")
    with pytest.raises(NoSuchQueueManager):
        mixed.put("OBS2", "ORDERS")


def test_the_branch_that_a_refusal_names_is_new(mixed: Twin) -> None:
    """A name that is taken gets a number."""
    mixed.create_branch("whatif")
    mixed.create_branch("whatif2")
    with pytest.raises(ObservedOnMain, match=r"on_branch..whatif3'"):
        mixed.endmqm("OBS")


def test_another_process_knows_from_a_snapshot_what_is_observed(
    mixed: Twin, tmp_path: Path
) -> None:
    """The snapshot says it, so that no event is read again."""
    mixed.tick(START + 10 * DAY)
    assert mixed.snapshot(every=5)
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as other:
        with pytest.raises(ObservedOnMain):
            other.endmqm("OBS")
        other.endmqm("PR1")


def test_a_queue_manager_is_simulated_again_once_its_observation_is_retracted(mixed: Twin) -> None:
    """After the retraction it can be created, and commands at it are carried out."""
    mixed.retract(_seen(mixed))
    mixed.crtmqm("OBS")
    mixed.strmqm("OBS")


@given(histories())
def test_no_command_on_main_changes_the_definitions_of_an_observed_queue_manager(
    history: list[Act],
) -> None:
    """Exactly the commands at observed queue managers are refused, whatever happened before."""
    observed = {"FR2", "PR2"}
    with make_twin("sqlite://", lambda: LATER) as twin:
        for name in SCRIPTS:
            if name not in observed:
                twin.crtmqm(name, at=START)
                twin.strmqm(name, at=START)
        for name, script in SCRIPTS.items():
            if name in observed:
                twin.ingest(script, qmgr=name, at=START)
            else:
                twin.runmqsc(name, script, at=START)
        for act in history:
            before = _definitions(twin, observed)
            try:
                act.perform(twin)
            except ObservedOnMain:
                assert not act.observed
                assert act.event.qmgr in observed
            else:
                assert act.observed or act.event.qmgr not in observed
            assert act.observed or _definitions(twin, observed) == before


def _definitions(twin: Twin, names: set[str]) -> list[tuple[Any, ...]]:
    estate, _ = twin.view(as_of=twin.log.head().occurred_at)
    found = [estate.qmgrs[name] for name in sorted(names)]
    return [(each.running, dict(each.values), dict(each.definitions)) for each in found]
