// The list of tasks: one box picks all of the page.
"use strict";

(() => {
  const all = document.querySelector("[data-pick-all]");
  if (!all) return;
  const boxes = [...document.querySelectorAll("input[name=task]")];
  all.addEventListener("change", () => boxes.forEach((box) => (box.checked = all.checked)));
  for (const box of boxes) {
    box.addEventListener("change", () => {
      const picked = boxes.filter((other) => other.checked).length;
      all.checked = picked === boxes.length;
      all.indeterminate = picked > 0 && picked < boxes.length;
    });
  }
})();
