"""A real browser for tests: Chromium from the distribution's packages, driven by playwright."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final, TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.patience import PATIENCE
from tests.web.serving import PASSWORD

OpenPage: TypeAlias = Callable[..., Page]
"""Opens a URL in a browser of its own; options are those of a context of playwright."""

_SERIOUS: Final = {"serious", "critical"}
MILLISECONDS: Final = PATIENCE * 1000
"""The patience of tests in milliseconds: how long a page may take to show what is expected."""

_MISSING: Final = "no Chromium: install the distribution's package chromium"


def authorization() -> str:
    """Return the header of the user `admin`."""
    token = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
    return f"Basic {token}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start Chromium for the tests of a file; skip them by name where it is missing.

    Playwright keeps an event loop running in this thread, which tests of other files may not have.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    expect.set_options(timeout=MILLISECONDS)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=sandbox, timeout=MILLISECONDS
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Open URLs as user `admin`; at the end no page may have reported an error."""
    problems: list[str] = []
    with ExitStack() as opened:

        def open_one(url: str, **options: Any) -> Page:
            headers = {"Authorization": authorization()}
            context = chromium.new_context(extra_http_headers=headers, **options)
            opened.callback(context.close)
            context.set_default_timeout(MILLISECONDS)
            page = context.new_page()
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda line: _note(problems, line))
            page.goto(url)
            return page

        yield open_one
    assert problems == [], problems


def _note(problems: list[str], line: Any) -> None:
    """Note an error of a page, among them each breach of its security policy."""
    if line.type == "error":
        problems.append(line.text)


def serious_violations(page: Page, *rules: str) -> list[str]:
    """Return what axe finds in a page that keeps people from using it, by all rules or by some."""
    chosen = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    options = {"resultTypes": ["violations"], **chosen}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {node['html'][:200]}"
        for each in found
        if each["impact"] in _SERIOUS
        for node in each["nodes"]
    ]
