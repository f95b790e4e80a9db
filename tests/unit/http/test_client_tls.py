"""TLS and proxies, for real on loopback: whose certificate counts, who is asked through whom."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import threading
import time
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from psreg.http.client import Client
from psreg.http.errors import CertificateError, HttpError, SlowError, UnreachableError
from psreg.http.registry_source import SourceError
from psreg.http.registry_source_http import HttpSource
from psreg.http.retry_budget import Limits
from support.loopback import serving

PATIENT = Limits(connect=10, silence=10, request=10, run=30, retries=2, backoff=0)
HURRIED = Limits(silence=0.3, request=1.0, run=5, grace=0.2, rate=1000, retries=2, backoff=0)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def read(url, *paths, limits=PATIENT):
    """Return what is at some paths, read over one connection."""
    with closing(Client(urlsplit(url), limits)) as client:
        found = []
        for path in paths or ("/file",):
            with client.exchange("GET", path) as answer:
                found.append(answer.body(10_000))
    return b" ".join(found)


def failure(url, limits=PATIENT):
    with pytest.raises(HttpError) as caught:
        read(url, limits=limits)
    return type(caught.value)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "psreg test")])
    now = dt.datetime.now(dt.UTC)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("registry.invalid")]
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    (folder / "key").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    (folder / "certificate").write_bytes(certificate.public_bytes(pem))
    return folder


def drip(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "10000")
    handler.end_headers()
    for _ in range(500):
        handler.wfile.write(b"x")
        time.sleep(0.01)


def drip_headers(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(500):
        handler.wfile.write(b"x")
        time.sleep(0.01)


@pytest.fixture
def context(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "certificate", certificate / "key")
    return context


@pytest.fixture
def tls(context):
    tricks = {"drip": drip, "drip-headers": drip_headers, "silent": lambda _: time.sleep(1)}
    with serving({"file": b"secret", "other": b"more"}, tricks) as server:
        server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
        server.https = server.url.replace("http:", "https:")
        yield server


@pytest.fixture
def trusted(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate"))


def test_https_checks_the_certificate(tls, certificate, monkeypatch):
    assert failure(tls.https) is CertificateError
    with closing(HttpSource(tls.https, PATIENT)) as source, pytest.raises(SourceError) as caught:
        source.read("file", 10)
    assert caught.value.code == "NETWORK_TLS"
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate"))
    assert read(tls.https, "/file", "/other") == b"secret more"


@pytest.mark.usefixtures("trusted")
def test_a_certificate_is_of_the_host_that_was_asked(tls):
    assert failure(tls.https.replace("127.0.0.1", "localhost")) is CertificateError


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("path", ["/drip", "/drip-headers", "/silent"])
def test_what_drips_through_tls_is_given_up(tls, path):
    with pytest.raises(SlowError):
        read(tls.https, path, limits=HURRIED)


class Proxy(BaseHTTPRequestHandler):
    """A CONNECT proxy that sends everybody to the TLS server of the test."""

    def do_CONNECT(self):
        self.server.seen.append((self.path, self.headers.get("Proxy-Authorization")))
        with suppress(OSError):
            self.server.answer(self)

    def tunnel(self):
        self.send_response(200)
        self.end_headers()
        with socket.create_connection(("127.0.0.1", self.server.target)) as there:
            back = threading.Thread(target=self._pump, args=(there, self.connection), daemon=True)
            back.start()
            self._pump(self.connection, there)
            back.join(5)
        self.close_connection = True

    @staticmethod
    def _pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def log_message(self, *_):
        pass


@pytest.fixture
def proxy(tls):
    server = HTTPServer(("127.0.0.1", 0), Proxy)
    server.seen, server.target, server.answer = [], tls.server.server_port, Proxy.tunnel
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("user", ["", "me:pa%20ss@"])
def test_a_proxy_is_used_for_https(proxy, monkeypatch, user):
    monkeypatch.setenv("HTTPS_PROXY", f"http://{user}127.0.0.1:{proxy.server_port}")
    assert read("https://registry.invalid") == b"secret"
    authorization = "Basic bWU6cGEgc3M=" if user else None
    assert proxy.seen == [("registry.invalid:443", authorization)]


@pytest.mark.usefixtures("trusted")
def test_a_proxy_may_be_behind_tls_itself(proxy, context, monkeypatch):
    proxy.socket = context.wrap_socket(proxy.socket, server_side=True)
    monkeypatch.setenv("HTTPS_PROXY", f"https://127.0.0.1:{proxy.server_port}")
    assert read("https://registry.invalid") == b"secret"
    monkeypatch.delenv("SSL_CERT_FILE")
    assert failure("https://registry.invalid") is CertificateError


def test_a_proxy_that_drips_is_given_up(proxy, monkeypatch):
    proxy.answer = drip_headers
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.server_port}")
    assert failure("https://registry.invalid", HURRIED) is SlowError


def test_a_proxy_that_refuses(proxy, monkeypatch):
    proxy.answer = lambda handler: handler.send_error(403)
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.server_port}")
    assert failure("https://registry.invalid") is UnreachableError


@pytest.mark.parametrize("address", ["socks5://me:hidden@127.0.0.1:1", "http://me:hidden@[::1:1"])
def test_a_proxy_that_there_cannot_be(monkeypatch, address):
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(UnreachableError) as caught:
        read("https://registry.invalid")
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("exempt", ["*", "registry.invalid", ".invalid", "a.b, invalid"])
def test_no_proxy_exempts_hosts(proxy, monkeypatch, exempt):
    monkeypatch.setenv("https_proxy", f"127.0.0.1:{proxy.server_port}")
    monkeypatch.setenv("no_proxy", exempt)
    assert failure("https://registry.invalid") is UnreachableError
    assert proxy.seen == []


@pytest.mark.usefixtures("trusted")
def test_this_machine_is_never_asked_through_a_proxy(tls, proxy, monkeypatch):
    monkeypatch.setenv("https_proxy", f"127.0.0.1:{proxy.server_port}")
    assert read(tls.https) == b"secret"
    assert proxy.seen == []
