"""The `psreg` executable: `--version` answers before anything heavy is imported."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line in `sys.argv` and return the exit code (DESIGN §4)."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from psreg import __version__  # noqa: PLC0415 - nothing else is needed for this answer

        sys.stdout.write(f"psreg {__version__}\n")
        return 0
    from psreg.cli.main import run  # noqa: PLC0415 - keeps `--version` near a bare interpreter

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
