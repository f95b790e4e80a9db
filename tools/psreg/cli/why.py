"""`psreg why NAME`: show why a release is locked."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.project_option import not_in_project, open_session
from psreg.client.resolve import parse_request
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg why glossary"
SCHEMA = "psreg.why/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME", help="a prompt in psreg.lock")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print who asks for the prompt, up to psreg.toml; nothing is asked of a registry."""
    name = parse_request(args.name).name

    from psreg.client.project.graph import reasons

    with open_session(args, console) as session:
        manifest = session.workspace.manifest()
        lock, _ = session.workspace.required_lock()
        if name not in lock.prompts:
            raise not_in_project("psreg.lock", name, lock.prompts)
        found, version = reasons(manifest, lock, name), lock.versions[name]
    if console.machine:
        console.json({"schema": SCHEMA, "name": name, "version": version, "reasons": found})
        return 0
    console.line(f"{name} {version}")
    for steps in found:
        for depth, step in enumerate(steps, start=1):
            console.line(f"{'  ' * depth}{step}")
    if not found:
        console.line("  nothing asks for it: run `psreg lock`")
    return 0
