"""The engine: a walk over the subjects of a tree, each judged by the rules about its type.

Pure: bytes in, diagnostics out. What is judged of a tree is a `Selection`; the walk is the same for
a whole tree, for one entry, for the share of a process and for what a change touches. If a file
does not parse, only the syntax rules speak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType

from psreg.core.diagnostics import Diagnostic, Mode
from psreg.core.identity import EntryId, Format, ReleaseId, detect_format
from psreg.core.rule_table import RuleTable
from psreg.formats import dotprompt, pbe, toml_document
from psreg.formats.dotprompt import Prompt
from psreg.formats.pbe import Pbe
from psreg.formats.policy import Policy
from psreg.formats.toml_document import TomlTree
from psreg.formats.tree import (
    POLICY,
    Document,
    Documents,
    Entry,
    Irregular,
    PlainText,
    Submission,
    Tree,
    waiver_for,
)
from psreg.lint.content import texts
from psreg.lint.entries.waiver_rules import RegistryPolicy, ReleaseWaivers
from psreg.lint.fix import offered
from psreg.lint.locate import judge, judge_at
from psreg.lint.names.all_names import Names
from psreg.lint.rules import RULES

WHOLE = PurePosixPath()
"""The folder in which everything lies."""


def _any(_: Diagnostic) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What of a tree is judged: itself and its policy, some entries, releases and names.

    Without a `tree`, only these are. Of the findings those count for which `counts` says so.
    """

    tree: Tree | None
    entries: Iterable[Entry]
    submissions: Iterable[Submission]
    names: Names | None
    counts: Callable[[Diagnostic], bool] = _any


