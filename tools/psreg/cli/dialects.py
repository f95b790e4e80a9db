"""The option that names the dialect of PLSP instructions."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

from psreg.formats.protocols import DIALECT


def add_dialect_option(parser: ArgumentParser, default: str, summary: str) -> None:
    """Declare `--imf`; "" is a language of one's own, of which no step is judged."""
    parser.add_argument("--imf", type=_dialect, default=default, metavar="NAME", help=summary)


def _dialect(text: str) -> str:
    if text not in ("", DIALECT):
        raise ArgumentTypeError(f"there is no dialect {text!r}; psreg knows {DIALECT}")
    return text
