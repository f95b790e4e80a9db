"""Reading ahead: each file once, nothing more patient or more trusting than without it."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import pytest

from psreg.client.registry_choice import open_source
from psreg.http.prefetching import FEW, MOST, ROOM, PrefetchingSource
from psreg.http.registry_source import NotServedError, SourceError, TooLongError
from psreg.http.retry_budget import Limits
from support.loopback import answer, serving

PATIENT = Limits(connect=60, silence=60, request=60, run=120, retries=2, backoff=0.01)
HURRIED = Limits(connect=60, silence=0.3, request=60, run=120, retries=2, backoff=0.01)


@contextmanager
def reading(files, tricks=None, limits=PATIENT):
    with serving(files, tricks or {}) as server:
        source = open_source(server.url, limits)
        try:
            yield source, server
        finally:
            source.close()


def wait_for(condition):
    for _ in range(6_000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it did not happen within a minute")


def test_what_is_fetched_ahead_is_asked_for_once():
    with reading({"a": b"1", "b": b"2"}) as (source, server):
        source.prefetch("a", 10)
        source.prefetch("a", 10)
        assert (source.read("a", 10), source.read("b", 10)) == (b"1", b"2")
        assert sorted(server.asked) == ["a", "b"]
        assert source.read("a", 10) == b"1", "an answer is used once"
        assert sorted(server.asked) == ["a", "a", "b"]


def test_what_was_read_is_not_fetched_ahead():
    with reading({"a": b"1", "b": b"2"}) as (source, server):
        assert source.read("a", 10) == b"1"
        source.prefetch("a", 10)
        source.prefetch("b", 10)  # after it, by the same thread
        wait_for(lambda: "b" in server.asked)
        assert server.asked == ["a", "b"]


def test_several_are_fetched_at_the_same_time():
    count = MOST + 1  # the reader takes one itself
    together = threading.Barrier(count, timeout=60)

    def trick(handler):
        together.wait()
        answer(handler, 200, handler.path.encode())

    names = [f"f{number}" for number in range(count)]
    with reading({}, dict.fromkeys(names, trick)) as (source, _):
        for name in names:
            source.prefetch(name, 10)
        assert [source.read(name, 10) for name in reversed(names)] == [
            f"/{name}".encode() for name in reversed(names)
        ]


def test_connections_are_few_and_kept():
    files = {f"f{number}": b"x" for number in range(40)}
    with reading(files) as (source, server):
        for name in files:
            source.prefetch(name, 10)
        assert {source.read(name, 10) for name in files} == {b"x"}
        assert server.connections <= MOST + 1
        assert sorted(server.asked) == sorted(files)


def test_many_small_answers_are_kept():
    files = {f"f{number}": b"x" for number in range(2 * FEW)}
    with reading(files) as (source, server):
        for name in files:
            source.prefetch(name, 10)
        wait_for(lambda: len(server.asked) == len(files))
        assert {source.read(name, 10) for name in files} == {b"x"}
        assert len(server.asked) == len(files)


def test_large_answers_are_kept_as_far_as_there_is_room():
    size = ROOM // FEW // 2
    files = {f"f{number}": bytes(size) for number in range(3 * FEW)}
    with reading(files) as (source, server):
        for name in files:
            source.prefetch(name, size)
        wait_for(lambda: len(server.asked) >= 2 * FEW - MOST)
        time.sleep(0.1)
        assert len(server.asked) * size <= ROOM + MOST * size
        for name in files:
            assert source.read(name, size) == bytes(size)
        assert sorted(server.asked) == sorted(files), "the reader asks for what found no room"


def test_a_few_answers_are_kept_however_large_they_may_be():
    files = {f"f{number}": b"x" for number in range(FEW)}
    with reading(files) as (source, server):
        for name in files:
            source.prefetch(name, 2 * ROOM)
        wait_for(lambda: len(server.asked) == FEW)


@contextmanager
def refused(source, monkeypatch):
    """Yield the names of what finds no room while the block runs."""
    names, has_room = [], source._has_room

    def judged(answer):
        room = has_room(answer)
        if not room:
            names.append(answer.path)
        return room

    with monkeypatch.context() as patch:
        patch.setattr(source, "_has_room", judged)
        yield names


def test_what_was_read_makes_room(monkeypatch):
    files = {f"{number}": b"x" for number in range(FEW + 2)}
    with reading(files) as (source, server):
        for name in [*files][:FEW]:
            source.prefetch(name, 1)
        wait_for(lambda: source._fetched == (FEW, FEW))  # what is on its way is not counted yet
        with refused(source, monkeypatch) as names:
            source.prefetch(f"{FEW}", 2 * ROOM)
            wait_for(lambda: names == [f"{FEW}"])
        assert len(server.asked) == FEW, "it might be too large"
        assert source.read("0", 1) == b"x"
        source.prefetch(f"{FEW + 1}", 2 * ROOM)
        wait_for(lambda: len(server.asked) == FEW + 1)


def test_the_names_of_what_waits_are_not_without_end(monkeypatch):
    monkeypatch.setattr("psreg.http.prefetching._ASKED", 3)
    files = {f"f{number}": b"x" for number in range(5)}
    with reading(files) as (source, server):
        for name in files:
            source.prefetch(name, 10)
        wait_for(lambda: len(server.asked) == 3)
        time.sleep(0.1)
        assert len(server.asked) == 3


def test_what_was_fetched_leads_to_more():
    with reading({"a": b"b", "b": b"c", "c": b"d"}) as (source, server):

        def follow(data):
            source.prefetch(data.decode(), 10, follow)

        source.prefetch("a", 10, follow)
        wait_for(lambda: len(server.asked) == 4)
        assert server.asked == ["a", "b", "c", "d"]
        assert source.read("c", 10) == b"d"


def test_what_is_being_read_leads_to_more_and_so_does_what_was_read_last():
    begun, go_on = threading.Event(), threading.Event()

    def slow(handler):
        begun.set()
        go_on.wait(60)
        answer(handler, 200, b"b")

    with reading({"b": b"c", "c": b"d"}, {"a": slow}) as (source, server):

        def follow(data):
            source.prefetch(data.decode(), 10, lambda _: None)

        reader = threading.Thread(target=source.read, args=("a", 10))
        reader.start()
        assert begun.wait(60)
        source.prefetch("a", 10, follow)
        go_on.set()
        reader.join()
        wait_for(lambda: server.asked == ["a", "b"])
        assert source.read("b", 10) == b"c"
        source.prefetch("b", 10, follow)
        wait_for(lambda: server.asked == ["a", "b", "c"])


@pytest.mark.parametrize("error", [ValueError, KeyError, RecursionError, ZeroDivisionError])
def test_what_follows_from_nonsense_is_not_our_business(error):
    def follow(_):
        raise error

    with reading({"a": b"1", "b": b"2"}) as (source, _):
        source.prefetch("a", 10, follow)
        assert source.read("a", 10) == b"1"
        source.prefetch("b", 10)
        assert source.read("b", 10) == b"2", "the thread goes on"


def test_a_source_that_breaks_leaves_the_error_to_the_reader():
    class Broken:
        def read(self, _path, _limit):
            raise ZeroDivisionError

        def close(self):
            pass

    source = PrefetchingSource(Broken(), Broken)
    source.prefetch("a", 10)
    with pytest.raises(ZeroDivisionError):
        source.read("a", 10)
    source.close()


def test_a_file_that_is_missing_is_asked_for_once():
    with reading({}) as (source, server):
        source.prefetch("a", 10)
        wait_for(lambda: server.asked)
        with pytest.raises(NotServedError):
            source.read("a", 10)
        assert server.asked == ["a"]


def test_the_limit_of_the_reader_holds():
    with reading({"a": b"12345", "b": b"12345"}) as (source, server):
        source.prefetch("a", 10)
        source.prefetch("b", 3)
        wait_for(lambda: len(server.asked) == 2)
        with pytest.raises(TooLongError):
            source.read("a", 3)
        assert source.read("b", 10) == b"12345"


def test_a_server_that_is_busy_is_asked_again_with_the_patience_of_a_reader():
    answers = iter([503, 503, 200])

    def trick(handler):
        answer(handler, next(answers), b"at last")

    with reading({}, {"a": trick}) as (source, server):
        source.prefetch("a", 10)
        wait_for(lambda: server.asked)
        assert source.read("a", 10) == b"at last"
        assert len(server.asked) == 3


def test_silence_costs_no_more_than_without():
    def trick(_):
        time.sleep(1)

    with reading({}, {"a": trick}, HURRIED) as (source, server):
        source.prefetch("a", 10)
        wait_for(lambda: server.asked)
        with pytest.raises(SourceError) as caught:
            source.read("a", 10)
        assert caught.value.code == "NETWORK_SLOW"
        assert server.asked == ["a"], "it is not waited for once more"


def test_a_reader_does_not_wait_behind_slow_answers():
    go_on = threading.Event()
    waited = []

    def trick(handler):
        waited.append(go_on.wait(20))
        answer(handler, 200, b"2")

    slow = [f"s{number}" for number in range(MOST)]
    with reading({"a": b"1"}, dict.fromkeys(slow, trick)) as (source, server):
        for name in [*slow, "a"]:
            source.prefetch(name, 10)
        wait_for(lambda: len(server.asked) == MOST)
        assert source.read("a", 10) == b"1"
        assert waited == []
        go_on.set()


def test_another_host_is_refused_ahead_as_ever():
    def trick(handler):
        answer(handler, 302, b"", Location="https://elsewhere.invalid/a")

    with reading({}, {"a": trick}) as (source, server):
        source.prefetch("a", 10)
        wait_for(lambda: server.asked)
        with pytest.raises(SourceError) as caught:
            source.read("a", 10)
        assert caught.value.code == "NETWORK_REFUSED"
        assert server.asked == ["a"]


def test_what_is_peeked_at_is_read_from_memory():
    with reading({"a": b"12345"}) as (source, server):
        assert source.peek("a", 10) == b"12345"
        source.prefetch("a", 10)
        assert source.read("a", 10) == b"12345"
        for path in ("b", "b"):
            with pytest.raises(NotServedError):
                (source.peek if len(server.asked) == 1 else source.read)(path, 10)
        assert server.asked == ["a", "b"]
        assert source.peek("a", 10) == b"12345"
        with pytest.raises(TooLongError):
            source.read("a", 3)


def test_a_closed_source_fetches_nothing_ahead_and_can_be_read():
    before = threading.active_count()
    with reading({"a": b"1", "b": b"2"}) as (source, server):
        source.prefetch("a", 10)
        wait_for(lambda: server.asked)
        source.close()
        source.prefetch("b", 10)
        assert source.read("a", 10) == b"1"
        assert server.asked == ["a", "a"]
        source.close()
    wait_for(lambda: threading.active_count() <= before)


def test_a_source_without_others_fetches_nothing_ahead():
    with serving({"a": b"1"}) as server:
        source = PrefetchingSource(open_source(server.url, PATIENT))
        source.prefetch("a", 10)
        assert source.location == server.url
        assert source.read("a", 10) == b"1"
        assert server.asked == ["a"]
        source.close()
