"""The engine: checks one subject at a time, by the rules about its type.

Pure: bytes in, diagnostics out. If a file does not parse, only the syntax rules apply. `walk.py`
uses the engine for a whole registry; checking one file needs this module alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from psreg.core.classes import Format, detect_format
from psreg.core.diagnostics import Diagnostic, Document, Mode, PlainText
from psreg.core.rule import Rule, RuleTable
from psreg.formats import dotprompt, pbe, toml_document
from psreg.formats.dotprompt import Prompt
from psreg.formats.pbe import Pbe
from psreg.formats.toml_document import TomlTree
from psreg.formats.tree import Documents
from psreg.lint.content import CONTENT_RULES, texts
from psreg.lint.content.clarity_rules import CLARITY_RULES
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.prompt_rules import PROMPT_RULES
from psreg.lint.files.syntax_rules import JSON_RULES, TOML_RULES
from psreg.lint.fix import without_harmful_fixes
from psreg.lint.locate import judge, judge_at


class Engine:
    """Checks subjects by the rules of a table."""

    def __init__(self, rules: RuleTable) -> None:
        self._rules = rules

    def file(self, data: bytes, path: str, mode: Mode, form: Format | None) -> list[Diagnostic]:
        """Return the findings about one artifact or TOML file; see `check_file`."""
        if path.endswith(".toml"):
            return self._toml(toml_document.parse(data), path, mode)
        start = data[:4096].decode("utf-8", "replace")
        form = form or detect_format(PurePosixPath(path).name, start)
        if form is Format.PBE:
            return self.pbe(pbe.read(data), path, mode)
        if form is Format.PROMPT:
            return self.prompt(dotprompt.read(data), path, mode)
        raise ValueError(f"{path} is neither a PBE nor a .prompt file")

    def about(self, subject: object, documents: Documents) -> Iterator[Diagnostic]:
        """Yield the findings about a subject of several files; each names its file."""
        return judge_at(self._rules.about(subject), subject, documents)

    def _in(
        self, subject: object, document: Document, path: str, mode: Mode
    ) -> Iterator[Diagnostic]:
        """Yield the findings about a subject that is one document."""
        return judge(self._rules.about(subject), subject, document, path, mode)

    def prompt(
        self, document: Prompt, path: str, mode: Mode, capabilities: tuple[str, ...] | None = None
    ) -> list[Diagnostic]:
        """Return the findings about a `.prompt`; a release declares its `capabilities`."""

        def judged(prompt: Prompt) -> Iterator[Diagnostic]:
            yield from self._in(prompt, prompt, path, mode)
            if prompt.readable:
                yield from self._in(texts.of_prompt(prompt, capabilities), prompt, path, mode)

        return without_harmful_fixes(
            judged(document),
            document.text,
            lambda data: judged(dotprompt.read(data)),
            lambda data: _parts(dotprompt.read(data)) != _parts(document),
        )

    def pbe(
        self, document: Pbe, path: str, mode: Mode, capabilities: tuple[str, ...] | None = None
    ) -> list[Diagnostic]:
        """Return the findings about a PBE; a release declares its `capabilities`."""

        def judged(pbe_: Pbe) -> Iterator[Diagnostic]:
            tree = pbe_.tree
            yield from self._in(tree, tree, path, mode)
            if tree.parsed:
                yield from self._in(pbe_, tree, path, mode)
                yield from self._in(texts.of_pbe(pbe_, capabilities), tree, path, mode)

        return without_harmful_fixes(
            judged(document), document.tree.text, lambda data: judged(pbe.read(data))
        )

    def _toml(self, document: TomlTree, path: str, mode: Mode) -> list[Diagnostic]:
        def judged(tree: TomlTree) -> Iterator[Diagnostic]:
            yield from self._in(tree, tree, path, mode)
            if tree.parsed:
                yield from self._in(texts.of_toml(tree), tree, path, mode)

        read = toml_document.parse
        return without_harmful_fixes(
            judged(document), document.text, lambda data: judged(read(data))
        )

    def toml_at(self, path: PurePosixPath, documents: Documents) -> Iterator[Diagnostic]:
        """Yield the findings about a TOML file of a registry, if it exists."""
        if path in documents:
            yield from self._toml(documents.toml(path), str(path), Mode.STRICT)

    def extra_file_at(self, path: PurePosixPath, documents: Documents) -> Iterator[Diagnostic]:
        """Yield the findings of the content rules about another file of a release.

        They have no fixes: evidence is kept as it was recorded.
        """
        # NOTE: most releases have no other files.
        from psreg.lint.extra_files import extra_file_finding  # noqa: PLC0415

        document = documents[path]
        content = texts.of_readme(document.text)
        if isinstance(document, TomlTree) and document.parsed:
            content = texts.of_toml(document)
        elif path.suffix in (".json", ".jsonl"):
            content = texts.of_records(document.text)
        found = self._in(content, PlainText(document.text), str(path), Mode.STRICT)
        yield from (extra_file_finding(d) for d in found)

    def readme_at(self, path: PurePosixPath, documents: Documents) -> Iterator[Diagnostic]:
        """Yield the findings about the README of a release, if it exists."""

        def judged(text: str) -> Iterator[Diagnostic]:
            return self._in(texts.of_readme(text), PlainText(text), str(path), Mode.STRICT)

        if path in documents:
            text = documents[path].text
            yield from without_harmful_fixes(judged(text), text, lambda data: judged(data.decode()))


def _parts(prompt: Prompt) -> tuple[list[str], ...]:
    return (
        [f"{entry.section}/{entry.key}" for entry in prompt.entries],
        [header.name for header in prompt.headers],
        [variable.name for variable in prompt.variables],
        [literal.name for literal in prompt.literals],
    )


def check_file(
    data: bytes, *, path: str, mode: Mode = Mode.STRICT, form: Format | None = None
) -> list[Diagnostic]:
    """Return the findings of the format and content rules about one artifact or TOML file.

    `path` is the path in diagnostics; `form` overrides the format that suffix and content suggest.

    Raises:
        ValueError: the format cannot be determined.
    """
    return _ARTIFACTS.file(data, path, mode, form)


ARTIFACT_RULES: tuple[Rule[Any], ...] = (
    *JSON_RULES,
    *PBE_RULES,
    *PROMPT_RULES,
    *CLARITY_RULES,
    *CONTENT_RULES,
    *TOML_RULES,
)
"""The rules about one file, whatever registry it is in."""

_ARTIFACTS = Engine(RuleTable(ARTIFACT_RULES))
