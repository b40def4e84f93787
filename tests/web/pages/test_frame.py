"""What all pages share: the URL, the head, the files, the tables for programs, and security."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from pathlib import Path
from typing import Final

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.web.browser import MILLISECONDS, OpenPage, serious_violations
from tests.web.serving import PASSWORD, Served
from twin.web.pages import rendering
from twin.web.pages.routes import VIEWS

HTMX: Final = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
"""The SHA-256 digest of htmx 2.0.11, as its package on npm has it."""


def test_the_vendored_library_is_the_published_one() -> None:
    """The file of htmx is, byte for byte, the one of its release, and its licence is beside it."""
    vendor = rendering.STATIC / "vendor"
    content = (vendor / "htmx-2.0.11.min.js").read_bytes()
    assert hashlib.sha256(content).hexdigest() == HTMX
    assert "Zero-Clause BSD" in (vendor / "htmx-LICENSE.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("view", [name for name in VIEWS if VIEWS[name].title])
def test_each_view_says_that_it_is_a_twin(estate: Served, view: str) -> None:
    """Each view and its header `Server` say that this is a twin, and allow no inline script."""
    answer = estate.admin.get(f"/{'' if view == 'estate' else view}")
    assert answer.status_code == 200
    assert "a twin, not MQ" in answer.text
    assert "not IBM MQ" in answer.headers["server"]
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+=|javascript:", answer.text)


def test_the_tables_of_a_page_are_for_programs_too(estate: Served) -> None:
    """The same URL with .json and .csv has the rows of the page, and the commands."""
    document = estate.admin.get("/estate.json", params={"cluster": "SALES"}).json()
    names = [row["qmgr"] for row in document["tables"]["members"]["rows"]]
    assert names == ["FR1", "FR2", "QM1", "QM2", "QM3", "QM4"]
    assert "twin ask members --cluster SALES" in document["commands"]
    lines = csv.DictReader(io.StringIO(estate.admin.get("/estate.csv?cluster=SALES").text))
    assert [line["qmgr"] for line in lines] == names


def test_a_file_is_cached_for_ever_under_its_digest_alone(estate: Served) -> None:
    """A file may be kept only under the URL with its digest; no path leads out of the folder."""
    url = rendering.static_url("", "twin.css")
    assert "immutable" in estate.admin.get(url).headers["cache-control"]
    assert (
        "immutable"
        not in estate.admin.get("/static/000000000000/twin.css").headers["cache-control"]
    )
    outside = estate.admin.get("/static/0/%2e%2e/%2e%2e/rendering.py")
    assert outside.status_code == 404
    assert Path(rendering.__file__).name not in outside.text


def test_nothing_is_fetched_from_outside(estate: Served, open_page: OpenPage) -> None:
    """A page loads all that it needs from the service itself."""
    page = open_page("about:blank")
    outside: list[str] = []

    def allow(route: object, request: object) -> None:
        address = request.url  # type: ignore[attr-defined]
        if address.startswith(estate.url):
            route.continue_()  # type: ignore[attr-defined]
        else:
            outside.append(address)
            route.abort()  # type: ignore[attr-defined]

    page.route("**/*", allow)
    for view in VIEWS.values():
        if view.title:
            page.goto(f"{estate.url}/{'' if view.name == 'estate' else view.name}")
            page.wait_for_load_state("networkidle")
            assert page.get_by_role("main").is_visible()
    assert outside == []


@pytest.mark.parametrize("view", [name for name in VIEWS if VIEWS[name].title])
def test_each_view_can_be_used_by_everybody(estate: Served, open_page: OpenPage, view: str) -> None:
    """The tool axe finds nothing serious in any view; of dark colours it checks the contrast."""
    path = "" if view == "estate" else view
    page = open_page(f"{estate.url}/{path}", color_scheme="light", reduced_motion="reduce")
    assert serious_violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert serious_violations(page, "color-contrast") == []


def test_no_page_is_wider_than_a_phone(estate: Served, open_page: OpenPage) -> None:
    """On a phone a page is as wide as the screen; only tables scroll by themselves."""
    page = open_page("about:blank", viewport={"width": 390, "height": 844})
    for view in VIEWS.values():
        if view.title:
            page.goto(f"{estate.url}/{'' if view.name == 'estate' else view.name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_instants_are_written_in_the_chosen_zone(estate: Served) -> None:
    """Another time zone changes how instants are written, and an unknown one is refused."""
    shown = estate.admin.get(
        "/", params={"as-of": "2026-07-01T12:00:00Z", "zone": "Asia/Tokyo"}
    ).text
    assert "2026-07-01 21:00:00 +09:00" in shown
    assert 'datetime="2026-07-01T12:00:00Z"' in shown


def test_a_date_field_is_read_in_the_chosen_zone(estate: Served) -> None:
    """The date field leads to the view at that local time, with everything else unchanged."""
    answer = estate.admin.get(
        "/go",
        params={"view": "estate", "local": "2026-07-01T21:00:00", "zone": "Asia/Tokyo"}
        | {"cluster": "SALES"},
    )
    assert answer.status_code == 303
    expected = "/?as-of=2026-07-01T12%3A00%3A00Z&cluster=SALES&zone=Asia%2FTokyo"
    assert answer.headers["location"] == expected


@pytest.mark.parametrize(
    ("typed", "leads_to"),
    [
        ("/qmgr/GW%251", "/qmgr?on=GW%251"),
        ("/qmgr/A%2FB?zone=Asia/Tokyo", "/qmgr?zone=Asia%2FTokyo&on=A%2FB"),
        ("/why/QM1/ORDERS", "/why?on=QM1&queue=ORDERS"),
        ("/why/QM1", "/why?on=QM1"),
        ("/map/SALES", "/map?cluster=SALES"),
        ("/waiting/QM1/", "/waiting?on=QM1"),
        ("/findings/QM1", "/findings?on=QM1"),
        ("/log/164", "/log?position=164"),
        ("/estate", "/"),
        ("/qmgrs?cluster=SALES", "/qmgr?cluster=SALES"),
        ("/whatif", "/what-if"),
        ("/doctor", "/findings"),
    ],
)
def test_a_path_that_somebody_types_leads_to_the_view(
    estate: Served, typed: str, leads_to: str
) -> None:
    """A name after that of a view is what it shows, and the views have a few other names."""
    answer = estate.admin.get(typed)
    assert (answer.status_code, answer.headers["location"]) == (303, leads_to)


@pytest.mark.parametrize(
    ("local", "instant"),
    [
        ("2026-07-01 21:00", "2026-07-01T12:00:00Z"),
        (" 2026-07-01 21:00:30 ", "2026-07-01T12:00:30Z"),
        ("2026-07-01", "2026-06-30T15:00:00Z"),
        ("2026-07-01T12:00:00Z", "2026-07-01T12:00:00Z"),
    ],
)
def test_a_date_field_takes_a_time_of_24_hours(estate: Served, local: str, instant: str) -> None:
    """Its text has no am or pm; a pasted instant of UTC means that instant."""
    answer = estate.admin.get("/go", params={"local": local, "zone": "Asia/Tokyo"})
    assert httpx.URL(answer.headers["location"]).params["as-of"] == instant


def test_bad_input_is_answered_by_a_page_in_one_line(estate: Served) -> None:
    """An unknown zone, branch or instant is named on a page that leads back to the estate."""
    for query, problem in (
        ("zone=Nowhere/Land", "parameter zone"),
        ("branch=none", "none"),
        ("as-of=soon", "soon"),
        ("as-of=9000-01-01", "more than 400 days after now"),
        ("against=9000-01-01", "more than 400 days after now"),
    ):
        answer = estate.admin.get(f"/?{query}")
        assert 400 <= answer.status_code < 500
        assert problem in answer.text
        assert "To the estate as of now" in answer.text
    answer = estate.admin.get("/go?local=2026-13-01+10:00")
    assert answer.status_code == 400
    assert "expected a date and time, YYYY-MM-DD HH:MM[:SS]" in answer.text


def test_a_browser_signs_in_and_out_by_forms(estate: Served, chromium: Browser) -> None:
    """Without a token every page leads to the form to sign in, and from there back to the page."""
    with chromium.new_context() as context:
        context.set_default_timeout(MILLISECONDS)
        page = context.new_page()
        page.goto(f"{estate.url}/map?cluster=SALES")
        page.get_by_label("User").fill("reader")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="SALES as it is")).to_be_visible()
        page.get_by_role("button", name="sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.goto(f"{estate.url}/map")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_instants_in_texts_are_written_in_the_chosen_zone(estate: Served) -> None:
    """What a question says in words has no instants of another zone than the page."""
    url = "/why?on=QM1&queue=ORDERS&zone=Asia/Tokyo"
    banner = re.search(r"The message would wait:</b>(.*)</p>", estate.admin.get(url).text)
    assert banner is not None
    assert "<time datetime=" in banner[1]
    assert "+09:00</time>." in banner[1]


def test_paper_has_light_colours_and_cuts_nothing(estate: Served, open_page: OpenPage) -> None:
    """Who works in dark colours prints dark text on white, and wide tables are whole."""
    page = open_page(
        f"{estate.url}/qmgr?on=QM1", color_scheme="dark", viewport={"width": 718, "height": 900}
    )
    expect(page.locator(".gantt svg")).to_be_visible()
    page.emulate_media(media="print")
    colours = page.locator("h1").evaluate("h1 => getComputedStyle(h1).color")
    assert colours == "rgb(23, 32, 44)"
    assert page.locator(".scroll").evaluate_all(
        "all => all.every(one => one.scrollWidth <= one.clientWidth + 1)"
    )
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()


@pytest.mark.parametrize("view", [*VIEWS])
def test_a_page_before_the_log_begins_says_so(estate: Served, view: str) -> None:
    """Otherwise it would look like an estate with nothing in it, and nothing wrong."""
    path = "/" if view == "estate" else f"/{view}"
    early = estate.reader.get(f"{path}?as-of=2001-01-01").text
    (banner,) = re.findall(r'<p class="banner warn" role="status">(.*?)</p>', early)
    assert banner.startswith("the log begins at <time")
    assert "2001-01-01" in banner
    assert "the log begins at" not in estate.reader.get(path).text
    compared = estate.reader.get(f"{path}?against=2001-01-01").text
    assert "the log begins at" in compared


def test_what_does_not_exist_before_the_log_begins_is_answered_with_its_beginning(
    estate: Served,
) -> None:
    """A queue manager of the log is not called unknown then."""
    answer = estate.reader.get("/qmgr?on=QM1&as-of=2001-01-01")
    assert answer.status_code == 404
    assert "the log begins at" in answer.text
    assert "AMQ8118E" not in answer.text


_NOUNS = "message|channel|queue manager|rule|event|kind|finding|warning|error|cluster|file"
_BETWEEN = r"(?:more |cluster )?"
_ALONE = r"(?<![\w:.-])"


@pytest.mark.parametrize("service", ["estate", "demo_service"])
def test_numbers_and_nouns_agree(service: str, request: pytest.FixtureRequest) -> None:
    """No page and no part of one says `1 channels` or `7 warning`."""
    served: Served = request.getfixturevalue(service)
    urls = ["/findings/part/result?severity=error", "/findings/part/result?severity=info"]
    for name, view in VIEWS.items():
        parts = [*view.parts, *(["result"] if view.long else [])]
        urls += ["/" if name == "estate" else f"/{name}", *(f"/{name}/part/{p}" for p in parts)]
    for url in urls:
        said = re.sub(r"<[^>]*>", "", served.reader.get(url).text)
        many = rf"{_ALONE}(?:0|[2-9]|\d{{2,}}) {_BETWEEN}(?:{_NOUNS})\b(?! (?:channel|command))"
        assert not re.findall(rf"{_ALONE}1 {_BETWEEN}(?:{_NOUNS})s\b", said), url
        assert not re.findall(many, said), url


def test_findings_that_were_not_looked_for_are_no_0(estate: Served) -> None:
    """Before the log begins no rule is checked, so no number stands beside the view."""
    part = estate.reader.get("/estate/part/findings?as-of=2001-01-01").text
    assert "No rule was checked" in part
    assert re.search(r'<span id="count-findings" class="count"[^>]*></span>', part)
    assert "0 queue managers" not in estate.reader.get("/?as-of=2001-01-01").text


def test_the_map_speaks_of_cluster_channels_only(demo_service: Served) -> None:
    """FR1 has a sender channel of no cluster that is RETRYING: the map does not show it."""
    page = demo_service.reader.get("/map").text
    assert "All cluster channels deliver." in page
    assert "All channels" not in page
