"""What people must renew of a registry, told once a day."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from psreg.client.offline.expiring import TOLD, expiring_today
from psreg.core.errors import UnavailableError

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
LATER = "2027-11-21T00:00:00Z"


@pytest.fixture
def state(tmp_path):
    """Return a function that writes when roles expire; it returns the state folder."""
    (tmp_path / "metadata").mkdir()

    def write(**roles):
        for role, expires in roles.items():
            document = {"signed": {"_type": role, "expires": expires}}
            (tmp_path / "metadata" / f"{role}.json").write_text(json.dumps(document))
        return tmp_path

    return write


def test_what_expires_within_three_weeks_is_told_the_first_first(state):
    soon, sooner = "2026-12-12T05:00:00Z", "2026-12-01T00:00:00Z"
    folder = state(root=soon, targets=LATER, owners=sooner, timestamp=sooner, snapshot=sooner)
    assert expiring_today(folder, NOW) == "owners on 2026-12-01, root on 2026-12-12"


def test_it_is_told_once_a_day(state):
    folder = state(targets="2026-12-01T00:00:00Z")
    told = [expiring_today(folder, NOW + timedelta(hours=n)) for n in (0, 1, 18, 19, 20)]
    assert told == ["targets on 2026-12-01", "", "", "targets on 2026-12-01", ""]


def test_what_is_valid_for_longer_or_has_expired_is_not_told(state):
    folder = state(root="2026-12-12T05:00:01Z", targets=LATER, owners="2026-11-21T05:00:00Z")
    assert expiring_today(folder, NOW) == ""
    assert (folder / TOLD).read_text() == "2026-11-21"


@pytest.mark.parametrize("expires", [5, None, "", "soon", "2026-12-01", "2026-12-01T00:00:00"])
def test_what_is_no_date_is_for_others_to_refuse(state, expires):
    assert expiring_today(state(root=expires, targets=LATER), NOW) == ""


def test_a_note_that_cannot_be_kept_is_repeated(state, monkeypatch):
    folder = state(root="2026-12-01T00:00:00Z")

    def full(*_, **__):
        raise UnavailableError("CANNOT_WRITE", "the disk is full")

    monkeypatch.setattr("psreg.client.offline.expiring.write_own", full)
    assert {expiring_today(folder, NOW) for _ in range(2)} == {"root on 2026-12-01"}
