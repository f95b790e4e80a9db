"""No rule survives being emptied, and the program that says so can tell."""

import subprocess
import sys
from pathlib import Path

from psreg.cli.rules import all_rules

RULES = all_rules()

PROGRAM = Path(__file__).with_name("mutate_rules.py")


def mutate(*codes):
    return subprocess.run(
        [sys.executable, PROGRAM, *codes], capture_output=True, text=True, check=False
    )


def test_every_rule_dies_when_its_body_is_emptied():
    done = mutate()
    assert done.stdout.splitlines()[-1:] == [f"{len(RULES)}/{len(RULES)} killed"], done.stdout
    assert done.returncode == 0


def test_no_rule_is_no_proof():
    done = mutate("PBE999")
    assert (done.returncode, done.stdout) == (1, "0/0 killed\n")
