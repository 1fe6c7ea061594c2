"""Recognises the words of a page's picture with Tesseract, which is a program of its own and dies with its attempt."""

from __future__ import annotations

import ctypes
import io
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any

from tasks.agent.contract import Code, Problem
from tasks.agent.lighting import evened
from tasks.agent.page import Page, Word
from tasks.agent.straighten import Turn, skew

if TYPE_CHECKING:
    from PIL.Image import Image

PROGRAM = "tesseract"
LANGUAGES = ("eng", "deu", "fra", "spa", "ita", "nld", "pol", "fin")
"""What is used by default, as far as it is installed, in this order."""
MOST_LANGUAGES = 4
"""Each language more makes a page slower."""
PAGE_SECONDS = 120
LIST_SECONDS = 20
LEAST_SURE = 25.0
"""Words that the engine itself holds for less likely (of 100) are stains and rules."""
GOOD_WORD = 60.0
GOOD_SHARE, GOOD_COUNT = 0.6, 8
"""A page with fewer good words may stand on its side or on its head, or be full of specks."""
RULES = "|_—–-=~.,:;'`\"“”‘’°•«»\\/[](){}!*"
COLON = re.compile(r"^(\D?(?:\d{3,}|2[4-9]|[3-9]\d)):(?=\d\d$)|^(\D?\d+):(?=[6-9]\d$)")
"""A point read as a colon, where no time can be meant: "71:55"."""
DATED = re.compile(r"(?<=\d)[:.](\d\d?)[:.](?=(?:19|20)\d\d$)")
"""The same in a date: "31.1:2025"."""
LEGIBLE = 50.0
LEADS_ON = re.compile(r"[A-Z][-/]$")
GLUED = 0.45
"""A gap of less than this share of its height is none between words."""
PAPER = 255
SMALLER = 2
PR_SET_PDEATHSIG = 1
INSTALL = "apt-get install tesseract-ocr tesseract-ocr-eng tesseract-ocr-deu tesseract-ocr-fra"

_libc = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True)
class Seen:
    """A word on a picture: pixels from the top left, and how sure the engine is (0..100)."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    sure: float


@dataclass(frozen=True, slots=True)
class Engine:
    """Tesseract on this machine, with the languages that it is to look for."""

    program: str
    languages: tuple[str, ...]

    @classmethod
    def find(cls, options: dict[str, Any]) -> Engine | None:
        """The engine, or None where there is none. `options`: an agent's settings; `ocr_languages` like "eng+deu" chooses.

        Raises Problem: bad_configuration, where a chosen language is not installed.
        """
        program = shutil.which(PROGRAM)
        if program is None:
            return None
        there = installed(program)
        chosen = tuple(part for part in re.split(r"[+,\s]+", str(options.get("ocr_languages") or "")) if part)
        if not there.issuperset(chosen):  # it may have been installed since
            installed.cache_clear()
            there = installed(program)
        absent = [name for name in chosen if name not in there]
        if absent:
            message = f"The language {absent[0][:40]} of the setting ocr_languages is not installed here for Tesseract."
            raise Problem(Code.BAD_CONFIGURATION, message)
        chosen = chosen or tuple(name for name in LANGUAGES if name in there)[:MOST_LANGUAGES]
        return cls(program, chosen) if chosen else None

    def read(self, page: Page, picture: Image) -> bool:
        """Replace the page's words by those of its picture; whether there are any."""
        return recognise(page, picture, self)

    def words(self, picture: Image, scattered: bool = False) -> list[Seen]:
        """The words of a grey picture, line by line. Raises Problem where the engine fails.

        `scattered`: look for words anywhere instead of for columns and paragraphs, which leave out what stands alone in a box. That is
        figures mostly, for which the first language does: each one more takes as long to load as the look itself.
        """
        mode = "11" if scattered else "3"
        languages = self.languages[:1] if scattered else self.languages
        table = self._run(picture, "--psm", mode, "-l", "+".join(languages), "tsv")
        return levelled(table)

    def quarters(self, picture: Image) -> int:
        """By how many quarter turns (anticlockwise) the picture comes upright, as the engine sees its letters; 0 if it cannot say."""
        if "osd" not in installed(self.program):
            return 0
        try:
            said = self._run(picture, "--psm", "0")
        except Problem:
            return 0  # too few letters to tell
        match = re.search(r"Orientation in degrees: (\d+)", said)
        return int(match.group(1)) // 90 % 4 if match else 0

    def _run(self, picture: Image, *arguments: str) -> str:
        content = io.BytesIO()
        picture.save(content, "PPM")
        try:
            done = subprocess.run(
                [self.program, "-", "-", *arguments],
                input=content.getvalue(),
                capture_output=True,
                timeout=PAGE_SECONDS,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
                preexec_fn=_die_with_parent,
            )
        except subprocess.TimeoutExpired:
            message = f"Recognising one page took longer than {PAGE_SECONDS} seconds."
            raise Problem(Code.LIMIT, message) from None
        except OSError as error:
            message = f"Tesseract cannot be started: {error.strerror or 'unknown error'}."
            raise Problem(Code.CRASHED, message, retryable=True) from None
        if done.returncode:
            message = f"Tesseract could not read a page (exit code {done.returncode})."
            raise Problem(Code.CRASHED, message, retryable=True)
        return done.stdout.decode("utf-8", "replace")


