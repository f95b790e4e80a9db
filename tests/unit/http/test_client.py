"""What one client does for all rooms: one budget of time and retries, and bodies within limits."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import replace
from email.utils import formatdate
from urllib.parse import urlsplit

import pytest

from psreg.http.client import Client, seconds_asked
from psreg.http.connection import Connection, piece_of
from psreg.http.deadline import Deadline
from psreg.http.errors import (
    BrokenError,
    BusyError,
    HttpError,
    SlowError,
    TooMuchError,
    UnreachableError,
)
from psreg.http.retry_budget import Limits
from support.loopback import answer, serving

QUICK = Limits(connect=5, silence=5, request=5, run=10, retries=2, backoff=0)
PATIENT = replace(QUICK, connect=60, silence=60, request=60, run=120)
SECRET = b"what-only-the-server-says"


def client_of(server, limits=QUICK, headers=None):
    return closing(Client(urlsplit(server.url), limits, headers))


def body(client, path="/file", limit=100):
    with client.exchange("GET", path) as found:
        if found.busy:
            found.drain()
            raise BusyError(f"status {found.status}", found.status, found.wait)
        return found.body(limit)


def chunked(*chunks, end=True):
    def trick(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for chunk in chunks:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if end:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return trick


def hang_up(handler):
    handler.close_connection = True


# The budget


def test_all_attempts_of_a_client_share_one_budget():
    with (
        serving({}, {"busy": lambda h: answer(h, 503, b"")}) as server,
        client_of(server) as client,
    ):
        for calls in (3, 4):
            with pytest.raises(BusyError) as caught:
                client.with_retries(lambda: body(client, "/busy"))
            assert (caught.value.status, client.calls, len(server.asked)) == (503, calls, calls)


def test_what_will_not_help_is_not_tried_again():
    tricks = {"long": lambda h: answer(h, 200, b"x" * 101), "slow": lambda _: time.sleep(0.5)}
    hurried = replace(QUICK, silence=0.1)
    with serving({}, tricks) as server:
        for path, limits, failure in (
            ("/long", QUICK, TooMuchError),
            ("/slow", hurried, SlowError),
        ):
            with client_of(server, limits) as client, pytest.raises(failure):
                client.with_retries(lambda client=client, path=path: body(client, path))
            assert client.calls == 1


def test_nobody_waits_for_an_hour_nor_beyond_the_end_of_the_run():
    for seconds, limits, failure in (
        ("3600", QUICK, BusyError),
        ("15", QUICK, SlowError),
        ("0", replace(QUICK, backoff=11), SlowError),
    ):
        trick = {"file": lambda h, seconds=seconds: answer(h, 429, b"", Retry_After=seconds)}
        with serving({}, trick) as server, client_of(server, limits) as client:
            with pytest.raises(failure):
                client.with_retries(lambda client=client: body(client))
            assert len(server.asked) == 1


def test_where_nothing_listens_on_this_machine_nobody_asks_again():
    with serving({}) as server:
        pass
    with client_of(server, replace(QUICK, backoff=5)) as client, pytest.raises(UnreachableError):
        client.with_retries(lambda: body(client))
    assert client.calls == 1


@pytest.mark.parametrize(("unreached", "calls"), [(0, 1), (1, 2), (9, 4)])
def test_who_is_offline_need_not_wait_for_all_retries(unreached, calls):
    limits = replace(QUICK, backoff=0.001, retries=3, unreached=unreached)
    with closing(Client(urlsplit("http://registry.invalid"), limits)) as client:
        with pytest.raises(UnreachableError):
            client.with_retries(lambda: body(client))
        assert client.calls == calls


def test_a_kept_connection_that_was_closed_costs_nothing_unless_something_may_change():
    left = ["answer", "hang up", "answer"]

    def trick(handler):
        if left.pop(0) == "answer":
            answer(handler, 200, b"x")
        else:
            hang_up(handler)

    with (
        serving({}, {"file": trick}) as server,
        client_of(server, replace(QUICK, retries=0)) as client,
    ):
        assert [client.with_retries(lambda: body(client)) for _ in range(2)] == [b"x"] * 2
        assert len(server.asked) == 3
        left.append("hang up")
        server.server.RequestHandlerClass.do_POST = server.server.RequestHandlerClass.do_GET
        with pytest.raises(BrokenError) as caught, client.exchange("POST", "/file", b"{}"):
            pass
        assert not caught.value.stale


# What is asked


def test_a_request_says_what_it_is():
    seen = []

    def trick(handler):
        seen.append(dict(handler.headers))
        answer(handler, 200, b"x", Set_Cookie="a=b")

    headers = {"Accept": "application/json", "Authorization": "Bearer key"}
    with serving({}, {"file": trick}) as server, client_of(server, headers=headers) as client:
        assert [body(client) for _ in range(2)] == [b"x"] * 2
    assert seen[0] == seen[1]
    assert seen[0] | {"Host": "", "User-Agent": ""} == {
        "Host": "",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Authorization": "Bearer key",
        "User-Agent": "",
    }


def test_a_redirect_is_an_answer_like_any_other():
    with (
        serving({"there": b"x"}, {"file": lambda h: answer(h, 302, b"", Location="/there")}) as s,
        client_of(s) as client,
        client.exchange("GET", "/file") as found,
    ):
        assert (found.status, found.header("Location")) == (302, "/there")
    assert s.asked == ["file"]


# What is answered


def test_a_coding_is_told_and_left_alone():
    with (
        serving(
            {}, {"file": lambda h: answer(h, 200, b"zip", Content_Encoding=" GZip ")}
        ) as server,
        client_of(server) as client,
        client.exchange("GET", "/file") as found,
    ):
        assert (found.coding, found.body(100)) == ("gzip", b"zip")


@pytest.mark.parametrize("trick", [chunked(b"x" * 60, b"x" * 41), chunked(b"x" * 101, end=False)])
def test_no_more_is_read_than_is_allowed(trick):
    with (
        serving({}, {"file": trick}) as server,
        client_of(server) as client,
        pytest.raises(TooMuchError),
    ):
        body(client)


def test_lines_come_as_they_end():
    stream = chunked(b"one\ntw", b"o\n", b"\nfour\r\nfi", b"ve")
    with (
        serving({}, {"file": stream}) as server,
        client_of(server) as client,
        client.exchange("GET", "/file") as found,
    ):
        assert list(found.lines(100)) == [b"one\n", b"two\n", b"\n", b"four\r\n", b"five"]


def test_a_line_is_given_before_the_next_one_is_sent():
    given = threading.Event()
    before = []

    def trick(handler):
        chunked(b"first\n", end=False)(handler)
        before.append(given.wait(20))
        handler.wfile.write(b"7\r\nsecond\n\r\n0\r\n\r\n")

    with (
        serving({}, {"file": trick}) as server,
        client_of(server, PATIENT) as client,
        client.exchange("GET", "/file") as found,
    ):
        lines = found.lines(100)
        assert next(lines) == b"first\n"
        given.set()
        assert [*lines] == [b"second\n"]
        assert before == [True]


def test_who_falls_silent_between_two_lines_is_given_up():
    gone = threading.Event()

    def trick(handler):
        chunked(b"first\n", end=False)(handler)
        gone.wait(60)

    with (
        serving({}, {"file": trick}) as server,
        client_of(server, replace(PATIENT, silence=0.3)) as client,
        pytest.raises(SlowError),
        client.exchange("GET", "/file") as found,
    ):
        list(found.lines(100))
    gone.set()


def test_a_long_page_of_an_error_is_not_all_read():
    with (
        serving({}, {"file": lambda h: answer(h, 404, b"x" * 1_000_000)}) as server,
        client_of(server) as client,
    ):
        for _ in range(2):
            with client.exchange("GET", "/file") as found:
                assert found.page() == b"x" * 65_536
        assert server.connections == 2


@pytest.mark.parametrize(
    "raw",
    [
        SECRET + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + SECRET[:5],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + SECRET,
        b"",
    ],
    ids=["no-http", "cut", "no-chunk", "nothing"],
)
def test_a_failure_is_told_without_the_words_of_the_server(raw):
    def trick(handler):
        handler.wfile.write(raw)
        handler.close_connection = True

    with serving({}, {"file": trick}) as server, client_of(server) as client:
        with pytest.raises(HttpError) as caught:
            body(client)
        assert isinstance(caught.value, BrokenError)
        assert str(caught.value)
        assert SECRET.decode() not in str(caught.value)


@pytest.mark.parametrize(
    "lengths",
    [
        "Content-Length: 3\r\nContent-Length: 2",
        "Content-Length: 3, 2",
        "Content-Length: -3",
        "Content-Length: many",
    ],
)
def test_lengths_that_cannot_be_are_refused(lengths):
    def trick(handler):
        handler.wfile.write(f"HTTP/1.1 200 OK\r\n{lengths}\r\n\r\nxyz".encode())

    with serving({}, {"file": trick}) as server, client_of(server) as client:
        for _ in range(2):
            with pytest.raises(BrokenError):
                body(client)
        assert server.connections == 2


def test_a_length_that_is_said_twice_is_one_length():
    def trick(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + 2 * b"Content-Length: 3\r\n" + b"\r\nxyz")

    with serving({}, {"file": trick}) as server, client_of(server) as client:
        assert [body(client) for _ in range(2)] == [b"xyz"] * 2
        assert server.connections == 1


def test_a_body_without_length_ends_with_the_connection():
    def trick(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\nxyz")
        handler.close_connection = True

    with serving({}, {"file": trick}) as server, client_of(server) as client:
        assert [body(client) for _ in range(2)] == [b"xyz"] * 2
        assert server.connections == 2


def test_an_answer_without_a_body_leaves_the_connection_open():
    tricks = {"none": lambda h: answer(h, 204, b""), "empty": lambda h: answer(h, 200, b"")}
    with serving({"file": b"x"}, tricks) as server, client_of(server) as client:
        assert [body(client, path) for path in ("/none", "/empty", "/file")] == [b"", b"", b"x"]
        assert server.connections == 1


def test_a_connection_that_the_server_has_closed_is_noticed_before_the_next_request():
    def trick(handler):
        answer(handler, 200, b"x")
        handler.close_connection = True

    def read():
        response = connection.exchange("GET", "/file", None, {})
        assert (piece_of(response, 9), response.isclosed()) == (b"x", True)

    with serving({}, {"file": trick}) as server:
        connection = Connection(urlsplit(server.url), Deadline(QUICK))
        read()
        for _ in range(500):
            if not connection.is_kept():
                break
            time.sleep(0.01)
        read()
        connection.close()
        assert not connection.is_kept()
        assert server.connections == 2


def test_a_target_is_sent_as_an_address_has_it():
    with serving({}) as server, client_of(server) as client:
        for target in ("/a b/é%20?x=[1]&y", ""):
            with client.exchange("GET", target) as found:
                assert found.page() == b"not here"
    assert server.asked == ["a%20b/%C3%A9%20?x=[1]&y", ""]


def test_how_long_to_wait():
    now = time.time()
    assert seconds_asked("7", now) == 7
    assert seconds_asked(formatdate(now + 60, usegmt=True), now) == pytest.approx(60, abs=2)
    assert seconds_asked("Wed, 21 Oct 2015 07:28:00 GMT", now) == 0
    assert [seconds_asked(text, now) for text in ("", "soon", "-1", "1.5")] == [0, 0, 0, 0]
