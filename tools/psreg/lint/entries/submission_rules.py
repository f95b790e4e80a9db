"""The rules about one release as files: what is there, what it is called, what README.md says.

Findings name their file in `path`. The rules about release.toml are here too, except those about
test runs, which are in `evidence_rules`; the table of all of them is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Finding, Span
from psreg.core.identity import PBE_CLASSES, is_name
from psreg.core.rule import Rule, rule
from psreg.core.spelling import nearest
from psreg.core.version import Range, is_version, parse_version
from psreg.formats import schema
from psreg.formats.json.json_document import JsonTree
from psreg.formats.json.pointer import join
from psreg.formats.layout import SUFFIXES, is_device
from psreg.formats.licenses import refusal
from psreg.formats.markdown import Section, sections
from psreg.formats.toml_document import MOST, TomlTree
from psreg.formats.tree import Document, Submission
from psreg.lint.entries.evidence_rules import (
    GOLDEN_RULES,
    bad_test_row,
    evidence_missing,
    recorded_without_transcript,
    unknown_protocol,
    unreadable_evidence,
    untested_release,
)
from psreg.lint.entries.waiver_rules import bad_waiver
from psreg.lint.parser_findings import of_violations

MAX_FILE = 1_048_576
"""Bytes of the largest file in a version folder."""

_PORTABLE = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
_ASKED = (
    ("use case", "Say when to use the prompt."),
    ("example", "Show what the prompt produces, marked as recorded or illustrative."),
)
"""What headings of a README.md say, and what is below them (PBE-19, PBE-20)."""

_MARKED = re.compile(r"\b(?:recorded|illustrative)\b", re.IGNORECASE)

MAX_FILES = 200
"""Files of the largest version folder: some for each of a hundred test runs."""

MAX_TAG = 40

_LICENSE = re.compile(r"licen[cs]e", re.IGNORECASE)

_TAG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


@rule("REG003", spec="registry/LAYOUT pbe-1.0/PBE-02 pbe-1.0/PBE-19", severity=ERROR)
def missing_file(submission: Submission) -> Iterator[Finding]:
    """The artifact, release.toml or README.md is missing from a version folder.

    ## Why
    People install the artifact. release.toml says what it is for, its licence and where it was
    tested; README.md shows what to expect. Without any one of them, people cannot find or assess
    the release, and you cannot add a file to a folder after publication.

    ## Fix
    Add the file that the message names. File names must match exactly, including case:

    ```text
    pbes/prompt/email_reply/1.0.0/email_reply.prompt
    pbes/prompt/email_reply/1.0.0/release.toml
    pbes/prompt/email_reply/1.0.0/README.md
    ```
    """
    folder = submission.folder
    for name in (submission.id.filename, "release.toml", "README.md"):
        if folder / name not in submission.paths:
            similar = [p.name for p in submission.paths if p.name.lower() == name.lower()]
            hint = f"Rename {similar[0]} to {name}." if similar else ""
            yield Finding(message=f"{name} is missing", path=str(folder / name), hint=hint)


@rule("REG004", spec="registry/LAYOUT pbe-1.0/PBE-04", severity=ERROR)
def name_or_version_differs(submission: Submission) -> Iterator[Finding]:
    """The name, version or class inside the artifact differs from its folders.

    ## Why
    People choose by what the registry shows, and the assistant obeys what the file says. If the two
    disagree, a bug report names the wrong version, a saved session does not resume, and an
    installed file cannot be traced back to its release.

    ## Fix
    Change the field or rename the folder so that both match. In a `.prompt`, `@version` is
    optional, and `@name` is a title that may differ from the folder's name.

    ```text
    pbes/interactive_engine/quiz_master/1.2.0/quiz_master.pbe.txt
    {"pbe_name": "quiz_master", "pbe_version": "1.2.0", "pbe_class": "interactive_engine", …}
    ```
    """
    release, path = submission.id, str(submission.artifact_path)
    if (pbe := submission.pbe) is not None:
        # NOTE: the PBE rules report an invalid name, version or class.
        name, version, entry_class = pbe.name or "", pbe.version or "", pbe.pbe_class or ""
        if is_name(name) and name != release.name:
            yield _differs("name", name, release.name, "/pbe_name", path)
        if is_version(version) and version != release.version:
            yield _differs("version", version, release.version, "/pbe_version", path)
        if entry_class in PBE_CLASSES and entry_class != release.entry_class:
            yield _differs("class", entry_class, release.entry_class, "/pbe_class", path)
    if (prompt := submission.prompt) is not None:
        version = prompt.metadata.get("version", release.version)
        if version != release.version:
            yield _differs("version", version, release.version, "/metadata/version", path)


def _differs(what: str, inside: str, folder: str, pointer: str, path: str) -> Finding:
    return Finding(
        message=f"the {what} is {inside} in the file and {folder} in the folder",
        at=pointer,
        path=path,
    )


@rule("REG006", spec="registry/LAYOUT", severity=ERROR)
def file_name_not_allowed(submission: Submission) -> Iterator[Finding]:
    """A file in a version folder has a suffix or a name that is not allowed.

    ## Why
    A release is text that a person can read in a review. Programs, archives and images cannot be
    read there, and a registry that accepted them could be used to spread them. If a system cannot
    store a file name, every checkout on that system fails.

    ## Fix
    Use one of `.pbe.txt .prompt .toml .md .jsonl .json .txt`, and letters, digits, `.`, `_` and `-`
    in names. Replace an image with its description, and a transcript in another format with JSON
    Lines.

    ```text
    before   evidence/Run 1 (final).PDF
    after    evidence/run-1.jsonl
    ```
    """
    seen: dict[str, PurePosixPath] = {}
    for path in submission.paths:
        place = path.relative_to(submission.folder)
        other = seen.setdefault(str(place).lower(), path)
        if path.suffix not in SUFFIXES:
            message = f"the suffix `{path.suffix}` is not allowed" if path.suffix else "no suffix"
            yield Finding(message=message, path=str(path), hint=f"Allowed: {', '.join(SUFFIXES)}.")
        elif not all(_PORTABLE.fullmatch(part) and not is_device(part) for part in place.parts):
            message = "some systems cannot store a file with this name"
            hint = "Use letters, digits, `.`, `_` and `-`; begin with a letter or digit."
            yield Finding(message=message, path=str(path), hint=hint)
        elif other is not path:
            message = f"the name differs from {other.name} in letter case only"
            yield Finding(message=message, path=str(path), hint="Rename one of the two.")


@rule("REG017", spec="pbe-1.0/PBE-19 pbe-1.0/PBE-20", severity=ERROR)
def readme_incomplete(submission: Submission) -> Iterator[Finding]:
    """README.md lacks the use case or an example, or does not say where the example is from.

    ## Why
    People choose a prompt by what it is for and by what it produces, and the specification asks for
    both. An invented example is fine as an illustration of the intended result, but readers must be
    able to tell it from a recording.

    ## Fix
    Add a heading with the words "use case" and one with "example", write text below both, and mark
    the example as *recorded* or *illustrative*.

    ```md
    ## Use case

    Before an exam, to find out what you do not know yet.

    ## Example

    *Illustrative, written by hand.*
    ```
    """
    path = submission.folder / "README.md"
    if path not in submission.paths:
        return
    found = sections(submission.documents[path].text)
    for words, hint in _ASKED:
        about = [section for section in found if words in section.title.lower()]
        if not about:
            message = f"no heading contains {words!r}"
            yield Finding(message=message, path=str(path), hint=f"Add a section `## {words}`.")
        elif not any(section.body.strip() for section in about):
            message = f"there is no text below the heading {words!r}"
            yield Finding(message=message, at=about[0].span, path=str(path), hint=hint)
    examples = [
        section for section in found if "example" in section.title.lower() and section.body.strip()
    ]
    if examples and not any(_marked(section) for section in examples):
        yield Finding(
            message="the example does not say whether it is recorded or illustrative",
            at=examples[0].span,
            path=str(path),
            hint="Write `Recorded with …` or `Illustrative` below the heading.",
        )


def _marked(section: Section) -> bool:
    return _MARKED.search(f"{section.title}\n{section.body}") is not None


@rule("REG023", spec="registry/LIMITS", severity=ERROR)
def file_too_large(submission: Submission) -> Iterator[Finding]:
    """A file in a version folder is larger than 1 MiB.

    ## Why
    A version folder stays in the repository forever, and everyone who clones the repository
    downloads it. A transcript that people are meant to read is far smaller than one mebibyte.

    ## Fix
    Shorten the transcript to the turns that matter, or split it into several files, one for each
    run.
    """
    judged = {submission.artifact_path, submission.release_path}
    for path in submission.paths:
        if path not in judged and (size := len(submission.tree.files[path])) > MAX_FILE:
            message = f"the file has {size:,} bytes or more; the limit is {MAX_FILE:,}"
            yield Finding(message=message, path=str(path))


@rule("REG029", spec="registry/LAYOUT", severity=INFO)
def no_final_newline(submission: Submission) -> Iterator[Finding]:
    """The last line of a file does not end with a line break.

    ## Why
    Adding a line below it later changes two lines instead of one, Git shows "No newline at end of
    file", and many editors add the line break unasked. The bytes of a version folder never change
    again, so settle this before the release. This rule does not check single files, because the
    line break means nothing to a model; but if `--fix` changes something else in one, it also ends
    the last line.

    ## Fix
    End the last line with Enter, or let psreg do it:

    ```sh
    psreg check pbes --fix
    ```
    """
    for path in (
        submission.artifact_path,
        submission.release_path,
        submission.folder / "README.md",
    ):
        document = submission.documents[path]
        text = document.text
        if text and not text.endswith("\n") and _understood(document):
            end = Span(len(text), len(text))
            newline = "\r\n" if "\r\n" in text else "\n"
            yield Finding(
                message="the last line does not end with a line break",
                at=end,
                path=str(path),
                fix=(Change(end, newline),),
                fix_title="end the last line with a line break",
            )


def _understood(document: Document) -> bool:
    """Tell whether a file was parsed, or at least is UTF-8: about others this rule is silent."""
    if isinstance(document, JsonTree | TomlTree):
        return document.parsed
    return "\ufffd" not in document.text  # the replacement of bytes that are not UTF-8


@rule("REG032", spec="registry/LIMITS", severity=ERROR)
def too_many_files(submission: Submission) -> Iterator[Finding]:
    """A version folder contains more than 200 files.

    ## Why
    A version folder stays in the repository forever, and each of its files has a row in the signed
    record that everyone who installs the entry downloads. Besides the artifact, release.toml and
    README.md it holds evidence, one file for each test run. Nobody can read or review thousands of
    files.

    ## Fix
    Keep the transcripts that `[[tested]]` names, and put all turns of one run into one file:

    ```text
    before   evidence/claude-turn-0001.txt, evidence/claude-turn-0002.txt, …
    after    evidence/claude.jsonl
    ```
    """
    if len(submission.paths) > MAX_FILES:
        yield Finding(
            message=f"{submission.id.version} has {len(submission.paths):,} files; "
            f"the limit is {MAX_FILES}",
            path=str(submission.paths[MAX_FILES]),
        )


def _path(submission: Submission) -> str:
    return str(submission.release_path)


@rule("REG007", spec="registry/RELEASE pbe-1.0/PBE-19 pbe-1.0/PBE-A9", severity=ERROR)
def missing_release_field(submission: Submission) -> Iterator[Finding]:
    """release.toml lacks a required key.

    ## Why
    The catalogue, the search and the client know about a release what release.toml says. Without a
    summary it cannot be shown, without tags it cannot be found, and without a licence it may not be
    used.

    ## Fix
    Add the key that the message names.

    ```toml
    summary = "Asks you questions about any topic and keeps score."
    license = "MIT"
    tags = ["education", "quiz"]
    languages = ["en"]
    use_case = "You want to find out what you remember."
    ```
    """
    yield from of_violations(submission.release.violations, "REG007", _path(submission))


@rule("REG008", spec="registry/RELEASE", severity=ERROR)
def wrong_release_value(submission: Submission) -> Iterator[Finding]:
    """A value in release.toml has the wrong type, is too short, too long or blank.

    ## Why
    The catalogue shows these values on cards, in filters and in sentences. A summary of three words
    says nothing, a summary of three paragraphs does not fit, and a list in place of a text cannot
    be shown.

    ## Fix
    Write the value that the message asks for. A summary is one sentence of 20 to 160 characters; a
    release has one to eight tags.

    ```toml
    summary = "Asks you questions about any topic and keeps score."
    tags = ["education", "quiz"]
    ```
    """
    release, path = submission.release, _path(submission)
    yield from of_violations(release.violations, "REG008", path)
    judged = {violation.pointer for violation in release.violations}
    texts = schema.strings("release", release.value)
    blank = (p for p, text in texts if not text.strip() and p not in judged)
    for pointer in islice(blank, MOST):
        yield Finding(message="the text is blank", at=pointer, path=path)
    if len(release.text("summary").splitlines()) > 1:
        yield Finding(message="the summary is more than one line", at="/summary", path=path)


@rule("REG009", spec="registry/RELEASE", severity=ERROR)
def unknown_release_key(submission: Submission) -> Iterator[Finding]:
    """release.toml has an unknown key.

    ## Why
    A misspelled key silently has no effect: the author believes that a capability or a protocol is
    declared, and no program reads it. You cannot correct a released file.

    ## Fix
    Correct the key; the message suggests the closest one. You cannot add keys of your own: text for
    people belongs in README.md.

    ```text
    before   licence = "MIT"
    after    license = "MIT"
    ```
    """
    yield from of_violations(submission.release.violations, "REG009", _path(submission))


@rule("REG010", spec="pbe-1.0/PBE-19", severity=ERROR)
def license_not_allowed(submission: Submission) -> Iterator[Finding]:
    """The licence is not on the registry's allow list.

    ## Why
    People copy prompts into their work. They can do so because every entry has a well-known open
    licence. The specification recommends MIT.

    ## Fix
    Write the exact SPDX identifier of an open licence, for example `MIT`, `Apache-2.0`, `CC0-1.0`
    or `CC-BY-4.0`. The allow list is `allow` in registry/policy.toml; without one, psreg accepts
    what the Open Source Initiative approved, and these two of Creative Commons. In an SPDX
    expression, one side of an `OR` must be on the list, and both sides of an `AND`.

    ```toml
    license = "MIT OR Apache-2.0"
    ```
    """
    text, allowed = submission.release.text("license"), submission.policy.licenses
    refused = refusal(text, allowed) if text.strip() else None
    if refused is not None:
        exact = {identifier.lower(): identifier for identifier in sorted(allowed)}
        near = nearest(_LICENSE.sub("", text).strip().replace(" ", "-"), exact)
        better = refused.better or (exact[near] if near else "")
        yield Finding(
            message=refused.message,
            at="/license",
            path=_path(submission),
            hint=f"Did you mean `{better}`?" if better else "Use an open licence such as `MIT`.",
        )


@rule("REG013", spec="registry/RELEASE", severity=ERROR)
def changes_missing(submission: Submission) -> Iterator[Finding]:
    """A later release does not say what changed.

    ## Why
    Users of the previous version have to decide whether to update, and a prompt has no compiler
    that would report what breaks.

    ## Fix
    Describe in a sentence or two what changes for users.

    ```toml
    changes = "Adds a hint command. Saved games of 1.0.0 still load."
    ```
    """
    release = submission.release
    first = submission.siblings[0]
    if release.tree.parsed and submission.id.version != first and "changes" not in release.value:
        yield Finding(
            message=f"`changes` is missing, but {first} was released before",
            path=_path(submission),
            hint="Say what changed since the previous version.",
        )


@rule("REG014", spec="registry/RELEASE", severity=ERROR)
def bad_requirement(submission: Submission) -> Iterator[Finding]:
    """`[requires]` names an unknown entry, or a range that no version satisfies.

    ## Why
    Required entries are installed together with this one. If the name or the range is wrong, the
    release cannot be installed, and since releases never change, it never can.

    ## Fix
    Write the name of an entry of this registry, and a range that matches at least one of its
    versions.

    ```toml
    [requires]
    glossary = "^1.2"
    ```

    `^1.2` means 1.2.0 up to but not including 2.0.0; `~1.2.3` means 1.2.3 up to but not including
    1.3.0; `1.2.3` means exactly that version.
    """
    path = _path(submission)
    for name, text in islice(submission.release.requires.items(), MOST):
        at = join(("requires", name))
        if not is_name(name) or name not in submission.tree.names:
            near = nearest(name, submission.tree.names)
            yield Finding(
                message=f"unknown entry `{name}`",
                at=at,
                key=True,
                path=path,
                hint=f"Did you mean `{near}`?" if near else "",
            )
        elif name == submission.id.name:
            yield Finding(message="an entry cannot require itself", at=at, key=True, path=path)
        elif fault := _range_fault(text, submission.tree.versions(name)):
            yield Finding(message=fault, at=at, path=path)


def _range_fault(text: str, versions: tuple[str, ...]) -> str:
    try:
        wanted = Range.parse(text)
    except ValueError as error:
        return str(error)
    if wanted.best(parse_version(version) for version in versions) is None:
        known = f"the versions are {', '.join(versions)}" if versions else "it has no versions"
        return f"no version satisfies `{text}`; {known}"
    return ""


@rule("REG022", spec="registry/RELEASE", severity=WARNING)
def bad_tag_or_language(submission: Submission) -> Iterator[Finding]:
    """A tag or a language is not in the standard form, or is listed twice.

    ## Why
    Tags and languages are the filters of the catalogue. `Language Learning`, `language_learning`
    and `language-learning` would be three filters with a third of the entries each.

    ## Fix
    Write tags in lower-case letters and digits, with words joined by `-`, and languages as BCP 47
    tags such as `en` or `pt-BR`.

    ```toml
    tags = ["language-learning", "conversation"]
    languages = ["en", "pt-BR"]
    ```
    """
    for key, grammar, kind in (("tags", _TAG, "tag"), ("languages", _LANGUAGE, "language tag")):
        seen: set[str] = set()
        for index, value in islice(submission.release.strings(key), MOST):
            if not value.strip():
                continue
            at, path = join((key, index)), _path(submission)
            if not grammar.fullmatch(value) or len(value) > MAX_TAG:
                yield Finding(message=f"`{value}` is not a {kind}", at=at, path=path)
            elif value.lower() in seen:
                yield Finding(message=f"`{value}` is listed twice", at=at, path=path)
            seen.add(value.lower())


SUBMISSION_RULES: tuple[Rule[Any], ...] = (
    missing_file,
    name_or_version_differs,
    file_name_not_allowed,
    missing_release_field,
    wrong_release_value,
    unknown_release_key,
    license_not_allowed,
    untested_release,
    changes_missing,
    bad_requirement,
    bad_waiver,
    readme_incomplete,
    evidence_missing,
    bad_test_row,
    bad_tag_or_language,
    file_too_large,
    recorded_without_transcript,
    unreadable_evidence,
    unknown_protocol,
    no_final_newline,
    *GOLDEN_RULES,
    too_many_files,
)
"""The rules judged once per release, or about its waivers, in the order of their codes."""
