"""Buckets for tests: one in memory, and a real S3 server over HTTP with a proxy that misbehaves.

The server is moto, as a process of its own; PSREG_TEST_S3_ENDPOINT names another one.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from s3fs import S3FileSystem

from psreg.registry.deploy.ports import ConflictError, Found, Listed, Upload
from support.publishing import Died

ENDPOINT = "PSREG_TEST_S3_ENDPOINT"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIATESTTESTTEST",
    "AWS_SECRET_ACCESS_KEY": "a-secret-that-nobody-may-print",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
if ENDPOINT in os.environ:  # a server that knows who asks
    CREDENTIALS |= {name: os.environ.get(name, value) for name, value in CREDENTIALS.items()}


class MemoryBucket:
    """A bucket in a dictionary; it dies before its `last` change, counted from 0.

    `meanwhile` is called before each change, as something that others do.
    """

    url = "memory://bucket"

    def __init__(self, *, packs: bool = True) -> None:
        self.packs = packs
        self.conditional = True
        self.objects: dict[str, bytes] = {}
        self.written: list[str] = []
        self.listings = 0
        self.last = -1
        self.hides_md5 = False
        self.meanwhile: Callable[[str], None] = lambda _path: None

    def _change(self, path: str) -> None:
        self.meanwhile(path)
        if self.last == 0:
            raise Died
        self.last -= 1

    def read(self, path: str, limit: int) -> Found | None:
        data = self.objects.get(path)
        assert data is None or len(data) <= limit
        return None if data is None else Found(data=data, tag=self._tag(path) or "")

    def replace(self, upload: Upload, tag: str | None) -> str:
        body = upload.body()
        self._change(upload.path)
        if self._tag(upload.path) != tag:
            raise ConflictError(upload.path)
        self.objects[upload.path] = body
        self.written.append(upload.path)
        return self._tag(upload.path) or ""

    def write(self, uploads: Iterable[Upload], sent: Callable[[str, int], None]) -> None:
        for upload in uploads:
            body = upload.body()
            self._change(upload.path)
            self.objects[upload.path] = body
            self.written.append(upload.path)
            sent(upload.path, len(body))

    def remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._change(path)
            self.objects.pop(path, None)

    def listing(self) -> Mapping[str, Listed]:
        self.listings += 1
        return {
            path: Listed(
                length=len(data), md5="" if self.hides_md5 else hashlib.md5(data).hexdigest()
            )
            for path, data in self.objects.items()
        }

    def _tag(self, path: str) -> str | None:
        data = self.objects.get(path)
        return None if data is None else hashlib.sha256(data).hexdigest()


@cache
def endpoint() -> str:
    """Return the address of the S3 server, which is started unless one is named."""
    if named := os.environ.get(ENDPOINT):
        return named.rstrip("/")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    atexit.register(_end, process)
    while not (found := re.search(rb"Running on (http://[0-9.:]+)", process.stderr.readline())):
        assert process.poll() is None, "moto did not start"
    # What it says about requests is read and forgotten, so that it never waits for a reader.
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return found[1].decode()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


class S3:
    """A new bucket that everybody may read over HTTP; `env` is for the psreg that writes to it."""

    def __init__(self) -> None:
        self.name = f"psreg-{uuid.uuid4().hex[:12]}"
        self.url = f"s3://{self.name}"
        self.http = f"{endpoint()}/{self.name}"
        self.env = {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint()}
        self.files = S3FileSystem(
            key=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            secret=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            endpoint_url=endpoint(),
            use_listings_cache=False,
        )
        self.files.mkdir(self.name)
        everyone = {
            "Effect": "Allow",
            "Principal": "*",
            "Action": "s3:GetObject",
            "Resource": f"arn:aws:s3:::{self.name}/*",
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [everyone]})
        self.files.call_s3("put_bucket_policy", Bucket=self.name, Policy=policy)

    def headers(self, path: str) -> Mapping[str, str]:
        """Return the headers with which an object is served, in lower case."""
        with _connection(self.http) as connection:
            connection.request("GET", f"/{self.name}/{path}")
            answer = connection.getresponse()
            assert answer.status == 200
            return {name.lower(): value for name, value in answer.getheaders()}


@contextmanager
def _connection(url: str) -> Iterator[HTTPConnection]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


Trick = Callable[[int, BaseHTTPRequestHandler, bytes], bool]
"""Is given the number of a request, from 0, and its body; returns whether it has answered."""


class Proxy:
    """What is between psreg and the S3 server: `asked` are the requests so far."""

    def __init__(self, trick: Trick) -> None:
        self.asked: list[tuple[str, str]] = []
        lock, owner = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _forward(self) -> None:
                with lock:
                    number = len(owner.asked)
                    owner.asked.append((self.command, self.path))
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if not trick(number, self, body):
                    forward(self, body)

            def __getattr__(self, name: str) -> Callable[[], None]:
                if name.startswith("do_"):
                    return self._forward
                raise AttributeError(name)

            def handle(self) -> None:
                with suppress(OSError):
                    super().handle()

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def count(self, method: str) -> int:
        """Return how many requests of a method there were."""
        return sum(asked == method for asked, _ in self.asked)


def forward(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    """Pass a request on to the S3 server, and its answer back."""
    with _connection(endpoint()) as connection:
        connection.request(handler.command, handler.path, body, dict(handler.headers))
        answer = connection.getresponse()
        content = answer.read()
        handler.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "server", "date", "transfer-encoding"):
                handler.send_header(name, value)
        if answer.getheader("Content-Length") is None:
            handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


def hang_up(handler: BaseHTTPRequestHandler, body: bytes, sent: int) -> None:
    """Pass `sent` bytes of the body on to the S3 server, and end both connections."""
    with _connection(endpoint()) as connection:
        connection.putrequest(handler.command, handler.path, skip_host=True)
        for name, value in handler.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body[:sent])
        if sent == len(body):
            connection.getresponse().read()
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def plain(_number: int, _handler: BaseHTTPRequestHandler, _body: bytes) -> bool:
    """Do nothing special."""
    return False


@contextmanager
def proxied(trick: Trick = plain) -> Iterator[Proxy]:
    """Run a proxy while the block runs."""
    proxy = Proxy(trick)
    thread = threading.Thread(target=proxy.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown()
        proxy.server.server_close()
        thread.join()
