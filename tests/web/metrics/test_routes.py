"""`GET /metrics`: its answer, its branches, what it refuses, and what it keeps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.conftest import Serve
from tests.web.metrics.reading import read
from tests.web.metrics.scene import SCRAPED, cluster
from tests.web.serving import Served
from twin.app.twin import Twin
from twin.cli.serving import read_metrics_options
from twin.errors import TwinError
from twin.model.instants import SECOND
from twin.web.metrics.scraping import Scrape, scrape
from twin.web.metrics_options import DEFAULT, MetricsOptions
from twin.web.service import LASTS, ScrapeCache


def test_a_scrape_has_all_queue_managers_of_the_demo(demo_service: Served) -> None:
    """The text has Prometheus's content type, and each queue manager its status."""
    answer = demo_service.reader.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    statuses = read(answer.text)["ibmmq_qmgr_status"].values
    assert sorted(dict(each)["qmgr"] for each in statuses) == [
        "FR1",
        "FR2",
        "PR1",
        "PR2",
        "PR3",
        "PR4",
    ]


def test_a_branch_is_served_under_its_name(serve: Serve) -> None:
    """What happened on the branch alone is not on main."""
    served = serve()
    with Twin.open(served.log_url) as twin:
        twin.create_branch("lab")
        twin.on_branch("lab").endmqm("PR1")
    lab = read(served.reader.get("/metrics?branch=lab").text)
    main = read(served.reader.get("/metrics").text)
    assert lab["ibmmq_qmgr_status"].where(qmgr="PR1", branch="lab") == [0]
    assert main["ibmmq_qmgr_status"].where(qmgr="PR1") == [2]


@pytest.mark.parametrize(
    ("query", "status"),
    [("as-of=-1d", 400), ("twin-known-at=-1d", 400), ("branch=nowhere", 404)],
)
def test_other_times_and_unknown_branches_are_refused(
    demo_service: Served, query: str, status: int
) -> None:
    """A scrape is as of now, and of a branch that exists."""
    assert demo_service.reader.get(f"/metrics?{query}").status_code == status


def test_what_is_recorded_is_in_the_next_scrape(serve: Serve) -> None:
    """A new position of the log is computed again at once."""
    served = serve()
    before = read(served.reader.get("/metrics").text)
    with Twin.open(served.log_url) as twin:
        twin.endmqm("PR1")
        position = twin.log.head().position
    after = read(served.reader.get("/metrics").text)
    assert before["ibmmq_qmgr_status"].where(qmgr="PR1") == [2]
    assert after["ibmmq_qmgr_status"].where(qmgr="PR1") == [0]
    assert after["ibmmq_twin_log_position"].where() == [position]


