"""Waiting until files change, with `watchdog`, which comes with mkdocs."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

_CHANGES = ["created", "modified", "moved", "deleted"]

_QUIET = 0.2
"""Seconds without a change after which what was written is complete."""

_LONGEST = 2.0
"""Seconds after which nobody waits for such a pause any more."""


@contextmanager
def watched(folders: Iterable[Path]) -> Iterator[Callable[[], None]]:
    """Yield a function that waits until a file below one of `folders` has changed.

    What changes between two calls is not lost. A folder that does not exist is watched from when it
    is there, which is a change as well.
    """
    changed = threading.Event()

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            if event.event_type in _CHANGES:
                changed.set()

    # NOTE: watchdog says so of a folder that appears while its parent is looked through.
    said = r"Callback with id .* already exists"
    warnings.filterwarnings("ignore", said, RuntimeWarning, r"watchdog\.")
    missing = list(folders)

    def watch_new(observer: BaseObserver) -> bool:
        """Watch the folders that are there by now; return whether there are any."""
        new = [folder for folder in missing if folder.is_dir()]
        for folder in new:
            missing.remove(folder)
            observer.schedule(Handler(), str(folder), recursive=True)
        return bool(new)

    def wait() -> None:
        while not changed.wait(_LONGEST):  # with a limit, so that signals are heard everywhere
            with suppress(OSError):  # the system watches no more folders
                if watch_new(observer):
                    break
        until = time.monotonic() + _LONGEST
        while changed.is_set() and time.monotonic() < until:
            changed.clear()
            changed.wait(_QUIET)
        changed.clear()

    everything = [*missing]
    observer = Observer()
    try:
        watch_new(observer)
        observer.start()
    except OSError:  # the system watches no more folders
        missing[:] = everything
        observer = PollingObserver()
        watch_new(observer)
        observer.start()
    try:
        yield wait
    finally:
        observer.stop()
        observer.join()
