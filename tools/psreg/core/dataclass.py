"""Data classes that are made when they are first used: their methods are written then.

`dataclasses.dataclass` writes and compiles methods for each class where it is defined. A short
command has 60 such classes and uses half of them; to make all of them took an eighth of its time.
Here a class gets its slots at once, and the rest with its first object. Only `__init__` is written
for it, by the standard library; the other methods are shared.

The type checker sees the decorator of the standard library. It is also what keeps a class frozen:
an assignment to a field is an error of mypy, and not one at run time.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        order: bool = False,
        kw_only: bool = False,
    ) -> Callable[[type[T]], type[T]]:
        """Return a decorator that does what `dataclasses.dataclass` does with these arguments."""

        def decorated(cls: type[T]) -> type[T]:
            own = {name: value for name, value in vars(cls).items() if name not in _OF_ALL}
            cls = _slotted(cls, own) if slots else cls

            def make() -> None:
                # NOTE: where there is no docstring, one would be written, which takes long.
                plain = type(cls)(cls.__name__, cls.__bases__, {**own, "__doc__": "-"})
                plain = dataclasses.dataclass(repr=False, eq=False, kw_only=kw_only)(plain)
                for name in (*_KNOWN, "__init__"):
                    setattr(cls, name, getattr(plain, name))
                for name, method in _comparing(cls).items():
                    if name in compared:
                        setattr(cls, name, method)

            compared = {*(("__eq__", "__hash__") if eq else ()), *(_ORDER if order else ())}
            compared -= own.keys()
            for name in ("__init__", *compared):
                setattr(cls, name, _first(make, cls, name))
            if "__hash__" in compared and not frozen:
                compared.remove("__hash__")
                cls.__hash__ = None
            if "__repr__" not in own:
                cls.__repr__ = _repr
            for name in _KNOWN:
                setattr(cls, name, _Known(make, cls, name))
            return cls

        return decorated


__all__ = ["dataclass"]

T = TypeVar("T")

_OF_ALL = ("__dict__", "__weakref__")
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
_KNOWN = ("__dataclass_fields__", "__dataclass_params__")
"""Where the standard library looks for what it knows of a class."""


class _Known:
    """An attribute of a class that has not been made yet."""

    def __init__(self, make: Callable[[], None], cls: type, name: str) -> None:
        self._make, self._class, self._name = make, cls, name

    def __get__(self, _instance: object, _owner: type) -> Any:
        self._make()
        return getattr(self._class, self._name)


def _first(make: Callable[[], None], cls: type, name: str) -> Callable[..., Any]:
    """Return a method for a class that has not been made yet: it does that first."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        make()
        return getattr(cls, name)(self, *args, **named)

    return method


def _slotted(cls: type[T], own: dict[str, Any]) -> type[T]:
    """Return a class like `cls`, whose attributes are `own`, with slots for its fields."""
    fields = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
    inherited = {slot for base in cls.__mro__ for slot in vars(base).get("__slots__", ())}
    slots = tuple(name for name in fields if name not in inherited)
    kept = {name: value for name, value in own.items() if name not in fields}
    made = type(cls)(cls.__name__, cls.__bases__, {**kept, "__slots__": slots})  # type: ignore[misc]
    return cast("type[T]", made)


def _comparing(cls: type) -> dict[str, Any]:
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

    return {"__hash__": hashed} | {
        f"__{each.__name__}__": compared(each)
        for each in (operator.eq, operator.lt, operator.le, operator.gt, operator.ge)
    }


def _repr(self: Any) -> str:
    shown = (field.name for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"
