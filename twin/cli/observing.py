"""`twin observe`: polls real queue managers through mqweb, until it is stopped."""

from __future__ import annotations

import getpass
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from typer import Context, Option

from twin.cli.errors import BadUsage
from twin.cli.files import secret_in, warn_if_open
from twin.cli.import_run import said_of_zones
from twin.cli.output import BAD_INPUT, DONE, FAILED, complain, emit
from twin.cli.signals import Stop, stoppable
from twin.cli.target import length, target_of, zone_named
from twin.model.amounts import counted
from twin.model.instants import format_instant

if TYPE_CHECKING:
    from datetime import tzinfo

    from twin.app.twin import Twin
    from twin.polling.connection import CallFailed, MqwebConnection, ReadingCall
    from twin.polling.polls import MissedPolls, Poll

PASSWORD: Final = "TWIN_MQWEB_PASSWORD"  # noqa: S105 - the name of a variable
"""The environment variable with the password."""

KEY_PASSWORD: Final = "TWIN_MQWEB_KEY_PASSWORD"  # noqa: S105 - the name of a variable
"""The environment variable with the password of the key of the client certificate."""

_SHORTEST: Final = "of at least 1s, such as 60s or 5m"

_STOPPED: Final = "was not asked, because polling was stopped"


def observe(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    *,
    url: Annotated[
        str,
        Option("--url", metavar="URL", help="REST API of mqweb: https://HOST:9443/ibmmq/rest/v3"),
    ],
    qmgrs: Annotated[
        list[str], Option("--qmgr", metavar="QM", help="Queue manager to poll; may be repeated")
    ],
    every: Annotated[
        str, Option("--every", metavar="TIME", help="Time between polls, such as 60s or 5m")
    ] = "60s",
    once: Annotated[bool, Option("--once", help="Poll once and end")] = False,
    user: Annotated[
        str | None, Option("--user", metavar="USER", help="User of mqweb; MQWebAdminRO is enough")
    ] = None,
    password_file: Annotated[
        str | None,
        Option(metavar="FILE", help="File with the password in its first line"),
    ] = None,
    cacert: Annotated[
        str | None,
        Option(metavar="FILE", help="Certificates to trust (PEM) [those that the machine trusts]"),
    ] = None,
    cert: Annotated[
        str | None,
        Option(metavar="FILE", help="Client certificate to show, with those that sign it (PEM)"),
    ] = None,
    key: Annotated[
        str | None, Option(metavar="FILE", help="Key of the client certificate (PEM) [in --cert]")
    ] = None,
    timeout: Annotated[str, Option(metavar="TIME", help="Longest time of one call")] = "30s",
    tz: Annotated[
        str | None,
        Option(metavar="ZONE", help="Zone of the queue managers, such as Europe/Berlin [UTC]"),
    ] = None,
) -> int:
    """Poll real queue managers and record what they show.

    Uses the REST API of mqweb. Sends only GET and DISPLAY: QMGR, CLUSQMGR, QCLUSTER, TCLUSTER,
    CHSTATUS and QSTATUS. Records the answers as twin import records saved answers, at the instant
    at which the poll ended.

    The password comes from --password-file, or from the variable TWIN_MQWEB_PASSWORD; without both,
    twin asks for it. twin always checks the certificate of the server, and follows no redirect.
    With --cert, mqweb may take the user from the certificate; TWIN_MQWEB_KEY_PASSWORD is the
    password of its key.

    If the server or a queue manager does not answer, polling continues, and the output says which
    polls were missed. If the server refuses the user, polling ends, so that the account is not
    locked.

    Prints one line for each poll.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM, or --once and all was answered; 10 --once and parts
    were not answered; 20 bad input, or the server refuses the calls.
    """
    from twin.polling.certificates import present, trusted
    from twin.polling.connection import MqwebConnection, mqweb_server

    server = mqweb_server(url)
    interval, limit = (
        length(option, text, _SHORTEST, command="observe", least=1_000_000) / 1e6
        for option, text in (("--every", every), ("--timeout", timeout))
    )
    if tz is not None:
        zone_named(tz, command="observe")
    tls = trusted(cacert)
    if cert is not None:
        present(tls, cert, key, os.environ.get(KEY_PASSWORD))
        warn_if_open(Path(key or cert))
    elif key is not None:
        raise BadUsage(command="observe", problem="--key is the key of a certificate; add --cert")
    password = _password(user, password_file, server.shown)
    connection = MqwebConnection(server, tls, user=user, password=password, limit=limit)
    with (
        stoppable(signal.SIGINT, signal.SIGTERM) as stop,
        target_of(context).writer(create=True) as twin,
    ):
        twin.demand_clock()
        names = tuple(dict.fromkeys(qmgrs))
        if tz is not None:
            changes = [twin.state_zone(name, tz) for name in names]
            emit(said_of_zones(filter(None, changes)))
        zones = {name: zone_named(zone, command="observe") for name, zone in twin.zones().items()}
        poller = Poller(twin, stop, connection, names, zones=zones)
        return poller.once() if once else poller.run(interval)


def _password(user: str | None, file: str | None, server: str) -> str:
    """Return the password of a user, from a file, the environment or the keyboard."""
    if user is None:
        return ""
    if file is not None:
        return secret_in(file)
    if PASSWORD in os.environ:
        return os.environ[PASSWORD]
    if sys.stdin is None or not sys.stdin.isatty():
        problem = f"there is no terminal to ask for the password; use --password-file or {PASSWORD}"
        raise BadUsage(command="observe", problem=problem)
    return getpass.getpass(f"Password of {user} at {server}: ")


