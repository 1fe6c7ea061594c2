"""A real PgBouncer in transaction mode in front of a real Postgres, with TLS towards its clients."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentaudit.postgres.account import server_account
from tests.commands import free_port

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
NEEDED = pytest.mark.skipif(
    PROGRAM is None and "CI" not in os.environ, reason="pgbouncer is not installed: apt-get install pgbouncer"
)
CONFIGURATION = """[databases]
* = host={server[host]} port={server[port]}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_user = postgres
auth_file = {folder}/users
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
pool_mode = transaction
default_pool_size = 4
client_tls_sslmode = require
client_tls_key_file = {folder}/key
client_tls_cert_file = {folder}/certificate
"""


@contextmanager
def pooler(server: dict[str, Any]) -> Iterator[int]:
    """The port on 127.0.0.1. `server`: host, port, and password of the superuser postgres."""
    assert PROGRAM is not None, "pgbouncer is not installed"
    account = server_account()
    folder, port = Path(tempfile.mkdtemp(prefix="audit-", dir="/tmp")), free_port()
    _write_certificate(folder)
    (folder / "users").write_text(f'"postgres" "{server["password"]}"\n')
    (folder / "ini").write_text(CONFIGURATION.format(server=server, port=port, folder=folder))
    for path in (folder, *folder.iterdir()):
        os.chown(path, account.uid, account.gid)
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            [PROGRAM, folder / "ini"], stdout=log, stderr=log, **account.spawn_arguments()
        )
    try:
        _wait(port, process, folder / "log")
        yield port
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def _wait(port: int, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)


def _write_certificate(folder: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")]),
    )
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    signed = builder.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    (folder / "certificate").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
