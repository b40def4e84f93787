"""What a queue manager has when it is created."""

from __future__ import annotations

import pytest

from twin.model.attributes import TYPES, template_of
from twin.model.names import legal_name, name_limit
from twin.model.system_objects import (
    initial_values,
    system_objects,
)

RECORDS = {"CHLAUTH", "AUTHREC"}


def test_templates_are_there_and_change_nothing() -> None:
    """Every template exists, and a type's template is what the product's defaults are."""
    there = system_objects(940)
    for name, table in TYPES.items():
        if table.template and name not in {"AUTHINFO", "POLICY"}:
            template = there[table.kind, template_of(name, {})]
            assert (template.type, dict(template.values)) == (name, {})


def test_the_objects_of_a_cluster() -> None:
    """The queues clusters work with are there, and hold what they must."""
    there = system_objects(940)
    xmitq = there["QUEUE", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"]
    model = there["QUEUE", "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE"]
    assert xmitq.values["USAGE"] == "XMITQ"
    assert (model.type, model.values["DEFTYPE"]) == ("QMODEL", "PERMDYN")
    for name in ("COMMAND", "REPOSITORY", "HISTORY"):
        queue = there["QUEUE", f"SYSTEM.CLUSTER.{name}.QUEUE"]
        assert queue.values["MAXDEPTH"] == 999_999_999


@pytest.mark.parametrize(
    ("name", "first"),
    [
        (("QUEUE", "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE"), 750),
        (("CHLAUTH", "* BLOCKUSER"), 710),
        (("AUTHINFO", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"), 800),
        (("CHANNEL", "SYSTEM.DEF.AMQP"), 802),
    ],
)
def test_older_queue_managers_have_fewer(name: tuple[str, str], first: int) -> None:
    """An object exists from the command level that introduced it."""
    assert name in system_objects(first)
    assert name not in system_objects(first - 1)


def test_definitions_are_shared_and_cannot_be_changed() -> None:
    """Asked again, the very same definitions are given, and nobody can write into them."""
    there = system_objects(940)
    assert system_objects(940) is there
    with pytest.raises(TypeError):
        there["QUEUE", "SYSTEM.DEFAULT.LOCAL.QUEUE"].values["PUT"] = "DISABLED"  # type: ignore[index]


@pytest.mark.parametrize("level", [701, 750, 800, 930, 940])
def test_keys_names_and_values_are_legal(level: int) -> None:
    """Keys agree with what they lead to, names are legal, values are known at the level."""
    for (kind, name), definition in system_objects(level).items():
        assert (definition.kind, definition.name) == (kind, name)
        assert definition.created is None
        assert kind in RECORDS or legal_name(name, limit=name_limit(kind))
        known = {each.keyword for each in TYPES[definition.type].at(level)}
        assert set(definition.values) <= known | RECORDS


def test_values_that_follow_from_the_name() -> None:
    """The certificate label is the name in lower case, from 8.0 on."""
    assert initial_values("QM4", level=930) == {
        "CERTLABL": "ibmwebspheremqqm4",
        "SSLKEYR": "/var/mqm/qmgrs/QM4/ssl/key",
    }
    assert "CERTLABL" not in initial_values("QM4", level=750)
