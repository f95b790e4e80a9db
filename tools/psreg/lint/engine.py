"""Judge files: run the rules that fit a document and say where each finding is.

Pure: bytes in, diagnostics out. If a file does not parse, only the syntax rules speak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType

from psreg.core.diagnostics import Diagnostic, Mode
from psreg.core.identity import Format, detect_format
from psreg.formats import dotprompt, pbe
from psreg.formats.documents import Document, Documents, PlainText
from psreg.formats.dotprompt import Prompt
from psreg.formats.irregular import Irregular
from psreg.formats.pbe import Pbe
from psreg.formats.policy import Policy
from psreg.formats.toml import toml_document
from psreg.formats.toml.toml_document import TomlTree
from psreg.formats.tree import POLICY, Entry, Submission, Tree, waiver_for
from psreg.lint.content import CONTENT_RULES, texts
from psreg.lint.content.clarity_rules import CLARITY_RULES
from psreg.lint.content.texts import Content
from psreg.lint.entries.entry_rules import ENTRY_RULES
from psreg.lint.entries.submission_rules import SUBMISSION_RULES
from psreg.lint.entries.tree_rules import TREE_RULES
from psreg.lint.files.json_rules import JSON_RULES
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.prompt_rules import PROMPT_RULES
from psreg.lint.files.toml_rules import TOML_RULES
from psreg.lint.locate import judge, judge_at
from psreg.lint.names.all_names import Names
from psreg.lint.names.name_rules import NAME_RULES
from psreg.lint.offered_fixes import offered

WHOLE = PurePosixPath()
"""The folder in which everything lies."""

_IN_NAME = 3
"""Parts of `pbes/<class>/<name>`."""


def check_file(
    data: bytes, *, path: str, mode: Mode = Mode.STRICT, form: Format | None = None
) -> list[Diagnostic]:
    """Return what the format and content rules say of one artifact or TOML file.

    `path` is what diagnostics name; `form` overrides what suffix and content tell.

    Raises:
        ValueError: the format cannot be told (DESIGN §4).
    """
    if path.endswith(".toml"):
        return _toml(toml_document.parse(data), path, mode)
    form = form or detect_format(PurePosixPath(path).name, data[:4096].decode("utf-8", "replace"))
    if form is Format.PBE:
        return _pbe(pbe.read(data), path, mode)
    if form is Format.PROMPT:
        return _prompt(dotprompt.read(data), path, mode)
    raise ValueError(f"{path} is neither a PBE nor a .prompt file")


def _prompt(
    document: Prompt, path: str, mode: Mode, capabilities: tuple[str, ...] | None = None
) -> list[Diagnostic]:
    def judged(prompt: Prompt) -> Iterator[Diagnostic]:
        yield from judge(PROMPT_RULES, prompt, prompt, path, mode)
        if prompt.readable:
            yield from _content(texts.of_prompt(prompt, capabilities), prompt, path, mode)

    return offered(judged(document), document.text, lambda data: judged(dotprompt.read(data)))


def _pbe(
    document: Pbe, path: str, mode: Mode, capabilities: tuple[str, ...] | None = None
) -> list[Diagnostic]:
    def judged(pbe_: Pbe) -> Iterator[Diagnostic]:
        tree = pbe_.tree
        yield from judge(JSON_RULES, tree, tree, path, mode)
        if tree.parsed:
            yield from judge(PBE_RULES, pbe_, tree, path, mode)
            yield from _content(texts.of_pbe(pbe_, capabilities), tree, path, mode)

    return offered(judged(document), document.tree.text, lambda data: judged(pbe.read(data)))


def _toml(document: TomlTree, path: str, mode: Mode) -> list[Diagnostic]:
    def judged(tree: TomlTree) -> Iterator[Diagnostic]:
        yield from judge(TOML_RULES, tree, tree, path, mode)
        if tree.parsed:
            yield from _content(texts.of_toml(tree), tree, path, mode)

    return offered(judged(document), document.text, lambda data: judged(toml_document.parse(data)))


def _content(content: Content, document: Document, path: str, mode: Mode) -> Iterator[Diagnostic]:
    yield from judge(CLARITY_RULES, content, document, path, mode)
    yield from judge(CONTENT_RULES, content, document, path, mode)


def check_tree(
    files: Mapping[PurePosixPath, bytes],
    *,
    irregular: Mapping[PurePosixPath, Irregular] = MappingProxyType({}),
    share: int = 0,
    shares: int = 1,
    within: PurePosixPath = WHOLE,
) -> Iterator[Diagnostic]:
    """Yield what all rules say of a registry's tree: artifacts, TOML files, folders, names.

    Entry number n belongs to share n modulo `shares`, so that several processes can divide a
    tree; what concerns no single entry belongs to share 0. `irregular` says what is no plain
    file. A finding that a person waived carries the reason in `waived`. All findings about files
    in the folder `within` are among those yielded; others may be missing.
    """
    tree = Tree(files, irregular)
    if share == 0:
        yield from judge_at(TREE_RULES, tree, tree.documents)
        if len(within.parts) <= _IN_NAME:  # a name is entry.toml's matter, and no version's
            yield from judge_names(Names(tree), tree.policy)
        yield from toml_at(tree.documents, POLICY)
    for entry in _concerned(tree, within)[share::shares]:
        yield from toml_at(entry.documents, entry.path)
        yield from judge_at(ENTRY_RULES, entry, entry.documents)
        for submission in entry.submissions():
            yield from judge_submission(submission)


def _concerned(tree: Tree, within: PurePosixPath) -> list[Entry]:
    """Return the entries in the folder `within`, or the one in which it lies."""
    key = within.parts[1:_IN_NAME]
    return [e for e in tree.entries if (e.entry_class, e.name)[: len(key)] == key]


def judge_names(names: Names, policy: Policy) -> Iterator[Diagnostic]:
    """Yield what the rules about names say; what `policy` waives carries the reason."""
    for diagnostic in judge_at(NAME_RULES, names, names.tree.documents):
        yield by_policy(diagnostic, policy, PurePosixPath(diagnostic.path).parent.name)


def by_policy(diagnostic: Diagnostic, policy: Policy, name: str) -> Diagnostic:
    """Return `diagnostic` with the reason why `policy` waives it for the entry `name`, if so."""
    reason = policy.waiver(diagnostic.code, name)
    return replace(diagnostic, waived=reason, waived_by="policy") if reason else diagnostic


def judge_submission(submission: Submission) -> Iterator[Diagnostic]:
    """Yield what all rules say of one release; what a person waived carries the reason."""
    for diagnostic in _findings(submission):
        waiver = waiver_for(diagnostic.code, submission)
        if waiver is None:
            yield diagnostic
        else:
            yield replace(diagnostic, waived=waiver.reason, waived_by=waiver.by)


def _findings(submission: Submission) -> Iterator[Diagnostic]:
    place = str(submission.artifact_path)
    capabilities = tuple(text for _, text in submission.release.strings("capabilities"))
    if submission.pbe is not None:
        yield from _pbe(submission.pbe, place, Mode.STRICT, capabilities)
    if submission.prompt is not None:
        yield from _prompt(submission.prompt, place, Mode.STRICT, capabilities)
    yield from toml_at(submission.documents, submission.release_path)
    yield from _readme(submission.documents, submission.folder / "README.md")
    yield from judge_at(SUBMISSION_RULES, submission, submission.documents)
    if submission.release.protocols:
        # NOTE: few releases declare one, and the rules of all protocols take long to import.
        from psreg.lint.release_transcripts import judge_evidence  # noqa: PLC0415

        yield from judge_evidence(submission)


def toml_at(documents: Documents, path: PurePosixPath) -> Iterator[Diagnostic]:
    """Yield what format and content rules say of the TOML file at `path`, if there is one."""
    if path in documents:
        yield from _toml(documents.toml(path), str(path), Mode.STRICT)


def _readme(documents: Documents, path: PurePosixPath) -> Iterator[Diagnostic]:
    if path in documents:
        readme = documents[path]

        def judged(text: str) -> Iterator[Diagnostic]:
            content = texts.of_readme(text)
            yield from _content(content, PlainText(text), str(path), Mode.STRICT)

        yield from offered(judged(readme.text), readme.text, lambda data: judged(data.decode()))
