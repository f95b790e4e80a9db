"""The prompt that a command is given: a file, an installed one, or one of a registry."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from psreg.cli.registry_option import add_offline_option, add_registry_option, open_kept
from psreg.client.library import installed_artifact
from psreg.core.dataclass import dataclass
from psreg.core.errors import UnavailableError
from psreg.core.identity import is_name, normal_name
from psreg.system.console import Console, OptionAdder
from psreg.system.files import read_named

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
    """A prompt; `name` and `version` are "" for a file. `path` is for messages."""

    path: str
    data: bytes
    name: str = ""
    version: str = ""


def find_prompt(what: str, args: Namespace, console: Console) -> FoundPrompt:
    """Return the prompt that `what` names.

    A prompt that is not installed is fetched and verified; nothing of it is written.

    Raises:
        PsregError: as `installed_artifact`, and `fetch_all`.
    """
    place = Path(what)
    # NOTE: on Windows there is a file CON in every folder, the console, which never ends.
    if place.is_file() or not is_name(normal_name(what.partition("@")[0])):
        return FoundPrompt(path=what, data=read_named(place))
    try:
        path, data = installed_artifact(what)
    except UnavailableError as error:
        if error.code != "NOT_INSTALLED":
            raise
        return _fetched(what, args, console, error)
    folder = path.parent
    return FoundPrompt(path=str(path), data=data, name=folder.parent.name, version=folder.name)


def _fetched(what: str, args: Namespace, console: Console, absent: UnavailableError) -> FoundPrompt:
    from psreg.client.install import fetch_all
    from psreg.client.resolve import parse_request
    from psreg.registry.trust.roles import package_target

    request = parse_request(what)
    try:
        with open_kept(args, console, lambda: [package_target(request.name)]) as registry:
            (release,) = fetch_all([request], registry)
    except UnavailableError as error:
        if error.code not in ("NO_REGISTRY", "NOT_PUBLISHED"):
            raise
        raise absent from error
    for warning in release.choice.warnings:
        console.warn(f"psreg: warning: {warning}")
    chosen = release.choice.release
    return FoundPrompt(
        path=chosen.filename, data=release.data, name=chosen.name, version=chosen.version
    )
