"""`make test`: all that CI runs; pytest's summary is the last thing printed, unless a check fails.

python tests/run.py            static checks and all tests; long walks are sampled
python tests/run.py --all      the same, and long walks are taken whole
python tests/run.py --check    `make check`: static checks, and the tests of what is pure
python tests/run.py ARG…       pytest with these arguments alone: `tests/unit -k version`
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent

STATIC = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
    ("lint-imports",),
)
SIDE_BY_SIDE = ("-n", "3", "--dist", "worksteal")
MEASURED = ("--cov", "--cov-report=term-missing:skip-covered")
FIRST = (
    *("core", "formats", "protocols", "lint", "compatibility"),
    *("registry/trust", "review/test_judge.py"),
)
"""The tests below `tests/unit` that a change needs first."""

ROOM = 2 << 30
"""So many bytes are more than all tests need at once."""


PROGRAMS = {
    "chromium": "chromium",
    "fish": "fish",
    "mandoc": "mandoc",
    "openssl": "openssl",
    "softhsm2-util": "softhsm2",
    "ssh-keygen": "openssh-client",
    "zsh": "zsh",
}
"""Programs that the tests need, each with the package of Debian that has it."""


def missing() -> list[str]:
    """Return the packages of programs that are missing, after installing them where we may."""
    packages = _absent()
    if not packages or os.geteuid() != 0 or not shutil.which("apt-get"):
        return packages
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", *packages]):
        subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)
    return _absent()


def _absent() -> list[str]:
    return [package for program, package in PROGRAMS.items() if not shutil.which(program)]


def in_memory() -> None:
    """Keep temporary files in memory where there is room: disks are slow to make and to sync."""
    memory = Path("/dev/shm")
    there = memory.is_dir() and os.access(memory, os.W_OK | os.X_OK)
    if "TMPDIR" not in os.environ and there and shutil.disk_usage(memory).free > ROOM:
        os.environ["TMPDIR"] = str(memory)


def static() -> tuple[int, str]:
    """Run the static checks; return the first exit code that is not 0, and what they printed."""
    told = []
    for name, *rest in STATIC:
        command = [BIN / name, *rest]
        done = subprocess.run(
            command,
            cwd=ROOT,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        told.append(f"tests: {name} {' '.join(rest)}\n{done.stdout}")
        if done.returncode:
            return done.returncode, "".join(told)
    return 0, "".join(told)


def all_of(*arguments: str) -> int:
    """Run pytest, and the static checks beside it: neither keeps two processors busy."""
    with ThreadPoolExecutor(1) as pool:
        checks = pool.submit(static)
        tested = pytest(*arguments)
        code, told = checks.result()
    if code:
        print(told)
    return code or tested


def pytest(*arguments: str) -> int:
    """Run pytest; return its exit code."""
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; return the first exit code that is not 0."""
    if arguments == ["--check"]:
        first = (f"tests/unit/{room}" for room in FIRST)
        return all_of("-q", *SIDE_BY_SIDE, *first, "tests/house/test_imports.py")
    if packages := " ".join(missing()):
        print("tests: programs are missing and cannot be installed here; run as root:")
        print(f"tests:   apt-get install {packages}")
        return 1
    if not all(each == "--all" or each.startswith("--seed=") for each in arguments):
        return pytest(*arguments)
    return all_of(*MEASURED, *SIDE_BY_SIDE, *arguments)


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)  # nothing of another project comes before what is installed
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of programs start; compile them once
    in_memory()
    sys.exit(main(sys.argv[1:]))
