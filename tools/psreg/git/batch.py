"""Reading objects from `git cat-file --batch`, which answers each id with a header and bytes."""

from __future__ import annotations

import subprocess
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from tempfile import TemporaryFile
from typing import IO

from psreg.core.errors import FindingsError, PsregError, UnavailableError
from psreg.git.process import Git

TOGETHER = 256
"""Objects requested before their answers are read; this many ids fit into any system's pipe."""

_WORDS = 3
"""Words of an answer: id, kind, size."""


class Batch:
    """One `git cat-file` in `mode`; it is started when needed and runs until it is closed.

    An object that does not exist, or is of another kind than requested, ends the process; the next
    request starts another one.
    """

    def __init__(self, git: Git, mode: str) -> None:
        self._git = git
        self._mode = mode
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, oids: Sequence[str], kind: str, limit: int) -> Iterator[bytes]:
        """Yield the bytes of objects of one kind; the caller must read all of them.

        Raises:
            FindingsError: `TREE_MALFORMED`: one is of another kind or larger than `limit`.
            UnavailableError: `OBJECT_MISSING`.
        """
        wanted = iter(oids)
        while chunk := list(islice(wanted, TOGETHER)):
            out = self._ask(chunk)
            with self._ending():
                for oid in chunk:
                    yield _content(out, oid, kind, limit)

    def sizes(self, oids: Sequence[str]) -> list[int]:
        """Return the sizes of at most `TOGETHER` blobs; errors are those of `read`."""
        out = self._ask(oids)
        with self._ending():
            return [_header(out, oid, "blob") for oid in oids]

    def named(self, expression: str, kind: str) -> str | None:
        """Return the id of the object that `expression` (gitrevisions) names, if it is `kind`."""
        words = self._ask([expression]).readline().split()
        if not words:
            self.close()
        good = len(words) == _WORDS and words[1] == kind.encode() and words[2].isdigit()
        return words[0].decode() if good else None

    def _ask(self, oids: Sequence[str]) -> IO[bytes]:
        if self._process is None:
            self._process = self._git.start("cat-file", self._mode)
            weakref.finalize(self, end, self._process)
        requests = pipe(self._process.stdin)
        try:
            requests.write("".join(f"{oid}\n" for oid in oids).encode())
            requests.flush()
        except OSError as error:
            self.close()
            self._git.check_readable()  # else it ended because it can read nothing
            raise missing(oids[0]) from error
        return pipe(self._process.stdout)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """End the process on an error: its next answers would belong to earlier requests."""
        try:
            yield
        except PsregError:
            self.close()
            raise

    def close(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            end(self._process)
            self._process = None


def stream(git: Git, oids: Iterable[str], kind: str, limit: int) -> Iterator[bytes]:
    """Yield the bytes of many objects, as fast as git reads them; errors are those of `read`."""
    wanted = list(oids)
    with TemporaryFile() as requests:
        requests.write("".join(f"{oid}\n" for oid in wanted).encode())
        requests.seek(0)
        process = git.start("cat-file", "--buffer", "--batch", stdin=requests)
    try:
        for oid in wanted:
            yield _content(pipe(process.stdout), oid, kind, limit)
    finally:
        end(process)


def _content(out: IO[bytes], oid: str, kind: str, limit: int) -> bytes:
    size = _header(out, oid, kind)
    if size > limit:
        raise malformed(f"the object {oid} has {size:,} bytes")
    data = out.read(size + 1)
    if len(data) <= size:
        raise missing(oid)
    return data[:-1]


def _header(out: IO[bytes], oid: str, kind: str) -> int:
    words = out.readline().split()
    if len(words) != _WORDS:  # the answer is "<id> missing", or the process has ended
        raise missing(oid)
    found = words[1].decode()
    if found != kind:
        raise malformed(f"the object {oid} is a {found}, not a {kind}")
    return int(words[2])


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a pipe that a process was started with."""
    if stream is None:  # pragma: no cover - `start` makes pipes
        raise ValueError("the process was started without this pipe")
    return stream


def start_of(git: Git, oid: str, limit: int) -> bytes:
    """Return the first `limit` bytes of a blob; fewer if it cannot be read that far."""
    process = git.start("cat-file", "blob", oid)
    try:
        return pipe(process.stdout).read(limit)
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and close its pipes; do nothing if it has ended."""
    process.kill()
    for end_of_pipe in (process.stdin, process.stdout):
        if end_of_pipe:
            with suppress(OSError):  # data that was not sent is lost with its reader
                end_of_pipe.close()
    process.wait()


def malformed(why: str) -> FindingsError:
    """Return the error for folders that Git would not check out."""
    return FindingsError(
        "TREE_MALFORMED", f"the commit contains files that Git refuses to check out: {why}"
    )


def missing(oid: str) -> UnavailableError:
    """Return the error for an object that is not in the repository."""
    return UnavailableError(
        "OBJECT_MISSING",
        f"the object {oid} is not in this repository",
        "Run `git fetch --no-filter --refetch`; a clone made with --filter lacks files.",
    )
