"""Small JSON messages, with file descriptors beside them, over a Unix stream socket between a worker and its fork server."""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

LENGTH = struct.Struct("!I")
SEND_SECONDS = 5.0
MAX_DESCRIPTORS = 8
# Python's recv_fds leaves received descriptors inheritable unless the kernel is asked otherwise.
CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

Message = dict[str, Any]


def frame(body: bytes) -> bytes:
    """`body` with its length in front, as both ends read it."""
    return LENGTH.pack(len(body)) + body


def receive_exactly(sock: socket.socket, size: int) -> bytes:
    """`size` bytes from a blocking socket. Raises EOFError if the other end closes before."""
    received = bytearray()
    while len(received) < size:
        chunk = sock.recv(size - len(received))
        if not chunk:
            raise EOFError
        received += chunk
    return bytes(received)


class Messenger:
    """One end of the conversation. `receive` is called when the socket is readable and never waits for a whole message."""

    def __init__(self, sock: socket.socket):
        sock.settimeout(SEND_SECONDS)
        self.socket = sock
        self._buffer = bytearray()
        self._descriptors: list[int] = []

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Raises OSError when the other end is gone or does not read for SEND_SECONDS."""
        data = frame(json.dumps({**message, "descriptors": len(descriptors)}).encode())
        sent = socket.send_fds(self.socket, [data], list(descriptors)) if descriptors else 0
        self.socket.sendall(data[sent:])

    def receive(self) -> list[tuple[Message, list[int]]]:
        """The messages that are complete by now, each with its descriptors. Raises EOFError when the other end is gone."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, 65_536, MAX_DESCRIPTORS, CLOSE_ON_EXEC)
        except ConnectionError as error:
            raise EOFError from error
        if not data:
            raise EOFError
        self._buffer += data
        self._descriptors += descriptors
        return list(self._complete())

    def _complete(self):
        while len(self._buffer) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            message = json.loads(self._buffer[LENGTH.size : end])
            del self._buffer[:end]
            count = message.pop("descriptors")
            descriptors, self._descriptors = self._descriptors[:count], self._descriptors[count:]
            yield message, descriptors

    def close(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()
        self.socket.close()
