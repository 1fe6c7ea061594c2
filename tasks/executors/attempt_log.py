"""Copies what an attempt prints into its log file, up to a size, and never makes the attempt wait for long or fail."""

from __future__ import annotations

import os

LIMIT_BYTES = 1 << 20
CHUNK_BYTES = 65_536
NOTICE = b"\n[The log was cut here: it reached 1 MiB.]\n"


class AttemptLog:
    """Owns both descriptors: the end of the pipe that is read, and the file that is written."""

    def __init__(self, pipe: int, file: int):
        os.set_blocking(pipe, False)
        self.pipe, self._file = pipe, file
        self._room = LIMIT_BYTES
        self._cut = False

    def copy(self) -> bool:
        """Copy one chunk; False when there was nothing to copy. What is above the limit is read and dropped,
        because an attempt that cannot print would hang or die of its own messages."""
        try:
            chunk = os.read(self.pipe, CHUNK_BYTES)
        except BlockingIOError:
            return False
        kept = chunk[: self._room]
        self._room -= len(kept)
        self._write(kept)
        if len(kept) < len(chunk) and not self._cut:
            self._cut = True
            self._write(NOTICE)
        return bool(chunk)

    def finish(self) -> None:
        """Copy what is left of an attempt that has ended, and let go."""
        # Bounded: a process that outlived the attempt could print for ever.
        for _ in range(LIMIT_BYTES // CHUNK_BYTES + 1):
            if not self.copy():
                break
        os.close(self.pipe)
        os.close(self._file)

    def _write(self, data: bytes) -> None:
        if data:
            try:
                os.write(self._file, data)
            except OSError:  # a full disk costs the log, not the attempt
                self._room = 0
                self._cut = True