def test_a_large_log_is_computed_by_a_worker(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its metrics are the same as those of a small one, except for how long they took."""
    served = serve(metrics=MetricsOptions(labels=(("mq_cluster", "A"),)))
    here = read(served.reader.get("/metrics").text)
    monkeypatch.setattr("twin.web.metrics.scraping.LARGE", 0)
    with Twin.open(served.log_url) as twin:
        twin.runmqsc("PR1", "DEFINE QLOCAL(ANOTHER)")
    there = read(served.reader.get("/metrics").text)
    assert there.keys() == here.keys()
    assert there["ibmmq_queue_depth"].where(queue="ANOTHER", mq_cluster="A") == [0]


MAIN, LAB = 1, 2


def kept(folder: Path) -> tuple[Scrape, Callable[[int], Callable[[], Scrape]], list[int]]:
    """Return a scrape, a function that makes computations of others, and which were computed."""
    with cluster(folder) as scene:
        first = scene.scrape()
    computed: list[int] = []

    def computing(number: int) -> Callable[[], Scrape]:
        def compute() -> Scrape:
            computed.append(number)
            return first._replace(at=SCRAPED, seconds=0.5)

        return compute

    return first, computing, computed


def test_a_scrape_is_kept_for_one_position_and_some_seconds(tmp_path: Path) -> None:
    """A later position, or a later time, is computed again; a branch has a scrape of its own."""
    first, computing, computed = kept(tmp_path)
    cache: ScrapeCache[Scrape] = ScrapeCache()
    position = first.position
    cache.get(MAIN, position, SCRAPED, computing(1))
    cache.get(MAIN, position, SCRAPED + LASTS * SECOND - 1, computing(2))
    cache.get(MAIN, position - 1, SCRAPED, computing(3))
    cache.get(MAIN, position, SCRAPED + LASTS * SECOND, computing(4))
    cache.get(MAIN, position + 1, SCRAPED, computing(5))
    cache.get(LAB, position, SCRAPED, computing(6))
    assert computed == [1, 4, 5, 6]


def test_a_scrape_that_took_long_is_kept_for_longer(tmp_path: Path) -> None:
    """One that took 30 seconds is kept for 300."""
    first, computing, computed = kept(tmp_path)
    cache: ScrapeCache[Scrape] = ScrapeCache()
    slow = first._replace(at=SCRAPED, seconds=30.0)
    cache.get(MAIN, first.position, SCRAPED, lambda: slow)
    cache.get(MAIN, first.position, SCRAPED + 299 * SECOND, computing(1))
    cache.get(MAIN, first.position, SCRAPED + 300 * SECOND, computing(2))
    assert computed == [2]


def test_clients_that_ask_at_once_share_one_computation(tmp_path: Path) -> None:
    """Seven clients wait for the scrape of the eighth."""
    first, computing, computed = kept(tmp_path)
    cache: ScrapeCache[Scrape] = ScrapeCache()
    together = threading.Barrier(8)

    def ask(number: int) -> None:
        together.wait()
        cache.get(MAIN, first.position, SCRAPED, computing(number))

    clients = [threading.Thread(target=ask, args=[number]) for number in range(8)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert len(computed) == 1


def test_the_options_of_the_command_line_are_read() -> None:
    """A pattern is a list of generic names, a label has a name and a value."""
    assert read_metrics_options(None, None, full=False) == DEFAULT
    assert read_metrics_options("A.*, !A.B", ["mq_cluster=X=Y", "site="], full=True) == (
        MetricsOptions(("A.*", "!A.B"), full=True, labels=(("mq_cluster", "X=Y"), ("site", "")))
    )


@pytest.mark.parametrize(
    ("channels", "labels", "said"),
    [
        ("", [], "bad pattern ''; expected generic channel names"),
        ("A*B", [], "bad pattern 'A*B'"),
        ("!", [], "bad pattern '!'"),
        ("X" * 21, [], "bad pattern"),
        (None, ["mq_cluster"], "bad label 'mq_cluster': expected NAME=VALUE"),
        (None, ["__name__=x"], "bad label '__name__=x': expected NAME=VALUE"),
        (None, ["1st=x"], "bad label '1st=x': expected NAME=VALUE"),
        (None, ["a=1", "a=2"], "bad label 'a=2': given twice"),
        (None, ["qmgr=QM1"], "bad label 'qmgr=QM1': the metrics have a label of this name"),
        (None, ["source=me"], "bad label 'source=me': the metrics have a label of this name"),
        (None, ["branch=b"], "bad label 'branch=b': the metrics have a label of this name"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    channels: str | None, labels: list[str], said: str
) -> None:
    """Each error names the value and the cure."""
    with pytest.raises(TwinError) as caught:
        read_metrics_options(channels, labels, full=False)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_an_empty_log_has_metrics(tmp_path: Path) -> None:
    """Without queue managers there are the log's own metrics, and nothing was checked."""
    with Twin.open(f"sqlite:///{tmp_path / 'twin.db'}") as twin:
        metrics = read(scrape(twin, DEFAULT).exposition.text(twin.now()))
    assert metrics["ibmmq_twin_log_position"].where() == [0]
    assert "ibmmq_twin_doctor_findings" not in metrics
    assert "ibmmq_qmgr_status" not in metrics
