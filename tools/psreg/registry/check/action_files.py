"""The check of registry/actions: whether its files are the actions of the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from psreg.core.diagnostics import Diagnostic, Finding
from psreg.core.errors import PsregError, UnavailableError
from psreg.core.rule import RuleTable
from psreg.formats.tree import Documents
from psreg.lint.locate import judge_at
from psreg.registry.actions.chain import (
    FOLDER,
    NOTHING,
    check_continues,
    faults_in,
    read_actions,
)
from psreg.registry.baseline import Store
from psreg.registry.trust.roles import HEAD, catalog_target

_HEADS = f"targets/{catalog_target(HEAD).rpartition('/')[0]}"

CODE = "CHG041"
"""The rule of the review that says the same about the files that a change adds."""


def check_actions(store: Store, rules: Callable[[], RuleTable]) -> Iterator[Diagnostic]:
    """Yield the findings about the actions in a registry; none if it never had one.

    What was published is not verified again, only its digest: keys may have changed since. If the
    registry is not as it was signed, nothing is an action of it.
    """
    names = [*store.names(FOLDER)]
    if not names and not _had_some(store):
        return

    def findings(_: Store) -> Iterator[Finding]:
        for name, told in _faults(names, store) if names else _gone(store):
            yield Finding(
                message=told,
                path=f"registry/{FOLDER}/{name}".rstrip("/"),
                hint="Restore registry/actions from Git; let a maintainer make an action with "
                "`psreg revoke`, `purge` or `keys`.",
            )

    found = [replace(each, check=findings) for each in rules() if each.code == CODE]
    yield from judge_at(found, store, Documents({}))


def _had_some(store: Store) -> bool:
    """Return whether a head in the registry has taken actions over; none is verified."""
    for name in store.names(_HEADS):
        with suppress(UnavailableError):  # it is not a file
            if b'"actions":' in (store.read(f"{_HEADS}/{name}") or b""):
                return True
    return False


def _gone(store: Store) -> Iterator[tuple[str, str]]:
    """Yield that all published actions are missing, if any was published."""
    from psreg.registry.catalog_head import head_of  # noqa: PLC0415 - few registries have actions
    from psreg.registry.trust.reading import open_registry  # noqa: PLC0415

    with suppress(PsregError):  # of a registry that is not as it was signed, nothing is known
        state = open_registry(store.read)
        head = head_of(state) if state else None
        if head and head.actions.count:
            count = head.actions.count
            said = "1 action was" if count == 1 else f"{count} actions were"
            yield "", f"{said} published, and none is there"


def _faults(names: list[str], store: Store) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, each with the name of a file."""
    files: dict[str, bytes] = {}
    for name in names:
        try:
            files[name] = store.read(f"{FOLDER}/{name}") or b""
        except UnavailableError as error:
            yield name, error.message
    if len(files) < len(names):
        return
    if faults := [*faults_in(files)]:
        yield from faults
        return
    try:
        yield from _unsigned(files, store)
    except PsregError as error:
        yield names[-1], error.message


def _unsigned(files: dict[str, bytes], store: Store) -> Iterator[tuple[str, str]]:
    """Yield the new actions that the keys of the registry did not sign.

    Raises:
        PsregError: the actions do not continue those that were published, or the registry is not as
            it was signed.
    """
    from psreg.registry.catalog_head import head_of  # noqa: PLC0415 - few registries have actions
    from psreg.registry.trust.reading import open_registry  # noqa: PLC0415
    from psreg.registry.withdrawing.effects import fault_of  # noqa: PLC0415

    state = open_registry(store.read)
    if state is None:
        yield min(files), "nothing is published yet that it could be about"
        return
    head, actions = head_of(state), read_actions(files)
    published = head.actions if head else NOTHING
    check_continues(actions, published, state.registry_id)
    for action in actions[published.count :]:
        if told := fault_of(action, state):
            yield action.file, told
