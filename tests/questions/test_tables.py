"""An answer as a table in a notebook, in Arrow and in pandas."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from twin.model.basis import Basis, Source, Unknown
from twin.model.instants import AsOf
from twin.questions.answer import Answer, Row
from twin.questions.catalogue import QUESTIONS
from twin.questions.tables import NoPackage

_POINT = AsOf(valid=0, known=0)


def _errors() -> Answer:
    row: Row = {
        "on": "QM1",
        "id": "AMQ1",
        "at": 1_500_000,
        "inserts": ("a", "b"),
        "text": "<b> & c",
        "basis": "derived",
    }
    return Answer.of("errorlog", _POINT, [(row, (7,))])


def _choices() -> Answer:
    row: Row = dict.fromkeys(Answer.of("explain", _POINT, []).columns)
    changed: Row = {"qmgr": "QM1", "value": 1, "best": "YES", "chosen": True}
    changed["basis"] = "derived"
    return Answer.of("explain", _POINT, [({**row, "path": (), **changed}, ())])


def test_a_notebook_gets_a_table_in_which_every_text_is_escaped() -> None:
    """The HTML of an answer has instants in ISO 8601, lists in words, and escaped text."""
    html = _errors()._repr_html_()
    assert html.startswith("<table><caption>errorlog as of 1970-01-01T00:00:00Z ")
    assert "<th>on</th><th>id</th><th>at</th><th>inserts</th><th>text</th>" in html
    assert "<td>1970-01-01T00:00:01.500000Z</td><td>a b</td><td>&lt;b&gt; &amp; c</td>" in html
    assert html.endswith("</tbody></table>")


def test_a_notebook_shows_what_is_not_known_as_every_table_does() -> None:
    """`?` stands in place of what nobody knows, and after what the twin made up."""
    row: Row = dict.fromkeys(QUESTIONS["channels"].names)
    row |= {"on": "QM1", "channel": "C", "status": Unknown("QM1", Source.CHANNELS)}
    row["basis"] = Basis.UNKNOWN
    answer = Answer.of("channels", _POINT, [(row, ())])
    assert answer._repr_html_().count("<td>?</td>") == 1
    made = Answer.of("members", _POINT, [({**_member(), "qmid": "QM1_X"}, ())]).marking({"QM1_X"})
    assert made.marked(0)["qmid"] == "QM1_X?"
    assert "<td>QM1_X?</td>" in made._repr_html_()
    assert made.shown(made.rows[0])["qmid"] == "QM1_X"


def _member() -> Row:
    row: Row = dict.fromkeys(QUESTIONS["members"].names)
    words = {"cluster": "CA", "qmgr": "QM1", "qmtype": "NORMAL", "suspend": "NO"}
    return {**row, **words, "known_by": (), "basis": Basis.DERIVED}


def test_arrow_has_typed_columns() -> None:
    """Arrow columns are typed: instants are timestamps in UTC, lists are lists."""
    pytest.importorskip("pyarrow")
    table = _errors().to_arrow()
    types = [str(field.type) for field in table.schema]
    texts = ["string", "string"]
    assert types == [*texts, "timestamp[us, tz=UTC]", "list<item: string>", *texts]
    (row,) = table.to_pylist()
    assert row["at"].isoformat() == "1970-01-01T00:00:01.500000+00:00"
    assert row["inserts"] == ["a", "b"]
    (choice,) = _choices().to_arrow().to_pylist()
    assert (choice["value"], choice["best"], choice["chosen"]) == ("1", "YES", True)
    assert choice["reason"] is None


def test_an_empty_answer_has_the_same_types() -> None:
    """An empty answer has the declared types."""
    pytest.importorskip("pyarrow")
    assert Answer.of("errorlog", _POINT, []).to_arrow().schema == _errors().to_arrow().schema


def test_an_answer_that_is_no_question_has_types_after_its_values() -> None:
    """Undeclared columns get the type of their values."""
    pytest.importorskip("pyarrow")
    rows: tuple[Row, ...] = ({"n": 1, "at": 0, "mixed": "a"}, {"n": None, "at": None, "mixed": 2})
    table = Answer("put", _POINT, ("n", "at", "mixed"), rows, frozenset({"at"})).to_arrow()
    types = [str(field.type) for field in table.schema]
    assert types == ["int64", "timestamp[us, tz=UTC]", "string"]


def test_pandas_has_typed_columns() -> None:
    """Pandas columns are typed: instants are timestamps in UTC, even if some are missing."""
    pytest.importorskip("pandas")
    frame = _errors().to_pandas()
    assert str(frame["at"].dtype).endswith(", UTC]")
    assert frame["at"][0].isoformat() == "1970-01-01T00:00:01.500000+00:00"
    assert _choices().to_pandas()["next_retry"].isna().all()


@pytest.mark.parametrize(("package", "method"), [("pyarrow", "to_arrow"), ("pandas", "to_pandas")])
def test_a_package_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, package: str, method: str
) -> None:
    """A missing package is an error that names what to install."""
    if find_spec(package):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NoPackage, match=f"pip install {package}"):
        getattr(_errors(), method)()
