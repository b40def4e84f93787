"""What is written of an estate: all of it, or what changed since it was written last."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import picture
from tests.rules.test_agenda import TIMES, run
from tests.rules.test_convergence import cluster
from tests.sandbox import Sandbox, small_cluster
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
    """Let steps happen in a sandbox."""
    for step in steps:
        run(sandbox, *step)
    return sandbox


@given(_STEPS, _STEPS)
def test_changes_beside_what_was_kept_are_the_whole(
    before: list[tuple[str, object, str]], behind: list[tuple[str, object, str]]
) -> None:
    """Pages kept from earlier, and those that changed since, are those that all of it gives."""
    sandbox = go_on(cluster(), before)
    kept = pages_of(sandbox.estate)
    forget_changes(sandbox.estate)
    go_on(sandbox, behind)
    changed = pages_of(sandbox.estate, kept)
    whole = pages_of(sandbox.estate)
    assert {name: changed.get(name, kept.get(name)) for name in whole} == whole
    assert whole.keys() == set(all_page_names(sandbox.estate))


@given(_STEPS, _STEPS)
def test_so_they_are_of_an_estate_that_was_read_back(
    before: list[tuple[str, object, str]], behind: list[tuple[str, object, str]]
) -> None:
    """An estate read from pages, that has gone on, is written beside them as it is."""
    sandbox = go_on(cluster(), before)
    kept = pages_of(sandbox.estate)
    estate = estate_from(kept[ESTATE], kept.__getitem__)
    read = go_on(Sandbox(replace(sandbox.draft, estate=estate, events=[])), behind)
    together = {**kept, **pages_of(read.estate, kept)}
    assert together.keys() == set(all_page_names(read.estate))
    found = picture(estate_from(together[ESTATE], together.__getitem__))
    assert found == picture(read.estate) == picture(go_on(sandbox, behind).estate)


@given(_STEPS, _STEPS, st.sampled_from(("memory", "pages")))
def test_a_private_copy_goes_on_alone(
    before: list[tuple[str, object, str]], after: list[tuple[str, object, str]], place: str
) -> None:
    """A copy becomes what its original would, which stays as it was, in memory and in pages."""
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


def test_what_is_only_sent_again_is_not_written_again() -> None:
    """A resend changes when records came, which is small, and no page of what they say."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q1) CLUSTER(CA)\nDEFINE QLOCAL(Q2) CLUSTER(CA)")
    sandbox.open("PR2", "Q1")
    sandbox.pass_time(200 * DAY)  # by then nobody can hold what was told one by one
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
    """Sent again as they were, records are one and the same object, whoever looks at both."""
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
