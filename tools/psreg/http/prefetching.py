"""A source that reads ahead: what is likely to be asked for next is fetched meanwhile.

A few threads, each with a connection of its own that is kept, fetch what `prefetch` names. What
they fetch is the answer to the next `read` of the same path, and nothing else: a caller that reads
verifies it as ever. A thread tries once; what does not succeed there, the reader asks for again,
with all its patience, unless the same question would get the same answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

from psreg.http.registry_source import UNREACHED, NotServedError, Source, SourceError

MOST = 3
"""How many connections are opened, besides the one of the reader."""

_ASKED = 4_096
"""How many files are asked for, at most, that nobody has read yet."""

FEW = 64
"""How many answers are kept, however large they are, that nobody has read yet."""

ROOM = 16 * 1024 * 1024
"""Bytes of answers that nobody has read yet, at most, if they are more than a few."""

_FINAL = ("NOT_FOUND", "NETWORK_SLOW", "NETWORK_REFUSED", "NETWORK_LOGIN")
"""The codes of errors that a second attempt would not change, or would only make longer."""

Then = Callable[[bytes], None]
"""Gets what was fetched, unverified, in the thread that fetched it."""


class _Answer:
    """What is to be fetched, by the thread or the reader that claims it first."""

    def __init__(self, path: str, limit: int, then: Then | None) -> None:
        self.path, self.limit = path, limit
        self._thens = [then] if then else []
        self._followed: bytes | None = None
        self._following = threading.Lock()
        self._unclaimed = threading.Lock()
        self._done = threading.Event()
        self._data: bytes | None = None
        self._error: SourceError | None = None

    def claim(self) -> bool:
        """Return whether the caller is the one to fetch it."""
        return self._unclaimed.acquire(blocking=False)

    def fetch(self, source: Source) -> None:
        """Fetch it; what fails is for the reader to see."""
        try:
            self._data = source.read(self.path, self.limit)
        except SourceError as error:
            self._error = error
        except Exception:  # noqa: BLE001, S110 - the reader tries again, and says what is wrong
            pass
        finally:
            self._done.set()
        if self._data is not None:
            self.follow(self._data)

    def follow(self, data: bytes) -> None:
        """Tell what was fetched to who asked for it."""
        with self._following:
            self._followed = data
            thens, self._thens = self._thens, []
        for then in thens:
            # NOTE: a hostile server may have sent anything; its reader says what is wrong with it.
            with suppress(Exception):
                then(data)

    def also(self, then: Then) -> None:
        """Tell somebody else, too, what was fetched, once it is."""
        with self._following:
            self._thens.append(then)
            data = self._followed
        if data is not None:
            self.follow(data)

    @property
    def size(self) -> int:
        """The bytes that were fetched, 0 before that."""
        return len(self._data or b"")

    def result(self, limit: int) -> bytes | None:
        """Return what was fetched, once it is; None if the reader should try.

        Raises:
            SourceError: the reader would get the same.
        """
        self._done.wait()
        if self._data is not None:
            return self._data if len(self._data) <= limit else None
        if self._error is not None and self._error.code in _FINAL:
            raise self._error
        return None


class PrefetchingSource:
    """A source over another one, with `more` of the same kind for what is fetched ahead."""

    def __init__(self, source: Source, more: Callable[[], Source] | None = None) -> None:
        self._source = source
        self._more = more
        self._queue: SimpleQueue[_Answer | None] = SimpleQueue()
        self._threads = 0
        self._answers: dict[str, _Answer] = {}
        self._peeked: dict[str, bytes | NotServedError] = {}
        self._asked: set[str] = set()
        """What the reader has asked for: what would be fetched now, it does not wait for."""
        self._last: _Answer | None = None
        """What the reader asked for last: what follows from that can still be fetched ahead."""
        self._lock = threading.Lock()
        self._fetched = self._taken = 0, 0
        self.unreached = False
        """Whether the reader last got no answer."""

    @property
    def location(self) -> str:
        """The base of the source."""
        return self._source.location

    def close(self) -> None:
        """Close all connections; what is being fetched ahead is given up."""
        with self._lock:
            self._more = None
            self._answers.clear()
            for _ in range(self._threads):
                self._queue.put(None)
            self._threads = 0
        self._source.close()

    def prefetch(self, path: str, limit: int, then: Then | None = None) -> None:
        """Begin to fetch a file, unless it was asked for before, or there are too many already."""
        with self._lock:
            known = path in self._answers or path in self._asked
            last = self._last
            if self._more is not None and not known and len(self._answers) < _ASKED:
                self._begin(_Answer(path, limit, then), self._more)
        if then is not None and last is not None and last.path == path:
            last.also(then)

    def _begin(self, answer: _Answer, more: Callable[[], Source]) -> None:
        self._answers[answer.path] = answer
        if self._threads < MOST:
            self._threads += 1
            threading.Thread(target=self._work, args=(more(),), daemon=True).start()
        self._queue.put(answer)

    def peek(self, path: str, limit: int) -> bytes:
        """Return what `read` returns; the next `read` of the path returns the same, unasked.

        Raises:
            SourceError: as `read`.
        """
        try:
            data = self._peeked[path] = self._read(path, limit)
        except NotServedError as error:
            self._peeked[path] = error
            raise
        return data

    def read(self, path: str, limit: int) -> bytes:
        """Return the file at `path`; see `Source.read`."""
        seen = self._peeked.pop(path, None)
        if isinstance(seen, NotServedError):
            raise seen
        if seen is not None and len(seen) <= limit:
            return seen
        return self._read(path, limit)

    def _read(self, path: str, limit: int) -> bytes:
        with self._lock:
            self._asked.add(path)
            waiting = self._answers.pop(path, None)
            answer = self._last = waiting or _Answer(path, limit, None)
        try:
            data = self._answered(answer, limit)
        except SourceError as error:
            self.unreached = error.code in UNREACHED
            raise
        self.unreached = False
        return data

    def _answered(self, answer: _Answer, limit: int) -> bytes:
        if not answer.claim():
            data = answer.result(limit)
            self._taken = _more(self._taken, answer)
            if data is not None:
                return data
        data = self._source.read(answer.path, limit)
        answer.follow(data)
        return data

    def _work(self, source: Source) -> None:
        """Fetch what is asked for, one after another, until the source is closed."""
        try:
            while (answer := self._queue.get()) is not None:
                if self._more is not None and self._has_room(answer) and answer.claim():
                    answer.fetch(source)
                    with self._lock:
                        self._fetched = _more(self._fetched, answer)
        finally:
            source.close()

    def _has_room(self, answer: _Answer) -> bool:
        """Return whether an answer can be kept besides those that nobody has read yet."""
        (count, size), (taken, read) = self._fetched, self._taken
        return count - taken < FEW or size - read + answer.limit <= ROOM


def _more(counted: tuple[int, int], answer: _Answer) -> tuple[int, int]:
    """Return a number of answers, and of their bytes, with those of one more."""
    return counted[0] + 1, counted[1] + answer.size
