"""A prompt that is exported: what it says about itself, and its text with open variables.

A value that is given is a part of the text. What a target replaces in a text is looked for in the
literal parts, and in all of them at once, so that nothing is made of two of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from psreg.client.render import fill, pbe_text, quoted
from psreg.core.classes import Format, detect_format
from psreg.core.errors import FindingsError, UsageError
from psreg.formats import dotprompt, pbe

_LONGEST_DESCRIPTION = 1000

_TAKEN = frozenset(
    (
        "else", "each", "false", "history", "if", "ifequals", "json", "log", "lookup", "media",
        "no", "none", "not", "null", "off", "on", "role", "section", "self", "stop", "this", "true",
        "undefined", "unless", "unlessequals", "with", "yes",
        "psreg_backslash", "psreg_brace", "psreg_end", "psreg_start",
    )
)  # fmt: skip
"""In lower case, what YAML or a template language takes for something else, or is psreg's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A variable without a given value; `default` is None if it needs one."""

    name: str
    default: str | None

    @property
    def placeholder(self) -> str:
        """The variable as a `.prompt` writes it."""
        return f"{{{self.name}}}"


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property
class Exported:
    """A prompt; `parts` are its text, and `sha256` is the digest of its file.

    `description` is one line of at most 1000 characters, never empty.
    """

    name: str
    version: str
    sha256: str
    description: str
    parts: tuple[str | Open, ...]

    @cached_property
    def variables(self) -> tuple[Open, ...]:
        """The open variables, each once, in order of first use."""
        return tuple(dict.fromkeys(part for part in self.parts if isinstance(part, Open)))

    @cached_property
    def identifiers(self) -> Mapping[str, str]:
        """Names for the open variables that are names in every template language."""
        found: dict[str, str] = {}
        for variable in self.variables:
            plain = re.sub(r"[^A-Za-z0-9_]", "_", variable.name)
            plain = f"v{plain}" if not plain[0].isalpha() else plain
            while plain in found.values() or plain.lower() in _TAKEN:
                plain += "_"
            found[variable.name] = plain
        return found

    def written(self, literal: Callable[[str], str], variable: Callable[[Open], str]) -> str:
        """Return the text with its literal parts and its open variables as functions write them."""
        return "".join(
            literal(part) if isinstance(part, str) else variable(part) for part in self.parts
        )

    def with_placeholders(self) -> str:
        """Return the text with `{name}` for the open variables."""
        return self.written(str, lambda variable: variable.placeholder)

    def with_defaults(self) -> Exported:
        """Return the same with the defaults as given values."""
        parts = (
            part.default if isinstance(part, Open) and part.default is not None else part
            for part in self.parts
        )
        return replace(self, parts=tuple(_joined(parts)))

    def final(self) -> str:
        """Return the text with the defaults filled in.

        Raises:
            FindingsError: `MISSING_VALUES`: a variable has neither a value nor a default.
        """
        filled = self.with_defaults()
        if filled.variables:
            names = [variable.name for variable in filled.variables]
            given = " ".join(f"--set {name}=VALUE" for name in names[:3])
            raise FindingsError(
                "MISSING_VALUES",
                f"no value for {quoted(names)} of {self.name}, and this target has no variables",
                f"Give each a value, such as with {given}.",
            )
        return filled.written(str, str)


def exported(
    data: bytes, path: str, *, name: str, version: str, sha256: str, values: Mapping[str, str]
) -> Exported:
    """Return the prompt `data`, called `path` in messages, with `values` filled in.

    Raises:
        UsageError: `UNKNOWN_VARIABLE`.
        FindingsError: `UNREADABLE`; `RESERVED_CLASS`.
    """
    if detect_format(path, data[:4096].decode("utf-8", "replace")) is not Format.PROMPT:
        if values:
            raise UsageError("UNKNOWN_VARIABLE", f"{path} is a PBE, which has no variables")
        parts: tuple[str | Open, ...] = (pbe_text(data, path),)
        about = pbe.read(data).text("description") or ""
    else:
        prompt = fill(data, path=path, values=values, named=values.keys()).prompt
        parts = tuple(_joined(_parts(prompt, values)))
        about = prompt.metadata.get("description", "")
    one_line = " ".join(about.split())[:_LONGEST_DESCRIPTION].strip()
    return Exported(
        name=name,
        version=version,
        sha256=sha256,
        description=one_line or f"The prompt {name}.",
        parts=parts,
    )


def _parts(prompt: dotprompt.Prompt, values: Mapping[str, str]) -> Iterator[str | Open]:
    for part in dotprompt.parts(prompt):
        if isinstance(part, str):
            yield part
        elif part.name in values:
            yield values[part.name]
        else:
            yield Open(name=part.name, default=part.default)


def _joined(parts: Iterable[str | Open]) -> Iterator[str | Open]:
    """Yield the parts with literal ones that follow each other as one."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
            text = ""
        yield part
    if text:
        yield text
