"""`make test`: everything CI runs, cheapest first; pytest's summary is the last thing printed.

Arguments go to pytest: `.venv/bin/python tests/run.py tests/unit -k version`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent

STATIC = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
    ("lint-imports", "--no-cache"),
)


def chromium() -> bool:
    """Tell whether Chromium is there, after installing it where we may (Debian, as root)."""
    if shutil.which("chromium"):
        return True
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
        done = subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            return False
    return shutil.which("chromium") is not None


def main() -> int:
    """Run the static checks, then the tests; return the first exit code that is not 0."""
    if not chromium():
        print("tests: chromium is missing and cannot be installed here; run as root:")
        print("tests:   apt-get install chromium")
        return 1
    arguments = sys.argv[1:]
    for name, *rest in () if arguments else STATIC:
        print(f"tests: {name} {' '.join(rest)}", flush=True)
        code = subprocess.run([BIN / name, *rest], cwd=ROOT, check=False).returncode
        if code:
            return code
    coverage = [] if arguments else ["--cov", "--cov-report=", "-n", "2", "--dist", "loadgroup"]
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", *coverage, *arguments], cwd=ROOT, check=False
    )
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
