"""The description of the interface: complete, and true for what is answered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schemas import mismatches
from tests.web.serving import Served
from twin.questions.catalogue import QUESTIONS


@pytest.fixture(scope="module")
def document(demo_service: Served) -> dict[str, Any]:
    """Get the description."""
    answer = demo_service.reader.get("/twin/v1/openapi.json")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_every_question_is_described_with_its_filters(document: dict[str, Any]) -> None:
    """Each question has an operation, with its filters, their values, and the point in time."""
    assert document["openapi"].startswith("3.1")
    for name, question in QUESTIONS.items():
        operation = document["paths"][f"/twin/v1/ask/{name}"]["get"]
        parameters = {each["name"]: each for each in operation["parameters"]}
        assert len(parameters) == len(operation["parameters"])
        expected = {*question.filters, "format", "columns", "limit", "as-of", "known-at", "branch"}
        expected |= {"since"} if question.has_span else set()
        expected |= set() if question.no_reference else {"against", "ignore"}
        assert parameters.keys() == expected
        for filter_ in question.narrowed_by:
            described = parameters[filter_.name]
            assert described["description"] == filter_.meaning
            assert described["required"] == filter_.required
            assert described["schema"].get("enum", []) == list(filter_.choices) or (
                described["schema"]["enum"] == ["yes"] and not filter_.metavar
            )


@pytest.mark.parametrize("question", ["members", "beliefs", "lifetimes", "agenda"])
def test_answers_are_as_described(
    demo_service: Served, document: dict[str, Any], question: str
) -> None:
    """What a question answers fits the schema in the description."""
    operation = document["paths"][f"/twin/v1/ask/{question}"]["get"]
    content = operation["responses"]["200"]["content"]
    of_answer, of_comparison = content["application/json"]["schema"]["anyOf"]
    answer = demo_service.reader.get(f"/twin/v1/ask/{question}").json()
    assert list(mismatches(answer, of_answer)) == []
    compared = demo_service.reader.get(f"/twin/v1/ask/{question}?against=-100d").json()
    assert list(mismatches(compared, of_comparison)) == []


def test_every_route_is_described(demo_service: Served, document: dict[str, Any]) -> None:
    """Every path answers to its methods, and needs what the description says."""
    assert len(document["paths"]) == len(QUESTIONS) + 11
    for path, methods in document["paths"].items():
        url = path.replace("{name}", "none").replace("{question}", "members")
        for method, operation in methods.items():
            nobody = demo_service.nobody.request(method, url)
            assert nobody.status_code == 401, (method, url)
            names = [each["name"] for each in operation["parameters"]]
            is_write = method != "get"
            assert ("ibm-mq-rest-csrf-token" in names) == is_write
            if is_write:
                assert demo_service.admin.request(method, url).status_code == 403
            assert operation["responses"].keys() >= {"400", "401", "403", "404", "503"}
    assert document["security"] == [{"basic": []}, {"token": []}]
