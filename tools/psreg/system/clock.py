"""The time, which a build may set (reproducible-builds.org, SOURCE_DATE_EPOCH)."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from time import sleep

from psreg.core.errors import UsageError

__all__ = ["exact_time", "now", "sleep"]

VARIABLE = "SOURCE_DATE_EPOCH"


def now() -> datetime:
    """Return the time in UTC in whole seconds; SOURCE_DATE_EPOCH if that is set.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is not a valid number of seconds.
    """
    value = os.environ.get(VARIABLE)
    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(_seconds(value), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            "BAD_CLOCK",
            f"{VARIABLE} is not a valid time: `{value}`: {error}",
            "Set it to the seconds since 1970-01-01T00:00:00Z, such as 1795237200.",
        ) from error


def exact_time() -> datetime:
    """Return the real time in UTC with microseconds, for logs."""
    return datetime.now(UTC)


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("only digits are allowed")
    return int(text)
