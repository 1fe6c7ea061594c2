"""Sentences of parts that know no translations (readers, inspector, executors, titles of the first agents), and of what was wrong with a file, looked up in the reader's language when shown."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from django.utils.formats import get_format
from django.utils.translation import gettext, gettext_noop

from dashboard.words import field_word

# A name in place of what a sentence was filled with; of several that fit a sentence the first counts
SENTENCES = (
    gettext_noop("This file is empty (0 bytes)."),
    gettext_noop("This file is larger than %(size)s, the most that is taken."),
    gettext_noop("This file is not a PDF, whatever its name says."),
    gettext_noop("The browser could not read this file, so that it was not sent."),
    gettext_noop("The browser did not unpack this archive, so that nothing of it was sent."),
    gettext_noop("This file or the archive that holds it is cut short or damaged, so that it was not sent."),
    gettext_noop("This file is encrypted in its archive, so that it was not sent."),
    gettext_noop("This file is packed in a way that browsers cannot unpack, so that it was not sent."),
    gettext_noop("An archive inside an archive is not unpacked, so that nothing of it was sent."),
    gettext_noop("This archive holds no PDFs."),
    gettext_noop("This archive also holds files that are no PDFs; they were left out."),
    gettext_noop(
        "This file is an archive or an Office document, and not a PDF. Hand in the PDFs that it holds, or save it as a PDF."
    ),
    gettext_noop("This file was handed in before as “%(name)s”, so it is not read again."),
    gettext_noop("These are the same bytes as “%(name)s” beside it."),
    gettext_noop("This PDF has no pages."),
    gettext_noop("This PDF has %(pages)s pages; the limit is %(limit)s. Split it and try again."),
    gettext_noop("This PDF is encrypted and needs a password to open."),
    gettext_noop("The password does not open this PDF."),
    gettext_noop("This PDF is encrypted in a way that cannot be read here; save a copy without protection."),
    gettext_noop("This PDF is damaged or cut short and cannot be opened; ask for a fresh copy."),
    gettext_noop("This PDF could not be opened: reading it broke off or took too long."),
    gettext_noop("This PDF needs too much memory to open."),
    gettext_noop("The file of this document is not where it was stored."),
    gettext_noop("The stored file is not the document that was handed in: it was cut short, damaged or replaced. Restore it from a backup, or hand the document in again."),
    gettext_noop("Other pages are being drawn. Try again in a moment."),
    gettext_noop("This page takes too long to draw."),
    gettext_noop("This page is missing, or too large to be drawn safely."),
    gettext_noop("This page could not be drawn: it is damaged, or needs more memory than a picture may."),
    gettext_noop("There is no room on the server to draw this page: %(error)s."),
    gettext_noop("Nothing is printed on this document's pages."),
    gettext_noop("The text of this PDF is garbled (its fonts name the wrong characters); it needs OCR."),
    gettext_noop("None of this PDF's pages can be read; the file is damaged."),
    gettext_noop("The pages of this PDF measure more than %(limit)s points a side. Save it at the size of its paper and try again."),
    gettext_noop("No invoice, receipt, credit note or quotation was recognised in this document."),
    gettext_noop("No invoice, receipt, credit note or quotation was recognised in this document. It looks like a contract; the agent contract-rules reads those."),
    gettext_noop("No invoice, receipt, credit note or quotation was recognised in this document. It holds a table of figures; the agent statement-rules reads those."),
    gettext_noop("No invoice, receipt, credit note or quotation was recognised in this document. It names a tax, as those do, but too little else of one was read."),
    gettext_noop("Its pictures were read by OCR data for %(languages)s; a document in another language needs its own."),
    gettext_noop("The OCR data of this document's language (%(data)s) is not used here, so that its letters may be wrong."),
    gettext_noop("A letter of this number looks like a digit, and stands beside digits: it may have been recognised wrongly."),
    gettext_noop("No letter that only this language has was recognised on the page: accents of the name may be missing."),
    gettext_noop("No contract was recognised in this document."),
    gettext_noop("No table of figures was recognised in this document."),
    gettext_noop("This document has no text, and no pictures of its pages were asked for; there was nothing to ask a model."),
    gettext_noop("Not found on page: nothing that is printed there holds this value."),
    gettext_noop("The value could not be proven on the page."),
    gettext_noop("Nothing beside the value says clearly enough that it is this one."),
    gettext_noop("Its letters were hard to recognise in the picture of the page."),
    gettext_noop("Only the first %(count)s lines were looked up on the page, and this is a later one."),
    gettext_noop("Quantity %(quantity)s × price %(price)s is not the amount %(amount)s."),
    gettext_noop("%(unsure)s of the %(count)s values in the lines need a look."),
    gettext_noop("The %(field)s was not found."),
    gettext_noop("Another value stands as near to its label: %(value)s."),
    gettext_noop("Only the embedded electronic invoice says so; no label on the page does."),
    gettext_noop("The page says %(printed)s, the embedded electronic invoice says %(said)s."),
    gettext_noop("The attached %(name)s is not a readable electronic invoice; it was not used."),
    gettext_noop("The sums do not add up: net %(net)s + tax %(tax)s = %(sum)s, but the total says %(total)s."),
    gettext_noop("Several taxes are printed, and no sum says that this one is all of them."),
    gettext_noop("The row below it adds up as well: this may be one rate of several."),
    gettext_noop("The tax is its rate of this amount, which so seems not to include it."),
    gettext_noop("It holds letters of another alphabet that look like Latin ones: it is not what it seems, and will not be found again by what is seen."),
    gettext_noop("Three digits stand behind its mark, which may part thousands."),
    gettext_noop("%(before)s from before and %(rest)s are this total: it may be what is owed altogether, and not what this document charges."),
    gettext_noop("The total is printed in %(currencies)s."),
    gettext_noop("The file gives another text in the place of what it prints here; read on the page what is printed."),
    gettext_noop("Some of its digits are set smaller than the others: they may be cents, or the mark of a footnote."),
    gettext_noop("The line items do not sum to the printed net or total."),
    gettext_noop("The line items sum to %(sum)s, which is more than the total."),
    gettext_noop("No line items were recognised."),
    gettext_noop("No label says whose number this is."),
    gettext_noop("What stands for %(code)s are letters, and they stand there but once."),
    gettext_noop("It looks like a date."),
    gettext_noop("The total is zero."),
    gettext_noop("The date %(date)s is implausible."),
    gettext_noop("The due date %(due)s lies before the date %(date)s."),
    gettext_noop("The end date %(end)s lies before the effective date %(date)s."),
    gettext_noop("The due date %(due)s lies more than two years after the date %(date)s."),
    gettext_noop("Day and month of the date could be swapped; nothing in the document decides."),
    gettext_noop("No label says that this is the document's date."),
    gettext_noop("Only a date of delivery, of the order or of a period is printed; it was taken as the document's date."),
    gettext_noop("No words say that the contract takes effect on this date."),
    gettext_noop("No heading says what this column holds."),
    gettext_noop("Several currencies are printed: %(currencies)s."),
    gettext_noop("No currency is printed; taken from the country of the addresses and numbers (%(country)s)."),
    gettext_noop("The dollars may be those of another country; nothing says whose they are."),
    gettext_noop("This name could be the supplier's as well: %(name)s."),
    gettext_noop("Nothing says that this name is the supplier's; it does not stand at the head of the page as a letterhead does."),
    gettext_noop("The foot of the page names another company: %(name)s."),
    gettext_noop("The name may go on in the line below it: %(name)s."),
    gettext_noop("Only a reference is printed; it was taken as the document's number."),
    gettext_noop("Only the number of an order is printed; it was taken as the receipt's number."),
    gettext_noop("Neither a tax nor a total is printed; the net amount was taken as the total."),
    gettext_noop("A larger sum stands below it, and no label that is known: %(label)s."),
    gettext_noop("The only date stands in a sentence, and no label says that it is the document's."),
    gettext_noop("No currency is printed; taken from the language."),
    gettext_noop("Several countries have a currency with this sign, and nothing says which of them it is."),
    gettext_noop("Several countries have a currency with this sign; the page names some: %(currencies)s."),
    gettext_noop("Only an address says that the sign means %(currency)s; elsewhere it means %(other)s."),
    gettext_noop("A reduction or charge of %(change)s stands below this total, and %(left)s is left to pay."),
    gettext_noop("A charge of %(charge)s stands between two totals; the last one was taken, and the tax may lack that of the charge."),
    gettext_noop("A reduction or charge of %(change)s stands below the printed total of %(total)s; what is left was taken as the total."),
    gettext_noop("Only words say this amount, and no figure beside a label does."),
    gettext_noop("In words the amount is %(said)s, and the total says %(total)s."),
    gettext_noop("No label names a total; this is the only amount in the document."),
    gettext_noop("The number %(number)s of this supplier was read before: in task %(task)s."),
    gettext_noop("The check digits of the account %(number)s are wrong."),
    gettext_noop("The check digits of the tax number %(number)s are wrong."),
    gettext_noop("%(where)s has no text; needs OCR."),
    gettext_noop("%(where)s has no text, and none was recognised in its picture."),
    gettext_noop("In the picture of %(where)s hardly any text was recognised."),
    gettext_noop("%(where)s has no text; the time limit left none to recognise it."),
    gettext_noop("%(where)s cannot be read; the file is damaged there."),
    gettext_noop("%(where)s measures more than %(limit)s points a side and was not read."),
    gettext_noop("%(where)s holds text that a reader of the page does not see; it was not used."),
    gettext_noop("The text of %(where)s is garbled (its fonts name the wrong characters); what its picture shows was read instead."),
    gettext_noop("%(where)s was read from its picture: recognised text (OCR)."),
    gettext_noop("A second OCR engine was asked, and its words were taken: they leave fewer gaps."),
    gettext_noop("The second OCR engine was not tried: it needs %(needed)s MiB, and the agent may use %(limit)s."),
    gettext_noop("The second OCR engine failed (%(error)s)."),
    gettext_noop("%(where)s holds a few invisible words; they were not used."),
    gettext_noop("%(where)s is a scan with an invisible text layer; the layer was read."),
    gettext_noop("Some text was read by a second reader, without its place on the page."),
    gettext_noop("The PDF holds JavaScript; it was not run."),
    gettext_noop("Attached files, not opened but for electronic invoices: %(names)s and %(more)s more."),
    gettext_noop("Attached files, not opened but for electronic invoices: %(names)s."),
    gettext_noop("This file holds %(number)s documents; each is a record of its own."),
    gettext_noop("The model “%(model)s” takes no pictures; only the text of the pages was sent."),
    gettext_noop("The model “%(model)s” refused to read this document. Another model may do it."),
    gettext_noop("The model “%(model)s” answered with something else than the JSON that it was asked for."),
    gettext_noop("The model “%(model)s” did not answer within %(seconds)s seconds."),
    gettext_noop("The account of “%(model)s” has no credit left. Add credit; nothing else is started for a quarter of an hour."),
    gettext_noop("The provider of “%(model)s” has had too many requests and %(when)s."),
    gettext_noop("The key does not allow the model “%(model)s” on %(host)s. Ask for the right, or choose another model."),
    gettext_noop("The model server %(host)s cannot be reached (%(error)s). Check its address and the network."),
    gettext_noop("The model server %(host)s broke off before it had answered for “%(model)s”; that may pass."),
    gettext_noop("The model server %(host)s failed with %(status)s for “%(model)s”; that is its own fault and may pass."),
    gettext_noop("The model server %(host)s sends elsewhere (%(status)s), and a document goes only where it was told to. Set the address that it names."),
    gettext_noop("The model server %(host)s does not accept the key. Set OPENAI_API_KEY, or the host's file in MODEL_KEYS_DIR, and start the worker again."),
    gettext_noop("This agent names no model; choose one on its page in the admin."),
    gettext_noop("This run has no login to a Databricks workspace. Let the agent run as a job there, or set up the default profile of the worker's user (databricks auth login)."),
    gettext_noop("The Databricks workspace does not accept the login of this run. Let the agent run as a job there, or set up the default profile of the worker's user (databricks auth login)."),
    gettext_noop("The Databricks workspace cannot be reached, or gives this run no login now (%(error)s). Check its address, the login and the network."),
    gettext_noop("The login of this run may not use %(function)s. An admin of the Databricks workspace has to allow AI functions for it."),
    gettext_noop("The Databricks workspace has no %(function)s; not every region and edition has. Choose another agent, or another engine for its scans."),
    gettext_noop("%(function)s of the Databricks workspace has failed; that is its own fault and may pass."),
    gettext_noop("%(function)s refuses what it is asked (%(error)s). Check the fields and settings of the agent."),
    gettext_noop("What %(function)s answered cannot be understood; a newer databricks-sdk may know it."),
    gettext_noop("The Databricks workspace has had too many requests of %(function)s and %(when)s."),
    gettext_noop("%(function)s did not answer within %(seconds)s seconds."),
    gettext_noop("The Databricks workspace broke off before %(function)s had answered; that may pass."),
    gettext_noop("The text that ai_extract cites for this value does not hold it."),
    gettext_noop("It was read from a picture of the page by Databricks, which does not say where single words stand; compare it with the page."),
    gettext_noop("%(where)s was read from its picture by ai_parse_document of Databricks."),
    gettext_noop("Pages without text were to be read by ai_parse_document. %(why)s"),
    gettext_noop("ai_parse_document of Databricks answered with something else than a parsed document."),
    gettext_noop("This agent asks the function ai_extract of a Databricks workspace, not the model “%(model)s”; name ai_extract as its model."),
    gettext_noop("The setting ocr_engine of this agent cannot be used; it is tesseract or databricks. Change it in the admin."),
    gettext_noop("The setting mode of this agent cannot be used; it is “precision”, or left out. Change it in the admin."),
    gettext_noop("The worker that ran this attempt stopped answering."),
    gettext_noop("The worker is shutting down and handed this attempt back."),
    gettext_noop("The worker could not renew its lease in time, so it stopped this attempt; another one follows."),
    gettext_noop("It ran longer than its agent allows and was stopped."),
    gettext_noop("An operator took it back from its worker."),
    gettext_noop("Stopped on request."),
    gettext_noop("The run ended without a result."),
    gettext_noop("Not finished within %(seconds)s seconds, the agent's limit for one document. If documents like this need longer, raise the limit."),
    gettext_noop("Reading this file took all of its %(seconds)s seconds of processor time. It may be damaged; if files like this need longer, raise the agent's limit."),
    gettext_noop("Reading this file needs more memory than its agent may use (%(limit)s MiB)."),
    gettext_noop("Reading this document needs more memory than its agent may use (%(limit)s MiB)."),
    gettext_noop("The machine ran out of memory and ended this attempt."),
    gettext_noop("The agent ended without a result (exit code %(code)s); the attempt's log says more."),
    gettext_noop("The agent stopped on an unexpected error (%(error)s); the attempt's log says where."),
    gettext_noop("The agent gave an invalid result (%(place)s: %(fault)s)."),
    gettext_noop("The stored result breaks the contract (%(place)s: %(fault)s); only as JSON can it be shown."),
    gettext_noop("asks to wait %(seconds)s seconds"),
    gettext_noop("does not say for how long to wait"),
    gettext_noop("Page %(number)s"),
    gettext_noop("page %(number)s"),
    gettext_noop("Each of pages %(first)s to %(last)s"),
    gettext_noop("each of pages %(first)s to %(last)s"),
    gettext_noop("Each of pages %(numbers)s and %(more)s more"),
    gettext_noop("Each of pages %(numbers)s"),
    gettext_noop("each of pages %(numbers)s and %(more)s more"),
    gettext_noop("each of pages %(numbers)s"),
    gettext_noop("This document"),
    gettext_noop("Invoices and receipts, read by rules, offline"),
    gettext_noop("Contracts: parties, dates, amounts and governing law, read by rules, offline"),
    gettext_noop("Statements and tables: figures with their periods and currency, read by rules, offline"),
    gettext_noop("Invoices, receipts and credit notes, read by a model"),
    gettext_noop("Contracts: parties, dates, term, amounts and law, read by a model"),
    gettext_noop("Balance sheets, income and bank statements, read by a model"),
    gettext_noop("Any other document: title, parties, date and facts, read by a model"),
    gettext_noop("Invoices, receipts and credit notes, read by AI functions of Databricks"),
)  # fmt: skip
PLACE = re.compile(r"%\\\((\w+)\\\)s")
"""A name in an escaped sentence."""


def spoken(sentence: str) -> str:
    """A sentence of another part in the reader's language, where a translation exists, else as it is."""
    if not sentence or (said := gettext(sentence)) != sentence:
        return said if sentence else ""
    pattern, values = taken_apart(sentence)
    if not values or (said := gettext(pattern)) == pattern:
        return sentence
    return said % {name: filled(name, value) for name, value in values.items()}


def filled(name: str, value: str) -> str:
    """What stands in a sentence: pages, times to wait and causes are phrases of their own, fields have their words, sizes their decimal sign."""
    if name in ("where", "when", "why"):
        return spoken(value)
    if name == "size":
        return value.replace(".", get_format("DECIMAL_SEPARATOR"))
    return field_word(value.replace(" ", "_")) if name == "field" else value


@lru_cache(maxsize=2048)
def taken_apart(sentence: str) -> tuple[str, dict[str, str]]:
    """The sentence that was filled and what with; the sentence itself and nothing where none of ours fits."""
    for pattern, known in patterns():
        if match := known.fullmatch(sentence):
            return pattern, match.groupdict()
    return sentence, {}


@cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (sentence, re.compile(PLACE.sub(r"(?P<\1>.+?)", re.escape(sentence))))
        for sentence in SENTENCES
        if "%(" in sentence
    )
