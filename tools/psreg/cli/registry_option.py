"""`--registry`, and the registry that it, the environment or the settings select."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from psreg.core.errors import UnavailableError
from psreg.system.console import Console, OptionAdder

if TYPE_CHECKING:
    from psreg.client.config import Settings
    from psreg.client.library import Library
    from psreg.client.open_registry import OpenRegistry
    from psreg.client.selection.opened import AnyRegistry, KindAt, OpenedRegistries
    from psreg.core.identity import ReleaseId
    from psreg.registry.records import ReleaseRecord

T = TypeVar("T")


def add_registry_option(
    parser: OptionAdder, purpose: str, default: str = "the one you set"
) -> None:
    """Declare `--registry`, for a `purpose`, and how old what it says may be."""
    parser.add_argument(
        "--registry", metavar="URL|PATH|NAME", help=f"{purpose} (default: {default})"
    )
    parser.add_argument(
        "--accept-stale-until",
        type=_day,
        metavar="DATE",
        help="until this day, accept a registry whose signatures have expired, such as an old copy",
    )


def _day(text: str) -> str:
    """Return a day as it is written, `2026-12-24`; it is today, in UTC, or later."""
    from psreg.system.clock import exact_time

    try:
        day = date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else None
    except ValueError:
        day = None
    if day is None:
        raise ArgumentTypeError(f"`{text}` is not a day such as 2026-12-24")
    if day < exact_time().date():
        raise ArgumentTypeError(f"{text} has passed")
    return text


def add_offline_option(parser: OptionAdder) -> None:
    """Declare `--offline`."""
    parser.add_argument(
        "--offline", action="store_true", help="use only what is kept on this machine"
    )


@contextmanager
def open_selected(
    args: Namespace, console: Console, name: str | None = None
) -> Iterator[OpenRegistry]:
    """Yield the registry that `--registry`, the environment, the settings or the folder select.

    For a `name`, it is the one that the name is of. `args` are the options that
    `add_registry_option` declares.

    Raises:
        PsregError: see `select_registry`, `Choosing` and `open_registry`.
    """
    from psreg.client.registry_choice import load_settings

    settings = load_settings(Path.cwd())
    _warn(settings, console)
    with ExitStack() as stack:
        opened = _registries(args, console, stack, settings, None, partial(_tell, console))
        found = opened.usual() if name is None else opened.names.named(name)
        yield cast("OpenRegistry", found)


_OFFLINE_HELPS = ("NETWORK_TLS", "NETWORK_LOGIN")
"""The codes of errors after which a person may decide to ask what is kept."""


def ask_registry(
    args: Namespace,
    console: Console,
    name: str,
    ask: Callable[[AnyRegistry], T],
    settings: Settings | None = None,
) -> T:
    """Return what `ask` returns of the registry of a name. Raises as `ask_registries`."""
    from psreg.registry.trust.roles import package_target

    def ask_named(opened: OpenedRegistries) -> T:
        return ask(opened.names.named(name))

    return ask_registries(args, console, lambda: [package_target(name)], ask_named, settings)


def ask_registries(
    args: Namespace,
    console: Console,
    wanted: Callable[[], Iterable[str]],
    ask: Callable[[OpenedRegistries], T],
    settings: Settings | None = None,
) -> T:
    """Return what `ask` returns of what opens the registries of a command.

    With `--offline`, those behind a URL are asked as this machine keeps them. One that cannot be
    reached is asked for the state that was verified last, until that expires; a line says of which
    day. `wanted` returns the targets that `ask` reads: if a person has to decide whether what is
    kept is good enough, and all of them are, the hint names `--offline`.

    Raises:
        PsregError: as `open_selected` and `ask`; UnavailableError `NOT_KEPT`.
    """
    from psreg.client.registry_choice import load_settings
    from psreg.client.selection.opened import asked

    settings = settings or load_settings(Path.cwd())
    say = once(partial(_tell, console))
    _warn(settings, console)

    @contextmanager
    def begin(kind: KindAt | None) -> Iterator[OpenedRegistries]:
        with ExitStack() as stack:
            yield _registries(args, console, stack, settings, kind, say)

    def ask_them(opened: OpenedRegistries) -> T:
        try:
            answer = ask(opened)
        except UnavailableError as error:
            if error.code in _OFFLINE_HELPS and opened.keep(wanted()):
                hint = "`--offline` uses what this machine keeps of it."
                raise UnavailableError(error.code, error.message, f"{error.hint} {hint}") from error
            raise
        for each in opened.online:
            note_expiring(each, console)
        return answer

    return asked(begin, ask_them, lambda opened: opened, say, kept_kind(args))


def kept_kind(args: Namespace) -> KindAt | None:
    """Return as what registries are opened: with `--offline`, as this machine keeps them."""
    if not args.offline:
        return None
    from psreg.client.offline.kept_registry import KeptRegistry

    return lambda _: KeptRegistry


def once(say: Callable[[str], None]) -> Callable[[str], None]:
    """Return what says each text once: registries are opened again if one cannot be reached."""
    said: set[str] = set()

    def say_once(text: str) -> None:
        if text not in said:
            said.add(text)
            say(text)

    return say_once


def note_expiring(registry: OpenRegistry, console: Console) -> None:
    """Say, once a day and never with `--quiet`, what must be renewed of a registry."""
    if console.quiet or not registry.targets.was_read:
        return
    from psreg.client.offline.expiring import expiring_today
    from psreg.system.clock import exact_time
    from psreg.system.user_folders import registries_dir

    if found := expiring_today(registries_dir() / registry.id, exact_time()):
        told = f"signatures of the registry {registry.location} expire soon: {found}"
        console.note(f"psreg: warning: {told}; tell its maintainers to renew them")


def described(registry: AnyRegistry) -> dict[str, Any]:
    """Return what JSON output says about a registry: which one it is, and as of which day."""
    return {**registry.describe(), "as_of": registry.as_of}


def _warn(settings: Settings, console: Console) -> None:
    for warning in settings.warnings:
        console.warn(f"psreg: warning: {warning}")


def _registries(  # noqa: PLR0917 - what they are opened with
    args: Namespace,
    console: Console,
    stack: ExitStack,
    settings: Settings,
    kind: KindAt | None,
    say: Callable[[str], None],
) -> OpenedRegistries:
    from psreg.client.selection.opened import OpenedRegistries

    return OpenedRegistries(
        settings,
        stack,
        say,
        option=args.registry,
        kind=kind,
        stale_until=args.accept_stale_until or "",
        working=console.working,
    )


def check_policy(
    settings: Settings,
    registry_id: str,
    rows: Iterable[tuple[ReleaseId, ReleaseRecord, bool]],
    console: Console,
) -> None:
    """Check releases of a registry, each with whether its name is claimed, against `[policy]`.

    Raises:
        TrustError: `POLICY_REFUSED`.
        UsageError: `CONFIG_INVALID`.
    """
    if not [*settings.policies()]:
        return
    from psreg.client.project.policy import check_settings
    from psreg.client.project.verified import VerifiedRelease
    from psreg.client.registry_choice import trust_store

    releases = [
        VerifiedRelease(registry=registry_id, release=release, row=row, claimed=claimed)
        for release, row, claimed in rows
    ]
    check_settings(settings, trust_store(partial(_tell, console)), releases)


def _tell(console: Console, text: str) -> None:
    console.warn(f"psreg: {text}")


def warn_of_revoked(library: Library, console: Console) -> None:
    """Warn about every installed release that this machine knows as revoked."""
    for receipt in library.readable_receipts():
        if withdrawal := library.withdrawal(receipt):
            release = receipt.release
            told = withdrawal.told(f"{release.name} {release.version}, which is installed,")
            console.warn(f"psreg: warning: {told}; run `psreg install {release.name}`")
