"""The commands that take an object out of a cluster."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import HOUR
from twin.model.names import NAME_LENGTH
from twin.review.runbooks.parting import withdraw


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin of a cluster."""
    return build(make_twin(sqlite_url, lambda: START + HOUR))


@pytest.mark.parametrize(
    ("old", "others"),
    [
        ("L", ()),
        ("L", ("L.CA.CB",)),
        ("L" * (NAME_LENGTH - 2), ()),
        ("L" * NAME_LENGTH, ("L" * NAME_LENGTH + ".X",)),
    ],
)
def test_the_namelist_of_the_clusters_that_are_left_has_a_free_name(
    twin: Twin, old: str, others: tuple[str, ...]
) -> None:
    """However long the name of the old one is, and whatever namelists there are."""
    defined = [f"DEFINE NAMELIST({each[:NAME_LENGTH]}) NAMES(OTHER) REPLACE" for each in others]
    defined += [f"DEFINE NAMELIST({old}) NAMES(CA, CB, CC) REPLACE"]
    defined += [f"DEFINE QLOCAL(Q) CLUSNL({old})"]
    assert twin.runmqsc("PR1", "\n".join(defined), at=START).exit_code == 0
    rehearsal = twin.rehearse()
    qmgr = rehearsal.estate.qmgrs["PR1"]
    for command in list(withdraw(qmgr, qmgr.definitions["QUEUE", "Q"], ("CC",))):
        assert rehearsal.runmqsc(command.on, command.text).exit_code == 0
    after = rehearsal.estate.qmgrs["PR1"].definitions
    new = str(after["QUEUE", "Q"].values["CLUSNL"])
    assert new != old
    assert after["NAMELIST", new].values["NAMES"] == ("CA", "CB")
    assert after["NAMELIST", old].values["NAMES"] == ("CA", "CB", "CC")
