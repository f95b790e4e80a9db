"""`psreg mcp`: offer prompts to programs that speak the Model Context Protocol.

These are what the lock of the project around the working directory has, and what is installed.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from psreg import __version__
from psreg.cli.options import add_port_option
from psreg.core.errors import UsageError
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg mcp"
EXTRA = "mcp"
_PORT = 8765


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--http",
        action="store_true",
        help="serve over streamable HTTP on this machine, not on standard input and output",
    )
    add_port_option(parser, _PORT, "the port for --http")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Serve until the client closes standard input, or until Ctrl-C."""
    from psreg.client.exports.mcp_server import PromptServer
    from psreg.client.project.locked import usable_prompts

    if console.machine and not args.http:
        raise UsageError(
            "USAGE", "standard output belongs to the protocol", "Use --format json with --http."
        )

    def warn(text: str) -> None:
        console.warn(f"psreg: warning: {text}")

    server = PromptServer(__version__, partial(usable_prompts, Path.cwd(), warn), warn)
    if not args.http:
        server.serve_stdio()
        return 0

    def ready(address: str) -> None:
        if console.machine:
            console.json({"schema": "psreg.mcp/1", "url": address})
        elif not console.quiet:
            console.line(f"serving prompts at {address} (press Ctrl-C to stop)")
        console.flush()

    try:
        server.serve_http(args.port, ready)
    except KeyboardInterrupt:
        console.note("stopped")
    return 0
