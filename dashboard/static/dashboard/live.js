// Keeps a page right: every few seconds it fetches the page's live parts and replaces those that changed, by their id.
// refresh() is all there is to call; whatever announces changes sooner calls the same function.
"use strict";

(() => {
  const live = document.querySelector("[data-live-url]");
  if (!live) return;
  const indicator = document.querySelector("[data-indicator]");
  const spoken = document.getElementById("spoken");
  const interval = Number(live.dataset.pollSeconds) * 1000;
  const seen = new Map(); // id → the server's own text of that element, which the browser may have changed since (open folds)
  let etag = null;
  let timer = 0;
  let running = null;
  let lastGood = new Date();
  let lastSpoken = 0;

  const units = (root) => root.querySelectorAll("[data-part], [data-row]");
  const ownText = (unit) => {
    if (!unit.hasAttribute("data-rows")) return unit.outerHTML;
    return unit.id; // a list of rows: each row is a unit of its own
  };
  for (const unit of units(live)) seen.set(unit.id, ownText(unit));

  function show(state) {
    if (!indicator) return;
    indicator.dataset.state = state;
    const since = lastGood.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
    indicator.textContent = indicator.dataset[state].replace("{time}", since);
    live.classList.toggle("is-stale", state === "disconnected");
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
    const made = document.importNode(fresh, true);
    for (const fold of made.querySelectorAll("details[id]")) if (open.has(fold.id)) fold.open = open.get(fold.id);
    old.replaceWith(made);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  function updateRows(list, fresh) {
    const wanted = new Set([...fresh.children].map((row) => row.id));
    for (const row of [...list.children]) {
      if (wanted.has(row.id) || isInUse(row)) continue;
      seen.delete(row.id);
      row.remove();
    }
    let before = list.firstElementChild;
    for (const row of fresh.children) {
      const old = document.getElementById(row.id);
      if (!old) {
        list.insertBefore(document.importNode(row, true), before);
        seen.set(row.id, row.outerHTML);
        continue;
      }
      before = old.nextElementSibling;
      update(old, row);
    }
  }

  function update(old, fresh) {
    if (fresh.hasAttribute("data-rows")) return updateRows(old, fresh);
    if (seen.get(fresh.id) === fresh.outerHTML || isInUse(old)) return;
    seen.set(fresh.id, fresh.outerHTML);
    replace(old, fresh);
  }

  function take(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const parts = fresh.querySelectorAll("[data-part]");
    if (parts.length === 0) throw new Error("not the fragment: signed out, or another page");
    for (const part of parts) {
      const old = document.getElementById(part.id);
      if (old) update(old, part);
    }
    const head = fresh.querySelector("[data-title]");
    if (!head) return;
    document.title = head.dataset.title;
    const now = Date.now();
    if (spoken && spoken.textContent !== head.dataset.spoken && now - lastSpoken > 5000) {
      spoken.textContent = head.dataset.spoken;
      lastSpoken = now;
    }
  }

  async function fetchOnce() {
    try {
      const headers = etag ? { "If-None-Match": etag } : {};
      const answer = await fetch(live.dataset.liveUrl + location.search, { headers, cache: "no-store", signal: AbortSignal.timeout(9000) });
      if (answer.status !== 304) {
        if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
        take(await answer.text());
        etag = answer.headers.get("ETag");
      }
      lastGood = new Date();
      show(isHearing() ? "live" : "polling");
    } catch {
      show("disconnected");
    }
  }

  function refresh() {
    clearTimeout(timer);
    running ??= fetchOnce().finally(() => {
      running = null;
      if (!document.hidden) timer = setTimeout(refresh, interval);
    });
    return running;
  }

  // The stream only says that something has changed. It keeps saying that it is there, too: a line that has gone silent is not "live".
  const SILENCE = 45000;
  let stream = null;
  let lastHeard = 0;
  const isHearing = () => stream?.readyState === EventSource.OPEN && Date.now() - lastHeard < SILENCE;

  function listen() {
    if (stream || document.hidden || !live.dataset.streamUrl) return;
    stream = new EventSource(live.dataset.streamUrl);
    const heard = () => (lastHeard = Date.now());
    for (const name of ["stream-open", "keep-alive"]) stream.addEventListener(name, heard);
    for (const name of ["changed", "resync"]) stream.addEventListener(name, () => (heard(), refresh()));
    stream.addEventListener("stream-open", refresh);
    stream.addEventListener("error", () => {
      if (stream?.readyState !== EventSource.CLOSED) return; // the browser comes back by itself
      hangUp();
      setTimeout(listen, 30000 + Math.random() * 30000);
    });
  }

  function hangUp() {
    stream?.close();
    stream = null;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return hangUp();
    refresh();
    listen();
  });
  window.addEventListener("pagehide", hangUp);
  window.addEventListener("online", refresh);
  show("polling");
  timer = setTimeout(refresh, interval);
  listen();
})();
