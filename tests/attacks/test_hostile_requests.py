"""A web page, another name for this machine, or an ambiguous request reaches a local server."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager

import pytest

from psreg.catalogue.server import SiteServer
from psreg.conversations.gateway_server import GatewayServer, TraceLog
from psreg.http.server import LOOPBACK

GET = "GET / HTTP/1.1\r\n{}\r\n"
POST = "POST /chat HTTP/1.1\r\n{}\r\n"
HIDDEN = "GET /secret HTTP/1.1\r\nHost: {host}\r\n\r\n"


class AnsweredError(Exception):
    """The gateway was about to ask a model."""


def never(message):
    raise AnsweredError


@contextmanager
def running(server):
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("site")
    (root / "index.html").write_bytes(b"home")
    (root / "secret").write_bytes(b"SECRET")
    with running(SiteServer(root, 0)) as server:
        yield server


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    log = TraceLog(tmp_path_factory.mktemp("gateway") / "log")
    with running(GatewayServer(LOOPBACK, 0, never, log)) as server:
        yield server


def answers(server, request):
    """Return everything that the server answers to the bytes of `request`."""
    with socket.create_connection((LOOPBACK, server.server_port), timeout=10) as connection:
        connection.sendall(request.replace("{host}", host(server)).encode("latin-1"))
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts).decode("latin-1")


def host(server):
    return f"{LOOPBACK}:{server.server_port}"


def status(answer):
    return int(answer.split()[1])


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ("Host: {host}", 200),
        ("Host: localhost", 200),
        ("Host: LOCALHOST:1", 200),
        ("Host: [::1]:8765", 200),
        ("Host: evil.example", 421),
        ("Host: evil.example:8765", 421),
        ("Host: 127.0.0.1.evil.example", 421),
        ("Host: localhost.evil.example", 421),
        ("Host: 192.0.2.1", 421),
        ("Host: localhost@evil.example", 421),
        ("Host: ", 421),
        ("X: y", 400),
        ("Host: {host}\r\nHost: evil.example", 400),
        ("Host: {host}\r\nHost: {host}", 400),
        ("Host: {host}\r\nOrigin: http://{host}", 200),
        ("Host: {host}\r\nOrigin: http://evil.example", 403),
        ("Host: {host}\r\nOrigin: https://{host}", 403),
        ("Host: {host}\r\nOrigin: http://localhost", 403),
        ("Host: {host}\r\nOrigin: null", 403),
        ("Host: {host}\r\nOrigin: http://{host}\r\nOrigin: http://evil.example", 403),
    ],
)
@pytest.mark.parametrize("which", ["site", "gateway"])
def test_only_this_machine_is_answered(which, headers, expected, request):
    server = request.getfixturevalue(which)
    found = status(answers(server, GET.format(headers + "\r\n")))
    assert found == (405 if which == "gateway" and expected == 200 else expected)


@pytest.mark.parametrize(
    ("request_line", "expected"),
    [
        ("GET /secret HTTP/1.0", 200),
        ("GET /secret HTTP/1.10", 200),
        ("GET /secret", 400),
        ("GET /secret HTTP/0.9", 400),
        ("GET /secret HTTP/0.0", 400),
        ("GET /secret HTTP/2.0", 505),
        ("GET http://{host}/secret HTTP/1.1", 400),
        ("GET http://evil.example/secret HTTP/1.1", 400),
        ("GET evil.example:80 HTTP/1.1", 400),
        ("GET secret HTTP/1.1", 400),
        ("GET * HTTP/1.1", 400),
    ],
)
@pytest.mark.parametrize("which", ["site", "gateway"])
def test_a_request_line_is_one_of_http_1_with_a_path(which, request_line, expected, request):
    server = request.getfixturevalue(which)
    answer = answers(server, f"{request_line}\r\nHost: {{host}}\r\n\r\n")
    assert status(answer) == (405 if which == "gateway" and expected == 200 else expected)
    assert ("SECRET" in answer) is (which == "site" and expected == 200)


@pytest.mark.parametrize("version", ["", " HTTP/0.9", " HTTP/1.0", " HTTP/1.1"])
@pytest.mark.parametrize("which", ["site", "gateway"])
def test_a_request_without_a_host_is_refused(which, version, request):
    answer = answers(request.getfixturevalue(which), f"GET /secret{version}\r\n\r\n")
    assert status(answer) == 400
    assert "SECRET" not in answer


@pytest.mark.parametrize(
    "headers",
    [
        "Host: {host}\r\nX: a\r\n Host: evil.example",
        "Host: {host}\r\nX: a\r\n\tb",
        "Host: {host}\r\n b",
        "Host:\r\n {host}",
        " Host: {host}",
        "Host: {host}\r\nX: a\rOrigin: http://evil.example",
        "Host: {host}\r\nX: a\0b",
        "Host : {host}",
        "X: a\nHost: {host}\n evil.example",
    ],
)
@pytest.mark.parametrize("which", ["site", "gateway"])
def test_a_header_is_one_line(which, headers, request):
    answer = answers(request.getfixturevalue(which), f"GET /secret HTTP/1.1\r\n{headers}\r\n\r\n")
    assert status(answer) in (400, 403)
    assert answer.count("HTTP/1.1 ") == 1
    assert "SECRET" not in answer


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: {length}",
        "Transfer-Encoding: chunked",
        "Content-Length: 0\r\nContent-Length: {length}",
        "Content-Length: {length}\r\nContent-Length: {length}",
        "Content-Length: +{length}",
        "Content-Length: 0, {length}",
        "Content-Length: \xb2",
        "Content-Length : {length}",
        "Broken header\r\nContent-Length: {length}",
        "Content-Length: 0\r\nTransfer-Encoding: chunked",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_request_hides_in_a_body(site, headers, method):
    hidden = HIDDEN.replace("{host}", host(site))
    head = f"{method} / HTTP/1.1\r\nHost: {{host}}\r\n{headers}\r\n\r\n"
    answer = answers(site, head.replace("{length}", str(len(hidden))) + hidden)
    assert status(answer) == 400
    assert answer.count("HTTP/1.1 ") == 1
    assert "SECRET" not in answer


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ("Content-Length: 2\r\nContent-Length: 2", "BAD_REQUEST"),
        ("Content-Length: 2\r\nTransfer-Encoding: chunked", "BAD_REQUEST"),
        ("Content-Length: -2", "BAD_REQUEST"),
        ("Transfer-Encoding: chunked", "NO_LENGTH"),
        ("Origin: http://evil.example\r\nContent-Length: 2", "FOREIGN_ORIGIN"),
        ("Host: evil.example\r\nContent-Length: 2", "BAD_REQUEST"),
    ],
)
def test_the_gateway_refuses_in_json_and_asks_no_model(gateway, headers, code):
    head = f"Host: {{host}}\r\nContent-Type: application/json\r\n{headers}\r\n"
    answer = answers(gateway, POST.format(head) + '{"message": "x"}')
    assert status(answer) in (400, 403, 411)
    assert f'"code": "{code}"' in answer
    assert answer.count("HTTP/1.1 ") == 1


@pytest.mark.parametrize("length", [17, 99])
def test_a_message_that_was_cut_off_reaches_no_model(gateway, length):
    head = f"Host: {{host}}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    answer = answers(gateway, POST.format(head) + '{"message": "x"}')
    assert answer.startswith("HTTP/1.1 400 ")
    assert '"code": "BAD_REQUEST"' in answer


def test_a_server_on_every_address_is_named_by_any_address(tmp_path):
    log = TraceLog(tmp_path / "log")
    with running(GatewayServer("0.0.0.0", 0, never, log)) as server:
        for name, expected in (
            ("192.0.2.1", 405),
            ("[2001:db8::1]:80", 405),
            ("evil.example", 421),
        ):
            assert status(answers(server, GET.format(f"Host: {name}\r\n"))) == expected


def test_a_hundred_connections_at_once_are_taken(site):
    connections = [
        socket.create_connection((LOOPBACK, site.server_port), timeout=10) for _ in range(100)
    ]
    for connection in connections:
        connection.sendall(
            f"GET / HTTP/1.1\r\nHost: {host(site)}\r\nConnection: close\r\n\r\n".encode()
        )
    for connection in connections:
        with connection:
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
    assert site.request_queue_size == 128
