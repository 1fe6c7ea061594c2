// Buttons that copy a text. Their parts of the page may be replaced at any time, so one listener serves all of them.
"use strict";

(() => {
  if (!navigator.clipboard) return; // plain http to another machine: the browser forbids it, and the text can be selected
  const reveal = () => document.querySelectorAll("[data-copy][hidden]").forEach((button) => (button.hidden = false));
  reveal();
  new MutationObserver(reveal).observe(document.getElementById("main"), { childList: true, subtree: true });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.classList.add("is-done");
    setTimeout(() => button.classList.remove("is-done"), 1500);
  });
})();
