"""Stories that are played on their own log."""

from __future__ import annotations

import textwrap

import pytest

from tests.app.scenes import START
from twin.model.instants import DAY
from twin.stories.errors import MalformedStory, StoryError
from twin.stories.play import Played, play
from twin.stories.read import read
from twin.stories.stage import own_stage

CLUSTER = """
story: a cluster of two
queue managers:
  FR1: |
    ALTER QMGR REPOS(CA)
    DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
  QM1: |
    DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA)
    DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
    DEFINE QLOCAL(ORD) CLUSTER(CA)
"""


def steps(text: str, *, head: str = CLUSTER) -> list[Played]:
    """Play a story with these steps on its own log."""
    (story,) = read(f"{head}steps:\n{textwrap.dedent(text)}", file="s.yaml")
    return list(play(story))


def held(text: str, *, head: str = CLUSTER) -> list[bool]:
    """Play a story with these steps and return which of them held."""
    return [played.held for played in steps(text, head=head)]


def failed(text: str, *, head: str = CLUSTER) -> StoryError:
    """Play a story that cannot be played, and return the error message."""
    with pytest.raises(StoryError) as error:
        steps(text, head=head)
    return error.value


def test_a_story_sets_its_cluster_up_at_its_start() -> None:
    """Queue managers are created and started, and their MQSC is run, at the start."""
    (played,) = steps(
        """
        - ask: members
          expect:
            rows:
              - {qmgr: FR1, qmid: FR1_2026-01-01_00.00.00, qmtype: REPOS, known_by: [FR1, QM1]}
              - {qmgr: QM1, qmtype: NORMAL}
            exact: true
        """
    )
    assert played.held
    assert played.at == played.start == START


def test_time_passes_before_a_step_that_only_reads() -> None:
    """All events due up to the instant of a question have happened when it is asked."""
    assert (
        held(
            """
        - endmqm: QM1
        - {at: +89d23h59m59s, ask: beliefs, with: {on: FR1, name: ORD}, expect: {count: 1}}
        - {at: +90d, ask: beliefs, with: {on: FR1, name: ORD}, expect: {count: 0}}
        """
        )
        == [True] * 3
    )


def test_an_instant_may_be_asked_about_later() -> None:
    """A step can ask about an earlier as_of (time of the cluster) or known_at (time of the log)."""
    assert (
        held(
            """
        - endmqm: QM1
        - at: +100d
        - {ask: beliefs, with: {on: FR1, name: ORD}, expect: {count: 0}}
        - {ask: beliefs, with: {on: FR1, name: ORD}, as_of: +89d, expect: {count: 1}}
        - {ask: beliefs, with: {on: FR1, name: ORD}, known_at: +89d, as_of: +89d,
           expect: {count: 1}}
        """
        )
        == [True] * 5
    )


def test_what_is_still_to_come_is_pending() -> None:
    """A row as of a later instant is `pending` if it rests on events that are due, not recorded."""
    assert (
        held(
            """
        - {ask: lifetimes, with: {on: FR1, name: ORD}, as_of: +26d,
           expect: {rows: [{published: +0s}], absent: [{pending: true}]}}
        - {ask: lifetimes, with: {on: FR1, name: ORD}, as_of: +27d,
           expect: {rows: [{published: +27d, pending: true}]}}
        - {at: +27d, ask: lifetimes, with: {on: FR1, name: ORD},
           expect: {rows: [{published: +27d}], absent: [{pending: true}]}}
        """
        )
        == [True] * 3
    )


def test_what_falls_due_is_recorded_when_it_is_due() -> None:
    """An event on a story's own log is recorded at its due instant."""
    (story,) = read(f"{CLUSTER}steps: [at: +91d]\n", file="s.yaml")
    with own_stage(story) as stage:
        stage.advance(START + 91 * DAY)
        stored = list(stage.twin.log.events(branch="main"))
        assert {each.recorded_at - each.occurred_at for each in stored} == {0}
        assert {(each.occurred_at - START) / DAY for each in stored} >= {0, 27, 54, 81}
        assert stage.twin.clock() == START + 91 * DAY


