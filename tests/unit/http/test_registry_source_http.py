"""Reading a registry over real HTTP on loopback."""

from __future__ import annotations

from contextlib import ExitStack, closing

import pytest

from psreg.http.registry_source import NotServedError, SourceError, TooLongError
from psreg.http.registry_source_http import HttpSource
from psreg.http.retry_budget import Limits
from support.loopback import answer, serving

QUICK = Limits(connect=10, silence=10, request=10, run=30, retries=2, backoff=0)


@pytest.fixture
def open_source():
    """What makes sources over HTTP that are closed after the test."""

    def opened(base, limits=None):
        return stack.enter_context(closing(HttpSource(base, limits or Limits())))

    with ExitStack() as stack:
        yield opened


def code_of(source, path="file", limit=100):
    with pytest.raises(SourceError) as caught:
        source.read(path, limit)
    return caught.value.code


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


@pytest.mark.parametrize("status", [204, 206, 400, 304])
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
        # QUICK allows two retries, one is used up; a cut kept connection is asked again for free.
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
