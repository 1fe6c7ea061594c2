"""Which path on this machine a file came from that the database knows by its bytes, or by its name alone."""

from __future__ import annotations

from pathlib import Path

from tasks.receiving import display_name


class Places:
    """Paths by the digest of their bytes. Each is told once, so that copies get a path each: first ask by bytes, then by name."""

    def __init__(self, paths: dict[str, list[Path]]) -> None:
        self._left = {digest: list(found) for digest, found in paths.items()}

    def of_bytes(self, digest: str, name: str) -> str:
        """The path that brought these bytes, if possible under this name; the name where none did."""
        return self._take([digest], name) or self._take([digest]) or name

    def of_name(self, name: str) -> str:
        """The path that is shown under this name; the name where none is."""
        return self._take(list(self._left), name) or name

    def _take(self, digests: list[str], name: str = "") -> str:
        for digest in digests:
            for path in self._left.get(digest, ()):
                if not name or display_name(path.name) == name:
                    self._left[digest].remove(path)
                    return str(path)
        return ""
