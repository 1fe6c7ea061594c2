"""A model that answers from a file: an endpoint on this machine for samples, so that an agent is tried offline and always alike."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tasks.agent.contract import Endpoint


@contextmanager
def scripted(answers: list[Any]) -> Iterator[Endpoint]:
    """An endpoint that gives these JSON answers one after the other, and the last one to whatever else is asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answers))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield Endpoint(base_url=f"http://127.0.0.1:{server.server_port}/v1", key="scripted")
    finally:
        server.shutdown()
        server.server_close()


def _handler(answers: list[Any]) -> type[BaseHTTPRequestHandler]:
    left, lock = iter(answers[:-1]), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        """Speaks as much of OpenAI's protocol as one answer takes."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                answer = next(left, answers[-1])
            message = {"role": "assistant", "content": json.dumps(answer, ensure_ascii=False)}
            # A token of the usual size, so that sums look as they will; nothing is paid
            usage = {
                "prompt_tokens": len(json.dumps(asked)) // 4,
                "completion_tokens": len(message["content"]) // 4,
            }
            body = json.dumps({
                "id": "scripted", "object": "chat.completion", "created": 0, "model": asked.get("model", ""),
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": usage | {"total_tokens": sum(usage.values())},
            }).encode()  # fmt: skip
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Prompts hold text of documents, which no log gets."""

    return Handler
