"""AI functions of the local workspace: strict in what they take, and they answer as a test tells them to."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PIL import Image

from tests.fakes.databricks import Answer, Refused, Request, Route, like

if TYPE_CHECKING:
    from tests.fakes.databricks import Workspace

TYPES = ("string", "integer", "number", "boolean")
MOST_FIELDS = 256
LONGEST_INSTRUCTIONS = 20_000


@dataclass(frozen=True, slots=True)
class Asked:
    """What ai_extract was asked: the text, and the fields by name in the platform's form."""

    text: str
    schema: dict[str, Any]


class AiFunctions:
    """`extracts` and `parses` give the answers' `response` and `document`; what they return goes out as it is, bytes as the whole answer."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.asked: list[Asked] = []
        self.pictures: list[Image.Image] = []
        self.parse_options: list[dict[str, Any]] = []
        self.extracts: Callable[[Asked], Any] = lambda asked: {}
        self.parses: Callable[[Image.Image], Any] = lambda picture: {"pages": [], "elements": []}
        self.cites: Callable[[Asked], list[tuple[int, int, int]]] = lambda asked: []
        """Id, first character and end of each citation."""
        self.page_errors: list[dict[str, Any]] = []
        workspace.add(
            [
                Route("POST", r"/api/2\.0/ai-functions/ai-extract", self._extract),
                Route("POST", r"/api/2\.0/ai-functions/ai-parse-document", self._parse),
            ]
        )

    def _extract(self, request: Request) -> Answer:
        from databricks.sdk.service.aifunctions import (
            AiExtractCitation,
            AiExtractOptions,
            AiExtractResponse,
            AiExtractResponseMetadata,
        )

        body = request.json({"content", "schema", "options"})
        options = like(AiExtractOptions, body.get("options", {}))
        if options.mode not in (None, "precision") or len(options.instructions or "") > LONGEST_INSTRUCTIONS:
            raise Refused(400, "INVALID_PARAMETER_VALUE", "These options are not known.")
        if not isinstance(body["content"], str) or not body["content"]:
            raise Refused(400, "MALFORMED_REQUEST", "content is a text.")
        if not 0 < check_fields(body["schema"]) <= MOST_FIELDS:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"At most {MOST_FIELDS} fields.")
        asked = Asked(body["content"], body["schema"])
        self.asked.append(asked)
        said = self.extracts(asked)
        if isinstance(said, bytes):
            return Answer(said)
        metadata = AiExtractResponseMetadata(version="2.1")
        if options.enable_citations:
            metadata.chunk_type = "span"
            metadata.citations = [
                AiExtractCitation(id=name, start=start, stop=stop) for name, start, stop in self.cites(asked)
            ]
        return Answer(AiExtractResponse(response=said, metadata=metadata).as_dict())

    def _parse(self, request: Request) -> Answer:
        from databricks.sdk.service.aifunctions import (
            AiParseDocumentOptions,
            AiParseDocumentPageError,
            AiParseDocumentResponse,
            AiParseDocumentResponseMetadata,
        )

        body = request.json({"content", "options"})
        options = like(AiParseDocumentOptions, body["options"])
        if options.version != "2.0" or options.image_output_path is not None:
            raise Refused(
                400, "INVALID_PARAMETER_VALUE", "Only version 2.0 is known, and nothing is to be kept."
            )
        kind, _, data = body["content"].partition(";base64,")
        if kind not in ("data:image/png", "data:image/jpeg"):
            raise Refused(400, "INVALID_PARAMETER_VALUE", "content is a picture.")
        picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
        picture.load()
        self.pictures.append(picture)
        self.parse_options.append(body["options"])
        made = AiParseDocumentResponse(
            document=self.parses(picture),
            error_status=[AiParseDocumentPageError.from_dict(one) for one in self.page_errors],
            metadata=AiParseDocumentResponseMetadata(id=f"parse-{len(self.pictures)}", version="2.0"),
        )
        return Answer(made.as_dict())


def check_fields(schema: Any) -> int:
    """How many fields are asked for; refused where one is in no known form."""
    if not isinstance(schema, dict) or not schema:
        raise Refused(400, "INVALID_PARAMETER_VALUE", "A schema is an object of fields.")
    count = 0
    for name, one in schema.items():
        if not re.fullmatch(r"\w{1,60}", name):
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"The name {name!r}.")
        if one.get("type") == "array":
            columns = one["items"]
            if set(one) - {"description"} != {"type", "items"} or set(columns) != {"type", "properties"}:
                raise Refused(400, "MALFORMED_REQUEST", f"The list {name}: {sorted(one)}, {sorted(columns)}.")
            if columns["type"] != "object":
                raise Refused(400, "INVALID_PARAMETER_VALUE", "A list holds objects.")
            count += 1 + check_fields(columns["properties"])
            continue
        if set(one) != {"type", "description"} or one["type"] not in TYPES:
            raise Refused(400, "MALFORMED_REQUEST", f"The field {name}: {one}.")
        count += 1
    return count


def element(
    kind: str, content: Any, box: tuple[int, int, int, int] = (0, 0, 100, 20), **more: Any
) -> dict[str, Any]:
    """An element of a parsed document, on its first page."""
    return {"id": 0, "type": kind, "content": content, "bbox": [{"coord": list(box), "page_id": 0}], **more}


def honest(asked: Asked) -> dict[str, Any]:
    """What a good function gives for pages of a bill (tests/llm_tools.py): all of what they say, and nothing else."""
    total = re.search(r"^Total\s+([\d.]+)", asked.text, re.M)
    first = "Harbour Books Ltd" in asked.text
    return {
        "supplier": "Harbour Books Ltd" if first else None,
        "date": "2024-03-14" if first else None,
        "total": total[1] if total else None,
        "lines": [{"item": item, "amount": amount} for item, amount in re.findall(r"^(Entry [\d.]+)\s+([\d.]+)$", asked.text, re.M)],
    }  # fmt: skip
