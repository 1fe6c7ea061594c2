"""Everything that is said in a page has German words with the same blanks: texts of templates and code, and sentences of the readers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation import override
from django.utils.translation.template import templatize
from django.utils.translation.trans_real import translation

from dashboard.sayings import SENTENCES, spoken

CODE = ("agentaudit", "dashboard", "tasks", "webhooks")
CALL = re.compile(
    r"""\b(?P<name>p?n?gettext|_)\(u?(?P<first>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")(?:,\s*u?(?P<second>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"))?"""
)
BLANK = re.compile(r"%\(\w+\)[sd]|(?<!\{)\{\w+\}")


def told_by_code(base: Path) -> Iterator[tuple[str, list[str]]]:
    """Name and literal arguments of each call of a gettext function, under whatever name it was imported."""
    for path in (path for part in CODE for path in (base / part).rglob("*.py")):
        tree = ast.parse(path.read_text())
        names = {
            alias.asname or alias.name: alias.name.removesuffix("_lazy")
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
            for alias in node.names
            if "gettext" in alias.name
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                yield names[node.func.id], [text for text in texts if isinstance(text, str)]


def told_by_templates(base: Path) -> Iterator[tuple[str, list[str]]]:
    for path in (base / "templates").rglob("*.html"):
        for call in CALL.finditer(templatize(path.read_text(), origin=str(path))):
            texts = [ast.literal_eval(text) for text in (call["first"], call["second"]) if text]
            yield call["name"].replace("_", "gettext"), texts


def keys_of(name: str, texts: list[str]) -> list[tuple[str, object]]:
    """What is said, and its keys in a catalogue: (text, key) for each of its forms."""
    if not texts:
        return []
    if name.startswith("p"):
        return [(texts[1], f"{texts[0]}\x04{texts[1]}")]
    if name.startswith("n"):
        return [(text, (texts[0], form)) for form, text in enumerate(texts[:2])]
    return [(texts[0], texts[0])]


@pytest.mark.parametrize("told_by", [told_by_templates, told_by_code])
def test_every_sentence_has_a_german_one_with_the_same_blanks(settings, told_by) -> None:
    """`manage.py makemessages -l de --no-location` finds the new ones, `compilemessages` makes the file that is read."""
    catalog = translation("de")._catalog
    told = [pair for call in told_by(Path(settings.BASE_DIR)) for pair in keys_of(*call)]
    assert len(told) > 300
    german = {key: catalog.get(key) or "" for _text, key in told}
    assert sorted({text for text, key in told if not german[key]}) == []
    blanks = [
        (text, german[key])
        for text, key in told
        if set(BLANK.findall(text)) != set(BLANK.findall(german[key]))
    ]
    assert blanks == []


@pytest.mark.parametrize(
    ("sentence", "german"),
    [
        ("This PDF has no pages.", "Diese PDF-Datei hat keine Seiten."),
        ("The due date was not found.", "Nicht gefunden: Fällig am."),
        ("The total of my schema was not found.", "Nicht gefunden: Total of my schema."),
        ("Page 3 has no text; needs OCR.", "Seite 3 hat keinen Text; das braucht OCR."),
        (
            "Each of pages 1 to 4 cannot be read; the file is damaged there.",
            "Jede der Seiten 1 bis 4 ist nicht lesbar; die Datei ist dort beschädigt.",
        ),
        (
            "Page 2 was read from its picture by ai_parse_document of Databricks.",
            "Seite 2 wurde von Databricks' ai_parse_document aus dem Bild gelesen.",
        ),
        (
            "The Databricks workspace has had too many requests of ai_extract and asks to wait 37 seconds.",
            "Der Databricks-Workspace hatte zu viele Anfragen an ai_extract und bittet, 37 Sekunden zu warten.",
        ),
        (
            "The second OCR engine was not tried: it needs 3,072 MiB, and the agent may use 1,536.",
            "Die zweite OCR-Engine wurde nicht versucht: Sie braucht 3,072 MiB, und der Agent darf 1,536 nutzen.",
        ),
        (
            "The stored result breaks the contract (records.0: Field required); only as JSON can it be shown.",
            "Das gespeicherte Ergebnis hält sich nicht an den Vertrag (records.0: Field required); zeigen lässt es sich nur als JSON.",
        ),
        ("Something else of an agent's own.", "Something else of an agent's own."),
        ("", ""),
    ],
)
def test_what_a_reader_says_is_spoken_in_german_where_it_can_be(sentence: str, german: str) -> None:
    with override("de"):
        assert spoken(sentence) == german
    with override("en"):
        assert spoken(sentence) == sentence


def test_every_sentence_is_still_said_by_some_part(settings) -> None:
    sources = [path.read_text() for path in (Path(settings.BASE_DIR) / "tasks").rglob("*.py")]
    # Sentences over two lines of a source are one again
    said = re.sub(r'"\s*\n\s*f?"', "", "\n".join(sources)).casefold()
    gone = [
        sentence
        for sentence in SENTENCES
        if not all(piece.casefold() in said for piece in re.split(r"%\(\w+\)s", sentence))
    ]
    assert gone == []
