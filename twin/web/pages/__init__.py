"""Pages for a browser: each view is one module, its URL can be pasted into a ticket.

A view is a module, a template and a row. The module has a function `show(reading) ->
PageContent`: it asks its questions by `reading.ask(name, **filters)`, which are all answered at
the point of the page, and returns a title, the values of its template, its tables
(`PageTable.of(answer)`, for `.json` and `.csv`), and the same as command lines
(`reading.place.command("ask", name, on=...)`). The template, `templates/NAME.html`, extends
`layout.html` and fills the blocks `main` and `side`; it has `place.url(...)` for links (every
parameter of the place goes with them; `place.url("qmgr", on=name)` leads to another view),
`time(instant)`, the macros `parts.basis`, `parts.status` and `parts.qmgr`, and no inline script
or style, which the browser refuses. The row is a `PageView(name=..., title=..., show=...)` in the
table of `catalogue.py`; the head, the navigation, the time bar, the commands and the routes
follow from it. A view's own parameters are `reading.place.own`; `own` of the row says what each
takes (`parameters.py`), and `view.py` refuses other values. What takes longer than a page may
is `long=function` of the row: it takes a `PageRequest`, uses `page.service.workers.run_on(...)`,
and returns a `PageContent` for `templates/NAME_result.html`. The template loads it by the macro
`parts.result`, and its tables are those of `.json` and `.csv`. Other parts are `parts={"PART":
function}`, loaded from `place.url(suffix='/part/PART')` into `templates/NAME_PART.html`. Forms are
routes of a router in the module, `actions` of the row; each has the hidden field `form_token`, and
one that records something demands a `Writer`. What a form takes and does not record leads to a URL
by a redirect, without passwords (`scripts.py`). In tests the fixtures
`estate` and `open_page` of `tests/web/pages/conftest.py` give a service with a small estate and
pages in Chromium; tests of all views (axe, phone, network cut, security policy) take the new view
from the table.
"""
