"""The time, which a build may set (reproducible-builds.org, SOURCE_DATE_EPOCH)."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from time import sleep

from psreg.core.errors import UsageError

__all__ = ["behind", "exact_time", "is_future", "now", "sleep"]

_SKEW = timedelta(hours=1)

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


def is_future(date: str, now: datetime) -> bool:
    """Return whether a date such as `2026-11-21T05:00:00Z` is later than `now`, by an hour or more.

    False for anything that is not a date. If it is true, the date or the clock is wrong.
    """
    try:
        return datetime.fromisoformat(date) - now >= _SKEW
    except (ValueError, TypeError):  # TypeError: without a time zone
        return False


def behind(date: str) -> str:
    """Return what to say after a date that is in the future; "" if it is not."""
    now = exact_time()
    if not is_future(date, now):
        return ""
    return (
        f"but the clock of this machine says {now:%Y-%m-%dT%H:%M:%SZ}; check it: with a clock that "
        "is behind, expired signatures look valid"
    )


def exact_time() -> datetime:
    """Return the real time in UTC with microseconds, for logs."""
    return datetime.now(UTC)


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("only digits are allowed")
    return int(text)
