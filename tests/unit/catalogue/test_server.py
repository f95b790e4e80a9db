"""The server on this machine: exact bytes, honest status codes, nothing outside the site."""

import http.client
import socket
import threading

import pytest

from psreg.catalogue.server import SiteServer
from psreg.core.errors import UnavailableError
from psreg.http.server import LOOPBACK

DIGEST = "ab" * 32
FILES = {
    "index.html": b"home",
    "404.html": b"not here",
    "prompt/index.html": b"class",
    "assets/a.css": b"css",
    "assets/a.js": b"js",
    "assets/a.svg": b"<svg/>",
    "assets/a.bin": b"\x00",
    "pbes/prompt/x/1.0.0/x.prompt": "é".encode(),
    "pbes/a/b/1.0.0/b.pbe.txt": b"{}",
    "pbes/a/b/1.0.0/README.md": b"# <b>",
    "pbes/a/b/1.0.0/a b.json": b"{}",
    "registry/metadata/timestamp.json": b"{}",
    f"registry/targets/pkg/{DIGEST}.x.json": b"{}",
    "sitemap.xml": b"<x/>",
    "empty": b"",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("served") / "site"
    for path, data in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (root.parent / "secret").write_text("secret")
    (root / "link").symlink_to(root.parent / "secret")
    (root / "folder").symlink_to(root.parent)
    with SiteServer(root, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port, timeout=10)
    try:
        connection.request(
            method, path, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("path", sorted(FILES))
def test_files_are_served_exactly(server, path):
    status, headers, body = ask(server, "/" + path.replace(" ", "%20") + "?x=1")
    assert (status, body) == (200, FILES[path])
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/pbes/a/b/1.0.0/b.pbe.txt", "application/json"),
        ("/pbes/prompt/x/1.0.0/x.prompt", "text/plain; charset=utf-8"),
        ("/pbes/a/b/1.0.0/README.md", "text/plain; charset=utf-8"),
        ("/registry/metadata/timestamp.json", "application/json"),
        ("/assets/a.css", "text/css; charset=utf-8"),
        ("/assets/a.js", "text/javascript; charset=utf-8"),
        ("/assets/a.svg", "image/svg+xml"),
        ("/sitemap.xml", "application/xml"),
        ("/assets/a.bin", "text/plain; charset=utf-8"),
    ],
)
def test_media_types(server, path, media_type):
    assert ask(server, path)[1]["Content-Type"] == media_type


def test_a_folder_is_its_index(server):
    assert ask(server, "/prompt/")[2] == b"class"
    status, headers, _ = ask(server, "/prompt")
    assert (status, headers["Location"]) == (301, "prompt/")


@pytest.mark.parametrize(
    "path",
    [
        *("/gone", "/assets/", "/pbes/", "/link", "/folder/secret", "/../secret", "/%2e%2e/secret"),
        *("/assets/../index.html", "/assets//a.css", "/.", "/..", "/a\\..\\b", "/prompt/."),
        *("/%00", "/%ff", "/assets/a.css/", "/index.html/x"),
    ],
)
def test_everything_else_is_not_found(server, path):
    status, _, body = ask(server, path)
    assert (status, body) == (404, b"not here")


def test_a_site_without_a_page_for_it_still_says_so(tmp_path):
    with SiteServer(tmp_path, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        assert ask(server, "/")[0::2] == (404, b"404 not found\n")
        server.shutdown()
        thread.join()


def test_a_head_has_no_body(server):
    status, headers, body = ask(server, "/", "HEAD")
    assert (status, headers["Content-Length"], body) == (200, "4", b"")


def test_other_methods_are_refused(server):
    assert ask(server, "/", "POST")[0] == 501


def test_what_has_not_changed_is_not_sent_again(server):
    tag = ask(server, "/")[1]["ETag"]
    assert ask(server, "/", If_None_Match=tag)[0::2] == (304, b"")
    assert ask(server, "/gone", If_None_Match=ask(server, "/gone")[1]["ETag"])[0] == 404


@pytest.mark.parametrize(
    ("path", "caching"),
    [
        ("/", "no-cache"),
        ("/registry/metadata/timestamp.json", "no-cache"),
        ("/pbes/a/b/1.0.0/b.pbe.txt", "no-cache"),
        (f"/registry/targets/pkg/{DIGEST}.x.json", "public, max-age=31536000, immutable"),
    ],
)
def test_caching(server, path, caching):
    assert ask(server, path)[1]["Cache-Control"] == caching


def test_one_connection_serves_many_files(server):
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port, timeout=10)
    for _ in range(3):
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"home"
    connection.close()


def test_a_reader_that_goes_away_is_no_trouble(server, capfd):
    for _ in range(3):
        with socket.create_connection((LOOPBACK, server.server_port)) as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            reader.sendall(b"GET / HTTP/1.1\r\n\r\nGET / HT")
    assert ask(server, "/")[0] == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("port", [65536, -1])
def test_a_port_that_cannot_be(tmp_path, port):
    with pytest.raises(UnavailableError, match="cannot listen"):
        SiteServer(tmp_path, port)


def test_a_busy_port(server, tmp_path):
    with pytest.raises(UnavailableError) as raised:
        SiteServer(tmp_path, server.server_port)
    assert raised.value.code == "PORT_BUSY"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"
