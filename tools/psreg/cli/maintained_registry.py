"""The registry that a maintainer's command changes: its checkout, its files, and the keys."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.core.errors import UsageError
from psreg.core.identity import is_name, normal_name
from psreg.core.version import is_version
from psreg.registry.checkout import required_checkout
from psreg.system.console import Console

if TYPE_CHECKING:
    from psreg.registry.baseline import Ports
    from psreg.registry.withdrawing.taking import Taken

SCHEMA = "psreg.withdrawal/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainedRegistry:
    """A checkout, and the ports to the registry that is published from it."""

    root: Path
    ports: Ports


def add_place_options(parser: ArgumentParser) -> None:
    """Declare `--reason`, `--checkout` and `--registry-dir`."""
    add_reason_option(parser)
    parser.add_argument(
        "--checkout", default=".", metavar="DIR", help="checkout of the registry (.)"
    )
    parser.add_argument(
        "--registry-dir", metavar="DIR", help="the published registry (registry/ of the checkout)"
    )


def add_reason_option(parser: ArgumentParser) -> None:
    """Declare `--reason`."""
    parser.add_argument(
        "--reason", required=True, metavar="TEXT", help="one line that everybody can read"
    )


@contextmanager
def maintained(args: Namespace) -> Iterator[MaintainedRegistry]:
    """Yield the registry that the options name; nobody else publishes in the meantime.

    Raises:
        TrustError: KEYS_IN_TREE.
        UnavailableError: there is no checkout; the registry is in use.
    """
    from psreg.cli.signing_ports import signing_ports

    root = required_checkout(args.checkout)
    ports, journal = signing_ports(root, args.registry_dir)
    with journal.lock():
        yield MaintainedRegistry(root=root, ports=ports)


def named_release(text: str) -> tuple[str, str]:
    """Return the name and the version that `NAME@VERSION` spells. Raises UsageError."""
    spelled, _, version = text.partition("@")
    name = normal_name(spelled)
    if not is_name(name) or not is_version(version):
        raise UsageError("USAGE", f"`{text}` is not NAME@VERSION", "Write `quiz_master@1.0.1`.")
    return name, version


def taken_row(taken: Taken) -> dict[str, Any]:
    """Return an action that was written as JSON data."""
    action = taken.action
    return {
        "action": action.number,
        "path": f"registry/{taken.path}",
        "kind": action.kind,
        **action.subject.to_json(),
        "reason": action.reason,
        "date": action.date,
        "missing": taken.missing,
    }


def say_taken(taken: Taken, console: Console, removed: tuple[str, ...] = ()) -> None:
    """Print an action that was written, and what to do next."""
    from psreg.registry.withdrawing.taking import summary

    if console.machine:
        console.json({"schema": SCHEMA, **taken_row(taken), "removed": [*removed]})
        return
    if console.quiet:
        return
    for line in summary([taken]):
        console.line(line)
    for path in removed:
        console.line(f"  removed {path}")
    console.line("  next: commit it, and publish")
