"""The actions of a registry in their order: each number once, each naming the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from psreg.core.errors import FindingsError
from psreg.registry.actions.action import KINDS, Action, read_action

FOLDER = "actions"
"""The folder of the actions in a registry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """How many actions a publish has taken over, and the digest of the last of them."""

    count: int = 0
    last: str = ""


NOTHING = Published()


def faults_in(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the files of registry/actions, each with the name of the file."""
    before: Action | None = None
    for number, name in enumerate(sorted(files), start=1):
        try:
            action = read_action(name, files[name])
        except ValueError as error:
            yield name, str(error)
            return
        if action.number != number:
            yield name, f"it has the number {action.number}, and the next one is {number}"
            return
        if before and action.previous != before.digest:
            yield name, f"it does not name the digest of {before.file}, {before.digest}"
        if before and action.registry_id != before.registry_id:
            yield name, f"it is about the registry {action.registry_id}"
        before = action


def read_actions(files: Mapping[str, bytes]) -> tuple[Action, ...]:
    """Return the actions in the files of registry/actions, by name.

    Raises:
        FindingsError: ACTIONS_INVALID, with everything that is wrong.
    """
    if faults := tuple(f"registry/actions/{name}: {fault}" for name, fault in faults_in(files)):
        raise invalid("the actions of the registry are not valid:", *faults)
    return tuple(read_action(name, files[name]) for name in sorted(files))


def stored_actions(published: Published, read: Callable[[str], bytes | None]) -> tuple[Action, ...]:
    """Return the actions that a registry has published; `read` reads its files.

    Raises:
        FindingsError: ACTIONS_INVALID: they are missing, or not those.
    """
    files: dict[str, bytes] = {}
    for number in range(1, published.count + 1):
        named = (f"{number:04}-{kind}.json" for kind in KINDS)
        found = ((name, read(f"{FOLDER}/{name}")) for name in named)
        files |= {name: data for name, data in found if data is not None}
    actions = read_actions(files)
    if actions:
        check_continues(actions, published, actions[0].registry_id)
    elif published.count:
        raise invalid(f"{published.count} actions were published, and none is there")
    return actions


def check_continues(actions: Iterable[Action], published: Published, registry_id: str) -> None:
    """Check that actions begin with those that were published, and are about this registry.

    Raises:
        FindingsError: ACTIONS_INVALID.
    """
    actions = tuple(actions)
    if len(actions) < published.count:
        told = f"{published.count} actions were published, and {len(actions)} are there"
        raise invalid(told)
    if published.count and actions[published.count - 1].digest != published.last:
        raise invalid(f"an action up to {published.count} is not the one that was published")
    if actions and actions[0].registry_id != registry_id:
        raise invalid(f"the actions are about another registry, {actions[0].registry_id}")


def invalid(message: str, *faults: str) -> FindingsError:
    """Return the error for actions that a registry cannot have."""
    hint = "Restore registry/actions from Git: actions are only ever added, with `psreg revoke`."
    return FindingsError("ACTIONS_INVALID", message, hint, faults)
