"""The rules about encoded text, which people do not read and models do.

It is decoded, and what it says is checked as well.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.core.terminal import hidden_bytes
from psreg.lint.content.pattern_search import hits
from psreg.lint.content.pattern_tables import disguisable
from psreg.lint.content.texts import Content, of_values
from psreg.lint.segments import Segment

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
_MOST, _MOST_SAID = 300, 60_000
"""How many different encoded texts are judged, and how long they are together: more is an error."""

_TOGETHER = 40_000
"""So many characters are searched together; a word is never too often in them."""

_TIMES = 3
"""How often a text that is encoded again is decoded."""

_LARGEST = 10_000
"""How many bytes of compressed data are read."""

_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda")
"""What compressed data begins with."""

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
_CODE_SIGNS = frozenset("\\=+·•∙−–—")
_SIGN_WORDS = frozenset(("dah", "dash"))
_FEW, _BITS, _MANY, _LONG_WORD = 6, 7, 10, 24
"""What codes have: see `codes`."""

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
    judged = _Judged()
    if max(map(len, content.words), default=0) >= _SHORT:
        yield from judged.findings("PS030", _short_texts(content))
    sizes = [len(word) for word in content.mixed]
    if sum(size > _PIECE for size in sizes) > 1 or sizes.count(_PIECE) > _PIECE:
        yield from judged.findings("PS030", _pieces(content))
    if not content.has_run(_LINE):
        return
    runs = [
        (segment, start, end, _unwidened(_debased(segment.text[start:end])))
        for segment, start, end in _runs(content)
    ]
    judged.judge(data for *_, data in runs)
    for segment, start, end, data in runs:
        yield Finding(
            message=f"{end - start} characters of base64 {_evidence(data, judged)}",
            at=segment.span(start, end),
            hint="Write it as plain text, or waive PS030 and say what it contains.",
        )


class _Encoded(NamedTuple):
    """An encoded text: how it is written, what it says, and where it is, `segment.text[slice]`."""

    what: str
    said: str
    segment: Segment
    start: int
    end: int

    def finding(self, code: str, broken: list[str]) -> Finding:
        """Return a finding of the rule `code` about a text which says what other rules report."""
        said = f"{self.what} {_said(self.said.encode())}, which breaks {', '.join(broken)}"
        hint = f"Write it as plain text, or waive {code} and say what it contains."
        return Finding(message=said, at=self.segment.span(self.start, self.end), hint=hint)

    @property
    def too_many(self) -> Finding:
        """An error: the text is not judged."""
        return Finding(
            message=f"more than {_MOST:,} different encoded texts, or {_MOST_SAID:,} characters of "
            "them; the rest is not checked",
            at=self.segment.span(self.start, self.end),
            hint="Write them as plain text.",
            severity=ERROR,
        )


def _short_texts(content: Content) -> Iterator[_Encoded]:
    """Yield the short runs of base64."""
    found = chain(content.find(_SHORT_BASE64), content.find(_WRAPPED_BASE64))
    for segment, match in found:
        in_long_run = len(match[0]) >= _LONG and len(match[0].partition("\n")[0]) >= _LINE
        if in_long_run or match[0].isalpha() or match[0].isdigit():
            continue
        ways = (match[0], match[0][::-1], codecs.encode(match[0], "rot13"))
        text = next(filter(None, (_as_text(_debased(way)) for way in ways)), "")
        yield _Encoded(f"{len(match[0])} characters of base64", text, segment, *match.span())


_PIECE = 4
"""Most letters of words with digits in them that many texts have: `utf8`, `3d`."""


def _pieces(content: Content) -> Iterator[_Encoded]:
    """Yield what is said in pieces of base64 or hexadecimal digits."""
    from psreg.lint.content.appearance.pieces import in_pieces  # noqa: PLC0415 - few texts have any

    for segment in content.segments:
        for start, end, text in in_pieces(segment.text):
            yield _Encoded("pieces of base64 or digits", text, segment, start, end)


def _as_text(data: bytes) -> str:
    """Return decoded data as text; "" if it is not text."""
    if data[:2] in _COMPRESSED:
        data = _decompressed(data)
    try:
        text = _wide(data) or data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", "").isprintable() else ""


def _wide(data: bytes) -> str:
    """Return the text that decoded data is in UTF-16, or ""."""
    from psreg.core.utf16 import utf16_text  # noqa: PLC0415 - few texts are decoded

    return utf16_text(data)


def _decompressed(data: bytes) -> bytes:
    import zlib  # noqa: PLC0415 - few texts have compressed data

    with suppress(zlib.error):
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, _LARGEST)
    return b""


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
    found = [
        (what, segment, match, _unwidened(data))
        for (what, pattern), needle in zip(_ESCAPES, _NEEDLES, strict=True)
        if needle or (content.has_run(_LINE) and content.has_run(_DIGITS))
        for segment, match in content.find(pattern, needle)
        if _hides(data := _unescaped(match[0]), match[0])
    ]
    judged = _Judged()
    judged.judge(data for *_, data in found)
    for what, segment, match, data in found:
        yield Finding(
            message=f"{len(match[0])} characters of {what} {_evidence(data, judged)}",
            at=segment.span(*match.span()),
            hint="Write it as plain text, or waive PS031 and say what it contains.",
        )
    if _may_have_codes(content):
        yield from judged.findings("PS031", _short_escapes(content))


def _short_escapes(content: Content) -> Iterator[_Encoded]:
    """Yield the short runs of digits and signs that say something."""
    from psreg.lint.content.appearance.codes import codes  # noqa: PLC0415 - not all texts have any

    for what, segment, match, decoded in codes(content):
        # What UTF-16 has between the letters of ASCII, and its mark, read as something else.
        said = decoded.replace("\0", "").lstrip("\ufeff\ufffd\xfe\xff")
        name = f"{len(match[0])} characters of {what}"
        yield _Encoded(name, said, segment, *match.span())


def _may_have_codes(content: Content) -> bool:
    """Tell quickly whether a text has digits, signs or words that codes have."""
    from psreg.lint.content.appearance.words import BACON, spelling_words  # noqa: PLC0415 - see `blocking`

    words = content.words
    digits = list(filter(str.isdigit, words))
    return (
        len(content.mixed) > 1
        or len(digits) >= _MANY
        or sum(len(word) > 1 for word in digits) >= _FEW
        or any(len(word) >= _BITS for word in digits)
        or not _CODE_SIGNS.isdisjoint(content.marks)
        or not _SIGN_WORDS.isdisjoint(words)
        or max(map(len, words), default=0) >= _LONG_WORD
        or len(spelling_words() & words) >= _FEW
        or content.contains(".- ")
        or content.contains("-. ")
        or content.contains("begin ")
        or len(BACON & words) >= _FEW
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


def _hides(data: bytes, written: str) -> bool:
    """Tell whether `data` was `written` to hide it: percent signs and entities have other uses."""
    if written[0] not in "%&":
        return len(set(data)) > 1
    # NOTE: letters and digits need neither.
    return sum(chr(byte).isalnum() and byte < 0x80 for byte in data) * 2 > len(data)  # noqa: PLR2004


def _unwidened(data: bytes) -> bytes:
    """Return decoded data in UTF-8 if it is a text in UTF-16."""
    return _wide(data).encode() or data


def _evidence(data: bytes, judged: _Judged) -> str:
    said, broken = _said(data), judged.broken(data)
    return f"{said}, which breaks {', '.join(broken)}" if broken else said


def _said(data: bytes) -> str:
    return f"say {hidden_bytes(data)}"


class _Judged:
    """What decoded texts break; as many are judged as do not take long, and all at once."""

    def __init__(self) -> None:
        self._known: dict[str, list[str]] = {"": []}
        self._new: list[str] = []
        self._size = 0

    def findings(self, code: str, encoded: Iterable[_Encoded]) -> Iterator[Finding]:
        """Yield findings of the rule `code` about texts that break others, one for each place."""
        taken: list[_Encoded] = []
        too_many = None
        for each in encoded:
            if each.said and not self._takes(each.said):
                too_many = each.too_many
                break
            taken.append(each)
        self._judge()
        told = set()
        for each in taken:
            place = each.what, id(each.segment), each.start
            if place not in told and (broken := self._known[each.said]):
                told.add(place)
                yield each.finding(code, broken)
        if too_many:
            yield too_many

    def judge(self, decoded: Iterable[bytes]) -> None:
        """Judge as many texts as do not take long."""
        for data in decoded:
            self._takes(data.decode("utf-8", "replace"))
        self._judge()

    def broken(self, decoded: bytes) -> list[str]:
        """Return which rules a text breaks that was judged; none of another."""
        return self._known.get(decoded.decode("utf-8", "replace"), [])

    def _takes(self, text: str) -> bool:
        """Tell whether `text` is one of those that are judged."""
        if len(self._known) > _MOST or self._size > _MOST_SAID:
            return False
        if text not in self._known:
            self._known[text] = []
            self._new.append(text)
            self._size += len(text)
        return True

    def _judge(self) -> None:
        self._known |= _broken(self._new)
        self._new = []


def _broken(texts: Collection[str], times: int = _TIMES) -> dict[str, list[str]]:
    """Return the rules that each decoded text breaks, however it is disguised or encoded itself."""
    if not texts:  # most files have none, and the patterns take long to read
        return {}
    ways = {text: _ways(text) for text in texts}
    codes = _broken_as_they_are(chain.from_iterable(ways.values()))
    found = {text: _first(codes, each) for text, each in ways.items()}
    if times:
        left = (text for text in texts if not found[text] and len(text) <= _LARGEST)
        inner = {text: list(_encoded_again(text)) for text in left}
        codes = _broken(dict.fromkeys(chain.from_iterable(inner.values())), times - 1)
        found |= {text: _first(codes, each) for text, each in inner.items()}
    return found


def _first(codes: dict[str, list[str]], texts: list[str]) -> list[str]:
    """Return the rules that the first of `texts` breaks which breaks any."""
    return next(filter(None, map(codes.__getitem__, texts)), [])


def _ways(text: str) -> list[str]:
    """Return how a text may be read, first as it is."""
    from psreg.lint.content.appearance import layers, plain, readings  # noqa: PLC0415 - few texts are decoded

    source = layers.Layer(text=text)
    layer = plain.plain(source, of_values([text]))
    turned = readings.turned(layer, None, frozenset(text))
    foreign = () if text.isascii() else readings.in_script(source)
    return [read.text for read in chain((source, layer), turned, foreign)]


def _broken_as_they_are(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the rules that each of `texts` breaks."""
    found: dict[str, list[str]] = {}
    together, size = list[str](), 0
    for text in dict.fromkeys(texts):
        found[text] = []
        together.append(text)
        size += len(text)
        if size > _TOGETHER:
            _search(together, found)
            together, size = [], 0
    _search(together, found)
    return found


def _search(together: list[str], found: dict[str, list[str]]) -> None:
    content = of_values(together)
    for code, rows in disguisable().items():
        for text in {hit.segment.text for hit in hits(content, rows)}:
            found[text].append(code)


def _encoded_again(text: str) -> Iterator[str]:
    from psreg.lint.content.appearance.codes import codes  # noqa: PLC0415 - see above

    content = of_values([text])
    for _, match in content.find(_SHORT_BASE64):
        yield _as_text(_debased(match[0]))
    for _, pattern in _ESCAPES:
        for _, match in content.find(pattern):
            yield _unescaped(match[0]).decode("utf-8", "replace")
    for code in codes(content):
        yield code.said


ENCODED_RULES: tuple[Rule[Content], ...] = (base64_text, escaped_text)
