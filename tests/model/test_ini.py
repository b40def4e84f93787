"""Configuration files of MQ, and the stanzas that configure a uniform cluster."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.model.ini import (
    AutoCluster,
    BadConfiguration,
    BadIni,
    Stanza,
    merged,
    read_ini,
    read_settings,
)

_LETTERS = st.text("ABCabc123", max_size=5)
_NAMES = _LETTERS.map(lambda rest: f"N{rest}")
_VALUES = st.text("Aa1.=:#() +'", max_size=10).map(str.strip)
_STANZAS = st.lists(
    st.builds(Stanza, _NAMES, st.lists(st.tuples(_NAMES, _VALUES), max_size=3).map(tuple)),
    max_size=4,
)
_NOISE = st.sampled_from(["", "# a comment\n", "  #Type=Uniform\n", "\n", " \t\r\n"])

AUTO_CLUSTER = "AutoCluster:\nType=Uniform\nClusterName=UNI\n"


@given(_STANZAS, st.data())
def test_what_is_written_is_read(stanzas: list[Stanza], data: st.DataObject) -> None:
    """Stanzas are read as written, with any indentation, comments and blank lines around them."""
    text = ""
    for stanza in stanzas:
        text += data.draw(_NOISE) + f"{stanza.name}:\n"
        for name, value in stanza.attributes:
            text += data.draw(_NOISE) + f"  {name} = {value}\r\n"
    assert list(read_ini(text)) == stanzas


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any text is either read, or refused in one line that begins with a line number."""
    with suppress(BadIni):
        read_ini(text)
    with pytest.raises(BadIni, match=r"\Aline 2: .*\Z"):
        read_ini("Log:\n:" + text.replace("\n", " "))


def test_the_last_of_equal_attributes_counts() -> None:
    """Stanzas of one name are merged; names are compared without regard to case."""
    stanzas = read_ini("Log:\nA=1\nB=2\nOther:\nA=9\nLOG:\na=3\n")
    assert merged(stanzas, "log") == {"A": "3", "B": "2"}
    assert merged(stanzas, "Absent") is None


@pytest.mark.parametrize("spelling", ["Repository1{}", "Repository{}1", "REPOSITORY1{}"])
def test_both_spellings_of_a_repository_are_read(spelling: str) -> None:
    """Repository1Name and RepositoryName1 mean the same, with the Conname spelled alike."""
    text = f"{AUTO_CLUSTER}{spelling.format('Name')}=QM1\n{spelling.format('Conname')}=h(1)\n"
    expected = AutoCluster("UNI", {"QM1": "h(1)"})
    assert read_settings([("a.ini", text)]).auto_cluster == expected


def test_later_files_override_earlier_ones() -> None:
    """Attributes and variables of a later file replace those of an earlier one."""
    later = "AutoCluster:\nClusterName=OTHER\nVariables:\nConname=two\n"
    files = [("a.ini", AUTO_CLUSTER + "Variables:\nCONNAME=one\nX=1\n"), ("b.ini", later)]
    assert read_settings(files) == (AutoCluster("OTHER", {}), {"CONNAME": "two", "X": "1"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Type=Uniform\n", "a.ini: line 1: expected STANZA: or"),
        ("AutoCluster:\n# fine\nUniform\n", "a.ini: line 3: expected STANZA: or"),
        ("AutoCluster:\nType=Uniform\n", "AutoCluster: ClusterName is missing"),
        ("AutoCluster:\nClusterName=U\n", "AutoCluster: Type must be Uniform, not missing"),
        ("AutoCluster:\nType=Ring\n", "AutoCluster: Type must be Uniform, not Ring"),
        ("AutoCluster:\nType=Uniform\nClusterName=U U\n", "ClusterName 'U U' is not a legal name"),
        (f"{AUTO_CLUSTER}Repository1Name=Q\n", "Repository1Name needs Repository1Conname"),
        (f"{AUTO_CLUSTER}Repository2Conname=h\n", "Repository2Conname needs Repository2Name"),
        (
            f"{AUTO_CLUSTER}Repository2Name=Q M\nRepository2Conname=h\n",
            "Repository2Name 'Q M' is not a legal name",
        ),
    ],
)
def test_a_wrong_stanza_is_refused(text: str, said: str) -> None:
    """A malformed line, and a wrong or incomplete AutoCluster stanza, is refused in one line."""
    with pytest.raises(BadConfiguration) as refused:
        read_settings([("a.ini", text)])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
