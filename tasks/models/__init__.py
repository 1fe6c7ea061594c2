"""Every table of the product: fields, constraints, indexes; no behaviour."""

from tasks.models.agents import BUDGET_FIELDS, Agent, AgentVersion, Budgets, Pool, Price
from tasks.models.bulk import BulkAction, BulkPiece
from tasks.models.callbacks import Delivery, RefusedDelivery
from tasks.models.clients import Client, Membership, Spending
from tasks.models.documents import Document, Extraction
from tasks.models.operations import AuditEntry, Switches, Worker
from tasks.models.spending import SpendNotice, Spent
from tasks.models.summary import Summary, SummaryChange, SummaryState
from tasks.models.tasks import Attempt, Lane, Task

__all__ = [
    "BUDGET_FIELDS", "Agent", "AgentVersion", "Attempt", "AuditEntry", "Budgets", "BulkAction", "BulkPiece", "Client", "Delivery", "Document", "Extraction", "Lane",
    "Membership", "Pool", "Price", "RefusedDelivery", "SpendNotice", "Spending", "Spent",
    "Summary", "SummaryChange", "SummaryState", "Switches", "Task", "Worker",
]  # fmt: skip
