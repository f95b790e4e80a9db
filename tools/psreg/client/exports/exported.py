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
from psreg.formats.conversation.prompt_messages import USER, messages

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


Parts = tuple[str | Open, ...]
"""A text: what is literal, and the open variables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of a prompt: who says it, and its text."""

    role: str
    parts: Parts

    def written(self, literal: Callable[[str], str], variable: Callable[[Open], str]) -> str:
        """Return the text with its literal parts and its open variables as functions write them."""
        return _written(self.parts, literal, variable)


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property
class Exported:
    """A prompt; `parts` are its text, and `sha256` is the digest of its file.

    `description` is one line of at most 1000 characters, never empty. `named` are the messages that
    the prompt names.
    """

    name: str
    version: str
    sha256: str
    description: str
    parts: Parts
    named: tuple[Message, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages: those that the prompt names, else its text as one of the user."""
        return self.named or (Message(role=USER, parts=self.parts),)

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
        return _written(self.parts, literal, variable)

    def with_placeholders(self) -> str:
        """Return the text with `{name}` for the open variables."""
        return self.written(str, lambda variable: variable.placeholder)

    def with_defaults(self) -> Exported:
        """Return the same with the defaults as given values."""
        named = (replace(each, parts=_with_defaults(each.parts)) for each in self.named)
        return replace(self, parts=_with_defaults(self.parts), named=tuple(named))

    def final(self) -> str:
        """Return the text with the defaults filled in.

        Raises:
            FindingsError: `MISSING_VALUES`: a variable has neither a value nor a default.
        """
        return self._filled().written(str, str)

    def final_messages(self) -> tuple[tuple[str, str], ...]:
        """Return role and text of each message with the defaults filled in. Raises as `final`."""
        return tuple((each.role, each.written(str, str)) for each in self._filled().messages)

    def _filled(self) -> Exported:
        filled = self.with_defaults()
        if filled.variables:
            names = [variable.name for variable in filled.variables]
            given = " ".join(f"--set {name}=VALUE" for name in names[:3])
            raise FindingsError(
                "MISSING_VALUES",
                f"no value for {quoted(names)} of {self.name}, and this target has no variables",
                f"Give each a value, such as with {given}.",
            )
        return filled


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
        parts: Parts = (pbe_text(data, path),)
        named: tuple[Message, ...] = ()
        about = pbe.read(data).text("description") or ""
    else:
        prompt = fill(data, path=path, values=values, named=values.keys()).prompt
        parts = _parts(dotprompt.parts(prompt), values)
        named = tuple(
            Message(role=role, parts=_parts(its_parts, values))
            for role, its_parts in messages(prompt)
        )
        about = prompt.metadata.get("description", "")
    one_line = " ".join(about.split())[:_LONGEST_DESCRIPTION].strip()
    return Exported(
        name=name,
        version=version,
        sha256=sha256,
        description=one_line or f"The prompt {name}.",
        parts=parts,
        named=named,
    )


def _parts(parts: Iterable[str | dotprompt.Variable], values: Mapping[str, str]) -> Parts:
    """Return the parts of a text with `values` filled in."""
    return tuple(
        _joined(
            part
            if isinstance(part, str)
            else values.get(part.name, Open(name=part.name, default=part.default))
            for part in parts
        )
    )


def _with_defaults(parts: Parts) -> Parts:
    return tuple(
        _joined(
            part.default if isinstance(part, Open) and part.default is not None else part
            for part in parts
        )
    )


def _written(parts: Parts, literal: Callable[[str], str], variable: Callable[[Open], str]) -> str:
    return "".join(literal(part) if isinstance(part, str) else variable(part) for part in parts)


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
