"""Data classes whose methods are written when it pays.

The standard library writes and compiles methods for each class where it is defined, and loads the
inspection of source code for that. A short command has 60 such classes and uses half of them, most
for an object or two: to make all of them, and that import, took a quarter of its time. Here a class
gets its slots at once. Only `__init__` is written for it, once there are a few objects; until then
a shared one sets their fields. The methods that compare are made when they are first called.

The type checker sees the names of the standard library, which knows these classes as its own, too.
The type checker is also what keeps a class frozen: an assignment to a field is an error of mypy,
and not one at run time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
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
            cls.__own__ = own, kw_only

            def make() -> None:
                for name, method in _comparing(cls).items():
                    if name in compared:
                        setattr(cls, name, method)

            compared = {*(("__eq__", "__hash__") if eq else ()), *(_ORDER if order else ())}
            compared -= own.keys()
            for name in compared:
                setattr(cls, name, _first(make, cls, name))
            if "__init__" not in own:
                cls.__init__ = _shared_init(cls)
            if "__hash__" in compared and not frozen:
                compared.remove("__hash__")
                cls.__hash__ = None
            if "__repr__" not in own:
                cls.__repr__ = _repr
            for name in _KNOWN:
                setattr(cls, name, _Known(name))
            return cls

        return decorated

    def field(
        *,
        default: Any = ...,
        default_factory: Callable[[], Any] | None = None,
        compare: bool = True,
        repr: bool = True,  # noqa: A002 - the standard library's name
    ) -> Any:
        """Return what `dataclasses.field` does for these arguments."""
        return _Default(default, default_factory, compare=compare, shown=repr)

    def replace(obj: T, /, **changes: Any) -> T:
        """Return an object like `obj`, of which the fields `changes` have other values."""
        values = {name: getattr(obj, name) for name, _, _ in _fields(type(obj))}
        return type(obj)(**(values | changes))


__all__ = ["dataclass", "field", "replace"]

T = TypeVar("T")

_UNWRITTEN = 8
"""The objects of a class for which no `__init__` is written: that takes as long as 30 of them."""

_OF_ALL = ("__dict__", "__weakref__")
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
_KNOWN = ("__dataclass_fields__", "__dataclass_params__")
"""Where the standard library looks for what it knows of a class."""


class _Default:
    """What a field is if it is not given, and which methods see it; `...` has no default."""

    def __init__(
        self,
        value: Any = ...,
        factory: Callable[[], Any] | None = None,
        *,
        compare: bool = True,
        shown: bool = True,
    ) -> None:
        self.value, self.factory = value, factory
        self.compare, self.shown = compare, shown


class _Known:
    """What the standard library knows of a class; it is asked only where something needs that."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _instance: object, cls: type) -> Any:
        import dataclasses  # noqa: PLC0415 - what this module avoids

        own, kw_only = vars(cls)["__own__"]
        members = {name: value for name, value in own.items() if name != "__slots__"}
        for name, value in members.items():
            if isinstance(value, _Default):
                given = {"default": value.value, "default_factory": value.factory}
                given = {key: each for key, each in given.items() if each not in (..., None)}
                members[name] = dataclasses.field(compare=value.compare, repr=value.shown, **given)
        plain = type(cls)(cls.__name__, cls.__bases__, members)
        plain = dataclasses.dataclass(repr=False, eq=False, kw_only=kw_only)(plain)
        for name in _KNOWN:
            setattr(cls, name, getattr(plain, name))
        return getattr(cls, self._name)


def _first(make: Callable[[], None], cls: type, name: str) -> Callable[..., Any]:
    """Return a method for a class that has not been made yet: it does that first."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        make()
        return getattr(cls, name)(self, *args, **named)

    return method


def _own_fields(members: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the fields in the body of a class."""
    kinds = members.get("__annotations__", {}).items()
    return (name for name, kind in kinds if "ClassVar" not in str(kind))


def _fields(cls: type) -> list[tuple[str, _Default, bool]]:
    """Return each field of `cls` and its bases in order, and whether it is given by name only."""
    found: dict[str, tuple[str, _Default, bool]] = {}
    for base in reversed(cls.__mro__):
        own, kw_only = vars(base).get("__own__", ({}, False))
        for name in _own_fields(own):
            value = own.get(name, ...)
            default = value if isinstance(value, _Default) else _Default(value)
            found[name] = name, default, kw_only
    return list(found.values())


def _slotted(cls: type[T], own: dict[str, Any]) -> type[T]:
    """Return a class like `cls`, whose members are `own`, with slots for its fields."""
    fields = list(_own_fields(own))
    inherited = {slot for base in cls.__mro__ for slot in vars(base).get("__slots__", ())}
    slots = tuple(name for name in fields if name not in inherited)
    kept = {name: value for name, value in own.items() if name not in fields}
    kept |= {"__slots__": slots, "__qualname__": cls.__qualname__}
    made = type(cls)(cls.__name__, cls.__bases__, kept)  # type: ignore[misc]
    return cast("type[T]", made)


def _shared_init(cls: type) -> Callable[..., None]:
    """Return an `__init__` for the first objects of `cls`, which has another one written then."""
    left = _UNWRITTEN
    fields: list[tuple[str, _Default, bool]] = []

    def init(self: Any, *args: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        fields[:] = fields or _fields(cls)
        if left < 0 or not _set(self, fields, args, named):
            cls.__init__ = _written_init(cls)  # type: ignore[misc]
            cls.__init__(self, *args, **named)  # type: ignore[misc]

    return init


def _set(
    obj: Any, fields: list[tuple[str, _Default, bool]], args: tuple[Any, ...], named: dict[str, Any]
) -> bool:
    """Set the `fields` of an object; return whether what is given fits them."""
    places = [name for name, _, by_name in fields if not by_name]
    given = dict(zip(places, args, strict=False)) | named
    if len(given) < len(args) + len(named):
        return False
    for name, default, _ in fields:
        if name in given:
            value = given.pop(name)
        elif default.factory is not None:
            value = default.factory()
        else:
            value = default.value
        if value is ...:
            return False
        setattr(obj, name, value)
    if given:
        return False
    if hasattr(obj, "__post_init__"):
        obj.__post_init__()
    return True


def _written_init(cls: type) -> Callable[..., None]:
    """Return an `__init__` that sets the fields of `cls` and calls its `__post_init__`."""
    known: dict[str, Any] = {"_new": object()}
    places: list[str] = []
    names: list[str] = []
    body: list[str] = []
    for name, default, by_name in _fields(cls):
        parameter, value = name, name
        if default.factory is not None:
            known[f"_make_{name}"] = default.factory
            parameter, value = f"{name}=_new", f"_make_{name}() if {name} is _new else {name}"
        elif default.value is not ...:
            known[f"_of_{name}"] = default.value
            parameter = f"{name}=_of_{name}"
        (names if by_name else places).append(parameter)
        body.append(f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = ", ".join(("self", *places, *(("*", *names) if names else ())))
    lines = [f"def __init__({parameters}):", *(body or [" pass"])]
    exec("\n".join(lines), known)  # noqa: S102 - names of fields, and nothing else
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _comparing(cls: type) -> dict[str, Any]:
    """Return the methods that compare the fields of two objects of the same class."""
    names = [name for name, default, _ in _fields(cls) if default.compare]
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
    shown = (name for name, default, _ in _fields(type(self)) if default.shown)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"
