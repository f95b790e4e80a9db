"""The syntax rules of JSON files: each reports the tree's issues of its code.

The parser finds the issues; these pages explain them. If a file is no JSON, only these speak.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import Rule, rule
from psreg.formats.json.json_document import JsonTree
from psreg.formats.toml_document import TomlTree
from psreg.lint.reported import of_issues


@rule("JSON001", spec="pbe-1.0/PBE-01", severity=ERROR)
def not_utf8(tree: JsonTree) -> Iterator[Finding]:
    """The file is not encoded in UTF-8.

    ## Why
    A PBE is sent to assistants on many platforms, and all of them read UTF-8. In another
    encoding, such as Windows-1252 or UTF-16, every accented letter and typographic quote turns
    into a wrong character, or the file is refused. The PBE format therefore allows UTF-8 only.

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
    A program cannot read the file at all, and an assistant that receives it has to guess where
    one instruction ends and the next one starts. The usual causes are a missing or superfluous
    comma, a quotation mark inside a text, curly quotes from a word processor, a comment, or the
    code fence around a chat reply. Only the first problem is reported, because what follows it
    cannot be understood reliably.

    ## Fix
    Repair the place the message points at, then check again. For example, a double quote inside
    a text needs a backslash, and nothing follows the last field:

    ```text
    before   {"tone": "say "please" often",}
    after    {"tone": "say \"please\" often"}
    ```
    """
    yield from of_issues(tree.issues, "JSON002")


@rule("JSON003", spec="pbe-1.0/PBE-A14", severity=ERROR)
def duplicate_key(tree: JsonTree) -> Iterator[Finding]:
    """The same name stands twice in one object.

    ## Why
    Some programs take the first of the two values, some the last, and an assistant reads both.
    So the prompt that was reviewed need not be the prompt that runs, which is also a way to
    hide an instruction from a reviewer. One name must mean one thing.

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
    A byte order mark is an invisible character that some editors on Windows write before the
    first `{`. UTF-8 does not need it, and many JSON readers stop at it with an error that is
    hard to understand, because nothing is to be seen there.

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
    back without complaint. They are no JSON: browsers and most other programs refuse the whole
    file because of one of them.

    ## Fix
    Write `null` for "no value", or say in a text what is meant.

    ```text
    before   {"limit": Infinity}
    after    {"limit": "no limit"}
    ```
    """
    yield from of_issues(tree.issues, "JSON005")


@rule("JSON006", spec="pbe-1.0/PBE-A14", severity=ERROR)
def lone_surrogate(tree: JsonTree) -> Iterator[Finding]:
    r"""A text holds half of a character.

    ## Why
    In JSON an emoji may be written as two escapes, such as `\ud83d\ude00`. One of the two
    alone is no character: it cannot be stored as UTF-8, displayed or signed, and programs replace
    it, drop it or fail. It usually appears when a text was cut in the middle of an emoji.

    ## Fix
    Write the character itself, which UTF-8 can hold, or complete the pair.

    ```text
    before   {"tone": "cheerful \ud83d"}
    after    {"tone": "cheerful 😀"}
    ```
    """
    yield from of_issues(tree.issues, "JSON006")


@rule("JSON007", spec="pbe-1.0/PBE-01", severity=ERROR)
def trailing_data(tree: JsonTree) -> Iterator[Finding]:
    """Something follows the end of the JSON object.

    ## Why
    A PBE file is one JSON object. Text after its closing brace is no part of the PBE for a
    program, but an assistant that receives the file reads it all the same. Typical leftovers are
    a second object, the end of the code fence of a chat reply, or one brace too many.

    ## Fix
    Delete what stands after the closing brace. If the object was closed too early, delete that
    brace instead.

    ```text
    before   {"pbe_name": "hello_world"}} I hope this helps!
    after    {"pbe_name": "hello_world"}
    ```
    """
    yield from of_issues(tree.issues, "JSON007")


@rule("JSON008", spec="pbe-1.0/PBE-A14", severity=ERROR)
def nested_too_deep(tree: JsonTree) -> Iterator[Finding]:
    """Objects and lists are nested more than 64 deep.

    ## Why
    The PBE format needs five levels. Files nested many times deeper are nearly always made to
    bring down the programs that read them, which is why every reader sets a limit; psreg's is 64.

    ## Fix
    Flatten the structure: give inner objects a name of their own and put them side by side.

    ```text
    before   {"a": {"b": {"c": {"d": "…"}}}}
    after    {"a_b_c_d": "…"}
    ```
    """
    yield from of_issues(tree.issues, "JSON008")


@rule("JSON009", spec="pbe-1.0/PBE-A14", severity=ERROR)
def file_too_large(tree: JsonTree) -> Iterator[Finding]:
    """The file is larger than 1 MiB.

    ## Why
    A prompt has to fit into a conversation: 1 MiB is about 170,000 words, more than most
    assistants take in with one message. The limit also keeps one entry from making every mirror
    and every review slow.

    ## Fix
    Keep the instructions and move reference material elsewhere, for instance into a file that
    the user uploads when the PBE asks for it.

    ```text
    before   {"dictionary": {"aardvark": "…", "abacus": "…", …}}
    after    {"dictionary": "Ask the user to upload the dictionary file."}
    ```
    """
    yield from of_issues(tree.issues, "JSON009")


@rule("JSON010", spec="pbe-1.0/PBE-A14", severity=ERROR)
def number_too_long(tree: JsonTree) -> Iterator[Finding]:
    """A number has more than 640 characters or is larger than computers can hold.

    ## Why
    Programs read a number into a few bytes: beyond about 17 digits most of them round it without
    a word, and beyond 1.8e308 it becomes infinite. Converting very long numbers also takes so
    much time that they are used to bring programs down.

    ## Fix
    Write the digits as a text, or round the number.

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
