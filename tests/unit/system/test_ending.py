"""How the program ends: at once, after everything that is registered to be done at the end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import atexit, sys
from psreg import __main__
class Kept:
    def __del__(self): sys.stderr.write("deleted")
kept = Kept()
atexit.register(sys.stderr.write, "before ")
def main():
    atexit.register(sys.stderr.write, "after ")
    {body}
__main__.main = main
__main__.program()
"""


def ended(body, **streams):
    command = [sys.executable, "-c", PROGRAM.format(body=body)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(command, text=True, check=False, env=env, **streams)


@pytest.mark.parametrize("code", [0, 1, 42])
def test_what_is_registered_is_done_and_nothing_is_deleted(code):
    done = ended(f"print('said', end=''); return {code}", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (code, "said", "after ")


def test_an_exception_ends_as_usual():
    done = ended("raise ValueError('a fault')", capture_output=True)
    assert done.returncode == 1
    assert "ValueError: a fault" in done.stderr
    assert "before deleted" in done.stderr


def test_what_cannot_be_written_is_an_error_as_usual():
    with Path("/dev/full").open("w") as full:
        done = ended("print('said'); return 0", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 120
    assert "No space left on device" in done.stderr
