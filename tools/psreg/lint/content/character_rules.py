"""The rules about visible characters that deceive or do harm."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Change, Finding, Span
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.core.terminal import code_point, code_points, quoted
from psreg.lint.content import text_folding
from psreg.lint.content.invisible_rules import deletable
from psreg.lint.content.texts import Content
from psreg.lint.segments import Kind, Segment

_CONTROL_RUN = lazy("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]++")
_COMMANDS = lazy("[\0\b\x0e\x0f\x7f\x90\x98\x9b\x9d-\x9f]|\x1b(?!\\s|\\Z)")
"""Control characters that change what a terminal shows, or end a text."""

_CONTROLS = tuple(c for c in map(chr, range(0x80)) if not c.isprintable() and c not in "\t\n\r")
_RETURN = lazy("\r++\n?")
_SEQUENCE = 24
"""Characters that the message shows, from the control character on."""


@rule("PS005", spec="registry/CONTENT", severity=ERROR)
def control_characters(content: Content) -> Iterator[Finding]:
    r"""The text contains a control character.

    ## Why
    Control characters are commands to a terminal, not text. U+001B can repaint a screen, change the
    title of a window or hide the text that follows, in every terminal and build log that shows the
    file. A NUL ends a text for some programs and not for others. In JSON, an escape such as
    `\u0000` or `\b` counts as well. Tab, line feed and carriage return are allowed. A carriage
    return without a line feed makes a terminal write over the line; it is a warning. So are control
    characters without an effect on what is shown, which programs leave where they lose an arrow or
    a page break.

    ## Fix
    Delete the character. To write about one, use its name.

    ```text
    before   Answer {U+001B}[8m…{U+001B}[0m
    after    Answer …
    ```
    """
    for segment, run in content.find(_CONTROL_RUN, *(_CONTROLS if content.ascii else ())):
        shown = quoted(segment.text[run.start() : run.start() + _SEQUENCE])
        number = len(run[0])
        what = f"{number} characters, {code_points(run[0])}, are control characters"
        if number == 1:
            what = f"{code_point(run[0])} is a control character"
        span, fixable = segment.span(*run.span()), deletable(segment, run)
        yield Finding(
            message=f"{what}, not text: {shown}",
            at=span,
            hint="Delete it. To write about it, use its name.",
            severity=None
            if _COMMANDS.search(segment.text, run.start(), run.end() + 1)
            else WARNING,
            fix=(Change(span, ""),) if fixable else (),
            fix_title="Delete control characters" if fixable else "",
        )
    for segment, run in content.find(_RETURN, "\r"):
        if run[0] not in ("\r\n", "\r\r\n"):
            span = segment.span(*run.span())
            decoded = segment.kind in (Kind.VALUE, Kind.KEY)
            yield Finding(
                message="a carriage return without a line feed hides the line before it",
                at=span,
                hint="Write a line feed instead.",
                severity=WARNING,
                fix=(Change(span, "\\n" if decoded else "\n"),),
                fix_title="Write a line feed",
            )


_PRIVATE_RUN = lazy("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]++")


@rule("PS006", spec="registry/CONTENT", severity=WARNING)
def private_characters(content: Content) -> Iterator[Finding]:
    """A private-use character has no defined meaning.

    ## Why
    What U+E000 and its neighbours look like depends on the fonts of one computer. On others they
    appear as a box or not at all. They come from icon fonts and word processors, and they can hide
    a message from a reviewer.

    ## Fix
    Replace the character with an emoji or a word.

    ```text
    before   {U+F0B7} First point
    after    - First point
    ```
    """
    if content.ascii:
        return
    for segment, run in content.find(_PRIVATE_RUN):
        yield Finding(
            message=f"{code_points(run[0])}: a private-use character without a standard meaning",
            at=segment.span(*run.span()),
            hint="Replace it with an emoji or a word.",
        )


_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a"
_OTHER = (  # Greek, Cyrillic, Armenian, Cherokee
    "\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u03ff\u1f00-\u1fbc\u1fc2-\u1fcc\u1fd0-\u1fdb"
    "\u1fe0-\u1fec\u1ff2-\u1ffc\u0400-\u0481\u048a-\u052f\u1c80-\u1c88\ua640-\ua66e\ua680-\ua69b"
    "\u0531-\u0556\u0560-\u0588\ufb13-\ufb17\u13a0-\u13fd\uab70-\uabbf"
)
_OTHERS = lazy(f"[{_OTHER}]")
_BETWEEN = "[0-9\u0300-\u036f]{0,4}"
_MEETING = lazy(f"[{_LATIN}]{_BETWEEN}[{_OTHER}]|[{_OTHER}]{_BETWEEN}[{_LATIN}]")
_WORD = lazy(r"[^\W_]{1,200}+")
_LATINS = lazy(f"[{_LATIN}]")
_GREEK = lazy("[\u0370-\u03ff\u1f00-\u1fff]")
_FORMULA = 3
_AROUND = 100
_ADDRESS = lazy(
    r"[a-z][a-z0-9+.-]{1,20}://\S|www\.\w|[\w.+-]@\w|\w\.(?:com|org|net|io|dev|app|ai|co|info|edu|gov"
    r"|[a-z]{2})(?:[/:?#]|$)",
    re.IGNORECASE,
)


@rule("PS007", spec="registry/CONTENT", severity=WARNING, worst=ERROR)
def mixed_scripts(content: Content) -> Iterator[Finding]:
    """A word mixes Latin letters with similar letters of another script.

    ## Why
    A Cyrillic а in "pаypal" looks exactly like the Latin one. A link that a reviewer approved then
    leads elsewhere, and a name is a different name. In an address or an identifier the finding is
    an error: no honest text needs it there. The parts of a name with `_` count one by one. Greek
    letters in formulas, such as μm, are allowed.

    ## Fix
    Retype the word with one keyboard layout. The message names the letters of the other script.

    ```text
    before   p{U+0430}ypal
    after    paypal
    ```
    """
    if content.ascii or not _OTHERS.search("".join(content.characters)):
        return
    for segment, start, end in _mixed(content):
        word = segment.text[start:end]
        others, latin = _OTHERS.findall(word), _LATINS.findall(word)
        majority, minority = ("Latin", others) if len(others) <= len(latin) else ("other", latin)
        named = ", ".join(code_point(c) for c in list(dict.fromkeys(minority))[:3])
        severe = segment.kind is Kind.KEY or _is_identifier(segment, start, end)
        yield Finding(
            message=f"{quoted(word)} has {majority} letters and {named}",
            at=segment.span(start, end),
            severity=ERROR if severe else None,
            hint="Retype the word with one keyboard layout.",
        )


def _mixed(content: Content) -> Iterator[tuple[Segment, int, int]]:
    """Yield each word of two scripts: its segment, start and end."""
    last, done = None, 0
    for segment, match in content.find(_MEETING):
        if segment is last and match.start() < done:
            continue
        start = match.start()
        while start > max(0, match.start() - _AROUND) and _is_letter(segment.text[start - 1]):
            start -= 1
        word = _WORD.match(segment.text, start)
        last, done = segment, word.end() if word else match.end()
        if not _is_formula(segment.text[start:done]):
            yield segment, start, done


def _is_letter(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _is_formula(word: str) -> bool:
    """Tell whether the foreign letters of `word` are Greek symbols: μm, Δt, αx."""
    strangers = _OTHERS.findall(word)
    if not all(_GREEK.match(c) for c in strangers):
        return False
    short = len(word) <= _FORMULA and len(strangers) == 1 and strangers[0].islower()
    return short or not any(text_folding.lookalike(c) for c in strangers)


def _is_identifier(segment: Segment, start: int, end: int) -> bool:
    """Tell whether the word is in an address, a name with `_`, a variable or code."""
    text = segment.text
    around = text[start - 1 : start], text[end : end + 1]
    if "_" in around or around == ("{", "}"):
        return True
    before = text[max(0, start - _AROUND) : start].split()
    after = text[end : end + _AROUND].split()
    token = text[start:end]
    if before and start and not text[start - 1].isspace():
        token = before[-1] + token
    if after and not text[end].isspace():
        token += after[0]
    return _ADDRESS.search(token.rstrip(".,;:!?)]}\"'")) is not None or segment.in_code(start)


_STACK = 4
_OWN = 9
"""Marks of its own script that a letter may carry, as in the Hebrew of a synagogue."""

_LONG = 200
"""Characters after which a name or a stack is not compared with its composed form."""
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Variation selectors have the category of marks but take up no space; PS004 checks them."""


