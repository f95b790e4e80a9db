"""The text that is sent to a model: of a PBE, or of a `.prompt` that is filled in.

The check is in read mode: a file can be used unless its structure is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.core.classes import RESERVED_CLASSES, Format, detect_format
from psreg.core.diagnostics import ERROR, INFO, Diagnostic, LineIndex, Mode, Span, described
from psreg.core.errors import FindingsError, UsageError
from psreg.core.spelling import nearest
from psreg.formats import dotprompt, pbe
from psreg.formats.dotprompt import Prompt, Rendering
from psreg.formats.dotprompt_source import NAME
from psreg.formats.json import json_document
from psreg.lint.files.prompt_rules import PROMPT_RULES
from psreg.lint.locate import judge

_VARIABLE_NAME = re.compile(NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A filled-in prompt, and those values that it has variables for.

    `flaws` are errors and warnings that did not prevent it.
    """

    prompt: Prompt
    values: Mapping[str, str]
    rendering: Rendering
    flaws: tuple[Diagnostic, ...]


def fill(
    data: bytes,
    *,
    path: str,
    values: Mapping[str, str],
    squeeze: bool = False,
    require_all: bool = False,
    named: Collection[str] = (),
) -> Filled:
    """Return the prompt `data`, called `path` in messages, filled in with `values`.

    `named` are those of the values that are meant for this prompt alone.

    Raises:
        UsageError: `UNKNOWN_VARIABLE`: the prompt has no variable that is `named`.
        FindingsError: it is a PBE; its structure is wrong; or `MISSING_VALUES`: under
            `require_all`, a variable has neither a value nor a default.
    """
    if _is_pbe(path, data):
        message = f"{path} is a PBE, which has no variables to fill in"
        raise FindingsError("NOT_A_PROMPT", message, f"Print it with `psreg show {path}`.")
    prompt = dotprompt.read(data)
    found = judge(PROMPT_RULES, prompt, prompt, path, Mode.READ)
    flaws = tuple(diagnostic for diagnostic in found if diagnostic.severity is not INFO)
    if not prompt.readable:
        errors = [flaw for flaw in flaws if flaw.severity is ERROR]
        hint = "; ".join(dict.fromkeys(flaw.hint for flaw in errors if flaw.hint))
        reasons = tuple(map(described, errors))
        raise FindingsError("UNREADABLE", f"{path} cannot be rendered:", hint, reasons)
    rendering = dotprompt.render(prompt, values, squeeze=squeeze)
    if unknown := next((name for name in rendering.unknown if name in named), None):
        raise UsageError(
            "UNKNOWN_VARIABLE", unknown_variable(prompt, unknown), _literal(prompt, unknown)
        )
    if require_all and rendering.missing:
        given = " ".join(f"--set {name}=VALUE" for name in rendering.missing[:_GIVEN])
        hint = f"Give each a value, such as with {given}; or add --allow-missing."
        raise FindingsError("MISSING_VALUES", f"no value for {quoted(rendering.missing)}", hint)
    used = {name: value for name, value in values.items() if name not in rendering.unknown}
    return Filled(prompt=prompt, values=used, rendering=rendering, flaws=flaws)


_NAMED, _GIVEN = 20, 3
"""How many variables without a value a message names, and how many its hint."""


def quoted(names: Sequence[str]) -> str:
    """Return names as a message has them: the first ones, and how many more there are."""
    text = ", ".join(f"`{name}`" for name in names[:_NAMED])
    return f"{text} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else text


def unknown_variable(prompt: Prompt, name: str) -> str:
    """Return what to say about a value that a prompt has no variable for."""
    known = [*(variable.name for variable in prompt.variables), *prompt.defaults]
    near = nearest(name, known)
    guess = f"; did you mean `{near}`?" if near else ""
    return f"the prompt has no variable `{name}`{guess}"


def _literal(prompt: Prompt, name: str) -> str:
    """Return a hint if a prompt has the name of a variable as a literal."""
    if name not in {literal.name for literal in prompt.literals}:
        return ""
    return f"{{{{{name}}}}} is a literal; a variable is {{{name}}}."


def pbe_text(data: bytes, path: str) -> str:
    """Return the text of the PBE `data`, called `path` in messages, as an assistant runs it.

    Raises:
        FindingsError: `RESERVED_CLASS`: nothing executes its class; `UNREADABLE`: it is not UTF-8.
    """
    value = pbe.read(data).tree.value
    kind = value.get("pbe_class") if isinstance(value, dict) else None
    if kind in RESERVED_CLASSES:
        raise FindingsError(
            "RESERVED_CLASS",
            f"{path} is a {kind}: a design document that nothing executes today",
            f"Read it with `psreg show {path}`.",
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8"
        raise FindingsError("UNREADABLE", message, f"Run `psreg check {path}`.") from error


def _is_pbe(path: str, data: bytes) -> bool:
    start = data[:4096].decode("utf-8", "replace")
    return detect_format(PurePosixPath(path).name, start) is Format.PBE


def values_of_assignments(assignments: list[str]) -> dict[str, str]:
    """Return the values of `name=value` texts; the last one for a name wins.

    Raises:
        UsageError: one has no `=` or an invalid name, or is not UTF-8.
    """
    values = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise UsageError("USAGE", f"--set `{assignment}` has no `=`", "Write --set NAME=VALUE.")
        if not _VARIABLE_NAME.fullmatch(name):
            message = f"--set `{assignment}`: `{name}` is not a valid name for a variable"
            raise UsageError("USAGE", message, "Use letters, digits, `-` and `_`.")
        # NOTE: Python passes argument bytes that are not UTF-8 as lone surrogates.
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise UsageError("USAGE", f"--set {name}: the value is not UTF-8")
        values[name] = value
    return values


def values_of_json(data: bytes, path: str) -> dict[str, str]:
    """Return the values of a JSON object; numbers and booleans as they are written.

    Raises:
        UsageError: it is not a valid JSON object of strings, numbers and booleans.
    """
    tree = json_document.parse(data)
    lines = LineIndex(tree.text)

    def refused(span: Span, message: str) -> UsageError:
        start = lines.position(span.start)
        hint = 'Write one object, such as {"name": "Ana"}.'
        return UsageError("BAD_VALUES", f"{path}:{start.line}:{start.column}: {message}", hint)

    for issue in tree.issues:
        raise refused(issue.span, issue.message)
    if not isinstance(tree.value, dict):
        raise refused(tree.span(""), "the values are not an object")
    values = {}
    for name, value in tree.value.items():
        if not _VARIABLE_NAME.fullmatch(name):
            raise refused(tree.span(""), f"`{name}` is not a valid name for a variable")
        span = tree.span(f"/{name}")
        if value is None or isinstance(value, dict | list):
            raise refused(span, f"the value of `{name}` is not a string, a number or a boolean")
        values[name] = value if isinstance(value, str) else tree.text[span.start : span.end]
    return values
