"""The strings in a JSON value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value at any depth, including the names of members."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += [*item, *item.values()]
        elif isinstance(item, list):
            todo += item
