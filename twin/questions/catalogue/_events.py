"""Questions about what happened, and what is due."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.basis import SUPPORTED
from twin.questions.catalogue._filters import ON, RESTS_ON
from twin.questions.declared import BASIS, KEY, NULL, VOLATILE, WIDE, Column, Filter, Question

UNRENEWED: Final = "not republished"
"""The condition of a warning or an expiry whose record is to be republished before."""

INGEST_KINDS: Final = (
    *("file", "unfinished", "not-understood", "passed-over", "last-seen", "not-in-twin"),
    "replaced",
    *("undefined", "contradiction"),
)
"""The kinds of rows of `ingest`."""

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "errorlog": Question(
            summary="List what queue managers wrote to their error logs, or would.",
            columns=(
                Column("on", "text", "Queue manager that wrote the entry.", KEY),
                Column("id", "text", "Message id, without the severity letter.", KEY),
                Column("at", "instant", "Time of the entry.", KEY),
                Column("inserts", "list", "Values inserted in the text.", KEY | WIDE),
                Column("text", "text", "The message; a remote host is the CONNAME at that time."),
                Column(
                    "basis",
                    "text",
                    "observed: the record was imported; derived: a simulated queue manager writes "
                    "it; assumed: by the rules, an imported one would write it.",
                    KEY | BASIS,
                    choices=SUPPORTED,
                ),
            ),
            narrowed_by=(
                ON,
                Filter("id", "AMQnnnn", "Only messages of this id."),
                Filter(
                    "severity", "I|W|E", "Only messages of at least this severity.", ("I", "W", "E")
                ),
            ),
            empty="no error log entries",
            home="twin.questions.errorlog:errorlog",
            reads_facts=True,
            reads_texts=True,
            repeats=True,
        ),
        "changes": Question(
            summary="List what changed between two instants, most important first.",
            columns=(
                Column("at", "instant", "Time of the change; null: not in the log.", NULL),
                Column("position", "integer", "Position of the event in the log.", WIDE | BASIS),
                Column("on", "text", "Queue manager of the change; empty: all.", KEY),
                Column(
                    "kind",
                    "text",
                    "qmgr, queue, channel, ...; belief:qmgr, belief:queue, belief:topic; rules.",
                    KEY,
                ),
                Column("name", "text", "Name of the object or record.", KEY),
                Column("field", "text", "Attribute that changed.", KEY),
                Column("before", "text", "Value before; null: it did not exist.", NULL),
                Column("after", "text", "Value after; null: it no longer exists.", NULL),
                RESTS_ON._replace(traits=WIDE | BASIS),
            ),
            narrowed_by=(
                ON,
                Filter("kind", "KIND", "Only this kind, such as queue, belief or belief:queue."),
                Filter("name", "NAME", "Only objects and records of this name; ORD* is generic."),
                Filter("all", "", "Also records of kind authrec and chlauth."),
            ),
            empty=(
                "no changes in definitions, queue managers or records "
                "(not compared: messages, channels, expiry)"
            ),
            limits=(
                "The command compares definitions, the status of queue managers, and the records "
                "that they hold, with their attributes. It does not compare messages, the status "
                "of channels and the expiry of records. Changes of authority records (authrec) and "
                "channel authentication records (chlauth) are counted in a note, and listed with "
                "--all, --kind or --name. If another version of the rules derived "
                "facts again within the time that is compared, a row of kind rules names both. "
                "Field ALTDATE is an ALTER of which only the instant is known."
            ),
            home="twin.questions.changes:changes",
            compares=True,
            no_reference=(
                "it lists the changes since --since T; twin branch diff compares two branches"
            ),
        ),
        "agenda": Question(
            summary="List the next timed events by kind and queue manager.",
            columns=(
                Column(
                    "kind", "text", "Kind of timed event, such as retry, resend or expiry.", KEY
                ),
                Column("on", "text", "Queue manager where it happens.", KEY),
                Column("due", "instant", "Time of the next event of this kind.", VOLATILE),
                Column(
                    "count",
                    "integer",
                    "Records, subscriptions, commands or channels due at that time.",
                    VOLATILE,
                ),
                Column(
                    "waiting",
                    "integer",
                    "Records, subscriptions, commands or channels due at that time or later.",
                    VOLATILE,
                ),
                Column(
                    "only_if",
                    "text",
                    "Condition: a warning or an expiry comes only if the owner does not republish "
                    "the record before; null: none.",
                    NULL | VOLATILE,
                    choices=(UNRENEWED,),
                ),
            ),
            narrowed_by=(ON,),
            empty="nothing is due",
            home="twin.questions.agenda:agenda",
        ),
        "ingest": Question(
            summary="List what was imported, not understood, or is missing.",
            columns=(
                Column(
                    "kind",
                    "text",
                    "file: imported; unfinished: an import that was killed; not-understood: parts "
                    "of a file; passed-over: commands of a file from which no fact is taken; "
                    "last-seen: a kind of fact about a queue manager; not-in-twin: a queue manager "
                    "that something names; replaced: one that is gone or was rebuilt; undefined: "
                    "an object that something names; contradiction: files of one instant differ, "
                    "or one has another QMID than the known one.",
                    KEY,
                    choices=INGEST_KINDS,
                ),
                Column(
                    "name",
                    "text",
                    "File, or what is missing; ? after a name guessed from that of a channel.",
                    KEY,
                ),
                Column("on", "text", "Queue manager that it is about.", KEY | NULL),
                Column(
                    "by",
                    "text",
                    "What names it there, such as a file; of a file: message id or kind of record.",
                    KEY | NULL,
                ),
                Column("why", "text", "What else is known.", KEY | NULL),
                Column(
                    "count",
                    "integer",
                    "Of a file: events recorded that no file imported before had; each has one "
                    "object or more. Else parts not understood.",
                    NULL,
                ),
                Column(
                    "at",
                    "instant",
                    "Earliest instant that the file speaks of; instant of the contradiction.",
                    KEY | NULL | WIDE,
                ),
                Column(
                    "last_seen",
                    "instant",
                    "Newest evidence of this kind, for rows of kind last-seen.",
                    VOLATILE | NULL,
                ),
                Column("format", "text", "Format of the file.", NULL | WIDE),
                Column("digest", "text", "SHA-256 of the file's content.", KEY | NULL | WIDE),
                Column("weakens", "list", "Questions whose answers it weakens.", WIDE),
            ),
            narrowed_by=(
                Filter("on", "QM", "Only what is about this queue manager."),
                Filter("kind", "KIND", "Only rows of this kind.", INGEST_KINDS),
            ),
            empty="nothing to list",
            limits=(
                "Lists the files that `twin import` recorded, whatever their dates. "
                "Missing queue managers and undefined references are those of observed queue "
                "managers at the instant of the question. If two files have the same record, it is "
                "counted for the one that was imported first."
            ),
            home="twin.questions.ingest:ingest",
            reads_facts=True,
            reads_log=True,
        ),
    }
)
