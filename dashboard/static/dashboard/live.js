// Keeps a page right: every few seconds it fetches the page's live parts and replaces those that changed, by their id.
// refresh() is all there is to call; whatever announces changes sooner calls the same function.
"use strict";

(() => {
  const live = document.querySelector("[data-live-url]");
  if (!live) return;
  const indicator = document.querySelector("[data-indicator]");
  const pauseButton = document.querySelector("[data-pause]");
  const spoken = document.getElementById("spoken");
  const interval = Number(live.dataset.pollSeconds) * 1000;
  const least = Number(live.dataset.leastSeconds ?? 0.25) * 1000; // between two fetches, however much is announced
  const settle = Number(live.dataset.settleSeconds ?? 0) * 1000; // how old the server's numbers may be: so long after news they hold it
  const seen = new Map(); // id → the server's own text of that element, which the browser may have changed since (open folds)
  let etag = null;
  let timer = 0;
  let settling = 0;
  let running = null;
  let wantedAgain = false; // something was announced while a fetch was under way, which may have read what was before
  let startedAt = -Infinity;
  let lastGood = new Date();
  let isLost = false;
  let lastSpoken = 0;
  let isPaused = false;
  let isFinished = live.querySelector("[data-final]") !== null;

  const units = (root) => root.querySelectorAll("[data-part], [data-row]");
  const ownText = (unit) => {
    if (!unit.hasAttribute("data-rows")) return unit.outerHTML;
    return unit.id; // a list of rows: each row is a unit of its own
  };
  for (const unit of units(live)) seen.set(unit.id, ownText(unit));

  const goesOnHidden = live.hasAttribute("data-while-hidden"); // somebody waits for its end: it is looked for once a minute
  const isAtRest = () => isPaused || isFinished || (document.hidden && !goesOnHidden);

  function show() {
    const state = isFinished && !isLost ? "finished" : isPaused ? "paused" : isLost ? "disconnected" : isHearing() ? "live" : "polling";
    live.classList.toggle("is-stale", state === "disconnected");
    if (pauseButton) pauseButton.hidden = isFinished; // nothing comes any more that could be held back
    if (!indicator || (indicator.dataset.state === state && state !== "disconnected")) return;
    indicator.dataset.state = state;
    const since = lastGood.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const text = indicator.dataset[state].replace("{time}", since);
    if (indicator.textContent !== text) indicator.textContent = text;
  }

  // Somebody types, selects or has a menu open in it: leave it for the next round
  function isInUse(unit) {
    const active = document.activeElement;
    if (unit.contains(active) && active.matches("input, textarea, select")) return true;
    const selection = getSelection();
    return !selection.isCollapsed && unit.contains(selection.anchorNode);
  }

  function replace(old, fresh) {
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const open = new Map([...old.querySelectorAll("details[id]")].map((fold) => [fold.id, fold.open]));
    const places = [...old.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
    const made = document.importNode(fresh, true);
    for (const fold of made.querySelectorAll("details[id]")) if (open.has(fold.id)) fold.open = open.get(fold.id);
    old.replaceWith(made);
    [...made.querySelectorAll(".scroll")].forEach((box, number) => places[number] && box.scrollTo(...places[number]));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  function updateRows(list, fresh) {
    const wanted = new Set([...fresh.children].map((row) => row.id));
    for (const row of [...list.children]) {
      if (wanted.has(row.id) || isInUse(row)) continue;
      seen.delete(row.id);
      row.remove();
    }
    const moves = !list.matches(":hover, :focus-within"); // a row stays where somebody points at it, until the next round
    let before = list.firstElementChild;
    for (const row of fresh.children) {
      const old = document.getElementById(row.id);
      if (!old) {
        list.insertBefore(document.importNode(row, true), before);
        seen.set(row.id, row.outerHTML);
        continue;
      }
      if (old === before || !moves) {
        if (old !== before) etag = null;
        before = old.nextElementSibling;
      } else list.insertBefore(old, before);
      update(old, row);
    }
  }

  function update(old, fresh) {
    if (fresh.hasAttribute("data-rows")) return updateRows(old, fresh);
    if (seen.get(fresh.id) === fresh.outerHTML) return;
    if (isInUse(old)) {
      etag = null; // has to come again, although the server has nothing newer
      return;
    }
    seen.set(fresh.id, fresh.outerHTML);
    replace(old, fresh);
  }

  // Parts that were not there before come where the server has them: after the part before them
  function place(part, parts) {
    const before = parts[parts.indexOf(part) - 1];
    const neighbour = before && document.getElementById(before.id);
    if (neighbour && neighbour.parentElement === live) neighbour.after(document.importNode(part, true));
    seen.set(part.id, part.outerHTML);
  }

  function take(html, tag) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const parts = [...fresh.querySelectorAll("[data-part]")];
    if (parts.length === 0) throw new Error("not the fragment: signed out, or another page");
    etag = tag;
    for (const part of parts) {
      const old = document.getElementById(part.id);
      if (old) update(old, part);
      else place(part, parts);
    }
    const wasFinished = isFinished;
    isFinished = fresh.querySelector("[data-final]") !== null;
    const head = fresh.querySelector("[data-title]");
    if (!head) return;
    document.title = head.dataset.title;
    if (isFinished && !wasFinished) document.dispatchEvent(new Event("live-finished"));
    const now = Date.now();
    // The end is always told: no later fetch would correct what was told before
    if (spoken && spoken.textContent !== head.dataset.spoken && (isFinished || now - lastSpoken > 5000)) {
      spoken.textContent = head.dataset.spoken;
      lastSpoken = now;
    }
  }

  async function fetchOnce() {
    startedAt = performance.now();
    wantedAgain = false;
    try {
      const headers = etag ? { "If-None-Match": etag } : {};
      const answer = await fetch(live.dataset.liveUrl + location.search, { headers, cache: "no-store", signal: AbortSignal.timeout(9000) });
      if (answer.status !== 304) {
        if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
        take(await answer.text(), answer.headers.get("ETag"));
      }
      lastGood = new Date();
      isLost = false;
    } catch {
      isLost = true;
    }
    show();
    if (isFinished && !isLost) hangUp();
  }

  function refresh() {
    clearTimeout(timer);
    if (isPaused) return;
    if (running) {
      wantedAgain = true;
      return;
    }
    const wait = startedAt + least - performance.now();
    if (wait > 0) {
      timer = setTimeout(refresh, wait);
      return;
    }
    running = fetchOnce().finally(() => {
      running = null;
      if (wantedAgain) refresh();
      else if (!isAtRest() || isLost) timer = setTimeout(refresh, document.hidden ? 60000 : interval);
    });
  }

  // The stream only says that something has changed. It keeps saying that it is there and hears, too: a line that has gone silent, or a
  // server that is deaf itself, is not "live".
  const SILENCE = 12000;
  let stream = null;
  let lastHeard = 0;
  const isHearing = () => stream?.readyState === EventSource.OPEN && Date.now() - lastHeard < SILENCE;

  function listen() {
    if (stream || isAtRest() || !live.dataset.streamUrl) return;
    stream = new EventSource(live.dataset.streamUrl);
    const heard = () => {
      lastHeard = Date.now();
      show();
    };
    const deaf = () => {
      lastHeard = 0;
      show();
    };
    stream.addEventListener("hearing", heard);
    stream.addEventListener("deaf", deaf);
    const news = () => {
      heard();
      refresh();
      if (!settle) return;
      clearTimeout(settling);
      settling = setTimeout(refresh, settle);
    };
    for (const name of ["changed", "resync"]) stream.addEventListener(name, news);
    stream.addEventListener("error", () => {
      deaf();
      refresh(); // whether the server is gone or only the stream, the answer tells
      if (stream?.readyState !== EventSource.CLOSED) return; // the browser comes back by itself
      hangUp();
      setTimeout(listen, 30000 + Math.random() * 30000);
    });
  }

  function hangUp() {
    stream?.close();
    stream = null;
  }

  function setPaused(value) {
    isPaused = value;
    pauseButton?.setAttribute("aria-pressed", String(value));
    if (value) {
      clearTimeout(timer);
      hangUp();
    } else {
      refresh();
      listen();
    }
    show();
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return hangUp();
    refresh();
    listen();
  });
  window.addEventListener("pagehide", hangUp);
  window.addEventListener("online", refresh);
  if (indicator) document.addEventListener("toggle-live", () => isFinished || setPaused(!isPaused));
  pauseButton?.addEventListener("click", () => setPaused(!isPaused));
  show();
  setInterval(show, 2000);
  if (!isFinished) timer = setTimeout(refresh, interval);
  listen();
})();