def test_a_failed_step_does_not_end_a_story() -> None:
    """The steps after a failed step are played."""
    assert held("- {ask: members, expect: {count: 3}}\n- {ask: members, expect: {count: 2}}\n") == [
        False,
        True,
    ]


def test_mqsc_is_answered_with_messages_rows_and_text() -> None:
    """Message ids, displayed records and words of the text can be expected of MQSC."""
    assert (
        held(
            """
        - on: QM1
          runmqsc: |
            ALTER QLOCAL(ORD) DESCR('orders') MAXDEPTH(7)
            DISPLAY QLOCAL(ORD) DESCR MAXDEPTH
          expect:
            messages: [AMQ8008I, AMQ8409]
            rows: [{queue: ORD, descr: orders, maxdepth: 7}]
            exact: true
            says: [DESCR(orders), All valid MQSC commands were processed.]
            absent: [{queue: OTHER}]
        - on: QM1
          runmqsc: DISPLAY QLOCAL(NOPE)
          expect: {messages: [AMQ8147], count: 0}
        - {on: QM1, runmqsc: NONSENSE}
        - {on: QM1, runmqsc: DISPLAY QLOCAL(ORD) MAXDEPTH, as_of: +0s,
           expect: {rows: [{maxdepth: 7}]}}
        """
        )
        == [True] * 4
    )


def test_an_open_must_succeed_unless_its_reason_is_expected() -> None:
    """An open that ends in a reason code fails its step, unless the code is expected."""
    assert held(
        """
        - {on: FR1, open: ORD}
        - {on: FR1, open: {queue: ORD, bind: open}, expect: {bound_to: QM1}}
        - {on: FR1, open: {queue: ORD, bind: notfixed}, expect: {bound_to: QM1}}
        - {on: FR1, open: NOPE}
        - {on: FR1, open: NOPE, expect: {reason: [2085, 2189]}}
        - {on: FR1, open: NOPE, expect: {reason: 2189}}
        """
    ) == [True, True, False, False, True, False]


def test_an_open_waits_for_full_repositories_that_do_not_answer() -> None:
    """An open waits ten seconds without an answer of the full repositories, and 0 with one."""
    assert (
        held(
            """
        - {on: QM1, open: NOPE, expect: {reason: 2085, waited: 0}}
        - {endmqm: FR1}
        - {on: QM1, open: NONE, expect: {reason: 2189, waited: 10}}
        """
        )
        == [True] * 3
    )


def test_control_commands_must_be_done_unless_their_message_is_expected() -> None:
    """A control command that MQ refuses fails its step, unless the message is expected."""
    assert held(
        """
        - {strmqm: QM1}
        - {strmqm: QM1, expect: {messages: [AMQ5019E], says: already running}}
        - {endmqm: [QM1, FR1]}
        - {dltmqm: QM1}
        - {dltmqm: QM1}
        - {on: QM1, runmqsc: DISPLAY QMGR, expect: {messages: [AMQ8118]}}
        - {on: FR1, runmqsc: DISPLAY QMGR, expect: {messages: [AMQ8146]}}
        """
    ) == [False, True, True, True, False, True, True]


def test_a_queue_manager_that_is_made_again_is_another() -> None:
    """A queue manager that a step creates again has the QMID of that instant."""
    assert held(
        """
        - endmqm: QM1
        - dltmqm: QM1
        - at: +1d
          crtmqm:
            QM1: |
              DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA)
              DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
        - ask: members
          expect:
            rows:
              - {qmid: QM1_2026-01-01_00.00.00}
              - {qmid: QM1_2026-01-02_00.00.00}
        - {crtmqm: {QM2: DEFINE NOTHING}}
        - {crtmqm: {QM3: DEFINE NOTHING}, expect: {messages: [AMQ8405]}}
        - {crtmqm: QM3}
        """
    ) == [True, True, True, True, False, True, False]


