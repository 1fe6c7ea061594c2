// Makes the upload form comfortable: drop files or folders, see what will be left out and why before sending, watch them go.
// Without it the same form works as it stands.
"use strict";

(() => {
  const form = document.querySelector("[data-upload]");
  if (!form) return;
  const text = form.dataset;
  const maxFiles = Number(text.maxFiles);
  const maxBytes = Number(text.maxBytes);
  const list = form.querySelector("[data-list]");
  const summary = form.querySelector("[data-summary]");
  const problem = form.querySelector("[data-problem]");
  const send = form.querySelector("[data-send]");
  const sending = form.querySelector("[data-sending]");
  const bar = sending.querySelector("progress");
  const sentence = sending.querySelector("[data-sentence]");
  const drop = form.querySelector("[data-drop]");
  const inputs = { files: form.querySelector("#id_files"), folder: form.querySelector("#id_folder") };
  const chosen = []; // {file, why}: why is empty where the file will be sent
  const sentences = { empty: text.empty, limit: text.tooLarge, not_pdf: text.notPdf, unreadable: text.unreadable };
  let request = null;

  form.querySelector("[data-plain]").classList.add("visually-hidden");
  for (const input of Object.values(inputs)) {
    input.tabIndex = -1;
    input.required = false;
    input.removeAttribute("name"); // what is sent is the list, not what an input happens to hold
    input.addEventListener("change", () => {
      add([...input.files]);
      input.value = "";
    });
  }
  drop.hidden = false;
  for (const [name, input] of Object.entries(inputs)) form.querySelector(`[data-pick="${name}"]`).addEventListener("click", () => input.click());

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

  // A closed list cuts what is longer than itself: then the whole of what is chosen stands below it
  for (const select of form.querySelectorAll("select")) {
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

  function size(bytes) {
    const units = ["B", "KB", "MB", "GB"];
    let power = 0;
    while (bytes >= 1024 && power < units.length - 1) {
      bytes /= 1024;
      power += 1;
    }
    return `${bytes.toLocaleString(document.documentElement.lang, { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`;
  }

  async function whyNot(file) {
    if (file.size === 0) return "empty";
    if (file.size > maxBytes) return "limit";
    try {
      const start = new Uint8Array(await file.slice(0, 1029).arrayBuffer());
      return String.fromCharCode(...start).includes("%PDF-") ? "" : "not_pdf";
    } catch {
      return "unreadable";
    }
  }

  const isKnown = (file) =>
    chosen.some(({ file: other }) => other.name === file.name && other.size === file.size && other.lastModified === file.lastModified && (other.webkitRelativePath || "") === (file.webkitRelativePath || ""));

  async function add(files) {
    problem.hidden = true;
    const fresh = files.filter((file) => !isKnown(file));
    chosen.push(...(await Promise.all(fresh.map(async (file) => ({ file, why: await whyNot(file) })))));
    // What will not be sent comes first, so that nobody has to look for it
    chosen.sort((a, b) => (a.why === "") - (b.why === "") || a.file.name.localeCompare(b.file.name, undefined, { numeric: true }));
    draw();
  }

  function draw() {
    const rows = chosen.slice(0, 300).map((entry) => {
      const row = document.createElement("li");
      const cell = (className, content) => {
        const made = document.createElement("span");
        made.className = className;
        made.textContent = content;
        row.append(made);
      };
      row.classList.toggle("is-left-out", entry.why !== "");
      cell("name", entry.file.name);
      cell("muted small number", size(entry.file.size));
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "plain small-button";
      remove.textContent = text.remove;
      remove.setAttribute("aria-label", `${text.remove}: ${entry.file.name}`);
      remove.addEventListener("click", () => {
        chosen.splice(chosen.indexOf(entry), 1);
        draw();
        (list.querySelector("button") ?? form.querySelector("[data-pick]")).focus();
      });
      row.append(remove);
      if (entry.why) cell("note", sentences[entry.why]);
      return row;
    });
    list.replaceChildren(...rows);
    const good = chosen.filter(({ why }) => !why);
    const bytes = good.reduce((sum, { file }) => sum + file.size, 0);
    // A button that cannot be pressed has the reason beside it
    const parts = [];
    if (!good.length) parts.push(chosen.length ? text.noneGood : text.none);
    if (good.length) parts.push(text.ready.replace("{number}", good.length).replace("{size}", size(bytes)));
    if (good.length < chosen.length) parts.push(text.leftOut.replace("{number}", chosen.length - good.length));
    if (chosen.length > rows.length) parts.push(text.notShown.replace("{number}", chosen.length - rows.length));
    summary.textContent = parts.join(" · ");
    if (good.length > maxFiles) fail(text.tooMany.replace("{number}", good.length));
    else problem.hidden = true;
    send.disabled = good.length === 0 || good.length > maxFiles;
  }

  function fail(message) {
    problem.querySelector("span").textContent = message;
    problem.hidden = false;
  }

  function finish() {
    request = null;
    sending.hidden = true;
    send.disabled = false;
  }

  function answered() {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // not ours: a proxy or an error page
    }
    const { status } = request;
    if (status === 201 && answer.url) {
      location.assign(answer.url);
      return;
    }
    finish();
    const errors = Object.values(answer.errors ?? {}).flat();
    fail(errors.length ? errors.map(({ message }) => message).join(" ") : text.failed.replace("{status}", status));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (request || send.disabled) return;
    const body = new FormData(form);
    for (const { file, why } of chosen) if (!why) body.append("files", file, file.name);
    // Whoever opens the extraction later finds what was left out there as well
    const leftOut = chosen.filter(({ why }) => why).map(({ file, why }) => [why, file.name]);
    body.append("left_out", JSON.stringify(leftOut.slice(0, Number(text.mostLeftOut))));
    problem.hidden = true;
    send.disabled = true;
    sending.hidden = false;
    bar.value = 0;
    sentence.textContent = text.sending;
    request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = total ? loaded / total : 0;
      if (loaded === total) {
        bar.removeAttribute("value");
        sentence.textContent = text.checking;
      }
    });
    request.addEventListener("load", answered);
    request.addEventListener("error", () => {
      finish();
      fail(text.lost);
    });
    request.addEventListener("abort", finish);
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.send(body);
  });
  sending.querySelector("[data-stop]").addEventListener("click", () => request?.abort());
  window.addEventListener("beforeunload", (event) => {
    if (request && request.readyState !== XMLHttpRequest.DONE) event.preventDefault();
  });

  // Folders arrive as trees; everything in them is offered, and what is no PDF is left out with its reason
  async function filesOf(entry) {
    if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (batch.length === 0) return (await Promise.all(found.map(filesOf))).flat();
      found.push(...batch);
    }
  }
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("is-over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.classList.remove("is-over");
  });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    drop.classList.remove("is-over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = entries.length ? (await Promise.all(entries.map(filesOf))).flat() : [...event.dataTransfer.files];
    add(files);
  });
  draw();
})();
