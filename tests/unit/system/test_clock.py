"""The clock of a reproducible build."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from psreg.core.errors import UsageError
from psreg.system.clock import behind, is_future, now


def test_without_the_variable_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    time = now()
    assert (time.tzinfo, time.microsecond) == (UTC, 0)
    assert datetime.now(UTC) - time < timedelta(minutes=1)


def test_with_the_variable_it_is_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795237200")
    assert now() == datetime(2026, 11, 21, 5, 0, tzinfo=UTC)


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5", " 1", "1e9", "²", "9" * 30, "9" * 5000])
def test_other_values_are_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    with pytest.raises(UsageError, match="is not a valid time"):
        now()


def test_a_date_of_the_future_is_told() -> None:
    time = datetime.now(UTC)
    for seconds, told in ((0, False), (3_000, False), (4_000, True), (10**8, True)):
        date = (time + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        assert bool(behind(date)) is told
        assert is_future(date, time) is told


@pytest.mark.parametrize("date", ["", "soon", "9999-01-01", "9999-99-99T00:00:00Z"])
def test_what_is_no_date_is_not_in_the_future(date: str) -> None:
    assert not is_future(date, datetime.now(UTC))
