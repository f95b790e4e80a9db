"""The findings about an artifact's content that block it: no review accepts them unwaived.

The client asks the same before it installs, because a signature does not say who wrote the text.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from psreg.core.classes import Format, detect_format
from psreg.core.diagnostics import ERROR, Diagnostic, Document, Mode, PlainText
from psreg.lint.content import CONTENT_RULES
from psreg.lint.content.texts import Content, of_json, of_prompt, of_readme
from psreg.lint.locate import judge

_START = 4096

# NOTE: the patterns of the other rules are most of the time that a check takes before it begins.
_RULES = tuple(rule for rule in CONTENT_RULES if rule.worst is ERROR)


def blocking_findings(
    data: bytes, path: str, capabilities: tuple[str, ...] | None = None
) -> tuple[Diagnostic, ...]:
    """Return the errors of the content rules about the artifact `data`, in order of the rules.

    `path` is the path in the diagnostics. A file that does not parse is judged as plain text: what
    it hides is hidden from a reader all the same.
    """
    content, document = _content(data, path, capabilities)
    found = judge(_RULES, content, document, path, Mode.STRICT)
    return tuple(diagnostic for diagnostic in found if diagnostic.severity is ERROR)


def _content(
    data: bytes, path: str, capabilities: tuple[str, ...] | None
) -> tuple[Content, Document]:
    form = detect_format(PurePosixPath(path).name, data[:_START].decode("utf-8", "replace"))
    # NOTE: `psreg install` waits for these imports: it loads the reader of one format only.
    if form is Format.PROMPT:
        from psreg.formats import dotprompt  # noqa: PLC0415

        if (prompt := dotprompt.read(data)).readable:
            return of_prompt(prompt, capabilities), prompt
    elif form is Format.PBE:
        from psreg.formats.json import json_document  # noqa: PLC0415

        if (tree := json_document.parse(data)).parsed:
            return of_json(tree, capabilities), tree
    text = data.decode("utf-8", "replace")
    return of_readme(text), PlainText(text)
