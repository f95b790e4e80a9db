"""Conversations with `git cat-file --batch`: ids go in, headers and bytes come out in turn."""

from __future__ import annotations

import subprocess
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import IO

from psreg.adapters.git_process import Git
from psreg.errors import FindingsError, UnavailableError

TOGETHER = 256
"""Objects asked for before their answers are read; so many ids fit into any system's pipe."""

_WORDS = 3
"""Words of an answer: id, kind, size."""


class Batch:
    """One `git cat-file` in `mode`; it is started when needed and answers until it is closed.

    An object that is not there, or not of the kind that is asked for, ends the conversation; the
    next question starts another one.
    """

    def __init__(self, git: Git, mode: str) -> None:
        self._git = git
        self._mode = mode
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, oids: Sequence[str], kind: str, limit: int) -> Iterator[bytes]:
        """Yield the bytes of objects of one kind; who asks must take all of them.

        Raises:
            FindingsError: `TREE_MALFORMED`: one is of another kind or larger than `limit`.
            UnavailableError: `OBJECT_MISSING`.
        """
        wanted = iter(oids)
        while chunk := list(islice(wanted, TOGETHER)):
            out = self._ask(chunk)
            for oid in chunk:
                size = self._header(out, oid, kind)
                if size > limit:
                    raise self._refused(oid, f"it has {size:,} bytes")
                data = out.read(size + 1)
                if len(data) <= size:
                    raise self._gone(oid)
                yield data[:-1]

    def sizes(self, oids: Sequence[str]) -> list[int]:
        """Return the sizes of at most `TOGETHER` blobs; errors are those of `read`."""
        out = self._ask(oids)
        return [self._header(out, oid, "blob") for oid in oids]

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
        requests, out = self._process.stdin, self._process.stdout
        if requests is None or out is None:  # pragma: no cover - both are pipes
            raise missing(oids[0])
        try:
            requests.write("".join(f"{oid}\n" for oid in oids).encode())
            requests.flush()
        except OSError as error:
            raise self._gone(oids[0]) from error
        return out

    def _header(self, out: IO[bytes], oid: str, kind: str) -> int:
        words = out.readline().split()
        if len(words) != _WORDS:  # it says "<id> missing", or has ended
            raise self._gone(oid)
        found = words[1].decode()
        if found != kind:
            raise self._refused(oid, f"it is a {found}, not a {kind}")
        return int(words[2])

    def _gone(self, oid: str) -> UnavailableError:
        self.close()
        return missing(oid)

    def _refused(self, oid: str, why: str) -> FindingsError:
        self.close()
        return malformed(f"of the object {oid}, {why}")

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            end(self._process)
            self._process = None


def start_of(git: Git, oid: str, limit: int) -> bytes:
    """Return the first `limit` bytes of a blob; fewer if it cannot be read to there."""
    process = git.start("cat-file", "blob", oid)
    try:
        return process.stdout.read(limit) if process.stdout else b""
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and close its pipes; nothing happens to one that has ended."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(OSError):  # what was not sent any more is lost with its reader
                pipe.close()
    process.wait()


def malformed(why: str) -> FindingsError:
    """Return the error that says: no checkout could have these folders."""
    return FindingsError(
        "TREE_MALFORMED", f"the commit holds what Git itself refuses to check out: {why}"
    )


def missing(oid: str) -> UnavailableError:
    """Return the error that says: the repository lacks an object."""
    return UnavailableError(
        "OBJECT_MISSING",
        f"the object {oid} is not in this repository",
        "a clone with --filter lacks files; git fetch --no-filter --refetch brings them",
    )
