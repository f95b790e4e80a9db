"""The rules about text that is encoded: what it says is decoded once and judged, too."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote_to_bytes

from psreg.core.diagnostics import WARNING, Finding
from psreg.core.rule import Rule, rule
from psreg.lint.content.patterns import disguisable, hits, patterns
from psreg.lint.content.shown import MOST, hidden_bytes
from psreg.lint.content.texts import Content, Kind, Passage

_LONG = 120
"""Characters of base64 that are no name, hash or token any more."""

_LINE = 40
"""Characters of a line of base64 that is wrapped."""

_VARIETY = 24
"""Different characters that 120 characters of base64 have at least, unless they encode zeros."""

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{40,}+={0,2}")
_LETTERS = re.compile(r"[A-Za-z0-9+/_-]++")
_BREAK = re.compile(r"\r?\n[ \t>]*+")
_PICTURE = re.compile(
    r"data:(?:image/(?:png|jpe?g|gif|webp|x-icon)|font/\w{1,8});base64,\Z", re.IGNORECASE
)

_ESCAPES = (
    ("hexadecimal digits", re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{160,}+(?![0-9A-Za-z])")),
    ("escaped bytes", re.compile(r"(?:\\x[0-9A-Fa-f]{2}){16,}")),
    ("escaped characters", re.compile(r"(?:\\u00[0-9A-Fa-f]{2}){12,}")),
    ("percent signs", re.compile(r"(?:%[0-9A-Fa-f]{2}){12,}")),
    ("entities", re.compile(r"(?:&#(?:[xX][0-9A-Fa-f]{2,4}|[0-9]{2,5});){8,}")),
)
_DIGITS = 160
"""Hexadecimal digits that are no digest any more, as `_ESCAPES` has it."""

_NEEDLES = ("\\x", "\\u00", "%", "&#")


@rule("PS030", spec="registry/CONTENT", severity=WARNING)
def base64_text(content: Content) -> Iterator[Finding]:
    """A long stretch of base64 hides what it says.

    ## Why
    Nobody reads base64, but a model decodes it, and a shell does. A reviewer must see what an
    entry says; so the message shows the beginning of what is inside, and which rules it would
    break. Pictures in a `data:` URL pass.

    ## Fix
    Write the text as text. If the encoded form is the point, for instance in an exercise, keep it
    short, or say in release.toml what it contains:

    ```toml
    [waivers]
    PS030 = "The exercise has the learner decode a paragraph of Moby-Dick."
    ```
    """
    if content.longest < _LINE:
        return
    for passage, start, end in islice(_runs(content), MOST):
        text = passage.text[start:end]
        yield Finding(
            message=f"{len(text)} characters of base64 {_evidence(_debased(text))}",
            at=passage.span(start, end),
            hint="Write it as text, or waive PS030 and say what it contains.",
        )


def _runs(content: Content) -> Iterator[tuple[Passage, int, int]]:
    """Yield the stretches of base64; lines of the same width belong together, and the one after."""
    for passage in content.passages:
        start = end = width = 0
        for match in _BASE64.finditer(passage.text):
            last = len(match[0])
            if width and last <= width and _BREAK.fullmatch(passage.text, end, match.start()):
                end = match.end()
            else:
                if _is_base64(passage.text, start, end):
                    yield passage, start, end
                (start, end), width = match.span(), last
            width = width if last == width else 0
        if _is_base64(passage.text, start, end):
            yield passage, start, end


def _is_base64(text: str, start: int, end: int) -> bool:
    run = text[start:end]
    return (
        end - start >= _LONG
        and len(set(run)) >= _VARIETY
        and any(c.isdigit() for c in run)
        and any(c.islower() for c in run)
        and any(c.isupper() for c in run)
        and not _PICTURE.search(text, max(0, start - 40), start)
    )


def _debased(text: str) -> bytes:
    plain = "".join(_LETTERS.findall(text)).replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


@rule("PS031", spec="registry/CONTENT", severity=WARNING)
def escaped_text(content: Content) -> Iterator[Finding]:
    r"""A long stretch of hexadecimal digits, escapes or entities hides what it says.

    ## Why
    `\x69\x67\x6e…`, `%69%67%6e…`, `&#105;&#103;…` and plain hexadecimal digits are ways to write
    a text that no reviewer can read and every model can. Percent signs for letters beyond ASCII,
    as in an address with Chinese words, are needed and pass; digits up to the length of the usual
    digests pass, too.

    ## Fix
    Write the text as text. If the encoded form is the point, say in release.toml what it contains:

    ```toml
    [waivers]
    PS031 = "A dump of a network packet; the assistant explains its fields."
    ```
    """
    if not any(n in content.lower for n in _NEEDLES) and content.longest < _DIGITS:
        return
    found = (
        (what, passage, match)
        for what, pattern in _ESCAPES
        for passage, match in content.find(pattern)
    )
    for what, passage, match in islice(found, MOST):
        data = _unescaped(match[0])
        if _needless(data) if match[0][0] in "%&" else len(set(data)) > 1:
            yield Finding(
                message=f"{len(match[0])} characters of {what} {_evidence(data)}",
                at=passage.span(*match.span()),
                hint="Write it as text, or waive PS031 and say what it contains.",
            )


def _unescaped(text: str) -> bytes:
    if text[0] == "%":
        return unquote_to_bytes(text)
    if text[0] == "&":
        return html.unescape(text).encode("utf-8", "replace")
    digits = text.replace("\\x", "").replace("\\u00", "").removeprefix("0x")
    return binascii.unhexlify(digits[: len(digits) // 2 * 2])


def _needless(data: bytes) -> bool:
    """Tell whether most of the bytes are letters that need no escape."""
    return sum(chr(byte).isalnum() and byte < 0x80 for byte in data) * 2 > len(data)  # noqa: PLR2004


def _evidence(data: bytes) -> str:
    said = f"say {hidden_bytes(data)}"
    text = data.decode("utf-8", "replace")
    inner = Content(passages=(Passage(text=text, kind=Kind.VALUE),), source=text, kind=Kind.VALUE)
    rows = disguisable() | {"PS040": patterns("secrets", "PS040")}
    broken = [code for code, known in rows.items() if next(hits(inner, known), None)]
    return f"{said}, which breaks {', '.join(broken)}" if broken else said


ENCODED_RULES: tuple[Rule[Content], ...] = (base64_text, escaped_text)
