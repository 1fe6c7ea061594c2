// Keys for those who like them: "?" shows what works on this page. They can be switched off, and never get in the way of typing.
"use strict";

(() => {
  const KEY = "agentaudit-keys";
  const sheet = document.querySelector("[data-keys]");
  if (!sheet) return;
  const box = sheet.querySelector("[data-keys-on]");
  const stored = () => {
    try {
      return localStorage.getItem(KEY) !== "off";
    } catch {
      return true; // storage is switched off: as it is by itself
    }
  };
  let isOn = stored();
  box.checked = isOn;
  box.addEventListener("change", () => {
    isOn = box.checked;
    try {
      localStorage.setItem(KEY, isOn ? "on" : "off");
    } catch {
      // lasts for this page only
    }
  });

  // The place of the next value that needs a look, after the one that the address points at
  const nextFlagged = () => {
    const places = [...document.querySelectorAll("[data-flagged]")].map((value) => value.id.replace("value-", "box-"));
    const here = places.indexOf(location.hash.slice(1));
    if (places.length) location.hash = places[(here + 1) % places.length];
  };

  const actions = {
    "/": () => document.querySelector("input[type=search]")?.focus(),
    r: () => document.dispatchEvent(new CustomEvent("toggle-live")),
    n: () => document.querySelector("a[rel=next]")?.click(),
    p: () => document.querySelector("a[rel=prev]")?.click(),
    f: nextFlagged,
    d: () => document.querySelector("[data-switch]")?.click(),
    h: () => document.querySelector(".sheet")?.classList.toggle("is-bare"),
  };
  const open = () => {
    for (const line of sheet.querySelectorAll("[data-when]")) line.hidden = !document.querySelector(line.dataset.when);
    sheet.showModal();
  };
  for (const button of document.querySelectorAll("[data-open-keys]")) {
    button.hidden = false;
    button.addEventListener("click", open);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || sheet.open) return;
    if (event.target.closest("input, textarea, select, [contenteditable]") || !isOn) return;
    const action = event.key === "?" ? open : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
