"""Configuration files and client channel tables turned into facts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin import events
from twin.feeds.converters import CONVERTERS
from twin.feeds.converting.identities import digest_of
from twin.feeds.detect import FileFormat, detect
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.model.instants import DAY

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
SOURCE = FeedSource(qmgr="QMA", at=DAY)

MQS = """\
QueueManager:
   Name=QMB
   Prefix=/var/mqm
   Directory=QMB
   InstallationName=Installation1
LogDefaults:
   LogPrimaryFiles=3
Channels:
   MaxChannels=200
"""
AUTO = """\
AutoCluster:
   Type=Uniform
   ClusterName=UNI
   Repository1Name=QMA
   Repository1Conname=a.example(1414)
   Repository2Name=QMC
   Repository2Conname=c.example
"""


def converted(format_: FileFormat, text: str, source: FeedSource = SOURCE) -> list[Converted]:
    """Convert a text."""
    return list(CONVERTERS[format_](text.splitlines(), source))


def test_a_listed_queue_manager_and_an_intended_cluster_are_evidence() -> None:
    """What exists and what is intended is kept; other stanzas are passed over."""
    listed, log, limits = converted(FileFormat.INI, MQS)
    assert isinstance(listed, DatedFact)
    told = ("QMB", "/var/mqm", "Installation1")
    assert (listed.at, listed.event) == (
        DAY,
        events.EvidenceObserved(
            qmgr="QMB", id="QueueManager", inserts=told, digest=digest_of(listed.evidence)
        ),
    )
    assert log == PassedOver(6, "stanza LogDefaults", "")
    assert limits == PassedOver(8, "stanza Channels", "")
    (uniform,) = converted(FileFormat.INI, AUTO)
    assert isinstance(uniform, DatedFact)
    assert isinstance(uniform.event, events.EvidenceObserved)
    assert (uniform.event.qmgr, uniform.event.inserts) == (
        "QMA",
        ("UNI", "QMA a.example(1414)", "QMC c.example(1414)"),
    )


def test_a_file_of_nobody_and_of_no_instant_gives_no_fact() -> None:
    """It is recognised, in one row for each part."""
    assert converted(FileFormat.INI, AUTO, FeedSource()) == [
        PassedOver(1, "stanza AutoCluster", "UNI")
    ]
    assert converted(FileFormat.CHANNEL_TABLE, TABLE, FeedSource(at=DAY)) == [
        PassedOver(1, "client channel", "APP.SVRCONN")
    ]


TABLE = json.dumps(
    {
        "channel": [
            {
                "name": "APP.SVRCONN",
                "type": "clientConnection",
                "clientConnection": {
                    "connection": [{"host": "a.example", "port": 1414}],
                    "queueManager": "QMB",
                },
            }
        ]
    }
)


def test_client_channels_are_objects_of_the_queue_manager_beside_the_file() -> None:
    """A channel has where it connects to and the queue manager that clients name."""
    (fact,) = converted(FileFormat.CHANNEL_TABLE, TABLE)
    assert isinstance(fact, DatedFact)
    assert isinstance(fact.event, events.ObjectsObserved)
    (said,) = fact.event.said
    assert (fact.event.qmgr, fact.event.kind, said.name, dict(said.values)) == (
        *("QMA", "CLNTCONN", "APP.SVRCONN"),
        {"CONNAME": "a.example(1414)", "QMNAME": "QMB"},
    )


@given(
    st.dictionaries(
        st.sampled_from(["Log", "Channels", "TCP", "SSL", "Security", "ExitPath"]),
        st.dictionaries(
            st.sampled_from(["MaxChannels", "AdoptNewMCA", "KeepAlive", "LogType"]),
            st.sampled_from(["250", "ALL", "Yes", "CIRCULAR"]),
            min_size=1,
        ),
        min_size=1,
    ),
    st.sampled_from(["", " ", "   ", "\t"]),
)
def test_a_qm_ini_is_one_fact_with_all_its_stanzas(
    stanzas: dict[str, dict[str, str]], indent: str
) -> None:
    """Whatever stanzas it has, and however it is indented; without a queue manager it says so."""
    text = "".join(
        f"{name}:\n" + "".join(f"{indent}{key}={value}\n" for key, value in values.items())
        for name, values in stanzas.items()
    )
    assert detect(text) is FileFormat.INI
    (fact,) = converted(FileFormat.INI, text)
    assert isinstance(fact, DatedFact)
    assert fact.event == events.ConfigurationObserved(
        qmgr="QMA",
        stanzas={
            name.upper(): {key.upper(): value for key, value in values.items()}
            for name, values in stanzas.items()
        },
    )
    assert fact.at == DAY
    (nameless,) = converted(FileFormat.INI, text, FeedSource(at=DAY))
    assert isinstance(nameless, NotRecorded)


def test_what_is_not_understood_says_why() -> None:
    """A stanza without a name, and a channel with an impossible one."""
    (problem,) = converted(FileFormat.INI, "QueueManager:\n   Prefix=/var/mqm\n")
    assert isinstance(problem, NotRecorded)
    (problem,) = converted(FileFormat.CHANNEL_TABLE, TABLE.replace("APP.SVRCONN", "not allowed"))
    assert isinstance(problem, NotRecorded)


def test_passwords_are_masked() -> None:
    """Passwords of databases and URLs are in no event and no evidence."""
    text = MQS + "   XAOpenString=uid=me,pwd=hush\n   Password=hush\n"
    text += "QueueManager:\n   Name=QMD\n   Prefix=https://me:hush@host/\n   SSLKeyPassword=hush\n"
    rows = [
        *converted(FileFormat.INI, text),
        *converted(FileFormat.CHANNEL_TABLE, TABLE.replace("a.example", "https://me:hush@a")),
    ]
    assert sum(isinstance(each, DatedFact) for each in rows) == 3
    assert "hush" not in repr(rows)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(("folder", "format_"), [("ini", "ini"), ("ccdt", "ccdt")])
def test_public_files_are_recognised(folder: str, format_: str) -> None:
    """Each file of the samples gives rows."""
    for path in sorted(SAMPLES.glob(f"*/{folder}/*")):
        text = path.read_text(encoding="utf-8")
        assert converted(FileFormat(format_), text), path
