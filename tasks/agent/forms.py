"""The values that somebody filled into a PDF form: no text reader returns them with the page's text."""

from __future__ import annotations

import ctypes

import pypdfium2.raw as raw

from tasks.agent.page import Page, Placing, Word

WITH_TEXT = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
MOST_FIELDS = 2000
LONGEST_VALUE = 4000


def form_values(form: raw.FPDF_FORMHANDLE, handle: raw.FPDF_PAGE, page: Page, place: Placing) -> list[Word]:
    """The words of the page's filled fields, at the place of their field (source "form")."""
    words: list[Word] = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(handle), MOST_FIELDS)):
        annotation = raw.FPDFPage_GetAnnot(handle, index)
        if not annotation:
            continue
        try:
            words += field_words(form, annotation, page, place)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return words


def field_words(
    form: raw.FPDF_FORMHANDLE, annotation: raw.FPDF_ANNOTATION, page: Page, place: Placing
) -> list[Word]:
    if (
        raw.FPDFAnnot_GetSubtype(annotation) != raw.FPDF_ANNOT_WIDGET
        or raw.FPDFAnnot_GetFlags(annotation) & UNSEEN
    ):
        return []
    if raw.FPDFAnnot_GetFormFieldType(form, annotation) not in WITH_TEXT:
        return []
    rect = raw.FS_RECTF()
    parts = field_value(form, annotation).split()
    if not parts or not raw.FPDFAnnot_GetRect(annotation, ctypes.byref(rect)):
        return []
    x0, y0, x1, y1 = place.box(rect.left, rect.bottom, rect.right, rect.top)
    letters = sum(map(len, parts)) + len(parts) - 1
    words, done = [], 0
    for part in parts:
        left = x0 + (x1 - x0) * done / letters
        done += len(part)
        word = Word(part, left, y0, x0 + (x1 - x0) * done / letters, y1, page.number, -1, -1)
        done += 1
        word.source = "form"
        words.append(word)
    return words


def field_value(form: raw.FPDF_FORMHANDLE, annotation: raw.FPDF_ANNOTATION) -> str:
    size = raw.FPDFAnnot_GetFormFieldValue(form, annotation, None, 0)
    if not 2 < size <= 2 * LONGEST_VALUE:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")
