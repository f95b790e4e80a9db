"""The prompt that a command is given: a file, a locked or installed one, or one of a registry."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.cli.registry_option import (
    add_offline_option,
    add_registry_option,
    ask_registry,
    check_policy,
)
from psreg.client.library import installed_prompt
from psreg.core.dataclass import dataclass
from psreg.core.errors import UnavailableError
from psreg.core.identity import is_name, normal_name
from psreg.system.console import Console, OptionAdder
from psreg.system.files import read_named

if TYPE_CHECKING:
    from psreg.client.install import FetchedRelease
    from psreg.client.selection.opened import AnyRegistry

METAVAR = "FILE|NAME[@RANGE]"


def add_source_options(parser: OptionAdder) -> None:
    """Declare from where a prompt comes that is not installed."""
    add_registry_option(parser, "read what is not installed from this registry")
    add_offline_option(parser)


def read_prompt(what: str, args: Namespace, console: Console) -> tuple[str, bytes]:
    """Return the path, for messages, and the bytes of the prompt that `what` names.

    Raises:
        PsregError: as `find_prompt`.
    """
    found = find_prompt(what, args, console)
    return found.path, found.data


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPrompt:
    """A prompt; `name` and `version` are "" for a file. `path` is for messages.

    `requires` are the ranges of what it requires by name, None if that is not known.
    """

    path: str
    data: bytes
    name: str = ""
    version: str = ""
    requires: Mapping[str, str] | None = None


def find_prompt(what: str, args: Namespace, console: Console) -> FoundPrompt:
    """Return the prompt that `what` names.

    In a project that is the one that its lock has. A prompt that is not installed either is fetched
    and verified; nothing of it is written.

    Raises:
        PsregError: as `locked_prompt`, `installed_prompt` and `fetch_all`.
    """
    place = Path(what)
    # NOTE: on Windows there is a file CON in every folder, the console, which never ends.
    if place.is_file() or not is_name(normal_name(what.partition("@")[0])):
        return FoundPrompt(path=what, data=read_named(place))
    return find_named(what, args, console)


def find_named(what: str, args: Namespace, console: Console) -> FoundPrompt:
    """Return the prompt `NAME[@RANGE]`. Raises as `find_prompt`."""
    if (locked := locked_prompt(what, args, console)) is not None:
        return locked
    try:
        return _installed(what)
    except UnavailableError as error:
        if error.code != "NOT_INSTALLED":
            raise
        return _fetched(what, args, console, error)


def _installed(what: str) -> FoundPrompt:
    path, data, receipt = installed_prompt(what)
    return FoundPrompt(
        path=str(path),
        data=data,
        name=receipt.release.name,
        version=receipt.release.version,
        requires=receipt.requires,
    )


def locked_prompt(what: str, args: Namespace, console: Console) -> FoundPrompt | None:
    """Return the prompt as the lock of the project around the working directory has it.

    None if there is no project, or its lock does not have this name in this range.

    Raises:
        PsregError: as `locked_file`.
    """
    from psreg.client.project.locked import locked_file

    found = locked_file(
        what,
        Path.cwd(),
        lambda text: console.warn(f"psreg: {text}"),
        offline=args.offline,
        stale_until=args.accept_stale_until or "",
    )
    if found is None:
        return None
    for warning in found.warnings:
        console.warn(f"psreg: warning: {warning}")
    return FoundPrompt(
        path=str(found.path),
        data=found.data,
        name=found.locked.name,
        version=found.locked.version,
        requires=found.locked.requires,
    )


def kept_prompt(what: str, console: Console) -> FoundPrompt:
    """Return the prompt `NAME[@RANGE]` that is locked here, else installed; nobody is asked.

    Raises:
        PsregError: as `locked_file` and `installed_prompt`.
    """
    offline = Namespace(offline=True, accept_stale_until=None)
    if (locked := locked_prompt(what, offline, console)) is not None:
        return locked
    return _installed(what)


def _fetched(what: str, args: Namespace, console: Console, absent: UnavailableError) -> FoundPrompt:
    from psreg.client.artifacts import user_artifacts
    from psreg.client.install import fetch_all
    from psreg.client.registry_choice import load_settings
    from psreg.client.resolve import parse_request
    from psreg.registry.requirements.installable import requires_of

    request, settings = parse_request(what), load_settings(Path.cwd())

    def ask(registry: AnyRegistry) -> FetchedRelease:
        (release,) = fetch_all([request], registry, cache=user_artifacts(writable=False))
        chosen = release.choice.release
        row = (chosen, release.choice.row, registry.is_claimed(chosen.name))
        check_policy(settings, registry.id, [row], console)
        return release

    try:
        release = ask_registry(args, console, request.name, ask, settings)
    except UnavailableError as error:
        if error.code not in ("NO_REGISTRY", "NOT_PUBLISHED"):
            raise
        raise absent from error
    for warning in release.choice.warnings:
        console.warn(f"psreg: warning: {warning}")
    chosen = release.choice.release
    return FoundPrompt(
        path=chosen.filename,
        data=release.data,
        name=chosen.name,
        version=chosen.version,
        requires=requires_of(chosen.name, release.choice.row),
    )
