// A picture that does not come: the server says why, and when to ask again where it may come yet.
"use strict";

(() => {
  const image = document.querySelector("[data-picture]");
  if (!image) return;
  const note = document.querySelector("[data-picture-note]");
  const otherwise = note.textContent;

  const say = (text) => {
    note.textContent = text;
    note.hidden = !text;
    image.classList.toggle("is-missing", Boolean(text));
  };
  const again = (seconds) => setTimeout(ask, seconds * 1000);

  const ask = async () => {
    let answer;
    try {
      answer = await fetch(image.src);
    } catch {
      say(otherwise); // the server is not there, or the line is down
      again(10);
      return;
    }
    const type = answer.headers.get("Content-Type") ?? "";
    const content = await (type.startsWith("text/plain") ? answer.text() : answer.blob());
    if (answer.ok && type.startsWith("image/")) {
      image.removeEventListener("error", ask);
      say("");
      image.src = image.src; // which the browser has by now
      return;
    }
    say(typeof content === "string" ? content : otherwise);
    if (answer.status === 503) again(Number(answer.headers.get("Retry-After")) || 10);
  };

  image.addEventListener("error", ask);
  if (image.complete && !image.naturalWidth) ask();
})();
