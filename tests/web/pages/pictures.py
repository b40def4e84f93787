"""Make the pictures of docs/pages.md: `python -m tests.web.pages.pictures [FOLDER]`.

They show the scene of the tests, as Chromium draws it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.web.browser import authorization
from tests.web.pages.scene import build
from tests.web.serving import make_users, served

FOLDER: Final = Path(__file__).parents[3] / "docs" / "images"

_SCREEN: Final = {"width": 1240, "height": 720}
_PHONE: Final = {"width": 390, "height": 844}

PICTURES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "estate": ("/", {"viewport": _SCREEN}),
    "map-eyes": ("/map?cluster=SALES&eyes=QM1", {"viewport": _SCREEN}),
    "map-dark": ("/map?cluster=SALES&qmgr=QM1", {"viewport": _SCREEN, "color_scheme": "dark"}),
    "queue-manager": ("/qmgr?on=QM1", {"viewport": _SCREEN}),
    "why": ("/why?on=QM1&queue=ORDERS", {"viewport": _SCREEN}),
    "findings": ("/findings", {"viewport": _SCREEN}),
    "what-if": (
        "/what-if?steps=heal+QM1+QM3%0AQM1:+START+CHANNEL(SALES.QM4)%0Aendmqm+FR2%0Apass+1h",
        {"viewport": {"width": 1240, "height": 980}},
    ),
    "phone": ("/?cluster=SALES", {"viewport": _PHONE}),
}
"""Name -> path, and how it is shown."""


def main(folder: Path) -> None:
    """Make all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        log = Path(made) / "twin.db"
        build(f"sqlite:///{log}")
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        with served(log, make_users(Path(made) / "users.json"), read_only=True) as service:
            for name, (path, options) in PICTURES.items():
                headers = {"Authorization": authorization()}
                with browser.new_context(extra_http_headers=headers, **options) as context:
                    page = context.new_page()
                    page.goto(service.url + path)
                    page.wait_for_load_state("networkidle")
                    page.screenshot(path=folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
