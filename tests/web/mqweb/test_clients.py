"""An unmodified client library of mqweb, pymqrest, at work against a running service."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.patience import PATIENCE
from tests.web.mqweb.rest import Rest
from tests.web.serving import PASSWORD, Served
from twin.app.twin import Twin

pymqrest: Any = (
    importlib.import_module("pymqrest")
    if os.environ.get("CI")
    else pytest.importorskip("pymqrest", reason="pymqrest is not here; make test installs it")
)

OBJECTS: Final[dict[str, tuple[dict[str, Any], dict[str, Any], str]]] = {
    "qlocal": ({"max_queue_depth": 10}, {"max_queue_depth": 20}, "queue"),
    "qalias": ({"target_queue_name": "DEV.QUEUE.1"}, {"description": "other"}, "queue"),
    "qremote": (
        {"remote_queue_name": "Q", "transmission_queue_name": "QM2"},
        {"description": "x"},
        "queue",
    ),
    "qmodel": ({"description": "a"}, {"description": "b"}, "queue"),
    "namelist": ({"names": ["A", "b"]}, {"description": "c"}, "namelist"),
    "topic": ({"topic_string": "shop/x"}, {"description": "d"}, "topic"),
    "process": ({"application_id": "run"}, {"description": "e"}, "process"),
    "listener": (
        {"transport_type": "TCP", "port": 1500},
        {"transport_type": "TCP", "port": 1501},
        "listener",
    ),
}
"""What is defined, and altered, by the names of pymqrest; and what DISPLAY calls it."""


def session(service: Served, **options: Any) -> Any:
    """Open a session of pymqrest with QM1."""
    settings = {
        "credentials": pymqrest.BasicAuth("admin", PASSWORD),
        "verify_tls": False,
        "timeout_seconds": PATIENCE,
        **options,
    }
    return pymqrest.MQRESTSession(f"{service.url}/ibmmq/rest/v2", "QM1", **settings)


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_are_defined_listed_altered_and_deleted(rest: Rest, kind: str) -> None:
    """The client, with its strict table of attributes, finds each object as it made it."""
    client = session(rest.service)
    defined, altered, shown = OBJECTS[kind]
    call: Callable[[str, str], Callable[..., Any]] = lambda verb, word: getattr(  # noqa: E731
        client, f"{verb}_{word}"
    )
    call("define", kind)("Client.1", request_parameters=defined)
    (found,) = call("display", shown)("Client.1")
    assert {key: found[key] for key in defined} == defined
    call("alter", kind)("Client.1", request_parameters=altered)
    (found,) = call("display", shown)("Client.1")
    assert {key: found[key] for key in altered} == altered
    call("delete", kind)("Client.1")
    with pytest.raises(pymqrest.MQRESTCommandError, match=r"(?i)command"):
        call("display", shown)("Client.1")


def test_every_display_of_a_queue_manager_passes_the_strict_table(shop: Rest) -> None:
    """No attribute has a name or a type that the client does not know."""
    client = session(shop.service)
    qmgr = client.display_qmgr()
    assert qmgr["queue_manager_name"] == "QM1"
    assert client.display_qmstatus() is not None
    for word in ("queue", "channel", "topic", "process", "namelist", "listener", "qstatus"):
        assert getattr(client, f"display_{word}")("*"), word
    assert len(client.display_queue("DEV.*", where="current_queue_depth GT 0")) == 1


def test_a_syntax_error_gives_no_rows(shop: Rest) -> None:
    """The client takes an error document for an empty answer, as with mqweb."""
    client = session(shop.service)
    assert client.display_cmdserv() is None
    assert client.last_http_status == 400


def test_objects_are_brought_into_a_state_once(rest: Rest) -> None:
    """`ensure` defines what is missing, alters what differs, and leaves alone what agrees."""
    client = session(rest.service)
    actions = [
        client.ensure_qlocal("Client.2", request_parameters={"max_queue_depth": depth}).action
        for depth in (7, 7, 8)
    ]
    assert actions == [
        pymqrest.EnsureAction.CREATED,
        pymqrest.EnsureAction.UNCHANGED,
        pymqrest.EnsureAction.UPDATED,
    ]
    changed = client.ensure_channel("DEV.APP", request_parameters={"description": "by ensure"})
    assert changed.action is pymqrest.EnsureAction.UPDATED


def test_a_refused_change_is_an_error(rest: Rest) -> None:
    """The client does not take a command for done that twin refuses, and mqweb would carry out."""
    observed = pymqrest.MQRESTSession(
        f"{rest.service.url}/ibmmq/rest/v3",
        "OBS1",
        credentials=pymqrest.BasicAuth("admin", PASSWORD),
        verify_tls=False,
    )
    with pytest.raises(pymqrest.MQRESTCommandError):
        observed.define_qlocal("NEW")
    reader = session(rest.service, credentials=pymqrest.BasicAuth("reader", PASSWORD))
    assert reader.display_queue("DEV.QUEUE.1")
    with pytest.raises(pymqrest.MQRESTCommandError):
        reader.define_qlocal("NEW")


def test_a_token_and_a_gateway_do_as_well(rest: Rest) -> None:
    """The client signs in for a token, and names a gateway; a wrong password gets no token."""
    client = session(
        rest.service, credentials=pymqrest.LTPAAuth("admin", PASSWORD), gateway_qmgr="QM2"
    )
    client.define_qlocal("Client.3")
    with Twin.open(rest.service.log_url, read_only=True) as twin:
        assert not twin.runmqsc("QM1", "DISPLAY QLOCAL('Client.3')").exit_code
    with pytest.raises(pymqrest.MQRESTAuthError):
        session(rest.service, credentials=pymqrest.LTPAAuth("admin", "wrong"))
