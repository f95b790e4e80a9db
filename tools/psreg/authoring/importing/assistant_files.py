"""Files in Markdown that assistants for programmers read, where they have variables.

Commands of Claude Code have arguments, and prompt files of GitHub Copilot ask for inputs. Their
agents, instructions, modes and rules are plain Markdown with front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile
from psreg.authoring.importing.markdown import prompt_of
from psreg.authoring.importing.variables import Variables, with_variables

_COMMANDS = "commands"
_HAS_ARGUMENTS = re.compile(r"\$ARGUMENTS|^argument-hint:", re.MULTILINE)
_ARGUMENT = re.compile(r"\$(?P<name>ARGUMENTS(?:\[[0-9]{1,2}\])?|[1-9](?![0-9]))")
_PROMPT_FILE = ".prompt.md"
_INPUT = re.compile(r"\$\{input:(?P<name>[^{}:\n]{1,60})(?::[^{}\n]{0,200})?\}")


def claims_command(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a command of Claude Code with arguments: Markdown in `commands/`."""
    is_command = file.path.suffix == ".md" and _COMMANDS in file.path.parts[:-1]
    return is_command and _HAS_ARGUMENTS.search(file.text) is not None


def read_command(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a command, whose arguments are variables."""
    yield prompt_of(file, fields, reads=partial(_with, _ARGUMENT))


def claims_prompt_file(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a prompt file of GitHub Copilot, by its suffix."""
    return file.path.name.endswith(_PROMPT_FILE)


def read_prompt_file(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a prompt file, whose inputs are variables."""
    yield prompt_of(file, fields, reads=partial(_with, _INPUT))


def _with(pattern: re.Pattern[str], _matter: Mapping[str, Any], body: str) -> tuple[str, Variables]:
    return with_variables(body, pattern)
