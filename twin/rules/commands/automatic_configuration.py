"""Automatic configuration: what strmqm does with the files of crtmqm -ii and -ic, at every start.

The queue manager that the stanza AutoCluster names as a repository becomes a full repository. Then
the MQSC scripts are run. A command that fails is logged; the start continues. A DEFINE of the
CLUSRCVR for the uniform cluster also defines the CLUSSDRs to the full repositories, unless they
exist. Their names are those of the CLUSRCVR, with the repository's name for +QMNAME+ [inferred].

Inserts are replaced where MQ allows them: +QMNAME+, +AUTOCL+ and variables in the name and the
CONNAME of a CLUSRCVR, +AUTOCL+ in CLUSTER. Everywhere else, as in a SERVICE, they stay text.

Source: IBM MQ 9.4, "Automatic configuration of a queue manager from an MQSC script at startup",
"AutoCluster stanza of the qm.ini file", "Variables stanza of the qm.ini file".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.commands import Command
from twin.model.ini import AutoCluster, Settings, read_settings
from twin.model.messages import SYNTAX_ERROR
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Malformed, Parameter, Statement, Token, parse, statement_of
from twin.rules.commands import mqsc_commands, read_command
from twin.rules.draft import Draft, refused

FAILED: Final = "TWN0003"
"""The message in the error log about a command of the automatic configuration that failed."""

INSERT: Final = re.compile(r"\+([A-Za-z0-9_.]+)\+")
"""An insert, such as +QMNAME+; its name is the first group."""


def settings_of(configuration: events.AutomaticConfiguration) -> Settings:
    """Read the stanzas of a stored configuration; variables of crtmqm -iv override the files.

    Raises:
        BadConfiguration: if an ini file is malformed or its stanza AutoCluster is incomplete.
    """
    settings = read_settings((file.name, file.text) for file in configuration.ini)
    given = {name.upper(): value for name, value in configuration.variables.items()}
    return settings._replace(variables={**settings.variables, **given})


def apply(draft: Draft, qmgr: QueueManager) -> None:
    """Apply the automatic configuration of a queue manager that has just started, if it has one."""
    configuration = qmgr.configuration
    if configuration is None:
        return
    settings = settings_of(configuration)
    auto_cluster, inserts = settings.auto_cluster, _inserts(qmgr, settings)
    if auto_cluster is not None and qmgr.name in auto_cluster.repositories:
        _make_full_repository(draft, qmgr, auto_cluster.cluster)
    for file in configuration.mqsc:
        for item in read(file.text):
            if isinstance(item, CommandRead):
                place = f"{file.name}:{item.line}"
                _run_line(draft, qmgr, item, auto_cluster, inserts=inserts, place=place)


def commands_at_start(qmgr: QueueManager) -> Iterator[tuple[str, Statement]]:
    """Yield the commands that every start of a queue manager runs, with their files and lines.

    Inserts are replaced. Malformed commands, and what the stanza AutoCluster does, are left out.
    """
    configuration = qmgr.configuration
    if configuration is None:
        return
    inserts = _inserts(qmgr, settings_of(configuration))
    for file in configuration.mqsc:
        for item in read(file.text):
            if isinstance(item, CommandRead) and not item.too_long:
                written = parse(item.text)
                if not isinstance(written, Malformed):
                    yield f"{file.name}:{item.line}", _expanded(written, inserts)


def _inserts(qmgr: QueueManager, settings: Settings) -> dict[str, str]:
    """Return the values of the inserts of a queue manager, by name in upper case."""
    cluster = settings.auto_cluster
    own = {"QMNAME": qmgr.name} | ({} if cluster is None else {"AUTOCL": cluster.cluster})
    return {**settings.variables, **own}


def _make_full_repository(draft: Draft, qmgr: QueueManager, cluster: str) -> None:
    if qmgr.values.get("REPOS") != cluster:
        role = Command.of(qmgr.name, "ALTER", "QMGR", REPOS=cluster)
        _run(draft, qmgr, statement_of(role), place="AutoCluster")


def _run_line(
    draft: Draft,
    qmgr: QueueManager,
    item: CommandRead,
    auto_cluster: AutoCluster | None,
    *,
    inserts: Mapping[str, str],
    place: str,
) -> None:
    """Run one command of a script, and define the CLUSSDRs if it defined the CLUSRCVR."""
    written = Malformed(item.text, item.text) if item.too_long else parse(item.text)
    if isinstance(written, Malformed):
        _run(draft, qmgr, written, place=place)
        return
    if written.verb == "DISPLAY":
        return
    statement = _expanded(written, inserts)
    carried_out = _run(draft, qmgr, statement, place=place)
    is_receiver = statement.verb == "DEFINE" and _is_receiver(statement)
    if not (carried_out and auto_cluster and written.name and is_receiver):
        return
    if _cluster(statement) != auto_cluster.cluster:
        return
    for name, conname in auto_cluster.repositories.items():
        channel = _replaced(written.name.text, {**inserts, "QMNAME": name})
        existing = qmgr.definitions.get(("CHANNEL", channel))
        if name != qmgr.name and (existing is None or existing.type != "CLUSSDR"):
            given = {"CONNAME": conname, "CLUSTER": auto_cluster.cluster}
            new = "DEFINE", "CHANNEL", channel
            sender = Command.of(qmgr.name, *new, CHLTYPE="CLUSSDR", **given)
            _run(draft, qmgr, statement_of(sender), place=place)


def _run(draft: Draft, qmgr: QueueManager, statement: Statement | Malformed, *, place: str) -> bool:
    """Carry out one command, and log it if it failed; return whether it was carried out."""
    if isinstance(statement, Malformed):
        reply = refused(SYNTAX_ERROR, statement.segment)
    else:
        entered = events.CommandEntered(qmgr=qmgr.name, text=statement.text)
        command = mqsc_commands.read_known(statement, level=qmgr.cmdlevel, platform=qmgr.platform)
        reply = mqsc_commands.carry_out(draft, entered, command)
    if reply.failed:
        said = " ".join(message.render(qmgr.cmdlevel) for message in reply.messages)
        draft.emit(events.ErrorLogged(qmgr=qmgr.name, id=FAILED, inserts=(place, said)))
    return not reply.failed


def _is_receiver(statement: Statement) -> bool:
    return statement.object == "CHANNEL" and read_command.type_of(statement) == "CLUSRCVR"


def _cluster(statement: Statement) -> str:
    values = (each.values for each in statement.parameters if each.keyword == "CLUSTER")
    return next((value[0].text for value in values if value), "")


def _expanded(statement: Statement, inserts: Mapping[str, str]) -> Statement:
    """Return a DEFINE or ALTER with its inserts replaced where MQ allows them."""
    if statement.verb not in ("DEFINE", "ALTER") or statement.object == "SERVICE":
        return statement
    cluster = {name: value for name, value in inserts.items() if name == "AUTOCL"}
    allowed = {"CLUSTER": cluster}
    name = statement.name
    if _is_receiver(statement):
        allowed["CONNAME"] = dict(inserts)
        name = name and _token(name, inserts)
    parameters = tuple(_parameter(each, allowed) for each in statement.parameters)
    return replace(statement, name=name, parameters=parameters)


def _parameter(parameter: Parameter, allowed: Mapping[str, Mapping[str, str]]) -> Parameter:
    if parameter.keyword not in allowed or not parameter.values:
        return parameter
    inserts = allowed[parameter.keyword]
    return replace(parameter, values=tuple(_token(each, inserts) for each in parameter.values))


def _token(token: Token, inserts: Mapping[str, str]) -> Token:
    text = _replaced(token.text, inserts)
    return token if text == token.text else Token(text, quoted=True)


def _replaced(text: str, inserts: Mapping[str, str]) -> str:
    """Return a text with its inserts replaced; an unknown insert stays text."""
    return INSERT.sub(lambda found: inserts.get(found[1].upper(), found[0]), text)
