"""Bindings: which registry a name is of, as the settings say with `names`. Pure.

```toml
[registries.work]
url = "https://prompts.example.com"
names = ["acme_*", "quiz_master"]  # names, or the beginning of names
```

The most exact pattern counts: a whole name before a beginning, a longer beginning before a shorter
one. A registry with `names` is never asked for any other name, unless a person names it. The user's
settings come before a project file, which comes with a clone: it can bind further names, but none
to another registry than the user's settings do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from psreg.core.errors import FindingsError

if TYPE_CHECKING:
    from psreg.client.config import NamedRegistry


def _exactness(pattern: str, name: str) -> tuple[bool, int] | None:
    """Return how exactly a pattern says a name, None if it does not match."""
    if pattern == name:
        return True, len(pattern)
    beginning = pattern.removesuffix("*")
    return (False, len(beginning)) if beginning != pattern and name.startswith(beginning) else None


def bound_to(name: str, registries: Iterable[NamedRegistry]) -> NamedRegistry | None:
    """Return the registry that a name is bound to, None if it is not bound.

    Raises:
        FindingsError: `NAME_OF_TWO_REGISTRIES`: it is bound to two.
    """
    best: tuple[bool, int] | None = None
    found: list[NamedRegistry] = []
    for registry in registries:
        for exactness in filter(None, (_exactness(each, name) for each in registry.names)):
            if best is None or exactness > best:
                best, found = exactness, [registry]
            elif exactness == best and registry.location != found[0].location:
                found.append(registry)
    if len(found) > 1:
        places = [f"{each.name} ({each.location}), in {each.file}" for each in found]
        raise two_registries(f"`names` bind `{name}` to two registries", places)
    return found[0] if found else None


def two_registries(message: str, places: Sequence[str], hint: str = "") -> FindingsError:
    """Return the error for a name that is of two registries, which are listed."""
    return FindingsError(
        "NAME_OF_TWO_REGISTRIES",
        message,
        hint or "Bind the name to one of them, with `names` in your settings.",
        tuple(places),
    )
