"""The time, which a build may fix (reproducible-builds.org, SOURCE_DATE_EPOCH)."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from time import sleep

from psreg.core.errors import UsageError

__all__ = ["exact_time", "now", "sleep"]

VARIABLE = "SOURCE_DATE_EPOCH"


def now() -> datetime:
    """Return the time in UTC, whole seconds; what SOURCE_DATE_EPOCH says if it is set.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is not a number of seconds that is a date.
    """
    value = os.environ.get(VARIABLE)
    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(_seconds(value), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            "BAD_CLOCK",
            f"{VARIABLE}={value!r} is not a time: {error}",
            "it counts the seconds since 1970-01-01T00:00:00Z, for instance 1795237200",
        ) from error


def exact_time() -> datetime:
    """Return the time in UTC to the microsecond, for logs; nothing fixes it."""
    return datetime.now(UTC)


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("only digits may stand there")
    return int(text)
