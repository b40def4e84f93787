"""A cluster in which every metric has a series: messages wait and moved, a channel retries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.app.scenes import START, build, make_twin
from tests.feeds.test_dumps import dump
from tests.web.metrics.reading import Series, read
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, MINUTE, SECOND, Instant
from twin.web.metrics.scraping import Scrape, scrape
from twin.web.metrics_options import DEFAULT, MetricsOptions

BEGUN: Final = START + DAY
SENT: Final = BEGUN + MINUTE
SCRAPED: Final = BEGUN + 5 * MINUTE + 30 * SECOND


@dataclass
class Clock:
    """A wall clock that stands still until a test sets it."""

    now: Instant = field(default=SCRAPED)

    def __call__(self) -> Instant:
        """Return the instant."""
        return self.now


@dataclass(frozen=True)
class Scene:
    """A twin of the cluster, and its clock."""

    twin: Twin
    clock: Clock

    def scrape(self, options: MetricsOptions = DEFAULT) -> Scrape:
        """Compute the metrics of now."""
        return scrape(self.twin, options)

    def read(self, options: MetricsOptions = DEFAULT) -> dict[str, Series]:
        """Compute and read the metrics of now."""
        return read(self.scrape(options).exposition.text(self.twin.now()))


@contextmanager
def cluster(folder: Path) -> Iterator[Scene]:
    """Make two full repositories and two members that idle since START."""
    clock = Clock()
    with make_twin(f"sqlite:///{folder / 'twin.db'}", clock) as twin:
        yield Scene(build(twin), clock)


@contextmanager
def troubled(folder: Path) -> Iterator[Scene]:
    """Make the cluster, with work in it: PR2 ended, PR3 is only observed.

    PR1 sent 4 messages to ORD at FR2 and PR2. It put 6 more, of which 3 waited for the channel to
    PR2, and moved to FR2 when PR2 ended. Then it put 2 to PR2, which wait.
    """
    with cluster(folder) as scene:
        twin = scene.twin
        twin.runmqsc("PR1", "ALTER QMGR DESCR('orders \"A\"')", at=BEGUN)
        for name in ("FR2", "PR2"):
            twin.runmqsc(name, "DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)", at=BEGUN)
        twin.put("PR1", "ORD", count=4, at=SENT)
        twin.get("FR2", "ORD", count=1, at=SENT + MINUTE)
        twin.hold("PR1", "CA.PR2", at=SENT + MINUTE)
        twin.put("PR1", "ORD", count=6, at=SENT + MINUTE)
        twin.endmqm("PR2", at=SENT + 2 * MINUTE)
        twin.release("PR1", "CA.PR2", at=SENT + 2 * MINUTE)
        twin.put("PR1", "ORD", count=2, to="PR2", at=SENT + 3 * MINUTE)
        observe_on(twin, SENT + 3 * MINUTE)
        yield scene


def observe_on(twin: Twin, at: Instant) -> None:
    """Let PR3 be seen in a dump, and its channel to FR1 and its queue be seen 4 minutes later."""
    text = """DEFINE CHANNEL('CA.PR3') CHLTYPE(CLUSRCVR) +
   CONNAME('pr3(1414)') CLUSTER(CA) +
   REPLACE
DEFINE CHANNEL('CA.FR1') CHLTYPE(CLUSSDR) +
   CONNAME('fr1(1414)') CLUSTER(CA) +
   REPLACE
DEFINE CHANNEL('CLIENTS') CHLTYPE(SVRCONN) +
   REPLACE
DEFINE QLOCAL('SEEN') MAXDEPTH(100) +
   REPLACE
"""
    twin.ingest_files([FileText(dump(text).replace("QM7", "PR3"))], at=at - 4 * MINUTE)
    seen = (
        events.QueueManagerStatusObserved(qmgr="PR3", status="RUNNING"),
        events.ChannelObserved(qmgr="PR3", channel="CA.FR1", status="RETRYING", instance=""),
        events.ChannelObserved(qmgr="PR3", channel="CLIENTS", status="RUNNING", instance=""),
        events.DepthsObserved(qmgr="PR3", depths=(events.QueueDepth(queue="SEEN", depth=7),)),
    )
    facts = [Fact(each, "observation:test") for each in seen]
    twin.record_observations(facts, at=at)
