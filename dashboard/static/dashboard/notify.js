// An extraction that somebody waits for: asks the browser for leave to say so when it has ended, and says it once.
"use strict";

(() => {
  const form = document.querySelector("[data-await]");
  if (!form || !("Notification" in window)) return;
  form.addEventListener("submit", () => {
    // The answer may come after the page has gone; what counts is what the browser remembers
    if (!form.hasAttribute("data-awaited") && Notification.permission === "default") Notification.requestPermission();
  });
  document.addEventListener("live-finished", () => {
    const text = document.querySelector("[data-spoken]")?.dataset.spoken ?? "";
    if (form.hasAttribute("data-awaited") && Notification.permission === "granted") new Notification(document.title, { body: text });
    form.hidden = true;
  });
})();
