"""Runs jobs on all processors of this machine, or with an executor.

Jobs and their results are pickled, so a job is a function of a module with its arguments. With only
one processor, or if no process can be started, everything runs in this process; the result is the
same.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

Workers = Executor | None
"""Who does the work: an executor, or None for the processes of this machine."""

_ENDING = (signal.SIGINT, signal.SIGTERM)

R = TypeVar("R")
S = TypeVar("S")


def shares_of(items: int, least: int, executor: Executor | None = None) -> int:
    """Return the number of shares, of at least `least` items, into which to divide work.

    Without an `executor` there are at most as many as this process may use processors.
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
    """Run `here` in this process and the `others` at the same time; return all results.

    The others are run by `executor`, or without one in processes that end with this call.

    Raises:
        OSError: a process ended before its work was done; and what a job raises.
    """
    if executor:
        return _done(here, [_submitted(executor, job) for job in others])
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
        with _signals_blocked():
            return [_submitted(pool, job) for job in jobs] if pool else None
    except OSError:
        return None


def _submitted(pool: Executor, job: Callable[[], R]) -> Future[R]:
    """Return what `pool` makes of a job as it is now.

    An executor may pickle what it gets later, in a thread, while `here` changes what they share.
    """
    return pool.submit(partial(_call, pickle.dumps(job)))


def _call(job: bytes) -> Any:
    """Do a job of `_submitted`."""
    return pickle.loads(job)()  # noqa: S301 - this program wrote it


@contextmanager
def _processes(number: int) -> Iterator[Executor | None]:
    """Yield a pool of processes, or None if the system has none; they end with the context."""
    from multiprocessing import active_children, get_context  # noqa: PLC0415 - only large work needs it

    try:
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

        # Forking is cheap on Linux, and unsafe or unknown elsewhere.
        forks = sys.platform == "linux" and hasattr(os, "fork")
        context = get_context("fork" if forks else "spawn")
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


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Let signals that end a process wait until the context ends, or until a new one heeds them.

    A new process has the handlers of this one, which would report Ctrl-C once more.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _heed_signals() -> None:  # pragma: no cover - elsewhere
    """Let Ctrl-C end the process at once and silently; the first process reports it."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def run_psreg(*arguments: str) -> int:
    """Run this psreg with other arguments in a process of its own; return its exit code.

    After an exception, such as that of a signal, no process and no temporary file of it is left.
    """
    with ExitStack() as ends:
        with _signals_held():  # nothing is begun whose end is not prepared
            scratch = tempfile.TemporaryDirectory(prefix="psreg-")
            ends.callback(_remove, scratch)
            process = subprocess.Popen(
                [sys.executable, "-m", "psreg", *arguments],
                env={**os.environ, "TMPDIR": scratch.name},
                start_new_session=True,
            )
            ends.callback(_end, process)
        return process.wait()


def _remove(folder: tempfile.TemporaryDirectory[str]) -> None:
    """Remove a folder, which a signal would leave behind half removed."""
    with _signals_held():
        folder.cleanup()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session, if it runs, with all that it started."""
    if process.returncode is not None:
        return
    if not hasattr(os, "killpg"):  # Windows
        process.kill()
    else:
        with suppress(ProcessLookupError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait until the context ends."""
    came: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, _: came.append(number)) for number in _ENDING
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)
