"""Every row of the decision table is complete: an id, a reason, cases that it decides."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from psreg.compatibility.version_floor import FLOOR_TABLE
from support.floor_cases import FLOOR, cases

CASES = list(cases())
PROGRAM = Path(__file__).with_name("mutate_rows.py")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_floor_corpus(case):
    found = case.judge()
    assert case.lines(found) == case.expected
    assert (case.row in {d.row for d in found.differences}) is case.hit


def test_ids_are_unique_and_well_formed():
    ids = [row.id for row in FLOOR_TABLE]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Z]+(-[A-Z]+)*", identifier) for identifier in ids)


@pytest.mark.parametrize("row", FLOOR_TABLE, ids=lambda row: row.id)
def test_row_is_complete(row):
    assert row.step
    assert re.fullmatch(r"[A-Z`][^.]+(\.[a-z][^.]*)?[^.]*\.", row.summary), row.summary
    assert re.fullmatch(r"[A-Z`].{30,}\.", row.reason), row.reason
    names = [path.name for path in (FLOOR / row.id).iterdir()]
    assert any(name.startswith("after-") for name in names)
    assert any(name.startswith("near-") for name in names)


def test_no_folder_without_a_row():
    assert {path.name for path in FLOOR.iterdir()} == {row.id for row in FLOOR_TABLE}


def mutate(*ids):
    return subprocess.run(
        [sys.executable, PROGRAM, *ids], capture_output=True, text=True, check=False
    )


def test_every_row_dies_when_its_body_is_emptied():
    done = mutate()
    assert done.stdout.splitlines()[-1:] == [f"{len(FLOOR_TABLE)}/{len(FLOOR_TABLE)} killed"], (
        done.stdout
    )
    assert done.returncode == 0


def test_no_row_is_no_proof():
    done = mutate("PBE-NOTHING")
    assert (done.returncode, done.stdout) == (1, "0/0 killed\n")
