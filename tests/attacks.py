"""The attacks on a client, as tests: list them, run them, or take the checks away that stop them.

    python tests/attacks.py --list
    python tests/attacks.py --run rollback::an_old_timestamp_is_refused
    python tests/attacks.py --run all
    python tests/attacks.py --mutate [CHECK…]

An attack is a test in tests/attacks with the mark `attack`; its id is its file and its name. The
threats T1 to T20 are those of site/docs/guide/security-matrix.md, the checks those of support/client_checks.py.
"""

import argparse
import contextlib
import io
import os
import re
import sys
from pathlib import Path

import pytest

from support.client_checks import CHECKS
from support.removed_checks import removed

TESTS = Path(__file__).resolve().parent
CRASH = re.compile(r"\b(NameError|UnboundLocalError|SyntaxError):")
"""What is told if a program without a check does not run at all."""

QUIET = ("-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:unraisableexception")


class Attacks:
    """What pytest collects and runs: the marks of the attacks, and the outcomes of the tests."""

    def __init__(self):
        self.marks = {}
        self.failed = set()
        self.crashed = set()

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if mark := item.get_closest_marker("attack"):
                self.marks[attack_id(item.nodeid)] = mark.args

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(attack_id(report.nodeid))
            if CRASH.search(report.longreprtext):
                self.crashed.add(attack_id(report.nodeid))


def attack_id(node):
    """Return the id of a test: `rollback::an_old_timestamp_is_refused`, with its parameters."""
    return re.sub(r".*?test_(\w+)\.py::test_", r"\1::", node)


def node_id(attack):
    file, _, name = attack.partition("::")
    return f"{TESTS}/attacks/test_{file}.py::test_{name}"


def taken(*arguments):
    """Run pytest with arguments, printing nothing; return what it found."""
    found = Attacks()
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*QUIET, *arguments], plugins=[found])
    return found


def every():
    """Return the marks of all attacks by id, without parameters."""
    marks = taken("--collect-only", str(TESTS / "attacks")).marks
    return {name.partition("[")[0]: mark for name, mark in marks.items()}


def listed():
    """Print a line for each attack: id, threat, and the answers that psreg gives."""
    for name, (threat, *answers) in sorted(every().items()):
        told = ", ".join(f"{code} {error}".rstrip() for code, error in answers)
        print(f"{name:<84} {threat:<4} exit {told}")
    return 0


def run(names):
    """Run attacks with all their parameters; return 0 if psreg withstands all of them."""
    chosen = every() if names == ["all"] else names
    return pytest.main(["-q", *map(node_id, chosen)])


def mutate(names):
    """Remove each check in turn, and tell which attacks get the same answer without it."""
    chosen = [each for each in CHECKS if not names or each.id in names]
    useless = [each for each in chosen if not needed(each)]
    print(f"{len(chosen) - len(useless)}/{len(chosen)} checks are needed")
    return int(bool(useless) or not chosen)


def needed(check):
    """Tell whether all attacks of a check fail, each in at least one case, without it."""
    try:
        with removed(check.removals):
            found = taken(*map(node_id, check.attacks))
    except LookupError as error:
        print(f"{check.id} cannot be removed: {error}")
        return False
    alive = [
        attack
        for attack in check.attacks
        if not any(each == attack or each.startswith(f"{attack}[") for each in found.failed)
    ]
    for attack in alive:
        print(f"without {check.id}, this attack gets the same answer: {attack}")
    for attack in sorted(found.crashed):
        print(f"without {check.id}, psreg does not run: {attack}")
    return not (alive or found.crashed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true", help="list all attacks")
    what.add_argument("--run", nargs="+", metavar="ID", help="run some attacks, or `all`")
    what.add_argument("--mutate", nargs="*", metavar="CHECK", help="remove checks, one at a time")
    args = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    if args.list:
        return listed()
    return run(args.run) if args.run else mutate(args.mutate)


if __name__ == "__main__":
    sys.exit(main())