class _Asked(NamedTuple):
    """What became of one poll of one queue manager."""

    failure: CallFailed | None
    is_whole: bool


class Poller:
    """Polls queue managers, records what they show, and says what was missed."""

    def __init__(
        self,
        twin: Twin,
        stop: Stop,
        connection: MqwebConnection,
        qmgrs: tuple[str, ...],
        *,
        zones: Mapping[str, tzinfo],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Poll for a twin until `stop` is set; `zones` are those of queue managers by name."""
        self._twin = twin
        self._stop = stop
        self._connection = connection
        self._qmgrs = qmgrs
        self._zones = zones
        self._monotonic = monotonic
        self._missed: dict[str, MissedPolls] = {}
        self._answered: set[str] = set()
        self._said: set[str] = set()

    def once(self) -> int:
        """Poll each queue manager once; return the exit code."""
        asked = [self._poll(qmgr) for qmgr in self._qmgrs]
        for each in asked:
            if each.failure is not None:
                complain(str(each.failure))
        if all(each.failure is not None for each in asked):
            return BAD_INPUT
        return DONE if all(each.is_whole for each in asked) else FAILED

    def run(self, every: float) -> int:
        """Poll until `stop` is set, at equal intervals; return the exit code."""
        from twin.polling.polls import DuePolls

        server, names = self._connection.server.shown, ", ".join(self._qmgrs)
        emit([f"observing {names} through {server} every {every:g}s"])
        due = DuePolls(every, self._monotonic())
        while not self._stop.is_set():
            for qmgr in self._qmgrs:
                asked = self._poll(qmgr)
                if asked.failure is not None and self._is_final(qmgr, asked.failure):
                    complain(f"{asked.failure}; no longer observing")
                    return BAD_INPUT
                self._note(qmgr, asked.failure)
            if left_out := due.done(self._monotonic()):
                complain(f"polling took longer than {every:g}s, so {left_out} polls were left out")
            self._stop.wait(due.wait(self._monotonic()))
        for qmgr, missed in self._missed.items():
            emit([f"{qmgr}: {missed.shown}"])
        emit([f"no longer observing {names}"])
        return DONE

    def _poll(self, qmgr: str) -> _Asked:
        """Poll a queue manager and record what it shows."""
        from twin.polling.connection import CallFailed
        from twin.polling.polls import poll

        url = self._connection.server.url
        try:
            answers = poll(self._ask, url, qmgr, clock=self._twin.clock)
        except CallFailed as failure:
            return _Asked(failure, is_whole=False)
        for each in answers.unanswered:
            self._say_once(f"{qmgr}: {each}")
        return _Asked(None, is_whole=self._record(qmgr, answers) and not answers.unanswered)

    def _ask(self, call: ReadingCall, qmgr: str) -> dict[str, Any]:
        """Ask one call, unless polling was stopped."""
        from twin.polling.connection import CallFailed

        if self._stop.is_set():
            raise CallFailed(self._connection.server.shown, _STOPPED)
        return self._connection.ask(call, qmgr)

    def _record(self, qmgr: str, answers: Poll) -> bool:
        """Record the answers of a poll; return whether all was understood."""
        from twin.app.clocks import ClockInDoubt
        from twin.app.observing import FileText
        from twin.log import ConcurrentAppend, LogBusy, LogUnreachable

        url, zone = self._connection.server.url, self._zones.get(qmgr)
        file = FileText(answers.text, qmgr, file=url, zone=zone)
        at = format_instant(answers.at)
        try:
            (observed,) = self._twin.ingest_files([file], at=answers.at)
        except (ClockInDoubt, LogBusy, LogUnreachable, ConcurrentAppend) as error:
            complain(f"{qmgr}: the poll at {at} is lost: {error}")
            return False
        facts = counted(observed.counts["recorded"], "fact")
        emit([f"{at} {qmgr}: {counted(answers.answered, 'answer')}, {facts} recorded"])
        for each in observed.not_understood:
            self._say_once(f"{qmgr}: {each.why}{f': {each.text}' if each.text else ''}")
        return not observed.not_understood

    def _is_final(self, qmgr: str, failure: CallFailed) -> bool:
        """Return whether polling a queue manager makes no sense any more."""
        from twin.polling.connection import CallDenied, CallMistaken

        if isinstance(failure, CallMistaken):
            return qmgr not in self._answered
        return isinstance(failure, CallDenied)

    def _note(self, qmgr: str, failure: CallFailed | None) -> None:
        """Say once for each reason that a queue manager does not answer, and when it does again."""
        from twin.polling.polls import MissedPolls

        missed = self._missed.pop(qmgr, None)
        if failure is None:
            self._answered.add(qmgr)
            if missed is not None:
                emit([f"{qmgr} answers again; {missed.shown}"])
            return
        at, why = self._twin.clock(), str(failure)
        if missed is None or missed.why != why:
            complain(f"{qmgr}: {why}; trying again")
        self._missed[qmgr] = (
            MissedPolls(at, at, 1, why) if missed is None else missed.goes_on(at, why)
        )

    def _say_once(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            complain(message)
