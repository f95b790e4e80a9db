"""The `psreg` executable: `--version` and `--help` answer before anything heavy is imported."""

import atexit
import gc
import os
import sys

# What a short command allocates lives until it ends: with the default of 700 objects, garbage
# collection takes an eighth of the time of an installation.
GARBAGE_THRESHOLD = 100_000


def program() -> None:
    """Run `main` and end the process with its exit code.

    What was registered meanwhile to be done at the end is done. Then the process ends at once: that
    Python deletes every module and object first would take a thirtieth of an installation.
    """
    codes: list[int] = []
    atexit.register(_leave, codes)  # before all others, so that it is called after them
    codes.append(main())
    sys.exit(codes[0])


def _leave(codes: list[int]) -> None:
    if not codes:  # an exception was not caught
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the reader is gone, or the stream is closed
            return
    os._exit(codes[0])


def main() -> int:
    """Run the command line in `sys.argv` and return the exit code."""
    _open_what_is_closed()
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from psreg import __version__  # noqa: PLC0415 - nothing else is needed for this answer

        return _tell(f"psreg {__version__}\n")
    if arguments in ([], ["--help"], ["-h"], ["help"]):
        from psreg.cli.commands import overview  # noqa: PLC0415 - nor for this one

        return _tell(overview())
    gc.set_threshold(GARBAGE_THRESHOLD)
    from psreg.cli.commands import is_short  # noqa: PLC0415 - keeps what is above as fast as Python

    if is_short(arguments[0]):
        from psreg.system.late_modules import defer  # noqa: PLC0415 - as above

        defer()
    from psreg.cli.main import run  # noqa: PLC0415 - as above

    return run(arguments)


def _open_what_is_closed() -> None:
    """Open the standard streams that the caller closed (`>&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _tell(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from psreg.system.console import Console  # noqa: PLC0415 - as above

        return Console().lost(error)
    return 0


if __name__ == "__main__":
    program()
