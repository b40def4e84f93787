"""The log and its branches over HTTP."""

from __future__ import annotations

import pytest

from tests.web.conftest import Serve
from tests.web.serving import CSRF, Served
from twin.app.twin import Twin


def test_events_are_read_page_by_page(demo_service: Served) -> None:
    """`after` continues a page; all pages together are the whole log, in order."""
    positions: list[int] = []
    after = 0
    while True:
        params = {"after": str(after), "limit": "200", "all": "true"}
        page = demo_service.reader.get("/twin/v1/log/events", params=params).json()["rows"]
        if not page:
            break
        positions += [row["position"] for row in page]
        after = positions[-1]
    assert positions == list(range(1, len(positions) + 1))


def test_events_are_chosen(demo_service: Served) -> None:
    """Type, queue manager, kind and name narrow the events; unknown ones are said."""
    get = demo_service.reader.get
    params = {"type": "QueueManagerCreated", "qmgr": "PR1"}
    (row,) = get("/twin/v1/log/events", params=params).json()["rows"]
    assert (row["type"], row["qmgr"], row["hidden"]) == ("QueueManagerCreated", "PR1", None)
    shown = get("/twin/v1/log/events", params=params | {"format": "csv"}).text.splitlines()
    assert shown[0].startswith("position,branch,occurred_at")
    assert len(shown) == 2
    wrong: tuple[tuple[dict[str, str], int], ...] = (
        ({"type": "Nothing"}, 404),
        ({"qmgr": "NONE"}, 404),
        ({"limit": "0"}, 400),
    )
    for bad, status in wrong:
        assert get("/twin/v1/log/events", params=bad).status_code == status


@pytest.mark.parametrize("name", ["what-if", "B_2.x"])
def test_branches_are_made_and_deleted(serve: Serve, name: str) -> None:
    """An administrator forks and deletes branches; main never changes by it."""
    service = serve()
    post, path = service.admin.post, "/twin/v1/branches"
    made = post(path, json={"name": name, "at": "-1h"}, headers=CSRF)
    assert (made.status_code, made.json()["parent"]) == (201, "main"), made.text
    listed = service.reader.get(path).json()["rows"]
    assert [row["branch"] for row in listed] == ["main", name]
    assert post(path, json={"name": name}, headers=CSRF).status_code == 400
    deleted = service.admin.delete(f"{path}/{name}", headers=CSRF)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert [row["branch"] for row in service.reader.get(path).json()["rows"]] == ["main"]
    again = service.admin.delete(f"{path}/{name}", headers=CSRF)
    assert again.status_code == 404


def test_a_deleted_branch_is_served_no_longer(serve: Serve) -> None:
    """Its objects are not found on any face, and a new branch of its name has none of them."""
    service = serve(readers=1)
    path, lists = "/twin/v1/branches", "/ibmmq/rest/v1/admin/qmgr/PR1/queue?name=OLD*"
    shown, metrics = service.reader.get, "/metrics?branch=lab"

    def listed() -> list[str]:
        answer = shown(lists, headers={"twin-branch": "lab"})
        return [queue["name"] for queue in answer.json()["queue"]]

    made = service.admin.post(path, json={"name": "lab"}, headers=CSRF)
    assert made.status_code == 201, made.text
    with Twin.open(service.log_url) as twin:
        twin.on_branch("lab").runmqsc("PR1", "DEFINE QLOCAL(OLD1)")
    assert (listed(), 'queue="OLD1"' in shown(metrics).text) == (["OLD1"], True)
    deleted = service.admin.delete(f"{path}/lab", headers=CSRF)
    assert deleted.status_code == 204
    assert shown(lists, headers={"twin-branch": "lab"}).status_code == 404
    assert shown(metrics).status_code == 404
    assert service.admin.post(path, json={"name": "lab"}, headers=CSRF).status_code == 201
    assert (listed(), 'queue="OLD1"' in shown(metrics).text) == ([], False)


def test_branches_that_cannot_be_are_refused(serve: Serve) -> None:
    """Main stays, a parent must exist, and a fork in the future is refused."""
    service = serve()
    head = service.head()
    path = "/twin/v1/branches"
    assert service.admin.delete(f"{path}/main", headers=CSRF).status_code == 400
    for body, status in (
        ({"name": ""}, 400),
        ({"name": "b", "parent": "none"}, 404),
        ({"name": "b", "at": "+1d"}, 400),
        ({"name": "b", "at": "soon"}, 400),
        ({"parent": "main"}, 400),
    ):
        answer = service.admin.post(path, json=body, headers=CSRF)
        assert answer.status_code == status, answer.text
    assert service.head() == head


def test_a_point_beside_the_body_is_refused(serve: Serve) -> None:
    """A branch forks where its body says; a header with another instant would be ignored."""
    service = serve()
    path, headers = "/twin/v1/branches", CSRF | {"twin-as-of": "-1h"}
    refused = service.admin.post(path, json={"name": "b"}, headers=headers)
    assert (refused.status_code, refused.json()["error"]) == (400, "PointNotTaken")
    assert service.admin.delete(f"{path}/b?branch=b", headers=CSRF).status_code == 400
    assert len(service.reader.get(path).json()["rows"]) == 1


def test_a_header_and_a_parameter_that_differ_are_refused(demo_service: Served) -> None:
    """Neither wins; the same value in both is no conflict."""
    get = demo_service.reader.get
    for path in ("/twin/v1/ask/members", "/ibmmq/rest/v3/admin/qmgr"):
        for value, status in (("-2h", 400), ("-1h", 200)):
            answer = get(f"{path}?twin-as-of=-1h", headers={"twin-as-of": value})
            assert answer.status_code == status, answer.text
