"""A network between agent and server that loses, delays, cuts and repeats, by the luck of a seed."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections import Counter

MISHAPS = ("none", "refuse", "cut the request", "lose the answer", "cut the answer", "delay", "repeat")


class Proxy:
    """Listens on a port of its own and passes connections, one request each, on to `port`, most of them with a mishap."""

    def __init__(self, port: int, seed: int) -> None:
        self._port, self._luck = port, random.Random(seed)
        self.happened: Counter[str] = Counter()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                line, _address = self._listener.accept()
            except OSError:
                return
            mishap = self._luck.choice(MISHAPS)
            self.happened[mishap] += 1
            threading.Thread(target=self._pass_on, args=(line, mishap), daemon=True).start()

    def _pass_on(self, line: socket.socket, mishap: str) -> None:
        with line:
            line.settimeout(20)
            if mishap == "refuse":
                return
            try:
                request = whole(line)
                if mishap == "delay":
                    time.sleep(0.3)
                if mishap == "repeat":
                    self._ask(request)
                if mishap == "cut the request":
                    with self._server() as server:
                        server.sendall(request[: len(request) * 2 // 3])
                    return
                answer = self._ask(request)
                if mishap != "lose the answer":
                    line.sendall(answer[:20] if mishap == "cut the answer" else answer)
            except OSError:
                return

    def _server(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), timeout=60)

    def _ask(self, request: bytes) -> bytes:
        with self._server() as server:
            server.sendall(request)
            answer = b""
            while piece := server.recv(65536):
                answer += piece
            return answer


def whole(line: socket.socket) -> bytes:
    """A request with its body."""
    request = b""
    while b"\r\n\r\n" not in request:
        request += _more(line)
    head, _, body = request.partition(b"\r\n\r\n")
    rows = (row for row in head.split(b"\r\n") if row.lower().startswith(b"content-length:"))
    length = int(next(rows, b":0").split(b":")[1])
    while len(body) < length:
        body += _more(line)
    return head + b"\r\n\r\n" + body


def _more(line: socket.socket) -> bytes:
    piece = line.recv(65536)
    if not piece:
        raise ConnectionResetError
    return piece
