"""The state that was verified last, asked in place of a registry that does not answer."""

from __future__ import annotations

import json

import pytest

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.offline.kept_registry import KeptRegistry, kept_registry
from psreg.client.offline.last_state import LastState, lacking, told_of, unknown
from psreg.core.errors import PsregError, UnavailableError
from psreg.registry.records import read_record
from simulator import LATER, PAST

AWAY = UnavailableError("NETWORK", "cannot read it", "Check the address.")


def everything(last):
    record = read_record(last.record("quiz_master"), "quiz_master")
    last.check_release(record, record.releases[0])
    return last.claim(record), last.catalogue().segments


def expire(machine, place):
    """Let the timestamp of a kept proof have expired."""
    registry, proof = machine.registry, machine.folder / place
    registry.timestamp.expires = PAST
    value = json.loads(proof.read_text())
    signed = registry.signed(registry.timestamp, "stamp", "timestamp").decode()
    value["files"]["metadata/timestamp.json"] = signed
    proof.write_text(json.dumps(value))


def asked(machine, ask):
    """Return what `ask` returns of the last state, and say of which day it is."""
    last = machine.kept(LastState)
    try:
        answer = ask(last)
    except UnavailableError as lack:
        raise lacking([AWAY], lack) or lack from lack
    machine.said += [told] if (told := told_of(last, AWAY)) else []
    return answer


def refusal(machine, ask):
    with pytest.raises(PsregError) as caught:
        asked(machine, ask)
    return caught.value


def test_one_line_says_of_which_day_it_is(machine):
    claim, segments = asked(machine, everything)
    assert (claim.name, len(segments)) == ("quiz_master", 1)
    day = machine.kept(LastState)
    day.record("diary")
    (said,) = machine.said
    assert (
        said == f"cannot read it; answered as of {day.as_of}, which is valid until {LATER:%Y-%m-%d}"
    )


def test_nothing_is_said_where_nothing_was_asked(machine):
    assert asked(machine, lambda _: 1) == 1
    assert machine.said == []


@pytest.mark.parametrize("place", ["pkg/quiz_master.proof", "catalog/head.proof"])
def test_what_has_expired_is_not_used(machine, place):
    expire(machine, place)
    error = refusal(machine, everything)
    assert error.code == "NETWORK"
    assert error.message.startswith("cannot read it; what was verified last, on ")
    assert error.message.endswith(f" expired on {PAST:%Y-%m-%d}")
    assert error.hint == "Check the address. `--offline` uses it all the same."
    assert machine.said == []


def test_what_is_not_kept_is_the_errors_second_half(machine):
    error = refusal(machine, lambda last: last.record("later"))
    assert (error.code, error.hint) == ("NETWORK", "Check the address.")
    assert error.message == "cannot read it; `later` is not kept on this machine"


def test_other_errors_are_their_own(machine):
    def fails(_):
        raise UnavailableError("CANNOT_WRITE", "the disk is full")

    assert refusal(machine, fails).code == "CANNOT_WRITE"
    (machine.folder / "pkg/diary.json").write_bytes(b"{}")
    assert refusal(machine, lambda last: last.record("diary")).code == "TRUST_DIGEST"


def test_only_the_newest_state_that_was_seen_is_installed_from(machine):
    machine.library.remove("diary")

    def install(last):
        record = read_record(last.record("diary"), "diary")
        last.check_release(record, record.releases[0])

    asked(machine, install)
    machine.registry.release("diary", "1.1.0", b"1.1").publish()
    machine.opened().catalogue()
    error = refusal(machine, install)
    assert (
        "has seen a newer state of the registry, but not what that has of `diary`" in error.message
    )
    assert error.hint == "Check the address. `--offline` uses the older one all the same."
    (machine.folder / "metadata/timestamp.json").unlink()
    assert refusal(machine, install).code == "NETWORK"


def test_what_a_registry_that_is_away_has_is_unknown_and_not_absent(machine):
    lack = UnavailableError("NOT_KEPT", "`later` is not kept", "Run it again without `--offline`.")
    assert unknown(machine.kept(), lack) is lack  # left out on purpose
    found = unknown(machine.kept(LastState), lack)
    assert (found.code, found.message, found.hint) == ("NETWORK", "`later` is not kept", "")
    other = UnavailableError("CANNOT_READ", "it cannot be read")
    assert unknown(machine.kept(LastState), other) is other
    elsewhere = SelectedRegistry(location="https://other.invalid", origin="test")
    settings = (Settings([]), machine.store, machine.said.append)
    for kind, code in ((KeptRegistry, "NOT_KEPT"), (LastState, "NETWORK")):
        with pytest.raises(UnavailableError) as caught:
            kept_registry(elsewhere, *settings, kind)
        assert caught.value.code == code


def test_the_hint_of_another_registry_is_told(machine):
    def ask(_):
        raise UnavailableError("NETWORK", "`later` is not kept", "Bind it with `names`.")

    error = refusal(machine, ask)
    assert error.hint == "Check the address. Bind it with `names`."
