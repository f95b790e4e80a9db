"""`--imf`: the dialect of PLSP instructions."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

from psreg.formats.protocol_versions import DIALECT


def add_dialect_option(parser: ArgumentParser, default: str, summary: str) -> None:
    """Declare `--imf`; "" is another language, whose steps are not checked."""
    parser.add_argument("--imf", type=_dialect, default=default, metavar="NAME", help=summary)


def _dialect(text: str) -> str:
    if text not in ("", DIALECT):
        raise ArgumentTypeError(f"unknown dialect `{text}`; psreg knows `{DIALECT}`")
    return text
