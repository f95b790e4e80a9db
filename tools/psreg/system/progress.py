"""A line on a terminal that says what a long command is doing, and for how long.

Where there are alarms, one writes it: processes may be forked while it is shown, which a thread
would not allow. Windows has no alarms, and forks nothing, so there it is a thread.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from threading import Event, Thread
from typing import Any

_PATIENCE = 0.5
"""Seconds before anything is said: most commands are done by then."""
_TICK = 1.0


class Progress:
    """Says what is being done until it is stopped; then the line is empty again."""

    def __init__(self, number: int, what: str) -> None:
        """Begin to write to the file descriptor `number`, from the main thread."""
        self._number, self._what = number, what
        self._shown = 0
        self._began = time.monotonic()
        self._over = Event()
        self._thread: Thread | None = None
        if hasattr(signal, "setitimer"):
            self._before = signal.signal(signal.SIGALRM, self._tell)
            signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _TICK)
        else:
            self._thread = Thread(target=self._repeat, daemon=True)
            self._thread.start()

    def change(self, what: str) -> None:
        """Say something else from now on, at the next tick."""
        self._what = what

    def clear(self) -> None:
        """Remove what was said, until more is said."""
        if self._shown:
            self._write(f"\r{' ' * self._shown}\r")
            self._shown = 0

    def stop(self) -> None:
        """Remove what was said, and say nothing more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        else:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)
        self.clear()

    def _repeat(self) -> None:
        wait = _PATIENCE
        while not self._over.wait(wait):
            self._tell()
            wait = _TICK

    def _tell(self, *_: Any) -> None:
        text = f"psreg: {self._what} ({time.monotonic() - self._began:.0f} s)"
        self._write(f"\r{text.ljust(self._shown)}")
        self._shown = len(text)

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the terminal is gone
            os.write(self._number, text.encode("utf-8", "replace"))
