"""The syntax rules of TOML files: each reports the tree's issues of its code.

The parser finds the issues; these pages explain them. If a file is no TOML, only these speak.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import Rule, rule
from psreg.formats.toml.toml_document import TomlTree
from psreg.lint.reported import of_issues


@rule("TOML001", spec="toml-1.0.0/SPEC", severity=ERROR)
def toml_not_utf8(tree: TomlTree) -> Iterator[Finding]:
    """The TOML file is not encoded in UTF-8.

    ## Why
    TOML is UTF-8 by definition. In another encoding every accented letter of a summary or a name
    turns into a wrong character, or the file cannot be read at all, and psreg would have to guess
    which.

    ## Fix
    Open the file in your editor and save it with the encoding **UTF-8**. On a command line, for a
    file in Windows-1252:

    ```sh
    iconv -f WINDOWS-1252 -t UTF-8 old.toml > release.toml
    ```
    """
    yield from of_issues(tree.issues, "TOML001")


@rule("TOML002", spec="toml-1.0.0/SPEC", severity=ERROR)
def invalid_toml(tree: TomlTree) -> Iterator[Finding]:
    """The file is not valid TOML.

    ## Why
    Nothing in the file can be trusted to mean what its author meant. The usual causes are a text
    without quotes, a quotation mark inside a text, a key that stands twice, or a line break inside
    `"…"`. Only the first problem is reported, because what follows it cannot be understood
    reliably.

    ## Fix
    Repair the place the message points at, then check again.

    ```toml
    summary = "Texts stand in quotes."
    tags = ["so", "do", "the", "items", "of", "lists"]
    ```
    """
    yield from of_issues(tree.issues, "TOML002")


@rule("TOML003", spec="registry/LIMITS", severity=ERROR)
def toml_too_large(tree: TomlTree) -> Iterator[Finding]:
    """The TOML file is larger than 1 MiB.

    ## Why
    These files hold a few lines about a prompt. All of release.toml is part of the signed record
    that every client downloads, so a huge one would slow down everybody, and reading it could be
    used to keep the registry busy.

    ## Fix
    Move transcripts and long texts into files of their own: transcripts belong in `evidence/`,
    explanations in `README.md`.
    """
    yield from of_issues(tree.issues, "TOML003")


@rule("TOML004", spec="registry/LIMITS", severity=ERROR)
def toml_nested_too_deep(tree: TomlTree) -> Iterator[Finding]:
    """Keys and lists of the TOML file are nested more than 64 deep.

    ## Why
    Nothing that belongs into these files is nested more than a few levels. Deeper nesting is an
    accident or an attempt to exhaust the programs that read the file, and different programs give
    up at different depths.

    ## Fix
    Remove the brackets or dotted keys that nest.

    ```toml
    [[tested]]
    platform = "claude"
    settings = {temperature = 0.2}
    ```
    """
    yield from of_issues(tree.issues, "TOML004")


@rule("TOML005", spec="toml-1.0.0/SPEC", severity=ERROR)
def toml_byte_order_mark(tree: TomlTree) -> Iterator[Finding]:
    r"""The TOML file starts with a byte order mark.

    ## Why
    The mark is an invisible character that some editors put in front of a text. TOML 1.0.0 does
    not allow it, many readers stop at it, and since a released file never changes it would stay
    there for ever.

    ## Fix
    Save the file as **UTF-8**, not as "UTF-8 with BOM". On a command line:

    ```sh
    sed -i '1s/^\xef\xbb\xbf//' release.toml
    ```
    """
    yield from of_issues(tree.issues, "TOML005")


TOML_RULES: tuple[Rule[TomlTree], ...] = (
    toml_not_utf8,
    invalid_toml,
    toml_too_large,
    toml_nested_too_deep,
    toml_byte_order_mark,
)
"""The rules about the text of release.toml, entry.toml and policy.toml."""
