"""The page where documents are handed in: a plain form of many files, which JavaScript makes more comfortable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from dashboard import errors, words
from dashboard.extractions import visible_extraction
from dashboard.sayings import spoken
from tasks import intake, maintenance, operations, receiving
from tasks.access import clients_of, visible_to
from tasks.audit import Actor
from tasks.models import Agent, Client, Extraction, Task
from tasks.versions import usable


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[UploadedFile]:
        return files.getlist(name)  # of all inputs of this name: single files and a folder


class ManyFilesField(forms.FileField):
    """Any number of files up to UPLOAD_MAX_FILES; what each of them is, is for intake to say."""

    widget = ManyFilesInput

    def clean(self, data: list[UploadedFile], initial: Any = None) -> list[UploadedFile]:
        if not data and self.required:
            raise ValidationError(_("Choose at least one file."))
        if len(data) > settings.UPLOAD_MAX_FILES:
            raise ValidationError(words.too_many_files(len(data)))
        return data


class LeftOutField(forms.JSONField):
    """What the form's script has not sent, as pairs of one of receiving.LEFT_OUT and a name. A word of the browser: what is no such pair counts for nothing."""

    def clean(self, value: Any) -> list[tuple[str, str]]:
        try:
            pairs = super().clean(value)
        except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
            raise ValidationError(self.error_messages["invalid"], params={"value": "…"}) from None
        return [
            tuple(pair)
            for pair in (pairs if isinstance(pairs, list) else [])[: receiving.MOST_LEFT_OUT]
            if is_left_out(pair)
        ]


def is_left_out(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(part, str) for part in pair)
        and pair[0] in receiving.LEFT_OUT
    )


FIRST_AGENT = "invoice-rules"
MOST_UNFINISHED = 5


class AgentChoice(forms.ModelChoiceField):
    def label_from_instance(self, agent: Agent) -> str:
        """By the name that pages and reasons use, and by what it is for."""
        words = f"{agent.name} · {spoken(agent.title)}" if agent.title else agent.name
        return _("%(agent)s (paused)") % {"agent": words} if agent.is_paused else words


