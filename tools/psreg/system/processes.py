"""Work spread over the processors of this machine, where starting a process costs next to nothing.

A forked process sees all that its parent holds, so that only results travel. Where there is no
`fork`, or too little to do, everything happens in this process; the result is the same.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from psreg.core.errors import PsregError

T = TypeVar("T")
R = TypeVar("R")

_MOST = 8
"""Processes at once: beyond, the disk is what everything waits for."""


@contextmanager
def in_background(work: Callable[[], R]) -> Iterator[Callable[[], R]]:
    """Start `work` in a process of its own; give what waits for its result.

    The result raises what `work` raised (OSError or PsregError), or OSError if the process ended
    before its work was done. Without a second processor `work` happens when its result is asked.
    The process has ended when the context is left.
    """
    if _processors() == 1:
        yield work
        return
    with _job(work) as wait:
        yield wait


def in_slices(work: Callable[[Sequence[T]], R], items: Sequence[T], least: int) -> list[R]:
    """Return `work` of consecutive slices of `items`, in order; each has `least` items or more.

    The first slice is done in this process, the others in processes of their own at the same
    time. What `work` changes in memory is seen only here, for the first slice.

    Raises:
        OSError, PsregError: as `in_background`.
    """
    jobs = max(1, min(_processors(), len(items) // max(least, 1), _MOST))
    size = max(1, -(-len(items) // jobs))
    with ExitStack() as running:
        waiting = [
            running.enter_context(_job(partial(work, items[at : at + size])))
            for at in range(size, len(items), size)
        ]
        return [work(items[:size]), *(wait() for wait in waiting)]


def _processors() -> int:
    if not sys.platform.startswith("linux"):
        return 1  # forking is unsafe on macOS and unknown on Windows
    return len(os.sched_getaffinity(0))


@contextmanager
def _job(work: Callable[[], R]) -> Iterator[Callable[[], R]]:
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(work, sender), daemon=True)
    process.start()
    sender.close()

    results: list[R | Exception] = []

    def wait() -> R:
        if not results:
            results.append(_received(receiver))
        if isinstance(results[0], Exception):
            raise results[0]
        return results[0]

    try:
        yield wait
    finally:
        # NOTE: taken even if nobody wants it, or the process would wait for ever to hand it over.
        with suppress(OSError, PsregError):
            wait()
        process.join()
        receiver.close()


def _received(receiver: Connection) -> Any:
    try:
        return receiver.recv()
    except EOFError:
        return OSError("a process ended before its work was done")


def _run(work: Callable[[], object], sender: Connection) -> None:  # pragma: no cover - elsewhere
    # Ctrl-C is for the first process, which waits for this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    result: object
    try:
        result = work()
    except (OSError, PsregError) as error:
        result = error
    sender.send(result)
