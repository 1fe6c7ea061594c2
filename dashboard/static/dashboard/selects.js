// A closed list cuts what is longer than itself: in a form that asks for it, the whole of what is chosen then stands below it.
"use strict";

(() => {
  // How wide a closed list has to be for this text, with whatever mark this browser gives it
  function widthOf(text, select) {
    const twin = select.cloneNode(false);
    for (const name of ["id", "name"]) twin.removeAttribute(name);
    Object.assign(twin.style, { position: "fixed", width: "max-content" });
    twin.append(new Option(text));
    select.after(twin);
    const width = twin.offsetWidth;
    twin.remove();
    return width;
  }

  for (const select of document.querySelectorAll("[data-upload] select")) {
    const whole = document.createElement("p");
    whole.className = "help";
    whole.setAttribute("aria-hidden", "true"); // the list itself is read out in full
    select.after(whole);
    const show = () => {
      whole.textContent = select.selectedOptions[0]?.text ?? "";
      whole.hidden = widthOf(whole.textContent, select) <= select.offsetWidth;
    };
    select.addEventListener("change", show);
    new ResizeObserver(show).observe(select);
  }
})();
