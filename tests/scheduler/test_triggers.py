"""Triggers return the due instant, and always a later one than before."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from apscheduler.schedulers.background import BackgroundScheduler

from tests.app.scenes import START
from twin.model.instants import DAY, datetime_of
from twin_scheduler.triggers import AGAIN, NEVER, Every, WhenDue, moment_of

NOW = datetime_of(START)


def test_a_trigger_wakes_at_the_due_instant() -> None:
    """The next run is the due instant, past or future, whatever the machine's clock shows."""
    for due in (START - 400 * DAY, START, START + 7):
        trigger = WhenDue(partial(int, due))
        assert trigger.get_next_fire_time(None, NOW) == datetime_of(due)


def test_a_job_without_anything_due_never_runs() -> None:
    """The next run of a job without a due instant in the calendar is the calendar's end."""
    trigger = WhenDue(lambda: None)
    assert trigger.get_next_fire_time(None, NOW) == NEVER
    assert trigger.get_next_fire_time(NOW, NOW) == NEVER
    assert moment_of(2**62) == NEVER


def test_a_next_run_is_always_later_than_the_last() -> None:
    """A job whose instant is still due after its run is run again some seconds later."""
    trigger = WhenDue(lambda: START)
    later = NOW + timedelta(days=40)
    assert trigger.get_next_fire_time(NOW, NOW) == NOW + AGAIN
    assert trigger.get_next_fire_time(NOW, later) == later + AGAIN
    assert WhenDue(lambda: START + 1).get_next_fire_time(NOW, later) == datetime_of(START + 1)


def test_a_job_long_overdue_is_run_once() -> None:
    """A job that is long overdue is run once."""
    long_after = NOW + timedelta(days=400)
    for trigger in (WhenDue(lambda: START), Every(timedelta(seconds=1))):
        job = BackgroundScheduler().add_job(print, trigger, next_run_time=NOW)
        assert job._get_run_times(long_after) == [NOW]


def test_missed_periodic_runs_are_not_made_up() -> None:
    """A periodic job runs at once, then one period after now, without missed runs."""
    every, later = Every(timedelta(seconds=1)), NOW + timedelta(days=40)
    assert every.get_next_fire_time(None, NOW) == NOW
    assert every.get_next_fire_time(NOW, NOW) == NOW + timedelta(seconds=1)
    assert every.get_next_fire_time(NOW, later) == later + timedelta(seconds=1)
