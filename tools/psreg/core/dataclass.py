"""Data classes that are made quickly: their methods are shared instead of written for each class.

`dataclasses.dataclass` writes and compiles six methods for a frozen class. A short command has 60
such classes, and took an eighth of its time to make them. Here only `__init__` is written.

The type checker sees the decorator of the standard library. It is also what keeps a class frozen:
an assignment to a field is an error of mypy, and not one at run time.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool = False, eq: bool = True, order: bool = False, **how: bool
    ) -> Callable[[type[T]], type[T]]:
        """Return a decorator that does what `dataclasses.dataclass` does with these arguments."""

        def made(cls: type[T]) -> type[T]:
            own = frozenset(vars(cls))
            cls = dataclasses.dataclass(repr=False, eq=False, **how)(cls)
            methods: dict[str, Any] = {"__repr__": _repr}
            if eq:
                methods |= _comparing(cls, hashable=frozen, order=order)
            for name in methods.keys() - own:
                setattr(cls, name, methods[name])
            return cls

        return made


__all__ = ["dataclass"]

T = TypeVar("T")


def _comparing(cls: type, *, hashable: bool, order: bool) -> dict[str, Any]:
    """Return the methods that compare the fields of two objects of the same class."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    values: Callable[[Any], Any] = attrgetter(*names) if names else type

    def compared(compare: Callable[[Any, Any], bool]) -> Callable[[Any, object], Any]:
        def method(self: Any, other: object) -> Any:
            if other.__class__ is not self.__class__:
                return NotImplemented
            return compare(values(self), values(other))

        return method

    def hashed(self: Any) -> int:
        return hash(values(self))

    methods: dict[str, Any] = {
        "__eq__": compared(operator.eq),
        "__hash__": hashed if hashable else None,
    }
    if order:
        methods |= {f"__{each.__name__}__": compared(each) for each in _ORDER}
    return methods


_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)


def _repr(self: Any) -> str:
    shown = (field.name for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"
