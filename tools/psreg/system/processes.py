"""Work spread over the processors of this machine, or over whatever an executor reaches.

Jobs and their results travel by pickle, so that a job is a function of a module with its
arguments. Where there is one processor, or no process can be started, everything happens in this
process; the result is the same.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from typing import TypeVar

R = TypeVar("R")
S = TypeVar("S")


def shares_of(items: int, least: int, executor: Executor | None = None) -> int:
    """Return into how many shares of `least` items or more it pays to divide work.

    Without an `executor` there are no more of them than this process may use processors.
    """
    worth = max(1, items // least)
    return worth if executor else min(worth, _processors())


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_parallel(
    here: Callable[[], S], others: Sequence[Callable[[], R]], executor: Executor | None = None
) -> tuple[S, list[R]]:
    """Return what `here`, done in this process, and the `others`, done meanwhile, return.

    The others are done by `executor`, or without one in processes that end with this call.

    Raises:
        OSError: a process ended before its work was done; and what a job raises.
    """
    if executor:
        return _done(here, [executor.submit(job) for job in others])
    if others and _processors() > 1:
        with _processes(len(others)) as pool:
            futures = _started(pool, others)
            if futures is not None:
                return _done(here, futures)
    return here(), [job() for job in others]


def _done(here: Callable[[], S], others: Sequence[Future[R]]) -> tuple[S, list[R]]:
    try:
        return here(), [future.result() for future in others]
    except BrokenExecutor as error:
        raise OSError("a process ended before its work was done") from error
    finally:
        for future in others:
            future.cancel()


def _started(pool: Executor | None, jobs: Sequence[Callable[[], R]]) -> list[Future[R]] | None:
    """Return the jobs as `pool` began them, or None where no process can be started."""
    try:
        return [pool.submit(job) for job in jobs] if pool else None
    except OSError:
        return None


@contextmanager
def _processes(number: int) -> Iterator[Executor | None]:
    """Give a pool of processes, None where the system has none; they end with the context."""
    from multiprocessing import active_children, get_context  # noqa: PLC0415 - few have so much to do

    try:
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

        # A forked process costs next to nothing; elsewhere forking is unsafe or unknown.
        context = get_context("fork" if sys.platform == "linux" else "spawn")
        pool = ProcessPoolExecutor(number, context, _heed_signals)
    except (ImportError, NotImplementedError, OSError):  # no semaphores
        yield None
        return
    before = set(active_children())
    try:
        yield pool
        pool.shutdown()
    finally:
        for process in set(active_children()) - before:  # after Ctrl-C, an error, half a start
            process.terminate()
        pool.shutdown(cancel_futures=True)


def _heed_signals() -> None:  # pragma: no cover - elsewhere
    """Let Ctrl-C end the process at once and in silence; the first one says what is to be said."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
