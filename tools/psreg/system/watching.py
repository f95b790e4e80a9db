"""Waiting until files change, with `watchdog`, which comes with mkdocs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.polling import PollingObserver

_CHANGES = ["created", "modified", "moved", "deleted"]

_QUIET = 0.2
"""Seconds without a change after which what was written is complete."""

_LONGEST = 2.0
"""Seconds after which nobody waits for such a pause any more."""


@contextmanager
def watched(folders: Iterable[Path]) -> Iterator[Callable[[], None]]:
    """Yield a function that waits until a file below one of `folders` has changed.

    What changes between two calls is not lost. Folders that do not exist are left out.
    """
    changed = threading.Event()

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            if event.event_type in _CHANGES:
                changed.set()

    def wait() -> None:
        while not changed.wait(_LONGEST):  # with a limit, so that signals are heard everywhere
            pass
        until = time.monotonic() + _LONGEST
        while changed.is_set() and time.monotonic() < until:
            changed.clear()
            changed.wait(_QUIET)
        changed.clear()

    present = [folder for folder in folders if folder.is_dir()]
    observer = Observer()
    try:
        for folder in present:
            observer.schedule(Handler(), str(folder), recursive=True)
        observer.start()
    except OSError:  # the system watches no more folders
        observer = PollingObserver()
        for folder in present:
            observer.schedule(Handler(), str(folder), recursive=True)
        observer.start()
    try:
        yield wait
    finally:
        observer.stop()
        observer.join()
