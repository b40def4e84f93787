"""docs/rest.md agrees with the routes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from tests.web.mqweb.rest import Rest
from twin.web.mqweb import channels, commands, messages, queue_managers, queues

PAGE: Final = Path(__file__).parents[3] / "docs" / "rest.md"
_NAMES: Final = {
    "qmgr": "QM",
    "queue": "Q",
    "channel": "C",
    "subscription": "S",
    "name": "NAME",
}


def test_the_page_lists_every_resource() -> None:
    """Each path is in the table with its methods, and nothing else is, apart from login."""
    served: dict[str, set[str]] = {}
    for part in (commands, queue_managers, queues, channels, messages):
        for route in part.router.routes:
            path = re.sub(r"\{(\w+)\}", lambda found: _NAMES[found[1]], getattr(route, "path", ""))
            served.setdefault(path, set()).update(getattr(route, "methods", ()))
    listed: dict[str, set[str]] = {}
    rows = re.findall(r"^\| `(/[^`]+)` \| ([A-Z, ]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    for path, methods in rows:
        whole, bracket, rest = path.partition("[")
        listed.setdefault(whole, set()).update(methods.split(", "))
        if bracket:
            listed.setdefault(whole + rest.rstrip("]"), set()).update(methods.split(", "))
    del listed["/login"]
    assert listed.keys() == served.keys()
    for path, methods in served.items():
        assert methods <= listed[path], path


def test_the_examples_of_the_page_are_commands(shop: Rest) -> None:
    """Each example of a request is understood."""
    blocks = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    requests = [block for block in blocks if '"type": "runCommand' in block]
    assert len(requests) == 2
    for request in requests:
        answer = shop.run(json.loads(request))
        assert answer.status_code == 200
        assert answer.json()["commandResponse"][0]["reasonCode"] == 2085
