"""Complete dumps of two real queue managers against the tables (when the samples are here)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.commands import reading_of, statements, type_of
from twin.model.attributes import TYPES, attribute_of, full, sparse, template_of
from twin.model.objects import record_name
from twin.model.system_objects import initial_values, system_objects

DUMPS = Path(__file__).parents[3] / "shared" / "samples" / "reference" / "dmpmqcfg"
LEVEL = 930
ORDERED_OTHERWISE = {"LISTENER"}

pytestmark = pytest.mark.skipif(not DUMPS.is_dir(), reason="the reference samples are not here")


def texts() -> list[str]:
    """Read the dumps."""
    return [path.read_text(encoding="utf-8") for path in sorted(DUMPS.glob("*.txt"))]


def test_every_command_is_read_without_a_problem() -> None:
    """No keyword and no value of a dump is refused."""
    problems = [
        reading_of(statement, level=LEVEL).problem
        for text in texts()
        for statement in statements(text)
    ]
    assert len(problems) > 300
    assert not any(problems)


def test_full_values_are_those_of_the_dump() -> None:
    """The sparse values with the defaults are exactly the values of the dump, in its order."""
    for text in texts():
        for statement in statements(text):
            type_name = type_of(statement)
            values = reading_of(statement, level=LEVEL).values
            filled = full(type_name, sparse(type_name, values), level=LEVEL)
            settable = {
                key: value for key, value in filled.items() if attribute_of(type_name, key).settable
            }
            if type_name in {"CHLAUTH", "AUTHREC"}:
                settable = {key: value for key, value in settable.items() if value}
                values = {key: value for key, value in values.items() if value}
            assert settable == values
            if type_name not in ORDERED_OTHERWISE:
                assert list(settable) == list(values)


def test_system_objects_are_those_of_the_dump() -> None:
    """A new queue manager has exactly the SYSTEM.* objects of a dump, with the same values."""
    for text in texts():
        found = {}
        for statement in statements(text):
            name = statement.name.text if statement.name else ""
            type_name = type_of(statement)
            values = sparse(type_name, reading_of(statement, level=LEVEL).values)
            if type_name == "CHLAUTH":
                values = {"CHLAUTH": name, **values}
                name = record_name("CHLAUTH", name, values)
            if statement.object not in {"QMGR", "AUTHREC"}:
                found[TYPES[type_name].kind, name] = values
        expected = {key: dict(each.values) for key, each in system_objects(LEVEL).items()}
        assert {key: found[key] for key in expected} == expected
        assert all(
            not name.startswith("SYSTEM.") or name == "SYSTEM.LISTENER.TCP.1"
            for _, name in found.keys() - expected.keys()
        )


def test_queue_manager_values_follow_from_its_name() -> None:
    """Apart from its cluster, a fresh queue manager differs from the defaults by its name only."""
    for name, text in zip(("QM4", "QM5"), texts(), strict=True):
        statement = next(iter(statements(text)))
        values = sparse("QMGR", reading_of(statement, level=LEVEL).values)
        values.pop("REPOS", None)
        assert values == initial_values(name, level=LEVEL)


def test_templates_of_the_authentication_types() -> None:
    """The template of every authentication type is in a dump."""
    names = {
        template_of("AUTHINFO", {"AUTHTYPE": kind})
        for kind in ("IDPWLDAP", "IDPWOS", "OCSP", "CRLLDAP")
    }
    there = {each.name.text for each in statements(texts()[0]) if each.name}
    assert names <= there
