"""Searching the files of a commit or folder with `git grep`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from subprocess import Popen
from weakref import finalize

from psreg.git.batch import end, missing
from psreg.git.process import Git

_GREP = ("grep", "-z", "-l", "-a", "--no-textconv", "--no-recurse-submodules")

_FINE = (0, 1)
"""The exit codes of a `git grep` that worked, with and without a match."""


class Grep:
    """A search for lines that runs in the background; `paths` waits for it.

    `patterns` are options of `git grep` that mean the same in several notations: the next one is
    tried if this version of Git does not know the one before.
    """

    def __init__(
        self, git: Git, tree: str, *options: str, patterns: Sequence[Sequence[str]]
    ) -> None:
        self._git, self._tree, self._options = git, tree, options
        self._patterns = patterns
        self._running = self._start(patterns[0])

    def _start(self, pattern: Iterable[str]) -> Popen[bytes]:
        process = self._git.start(*_GREP, "--threads=1", *self._options, *pattern, self._tree)
        finalize(self, end, process)
        return process

    def paths(self) -> Iterator[str]:
        """Yield the paths below `tree` of the files that have a matching line.

        Raises:
            UnavailableError: `OBJECT_MISSING`.
        """
        process = self._running
        out, _ = process.communicate()
        for pattern in self._patterns[1:]:
            if process.returncode not in _FINE:
                process = self._start(pattern)
                out, _ = process.communicate()
        if process.returncode not in _FINE:
            raise missing(f"{self._tree} or one in it")
        return _listed(out, self._tree)


def grep_words(git: Git, tree: str, words: Iterable[str], *where: str) -> Iterator[str]:
    """Yield the paths of the files of `tree` that match `where` and contain one of `words`.

    Raises:
        UnavailableError: `OBJECT_MISSING`.
    """
    patterns = "".join(f"{word}\n" for word in words).encode()
    out = git.ask(*_GREP, "-F", "-f", "-", tree, "--", *where, stdin=patterns, fine=_FINE)
    if out is None:
        raise missing(f"{tree} or one in it")
    return _listed(out, tree)


def _listed(out: bytes, tree: str) -> Iterator[str]:
    for name in out.split(b"\0")[:-1]:
        yield name.decode("utf-8", "surrogateescape").removeprefix(f"{tree}:")