@rule("PS008", spec="registry/CONTENT", severity=ERROR)
def stacked_marks(content: Content) -> Iterator[Finding]:
    """A character carries four or more combining marks.

    ## Why
    Such a stack covers the lines above and below and makes a page, a terminal or a review
    unreadable. Marks that combine into a letter are counted after they are composed. Marks of the
    letter's own script, such as the vowel signs and accents of Hebrew, Arabic, Tibetan and Burmese,
    count only from the tenth on.

    ## Fix
    Delete the marks.
    """
    marks = "" if content.ascii else "".join(filter(_is_mark, content.characters))
    if not marks:
        return
    stack = re.compile(f"[^{re.escape(marks)}]?[{re.escape(marks)}]{{{_STACK},}}+")
    found = ((p, m) for p, m in content.find(stack) if _is_stack(m[0]))
    for segment, match in found:
        yield Finding(
            message=f"{_height(match[0])} combining marks are stacked on one character",
            at=segment.span(*match.span()),
            hint="Delete the marks.",
        )


def _is_stack(text: str) -> bool:
    height = _height(text)
    if height < _STACK:
        return False
    script = "" if _is_mark(text[0]) else _script(text[0])
    own = sum(_script(mark) == script for mark in set(text[1:_LONG]))
    return own > _OWN or height - own >= _STACK


