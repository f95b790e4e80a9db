"""The rules about secrets: secrets in a text, and texts that ask for secrets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import Rule, rule
from psreg.lint.content.pattern_search import hits
from psreg.lint.content.pattern_tables import patterns, table
from psreg.lint.content.texts import Content

_TAIL, _VARIETY = 20, 7
"""A text is a key, not a placeholder, if its last 20 characters have 7 different ones or more."""

_SHOWN = 8
"""Characters of a secret that a message shows."""


@rule("PS040", spec="registry/CONTENT", severity=ERROR)
def secret(content: Content) -> Iterator[Finding]:
    """The text contains a key, token or password of a service.

    ## Why
    What is merged stays public: mirrors and clones keep it, and programs that search for keys find
    it within minutes. The message shows only the first characters. Keys printed in public manuals
    are known by their digest and pass.

    ## Fix
    Revoke the key with the service that issued it. Removing it from the text does not help once
    someone has seen it. Then write a placeholder instead.

    ```text
    before   Authorization: Bearer ghp_9fK2…
    after    Authorization: Bearer {github_token}
    ```
    """
    found = (hit for hit in hits(content, patterns("secrets", "PS040")) if _counts(hit.text))
    for hit in found:
        yield Finding(
            message=f"{hit.pattern.note}: {hit.text[:_SHOWN]}… ({len(hit.text)} characters)",
            at=hit.segment.span(hit.start, hit.end),
            hint="Revoke it with the service that issued it, then write a placeholder here.",
        )


def _counts(text: str) -> bool:
    varied = len(set(text[-_TAIL:])) >= _VARIETY
    return varied and _digest(text) not in _known() and not _is_placeholder(text.lower())


def _is_placeholder(text: str) -> bool:
    return any(word in text for word in table("secrets")["placeholders"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _known() -> frozenset[str]:
    return frozenset(row["sha256"] for row in table("secrets")["known"])


@rule("PS041", spec="registry/CONTENT", severity=WARNING)
def credential_path(content: Content) -> Iterator[Finding]:
    """The text names a file or folder that contains passwords or keys.

    ## Why
    An assistant that may read files reads these as well if a text sends it there. What it reads
    becomes part of the conversation. Few prompts need this.

    ## Fix
    Ask the user for the one value that is needed, or name the setting instead of the file. If the
    file is the subject of the prompt, say so in release.toml:

    ```toml
    [waivers]
    PS041 = "The prompt explains the syntax of ~/.ssh/config and never asks for its content."
    ```
    """
    for hit in hits(content, patterns("access", "PS041")):
        hint = "Ask for the one value that is needed, or waive PS041."
        yield hit.finding(hint=hint, severity=INFO if hit.is_quoted else None)


@rule("PS042", spec="registry/CONTENT", severity=WARNING)
def environment_dump(content: Content) -> Iterator[Finding]:
    """The text has all environment variables printed or sent.

    ## Why
    Services pass keys to programs as environment variables. Printing all variables puts every key
    into the conversation and into every log of it.

    ## Fix
    Name the variables that matter.

    ```text
    before   Run `printenv` and look for problems.
    after    Show the values of `PATH` and `LANG`.
    ```

    If the whole environment is really needed, waive the rule with a reason in release.toml.
    """
    for hit in hits(content, patterns("access", "PS042")):
        hint = "Name the variables that matter, or waive PS042."
        yield hit.finding(hint=hint, severity=INFO if hit.is_quoted else None)


SECRET_RULES: tuple[Rule[Content], ...] = (secret, credential_path, environment_dump)
