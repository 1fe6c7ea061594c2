"""The page where documents are handed in: a plain form of many files, which JavaScript makes more comfortable."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from dashboard import words
from dashboard.sayings import spoken
from tasks import intake, maintenance, operations
from tasks.access import clients_of
from tasks.audit import Actor
from tasks.models import Agent, Client
from tasks.versions import usable


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[UploadedFile]:
        return files.getlist(name)  # of all inputs of this name: single files and a folder


class ManyFilesField(forms.FileField):
    """Any number of files up to UPLOAD_MAX_FILES; what each of them is, is for intake to say."""

    widget = ManyFilesInput

    def clean(self, data: list[UploadedFile], initial: Any = None) -> list[UploadedFile]:
        if not data:
            raise ValidationError(_("Choose at least one file."))
        if len(data) > settings.UPLOAD_MAX_FILES:
            raise ValidationError(too_many_files(len(data)))
        return data


MOST_LEFT_OUT = 1000
"""More files that were not sent are not listed."""


class LeftOutField(forms.JSONField):
    """What the form's script has not sent, as pairs of one of intake.LEFT_OUT and a name. A word of the browser: what is no such pair counts for nothing."""

    def clean(self, value: Any) -> list[tuple[str, str]]:
        try:
            pairs = super().clean(value)
        except RecursionError:
            raise ValidationError(self.error_messages["invalid"], params={"value": "…"}) from None
        return [
            tuple(pair)
            for pair in (pairs if isinstance(pairs, list) else [])[:MOST_LEFT_OUT]
            if is_left_out(pair)
        ]


def is_left_out(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(part, str) for part in pair)
        and pair[0] in intake.LEFT_OUT
    )


FIRST_AGENT = "invoice-rules"


class AgentChoice(forms.ModelChoiceField):
    def label_from_instance(self, agent: Agent) -> str:
        title = spoken(agent.title) or agent.name
        return _("%(agent)s (paused)") % {"agent": title} if agent.is_paused else title


class UploadForm(forms.Form):
    client = forms.ModelChoiceField(
        Client.objects.none(), label=_("Client"), empty_label=_("Choose a client")
    )
    engagement = forms.CharField(label=_("Engagement"), max_length=100, required=False)
    agent = AgentChoice(
        usable(Agent.objects.all()), label=_("Agent"), empty_label=None,
    )  # fmt: skip
    priority = forms.TypedChoiceField(label=_("Priority"), required=False, coerce=int, empty_value=None)
    run_again = forms.BooleanField(label=_("Read files again that were read before"), required=False)
    left_out = LeftOutField(required=False)
    files = ManyFilesField(label=_("PDF files"))

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


def too_many_files(number: int | None = None) -> str:
    if number is None:
        sentence = _(
            "At most %(limit)d files can be handed in at once. Nothing was taken; hand them in in several parts."
        )
    else:
        sentence = _(
            "These are %(number)d files; at most %(limit)d can be handed in at once. Nothing was taken; hand them in in several parts."
        )
    return sentence % {"number": number, "limit": settings.UPLOAD_MAX_FILES}


@permission_required("tasks.add_extraction", raise_exception=True)
def upload(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _form_page(request, UploadForm(request.user, initial={"client": request.GET.get("client")}))
    if request.POST.get("priority") and not request.user.has_perm("tasks.operate_task"):
        raise PermissionDenied
    if closed := maintenance.sentence():  # before the files are read
        return _closed(request, closed)
    form = UploadForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _not_taken(request, form)
    try:
        extraction = _take_in(request, form.cleaned_data)
    except (intake.NotTaken, operations.Refused) as refusal:
        form.add_error(None, refusal.message)
        return _not_taken(request, form)
    url = reverse("extraction", args=(extraction.pk,))
    return JsonResponse({"url": url}, status=201) if _wants_json(request) else redirect(url)


def _take_in(request: HttpRequest, chosen: dict[str, Any]) -> Any:
    return intake.take_in(
        Actor.of(request, "web"),
        client=chosen["client"],
        agent=chosen["agent"],
        uploads=(intake.Upload(file.name or "", file) for file in chosen["files"]),
        engagement=chosen["engagement"],
        priority=chosen.get("priority"),
        run_again=chosen["run_again"],
        left_out=chosen["left_out"],
    )


def _wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def _not_taken(request: HttpRequest, form: UploadForm) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse({"errors": form.errors.get_json_data()}, status=400)
    return _form_page(request, form, status=400)


def _closed(request: HttpRequest, sentence: str) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse({"errors": {"__all__": [{"message": sentence}]}}, status=503)
    return _form_page(request, UploadForm(request.user), status=503)


def _form_page(request: HttpRequest, form: UploadForm, status: int = 200) -> HttpResponse:
    limits = {
        "files": settings.UPLOAD_MAX_FILES,
        "bytes": settings.UPLOAD_MAX_BYTES,
        "pages": settings.UPLOAD_MAX_PAGES,
        "left_out": MOST_LEFT_OUT,
    }
    user = request.user
    context = {
        "form": form, "limits": limits, "closed": maintenance.sentence(),
        "may_add_client": user.is_staff and user.has_perm("tasks.add_client"),
        "may_add_member": user.is_staff and user.has_perm("tasks.add_membership"),
    }  # fmt: skip
    return render(request, "upload.html", context, status=status)
