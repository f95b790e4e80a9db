"""The rules about one release as files: what is there, what it is called, what README.md says.

Findings name their file in `path`. What release.toml says is judged in `release_rules`, what it
requires in `requirement_rules`, test runs in `evidence_rules`; `SUBMISSION_RULES` lists all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from psreg.core.classes import PBE_CLASSES
from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Document, Finding, Span
from psreg.core.identity import is_device, is_name
from psreg.core.rule import Rule, rule
from psreg.core.version import is_version
from psreg.formats.json.json_document import JsonTree
from psreg.formats.json.pointer import join
from psreg.formats.json.syntax_error import shown
from psreg.formats.layout import SUFFIXES
from psreg.formats.markdown import Section, about, examples, is_marked, mark_pattern, sections
from psreg.formats.toml_document import TomlTree
from psreg.formats.tree import Submission
from psreg.lint.content.clarity_rules import count_words, says_nothing
from psreg.lint.entries.evidence_rules import (
    GOLDEN_RULES,
    bad_test_row,
    evidence_missing,
    recorded_without_transcript,
    run_does_not_count,
    unknown_protocol,
    unreadable_evidence,
    untested_release,
)
from psreg.lint.entries.release_rules import (
    bad_origin,
    bad_tag_or_language,
    changes_missing,
    license_not_allowed,
    missing_release_field,
    unknown_release_key,
    wrong_release_value,
)
from psreg.lint.entries.requirement_rules import (
    bad_requirement,
    call_not_required,
    requirement_cycle,
    requirement_not_called,
)
from psreg.lint.entries.waiver_rules import bad_waiver

MAX_FILE = 262_144
"""Bytes of the largest file in a version folder: 256 KiB, as of a PBE and a `.prompt`."""

_PORTABLE = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
_ASKED = (
    ("use case", "Say when to use the prompt."),
    ("example", "Show what the prompt produces, marked as recorded or illustrative."),
)
"""What headings of a README.md say, and what is below them (PBE-19, PBE-20)."""


@cache
def _mark() -> re.Pattern[str]:
    """Return the pattern of the words that say where an example is from, at its beginning."""
    word = mark_pattern("recorded", "illustrative")
    return re.compile(
        rf"([*_]{{1,3}})[^*_\n]{{0,200}}?{word}[^*_\n]{{0,200}}\1"
        rf"|^\W{{0,20}}(?:(?:this|the|an?) (?:\w{{1,20}} ){{0,3}})?(?:not )?{word}[^.\n]*\.?",
        re.IGNORECASE,
    )


_NO_TEXT = re.compile(r" {0,3}(?:#{1,6}(?:\s|$)|`{3}|~{3})")
_LEAST_WORDS = {"example": 2}

MAX_FILES = 200
"""Files of the largest version folder: some for each of a hundred test runs."""


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
    places = submission.places.values()
    for name in (submission.id.filename, "release.toml", "README.md"):
        if name not in places:
            similar = [p.name for p in submission.paths if p.name.lower() == name.lower()]
            hint = f"Rename {similar[0]} to {name}." if similar else ""
            yield Finding(
                message=f"{name} is missing", path=f"{submission.folder}/{name}", hint=hint
            )


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
            folder = f"pbes/{entry_class}/{release.name}/{release.version}"
            hint = f"Move the folder to {folder} if the file is right."
            differs = _differs("class", entry_class, release.entry_class, "/pbe_class", path)
            yield replace(differs, hint=hint)
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
    for path, place in submission.places.items():
        other = seen.setdefault(place.lower(), path)
        if path.suffix not in SUFFIXES:
            message = f"the suffix `{path.suffix}` is not allowed" if path.suffix else "no suffix"
            yield Finding(message=message, path=str(path), hint=f"Allowed: {', '.join(SUFFIXES)}.")
        elif not all(
            _PORTABLE.fullmatch(part) and not is_device(part) for part in place.split("/")
        ):
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
    the example as *recorded* or *illustrative*. German, French and Spanish words for these count,
    too. In other languages, add the English words in brackets: `## Przykład (example)`.

    ```md
    ## Use case

    Before an exam, to find out what you do not know yet.

    ## Example

    *Illustrative, written by hand.*
    ```
    """
    path = submission.readme_path
    if path not in submission.paths:
        return
    found = sections(submission.documents[path].text)
    for words, hint in _ASKED:
        titled = about(found, words)
        if not titled:
            message = f"no heading contains {words!r}"
            yield Finding(message=message, path=str(path), hint=f"Add a section `## {words}`.")
        elif not any(section.body.strip() for section in titled):
            message = f"there is no text below the heading {words!r}"
            yield Finding(message=message, at=titled[0].span, path=str(path), hint=hint)
    shown_in = [section for section in examples(found) if section.body.strip()]
    if shown_in and not any(map(is_marked, shown_in)):
        yield Finding(
            message="the example does not say whether it is recorded or illustrative",
            at=shown_in[0].span,
            path=str(path),
            hint="Write `Recorded with …` or `Illustrative` below the heading.",
        )


