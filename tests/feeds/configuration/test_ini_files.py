"""Configuration files of MQ as feeds."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import HOSTILE, reads, without_lines
from twin.feeds.configuration import (
    IniStanza,
    NoFact,
    QueueManagerListed,
    UniformCluster,
    is_of_queue_manager,
    read_ini,
    stanza_said,
)
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.attributes import HIDDEN

TEXT: Final = """\
\ufeff# the machine in Hamburg
; and another comment
AllQueueManagers:
   DefaultPrefix=/var/mqm

QueueManager:
   Name=HAMBURG
   Prefix=/var/mqm
   Directory=HAMBURG
   InstallationName=Installation1
Channels:
   MaxChannels=200
   MaxActiveChannels = 100
   maxactivechannels=90
AutoCluster:
   Type=Uniform
   ClusterName=HANSA
   Repository1Name=HAMBURG
   Repository1Conname=hamburg
   RepositoryName2=BREMEN
   RepositoryConname2=bremen(1415),bremen.test(1416)
"""


def read(text: str) -> list[IniStanza | NotUnderstood]:
    """Read a text."""
    return list(read_ini(text.splitlines(keepends=True)))


def test_stanzas_are_read_with_their_lines() -> None:
    """Comments and blank lines count as lines; of repeated attributes the last counts."""
    found = read(TEXT)
    places = [
        (each.line, each.last_line, each.name) for each in found if isinstance(each, IniStanza)
    ]
    assert places == [
        (3, 4, "AllQueueManagers"),
        (6, 10, "QueueManager"),
        (11, 14, "Channels"),
        (15, 21, "AutoCluster"),
    ]
    assert isinstance(found[2], IniStanza)
    assert found[2].values == {"MAXCHANNELS": "200", "MAXACTIVECHANNELS": "90"}


def test_stanzas_say_what_concerns_clusters() -> None:
    """Queue managers, limits and uniform clusters are understood; other stanzas say no fact."""
    said = [stanza_said(each) for each in read(TEXT) if isinstance(each, IniStanza)]
    assert said == [
        NoFact("stanza AllQueueManagers", "says nothing about clusters"),
        QueueManagerListed("HAMBURG", "HAMBURG", "/var/mqm", "Installation1"),
        NoFact("stanza Channels", "says nothing about clusters"),
        UniformCluster(
            "HANSA",
            {
                "HAMBURG": (("hamburg", 1414),),
                "BREMEN": (("bremen", 1415), ("bremen.test", 1416)),
            },
        ),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("QueueManager:\n Prefix=/var\n", "has no Name"),
        ("AutoCluster:\n Type=Uniform\n", "AutoCluster: ClusterName is missing"),
        (
            "AutoCluster:\n Type=Uniform\n ClusterName=C\n Repository1Name=A\n",
            "AutoCluster: Repository1Name needs Repository1Conname",
        ),
    ],
)
def test_an_incomplete_stanza_is_reported(text: str, why: str) -> None:
    """The report names what is missing."""
    (stanza,) = read(text)
    assert isinstance(stanza, IniStanza)
    problem = stanza_said(stanza)
    assert isinstance(problem, NotUnderstood)
    assert (problem.line, problem.why) == (1, why)


@pytest.mark.parametrize("text", ["Channels:\n MaxChannels=many\n", "Channels:\n", "Log:\n A=B\n"])
def test_other_stanzas_say_no_fact(text: str) -> None:
    """A stanza without anything about clusters is recognised."""
    (stanza,) = read(text)
    assert isinstance(stanza, IniStanza)
    assert isinstance(stanza_said(stanza), NoFact)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Log:\n LogType=LINEAR\nChannels:\n MaxChannels=7\n", True),
        ("Channels:\nMaxChannels=7\n", True),
        ("Security:\n ClusterQueueAccessControl=RQMName\n", True),
        ("AutoCluster:\n Type=Uniform\n ClusterName=C\nVariables:\n A=B\n", False),
        ("QueueManager:\n Name=A\nChannels:\n MaxChannels=7\n", False),
        ("Channels:\n DefRecon=YES\n", False),
        ("ClientExitPath:\n ExitsDefaultPath=/x\nTCP:\n KeepAlive=Yes\n", False),
        ("TCP:\n KeepAlive=Yes\n", False),
        ("SSL:\n OCSPTimeout=9\nTCP:\n KeepAlive=Yes\nChannels:\n CCDT=/x\n", False),
        ("TCP:\n KeepAlive=Yes\nExitPath:\n ExitsDefaultPath=/x\n", True),
    ],
)
def test_a_qm_ini_is_told_from_other_files(text: str, *, whole: bool) -> None:
    """A part for crtmqm, the list of a machine, and the file of clients are no whole qm.ini."""
    assert (
        is_of_queue_manager([each for each in read(text) if isinstance(each, IniStanza)]) is whole
    )


def test_lines_that_are_no_ini_are_reported() -> None:
    """Each such line is a report; the stanza around it is read."""
    found = read(
        "A=B\nC=D\nX:\n?\n?\n A=1\nwhat is this\n D=2\n" + "B=" + "x" * (2 << 20) + "\n C=2\n"
    )
    assert [(each.line, each.why) for each in found if isinstance(each, NotUnderstood)] == [
        (1, "is not in a stanza"),
        (4, "is neither a stanza nor an attribute"),
        (7, "is neither a stanza nor an attribute"),
        (9, "is longer than 1 MiB"),
    ]
    assert isinstance(found[-1], IniStanza)
    assert found[-1].values.keys() == {"A", "C", "D"}


def test_passwords_are_hidden() -> None:
    """Passwords of key stores, databases and URLs are in no field and in no report."""
    text = "SSL:\n KeyRepoPassword=hush\n XAOpenString=ORA+P/a/hush\n U=http://a:hush@h/\n"
    found = read(text + "SSLKeyRepositoryPassword hush\n")
    assert "hush" not in repr(found)
    assert isinstance(found[-1], IniStanza)
    assert found[-1].values["KEYREPOPASSWORD"] == HIDDEN


STANZAS: Final = st.lists(
    st.tuples(
        st.sampled_from(["QueueManager", "Channels", "TCP", "autocluster"]),
        st.dictionaries(
            st.sampled_from(["Name", "MaxChannels", "Type", "Prefix"]),
            st.text("abc=:1 (),#;'", max_size=6).map(str.strip),
        ),
    ),
    max_size=4,
)


def written(found: list[tuple[str, dict[str, str]]], *, indent: str, end: str) -> str:
    """Write stanzas."""
    return "".join(
        f"{name}:{end}" + "".join(f"{indent}{key}={text}{end}" for key, text in values.items())
        for name, values in found
    )


@given(STANZAS, STANZAS, st.sampled_from(["\n", "\r\n", "\n\n", "\n# x\n"]))
def test_layout_changes_nothing(
    first: list[tuple[str, dict[str, str]]], second: list[tuple[str, dict[str, str]]], end: str
) -> None:
    """Indents, blank lines, comments and joined files give the same stanzas."""
    texts = [written(each, indent="   ", end="\n") for each in (first, second)]
    expected = without_lines(read("".join(texts)))
    assert len(expected) == len(first) + len(second)
    assert without_lines(read(texts[0])) + without_lines(read(texts[1])) == expected
    assert without_lines(read(written(first + second, indent="", end=end))) == expected
    for stanza in read("".join(texts)):
        assert isinstance(stanza, IniStanza)
        stanza_said(stanza)


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_texts_are_survived(name: str) -> None:
    """No text raises or takes long, and what follows is read."""
    found = reads(read_ini, [*HOSTILE[name], "\n", "Log:\n"])
    assert isinstance(found[-1], IniStanza)
    assert all(len(each.text) <= 80 for each in found if isinstance(each, NotUnderstood))
