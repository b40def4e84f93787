"""The pages of an estate: all of them, or those that changed since they were written last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import picture
from tests.app.test_laws import fresh
from tests.rules.test_agenda import TIMES, run
from tests.rules.test_convergence import cluster
from tests.sandbox import Sandbox, small_cluster
from tests.truth.collected_in_part import collect, take
from tests.truth.faulty_clusters import cluster_of
from twin.events import AutomaticConfiguration, ConfigurationFile
from twin.fold.estate import Estate
from twin.fold.seen_before import SeenBefore
from twin.fold.seen_states import SeenStates
from twin.fold.store.pages import (
    ESTATE,
    all_page_names,
    estate_from,
    forget_changes,
    lasts,
    page_name,
    pages_of,
    private_copy,
)
from twin.model.instants import DAY

_STEPS = st.lists(TIMES, max_size=6)


def go_on(sandbox: Sandbox, steps: list[tuple[str, object, str]]) -> Sandbox:
    """Carry out steps in a sandbox, and return it."""
    for step in steps:
        run(sandbox, *step)
    return sandbox


@given(_STEPS, _STEPS)
def test_kept_and_changed_pages_are_all_pages(
    before: list[tuple[str, object, str]], after: list[tuple[str, object, str]]
) -> None:
    """Kept pages and changed pages together are all pages of the estate."""
    sandbox = go_on(cluster(), before)
    kept = pages_of(sandbox.estate)
    forget_changes(sandbox.estate)
    go_on(sandbox, after)
    changed = pages_of(sandbox.estate, kept)
    whole = pages_of(sandbox.estate)
    assert {name: changed.get(name, kept.get(name)) for name in whole} == whole
    assert whole.keys() == set(all_page_names(sandbox.estate))


def test_an_automatic_configuration_is_read_as_it_was_written() -> None:
    """The automatic configuration of a queue manager is the same in an estate read from pages."""
    sandbox = cluster()
    given_by_crtmqm = AutomaticConfiguration(
        ini=(ConfigurationFile(name="a.ini", text="AutoCluster:"),),
        mqsc=(ConfigurationFile(name="a.mqsc", text="PING QMGR"),),
        variables={"CONNAME": "one"},
    )
    name = next(iter(sandbox.estate.qmgrs))
    sandbox.estate.qmgrs[name].configuration = given_by_crtmqm
    pages = pages_of(sandbox.estate)
    read = estate_from(pages[ESTATE], pages.__getitem__)
    assert read.qmgrs[name].configuration == given_by_crtmqm


@given(_STEPS, _STEPS)
def test_an_estate_read_from_pages_writes_its_changes(
    before: list[tuple[str, object, str]], after: list[tuple[str, object, str]]
) -> None:
    """The pages an estate was read from, and its changed pages, are all its pages."""
    sandbox = go_on(cluster(), before)
    kept = pages_of(sandbox.estate)
    estate = estate_from(kept[ESTATE], kept.__getitem__)
    read = go_on(Sandbox(replace(sandbox.draft, estate=estate, events=[])), after)
    together = {**kept, **pages_of(read.estate, kept)}
    assert together.keys() == set(all_page_names(read.estate))
    found = picture(estate_from(together[ESTATE], together.__getitem__))
    assert found == picture(read.estate) == picture(go_on(sandbox, after).estate)


@given(_STEPS, _STEPS, st.sampled_from(("memory", "pages")))
def test_a_private_copy_goes_on_alone(
    before: list[tuple[str, object, str]], after: list[tuple[str, object, str]], place: str
) -> None:
    """A change of a private copy leaves the original unchanged, in memory and in pages."""
    sandbox = go_on(cluster(), before)
    pages = pages_of(sandbox.estate)
    alike, original = (
        estate_from(pages[ESTATE], pages.__getitem__) if place == "pages" else sandbox.estate
        for _ in range(2)
    )
    unchanged = pages_of(alike)
    draft = replace(sandbox.draft, estate=private_copy(original), events=[])
    gone_on = go_on(Sandbox(draft), after)
    assert pages_of(original) == unchanged
    assert picture(gone_on.estate) == picture(go_on(sandbox, after).estate)


@cache
def observed() -> Estate:
    """Return the estate of a cluster that was collected in part, on a branch."""
    with fresh(2) as (simulated, imported):
        take(collect(cluster_of(simulated, 7)), imported)
        return imported.rehearse().estate


def held_in(value: object) -> Iterator[int]:
    """Yield the identity of each dict, list and set in a value that is no record of its own."""
    if isinstance(value, SeenBefore | SeenStates):
        for field in fields(value):
            yield from held_in(getattr(value, field.name))
    elif isinstance(value, dict | list | set):
        yield id(value)
        for each in value.values() if isinstance(value, dict) else value:
            yield from held_in(each)


@given(_STEPS)
def test_a_private_copy_shares_nothing_that_the_fold_changes(
    steps: list[tuple[str, object, str]],
) -> None:
    """No dict or list of an estate, simulated or observed, is also one of its copy."""
    for estate in (go_on(cluster(), steps).estate, observed()):
        estate.seen_before["QM9"] = SeenBefore()
        copy = private_copy(estate)
        for field in fields(Estate):
            ours, theirs = getattr(estate, field.name), getattr(copy, field.name)
            assert not {*held_in(ours)} & {*held_in(theirs)}, field.name
        for name, qmgr in estate.qmgrs.items():
            own = vars(copy.qmgrs[name])
            for kept, value in vars(qmgr).items():
                if kept not in {"values", "contents"}:  # these are replaced as wholes
                    assert not {*held_in(value)} & {*held_in(own.get(kept))}, kept


def test_a_renewal_writes_no_page_of_contents() -> None:
    """A republication changes only the small pages with receipts and publication instants."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q1) CLUSTER(CA)\nDEFINE QLOCAL(Q2) CLUSTER(CA)")
    sandbox.open("PR2", "Q1")
    sandbox.pass_time(200 * DAY)  # by then nobody holds records that were sent one by one
    kept = pages_of(sandbox.estate)
    forget_changes(sandbox.estate)
    sandbox.pass_time(27 * DAY)
    changed = pages_of(sandbox.estate, kept)
    assert not any(map(lasts, changed))
    qmid = sandbox.estate.qmgr("PR1").qmid
    assert page_name(qmid, "published") in changed
    sandbox.run("PR1", "ALTER QLOCAL(Q1) DESCR('again')")
    assert page_name(qmid, "contents") in pages_of(sandbox.estate, kept)


def test_publications_of_the_same_records_share_them_when_read_back() -> None:
    """Records that are equal because of a republication are the same object after reading, too."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q1) CLUSTER(CA)\nALTER QLOCAL(Q1) DESCR('other')")
    sandbox.pass_time(60 * DAY)
    pages = pages_of(sandbox.estate)
    loaded = estate_from(pages[ESTATE], pages.__getitem__)
    for name, qmgr in sandbox.estate.qmgrs.items():
        stored = loaded.qmgr(name).published
        assert list(stored.items()) == list(qmgr.published.items())
        for one, records in ((each.sequence, each.records) for each in qmgr.published.values()):
            for other, each in qmgr.published.items():
                alike = stored[one].records is stored[other].records
                assert alike == (records is each.records)