@rule(
    "REG033", spec="pbe-1.0/PBE-A13b pbe-1.0/PBE-19 pbe-1.0/PBE-20", severity=WARNING, since="0.2.0"
)
def description_says_nothing(submission: Submission) -> Iterator[Finding]:
    """A text in release.toml or README.md says nothing: `n/a`, an example of one word, a copy.

    ## Why
    People decide by the summary, the use case and the example whether they need the prompt, and by
    `changes` whether they update. "n/a" is as good as an empty text, and an example of one word
    does not show what the prompt produces. The example that `psreg new` shows, and the texts of
    the prompts that psreg comes with, are about other prompts.

    ## Fix
    Write a sentence, or show a few lines of output.

    ```md
    ## Example

    *Illustrative, written by hand.*

    Cabin bag: three shirts (Monday to Wednesday), one rain jacket.
    ```
    """
    yield from _filler_in_release(submission)
    path = submission.readme_path
    found = sections(submission.documents[path].text) if path in submission.paths else ()
    for words, hint in _ASKED:
        titled = about(found, words)
        texts = [text for section in titled if (text := _shown(section))]
        least = _LEAST_WORDS.get(words, 1)
        name = submission.entry.name
        if texts and all(_says(text, name, least) for text in texts):
            says = _says(texts[0], name, least)
            message = f"the text below the heading {words!r} {says}: {shown(texts[0])}"
            yield Finding(message=message, at=titled[0].span, path=str(path), hint=hint)


def _filler_in_release(submission: Submission) -> Iterator[Finding]:
    release = submission.release
    texts = [(f"/{key}", release.value.get(key)) for key in ("summary", "use_case", "changes")]
    texts += [(join(("limitations", at)), text) for at, text in release.strings("limitations")]
    for pointer, text in texts:
        if not isinstance(text, str) or not text.strip():
            continue
        if says := _says(text, submission.entry.name):
            yield Finding(
                message=f"`{pointer[1:].partition('/')[0]}` {says}: {shown(text)}",
                at=pointer,
                path=str(submission.folder / "release.toml"),
                hint="Write a sentence for the people who choose a prompt, or remove the key.",
            )


def _says(text: str, name: str, least: int = 0) -> str:
    """Return what is wrong with the text as a whole; "" if it says something of its own."""
    if says_nothing(text):
        return "says nothing"
    if count_words(text) < least:
        return "is a single word"
    from psreg.lint.copied_texts import copied_from  # noqa: PLC0415 - reads the examples

    whose = copied_from(text, name)
    return f"is {whose}" if whose else ""


def _shown(section: Section) -> str:
    """Return what is below a heading, without further headings, fences and the mark."""
    lines = [line for line in section.body.splitlines() if not _NO_TEXT.match(line)]
    return _mark().sub("", "\n".join(lines).strip(), count=1).strip()


@rule("REG023", spec="registry/LIMITS", severity=ERROR)
def file_too_large(submission: Submission) -> Iterator[Finding]:
    """A file in a version folder is larger than 256 KiB.

    ## Why
    A version folder stays in the repository forever, and everyone who clones the repository
    downloads it; and all that people may read in it is checked. A transcript that they are meant
    to read is far smaller than 256 KiB.

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
        submission.readme_path,
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
    description_says_nothing,
    run_does_not_count,
    bad_origin,
    call_not_required,
    requirement_not_called,
    requirement_cycle,
)
"""The rules judged once per release, or about its waivers, in the order of their codes."""
