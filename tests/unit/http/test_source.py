"""Reading a registry from a folder and over real HTTP and HTTPS on loopback."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import socket
import ssl
import threading
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from psreg.core.errors import TrustError, UsageError
from psreg.http import source as transport
from psreg.http.address import is_loopback
from psreg.http.limits import Limits
from psreg.http.source import (
    NotServedError,
    SourceError,
    TooLongError,
    checked_path,
    normal_location,
)
from support.loopback import answer, serving

QUICK = Limits(
    connect=2, silence=0.3, request=1.0, run=5, grace=0.2, rate=1000, retries=2, backoff=0
)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def open_source():
    """`open_source`, whose sources are closed after the test."""
    with ExitStack() as stack:
        yield lambda *args: stack.enter_context(closing(transport.open_source(*args)))


def code_of(source, path="file", limit=100):
    with pytest.raises(SourceError) as caught:
        source.read(path, limit)
    return caught.value.code


# Addresses


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("https://Example.ORG/", "https://example.org"),
        ("https://example.org:443/a/b//", "https://example.org/a/b"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("http://localhost:80/x", "http://localhost/x"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("file:///srv/prompts/", "/srv/prompts"),
        ("file:///srv/a%20b", "/srv/a b"),
        ("/srv/prompts/", "/srv/prompts"),
    ],
)
def test_a_location_has_one_spelling(given, normal):
    assert normal_location(given) == normal


def test_a_relative_path_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert normal_location("here") == str(tmp_path / "here")


@pytest.mark.parametrize(
    "location",
    [
        "ftp://example.org",
        "https://",
        "https:///path",
        "https://user:secret@example.org",
        "https://@example.org",
        "https://example.org/?a=b",
        "https://example.org/#part",
        "https://example.org/#",
        "https://example.org:99999",
        "https://[::1",
        "https://exämple.org",
        "https://example.org/a b",
        "https://example.org/\r\nHost: evil",
        "file://server/share",
    ],
)
def test_what_is_no_address_of_a_registry_is_a_usage_error(location):
    with pytest.raises(UsageError):
        normal_location(location)


@pytest.mark.parametrize(
    "location", ["http://example.org", "http://127.0.0.1.example.org", "http://localhost.evil.org"]
)
def test_plain_http_to_another_machine_is_refused(location):
    with pytest.raises(TrustError) as caught:
        normal_location(location)
    assert caught.value.code == "TRUST_INSECURE"


def test_loopback_is_exactly_this_machine():
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(map(is_loopback, ("128.0.0.1", "127.0.0.1.nip.io", "localhost.", "1127.0.0.1")))


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "a//b", "a/../b", "..", ".", "a/./b", "a b", "a\nb", "ä", "a?b", "a#b"],
)
def test_a_path_stays_inside_the_registry(path):
    with pytest.raises(SourceError):
        checked_path(path)


# A folder


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"hello")
    return tmp_path


def test_a_folder_serves_its_files(open_source, folder):
    source = open_source(str(folder))
    assert source.location == str(folder)
    assert source.read("a/file", 5) == b"hello"


def test_a_folder_tells_what_is_absent_too_long_or_no_file(open_source, folder):
    source = open_source(str(folder))
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "a" / "file")
    for path in ("a/none", "none/file", "a/file/none"):
        assert code_of(source, path) == "NOT_FOUND"
    assert code_of(source, "a/file", 4) == "TOO_LONG"
    for path in ("pipe", "link", "a"):
        assert code_of(source, path) == "CANNOT_READ"


# HTTP


def test_files_come_over_one_connection(open_source):
    with serving({"base/a": b"1", "base/b": b"22"}) as server:
        source = open_source(server.url + "/base")
        assert [source.read(path, 2) for path in ("a", "b", "a")] == [b"1", b"22", b"1"]
        assert code_of(source, "none") == "NOT_FOUND"
        assert source.read("a", 2) == b"1"
        assert server.connections == 1
        source.close()
        source.close()


def test_the_request_says_who_asks_and_takes_no_coding(open_source):
    seen = {}

    def trick(handler):
        seen.update(handler.headers.items())
        answer(handler, 200, b"x")

    with serving({}, {"file": trick}) as server:
        open_source(server.url).read("file", 1)
    assert seen["User-Agent"].startswith("psreg/")
    assert seen["Accept-Encoding"] == "identity"


def test_chunked_answers_are_read(open_source):
    def trick(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")

    with serving({}, {"file": trick}) as server:
        source = open_source(server.url, QUICK)
        assert source.read("file", 5) == b"abcde"
        assert code_of(source, "file", 4) == "TOO_LONG"
        assert source.read("file", 5) == b"abcde"


def test_an_answer_without_a_length_ends_with_the_connection(open_source):
    def trick(handler):
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"abc")

    with serving({}, {"file": trick}) as server:
        assert open_source(server.url, QUICK).read("file", 5) == b"abc"


def test_a_declared_length_over_the_limit_is_not_read(open_source):
    with serving({"file": b"x" * 101}) as server:
        source = open_source(server.url)
        with pytest.raises(TooLongError):
            source.read("file", 100)
        assert source.read("file", 101) == b"x" * 101


@pytest.mark.parametrize("status", [403, 404, 410])
def test_hosts_have_several_ways_to_say_absent(open_source, status):
    page = b"<html>" + b"x" * 200_000
    with serving({}, {"file": lambda handler: answer(handler, status, page)}) as server:
        source = open_source(server.url)
        with pytest.raises(NotServedError):
            source.read("file", 100)


@pytest.mark.parametrize("status", [204, 206, 400, 401, 304])
def test_any_other_status_is_a_failure(open_source, status):
    with serving({}, {"file": lambda handler: answer(handler, status, b"")}) as server:
        assert code_of(open_source(server.url, QUICK)) == "NETWORK"


def test_a_redirect_within_the_host_is_followed(open_source):
    files = {"new/file": b"moved"}
    tricks = {"file": lambda h: answer(h, 302, b"", Location="/new/file?v=1#x")}
    tricks["new/file?v=1"] = lambda h: answer(h, 200, files["new/file"])
    with serving({}, tricks) as server:
        assert open_source(server.url).read("file", 10) == b"moved"


def test_redirects_in_a_circle_end(open_source):
    with serving({}, {"file": lambda h: answer(h, 301, b"", Location="/file")}) as server:
        assert code_of(open_source(server.url)) == "NETWORK_REFUSED"
        assert len(server.asked) == 4


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/file",
        "http://localhost:1/file",
        "//evil.example/file",
        "ftp://x/y",
        "http://[::1",
    ],
)
def test_a_redirect_elsewhere_is_refused(open_source, location):
    with serving({}, {"file": lambda h: answer(h, 302, b"", Location=location)}) as server:
        assert code_of(open_source(server.url)) == "NETWORK_REFUSED"


def test_a_redirect_without_a_place_is_a_failure(open_source):
    with serving({}, {"file": lambda h: answer(h, 302, b"")}) as server:
        assert code_of(open_source(server.url)) == "NETWORK"


def failing_first(times, fail):
    left = [times]

    def trick(handler):
        if left[0]:
            left[0] -= 1
            fail(handler)
        else:
            answer(handler, 200, b"good")

    return trick


def hang_up(handler):
    handler.close_connection = True


@pytest.mark.parametrize("fail", [hang_up, lambda h: answer(h, 503, b"busy")], ids=["cut", "503"])
def test_the_retry_budget_is_of_the_whole_run(open_source, fail):
    tricks = {"one": failing_first(1, fail), "two": failing_first(3, fail)}
    with serving({}, tricks) as server:
        source = open_source(server.url, QUICK)
        assert source.read("one", 10) == b"good"
        # QUICK allows two retries, one is used up; a cut kept connection is asked anew for free.
        assert code_of(source, "two") == "NETWORK"


def test_a_kept_connection_that_was_closed_costs_no_retry(open_source):
    def trick(handler):
        answer(handler, 200, b"x")
        handler.close_connection = True  # without saying so

    with serving({}, {"file": trick}) as server:
        source = open_source(server.url, Limits(retries=0))
        assert [source.read("file", 1) for _ in range(3)] == [b"x"] * 3


def test_a_truncated_answer_is_a_failure(open_source):
    def trick(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "50")
        handler.end_headers()
        handler.wfile.write(b"only this")
        handler.close_connection = True

    with serving({}, {"file": trick}) as server:
        assert code_of(open_source(server.url, QUICK)) == "NETWORK"
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    "raw",
    [
        b"\x00\xff garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
    ],
    ids=["no-http", "many-headers", "long-header", "bad-chunk", "negative-chunk"],
)
def test_what_is_not_http_is_a_failure(open_source, raw):
    def trick(handler):
        handler.wfile.write(raw)
        handler.close_connection = True

    with serving({}, {"file": trick}) as server:
        assert code_of(open_source(server.url, QUICK)) == "NETWORK"


def test_nobody_listens(open_source):
    with serving({}) as server:
        url = server.url
    assert code_of(open_source(url, QUICK)) == "NETWORK"


def test_a_host_that_does_not_exist(open_source):
    assert code_of(open_source("https://registry.invalid", QUICK)) == "NETWORK"


# HTTPS


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


@pytest.fixture
def tls(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "certificate", certificate / "key")
    with serving({"file": b"secret", "other": b"more"}) as server:
        server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
        yield server


def test_https_checks_the_certificate(open_source, tls, certificate, monkeypatch):
    url = tls.url.replace("http:", "https:")
    assert code_of(open_source(url, QUICK)) == "NETWORK_TLS"
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate"))
    source = open_source(url, QUICK)
    assert (source.read("file", 10), source.read("other", 10)) == (b"secret", b"more")


class Proxy(BaseHTTPRequestHandler):
    """A CONNECT proxy that sends everybody to the TLS server of the test."""

    def do_CONNECT(self):
        self.server.seen.append((self.path, self.headers.get("Proxy-Authorization")))
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
    server.seen, server.target = [], tls.server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("user", ["", "me:pa%20ss@"])
def test_a_proxy_is_used_for_https(open_source, proxy, certificate, monkeypatch, user):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate"))
    monkeypatch.setenv("HTTPS_PROXY", f"http://{user}127.0.0.1:{proxy.server_port}")
    source = open_source("https://registry.invalid", QUICK)
    assert source.read("file", 10) == b"secret"
    source.close()
    authorization = "Basic bWU6cGEgc3M=" if user else None
    assert proxy.seen == [("registry.invalid:443", authorization)]


@pytest.mark.parametrize("exempt", ["*", "registry.invalid", ".invalid", "a.b, invalid"])
def test_no_proxy_exempts_hosts(open_source, proxy, monkeypatch, exempt):
    monkeypatch.setenv("https_proxy", f"127.0.0.1:{proxy.server_port}")
    monkeypatch.setenv("no_proxy", exempt)
    assert code_of(open_source("https://registry.invalid", QUICK)) == "NETWORK"
    assert proxy.seen == []


def test_this_machine_is_never_asked_through_a_proxy(
    open_source, tls, proxy, certificate, monkeypatch
):
    monkeypatch.setenv("https_proxy", f"127.0.0.1:{proxy.server_port}")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate"))
    url = tls.url.replace("http:", "https:")
    assert open_source(url, QUICK).read("file", 10) == b"secret"
    assert proxy.seen == []
