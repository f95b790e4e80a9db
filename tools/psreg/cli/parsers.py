"""The parsers of commands as data: what they accept, for completion, manual pages and hints."""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Sequence


def actions_of(parser: ArgumentParser) -> Sequence[Action]:
    """Return the options and arguments that a parser declares and shows, in order."""
    declared = parser._actions  # noqa: SLF001 - argparse says nothing of itself
    return [each for each in declared if each.help != SUPPRESS]


def commands_of(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    """Return the commands of a command, by name."""
    found = [each.choices for each in actions_of(parser) if isinstance(each, _SubParsersAction)]
    return {name: inner for choices in found for name, inner in choices.items()}


def innermost(parser: ArgumentParser, words: Sequence[str]) -> tuple[ArgumentParser, list[str]]:
    """Return the parser of the command that `words` name in the end, and the words after it."""
    left = list(words)
    while (inner := commands_of(parser)) and (name := next((w for w in left if w in inner), None)):
        parser, left = inner[name], left[left.index(name) + 1 :]
    return parser, left


def is_place(action: Action) -> bool:
    """Return whether an action is an argument without a name, and not the name of a command."""
    return not action.option_strings and not isinstance(action, _SubParsersAction)
