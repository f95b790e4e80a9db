"""What the middleware of a PLSP loop does with the logs and actions of a block.

One table, `HANDLERS`. An assistant can make this machine do nothing that is not in it: wait for a
bounded time, tell a person something, read what was allowed by name, end the loop. The outside is
given as ports, so that nothing here waits or reads by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Block, Kind, Value

LONGEST_WAIT = 60_000
"""Milliseconds that all actions of one block may wait together; what is more is cut off."""

LONGEST_RESULT = 2_000
"""Characters of what was fetched that are put into a variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The world as the handlers know it.

    `wait` takes seconds. `sources` are what may be fetched, by the name an action calls it by.
    """

    wait: Callable[[float], None]
    page: Callable[[str], None]
    log: Callable[[tuple[str, ...]], None]
    sources: Mapping[str, Callable[[], str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of one command: a note for people, a variable to set next, whether to end."""

    note: str
    variable: str = ""
    value: str = ""
    stop: bool = False


@dataclass(slots=True, kw_only=True)
class Scene:
    """What is left to one block: the outside, and milliseconds to wait."""

    outside: Outside
    left: Decimal = Decimal(LONGEST_WAIT)


class Handler(NamedTuple):
    """How one kind of command is dealt with; `name` is "" for logs."""

    sign: str
    name: str
    about: str
    handle: Callable[[tuple[Value, ...], Scene], Done]


def carry_out(block: Block, outside: Outside) -> Iterator[Done]:
    """Yield what became of each command of a readable block, doing them in order."""
    scene = Scene(outside=outside)
    for command in block.commands:
        handler = next((h for h in HANDLERS if h[:2] == (command.sign, command.name)), None)
        if handler is None:
            yield Done(note=f"!{command.name}: nothing handles it")
        else:
            yield handler.handle(block.resolved_values(command), scene)


def _log(values: tuple[Value, ...], scene: Scene) -> Done:
    texts = tuple(value.text for value in values)
    scene.outside.log(texts)
    return Done(note=f"logged {len(texts)} value{'s' * (len(texts) != 1)}")


def _wait(values: tuple[Value, ...], scene: Scene) -> Done:
    if len(values) != 1 or values[0].kind is not Kind.NUMBER or values[0].lexeme[0] == "-":
        return Done(note="!wait: refused, it takes one number of milliseconds")
    asked = Decimal(values[0].lexeme)
    milliseconds = min(asked, scene.left)
    scene.left -= milliseconds
    scene.outside.wait(float(milliseconds) / 1000)
    less = " (it asked for longer)" if milliseconds < asked else ""
    return Done(note=f"waited {milliseconds:f} ms{less}")


def _page(values: tuple[Value, ...], scene: Scene) -> Done:
    scene.outside.page(" ".join(value.text for value in values))
    return Done(note="paged")


def _fetch(values: tuple[Value, ...], scene: Scene) -> Done:
    source = values[0].text if values else ""
    if source not in scene.outside.sources:
        return Done(note=f"!fetch: refused, {source[:80]!r} is not allowed")
    lexeme = _lexeme(scene.outside.sources[source]())
    name = values[1].text if len(values) > 1 else ""
    if not grammar.LONG.fullmatch(name):
        return Done(note=f"fetched {source!r}; no variable was named for it")
    return Done(note=f"fetched {source!r} for ${name}", variable=name, value=lexeme)


def _stop(_values: tuple[Value, ...], _scene: Scene) -> Done:
    return Done(note="stopped", stop=True)


def _lexeme(text: str) -> str:
    """Return what was fetched as a literal: a number if it is one, else a string."""
    text = text.strip()[:LONGEST_RESULT]
    return text if grammar.NUMBERS.fullmatch(text) else '"' + text.replace('"', "'") + '"'


HANDLERS: tuple[Handler, ...] = (
    Handler(">", "", "write the values to the log", _log),
    Handler("!", "wait", f"wait so many milliseconds, at most {LONGEST_WAIT:,}", _wait),
    Handler("!", "page", "tell a person, on standard error", _page),
    Handler("!", "fetch", "read an allowed source into the variable that is named next", _fetch),
    Handler("!", "stop", "end the loop after this cycle", _stop),
)
