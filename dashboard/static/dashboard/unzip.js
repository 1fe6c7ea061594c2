// Takes a ZIP archive apart without holding it: first its directory, and each PDF in it when that one's turn comes.
// Nothing that the directory says is believed: what comes out is counted and its check sum taken while it is unpacked.
"use strict";
(() => {
  const [ENTRY, LOCAL, END, END64, LOCATOR64] = [0x02014b50, 0x04034b50, 0x06054b50, 0x06064b50, 0x07064b50];
  const LONGEST_END = 22 + 0xffff; // with its comment
  const LARGEST_DIRECTORY = 64 * 2 ** 20;
  const STEP = 16384; // bytes that are inflated at once: what comes of them, at most a thousand times as much, is in memory
  const ARCHIVE = /\.(zip|7z|rar|tar|tgz|gz|bz2|xz)$/i;
  const CP437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
  const SUMS = Uint32Array.from({ length: 256 }, (_, sum) => {
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    return sum;
  });

  const long = (view, at) => Number(view.getBigUint64(at, true));
  const fault = (why) => Object.assign(new Error(why), { why }); // one of the page's reasons

  async function look(zip, from, to) {
    if (!(from >= 0 && from <= to && to <= zip.size)) throw fault("zip_damaged");
    try {
      return new DataView(await zip.slice(from, to).arrayBuffer());
    } catch {
      throw fault("unreadable");
    }
  }

  // Macs do not say that their names are UTF-8; hardly anything else reads as that by chance
  function nameOf(bytes) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128])).join("");
    }
  }

  // A file in an archive, with what a page asks of a picked one
  class Packed {
    constructor(zip, path, what) {
      Object.assign(this, what, { zip, name: path.at(-1), lastModified: zip.lastModified, webkitRelativePath: [zip.name, ...path].join("/") });
    }

    // As a file of its own: whole and proven, or not much more than its start
    async unpack(most = Infinity) {
      const chunks = [];
      let [size, sum] = [0, 0xffffffff];
      for await (const chunk of this.chunks()) {
        for (let at = 0; at < chunk.length; at += 1) sum = SUMS[(sum ^ chunk[at]) & 255] ^ (sum >>> 8);
        chunks.push(chunk);
        size += chunk.length;
        if (size > most) break;
      }
      if (size <= most && (size !== this.size || ~sum >>> 0 !== this.sum)) throw fault("zip_damaged");
      return new File(chunks, this.name, { type: "application/pdf", lastModified: this.lastModified });
    }

    async *chunks() {
      const reader = (await this.stream()).getReader();
      let left = this.size;
      try {
        for (let { value } = await reader.read(); value; { value } = await reader.read()) {
          left -= value.length;
          if (left < 0) break;
          yield value;
        }
      } catch {
        await look(this.zip, 0, 1); // moved or changed meanwhile
        left = -1;
      } finally {
        reader.cancel().catch(() => {});
      }
      if (left < 0) throw fault("zip_damaged");
    }

    async stream() {
      if (this.isLocked) throw fault("zip_locked");
      if (![0, 8].includes(this.method)) throw fault("zip_method");
      const header = await look(this.zip, this.at, this.at + 30);
      if (header.getUint32(0, true) !== LOCAL) throw fault("zip_damaged");
      const from = this.at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
      const stored = this.zip.slice(from, from + this.packedSize).stream();
      if (this.method === 0) return stored;
      const transform = (chunk, out) => {
        for (let at = 0; at < chunk.length; at += STEP) out.enqueue(chunk.subarray(at, at + STEP));
      };
      return stored.pipeThrough(new TransformStream({ transform })).pipeThrough(new DecompressionStream("deflate-raw"));
    }
  }

  // Where the directory lies and how many it lists; in archives of more or larger files, in a record of its own before the end
  async function directoryOf(zip) {
    const from = Math.max(0, zip.size - LONGEST_END);
    const tail = await look(zip, from, zip.size);
    let at = tail.byteLength - 22;
    while (at >= 0 && (tail.getUint32(at, true) !== END || at + 22 + tail.getUint16(at + 20, true) > tail.byteLength)) at -= 1;
    if (at < 0) throw fault("zip_damaged");
    let [count, size, start, end] = [tail.getUint16(at + 10, true), ...[12, 16].map((place) => tail.getUint32(at + place, true)), from + at];
    if (at >= 20 && tail.getUint32(at - 20, true) === LOCATOR64) {
      end = long(tail, at - 12);
      const record = await look(zip, end, end + 56);
      if (record.getUint32(0, true) !== END64) throw fault("zip_damaged");
      [count, size, start] = [long(record, 32), long(record, 40), long(record, 48)];
    }
    if (size > LARGEST_DIRECTORY || start + size !== end) throw fault("zip_damaged");
    return { count, start, view: await look(zip, start, start + size) };
  }

  function entryAt(view, at) {
    if (view.getUint32(at, true) !== ENTRY) throw fault("zip_damaged");
    const [named, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const next = at + 46 + named + extra + comment;
    const what = [24, 20, 42].map((place) => view.getUint32(at + place, true)); // size, packed size, place
    for (let part = at + 46 + named; part + 4 <= next - comment; part += 4 + view.getUint16(part + 2, true)) {
      if (view.getUint16(part, true) !== 1) continue;
      const wide = [0, 1, 2].filter((number) => what[number] === 0xffffffff);
      for (const [nth, number] of wide.entries()) what[number] = long(view, part + 4 + 8 * nth);
    }
    const [size, packedSize, place] = what;
    return { name: nameOf(new Uint8Array(view.buffer, at + 46, named)), size, packedSize, at: place, end: place + 30 + named + packedSize, next, sum: view.getUint32(at + 16, true), isLocked: Boolean(view.getUint16(at + 8, true) & 1), method: view.getUint16(at + 10, true) };
  }

  // {pdfs, archives: the archives in it, others: how many are neither}; throws a fault where nothing of it is to be sent, or a RangeError where a part reaches beyond its end
  window.unzip = async (zip, { maxFiles, maxUnpacked, maxRatio }) => {
    try {
      new DecompressionStream("deflate-raw");
    } catch {
      throw fault("zip_old");
    }
    const { count, start, view } = await directoryOf(zip);
    const entries = [];
    for (let at = 0; at < view.byteLength; at = entries.at(-1).next) entries.push(entryAt(view, at));
    entries.sort((a, b) => a.at - b.at);
    const isOverlapping = entries.some(({ end }, number) => end > (entries[number + 1]?.at ?? start));
    if (isOverlapping || (entries.length - count) % 0x10000) throw fault("zip_damaged"); // some writers have no more than these 16 bits
    const found = { pdfs: [], archives: [], others: 0 };
    for (const { name, ...what } of entries) {
      const path = name.split(/[/\\]/).filter((part) => !["", ".", ".."].includes(part));
      if (/[/\\]$/.test(name) || path.some((part) => part === "__MACOSX" || part.startsWith("."))) continue;
      if (/\.pdf$/i.test(name)) found.pdfs.push(new Packed(zip, path, what));
      else if (ARCHIVE.test(name)) found.archives.push(new Packed(zip, path, what));
      else found.others += 1;
    }
    const [unpacked, packed] = ["size", "packedSize"].map((part) => found.pdfs.reduce((sum, pdf) => sum + pdf[part], 0));
    if (unpacked > maxUnpacked || unpacked > maxRatio * packed) throw fault("zip_huge");
    if (found.pdfs.length > maxFiles) throw fault("zip_many");
    if (!found.pdfs.length && !found.archives.length) throw fault("zip_bare");
    return found;
  };
})();
