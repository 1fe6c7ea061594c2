"""Every table of the product: fields, constraints, indexes; no behaviour."""

from tasks.models.agents import BUDGET_FIELDS, Agent, AgentVersion, Budgets, Pool, Price
from tasks.models.alerts import Alert, AlertRule, ExtractionWatch, Notice
from tasks.models.billing import BilledRun
from tasks.models.bulk import BulkAction, BulkPiece
from tasks.models.callbacks import AttemptResult, Delivery, RefusedDelivery
from tasks.models.clients import Client, Membership, Spending
from tasks.models.costs import ClosedMonth, CostCell, CostChange, CostState, MonthTerms, OtherSpend
from tasks.models.documents import Document, Extraction, SeenNumber
from tasks.models.operations import AuditEntry, Switches, Worker
from tasks.models.spending import SpendNotice, Spent
from tasks.models.summary import Summary, SummaryChange, SummaryState
from tasks.models.tasks import Attempt, Lane, Task
from tasks.models.views import SavedView

__all__ = [
    "BUDGET_FIELDS", "Agent", "AgentVersion", "Alert", "AlertRule", "Attempt", "AttemptResult", "AuditEntry", "BilledRun", "Budgets", "BulkAction", "BulkPiece", "Client",
    "ClosedMonth", "CostCell", "CostChange", "CostState", "Delivery",
    "Document", "Extraction", "ExtractionWatch", "Lane", "Membership", "MonthTerms", "Notice", "OtherSpend", "Pool", "Price", "RefusedDelivery", "SavedView", "SeenNumber", "SpendNotice", "Spending", "Spent",
    "Summary", "SummaryChange", "SummaryState", "Switches", "Task", "Worker",
]  # fmt: skip
