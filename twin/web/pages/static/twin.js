// The time bar and the keyboard. Everything else works without this file.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const bar = byId("time");
  if (!bar) return;
  const stops = JSON.parse(bar.dataset.stops);
  const instant = byId("instant"), reference = byId("reference");
  let wanted = null, loading = false, timer = null;

  // The URL of this page with some parameters changed; null or "" leaves one out.
  function urlWith(changes) {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    }
    return url.pathname + url.search;
  }

  // Load a URL into the page. While one loads, only the last one that was asked for waits.
  async function show(url) {
    wanted = url;
    if (loading) return;
    loading = true;
    try {
      while (wanted !== null) {
        const next = wanted;
        wanted = null;
        await htmx.ajax("GET", next, {
          target: "#page", select: "#page", swap: "outerHTML", selectOOB: "#steps:outerHTML", replace: next,
        });
      }
    } finally { loading = false; }
  }

  function place(mark, range) {
    const x = 100 * range.value / Math.max(range.max, 1) + "%";
    mark.setAttribute("x1", x);
    mark.setAttribute("x2", x);
    mark.setAttribute("visibility", range.hidden ? "hidden" : "visible");
  }

  function draw() {
    place(byId("mark"), instant);
    place(byId("mark-against"), reference);
  }

  function followPage() {
    const steps = byId("steps");
    if (document.activeElement !== instant) instant.value = steps.dataset.index;
    const shown = document.querySelector(".when time");
    if (shown) {
      instant.setAttribute("aria-valuetext", shown.textContent);
      byId("announce").textContent = "as of " + shown.textContent;
    }
    if (document.activeElement !== byId("local")) byId("local").value = steps.dataset.local;
    byId("play").hidden = false;
    byId("play").setAttribute("aria-pressed", String(timer !== null));
    byId("play").textContent = timer === null ? "play" : "stop";
    draw();
  }

  function step(id) {
    const link = byId(id);
    if (!link.href) return false;
    show(link.getAttribute("href"));
    return true;
  }

  function play(on) {
    clearInterval(timer);
    timer = on ? setInterval(() => { if (!loading && !step("after")) play(false); }, 600) : null;
    followPage();
  }

  instant.addEventListener("input", () => {
    draw();
    instant.setAttribute("aria-valuetext", stops[instant.value] || "now");
    show(urlWith({ "as-of": stops[instant.value] }));
  });
  reference.addEventListener("input", () => {
    draw();
    show(urlWith({ against: stops[reference.value] || null }));
  });
  byId("compare").hidden = false;
  byId("compare").addEventListener("click", () => {
    reference.hidden = !reference.hidden;
    byId("compare").setAttribute("aria-pressed", String(!reference.hidden));
    if (!reference.hidden) reference.value = Math.max(0, instant.value - 1);
    draw();
    show(urlWith({ against: reference.hidden ? null : stops[reference.value] }));
  });
  byId("zone").addEventListener("change", (event) => event.target.form.requestSubmit());
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (own && !byId("zones").querySelector(`option[value="${CSS.escape(own)}"]`)) {
    byId("zones").append(new Option(own, own));
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#before, #after");
    if (link && link.href && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      step(link.id);
    } else if (event.target.closest("#play")) {
      play(timer === null);
    }
  });

  document.addEventListener("submit", (event) => {
    // A form that asks: leave empty fields out of the URL.
    if (event.target.method !== "get") return;
    for (const field of event.target.elements) if (field.name && field.value === "") field.disabled = true;
  });
  addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("form [name]:disabled")) field.disabled = false;
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-submits]")) event.target.form.requestSubmit();
    if (event.target.matches("select[data-step]")) nameFields(event.target);
  });

  // The fields of a step of a what-if: only those that the step needs, each with an example.
  function nameFields(choice) {
    const { at, what, example } = choice.selectedOptions[0].dataset;
    if (at === undefined) return;
    for (const [name, text] of [["on", at], ["what", what]]) {
      const field = choice.form.elements[name];
      field.closest("label").hidden = !text;
      field.disabled = !text;
      field.closest("label").querySelector("span").textContent = text;
    }
    choice.form.elements.what.placeholder = example;
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || byId("help").open) return;
    const find = document.querySelector("[data-find]");
    const keys = {
      ArrowLeft: () => step("before"),
      ArrowRight: () => step("after"),
      p: () => play(timer === null),
      n: () => show(urlWith({ "as-of": null, "known-at": null })),
      "?": () => byId("help").showModal(),
      "/": () => (find || instant).focus(),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target.id === "page" || event.detail.target.id === "steps") followPage();
  });
  document.addEventListener("htmx:responseError", (event) => {
    const { target, xhr } = event.detail;
    // The service is busy: a part of a page waits for its turn, and asks again.
    const tried = Number(target.dataset.tried || 0);
    if (xhr.status === 503 && target.matches("[hx-trigger*=again]") && tried < 5) {
      target.dataset.tried = tried + 1;
      setTimeout(() => htmx.trigger(target, "again"), 2000 * (tried + 1));
      return;
    }
    const problem = new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector("[role=alert]");
    const text = `This could not be loaded: ${problem ? problem.textContent : xhr.status}`;
    byId("announce").textContent = text;
    if (target.id !== "page") {
      target.textContent = text;
      target.className = "banner bad";
      target.setAttribute("role", "alert");
    }
  });
  followPage();
})();
