"""The `psreg` executable: `--version` and `--help` answer before anything heavy is imported."""

import gc
import sys

# What a short command allocates lives until its end: looking for garbage every 700 objects, as is
# the default, takes an eighth of the time an installation needs.
GARBAGE_THRESHOLD = 100_000


def main() -> int:
    """Run the command line in `sys.argv` and return the exit code (DESIGN §4)."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from psreg import __version__  # noqa: PLC0415 - nothing else is needed for this answer

        sys.stdout.write(f"psreg {__version__}\n")
        return 0
    if arguments in ([], ["--help"], ["-h"], ["help"]):
        from psreg.cli.commands import overview  # noqa: PLC0415 - nor for this one

        sys.stdout.write(overview())
        return 0
    gc.set_threshold(GARBAGE_THRESHOLD)
    from psreg.cli.main import run  # noqa: PLC0415 - keeps the answers above near bare Python

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