def test_news_takes_the_latency_of_its_link() -> None:
    """A record arrives after the latency that the story or a step sets."""
    story = CLUSTER + "latency: 5s\n"
    displays = "runmqsc: DISPLAY QCLUSTER(ORD) PUT, expect: {rows: [{put: %s}]}}"
    alter = "runmqsc: ALTER QLOCAL(ORD) PUT(%s)}\n"
    text = "- {at: +1h, on: QM1, " + alter % "DISABLED"
    text += "- {at: +1h4s, on: FR1, " + displays % "ENABLED" + "\n"
    text += "- {at: +1h5s, on: FR1, " + displays % "DISABLED" + "\n"
    text += "- delay: {between: [QM1, FR1], latency: 1m}\n"
    text += "- {at: +2h, on: QM1, " + alter % "ENABLED"
    text += "- {at: +2h59s, on: FR1, " + displays % "DISABLED" + "\n"
    text += "- {at: +2h1m, on: FR1, " + displays % "ENABLED" + "\n"
    assert held(text, head=story) == [True] * 7
    links = CLUSTER + "links: {QM1 - FR1: 5s}\n"
    assert held(text, head=links) == [True] * 7


def test_a_cut_link_tells_nothing() -> None:
    """A record does not arrive while the link between two queue managers is cut."""
    assert (
        held(
            """
        - cut: [QM1, FR1]
        - {at: +1h, on: QM1, runmqsc: ALTER QLOCAL(ORD) PUT(DISABLED)}
        - {on: FR1, runmqsc: DISPLAY QCLUSTER(ORD) PUT, expect: {rows: [{put: ENABLED}]}}
        - {heal: [FR1, QM1]}
        - {at: +3h, on: FR1, runmqsc: DISPLAY QCLUSTER(ORD) PUT, expect: {rows: [{put: DISABLED}]}}
        """
        )
        == [True] * 5
    )


def test_a_queue_manager_is_restored() -> None:
    """A restored queue manager is as it was at an earlier instant."""
    assert (
        held(
            """
        - {at: +1d, on: QM1, runmqsc: ALTER QLOCAL(ORD) MAXDEPTH(7)}
        - {at: +2d, restore: {QM1: +12h}}
        - {on: QM1, runmqsc: DISPLAY QLOCAL(ORD) MAXDEPTH, expect: {rows: [{maxdepth: 5000}]}}
        """
        )
        == [True] * 3
    )


def test_errors_of_a_step_are_those_since_the_previous_step() -> None:
    """The `errors` of a step are those written since the previous step, at any queue manager."""
    assert held(
        """
        - {endmqm: QM1, expect: {errors: [{on: QM1, id: AMQ9411}]}}
        - {at: +1d, expect: {errors: [], exact: true}}
        - {strmqm: QM1, expect: {errors: [{on: QM1, id: AMQ9411}]}}
        - {at: +2d, expect: {errors: [{on: QM1, id: AMQ9410}]}}
        """
    ) == [True, True, False, False]


def test_that_a_channel_ended_is_an_error_where_it_is_expected() -> None:
    """An error that a channel ended counts only if a step expects one."""
    head = """story: a
queue managers:
  FR1: |
    ALTER QMGR REPOS(CA)
    DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
  QM1: |
    DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA)
    DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
"""
    assert held(
        """
        - {endmqm: QM1, expect: {errors: [{id: AMQ9411}], exact: true}}
        - {strmqm: QM1}
        - {at: +10m, endmqm: QM1, expect: {errors: [{id: AMQ9411}, {on: FR1, id: AMQ9202E}]}}
        - {strmqm: QM1}
        - {at: +20m, endmqm: QM1, expect: {errors: [{id: AMQ9202}], exact: true}}
        """,
        head=head,
    ) == [True, True, True, True, False]


def test_mqsc_of_a_queue_manager_that_is_refused_stops_its_story() -> None:
    """A story whose MQSC is refused at its start is not played."""
    story = "story: a\nqueue managers:\n  QM1: |\n    DEFINE QLOCAL(A)\n    DEFIN QLOCAL(B)\n"
    said = str(failed("- ask: members\n", head=story))
    assert said.startswith("s.yaml:3: QM1: AMQ8405I: Syntax error")
    assert said.endswith(" DEFIN")


def test_a_story_without_queue_managers_needs_a_branch() -> None:
    """A story without queue managers cannot be played without a branch."""
    assert isinstance(failed("- ask: members\n", head="story: a\n"), MalformedStory)
