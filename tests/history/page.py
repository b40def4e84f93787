"""What a report's page is made of."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Self


class Page(HTMLParser):
    """Collects the elements of a page, and its references."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.targets: set[str] = set()
        self.ids: set[str] = set()
        self.handlers: list[str] = []

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a page."""
        page = cls()
        page.feed(text)
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and its attributes."""
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "xlink:href", "srcset", "data", "action"):
                self.targets.add(value or "")
            if name == "id":
                self.ids.add(value or "")
            if name.startswith("on"):
                self.handlers.append(name)