@cache
def installed(program: str) -> frozenset[str]:
    """The languages that the engine has data for; empty where it cannot say."""
    try:
        done = subprocess.run(
            [program, "--list-langs"], capture_output=True, text=True, timeout=LIST_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(line.strip() for line in done.stdout.splitlines()[1:] if line.strip())


def _die_with_parent() -> None:
    """Between fork and start of the engine: the kernel kills it when this process goes, however that comes (Linux)."""
    if hasattr(_libc, "prctl"):
        _libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))


def recognise(page: Page, picture: Image, engine: Engine) -> bool:
    """Replace the page's words by those of its picture; whether there are any.

    The page's width and height become those of the upright picture, and `turn` says where its places stand on the page as it is shown.
    """
    picture = evened(picture.convert("L"))
    turn, seen = _first_look(picture, engine)
    width, height = turn.upright
    scale = page.width / picture.width
    page.width, page.height, page.turn = width * scale, height * scale, turn
    page.words = [place(word, scale, page.number) for word in seen]
    return bool(page.words)


def _first_look(picture: Image, engine: Engine) -> tuple[Turn, list[Seen]]:
    """How the picture was turned, and its words; where hardly any are good, upright or without its specks they may be better."""
    turn = Turn(*picture.size, degrees=skew(picture))
    straight = turn.apply(picture)
    seen = engine.words(straight)
    if _good(seen):
        return turn, seen
    quarters = engine.quarters(picture)
    if quarters:
        upright = Turn(*picture.size, quarters=quarters).apply(picture)
        other = Turn(*picture.size, quarters=quarters, degrees=skew(upright))
        again = engine.words(other.apply(picture))
    else:
        from PIL.ImageFilter import MedianFilter

        other, again = turn, engine.words(straight.filter(MedianFilter(3)))
    return (other, again) if _weight(again) > _weight(seen) else (turn, seen)


def smaller(picture: Image) -> Image:
    """What a second look needs of a page's picture."""
    return picture.convert("L").reduce(SMALLER)


def look_again(page: Page, picture: Image, engine: Engine) -> bool:
    """Add the words that only a search for scattered ones finds on a recognised page; whether there were any.

    `picture` is that of the page as it was recognised, made `smaller`: so it takes two thirds of the time, and what stands alone is
    found as well, or better.
    """
    if page.turn is None:
        return False
    left = page.turn.apply(evened(picture))
    scale = SMALLER * page.width / page.turn.upright[0]
    # What is known is painted over: the engine takes its time by the word
    for word in page.words:
        x0, y0, x1, y1 = (round(side / scale) for side in (word.x0, word.y0, word.x1, word.y1))
        left.paste(PAPER, (x0, y0, x1, y1))
    seen = engine.words(left, scattered=True)
    found = [place(word, scale, page.number) for word in seen if word.sure >= GOOD_WORD]
    new = [word for word in found if not any(_overlap(word, known) for known in page.words)]
    page.words += new
    return bool(new)


