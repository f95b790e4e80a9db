"""Carries out the logs and actions of a block in a PLSP loop.

An assistant can cause only what the table `HANDLERS` lists: log values, wait for a limited time,
page the user, read a source that was allowed by name, and end the loop. Waiting and reading are
ports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Block, Kind, Value

MAX_WAIT_MS = 60_000
"""Maximum total wait of all actions of one block, in milliseconds; a longer wait is cut short."""

MAX_RESULT = 2_000
"""Maximum number of fetched characters that are put into a variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPorts:
    """The ports of the handlers.

    `wait` takes seconds. `sources` may be fetched, by the name that an action uses.
    """

    wait: Callable[[float], None]
    page: Callable[[str], None]
    log: Callable[[tuple[str, ...]], None]
    sources: Mapping[str, Callable[[], str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one command: a note for people, a variable to set next, whether to end."""

    note: str
    variable: str = ""
    value: str = ""
    stop: bool = False


@dataclass(slots=True, kw_only=True)
class BlockContext:
    """The context of one block: the ports, and the milliseconds that it may still wait."""

    ports: ActionPorts
    wait_left: Decimal = Decimal(MAX_WAIT_MS)


class Handler(NamedTuple):
    """The handler of one kind of command; `name` is "" for logs."""

    sign: str
    name: str
    about: str
    handle: Callable[[tuple[Value, ...], BlockContext], Outcome]


def carry_out(block: Block, ports: ActionPorts) -> Iterator[Outcome]:
    """Carry out the commands of a readable block in order, and yield their outcomes."""
    context = BlockContext(ports=ports)
    for command in block.commands:
        handler = next((h for h in HANDLERS if h[:2] == (command.sign, command.name)), None)
        if handler is None:
            yield Outcome(note=f"!{command.name}: unknown action, ignored")
        else:
            yield handler.handle(block.resolved_values(command), context)


def _log(values: tuple[Value, ...], context: BlockContext) -> Outcome:
    texts = tuple(value.text for value in values)
    context.ports.log(texts)
    return Outcome(note=f"logged {len(texts)} value{'s' * (len(texts) != 1)}")


def _wait(values: tuple[Value, ...], context: BlockContext) -> Outcome:
    if len(values) != 1 or values[0].kind is not Kind.NUMBER or values[0].lexeme[0] == "-":
        return Outcome(note="!wait: refused, expected one number of milliseconds")
    asked = Decimal(values[0].lexeme)
    milliseconds = min(asked, context.wait_left)
    context.wait_left -= milliseconds
    context.ports.wait(float(milliseconds) / 1000)
    less = " (a longer wait was requested)" if milliseconds < asked else ""
    return Outcome(note=f"waited {milliseconds:f} ms{less}")


def _page(values: tuple[Value, ...], context: BlockContext) -> Outcome:
    context.ports.page(" ".join(value.text for value in values))
    return Outcome(note="paged")


def _fetch(values: tuple[Value, ...], context: BlockContext) -> Outcome:
    source = values[0].text if values else ""
    if source not in context.ports.sources:
        return Outcome(note=f"!fetch: refused, `{source[:80]}` is not allowed")
    lexeme = _lexeme(context.ports.sources[source]())
    name = values[1].text if len(values) > 1 else ""
    if not grammar.LONG.fullmatch(name):
        return Outcome(note=f"fetched `{source}`, but no variable is named for it")
    return Outcome(note=f"fetched `{source}` for ${name}", variable=name, value=lexeme)


def _stop(_values: tuple[Value, ...], _scene: BlockContext) -> Outcome:
    return Outcome(note="stopped", stop=True)


def _lexeme(text: str) -> str:
    """Return the fetched text as a literal: a number if it is one, else a string."""
    text = text.strip()[:MAX_RESULT]
    return text if grammar.NUMBERS.fullmatch(text) else '"' + text.replace('"', "'") + '"'


HANDLERS: tuple[Handler, ...] = (
    Handler(">", "", "write the values to the log", _log),
    Handler("!", "wait", f"wait for a number of milliseconds, at most {MAX_WAIT_MS:,}", _wait),
    Handler("!", "page", "print a message to standard error", _page),
    Handler("!", "fetch", "read an allowed source into the variable named second", _fetch),
    Handler("!", "stop", "end the loop after this cycle", _stop),
)
