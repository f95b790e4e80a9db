"""No check of the client can be left out: without it, the attacks that it stops get through."""

import re
import subprocess
import sys

import pytest

from support.client_checks import CHECKS
from support.paths import ROOT, TESTS
from support.walks import sampled

PROGRAM = TESTS / "attacks.py"
MATRIX = ROOT / "site/docs/guide/security-matrix.md"


def attacks(*arguments):
    command = [sys.executable, PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.unmeasured
def test_attacks_get_through_without_the_check_that_stops_them():
    chosen = sampled([each.id for each in CHECKS], 6)
    done = attacks("--mutate", *chosen)
    assert done.stdout.splitlines()[-1:] == [f"{len(chosen)}/{len(chosen)} checks are needed"], (
        done.stdout + done.stderr
    )
    assert done.returncode == 0


def test_a_check_that_does_not_exist_is_no_proof():
    done = attacks("--mutate", "no-such-check")
    assert (done.returncode, done.stdout) == (1, "0/0 checks are needed\n")


def test_every_attack_says_its_threat_and_the_answer():
    lines = attacks("--list").stdout.splitlines()
    known = {line.split()[0] for line in lines}
    assert {each.partition("[")[0] for check in CHECKS for each in check.attacks} <= known
    assert all(line.split()[1].startswith("T") and " exit " in line for line in lines)


def test_an_attack_is_run_by_its_id():
    done = attacks("--run", "rollback::an_old_timestamp_is_refused")
    assert done.returncode == 0
    assert "1 passed" in done.stdout


def test_the_checks_are_in_the_order_of_the_client():
    assert [each.step for each in CHECKS] == sorted(each.step for each in CHECKS)
    assert len({each.id for each in CHECKS}) == len(CHECKS)


def test_the_page_names_the_tests_of_each_threat():
    page = MATRIX.read_text()
    rows = re.findall(r"^\| (T[0-9]+) \|[^|]*\|([^|]*)\|", page, re.MULTILINE)
    assert [threat for threat, _ in rows] == [f"T{number}" for number in range(1, 21)]
    listed = dict(re.findall(r"^\*\*(T[0-9]+)\*\* (.*)", page, re.MULTILINE))
    named = {threat: {*re.findall(r"`test_(\w+)`", tests)} for threat, tests in listed.items()}
    assert {threat for threat, cell in rows if f"(#{threat.lower()})" in cell} == named.keys()
    assert all(
        (TESTS / f"attacks/test_{each}.py").is_file() for each in set().union(*named.values())
    )
    for line in attacks("--list").stdout.splitlines():
        name, threat = line.split()[:2]
        assert name.partition("::")[0] in named[threat], line


def test_the_page_lists_the_steps_of_the_checks():
    steps = re.findall(r"^([0-9]+)\. \*\*", MATRIX.read_text(), re.MULTILINE)
    assert {each.step for each in CHECKS} == {*map(int, steps)}
