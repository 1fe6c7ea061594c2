// Sends entries ({file, why, state, share, note}), one request each and a few at a time, into one extraction. Where the line or the server
// is away it waits and tries again; whatever arrives twice is in once, so that trying again is always safe.
"use strict";

window.Sending = class {
  static LANES = 4;
  static TRIES = 8; // waits of 1, 2, 4, … 30 s between them: a minute and a half
  static LONGEST_WAIT = 30;
  static SILENCE = 90; // seconds after which a line on which nothing moves counts as dead
  static AWAY = [0, 408, 429, 502, 503, 504, 507];
  static BEAT = 60; // seconds; the server takes a sender that says nothing for five minutes for gone

  // first: {url, fields()} of the request that opens an extraction; more: where an open one takes files.
  // each(): further fields of each file; told: {changed(entry), waits(seconds, why), opened(sending)}; text: sentences for what has none of the server's own
  constructor({ first, each, more, text, told }) {
    Object.assign(this, { first, each, more, text, told, requests: new Set(), isOn: false, lastGood: 0 });
  }

  // Sends what next() gives until it gives nothing. {why: "", …} at its end, or {why, status} of what stopped it
  async run(next) {
    Object.assign(this, { isOn: true, stopped: null });
    const beat = setInterval(() => (this.beating = this.more && this.post(this.more, { sending: "more" })), Sending.BEAT * 1000);
    try {
      if (await this.open()) await Promise.all(Array.from({ length: Sending.LANES }, () => this.lane(next)));
    } finally {
      clearInterval(beat);
      this.isOn = false;
    }
    return this.stopped ?? { why: "" };
  }

  async open() {
    const said = this.more
      ? await this.persist(this.more, () => ({ sending: "more" }))
      : await this.persist(this.first.url, () => ({ ...this.first.fields(), sending: "more" }));
    if (!said) return false;
    if (!said.answer.more) return this.halt(said);
    Object.assign(this, { more: said.answer.more, url: said.answer.url });
    this.told.opened(this);
    return true;
  }

  // That this is all. Whether it was heard
  async end(leftOut) {
    this.isOn = true;
    await this.beating; // one that came after the end would open it again
    const said = await this.persist(this.more, () => ({ sending: "end", left_out: JSON.stringify(leftOut) }));
    this.isOn = false;
    return said?.answer.url ? true : said ? this.halt(said) : false;
  }

  stop() {
    this.halt({ status: -1, answer: {} });
    for (const request of this.requests) request.abort();
  }

  halt({ status, answer }) {
    this.stopped ??= { status, why: this.reason(status, answer) };
    return false;
  }

  reason(status, answer) {
    const errors = Object.values(answer.errors ?? {}).flat();
    if (status === -1) return "";
    return errors.map(({ message }) => message).join(" ") || (status ? this.text.failed.replace("{status}", status) : this.text.lost);
  }

  async lane(next) {
    for (let entry = next(); entry && !this.stopped; entry = next()) {
      this.mark(entry, "sending");
      const files = await this.unpacked(entry);
      const said = files && (await this.persist(this.more, () => ({ ...this.each(), sending: "more", files }), entry));
      if (said) this.settle(entry, said);
      else if (entry.state === "sending") this.mark(entry, "waiting");
    }
  }

  // What lies in an archive is unpacked when its turn comes, so that few are held at a time
  async unpacked(entry) {
    try {
      return (await entry.file.unpack?.()) ?? entry.file;
    } catch ({ why }) {
      if (why?.startsWith("zip_")) this.mark(Object.assign(entry, { why }), "waiting"); // left out: it would be the same the next time
      else this.mark(entry, "failed", this.text.vanished);
      return null;
    }
  }

  settle(entry, said) {
    const { status, answer } = said;
    if (answer.refused) {
      const [refused] = answer.refused;
      const state = !refused ? "taken" : refused.code === "duplicate" ? "there" : "refused";
      this.mark(entry, state, refused?.sentence);
    } else if (status === 413 || status === 500) {
      this.mark(entry, "failed", this.reason(status, answer));
    } else {
      // Signed out, no longer allowed, too many files: the next one would fare no better
      this.mark(entry, "waiting");
      this.halt(said);
    }
  }

  mark(entry, state, note = "") {
    Object.assign(entry, { state, note, share: 0 });
    this.told.changed(entry);
  }

  // The answer to a request that is tried again while the line or the server is away; null where sending was stopped meanwhile
  async persist(url, fields, entry = null) {
    let failedAt = Infinity;
    for (let tries = 1; !this.stopped; tries += 1) {
      const lately = performance.now() - 500;
      const sent = fields();
      const said = await this.post(url, sent, entry);
      if (this.stopped) return null;
      if (!Sending.AWAY.includes(said.status)) {
        this.lastGood = performance.now();
        return said;
      }
      failedAt = Math.min(failedAt, performance.now());
      if (entry && !said.status && !(await this.isReadable(sent.files))) {
        this.mark(entry, "failed", this.text.vanished);
        return null;
      }
      if (tries === Sending.TRIES) {
        // Where others got through lately it is this file; where nobody did it is the line
        if (entry && this.lastGood > Math.max(failedAt, lately)) this.mark(entry, "failed", this.reason(said.status, said.answer));
        else this.halt(said);
        return null;
      }
      await this.wait(Math.max(said.after, Math.min(2 ** (tries - 1), Sending.LONGEST_WAIT)), this.reason(said.status, said.answer));
    }
    return null;
  }

  async wait(seconds, why) {
    const until = performance.now() + seconds * 1000;
    for (let left = seconds; left > 0 && !this.stopped; left = (until - performance.now()) / 1000) {
      this.told.waits(Math.ceil(left), why);
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 1) * 1000));
    }
  }

  async isReadable(file) {
    try {
      await file.slice(0, 1).arrayBuffer();
      return true;
    } catch {
      return false;
    }
  }

  // {status, answer, after}: status 0 where none came, the JSON that came ({} for anything else), seconds that the server asks to wait
  post(url, fields, entry = null) {
    const request = new XMLHttpRequest();
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    this.requests.add(request);
    return new Promise((resolve) => {
      let silence = 0;
      const heard = () => {
        clearTimeout(silence);
        silence = setTimeout(() => request.abort(), Sending.SILENCE * 1000);
      };
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        heard();
        if (!entry) return;
        entry.share = total ? loaded / total : 0;
        this.told.changed(entry);
      });
      request.addEventListener("loadend", () => {
        clearTimeout(silence);
        this.requests.delete(request);
        let answer = {};
        try {
          answer = JSON.parse(request.responseText) ?? {};
        } catch {
          // not ours: a proxy or an error page
        }
        resolve({ status: request.status, answer, after: Math.min(Number(request.getResponseHeader("Retry-After")) || 0, 60) });
      });
      request.open("POST", url);
      request.setRequestHeader("Accept", "application/json");
      // Not the page's own token: whoever has signed in again meanwhile, in another tab, has a new one
      request.setRequestHeader("X-CSRFToken", document.cookie.match(/(?:^|; )csrftoken=([^;]*)/)?.[1] ?? "");
      heard();
      request.send(body);
    });
  }
};
