"""A lost key: others own the name a week after that was announced, unless an owner objects."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from support.owners import ANA, BEN, CEM
from unit.cli.test_signing import FOLDER, NAME, Checkout

DAY = 24 * 60 * 60
START = int(time.time())
LOST = ("--recover", "--reason", "a laptop was lost")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A name of ANA, claimed, which entry.toml now gives to BEN; it is day 0."""
    checkout = Checkout(tmp_path)
    on(checkout, 0)
    checkout.owned_by(ANA)
    checkout.run("publish", "-q")
    checkout.run("keys", "owners", NAME, "-q")
    checkout.run("install", NAME, "--registry", checkout.root, "-q")
    checkout.owned_by(BEN)
    return checkout


def on(checkout: Checkout, day: float) -> None:
    """Let it be so many days later."""
    checkout.env["SOURCE_DATE_EPOCH"] = str(int(START + day * DAY))


def told(checkout: Checkout) -> str:
    return checkout.run("info", NAME, "--registry", checkout.root).stdout


def test_a_name_is_recovered_after_a_week(checkout: Checkout) -> None:
    said = checkout.run("keys", "owners", NAME, *LOST).stdout
    assert f"{NAME}: these own it from " in said
    assert "\n  github:2 SHA256:" in said
    assert "next: psreg publish" in said
    assert "recovery " not in told(checkout)
    assert f"recovery of {NAME} pending until " in checkout.run("publish").stdout
    assert "  owners      github:1; 1 must sign each release\n  recovery    pending until " in told(
        checkout
    )
    assert f"recovery of {NAME} pending until " in checkout.run("audit").stdout
    on(checkout, 6.9)
    checkout.run("publish", "-q")
    assert checkout.refused("keys", "owners", NAME, code=3) == "RECOVERY_REFUSED"
    on(checkout, 7)
    assert "one of them must sign" in checkout.run("keys", "owners", NAME).stdout
    checkout.run("publish", "-q")
    assert checkout.refused("info", NAME, "--registry", checkout.root, code=3) == (
        "TRUST_OWNER_CHANGED"  # this client saw the log later than it was dated, without the entry
    )
    on(checkout, 7.1)
    assert "completed, without the owners before: a laptop was lost" in told(checkout)
    (row,) = checkout.json("audit")["recoveries"]
    assert (row["state"], row["problems"]) == ("completed", [])


def test_an_owner_objects(checkout: Checkout) -> None:
    checkout.run("keys", "owners", NAME, *LOST)
    assert checkout.refused("sign", "--object", NAME, code=1) == "NOTHING_TO_SIGN"
    checkout.run("publish", "-q")
    assert "signed an objection to the recovery" in checkout.run("sign", "--object", NAME).stdout
    assert (checkout.root / FOLDER / "signatures/owners.1.1.txt").exists()
    assert checkout.json("sign", "--object", NAME)["status"] == "unchanged"
    assert "refused, because an owner objected" in checkout.run("publish").stdout
    on(checkout, 30)
    assert "github:1 objected to" in checkout.run("keys", "owners", NAME, code=3).stderr
    assert "refused, because an owner objected" in told(checkout)
    (row,) = checkout.json("audit")["recoveries"]
    assert (row["state"], row["problems"]) == ("objected", [])


def test_other_owners_than_were_announced(checkout: Checkout) -> None:
    checkout.run("keys", "owners", NAME, *LOST)
    checkout.run("publish", "-q")
    on(checkout, 8)
    checkout.owned_by(CEM)
    assert checkout.refused("keys", "owners", NAME, code=3) == "OWNERS_NOT_SIGNED"
