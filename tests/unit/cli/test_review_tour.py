"""The tour of the review is taken as an outsider takes it; what it says is a table of its own."""

import subprocess
import sys

from review_tour import EXPECTED, expected
from support.walks import sampled

TOUR = EXPECTED.with_suffix(".py")
CASES = expected()


def test_every_case_comes_out_as_written_and_nothing_is_executed_or_written(tmp_path):
    named = sampled(list(CASES), 24)
    command = [sys.executable, TOUR, tmp_path, *named]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    *lines, _, last = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines == [CASES[name] for name in named]
    assert last == f"{len(named)} cases, 0 differences"


def test_the_tour_is_long():
    assert len(CASES) >= 100
