"""Unity Catalog Volumes of the local workspace: files below a folder of this machine, as a cluster would see them mounted."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import threading
import time
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakes.http import Answer, Refused, Request, Route

if TYPE_CHECKING:
    from tests.fakes.databricks import Workspace

PAGE = 1000
VOLUME = "/Volumes/main/agentaudit/files"
"""The one volume that exists from the start."""


class Files:
    """`workspace.files.path("/Volumes/…")` is where a file of a volume is kept, and where a program of a job finds it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.root = workspace.folder
        self.volume = VOLUME
        self.path(VOLUME).mkdir(parents=True, exist_ok=True)
        self._uploads: dict[str, dict[int, bytes]] = {}
        self._overwrites: dict[str, bool] = {}
        self._signed: dict[str, str] = {}
        self._lock = threading.Lock()
        file, folder = (
            r"/api/2\.0/fs/files(?P<path>/Volumes/.+)",
            r"/api/2\.0/fs/directories(?P<path>/Volumes/.+)",
        )
        workspace.add(
            [
                Route("PUT", file, self._put, frozenset({"overwrite"})),
                Route("GET", file, self._get),
                Route("HEAD", file, self._head),
                Route("DELETE", file, self._delete),
                Route("POST", file, self._upload, frozenset({"action", "overwrite", "upload_type", "session_token"})),
                Route("PUT", folder, self._make_folder),
                Route("GET", folder, self._list, frozenset({"page_size", "page_token"})),
                Route("POST", "/api/2.0/fs/create-download-url", self._sign, frozenset({"path", "expire_time"})),
                Route("POST", "/api/2.0/fs/create-upload-part-urls", self._sign_parts),
                Route("GET", "/cloud/(?P<key>[^/]+)", self._signed_get, open=True),
                Route("PUT", "/cloud/(?P<session>[^/]+)/(?P<part>[0-9]+)", self._signed_put, open=True),
            ]
        )  # fmt: skip

    def path(self, volume_path: str) -> Path:
        return self.root / volume_path.lstrip("/")

    # Whole files

    def _put(self, request: Request) -> Answer:
        if "overwrite" not in request.query:
            raise Refused(400, "MALFORMED_REQUEST", "overwrite is left to chance; say true or false.")
        self._store(request.groups["path"], request.data, request.query["overwrite"] == "true")
        return Answer(status=204)

    def _store(self, name: str, data: bytes, overwrite: bool) -> None:
        target = self._inside_volume(name)
        if not target.parent.is_dir():
            raise Refused(404, "NOT_FOUND", f"The directory of {name} does not exist.")
        partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        partial.write_bytes(data)
        if overwrite:
            os.replace(partial, target)
            return
        try:
            os.link(partial, target)
        except FileExistsError:
            raise Refused(409, "ALREADY_EXISTS", "The file being created already exists.") from None
        finally:
            partial.unlink()

    def _get(self, request: Request) -> Answer:
        return self._content(self._found(request.groups["path"]), request.headers.get("range"))

    def _content(self, path: Path, wanted: str | None) -> Answer:
        data = path.read_bytes()
        headers = {"Last-Modified": formatdate(path.stat().st_mtime, usegmt=True)}
        if wanted is None:
            return Answer(data, headers=headers)
        first, last = (
            int(part) if part else None for part in re.fullmatch(r"bytes=(\d+)-(\d*)", wanted).groups()
        )  # type: ignore[union-attr]
        part = data[first : None if last is None else last + 1]
        headers["Content-Range"] = f"bytes {first}-{first + len(part) - 1}/{len(data)}"  # type: ignore[operator]
        return Answer(part, 206, headers)

    def _head(self, request: Request) -> Answer:
        path = self._found(request.groups["path"])
        about = path.stat()
        return Answer(
            headers={
                "Content-Length": str(about.st_size),
                "Last-Modified": formatdate(about.st_mtime, usegmt=True),
            }
        )

    def _delete(self, request: Request) -> Answer:
        self._found(request.groups["path"]).unlink()
        return Answer(status=204)

    def _found(self, name: str) -> Path:
        path = self._inside_volume(name)
        if not path.is_file():
            raise Refused(404, "NOT_FOUND", "The file being accessed is not found.")
        return path

    def _inside_volume(self, name: str) -> Path:
        volume = self.path("/".join(name.split("/")[:5]))
        if not volume.is_dir() or ".." in name.split("/"):
            raise Refused(404, "NOT_FOUND", f"There is no volume for {name}.")
        return self.path(name)

    # Folders

    def _make_folder(self, request: Request) -> Answer:
        self._inside_volume(request.groups["path"]).mkdir(parents=True, exist_ok=True)
        return Answer(status=204)

    def _list(self, request: Request) -> Answer:
        from databricks.sdk.service.files import DirectoryEntry, ListDirectoryResponse

        name = request.groups["path"].rstrip("/")
        folder = self._inside_volume(name)
        if not folder.is_dir():
            raise Refused(404, "NOT_FOUND", "The directory being accessed is not found.")
        first = int(request.query.get("page_token") or 0)
        size = min(int(request.query.get("page_size") or PAGE), PAGE)
        found = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
        contents = [
            DirectoryEntry(
                name=path.name, path=f"{name}/{path.name}", is_directory=path.is_dir(), last_modified=int(time.time() * 1000),
                file_size=None if path.is_dir() else path.stat().st_size,
            )
            for path in found[first : first + size]
        ]  # fmt: skip
        more = str(first + size) if first + size < len(found) else None
        return Answer(ListDirectoryResponse(contents=contents, next_page_token=more).as_dict())

    # Presigned addresses of the cloud's own storage: no login goes there

    def _sign(self, request: Request) -> Answer:
        self._found(request.query["path"])
        key = secrets.token_urlsafe(16)
        self._signed[key] = request.query["path"]
        return Answer({"url": f"{self._workspace.host}/cloud/{key}", "headers": []})

    def _signed_get(self, request: Request) -> Answer:
        self._no_login(request)
        path = self._signed.get(request.groups["key"])
        if path is None:
            raise Refused(403, "", "This address was not signed.")
        return self._content(self._found(path), request.headers.get("range"))

    def _no_login(self, request: Request) -> None:
        if "authorization" in request.headers:
            raise Refused(400, "MALFORMED_REQUEST", "A login was given away to the cloud's storage.")

    # Uploads in parts

    def _upload(self, request: Request) -> Answer:
        action, name = request.query.get("action"), request.groups["path"]
        session = request.query.get("session_token", "")
        if action == "initiate-upload":
            return self._begin(name, request.query.get("overwrite") == "true")
        with self._lock:
            parts = self._uploads.pop(session, None)
        if parts is None:
            raise Refused(404, "NOT_FOUND", "There is no such upload.")
        body = request.json({"parts"})
        if [part["part_number"] for part in body["parts"]] != sorted(parts):
            raise Refused(400, "INVALID_PARAMETER_VALUE", "The parts are not those that were uploaded.")
        self._store(name, b"".join(parts[number] for number in sorted(parts)), self._overwrites[session])
        return Answer({})

    def _begin(self, name: str, overwrite: bool) -> Answer:
        if not overwrite and self._inside_volume(name).is_file():
            raise Refused(409, "ALREADY_EXISTS", "The file being created already exists.")
        session = secrets.token_urlsafe(16)
        with self._lock:
            self._uploads[session], self._overwrites[session] = {}, overwrite
        return Answer({"multipart_upload": {"session_token": session}})

    def _sign_parts(self, request: Request) -> Answer:
        body = request.json({"path", "session_token", "start_part_number", "count", "expire_time"})
        numbers = range(body["start_part_number"], body["start_part_number"] + body["count"])
        urls = [
            {
                "url": f"{self._workspace.host}/cloud/{body['session_token']}/{number}",
                "part_number": number,
                "headers": [],
            }
            for number in numbers
        ]
        return Answer({"upload_part_urls": urls})

    def _signed_put(self, request: Request) -> Answer:
        self._no_login(request)
        number = int(request.groups["part"])
        with self._lock:
            if request.groups["session"] not in self._uploads:
                raise Refused(404, "", "There is no such upload.")
            self._uploads[request.groups["session"]][number] = request.data
        return Answer(headers={"ETag": f'"{number}"'})

    # For tests

    def clear(self) -> None:
        """An empty volume."""
        shutil.rmtree(self.path(VOLUME))
        self.path(VOLUME).mkdir()
