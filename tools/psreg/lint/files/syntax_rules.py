"""The syntax rules of JSON and TOML files: each reports the tree's issues of its code.

The parser finds the issues; these pages explain them. If a file does not parse, no other rules
check it.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import Rule, rule
from psreg.formats.json.json_document import JsonTree
from psreg.formats.toml_document import TomlTree
from psreg.lint.parser_findings import of_issues


@rule("JSON001", spec="pbe-1.0/PBE-01", severity=ERROR)
def not_utf8(tree: JsonTree) -> Iterator[Finding]:
    """The file is not encoded in UTF-8.

    ## Why
    A PBE is sent to assistants on many platforms, and all of them read UTF-8. In another encoding,
    such as Windows-1252 or UTF-16, every accented letter and typographic quote turns into a wrong
    character, or the file is rejected. The PBE format allows only UTF-8.

    ## Fix
    Open the file in your editor and save it with the encoding **UTF-8** (not "ANSI", not
    "Unicode"). On a command line, for a file in Windows-1252:

    ```sh
    iconv -f WINDOWS-1252 -t UTF-8 old.pbe.txt > new.pbe.txt
    ```
    """
    yield from of_issues(tree.issues, "JSON001")


@rule("JSON002", spec="pbe-1.0/PBE-01", severity=ERROR)
def invalid_json(tree: JsonTree) -> Iterator[Finding]:
    r"""The file is not valid JSON.

    ## Why
    Programs cannot read the file, and an assistant that receives it has to guess where one
    instruction ends and the next one starts. Common causes are a missing or extra comma, a
    quotation mark inside a string, curly quotes from a word processor, a comment, or the code fence
    around a chat reply. psreg reports only the first problem, because it cannot reliably understand
    what follows.

    ## Fix
    Correct the place that the message points at, then check again. For example, escape a double
    quote inside a string with a backslash, and write no comma after the last field:

    ```text
    before   {"tone": "say "please" often",}
    after    {"tone": "say \"please\" often"}
    ```
    """
    yield from of_issues(tree.issues, "JSON002")


@rule("JSON003", spec="pbe-1.0/PBE-A14", severity=ERROR)
def duplicate_key(tree: JsonTree) -> Iterator[Finding]:
    """An object has the same name twice.

    ## Why
    Some programs use the first of the two values, others the last, and an assistant reads both. The
    prompt that was reviewed may not be the prompt that runs, and an attacker can use this to hide
    an instruction from a reviewer.

    ## Fix
    Delete one of the two fields, or rename one.

    ```text
    before   {"tone": "friendly", "goal": "teach", "tone": "strict"}
    after    {"tone": "friendly", "goal": "teach"}
    ```
    """
    yield from of_issues(tree.issues, "JSON003")


@rule("JSON004", spec="pbe-1.0/PBE-A14", severity=ERROR)
def byte_order_mark(tree: JsonTree) -> Iterator[Finding]:
    r"""The file starts with a byte order mark.

    ## Why
    A byte order mark is an invisible character that some editors on Windows write before the first
    `{`. UTF-8 does not need it, and many JSON parsers fail on it with an error that is hard to
    understand because the character is invisible.

    ## Fix
    Save the file as **UTF-8**, not as **UTF-8 with BOM**. On a command line:

    ```sh
    sed -i '1s/^\xEF\xBB\xBF//' my_prompt.pbe.txt
    ```
    """
    yield from of_issues(tree.issues, "JSON004")


@rule("JSON005", spec="pbe-1.0/PBE-A14", severity=ERROR)
def not_a_json_number(tree: JsonTree) -> Iterator[Finding]:
    """A value is `NaN`, `Infinity` or `-Infinity`, which JSON does not have.

    ## Why
    Some programming languages write these words when a calculation has no result, and read them
    back without complaint. They are not JSON: browsers and most other programs reject the whole
    file because of one of them.

    ## Fix
    Write `null` for "no value", or describe the value in a string.

    ```text
    before   {"limit": Infinity}
    after    {"limit": "no limit"}
    ```
    """
    yield from of_issues(tree.issues, "JSON005")


@rule("JSON006", spec="pbe-1.0/PBE-A14", severity=ERROR)
def lone_surrogate(tree: JsonTree) -> Iterator[Finding]:
    r"""A string contains half of a character.

    ## Why
    In JSON, an emoji may be written as two escapes, such as `\ud83d\ude00`. One of the two alone is
    not a character: it cannot be stored as UTF-8, displayed or signed. Programs replace it, drop it
    or fail. It usually appears when a string is cut in the middle of an emoji.

    ## Fix
    Write the character itself, or complete the pair.

    ```text
    before   {"tone": "cheerful \ud83d"}
    after    {"tone": "cheerful 😀"}
    ```
    """
    yield from of_issues(tree.issues, "JSON006")


@rule("JSON007", spec="pbe-1.0/PBE-01", severity=ERROR)
def trailing_data(tree: JsonTree) -> Iterator[Finding]:
    """There is text after the end of the JSON object.

    ## Why
    A PBE file is one JSON object. Programs do not treat text after its closing brace as part of the
    PBE, but an assistant that receives the file reads it anyway. Typical leftovers are a second
    object, the end of the code fence of a chat reply, or one brace too many.

    ## Fix
    Delete everything after the closing brace. If the object is closed too early, delete that brace
    instead.

    ```text
    before   {"pbe_name": "hello_world"}} I hope this helps!
    after    {"pbe_name": "hello_world"}
    ```
    """
    yield from of_issues(tree.issues, "JSON007")


@rule("JSON008", spec="pbe-1.0/PBE-A14", severity=ERROR)
def nested_too_deep(tree: JsonTree) -> Iterator[Finding]:
    """Objects and lists are nested more than 64 levels deep.

    ## Why
    The PBE format needs five levels. Files with far deeper nesting are nearly always made to crash
    the programs that read them, so every parser sets a limit. The limit of psreg is 64.

    ## Fix
    Flatten the structure: give inner objects their own names and put them side by side.

    ```text
    before   {"a": {"b": {"c": {"d": "…"}}}}
    after    {"a_b_c_d": "…"}
    ```
    """
    yield from of_issues(tree.issues, "JSON008")


@rule("JSON009", spec="pbe-1.0/PBE-A14", severity=ERROR)
def file_too_large(tree: JsonTree) -> Iterator[Finding]:
    """The PBE is larger than 256 KiB, has more than 20,000 values, or very long names.

    ## Why
    A prompt has to fit into a conversation. 256 KiB are about 40,000 words, a novel, and nobody
    reviews a novel for what it makes an assistant do. Large PBEs have a few thousand values; the
    names on the way to a value may have 6,400 characters together. The limits also keep a single
    entry from slowing down every mirror and every review.

    ## Fix
    Keep the instructions and move reference material elsewhere, for example into a file that the
    user uploads when the PBE asks for it.

    ```text
    before   {"dictionary": {"aardvark": "…", "abacus": "…", …}}
    after    {"dictionary": "Ask the user to upload the dictionary file."}
    ```
    """
    yield from of_issues(tree.issues, "JSON009")


@rule("JSON010", spec="pbe-1.0/PBE-A14", severity=ERROR)
def number_too_long(tree: JsonTree) -> Iterator[Finding]:
    """A number has more than 640 characters or is too large for a floating-point value.

    ## Why
    Programs store a number in a few bytes. Beyond about 17 digits most of them round it silently,
    and beyond 1.8e308 it becomes infinite. Converting very long numbers also takes so much time
    that attackers use them to exhaust programs.

    ## Fix
    Write the digits as a string, or round the number.

    ```text
    before   {"largest": 1e400}
    after    {"largest": "1e400"}
    ```
    """
    yield from of_issues(tree.issues, "JSON010")


@rule("TOML001", spec="toml-1.0.0/SPEC", severity=ERROR)
def toml_not_utf8(tree: TomlTree) -> Iterator[Finding]:
    """The TOML file is not encoded in UTF-8.

    ## Why
    TOML is always UTF-8. In another encoding, every accented letter of a summary or a name turns
    into a wrong character, or the file cannot be read at all, and psreg would have to guess the
    encoding.

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
    The file cannot be read, so psreg cannot know what it means. Common causes are a string without
    quotes, a quotation mark inside a string, a duplicate key, or a line break inside `"…"`. psreg
    reports only the first problem, because it cannot reliably understand what follows.

    ## Fix
    Correct the place that the message points at, then check again.

    ```toml
    summary = "Texts stand in quotes."
    tags = ["so", "do", "the", "items", "of", "lists"]
    ```
    """
    yield from of_issues(tree.issues, "TOML002")


@rule("TOML003", spec="registry/LIMITS", severity=ERROR)
def toml_too_large(tree: TomlTree) -> Iterator[Finding]:
    """The TOML file is larger than 256 KiB.

    ## Why
    These files hold a few lines about a prompt. All of release.toml becomes part of the signed
    record that every client downloads, so a huge file slows down every client, and an attacker
    could use it to keep the registry busy.

    ## Fix
    Move transcripts and long texts to their own files: transcripts belong in `evidence/`,
    explanations in `README.md`.
    """
    yield from of_issues(tree.issues, "TOML003")


@rule("TOML004", spec="registry/LIMITS", severity=ERROR)
def toml_nested_too_deep(tree: TomlTree) -> Iterator[Finding]:
    """Keys and lists of the TOML file are nested more than 64 levels deep.

    ## Why
    Nothing that belongs in these files is nested more than a few levels. Deeper nesting is an
    accident or an attempt to exhaust the programs that read the file, and programs differ in the
    depth they accept.

    ## Fix
    Remove the nested brackets or dotted keys.

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
    The byte order mark is an invisible character that some editors write at the start of a file.
    TOML 1.0.0 does not allow it, and many parsers fail on it. A released file never changes, so the
    mark would stay there for good.

    ## Fix
    Save the file as **UTF-8**, not as "UTF-8 with BOM". On a command line:

    ```sh
    sed -i '1s/^\xef\xbb\xbf//' release.toml
    ```
    """
    yield from of_issues(tree.issues, "TOML005")


JSON_RULES: tuple[Rule[JsonTree], ...] = (
    not_utf8,
    invalid_json,
    duplicate_key,
    byte_order_mark,
    not_a_json_number,
    lone_surrogate,
    trailing_data,
    nested_too_deep,
    file_too_large,
    number_too_long,
)


TOML_RULES: tuple[Rule[TomlTree], ...] = (
    toml_not_utf8,
    invalid_toml,
    toml_too_large,
    toml_nested_too_deep,
    toml_byte_order_mark,
)
"""The rules about the text of release.toml, entry.toml and policy.toml."""