class FilesForm(forms.Form):
    """Files, and what a script says of them: `sending` is "more" where others follow, "end" where this is all; the plain form says nothing."""

    run_again = forms.BooleanField(label=_("Read files again that were read before"), required=False)
    left_out = LeftOutField(required=False)
    sending = forms.ChoiceField(choices=[(word, word) for word in ("more", "end")], required=False)
    files = ManyFilesField(label=_("PDF files"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["files"].required = not self.data.get("sending")


class UploadForm(FilesForm):
    client = forms.ModelChoiceField(
        Client.objects.none(), label=_("Client"), empty_label=_("Choose a client")
    )
    engagement = forms.CharField(label=_("Engagement"), max_length=100, required=False)
    agent = AgentChoice(
        usable(Agent.objects.all()), label=_("Agent"), empty_label=None,
    )  # fmt: skip
    priority = forms.TypedChoiceField(label=_("Priority"), required=False, coerce=int, empty_value=None)
    key = forms.UUIDField(required=False)

    def clean_engagement(self) -> str:
        """What is typed or pasted may hold characters that no page can show."""
        return " ".join(
            "".join(c for c in self.cleaned_data["engagement"] if c.isprintable() or c.isspace()).split()
        )

    def __init__(self, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["client"].queryset = clients = clients_of(user).filter(deletion_began_at=None)
        self.fields["agent"].initial = Agent.objects.filter(name=FIRST_AGENT).first()
        if clients.count() == 1:
            self.fields["client"].empty_label = None
        if user.has_perm("tasks.operate_task"):
            levels = [(int(level), word) for level, word in words.PRIORITIES.items()]
            self.fields["priority"].choices = [("", _("By the client's tier")), *levels]
        else:
            del self.fields["priority"]


@permission_required("tasks.add_extraction", raise_exception=True)
def upload(request: HttpRequest) -> HttpResponse:
    """The form, and what it sends: all files at once, or, from its script, a `key` for an extraction whose files come one by one."""
    if request.method != "POST":
        form = UploadForm(request.user, initial={"client": request.GET.get("client")})
        return _form_page(request, form, unfinished=_unfinished(request))
    if request.POST.get("priority") and not request.user.has_perm("tasks.operate_task"):
        raise PermissionDenied
    if closed := maintenance.sentence():  # before the files are read
        return _closed(request, closed)
    form = UploadForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _not_taken(request, form)
    try:
        extraction = _begun(request, form.cleaned_data)
    except (intake.NotTaken, operations.Refused) as refusal:
        form.add_error(None, refusal.message)
        return _not_taken(request, form, _status(refusal))
    return _taken(request, extraction, [], status=201)


@permission_required("tasks.add_extraction", raise_exception=True)
def add(request: HttpRequest, pk: int) -> HttpResponse:
    """More files for an extraction: a form with or without script, the script's files one by one, and word that this is all."""
    extraction = visible_extraction(request, pk)
    if words.gone(extraction) and not _wants_json(request):
        return errors.gone(request, extraction.pruned_at)
    if request.method != "POST":
        return _form_page(request, FilesForm(), extraction=extraction)
    if closed := maintenance.sentence():
        return _closed(request, closed, extraction)
    form = FilesForm(request.POST, request.FILES)
    if not form.is_valid():
        return _not_taken(request, form, extraction=extraction)
    sent = form.cleaned_data
    try:
        refused = intake.add(
            Actor.of(request, "web"), extraction, _uploads(sent),
            run_again=sent["run_again"], left_out=sent["left_out"], more=sent["sending"] == "more",
        )  # fmt: skip
    except (intake.NotTaken, operations.Refused) as refusal:
        form.add_error(None, refusal.message)
        return _not_taken(request, form, _status(refusal), extraction)
    return _taken(request, extraction, refused)


def _begun(request: HttpRequest, chosen: dict[str, Any]) -> Extraction:
    actor = Actor.of(request, "web")
    what: dict[str, Any] = {name: chosen.get(name) for name in ("client", "agent", "engagement", "priority")}
    if chosen["key"] and chosen["sending"]:
        return intake.begin(actor, chosen["key"], **what)
    return intake.take_in(
        actor, uploads=_uploads(chosen), run_again=chosen["run_again"], left_out=chosen["left_out"], **what
    )


def _uploads(sent: dict[str, Any]) -> Iterator[intake.Upload]:
    return (intake.Upload(file.name or "", file) for file in sent["files"])


def _unfinished(request: HttpRequest) -> list[Extraction]:
    """The newest of this person's own whose sending broke off, or is under way elsewhere. One without any file is as good begun anew."""
    has_come = Exists(Task.objects.filter(extraction=OuterRef("pk"))) | ~Q(refused=[])
    own = Extraction.objects.filter(created_by=request.user.pk, more_until__isnull=False, pruned_at=None)
    own = own.filter(has_come, client__deletion_began_at=None).select_related("client").order_by("-id")
    return list(visible_to(request.user, own)[:MOST_UNFINISHED])


def _wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def _taken(
    request: HttpRequest, extraction: Extraction, refused: list[dict[str, Any]], status: int = 200
) -> HttpResponse:
    url = reverse("extraction", args=(extraction.pk,))
    if not _wants_json(request):
        return redirect(url)
    entries = [{"code": entry["code"], "sentence": spoken(entry["sentence"])} for entry in refused]
    more = reverse("upload_more", args=(extraction.pk,))
    return JsonResponse({"url": url, "more": more, "refused": entries}, status=status)


def _status(refusal: intake.NotTaken | operations.Refused) -> int:
    """For the script: what is wrong here may pass, so that it tries again by itself."""
    return 503 if isinstance(refusal, intake.NotTaken) else 400


def _not_taken(
    request: HttpRequest, form: FilesForm, status: int = 400, extraction: Extraction | None = None
) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse({"errors": form.errors.get_json_data()}, status=status)
    return _form_page(request, form, status=400, extraction=extraction)


def _closed(request: HttpRequest, sentence: str, extraction: Extraction | None = None) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse({"errors": {"__all__": [{"message": sentence}]}}, status=503)
    form = FilesForm() if extraction else UploadForm(request.user)
    return _form_page(request, form, status=503, extraction=extraction)


def _form_page(request: HttpRequest, form: FilesForm, status: int = 200, **more: Any) -> HttpResponse:
    limits = {
        "files": settings.UPLOAD_MAX_FILES,
        "bytes": settings.UPLOAD_MAX_BYTES,
        "pages": settings.UPLOAD_MAX_PAGES,
        "unpacked": settings.UNZIP_MAX_BYTES,
        "ratio": settings.UNZIP_MAX_RATIO,
        "left_out": receiving.MOST_LEFT_OUT,
    }
    user = request.user
    if extraction := more.get("extraction"):
        more |= {"known": intake.digests(extraction), "arrived": extraction.tasks.count()}
    context = {
        "form": form, "limits": limits, "closed": maintenance.sentence(),
        "may_add_client": user.is_staff and user.has_perm("tasks.add_client"),
        "may_add_member": user.is_staff and user.has_perm("tasks.add_membership"),
        **more,
    }  # fmt: skip
    return render(request, "upload.html", context, status=status)
