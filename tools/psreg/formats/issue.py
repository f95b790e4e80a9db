"""What a parser has to say about a file; a rule of the same code explains it.

Parsers never raise for bad input: they return what they understood plus issues.
"""

from __future__ import annotations

from dataclasses import dataclass

from psreg.core.diagnostics import Change, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing wrong with a text, at a place. `code` is the code of the rule that reports it.

    `fix` and `fix_title` are those of a `Finding`.
    """

    code: str
    message: str
    span: Span
    hint: str = ""
    fix: tuple[Change, ...] = ()
    fix_title: str = ""
