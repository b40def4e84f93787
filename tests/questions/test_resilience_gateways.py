"""`ask resilience` over gateways: what lies behind them is lost with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.questions.two_clusters import member, two_clusters
from twin import Twin


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return two clusters with a gateway: STOCK.CA and STOCK.R in CA lead to STOCK at QM3 in CB."""
    with two_clusters(tmp_path) as made:
        yield made


def losing(twin: Twin, name: str) -> dict[Any, Any]:
    """Return the rows of a loss by cluster."""
    rows = twin.ask("resilience", lose=name).rows
    return {row["cluster"]: row for row in rows if row["loss"] == name}


def test_queues_behind_a_gateway_are_lost_with_their_last_instance(twin: Twin) -> None:
    """QM3 is not in CA, but senders of CA reach nothing when it is lost."""
    rows = losing(twin, "QM3")
    assert sorted(rows) == ["CA", "CB"]
    assert rows["CB"]["queues_lost"] == ("STOCK",)
    assert rows["CA"]["queues_lost"] == ("STOCK.CA", "STOCK.R")
    assert rows["CA"]["severity"] == "error"
    assert rows["CA"]["senders_cut"] == ("FA", "GW")
    assert rows["CA"]["fix"] == ("add another instance of what STOCK.CA and 1 more leads to")


def test_queues_are_lost_with_the_only_gateway_to_them(twin: Twin) -> None:
    """What leads nowhere, like NOWHERE.CA, is not lost by it."""
    lost = losing(twin, "GW")["CA"]["queues_lost"]
    assert {"STOCK.CA", "STOCK.R"} <= set(lost)
    assert "NOWHERE.CA" not in lost


def test_a_second_instance_behind_the_gateway_saves_what_may_choose(twin: Twin) -> None:
    """The alias finds the other instance; the remote definition names QM3."""
    twin.crtmqm("QM5")
    twin.strmqm("QM5")
    script = f"{member('QM5', 'CB')}DEFINE QLOCAL(STOCK) CLUSTER(CB)"
    assert twin.runmqsc("QM5", script).exit_code == 0
    assert losing(twin, "QM3")["CA"]["queues_lost"] == ("STOCK.R",)


def test_a_second_gateway_saves_the_queue(twin: Twin) -> None:
    """Each of two gateways is enough for STOCK.CA, but then only one is left."""
    twin.crtmqm("GW2")
    twin.strmqm("GW2")
    alias = "DEFINE QALIAS(STOCK.CA) TARGET(STOCK) CLUSTER(CA)"
    script = f"{member('GW2', 'CA')}{member('GW2', 'CB')}{alias}"
    assert twin.runmqsc("GW2", script).exit_code == 0
    row = losing(twin, "GW")["CA"]
    assert "STOCK.CA" not in row["queues_lost"]
    assert "STOCK.CA" in row["queues_single"]


def test_a_link_behind_the_gateway_cuts_the_senders_off(twin: Twin) -> None:
    """The network between GW and QM3 carries what CA sends there, once GW has opened STOCK."""
    twin.open_queue("GW", "STOCK", bind="notfixed")
    rows = twin.ask("resilience", links="yes").rows
    (row,) = (each for each in rows if (each["loss"], each["cluster"]) == ("GW - QM3", "CA"))
    assert row["queues_lost"] == ("STOCK.CA", "STOCK.R")


def test_a_gateway_that_forgets_a_queue_leads_to_it_no_more(twin: Twin) -> None:
    """Without FB, GW asks in vain for STOCK: at once if it never did, else after 90 days."""
    row = losing(twin, "FB")["CA"]
    assert row["queues_lost"] == ("STOCK.CA", "STOCK.R")
    assert row["fix"] == "keep a full repository in reach of those that ask for STOCK.CA"
    twin.open_queue("GW", "STOCK", bind="notfixed")
    twin.open_queue("GW", "STOCK", to="QM3")
    assert sorted(losing(twin, "FB")) == ["CB"]
    rows = {each["cluster"]: each for each in twin.ask("resilience", lose="FB", days="95").rows}
    assert rows["CA"]["queues_lost"] == ("STOCK.CA", "STOCK.R")


def test_a_repository_of_one_cluster_is_a_queue_manager_of_the_other(twin: Twin) -> None:
    """GW becomes a full repository of CB: it is none of CA."""
    assert twin.runmqsc("GW", "ALTER QMGR REPOS(CB)").exit_code == 0
    rows = {(row["loss"], row["cluster"]): row["kind"] for row in twin.ask("resilience").rows}
    assert (rows["GW", "CA"], rows["GW", "CB"]) == ("qmgr", "repository")
    assert (rows["FB GW", "CA"], rows["FB GW", "CB"]) == ("pair", "repositories")


def test_what_is_lost_already_is_no_loss_and_no_improvement(twin: Twin) -> None:
    """STOCK.CA leads to STOCK alone: once that takes no put, losing QM3 or GW costs no more."""
    healthy = {(row["loss"], row["cluster"]): row for row in twin.ask("resilience").rows}
    assert healthy["QM3", "CA"]["lost_already"] == healthy["QM3", "CB"]["lost_already"] == ()
    assert healthy["GW", "CA"]["lost_already"] == ("NOWHERE.CA",)
    twin.create_branch("disabled")
    disabled = twin.on_branch("disabled")
    disabled.runmqsc("QM3", "ALTER QLOCAL(STOCK) PUT(DISABLED)")
    answer = disabled.ask("resilience")
    rows = {(row["loss"], row["cluster"]): row for row in answer.rows}
    columns = ("severity", "queues_lost", "lost_already")
    seen = {key: tuple(row[each] for each in columns) for key, row in rows.items()}
    assert seen["QM3", "CA"] == ("error", (), ("STOCK.CA", "STOCK.R"))
    assert seen["QM3", "CB"] == ("error", (), ("STOCK",))
    assert seen["GW", "CA"] == ("error", ("QM3",), ("NOWHERE.CA", "STOCK.CA", "STOCK.R"))
    assert seen["QM2", "CA"] == ("warning", (), ())
    assert seen["FB", "CA"] == ("error", (), ("STOCK.CA", "STOCK.R"))
    assert (
        "lost already, without any loss: NOWHERE.CA of CA, STOCK.CA of CA, STOCK.R of CA"
        in (answer.notes[0])
    )
    assert str(rows["QM3", "CB"]["fix"]) == (
        "mend STOCK, which no message reaches even without the loss"
    )
    compared = disabled.ask("resilience", against="main")
    assert {row["change"] for row in compared.rows} == {"changed"}
    assert not [row for row in compared.rows if "severity_after" in row]
    changed = {(row["loss"], row["cluster"]): row for row in compared.rows}
    assert changed["QM3", "CA"]["queues_lost_before"] == ("STOCK.CA", "STOCK.R")
    assert changed["QM3", "CA"]["lost_already_after"] == ("STOCK.CA", "STOCK.R")
    assert compared.notes[0].startswith("lost already")
    assert "reference: lost already, without any loss: NOWHERE.CA of CA" in compared.notes
