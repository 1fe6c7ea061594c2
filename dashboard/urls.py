"""Addresses of the pages that people look at."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

from dashboard import (
    actions,
    attempts,
    costs,
    exports,
    extractions,
    health,
    home,
    live,
    maintenance,
    operations,
    passwords,
    saved,
    tasks,
    uploads,
    worklist,
)

urlpatterns = [
    path("", home.start, name="home"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("live/", live.stream, name="live"),
    path("upload/", uploads.upload, name="upload"),
    path("extractions/", extractions.index, name="extractions"),
    path("extractions/fragment/", extractions.index_fragment, name="extractions_fragment"),
    path("extractions/<int:pk>/", extractions.page, name="extraction"),
    path("extractions/<int:pk>/fragment/", extractions.fragment, name="extraction_fragment"),
    path("extractions/<int:pk>/passwords/", passwords.unlock, name="extraction_passwords"),
    path("extractions/<int:pk>/await/", extractions.wait_for, name="extraction_await"),
    path("extractions/<int:pk>/cancel/", extractions.cancel_waiting, name="extraction_cancel"),
    path("extractions/<int:pk>/retry/", extractions.retry_failed, name="extraction_retry"),
    path("extractions/<int:pk>/results.csv", exports.results_csv, name="results_csv"),
    path("extractions/<int:pk>/results.json", exports.results_json, name="results_json"),
    path("extractions/<int:pk>/refused.csv", exports.refused_csv, name="refused_csv"),
    path("tasks/<int:pk>/", tasks.page, name="task"),
    path("tasks/<int:pk>/fragment/", tasks.fragment, name="task_fragment"),
    path("tasks/<int:pk>/log/<uuid:attempt>/", attempts.log, name="attempt_log"),
    path("tasks/<int:pk>/result.json", attempts.result, name="task_result"),
    path("tasks/<int:pk>/<slug:verb>/", tasks.operate, name="task_operate"),
    path("operations/", operations.page, name="operations"),
    path("operations/fragment/", operations.fragment, name="operations_fragment"),
    path("operations/operations.csv", operations.export, name="operations_csv"),
    path("costs/", costs.page, name="costs"),
    path("costs/costs.csv", costs.csv_file, name="costs_csv"),
    path("costs/costs.xlsx", costs.xlsx_file, name="costs_xlsx"),
    path("costs/close/", costs.close, name="costs_close"),
    path("operations/tasks/", worklist.page, name="operations_tasks"),
    path("operations/tasks/act/", worklist.act, name="operations_act"),
    path("operations/tasks/news/<int:number>/<slug:mark>/", worklist.news, name="operations_tasks_news"),
    path("operations/views/", saved.save, name="view_save"),
    path("operations/views/<int:pk>/forget/", saved.forget, name="view_forget"),
    path("operations/maintenance/", maintenance.page, name="maintenance"),
    path("operations/actions/", actions.index, name="bulk_actions"),
    path("operations/actions/<int:pk>/", actions.page, name="bulk_action"),
    path("operations/actions/<int:pk>/fragment/", actions.fragment, name="bulk_action_fragment"),
    path("operations/actions/<int:pk>/undo/", actions.undo, name="bulk_action_undo"),
    path("operations/actions/<int:pk>/results.csv", actions.results_csv, name="bulk_action_csv"),
    path("operations/trail.csv", actions.trail_csv, name="trail_csv"),
    path("documents/<int:pk>/file/", tasks.document_file, name="document_file"),
]