def _script(character: str) -> str:
    """Return the script of a character, the first word of its name; marks of all have none."""
    return unicodedata.name(character, "").partition(" ")[0]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me") and character not in _SELECTORS


def _height(text: str) -> int:
    """Return how many marks `text`, a letter with its marks, has in Unicode's composed form."""
    # NOTE: ordering the marks of a long stack would take quadratic time.
    beyond = len(text[_LONG:])
    return sum(map(_is_mark, unicodedata.normalize("NFC", text[:_LONG]))) + beyond


_IDENTIFIERS = frozenset(("name", "id", "key", "version", "command", "commands"))
"""Last words of the member names of a PBE whose values are typed or compared."""


@rule("PS009", spec="registry/CONTENT", severity=ERROR)
def ambiguous_encoding(content: Content) -> Iterator[Finding]:
    """A name is not in Unicode's composed form, or the encoding of a file is ambiguous.

    ## Why
    "é" is either one character or two, and both look the same. The name that a person types then
    differs from the name in the file, and two fields that look alike are different fields. With
    several byte order marks, or with characters lost in a conversion, programs read different texts
    from the same bytes.

    ## Fix
    Retype the name, or save the file as UTF-8 without a byte order mark. On a command line, `uconv
    -x any-nfc` composes a text.
    """
    if content.ascii:
        return
    yield from _decomposed(content)
    if content.kind is Kind.VALUE:
        return
    text = content.source
    marks = len(text) - len(text.lstrip("\ufeff"))
    # NOTE: the reader of README files has already removed the first mark.
    if marks > (content.kind is not Kind.README):
        message = f"the file starts with {marks + (content.kind is Kind.README)} byte order marks"
        hint = "Save it as 'UTF-8', not as 'UTF-8 with BOM'."
        yield Finding(message=message, at=content.segments[0].span(0, marks), hint=hint)
    if content.kind is Kind.README and (lost := text.find("\ufffd")) >= 0:
        message = "the file is not UTF-8, or characters were lost when it was converted"
        hint = "Save the file as UTF-8, and correct what is shown as \ufffd."
        yield Finding(message=message, at=content.segments[0].span(lost, lost + 1), hint=hint)


def _decomposed(content: Content) -> Iterator[Finding]:
    for segment in content.segments:
        named = segment.kind is Kind.KEY or (
            segment.kind is Kind.VALUE
            and segment.pointer.rpartition("/")[2].rpartition("_")[2] in _IDENTIFIERS
        )
        if named and not _is_composed(segment.text):
            yield _not_composed(segment.text, segment.span(0, len(segment.text)))
    for entry in content.prompt.entries if content.prompt else ():
        if entry.section == "METADATA" and not _is_composed(entry.value):
            yield _not_composed(entry.value, entry.span)


def _is_composed(name: str) -> bool:
    return unicodedata.is_normalized("NFC", name[:_LONG])


def _not_composed(text: str, span: Span) -> Finding:
    composed = unicodedata.normalize("NFC", text[:_LONG])
    return Finding(
        message=f"the name {quoted(text)} is not composed: {code_points(_change(text, composed))}",
        at=span,
        hint=f"Write it with {code_points(_change(composed, text))}; it looks the same.",
    )


def _change(text: str, other: str) -> str:
    """Return two characters of `text` from where it begins to differ from `other`."""
    pairs = enumerate(zip(text, other, strict=False))
    start = next((at for at, (one, two) in pairs if one != two), min(len(text), len(other)))
    return text[start : start + 2]


CHARACTER_RULES: tuple[Rule[Content], ...] = (
    control_characters,
    private_characters,
    mixed_scripts,
    stacked_marks,
    ambiguous_encoding,
)
