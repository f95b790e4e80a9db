"""The rules about what release.toml says: its fields, licence, changes, tags and origin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import islice

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.spelling import nearest
from psreg.core.terminal import control_in
from psreg.formats import schema
from psreg.formats.json.pointer import join
from psreg.formats.licenses import refusal
from psreg.formats.release import origin_parts
from psreg.formats.toml_document import MOST
from psreg.formats.tree import Submission
from psreg.lint.parser_findings import of_violations

MAX_TAG = 40

SHA256 = re.compile(r"[0-9a-f]{64}")

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_OWN_TERMS = re.compile(r"LicenseRef-[A-Za-z0-9.-]+")
"""Terms that SPDX does not list, in its own form."""

_LICENSE = re.compile(r"licen[cs]e", re.IGNORECASE)

_TAG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

# NOTE: BCP 47 reserves longer first parts and registers none, so "English" is not a tag.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


def is_tag(text: str) -> bool:
    """Return whether `text` is in the form of a tag."""
    return _TAG.fullmatch(text) is not None and len(text) <= MAX_TAG


def is_language(text: str) -> bool:
    """Return whether `text` is in the form of a language tag, such as `pt-BR`."""
    return _LANGUAGE.fullmatch(text) is not None and len(text) <= MAX_TAG


def is_date(text: str) -> bool:
    """Tell whether `text` is a day, written as YYYY-MM-DD."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return _DATE.fullmatch(text) is not None


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

    A private registry can accept terms of its own, named `LicenseRef-` and a name, as SPDX does.
    `psreg init --private` writes this into its policy:

    ```toml
    [licenses]
    proprietary = true       # a release may say: license = "LicenseRef-Example-Internal"
    ```

    An open licence looks like this:

    ```toml
    license = "MIT OR Apache-2.0"
    ```
    """
    text, policy = submission.release.text("license"), submission.policy
    allowed, own_terms = policy.licenses, _OWN_TERMS.fullmatch(text)
    if own_terms and policy.allows_proprietary:
        return
    refused = refusal(text, allowed) if text.strip() else None
    if refused is not None:
        exact = {identifier.lower(): identifier for identifier in sorted(allowed)}
        near = nearest(_LICENSE.sub("", text).strip().replace(" ", "-"), exact)
        better = "" if own_terms else refused.better or (exact[near] if near else "")
        yield Finding(
            message=refused.message,
            at="/license",
            path=_path(submission),
            hint=_license_hint(better, own_terms=own_terms is not None),
        )


def _license_hint(better: str, *, own_terms: bool) -> str:
    if own_terms:
        return "Set `proprietary = true` under `[licenses]` in registry/policy.toml to allow it."
    if better:
        return f"Did you mean `{better}`?"
    return (
        "Use an open licence such as `MIT`; a private registry can allow `LicenseRef-NAME` with "
        "`proprietary = true` under `[licenses]` in registry/policy.toml."
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


_FORMS = (("tags", is_tag, "tag"), ("languages", is_language, "language tag"))


@rule("REG022", spec="registry/RELEASE", severity=WARNING)
def bad_tag_or_language(submission: Submission) -> Iterator[Finding]:
    """A tag or a language is not in the standard form, or is listed twice.

    ## Why
    Tags and languages are the filters of the catalogue. `Language Learning`, `language_learning`
    and `language-learning` would be three filters with a third of the entries each. One with a line
    break or another control character is an error: it could look like several lines of output.

    ## Fix
    Write tags in lower-case letters and digits, with words joined by `-`, and languages as BCP 47
    tags such as `en` or `pt-BR`.

    ```toml
    tags = ["language-learning", "conversation"]
    languages = ["en", "pt-BR"]
    ```
    """
    for key, is_valid, kind in _FORMS:
        seen: set[str] = set()
        for index, value in islice(submission.release.strings(key), MOST):
            if not value.strip():
                continue
            at, path = join((key, index)), _path(submission)
            if not is_valid(value):
                # A line break would make a label look like several lines of output.
                control = control_in(value)
                yield Finding(
                    message=f"`{value}` is not a {kind}",
                    at=at,
                    path=path,
                    severity=ERROR if control else None,
                    since="0.2.0" if control else "",
                )
            elif value.lower() in seen:
                yield Finding(message=f"`{value}` is listed twice", at=at, path=path)
            seen.add(value.lower())


@rule("REG036", spec="registry/RELEASE", severity=ERROR, since="0.2.0")
def bad_origin(submission: Submission) -> Iterator[Finding]:
    """`[origin]` in release.toml is not a usable statement about where a prompt is from.

    ## Why
    The catalogue shows the origin, and people follow it to compare the prompt with its source and
    to read its licence there. That needs an address that leads to one place: one with a user name
    looks like another host, and `..` leads elsewhere. Nobody can check an origin later if digest or
    date are not exact. Paths of your own machine tell nobody anything, except about you.

    ## Fix
    Write the https address of the repository, folder or page, the path of the file in it, and the
    digest and day as the message says.

    ```toml
    [origin]
    address = "https://github.com/example/prompts"
    revision = "0b5fbc1a7e4ce0a1f9a3b6a9e6ea39b1f4f2f1d3"
    path = "prompts/quiz.md"
    sha256 = "the output of: sha256sum prompts/quiz.md"
    license = "CC0-1.0"
    license_found_in = "LICENSE"
    imported = 2026-11-22
    ```
    """
    for key, fault in origin_faults(submission.release.origin):
        yield Finding(message=fault, at=join(("origin", key)), path=_path(submission))


def origin_faults(origin: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the keys of an origin that are not usable, and why."""
    for key, value in origin.items():
        if not value.isprintable():
            yield key, "it contains a character that does not print"
    if (address := origin.get("address")) and not origin_parts(address):
        yield "address", "it is not a plain https address: no user, query, fragment or `..`"
    for key in ("path", "license_found_in"):
        path = origin.get(key, "")
        if path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/"):
            yield key, "it is not a path relative to the address"
    if (digest := origin.get("sha256")) and not SHA256.fullmatch(digest):
        yield "sha256", "it is not 64 lower-case hexadecimal digits"
    if (day := origin.get("imported")) and not is_date(day):
        yield "imported", "it is not a date written as YYYY-MM-DD"
