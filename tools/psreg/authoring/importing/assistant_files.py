"""Files in Markdown that assistants for programmers read, where they are more than that.

Commands of Claude Code have arguments, and prompt files of GitHub Copilot ask for inputs. An Agent
Skill (agentskills.io) is a folder with `SKILL.md`, and the files that it refers to. Agents,
instructions, modes and rules are plain Markdown with front matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, said
from psreg.authoring.importing.markdown import prompt_of
from psreg.authoring.importing.variables import Converted, longest_of, with_variables

_COMMANDS = "commands"
_HAS_ARGUMENTS = re.compile(r"\$ARGUMENTS|^argument(?:-hint|s):", re.MULTILINE)
_ARGUMENT = r"ARGUMENTS(?:\[[0-9]{1,2}\])?|[1-9](?![0-9])"
_ARGUMENTS = "arguments"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}")
_PROMPT_FILE = ".prompt.md"
_INPUT = re.compile(r"\$\{input:(?P<name>[^{}:\n]{1,60})(?P<shown>:[^{}\n]{0,200})?\}")


def claims_command(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a command of Claude Code with arguments: Markdown in `commands/`."""
    is_command = file.path.suffix == ".md" and _COMMANDS in file.path.parts[:-1]
    return is_command and _HAS_ARGUMENTS.search(file.text) is not None


def read_command(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a command, whose arguments are variables."""
    yield prompt_of(file, fields, reads=_command)


def _command(matter: Mapping[str, Any], body: str) -> Converted:
    """Return the text of a command; front matter may name its arguments."""
    stated = matter.get(_ARGUMENTS)
    names = stated if isinstance(stated, list) else said(stated).split()
    known = longest_of(filter(_NAME.fullmatch, map(said, names)), r"(?![A-Za-z0-9_])")
    pattern = re.compile(rf"\$(?P<name>{_ARGUMENT}|{known})")
    used = {use["name"] for use in pattern.finditer(body)}
    lost = tuple(f"{_ARGUMENTS}.{name}" for name in map(said, names) if name not in used)
    return Converted(*with_variables(body, pattern), lost, held=frozenset((_ARGUMENTS,)))


def claims_prompt_file(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a prompt file of GitHub Copilot, by its suffix."""
    return file.path.name.endswith(_PROMPT_FILE)


def read_prompt_file(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a prompt file, whose inputs are variables."""
    yield prompt_of(file, fields, reads=_prompt_file)


def _prompt_file(_matter: Mapping[str, Any], body: str) -> Converted:
    shown = (use for use in _INPUT.finditer(body) if use["shown"])
    lost = tuple(dict.fromkeys(f"placeholder of {use['name'].strip()}" for use in shown))
    return Converted(*with_variables(body, _INPUT), lost)


SKILL_FILE = "SKILL.md"


def claims_skill(names: Collection[str]) -> bool:
    """Tell whether a folder with files of these names is a skill."""
    return SKILL_FILE in names


def read_skill(
    file: SourceFile, fields: Fields, others: Collection[PurePosixPath]
) -> Found | Refused:
    """Return the prompt of a skill, or why it has none; `others` are its other files."""
    folder = file.path.parent
    beside = tuple(str(path.relative_to(folder)) for path in sorted(others))
    return prompt_of(file, fields, name=folder.name, beside=beside)
