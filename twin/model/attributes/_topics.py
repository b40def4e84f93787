"""Topics and namelists as tables.

Sources: order and defaults, dmpmqcfg -a of a 9.3.0.2 queue manager (SYSTEM.DEFAULT.TOPIC,
SYSTEM.DEFAULT.NAMELIST) and DISPLAY NAMELIST of 9.1; keywords, IBM MQ 9.4, DEFINE TOPIC. No
capture shows the place of CAPEXPRY in a topic: it is placed next to CUSTOM.
"""

from __future__ import annotations

from typing import Final

from twin.model.attributes._attribute import (
    ALTERED,
    DESCR,
    LARGEST,
    Attribute,
    ObjectType,
    choice,
    name,
    number,
    shown,
    text,
)
from twin.model.attributes._forms import NameList

_NAMES: Final = 256
_ABLE: Final = "ASPARENT ENABLED DISABLED"
_DELIVERY: Final = "ASPARENT ALL ALLDUR ALLAVAIL"
_SCOPE: Final = "ASPARENT ALL QMGR"

TOPIC: Final = ObjectType(
    name="TOPIC",
    kind="TOPIC",
    word="TOPIC",
    type_keyword="",
    template="SYSTEM.DEFAULT.TOPIC",
    attributes=(
        choice("TYPE", "LOCAL", "LOCAL"),
        text("TOPICSTR", 10_240, blank=""),
        DESCR,
        name("CLUSTER"),
        choice("CLROUTE", "DIRECT TOPICHOST NONE", "DIRECT", since=800),
        choice("DURSUB", "ASPARENT YES NO", "ASPARENT"),
        choice("PUB", _ABLE, "ASPARENT"),
        choice("SUB", _ABLE, "ASPARENT"),
        choice("DEFPSIST", "ASPARENT YES NO", "ASPARENT"),
        number("DEFPRTY", 0, 9, "ASPARENT", words="ASPARENT"),
        choice("DEFPRESP", "ASPARENT SYNC ASYNC", "ASPARENT"),
        *ALTERED,
        choice("PMSGDLV", _DELIVERY, "ASPARENT"),
        choice("NPMSGDLV", _DELIVERY, "ASPARENT"),
        choice("PUBSCOPE", _SCOPE, "ASPARENT"),
        choice("SUBSCOPE", _SCOPE, "ASPARENT"),
        choice("PROXYSUB", "FIRSTUSE FORCE", "FIRSTUSE"),
        choice("WILDCARD", "PASSTHRU BLOCK", "PASSTHRU"),
        name("MDURMDL"),
        name("MNDURMDL"),
        choice("MCAST", "ASPARENT ENABLED DISABLED ONLY", "ASPARENT", since=710),
        name("COMMINFO", since=710),
        choice("USEDLQ", "ASPARENT YES NO", "ASPARENT", since=710),
        text("CUSTOM", 128, since=710),
        number("CAPEXPRY", 1, LARGEST, "ASPARENT", words="ASPARENT NOLIMIT", since=940),
    ),
    mandatory=("TOPICSTR",),
)

NAMELIST: Final = ObjectType(
    name="NAMELIST",
    kind="NAMELIST",
    word="NAMELIST",
    type_keyword="",
    template="SYSTEM.DEFAULT.NAMELIST",
    attributes=(
        shown("NAMCOUNT", 0),
        Attribute("NAMES", NameList(_NAMES), ()),
        DESCR,
        *ALTERED,
    ),
)