class Engine:
    """Judges subjects by the rules of a table."""

    def __init__(self, rules: RuleTable) -> None:
        self._rules = rules

    def check(self, selected: Selection) -> Iterator[Diagnostic]:
        """Yield what the rules say of what is selected; what is waived carries the reason."""
        return filter(selected.counts, self._walk(selected))

    def _walk(self, selected: Selection) -> Iterator[Diagnostic]:
        if tree := selected.tree:
            yield from self._about(tree, tree.documents)
            yield from self._about(RegistryPolicy(tree, self._rules.codes), tree.documents)
            yield from self._toml_at(POLICY, tree.documents)
        for entry in selected.entries:
            yield from self._toml_at(entry.path, entry.documents)
            yield from self._about(entry, entry.documents)
        for submission in selected.submissions:
            for found in self._submission(submission):
                waiver = waiver_for(found.code, submission)
                yield replace(found, waived=waiver.reason, waived_by=waiver.by) if waiver else found
        if names := selected.names:
            for found in self._about(names, names.tree.documents):
                yield by_policy(found, names.tree.policy)

    def file(self, data: bytes, path: str, mode: Mode, form: Format | None) -> list[Diagnostic]:
        """Return what is to be said of one artifact or TOML file; see `check_file`."""
        if path.endswith(".toml"):
            return self._toml(toml_document.parse(data), path, mode)
        start = data[:4096].decode("utf-8", "replace")
        form = form or detect_format(PurePosixPath(path).name, start)
        if form is Format.PBE:
            return self._pbe(pbe.read(data), path, mode)
        if form is Format.PROMPT:
            return self._prompt(dotprompt.read(data), path, mode)
        raise ValueError(f"{path} is neither a PBE nor a .prompt file")

    def _about(self, subject: object, documents: Documents) -> Iterator[Diagnostic]:
        """Yield the findings about a subject of several files, which name theirs."""
        return judge_at(self._rules.about(subject), subject, documents)

    def _in(
        self, subject: object, document: Document, path: str, mode: Mode
    ) -> Iterator[Diagnostic]:
        """Yield the findings about a subject that is one document."""
        return judge(self._rules.about(subject), subject, document, path, mode)

    def _submission(self, submission: Submission) -> Iterator[Diagnostic]:
        documents, place = submission.documents, str(submission.artifact_path)
        capabilities = tuple(text for _, text in submission.release.strings("capabilities"))
        if submission.pbe is not None:
            yield from self._pbe(submission.pbe, place, Mode.STRICT, capabilities)
        if submission.prompt is not None:
            yield from self._prompt(submission.prompt, place, Mode.STRICT, capabilities)
        yield from self._toml_at(submission.release_path, documents)
        yield from self._readme_at(submission.folder / "README.md", documents)
        yield from self._about(submission, documents)
        yield from self._about(ReleaseWaivers(submission, self._rules.codes), documents)
        if submission.release.protocols:
            # NOTE: few releases declare one, and the rules of all protocols take long to import.
            from psreg.lint.release_transcripts import judge_evidence  # noqa: PLC0415

            yield from judge_evidence(submission)

    def _prompt(
        self, document: Prompt, path: str, mode: Mode, capabilities: tuple[str, ...] | None = None
    ) -> list[Diagnostic]:
        def judged(prompt: Prompt) -> Iterator[Diagnostic]:
            yield from self._in(prompt, prompt, path, mode)
            if prompt.readable:
                yield from self._in(texts.of_prompt(prompt, capabilities), prompt, path, mode)

        return offered(judged(document), document.text, lambda data: judged(dotprompt.read(data)))

    def _pbe(
        self, document: Pbe, path: str, mode: Mode, capabilities: tuple[str, ...] | None = None
    ) -> list[Diagnostic]:
        def judged(pbe_: Pbe) -> Iterator[Diagnostic]:
            tree = pbe_.tree
            yield from self._in(tree, tree, path, mode)
            if tree.parsed:
                yield from self._in(pbe_, tree, path, mode)
                yield from self._in(texts.of_pbe(pbe_, capabilities), tree, path, mode)

        return offered(judged(document), document.tree.text, lambda data: judged(pbe.read(data)))

    def _toml(self, document: TomlTree, path: str, mode: Mode) -> list[Diagnostic]:
        def judged(tree: TomlTree) -> Iterator[Diagnostic]:
            yield from self._in(tree, tree, path, mode)
            if tree.parsed:
                yield from self._in(texts.of_toml(tree), tree, path, mode)

        read = toml_document.parse
        return offered(judged(document), document.text, lambda data: judged(read(data)))

    def _toml_at(self, path: PurePosixPath, documents: Documents) -> Iterator[Diagnostic]:
        if path in documents:
            yield from self._toml(documents.toml(path), str(path), Mode.STRICT)

    def _readme_at(self, path: PurePosixPath, documents: Documents) -> Iterator[Diagnostic]:
        def judged(text: str) -> Iterator[Diagnostic]:
            return self._in(texts.of_readme(text), PlainText(text), str(path), Mode.STRICT)

        if path in documents:
            text = documents[path].text
            yield from offered(judged(text), text, lambda data: judged(data.decode()))


def by_policy(found: Diagnostic, policy: Policy) -> Diagnostic:
    """Return `found` with the reason why `policy` waives it for the entry it is in, if so."""
    entry = EntryId.of(PurePosixPath(found.path).parent)
    reason = policy.waiver(found.code, entry.name if entry else "")
    return replace(found, waived=reason, waived_by="policy") if reason else found


def check_file(
    data: bytes, *, path: str, mode: Mode = Mode.STRICT, form: Format | None = None
) -> list[Diagnostic]:
    """Return what the format and content rules say of one artifact or TOML file.

    `path` is what diagnostics name; `form` overrides what suffix and content tell.

    Raises:
        ValueError: the format cannot be told (DESIGN §4).
    """
    return _LINT.file(data, path, mode, form)


_LINT = Engine(RuleTable(RULES))


def check_tree(
    files: Mapping[PurePosixPath, bytes],
    rules: RuleTable,
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
    entries = [e for e in tree.entries if _meet(e.id.folder, within)][share::shares]
    first, in_version = share == 0, ReleaseId.of(within) is not None
    selected = Selection(
        tree=tree if first else None,
        entries=entries,
        submissions=(submission for entry in entries for submission in entry.submissions()),
        names=Names(tree) if first and not in_version else None,  # they are entry.toml's matter
    )
    return Engine(rules).check(selected)


def _meet(one: PurePosixPath, other: PurePosixPath) -> bool:
    """Tell whether one of two folders lies in the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)