def _overlap(one: Word, other: Word) -> bool:
    """Whether a good part of the smaller word lies under the other."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    if across <= 0 or down <= 0:
        return False
    smaller = min((word.x1 - word.x0) * (word.y1 - word.y0) for word in (one, other))
    return across * down > 0.25 * smaller


def place(seen: Seen, scale: float, page: int) -> Word:
    """The word where it stands on the page, whose points are `scale` times its picture's pixels."""
    word = Word(seen.text, seen.x0 * scale, seen.y0 * scale, seen.x1 * scale, seen.y1 * scale, page, -1, -1)
    word.source, word.sure = "ocr", seen.sure / 100
    return word


def _good(seen: list[Seen]) -> bool:
    good = sum(word.sure >= GOOD_WORD for word in seen)
    return good >= GOOD_COUNT and good >= GOOD_SHARE * len(seen)


def _weight(seen: list[Seen]) -> float:
    return sum(word.sure * len(word.text) for word in seen)


def levelled(table: str) -> list[Seen]:
    """The words of Tesseract's table; those of one line share its height, as printed words do, whatever ink each of them has."""
    found: list[Seen] = []
    line: list[Seen] = []
    place = None
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != "5":
            continue
        if cells[1:5] != place:
            found += _level(line)
            place, line = cells[1:5], []
        text, sure = _clean(cells[11]), float(cells[10])
        if not text or sure < LEAST_SURE:
            continue
        left, top, width, height = (float(cell) for cell in cells[6:10])
        line.append(Seen(text, left, top, left + width, top + height, sure))
    return found + _level(line)


def _clean(text: str) -> str:
    """Without the ruled lines of a table that the engine took for letters."""
    text = DATED.sub(r".\1.", COLON.sub(r"\1\2.", text.strip().strip("|_")))
    return "" if all(sign in RULES for sign in text) and text not in ("-", "–", "/", "•", ":") else text


def _level(line: list[Seen]) -> list[Seen]:
    """The words of a line, at its height; none where hardly a letter of it is legible, which is a drawing."""
    line = _rejoined(line)
    if not line or _is_drawing(line):
        return []
    # By letters and without what is hardly legible: a logo beside a short line is higher than its words
    letters = sorted(
        word.y1 - word.y0 for word in line for _ in word.text if word.sure >= GOOD_WORD
    ) or sorted(word.y1 - word.y0 for word in line)
    height = letters[len(letters) * 5 // 8]
    top = median(word.y0 for word in line if word.y1 - word.y0 >= 0.7 * height)
    bottom = median(word.y1 for word in line if word.y1 - word.y0 >= 0.7 * height)
    rise, fall = 0.2 * (bottom - top), 0.3 * (bottom - top)
    return [
        word
        if word.y1 - word.y0 > 1.8 * height
        else Seen(word.text, word.x0, top - rise, word.x1, bottom + fall, word.sure)
        for word in line
    ]


def _is_drawing(line: list[Seen]) -> bool:
    """Whether the words of a line are hardly legible on average, and none of them holds a digit."""
    sure = sum(word.sure for word in line) / len(line)
    return sure < LEGIBLE and not any(map(str.isdigit, "".join(word.text for word in line)))


def _rejoined(line: list[Seen]) -> list[Seen]:
    """The words of a line with what belongs to them: "REC-" leads into "2025-001" right behind it, and a colon far off is that of the label before it."""
    found: list[Seen] = []
    for word in line:
        last = found[-1] if found else None
        if last and word.text == ":":
            found[-1] = replace(last, text=f"{last.text.rstrip(':')}:")
            continue
        if (
            last
            and LEADS_ON.search(last.text)
            and word.text[0].isdigit()
            and word.x0 - last.x1 < GLUED * (word.y1 - word.y0)
        ):
            found[-1] = Seen(
                last.text + word.text, last.x0, min(last.y0, word.y0), word.x1, max(last.y1, word.y1), min(last.sure, word.sure)
            )  # fmt: skip
        else:
            found.append(word)
    return found
