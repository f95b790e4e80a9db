"""`psreg copy FILE|NAME[@RANGE]`: put a prompt into the clipboard, exactly."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.bundle_option import add_bundle_option, bundled
from psreg.cli.named_prompt import METAVAR, add_source_options, find_prompt
from psreg.cli.render import add_value_options, filled
from psreg.client.render import pbe_text
from psreg.core.classes import Format, detect_format
from psreg.system.clipboard import copy_text
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg copy socratic_tutor"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", metavar=METAVAR, help="a file, an installed prompt, or another")
    add_value_options(parser)
    add_bundle_option(parser)
    add_source_options(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Copy the text; exit 1 if nothing can use it as it is, 4 if there is no clipboard."""
    found = find_prompt(args.what, args, console)
    path, data = found.path, found.data
    start = data[:4096].decode("utf-8", "replace")
    if detect_format(path, start) is Format.PROMPT:
        text = filled(args, path, data, console).rendering.text
    else:
        text = pbe_text(data, path)
    if args.bundle:
        text = bundled(found, text, args, console)
    where = copy_text(text)
    size = len(text)
    if console.machine:
        console.json({"schema": "psreg.copy/1", "path": path, "characters": size, "to": where})
    elif not console.quiet:
        console.line(f"copied {args.what} to {where}: {size:,} characters")
        console.line("  next: paste it into a new conversation with your assistant")
    return 0
