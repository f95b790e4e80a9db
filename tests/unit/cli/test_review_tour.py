"""The tour of the review is taken as an outsider takes it; what it says is a table of its own."""

import subprocess
import sys

from support.places import TESTS

TOUR = TESTS / "review_tour.py"


def test_every_case_comes_out_as_written_and_nothing_is_executed_or_written(tmp_path):
    done = subprocess.run(
        [sys.executable, TOUR, tmp_path], capture_output=True, text=True, check=False, timeout=900
    )
    *lines, _, last = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert last == f"{len(lines)} cases, 0 differences"
    assert len(lines) >= 100
