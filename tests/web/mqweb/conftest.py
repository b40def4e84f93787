"""A service with a few queue managers for the tests of mqweb's resources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.web.mqweb.rest import STRANGE, Rest
from tests.web.serving import copy_log, served
from twin.app.observing import FileText
from twin.app.twin import Twin

_SCRIPT: Final = """
DEFINE QLOCAL(DEV.QUEUE.1) DESCR('It''s "one"')
DEFINE QALIAS(DEV.ALIAS) TARGET(DEV.QUEUE.1)
DEFINE QREMOTE(DEV.REMOTE) RNAME(DEV.QUEUE.1) RQMNAME(QM2) XMITQ(QM2)
DEFINE QLOCAL(QM2) USAGE(XMITQ)
DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(SDR) CONNAME('qm2(1414),other') XMITQ(QM2)
DEFINE CHANNEL(DEV.APP) CHLTYPE(SVRCONN)
DEFINE SUB(DEV.SUB) TOPICSTR('a/b') DEST(DEV.QUEUE.1)
"""


@pytest.fixture(scope="session")
def shop_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a log: QM1 with objects, QM2 stopped, one with a strange name, and OBS1 observed."""
    log = tmp_path_factory.mktemp("shop") / "twin.db"
    with Twin.open(f"sqlite:///{log}", synchronous="NORMAL") as twin:
        for name in ("QM1", "QM2", STRANGE):
            twin.crtmqm(name)
            twin.strmqm(name)
        twin.endmqm("QM2")
        assert twin.runmqsc("QM1", _SCRIPT).exit_code == 0
        twin.put("QM1", "DEV.QUEUE.1", count=10)
        twin.ingest_files([FileText("DEFINE QLOCAL(Q)", "OBS1")], at=twin.now())
    return log


@pytest.fixture
def rest(tmp_path: Path, shop_log: Path, users_file: Path) -> Iterator[Rest]:
    """Serve a copy of the log."""
    with served(copy_log(shop_log, tmp_path / "served"), users_file) as service:
        yield Rest(service)


@pytest.fixture(scope="session")
def shop(shop_log: Path, users_file: Path) -> Iterator[Rest]:
    """Serve the log to tests that record nothing."""
    with served(shop_log, users_file, read_only=True) as service:
        yield Rest(service)
