// Makes the upload form comfortable: drop files or folders, see what will be left out and why before sending, watch each one go (sending.js).
// Without it the same form works as it stands.
"use strict";

(() => {
  const form = document.querySelector("[data-upload]");
  if (!form) return;
  const text = form.dataset;
  const maxFiles = Number(text.maxFiles);
  const maxBytes = Number(text.maxBytes);
  const part = (name) => form.querySelector(`[data-${name}]`);
  const [list, summary, problem, send, drop, sending, sentence, spoken] =
    ["list", "summary", "problem", "send", "drop", "sending", "sentence", "spoken"].map(part);
  const bar = sending.querySelector("progress");
  const invitation = drop.querySelector("b");
  const dropHere = invitation.textContent;
  const inputs = { files: form.querySelector("#id_files"), folder: form.querySelector("#id_folder") };
  const chosen = []; // {file, others, why, state, share, note}: file may be one in an archive (unzip.js), others says how many files of one are no PDFs, why is empty where the file is to be sent, state as sending.js leaves it
  const reasons = {
    empty: text.empty, limit: text.tooLarge, not_pdf: text.notPdf, unreadable: text.unreadable,
    zip_old: text.zipOld, zip_damaged: text.zipDamaged, zip_locked: text.zipLocked, zip_method: text.zipMethod, zip_nested: text.zipNested, zip_huge: text.zipHuge, zip_many: text.zipMany, zip_bare: text.zipBare,
  };
  const known = new Set((text.known ?? "").split(" ")); // digests of what has arrived before this page was opened
  const MOST_ROWS = 1000;
  let isHalted = false;

  part("plain").classList.add("visually-hidden");
  for (const input of Object.values(inputs)) {
    input.tabIndex = -1;
    input.required = false;
    input.accept &&= `${input.accept},.zip,application/zip`;
    input.removeAttribute("name"); // what is sent is the list, not what an input happens to hold
    input.addEventListener("change", () => {
      add([...input.files]);
      input.value = "";
    });
  }
  drop.hidden = false;
  for (const [name, input] of Object.entries(inputs)) form.querySelector(`[data-pick="${name}"]`).addEventListener("click", () => input.click());

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
      const start = ((await file.unpack?.(1029)) ?? file).slice(0, 1029);
      return String.fromCharCode(...new Uint8Array(await start.arrayBuffer())).includes("%PDF-") ? "" : "not_pdf";
    } catch ({ why }) {
      return why ?? "unreadable";
    }
  }

  // Archives give way to what is in them
  async function entriesOf(file) {
    const made = (file, why = "checking", others = 0) => ({ file, others, why, state: "waiting", share: 0, note: "" });
    if (!/\.zip$/i.test(file.name) || !file.size) return [made(file)];
    try {
      const { pdfs, archives, others } = await unzip(file, { maxFiles, maxUnpacked: Number(text.maxUnpacked), maxRatio: Number(text.maxRatio) });
      return [...pdfs.map((pdf) => made(pdf)), ...archives.map((archive) => made(archive, "zip_nested")), ...(others ? [made(file, "zip_others", others)] : [])];
    } catch ({ why }) {
      return [made(file, why ?? "zip_damaged")];
    }
  }

  const pathOf = (file) => file.webkitRelativePath || file.name;
  const knownAs = (file) => chosen.find(({ file: other }) => pathOf(other) === pathOf(file) && other.size === file.size && other.lastModified === file.lastModified);

  async function hasArrived(file) {
    if (!text.known || !crypto.subtle) return false; // without TLS there are no digests: it is sent, and recognised there
    try {
      return known.has(hex(new Uint8Array(await crypto.subtle.digest("SHA-256", await ((await file.unpack?.()) ?? file).arrayBuffer()))));
    } catch {
      return false; // too large to be held at once, or its sending will say why not
    }
  }

  let looked = Promise.resolve(); // at all that were added so far
  function add(files) {
    looked = Promise.all([looked, look(files)]);
  }

  async function look(files) {
    problem.hidden = true;
    summary.textContent = text.looking;
    const fresh = (await Promise.all(files.map(entriesOf))).flat().filter(({ file }) => {
      const known = knownAs(file);
      if (known) known.file = file; // the one chosen before may have been moved away meanwhile
      return !known;
    });
    const anew = new Set(fresh.map(({ file }) => pathOf(file)));
    for (const old of inState("failed").filter(({ file }) => anew.has(pathOf(file)))) chosen.splice(chosen.indexOf(old), 1); // changed meanwhile
    chosen.push(...fresh);
    const unlooked = fresh.filter(({ why }) => why === "checking");
    const reasons = await Promise.all(unlooked.map(({ file }) => !file.unpack && whyNot(file)));
    for (const [number, entry] of unlooked.entries()) {
      const { file } = entry;
      const why = file.unpack ? await whyNot(file) : reasons[number]; // one at a time: each is unpacked, and held as a whole
      if (!why && (await hasArrived(file))) entry.state = "there";
      entry.why = why;
    }
    draw();
    if (isHalted) start(); // dropped again after the line broke
  }

  function rowOf(entry) {
    const row = document.createElement("li");
    const cell = (className, content) => {
      const made = document.createElement("span");
      made.className = className;
      made.textContent = content;
      row.append(made);
      return made;
    };
    const isLeftOut = entry.why !== "" && !entry.others;
    row.classList.toggle("is-left-out", isLeftOut);
    row.classList.toggle("is-bad", isLeftOut || ["refused", "failed"].includes(entry.state)); // that a file is here already is no fault
    cell("name", entry.file.name);
    entry.cell = cell("muted small number", stateOf(entry));
    if (!sender.isOn && entry.state === "waiting") {
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
    }
    const others = (entry.others === 1 ? text.zipOther : text.zipOthers).replace("{number}", entry.others);
    if (entry.why || entry.note) cell("note", entry.others ? others : (reasons[entry.why] ?? entry.note));
    entry.row = row;
    return row;
  }

  function stateOf({ file, why, state, share }) {
    if (state === "sending") return `${Math.floor(share * 100)} %`;
    const word = { waiting: isOpen() && !why && text.stateWaiting, taken: text.stateTaken, there: text.stateThere, refused: text.stateRefused, failed: text.stateFailed }[state];
    return word || size(file.size);
  }

  const isOpen = () => sender.isOn || isHalted;
  const inState = (...states) => chosen.filter(({ why, state }) => !why && states.includes(state));

  function draw() {
    // What will not be sent, or was not taken, comes first, so that nobody has to look for it
    const rank = ({ why, state }) => (why ? 0 : state === "failed" ? 1 : state === "refused" ? 2 : 3);
    chosen.sort((a, b) => rank(a) - rank(b) || a.file.name.localeCompare(b.file.name, undefined, { numeric: true }));
    list.replaceChildren(...chosen.slice(0, MOST_ROWS).map(rowOf));
    const good = inState("waiting", "sending", "failed");
    const there = inState("there", "taken", "refused").length;
    const leftOut = chosen.filter(({ why }) => why).reduce((sum, { others }) => sum + (others || 1), 0);
    const bytes = good.reduce((sum, { file }) => sum + file.size, 0);
    // A button that cannot be pressed has the reason beside it
    const parts = [];
    if (!good.length && !there) parts.push(chosen.length ? text.noneGood : text.none);
    if (good.length) parts.push(text.ready.replace("{number}", good.length).replace("{size}", size(bytes)));
    if (there) parts.push(text.there.replace("{number}", there));
    if (leftOut) parts.push(text.leftOut.replace("{number}", leftOut));
    if (chosen.length > MOST_ROWS) parts.push(text.notShown.replace("{number}", chosen.length - MOST_ROWS));
    summary.textContent = parts.join(" · ");
    summary.hidden = sender.isOn;
    say(summary.textContent);
    if (good.length > maxFiles) fail(text.tooMany.replace("{number}", good.length));
    send.disabled = sender.isOn || !(good.length || there) || good.length > maxFiles;
    send.querySelector("span").textContent = isHalted ? text.again : (send.dataset.label ??= send.textContent);
    sending.hidden = !isOpen();
    invitation.textContent = sender.isOn ? text.dropMore : dropHere;
    part("stop").hidden = !sender.isOn;
  }

  function fail(message, isSignedOut = false) {
    part("reason").textContent = message;
    part("sign-in").hidden = !isSignedOut;
    problem.hidden = false;
  }

  // One polite voice, at most every five seconds; what it says is the newest there is
  let saying = 0;
  let saidAt = -Infinity;
  let newest = "";
  function say(words) {
    newest = words;
    saying ||= setTimeout(() => {
      saying = 0;
      saidAt = performance.now();
      spoken.textContent = newest;
    }, Math.max(0, saidAt + 5000 - performance.now()));
  }

  function progress(more = "") {
    const all = chosen.filter(({ why }) => !why);
    const done = inState("taken", "there", "refused").length;
    const refused = inState("refused").length;
    const total = all.reduce((sum, { file }) => sum + file.size, 0);
    const sent = all.reduce((sum, { file, state, share }) => sum + file.size * (state === "sending" ? share : Number(!["waiting", "failed"].includes(state))), 0);
    bar.value = total ? sent / total : 0;
    const parts = [text.sent.replace("{done}", done).replace("{total}", all.length)];
    if (refused) parts.push(text.refused.replace("{number}", refused));
    if (more) parts.push(more);
    sentence.textContent = parts.join(" · ");
    say(sentence.textContent);
  }

  // A beginning whose answer was lost is found again by its key, unless it is for something else by now
  const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const newKey = () => hex(crypto.getRandomValues(new Uint8Array(16)));
  let key = newKey();
  form.querySelector(".fields")?.addEventListener("change", () => (key = newKey()));
  function fieldsOfForm() {
    const { csrfmiddlewaretoken, ...fields } = Object.fromEntries(new FormData(form));
    return { ...fields, key };
  }

  const sender = new Sending({
    first: { url: form.action, fields: fieldsOfForm },
    each: () => (form.querySelector("#id_run_again").checked ? { run_again: "on" } : {}),
    more: text.more,
    text,
    told: {
      changed(entry) {
        if (entry.state === "sending") entry.cell?.replaceChildren(stateOf(entry));
        else if (entry.row?.isConnected) {
          entry.row.replaceWith(rowOf(entry));
          // The list goes along, unless somebody reads in it
          if (sender.isOn && !list.matches(":hover, :focus-within")) list.scrollTop = entry.row.offsetTop - list.offsetTop - list.clientHeight / 2;
        }
        progress();
      },
      waits: (seconds, why) => progress(`${why} ${text.waits.replace("{seconds}", seconds)}`),
      opened({ more, url }) {
        // From here on the page's own address leads back to the same extraction
        history.replaceState(null, "", more);
        for (const field of form.querySelectorAll(".fields :is(select, input)")) field.disabled = true;
        Object.assign(part("opened"), { href: url, hidden: false });
      },
    },
  });

  async function start() {
    if (sender.isOn) return;
    problem.hidden = true;
    isHalted = false;
    for (const entry of inState("failed")) sender.mark(entry, "waiting");
    let why, status;
    do {
      const running = sender.run(() => inState("waiting")[0]);
      draw();
      progress();
      sending.scrollIntoView({ block: "nearest" });
      ({ why, status } = await running);
      await looked;
    } while (status === undefined && inState("waiting").length); // some were added when the last were on their way
    const failed = inState("failed").length;
    if (status === undefined && failed) why = text.someFailed.replace("{number}", failed);
    else if (status === undefined) {
      const leftOut = chosen.filter(({ why }) => why).map(({ file, why }) => [why, file.name]);
      if (await sender.end(leftOut.slice(0, Number(text.mostLeftOut)))) {
        await looked;
        if (inState("waiting").length) start();
        else location.assign(sender.url);
        return;
      }
      ({ why, status } = sender.stopped);
    }
    isHalted = Boolean(sender.more);
    draw();
    if (!why) return;
    fail(why, status === 401);
    problem.scrollIntoView({ block: "nearest" });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!send.disabled) start();
  });
  part("stop").addEventListener("click", () => sender.stop());
  window.addEventListener("online", () => isHalted && sender.stopped?.status === 0 && start());
  window.addEventListener("beforeunload", (event) => {
    if (sender.isOn) event.preventDefault();
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
