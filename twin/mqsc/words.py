"""The verbs and object words of MQSC, their synonyms, and their combinations.

A synonym is a fixed word, not a prefix: DEF means DEFINE, but DEFI means nothing. DELETE has no
synonym, because it could be confused with DEF (IBM MQ, Rules for using MQSC commands). Harmless
short forms without a source are accepted too: DISP, CLE, STO, SUS, LS, TC, TOP. RES means RESOLVE
(IBM MQ, RESOLVE CHANNEL); RESET and RESUME have no short form.
"""

from collections.abc import Container
from enum import Enum
from typing import Final


class Naming(Enum):
    """Whether a command names its object in parentheses after the object word."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


VERBS: Final = {
    "ALTER": ("ALT",),
    "ARCHIVE": ("ARC",),
    "BACKUP": (),
    "CLEAR": ("CLE",),
    "DEFINE": ("DEF",),
    "DELETE": (),
    "DISPLAY": ("DIS", "DISP"),
    "MOVE": (),
    "PING": (),
    "PURGE": (),
    "RECOVER": ("REC",),
    "REFRESH": ("REF",),
    "RESET": (),
    "RESOLVE": ("RES",),
    "RESUME": (),
    "RVERIFY": ("REV",),
    "SET": (),
    "START": ("STA",),
    "STOP": ("STO",),
    "SUSPEND": ("SUS",),
}
"""Canonical verb -> its synonyms."""

READING_VERBS: Final = frozenset({"DISPLAY", "PING"})
"""The verbs of commands that change nothing."""

ZOS_OBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "ARCHIVE": ("ARC",),
    "BUFFPOOL": ("BP",),
    "CFSTATUS": (),
    "CFSTRUCT": (),
    "CMDSERV": ("CS",),
    "GROUP": (),
    "INDOUBT": ("IND",),
    "MAXSMSGS": ("MAXSM",),
    "PSID": (),
    "SMDS": (),
    "SMDSCONN": (),
    "STGCLASS": ("STC",),
    "SYSTEM": (),
    "THREAD": ("THD",),
    "TPIPE": (),
    "TRACE": (),
    "USAGE": (),
}
"""The object words of commands for z/OS only -> their synonyms [memory, unverified]."""

OBJECTS: Final = {
    "APSTATUS": (),
    "AUTHINFO": (),
    "AUTHREC": (),
    "AUTHSERV": (),
    "BSDS": (),
    "CHANNEL": ("CHL",),
    "CHINIT": ("CHI",),
    "CHLAUTH": (),
    "CHSTATUS": ("CHS",),
    "CLUSQMGR": (),
    "CLUSTER": (),
    "COMMINFO": (),
    "CONN": (),
    "ENTAUTH": (),
    "LISTENER": ("LSTR",),
    "LOG": (),
    "LSSTATUS": ("LS",),
    "NAMELIST": ("NL",),
    "POLICY": (),
    "PROCESS": ("PRO",),
    "PUBSUB": (),
    "QALIAS": ("QA",),
    "QCLUSTER": ("QC",),
    "QLOCAL": ("QL",),
    "QMGR": (),
    "QMODEL": ("QM",),
    "QMSTATUS": (),
    "QREMOTE": ("QR",),
    "QSTATS": (),
    "QSTATUS": ("QS",),
    "QUEUE": ("Q",),
    "SBSTATUS": (),
    "SECURITY": ("SEC",),
    "SERVICE": (),
    "SUB": (),
    "SVSTATUS": (),
    "TCLUSTER": ("TC",),
    "TOPIC": ("TOP",),
    "TOPICSTR": (),
    "TPSTATUS": ("TPS",),
    **ZOS_OBJECTS,
}
"""Canonical object word -> its synonyms."""

_DEFINABLE = (
    "AUTHINFO CHANNEL COMMINFO LISTENER NAMELIST PROCESS QALIAS QLOCAL QMODEL QREMOTE SERVICE TOPIC"
)

_GROUPS: Final = (
    ("DEFINE ALTER DELETE DISPLAY", _DEFINABLE, Naming.REQUIRED),
    ("DEFINE", "SUB", Naming.REQUIRED),
    ("ALTER DELETE DISPLAY", "SUB", Naming.OPTIONAL),
    ("DISPLAY", "LISTENER SERVICE LSSTATUS SVSTATUS SBSTATUS CONN", Naming.OPTIONAL),
    ("DISPLAY", "QUEUE QCLUSTER QSTATUS CHSTATUS CLUSQMGR CHLAUTH TCLUSTER", Naming.REQUIRED),
    ("DISPLAY", "TPSTATUS APSTATUS POLICY", Naming.REQUIRED),
    ("DISPLAY", "QMGR QMSTATUS PUBSUB AUTHREC AUTHSERV ENTAUTH LOG CHINIT", Naming.NONE),
    ("DISPLAY", "SECURITY", Naming.OPTIONAL),
    ("ALTER PING REFRESH RESET RESUME SUSPEND", "QMGR", Naming.NONE),
    ("DELETE SET", "AUTHREC", Naming.NONE),
    ("SET", "CHLAUTH", Naming.REQUIRED),
    ("DELETE SET", "POLICY", Naming.REQUIRED),
    ("SET ARCHIVE", "LOG", Naming.NONE),
    ("START STOP PING RESET RESOLVE PURGE", "CHANNEL", Naming.REQUIRED),
    ("START STOP", "LISTENER", Naming.OPTIONAL),
    ("START STOP", "SERVICE", Naming.REQUIRED),
    ("START STOP", "CHINIT", Naming.NONE),
    ("STOP", "CONN", Naming.OPTIONAL),
    ("CLEAR", "QLOCAL TOPICSTR", Naming.REQUIRED),
    ("MOVE", "QLOCAL", Naming.REQUIRED),
    ("REFRESH RESET", "CLUSTER", Naming.REQUIRED),
    ("REFRESH", "SECURITY", Naming.OPTIONAL),
    ("RESET", "QSTATS", Naming.REQUIRED),
    ("RECOVER", "BSDS", Naming.NONE),
    ("DEFINE ALTER DELETE DISPLAY", "BUFFPOOL CFSTRUCT PSID STGCLASS", Naming.OPTIONAL),
    ("DISPLAY", "ARCHIVE CFSTATUS CMDSERV GROUP MAXSMSGS SYSTEM USAGE", Naming.OPTIONAL),
    ("DISPLAY", "SMDS SMDSCONN THREAD TRACE", Naming.OPTIONAL),
    ("DEFINE", "LOG MAXSMSGS", Naming.OPTIONAL),
    ("ALTER", "SECURITY SMDS TRACE", Naming.OPTIONAL),
    ("BACKUP RECOVER RESET", "CFSTRUCT", Naming.REQUIRED),
    ("RESET", "SMDS TPIPE", Naming.REQUIRED),
    ("RESOLVE", "INDOUBT", Naming.REQUIRED),
    ("RVERIFY", "SECURITY", Naming.REQUIRED),
    ("SET", "ARCHIVE SYSTEM", Naming.NONE),
    ("START STOP", "CMDSERV QMGR SMDSCONN TRACE", Naming.OPTIONAL),
)

NAMING: Final = {
    (verb, word): naming
    for verbs, words, naming in _GROUPS
    for verb in verbs.split()
    for word in words.split()
}
"""Every valid (verb, object word) -> how the command names its object."""

_KEYWORD_SYNONYMS: Final = {"TARGQ": "TARGET", "TYPE": "CHLTYPE"}


def _spellings(table: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: canonical for canonical, more in table.items() for word in (canonical, *more)}


VERB_SPELLINGS: Final = _spellings(VERBS)
"""Every accepted spelling of a verb -> the verb."""

OBJECT_SPELLINGS: Final = _spellings(OBJECTS)
"""Every accepted spelling of an object word -> the word."""


def resolve_keyword(written: str, allowed: Container[str]) -> str | None:
    """Return the keyword that a written word means; None if the command has no such keyword.

    Keywords cannot be shortened, so only an exact match or a known synonym counts: TARGQ for TARGET
    of an alias queue, TYPE for CHLTYPE of DISPLAY CHANNEL.

    Args:
        written: as in ``Parameter.keyword``, in upper case.
        allowed: the keywords of this command and object.
    """
    if written in allowed:
        return written
    synonym = _KEYWORD_SYNONYMS.get(written)
    return synonym if synonym in allowed else None
