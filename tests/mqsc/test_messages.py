"""The catalogue of messages and reason codes."""

import re

import pytest

from twin.model.messages import CATALOGUE, Message
from twin.model.reasons import COMMAND_FAILED, REASONS, reason_name

DISPLAYED = {
    "AMQ8408": "Display Queue Manager details.",
    "AMQ8409": "Display Queue details.",
    "AMQ8414": "Display Channel details.",
    "AMQ8417": "Display Channel Status details.",
    "AMQ8441": "Display Cluster Queue Manager details.",
    "AMQ8450": "Display queue status details.",
    "AMQ8550": "Display namelist details.",
    "AMQ8630": "Display listener information details.",
    "AMQ8631": "Display listener status details.",
    "AMQ8705": "Display Queue Manager Status Details.",
}


@pytest.mark.parametrize(("number", "text"), DISPLAYED.items())
def test_displays_have_their_captured_texts(number: str, text: str) -> None:
    """Each DISPLAY's message is the one seen in captures, capitals included."""
    assert Message(number).render() == f"{number}I: {text}"
    assert CATALOGUE[number].seen


def test_inserts_take_their_places() -> None:
    """Inserts are put in as they are, braces and all; missing ones stay blank."""
    assert Message("AMQ8147E", "{X}").render() == "AMQ8147E: IBM MQ object {X} not found."
    assert Message("AMQ8147").text == "IBM MQ object  not found."


def test_the_letter_of_an_id_may_be_left_out() -> None:
    """With and without severity letter it is the same message."""
    assert Message("AMQ8006") == Message("AMQ8006I")
    assert Message("AMQ8006").full_id == "AMQ8006I"


def test_the_product_was_renamed_but_inserts_were_not() -> None:
    """Up to 8.0 the product was WebSphere MQ; what is inserted stays."""
    shown = Message("AMQ8147", "IBM MQ.Q").render(750)
    assert shown == "AMQ8147: WebSphere MQ object IBM MQ.Q not found."


def test_failures_carry_their_reason() -> None:
    """A message with a reason code is a failure, one without is none."""
    assert Message("AMQ8147").failed
    assert reason_name(Message("AMQ8147").reason or 0) == "MQRC_UNKNOWN_OBJECT_NAME"
    assert reason_name(Message("AMQ8420").reason or 0) == "MQRCCF_CHL_STATUS_NOT_FOUND"
    assert not Message("AMQ8006").failed


def test_an_unknown_id_is_information_without_text() -> None:
    """What a feed brings may not be in the catalogue, and is kept all the same."""
    assert Message("AMQ1234W").render() == "AMQ1234I: "


@pytest.mark.parametrize("number", CATALOGUE)
def test_every_entry_is_well_formed(number: str) -> None:
    """Ids are of MQ's shape, letters are severities, places have one role, reasons have names."""
    row = CATALOGUE[number]
    assert re.fullmatch(r"(AMQ|TWN)\d{4}|CSQ[A-Z0-9]\d{3}", number)
    assert row.letter in set("IWEST")
    assert row.zos in {"", *"IWEST"}
    assert set(re.findall(r"\{(\w+)\}", row.text)) <= set(row.roles)
    assert len(row.roles) == len(set(row.roles))
    assert row.reason is None or row.reason in REASONS


def test_reason_codes_have_the_names_of_their_constants() -> None:
    """Calls and administrative answers have prefixes of their own; unknown ones their number."""
    assert reason_name(2268) == "MQRC_CLUSTER_PUT_INHIBITED"
    assert reason_name(COMMAND_FAILED) == "MQRCCF_COMMAND_FAILED"
    assert reason_name(9999) == "MQRC_9999"
