"""The rules about encoded text, which people do not read and models do.

It is decoded, and what it says is checked as well.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from urllib.parse import unquote_to_bytes

from psreg.core.diagnostics import WARNING, Finding
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.lint.content.pattern_tables import disguisable, hits, patterns, table
from psreg.lint.content.texts import Content, Kind, Segment, hidden_bytes

_LONG = 120
"""Characters of base64 that are too many for a name, a hash or a token."""

_LINE = 40
"""The shortest line of wrapped base64."""

_VARIETY = 24
"""The fewest different characters in 120 characters of base64, unless they encode zeros."""

_BASE64 = lazy(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{40,}+={0,2}")
_LETTERS = lazy(r"[A-Za-z0-9+/_-]++")
_SHORT = 16
_WRAPPED_BASE64 = lazy(
    r"(?<![A-Za-z0-9+/_=-])(?:[A-Za-z0-9+/_-]{12,80}\r?\n){1,30}[A-Za-z0-9+/_-]{1,80}={0,2}(?![^\n])"
)
_TIMES = 3
"""How often a text that is encoded again is decoded."""
_SHORT_BASE64 = lazy(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}+={0,2}")
_BREAK = lazy(r"\r?\n[ \t>]*+")
_UNBROKEN = lazy(r"[A-Za-z0-9+=]{21}")
"""What base64 has, and paths do not: many characters without a slash, hyphen or underscore."""

_PICTURE = lazy(
    r"data:(?:image/(?:png|jpe?g|gif|webp|x-icon)|font/\w{1,8});base64,\Z", re.IGNORECASE
)

_ESCAPES = (
    ("hexadecimal digits", lazy(r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{160,}+(?![0-9A-Za-z])")),
    ("escaped bytes", lazy(r"(?:\\x[0-9A-Fa-f]{2}){16,}")),
    ("escaped characters", lazy(r"(?:\\u[0-9A-Fa-f]{4}){12,}")),
    ("percent signs", lazy(r"(?:%[0-9A-Fa-f]{2}){12,}")),
    ("entities", lazy(r"(?:&#(?:[xX][0-9A-Fa-f]{2,4}|[0-9]{2,5});){8,}")),
)
_HEXADECIMAL = lazy(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :,\n-]?){12,400}(?![0-9A-Za-z])")
_BINARY = lazy(r"(?<![0-9])(?:(?:[01]{8}[ ,]?){12,400}|(?:[01]{7}[ ,]){12,400}[01]{7})(?![0-9])")
_DECIMAL = lazy(r"(?<![0-9])(?:[0-9]{2,6}[ ,;]{1,2}){12,400}[0-9]{2,6}(?![0-9])")
_OCTAL_NUMBERS = lazy(r"(?<![0-9])(?:[01]?[0-7]{2}[ ,;]{1,2}){12,400}[01]?[0-7]{2}(?![0-9])")
_OCTAL = lazy(r"(?:\\[0-3]?[0-7]{2}){12,400}")
_MARKED = {
    mark: lazy(rf"(?:{re.escape(mark)}[0-9a-f]{{2,6}}\}}?[ ,;]{{0,2}}){{12,400}}", re.IGNORECASE)
    for mark in ("0x", "u+", "%u", "\\u{", "=")
}
"""Short runs, which are reported only if what they say breaks another rule."""

_BASE32 = lazy(r"(?<![A-Za-z0-9])(?:[A-Z2-7]{24,800}|[a-z2-7]{24,800})={0,6}(?![A-Za-z0-9=])")
_ASCII85 = lazy(r"<~[!-u\s]{20,1000}~>")
_ALPHABET_NUMBERS = lazy(r"(?<![0-9])(?:[12]?[0-9][-., /|]{1,3}){14,400}[12]?[0-9](?![0-9])")

_MORSE = lazy(r"(?:[.·-]{1,5}[ /|]{1,3}){16,800}")
_NUMBER = lazy(r"[0-9A-Fa-f]+")
_SIGNS = lazy(r"[-., /|]+")
_NEEDLES = ("", "\\x", "\\u", "%", "&#")
"""What each of `_ESCAPES` begins with, in lower case."""

_DIGITS = 160
"""Hexadecimal digits that are too many for a digest; the same number as in `_ESCAPES`."""


@rule("PS030", spec="registry/CONTENT", severity=WARNING)
def base64_text(content: Content) -> Iterator[Finding]:
    """A long run of base64 hides what it says.

    ## Why
    People do not read base64, but models and shells decode it. A reviewer must see what an entry
    says. The message shows the beginning of the decoded text and the rules that it breaks. A short
    run is reported only if what it says breaks another rule. Images
    in a `data:` URL are allowed.

    ## Fix
    Write the text as plain text. If the encoded form is the point, for instance in an exercise,
    keep it short, or say in release.toml what it contains:

    ```toml
    [waivers]
    PS030 = "The exercise has the learner decode a paragraph of Moby-Dick."
    ```
    """
    if max(map(len, content.words), default=0) >= _SHORT:
        yield from _short_texts(content)
    if sum(len(word) > _PIECE for word in content.mixed) > 1:
        yield from _pieces(content)
    if not content.has_run(_LINE):
        return
    for segment, start, end in _runs(content):
        text = segment.text[start:end]
        yield Finding(
            message=f"{len(text)} characters of base64 {_evidence(_debased(text))}",
            at=segment.span(start, end),
            hint="Write it as plain text, or waive PS030 and say what it contains.",
        )


def _short_texts(content: Content) -> Iterator[Finding]:
    """Yield the short runs of base64 that say something that another rule would report."""
    found = chain(content.find(_SHORT_BASE64), content.find(_WRAPPED_BASE64))
    for segment, match in found:
        in_long_run = len(match[0]) >= _LONG and len(match[0].partition("\n")[0]) >= _LINE
        if in_long_run or match[0].isalpha() or match[0].isdigit():
            continue
        data = _debased(match[0])
        for _ in range(_TIMES):
            if not _SHORT_BASE64.fullmatch(inner := data.decode("latin-1").strip()):
                break
            data = _debased(inner)
        text = _as_text(data) or _as_text(_debased(match[0][::-1]))
        if broken := _broken(text):
            what = f"{len(match[0])} characters of base64"
            yield _short(what, text, broken, segment, match.span())


_PIECE = 4
"""Most letters of words with digits in them that many texts have: `utf8`, `3d`."""


def _pieces(content: Content) -> Iterator[Finding]:
    """Yield what is said in pieces of base64 or hexadecimal digits, if a rule would report it."""
    from psreg.lint.content.appearance.pieces import in_pieces  # noqa: PLC0415 - few texts have any

    for segment in content.segments:
        told = -1
        for start, end, text in in_pieces(segment.text):
            if start > told and (broken := _broken(text)):
                yield _short("pieces of base64 or digits", text, broken, segment, (start, end))
                told = start


def _short(
    what: str, text: str, broken: list[str], segment: Segment, place: tuple[int, int]
) -> Finding:
    return Finding(
        message=f"{what} {_said(text.encode())}, which breaks {', '.join(broken)}",
        at=segment.span(*place),
        hint="Write it as plain text, or waive PS030 and say what it contains.",
    )


def _as_text(data: bytes) -> str:
    """Return decoded data as text; "" if it is not text."""
    try:
        text = data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", "").isprintable() else ""


def _runs(content: Content) -> Iterator[tuple[Segment, int, int]]:
    """Yield the runs of base64; lines of equal width, and one shorter last line, are one run."""
    for segment in content.segments:
        start = end = width = 0
        for match in _BASE64.finditer(segment.text):
            last = len(match[0])
            if width and last <= width and _BREAK.fullmatch(segment.text, end, match.start()):
                end = match.end()
            else:
                if _is_base64(segment.text, start, end):
                    yield segment, start, end
                (start, end), width = match.span(), last
            width = width if last == width else 0
        if _is_base64(segment.text, start, end):
            yield segment, start, end


def _is_base64(text: str, start: int, end: int) -> bool:
    run = text[start:end]
    return (
        end - start >= _LONG
        and len(set(run)) >= _VARIETY
        and any(c.isdigit() for c in run)
        and any(c.islower() for c in run)
        and any(c.isupper() for c in run)
        and _UNBROKEN.search(run) is not None
        and not _PICTURE.search(text, max(0, start - 40), start)
    )


def _debased(text: str) -> bytes:
    plain = "".join(_LETTERS.findall(text)).replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


@rule("PS031", spec="registry/CONTENT", severity=WARNING)
def escaped_text(content: Content) -> Iterator[Finding]:
    r"""A long run of hexadecimal digits, escapes or entities hides what it says.

    ## Why
    `\x69\x67\x6e…`, `%69%67%6e…`, `&#105;&#103;…` and plain hexadecimal digits are ways to write a
    text that no reviewer can read and every model can. Percent-encoded characters beyond ASCII, as
    in an address with Chinese words, are allowed. So are hexadecimal digits no longer than the
    usual digests.

    ## Fix
    Write the text as plain text. If the encoded form is the point, say in release.toml what it
    contains:

    ```toml
    [waivers]
    PS031 = "A dump of a network packet; the assistant explains its fields."
    ```
    """
    found = (
        (what, segment, match)
        for (what, pattern), needle in zip(_ESCAPES, _NEEDLES, strict=True)
        if needle or (content.has_run(_LINE) and content.has_run(_DIGITS))
        for segment, match in content.find(pattern, needle)
    )
    for what, segment, match in found:
        data = _unescaped(match[0])
        if _needless(data) if match[0][0] in "%&" else len(set(data)) > 1:
            yield Finding(
                message=f"{len(match[0])} characters of {what} {_evidence(data)}",
                at=segment.span(*match.span()),
                hint="Write it as plain text, or waive PS031 and say what it contains.",
            )
    yield from _short_escapes(content)


def _short_escapes(content: Content) -> Iterator[Finding]:
    """Yield the short runs of digits and signs that say what another rule would report."""
    for what, segment, match, data in _read_digits(content):
        if broken := _broken(data.decode("utf-8", "replace")):
            yield Finding(
                message=f"{len(match[0])} characters of {what} {_said(data)}, "
                f"which breaks {', '.join(broken)}",
                at=segment.span(*match.span()),
                hint="Write it as plain text, or waive PS031 and say what it contains.",
            )


def _read_digits(content: Content) -> Iterator[tuple[str, Segment, re.Match[str], bytes]]:
    words = content.words
    digits = list(filter(str.isdigit, words))
    long = [word for word in words if len(word) >= _SHORTEST]
    pairs = [word for word in words if len(word) == len("ff")]
    octets = len(list(filter(_NUMBER.fullmatch, pairs)))
    if octets >= _SEVERAL or any(map(_NUMBER.fullmatch, long)):
        yield from _numbers(content, "hexadecimal digits", _HEXADECIMAL, 16)
    if any(len(word) >= len("01010101") for word in digits):
        yield from _numbers(content, "binary digits", _BINARY, 2)
    if sum(len(word) in _DECIMALS for word in digits) >= _SEVERAL:
        yield from _numbers(content, "numbers", _DECIMAL, 10)
        yield from _numbers(content, "octal numbers", _OCTAL_NUMBERS, 8)
    for mark, pattern in _MARKED.items():
        if mark[0] in content.marks or mark[0].isalnum():
            for segment, match in content.find(pattern, mark):
                codes = match[0].lower().split(mark)[1:]
                numbers = [int(code.rstrip("} ,;"), 16) for code in codes]
                yield "character codes", segment, match, _encoded(numbers)
    if "\\" in content.marks:
        yield from _numbers(content, "escaped bytes", _OCTAL, 8)
    for segment, match in content.find(_BASE32) if long else ():
        run = match[0].rstrip("=")
        with suppress(binascii.Error):
            yield "base32", segment, match, base64.b32decode(run + "=" * (-len(run) % 8))
    yield from _read_letters(content, digits)
    for segment, match in content.find(_MORSE, ".- ", "-. ", "·- ", "-· "):
        letters = table("disguises")["morse"]
        signs = match[0].replace("·", ".").replace("|", "/")
        spoken = (word.split() for word in signs.split("/"))
        read = " ".join("".join(letters.get(sign, "") for sign in word) for word in spoken)
        yield "Morse code", segment, match, read.encode()


def _read_letters(
    content: Content, digits: list[str]
) -> Iterator[tuple[str, Segment, re.Match[str], bytes]]:
    for segment, match in content.find(_ASCII85, "<~"):
        with suppress(ValueError):
            yield "base85", segment, match, base64.a85decode(match[0], adobe=True)
    if len(digits) >= _SEVERAL:
        for segment, match in content.find(_ALPHABET_NUMBERS):
            yield "numbers of letters", segment, match, _numbered_letters(match[0]).encode()


def _numbered_letters(text: str) -> str:
    """Return the letters of which `text` has the numbers; between words is another sign."""
    numbers, signs = _NUMBER.findall(text), _SIGNS.findall(text)
    ((inside, _),) = Counter(signs).most_common(1)
    letters = (chr(ord("a") - 1 + int(number)) for number in numbers)
    return "".join(
        letter + " " * (sign != inside) for letter, sign in zip(letters, (*signs, ""), strict=True)
    )


_SHORTEST, _SEVERAL, _DECIMALS = 24, 10, range(2, 7)


def _numbers(
    content: Content, what: str, pattern: re.Pattern[str], base: int
) -> Iterator[tuple[str, Segment, re.Match[str], bytes]]:
    digit = {16: "..", 2: "." * 8}.get(base, ".{1,6}")
    for segment, match in content.find(pattern):
        runs = _NUMBER.findall(match[0])
        numbers = [int(each, base) for run in runs for each in re.findall(digit, run)]
        yield what, segment, match, _encoded(numbers)


def _encoded(numbers: list[int]) -> bytes:
    """Return the text of which `numbers` are the bytes, or else the code points."""
    with suppress(ValueError):
        bytes(numbers).decode()
        return bytes(numbers)
    return "".join(chr(min(number, sys.maxunicode)) for number in numbers).encode(
        "utf-8", "replace"
    )


def _unescaped(text: str) -> bytes:
    if text[0] == "%":
        return unquote_to_bytes(text)
    if text[0] == "&":
        from html import unescape  # noqa: PLC0415 - few texts have entities

        return unescape(text).encode("utf-8", "replace")
    if text.startswith("\\u"):
        codes = (int(text[at : at + 4], 16) for at in range(2, len(text), 6))
        return "".join(map(chr, codes)).encode("utf-8", "replace")
    digits = text.replace("\\x", "").removeprefix("0x")
    return binascii.unhexlify(digits[: len(digits) // 2 * 2])


def _needless(data: bytes) -> bool:
    """Tell whether most of the bytes are letters and digits that need no escape."""
    return sum(chr(byte).isalnum() and byte < 0x80 for byte in data) * 2 > len(data)  # noqa: PLR2004


def _evidence(data: bytes) -> str:
    broken = _broken(data.decode("utf-8", "replace"))
    return f"{_said(data)}, which breaks {', '.join(broken)}" if broken else _said(data)


def _said(data: bytes) -> str:
    return f"say {hidden_bytes(data)}"


def _broken(text: str) -> list[str]:
    """Return the rules that a decoded text breaks, however it is disguised itself."""
    from psreg.lint.content.appearance import layers, readings  # noqa: PLC0415 - few texts are decoded

    rows = disguisable() | {"PS040": patterns("secrets", "PS040")}
    layer = layers.Layer(text=text)
    for read in chain((layer,), readings.turned(layer, None, frozenset())):
        segment = Segment(text=read.text, kind=Kind.VALUE)
        inner = Content(segments=(segment,), source=read.text, kind=Kind.VALUE)
        if broken := [code for code, known in rows.items() if next(hits(inner, known), None)]:
            return broken
    return []


ENCODED_RULES: tuple[Rule[Content], ...] = (base64_text, escaped_text)
