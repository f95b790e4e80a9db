"""Plans the logs and actions of a block in a PLSP loop, to be carried out once it is recorded.

An assistant can cause only what the table `HANDLERS` lists: log values, wait for a limited time,
page the user, read a source that was allowed by name, and end the loop. Waiting and reading are
ports. Sources are read while planning, because the trace records what was fetched; everything else
happens when a `Step` is carried out.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from psreg.core.errors import UnavailableError
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Block, Command, Kind, Value

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
class Step:
    """What one command leads to: a note for people, and what carries it out, None for nothing.

    `variable` is set by the next instruction, to `value`; `stop` ends the loop.
    """

    note: str
    carry_out: Callable[[], None] | None = None
    variable: str = ""
    value: str = ""
    stop: bool = False


@dataclass(slots=True, kw_only=True)
class BlockContext:
    """The context of one block: the ports, and the milliseconds that it may still wait.

    `taken` are the variables of the state, and those that a fetch has set or names.
    """

    ports: ActionPorts
    taken: set[str]
    wait_left: Decimal = Decimal(MAX_WAIT_MS)


class Given(NamedTuple):
    """The values of a command, resolved, and the command as it is written."""

    values: tuple[Value, ...]
    command: Command


class Handler(NamedTuple):
    """The handler of one kind of command; `name` is "" for logs."""

    sign: str
    name: str
    about: str
    plan: Callable[[Given, BlockContext], Step]


def plan(block: Block, ports: ActionPorts) -> Iterator[Step]:
    """Yield a step for each command of a readable block, in order."""
    given = [Given(block.resolved_values(command), command) for command in block.commands]
    named = (_destination(each) for each in given if each.command.name == "fetch")
    context = BlockContext(ports=ports, taken={*block.state, *named})
    for each in given:
        kind = (each.command.sign, each.command.name)
        handler = next((handler for handler in HANDLERS if handler[:2] == kind), None)
        if handler is None:
            yield Step(note=f"!{each.command.name}: unknown action, ignored")
        else:
            yield handler.plan(each, context)


def _log(given: Given, context: BlockContext) -> Step:
    texts = tuple(value.text for value in given.values)
    note = f"log {len(texts)} value{'s' * (len(texts) != 1)}"
    return Step(note=note, carry_out=partial(context.ports.log, texts))


def _wait(given: Given, context: BlockContext) -> Step:
    values = given.values
    if len(values) != 1 or values[0].kind is not Kind.NUMBER or values[0].lexeme[0] == "-":
        return Step(note="!wait: refused, expected one number of milliseconds")
    asked = Decimal(values[0].lexeme)
    milliseconds = min(asked, context.wait_left)
    context.wait_left -= milliseconds
    less = " (a longer wait was requested)" if milliseconds < asked else ""
    wait = partial(context.ports.wait, float(milliseconds) / 1000)
    return Step(note=f"wait {milliseconds:f} ms{less}", carry_out=wait)


def _page(given: Given, context: BlockContext) -> Step:
    text = " ".join(value.text for value in given.values)
    return Step(note="page", carry_out=partial(context.ports.page, text))


def _fetch(given: Given, context: BlockContext) -> Step:
    source = given.values[0].text if given.values else ""
    if source not in context.ports.sources:
        return Step(note=f"!fetch: refused, `{source[:80]}` is not allowed")
    letters = (letter for letter in string.ascii_letters if letter not in context.taken)
    name = _destination(given) or next(letters, "")
    if not name:
        return Step(note=f"!fetch: refused, no letter is free for `{source}`")
    try:
        text = context.ports.sources[source]()
    except UnavailableError as error:
        # Raised once the block is recorded: the trace shows what the assistant asked for.
        return Step(note=f"!fetch: {error}", carry_out=partial(_fail, error))
    context.taken.add(name)
    return Step(note=f"fetched `{source}` for ${name}", variable=name, value=_lexeme(text))


def _destination(fetch: Given) -> str:
    """Return the variable that a fetch names, as `"n"` or `$n`, or ""."""
    named = fetch.command.values[1:2]
    name = named[0].text.removeprefix("$") if named else ""
    return name if grammar.LONG.fullmatch(name) else ""


def _fail(error: UnavailableError) -> None:
    raise error


def _stop(_given: Given, _context: BlockContext) -> Step:
    return Step(note="stop", stop=True)


def _lexeme(text: str) -> str:
    """Return the fetched text as a literal: a number if it is one, else a string."""
    text = text.strip()[:MAX_RESULT]
    return text if grammar.NUMBERS.fullmatch(text) else '"' + text.replace('"', "'") + '"'


HANDLERS: tuple[Handler, ...] = (
    Handler(">", "", "write the values to the log", _log),
    Handler("!", "wait", f"wait for a number of milliseconds, at most {MAX_WAIT_MS:,}", _wait),
    Handler("!", "page", "print a message to standard error", _page),
    Handler(
        "!",
        "fetch",
        "read an allowed source into a variable",
        _fetch,
    ),
    Handler("!", "stop", "end the loop after this cycle", _stop),
)
