"""A small HTTP server for a site on this machine: 127.0.0.1 only, files only.

It follows no symbolic links, lists no folders and never leaves its folder. A missing page is
`404.html` with status 404, because clients probe for the next root and must see that it is missing.
"""

from __future__ import annotations

import hashlib
import os
import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

from psreg.core.errors import UnavailableError
from psreg.http.server import LOOPBACK, Listener, LocalHandler
from psreg.registry.deploy.headers import media_type
from psreg.system.files import read_file, real_path

_LARGEST = 256 * 1024 * 1024
_HASHED = re.compile(r"registry/targets/[a-z]+/[0-9a-f]{64}\.[a-z0-9_]+\.json")


class SiteServer(Listener):
    """Serves the folder `root` on the loopback interface; `port` 0 selects a free port.

    Raises:
        UnavailableError: PORT_BUSY.
    """

    def __init__(self, root: Path, port: int) -> None:
        self.root = root
        super().__init__(LOOPBACK, port, _Handler)

    @property
    def url(self) -> str:
        """The address of the site."""
        return f"http://{LOOPBACK}:{self.server_port}/"


class _Handler(LocalHandler, BaseHTTPRequestHandler):
    server: SiteServer

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        path = _clean(self.path)
        if path is not None and path.endswith("/"):
            path += "index.html"
        data = None if path is None else self._file(path.lstrip("/"))
        if data is not None and path is not None:
            self._send(HTTPStatus.OK, path.lstrip("/"), data, body=body)
        elif path is not None and self._file(f"{path.lstrip('/')}/index.html") is not None:
            self._redirect(path.rpartition("/")[2] + "/")
        else:
            page = self._file("404.html") or b"404 not found\n"
            self._send(HTTPStatus.NOT_FOUND, "404.html", page, body=body)

    def _file(self, path: str) -> bytes | None:
        """Return the bytes of a plain file below the root, reached without symbolic links."""
        place = self.server.root / path
        if not path or os.path.realpath(place) != str(real_path(self.server.root) / path):
            return None
        try:
            return read_file(place, _LARGEST)
        except UnavailableError:
            return None

    def _redirect(self, where: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()

    def _send(self, status: HTTPStatus, path: str, data: bytes, *, body: bool) -> None:
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        if status is HTTPStatus.OK and self.headers.get("If-None-Match") == tag:
            status, data = HTTPStatus.NOT_MODIFIED, b""
        self.send_response(status)
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", _caching(path))
        self.send_header("X-Content-Type-Options", "nosniff")
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", media_type(path))
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)


def _clean(target: str) -> str | None:
    """Return the path of a request, or None if it is not plain."""
    path = unquote(target.partition("?")[0].partition("#")[0], errors="replace")
    parts = path.split("/")[1:]
    plain = not any(c in path for c in "\\\0\ufffd")
    if not plain or any(part in ("", ".", "..") for part in parts[:-1]) or parts[-1] in (".", ".."):
        return None
    return path


def _caching(path: str) -> str:
    """Return how long to cache `path`: forever if named by its digest, else not at all.

    Another registry may be served at the same local address tomorrow.
    """
    return "public, max-age=31536000, immutable" if _HASHED.fullmatch(path) else "no-cache"
