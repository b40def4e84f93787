"""No request stays unanswered, whatever was collected of a cluster and whatever its names are."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.round_trip.written import dump_text
from tests.sandbox import Sandbox
from twin.app.observing import FileText
from twin.fold.estate import Estate
from twin.model.instants import DAY, HOUR
from twin.rules import membership
from twin.rules.repository.lifetimes import has_expired, has_lapsed

_QUEUES = ("HAY", "STRAW")


def built(random: Random) -> tuple[Sandbox, dict[str, list[str]], list[str]]:
    """Build a cluster with one to three full repositories; any name may come first."""
    names = random.sample(["ALDER", "BIRCH", "CEDAR", "LARCH", "MAPLE", "ROWAN", "WILLOW"], 6)
    full = names[: random.randrange(1, 4)]
    box, scripts = Sandbox(), {name: list[str]() for name in names}
    box.create(*names, level=930)
    for name in names:
        others = [each for each in full if each != name]
        if name in full:
            scripts[name].append("ALTER QMGR REPOS(WOOD)")
        else:
            others = random.sample(others, random.randrange(1, len(others) + 1))
        for to, kind in ((name, "CLUSRCVR"), *((each, "CLUSSDR") for each in others)):
            scripts[name].append(
                f"DEFINE CHANNEL(WOOD.{to}) CHLTYPE({kind}) CONNAME('{to}(1414)') CLUSTER(WOOD)"
            )
        owned = [each for each in _QUEUES if random.random() < 0.4]
        scripts[name] += [f"DEFINE QLOCAL({each}) CLUSTER(WOOD)" for each in owned]
        scripts[name] += [
            f"DEFINE QALIAS({each}.TO) TARGET({each})"
            for each in _QUEUES
            if each not in owned and random.random() < 0.7
        ]
        for command in scripts[name]:
            box.run(name, command)
    return box.pass_time(HOUR), scripts, names


def _unanswered(estate: Estate) -> Iterator[tuple[str, str, str, str]]:
    """Yield asker, name, repository and owner of each record that an asker lacks."""
    at = estate.instant
    for asker in estate.qmgrs.values():
        for name, request in asker.repository.subscriptions.items():
            if has_lapsed(request.made, at=at) or membership.is_full(asker, name[0]):
                continue
            for full in estate.qmgrs.values():
                if asker.qmid not in full.repository.subscribers.get(name, ()):
                    continue
                for owner, held in full.repository.instances(*name).items():
                    if owner not in asker.repository.instances(*name) and not has_expired(
                        held.published, at=at
                    ):
                        yield asker.name, name[2], full.name, held.owner_name


@pytest.mark.parametrize("seed", seeds(6, *range(1, 6), *range(7, 60)))
def test_every_request_is_answered(seed: int) -> None:
    """Dumps and scripts, all or some, at once or one by one: no asker lacks what it asked for."""
    random = Random(seed)
    box, scripts, names = built(random)
    files = [
        FileText("\n".join([*scripts[name], ""]), name)
        if random.random() < 0.4
        else FileText(dump_text(box.estate, box.as_of, name))
        for name in names
        if random.random() < 0.9
    ]
    with fresh(1) as (twin,):
        at = box.as_of.valid
        if random.random() < 0.5:
            twin.ingest_files(files, at=at)
        else:
            random.shuffle(files)
            for hours, file in enumerate(files):
                twin.ingest_files([file], at=at + random.choice([0, hours]) * HOUR)
        for later in (at + DAY, at + 28 * DAY):
            estate, _ = twin.view(as_of=later)
            asked = [each for each in estate.qmgrs.values() if each.repository.subscriptions]
            assert not list(_unanswered(estate))
        assert asked or not any("QALIAS" in each for each in scripts.values())
