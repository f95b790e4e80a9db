"""`psreg tree`: show the prompts of a project, and what they require."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.project_option import open_session
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg tree"
SCHEMA = "psreg.tree/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the tree; nothing is asked of a registry."""
    from psreg.client.project.graph import tree

    with open_session(args, console) as session:
        manifest = session.workspace.manifest()
        lock, _ = session.workspace.required_lock()
        rows = [*tree(manifest, lock)]
    if console.machine:
        listed = [
            {"depth": depth, "name": name, "version": version, "repeated": repeated}
            for depth, name, version, repeated in rows
        ]
        console.json({"schema": SCHEMA, "rows": listed})
        return 0
    for depth, name, version, repeated in rows:
        more = " (see above)" if repeated and lock.prompts[name].requires else ""
        console.line(f"{'  ' * depth}{name} {version}{more}")
    return 0
