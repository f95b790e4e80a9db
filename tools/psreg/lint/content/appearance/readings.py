"""Other ways to read a text: backwards, in other letters, without what divides its words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from psreg.core.diagnostics import Span
from psreg.core.regex import lazy
from psreg.lint.content.appearance.layers import (
    BACKWARDS,
    BROKEN,
    DIVIDED,
    DRESSED,
    HIDDEN_AMONG,
    MISSPELT,
    ROTATED,
    RUN_ON,
    SIGNED,
    Edit,
    Layer,
    around,
    carried,
    columns,
    in_other_order,
    layer,
    read_as,
    replaced,
)
from psreg.lint.content.appearance.plain import ALPHABET, spelled
from psreg.lint.content.appearance.words import (
    ALPHABETS,
    LETTERS,
    LONG_NAME,
    ODD,
    any_suspicious,
    changed_words,
    in_run,
    in_words,
    nearly,
    pairs,
    pieces,
    runs,
    suspicious_words,
    telling,
    telling_phrases,
    unmasked,
    words_of,
)

if TYPE_CHECKING:
    from psreg.lint.content.appearance.ways import Way

_FEW, _QUOTES, _MANY = 3, 6, 9
_UPSIDE_DOWN = frozenset("ɐɔǝɟɥɯɹʇʌʍʎ")
_CHINESE = "\u3040-\u30ff\u3400-\u9fff"
_LETTERS_BEYOND = (
    "\u0370-\u03ff\u0400-\u052f\u0590-\u05ff\u0600-\u06ff\u0900-\u0dff\u0e00-\u0eff\uac00-\ud7af"
)
_IN_CHINESE = lazy(
    rf"(?<=[{_CHINESE}])[^{_CHINESE}\u3001-\u303f\uff00-\uffef]{{1,120}}(?=[{_CHINESE}])"
)
"""What is between words of Chinese, which has no blanks between words; not its punctuation."""

_BETWEEN = lazy(rf"(?<=[{_LETTERS_BEYOND}])[^{_LETTERS_BEYOND}]{{1,120}}(?=[{_LETTERS_BEYOND}])")
_ORDINARY = lazy(r"[^\w\s]{0,2}[ ]|\n| [-–—] |[-\u200c\u200d’']")
"""What is between words of other scripts."""

_NAMES = lazy(
    r"(?<![^\W_])(?:[A-Z][a-z]{0,20}+(?:[A-Z][a-z]{0,20}+){2,30}|[A-Za-z]{16,100})(?![^\W_])"
)
_BREAK = lazy(r"(?<=[^\W\d_])-\n[ \t]{0,8}(?=[^\W\d_])|(?<=[^\s=])=\n")
_ITEM = r"(?:(?:[-*+>]|[0-9]{1,2}[.)])[ ])?"
_LINES = lazy(rf"\n(?:\n?{_ITEM}\S{{1,60}}(?:\n|\Z)){{4,40}}")
_LINE = lazy(rf"\n{{1,2}}{_ITEM}")
_WIDE = lazy(r"[ \t]{5,40}(?=\S)")
_BLOCK = r"</?(?:p|div|li|td|th|tr|br|h[1-6])(?:\s[^<>\n]{0,60})?/?>"
_BLOCKS = lazy(_BLOCK, re.IGNORECASE)
_DRESS = lazy(
    r"<!--[^<>\n]{0,80}-->"
    r"|<(?:del|rt|rp|s)(?:\s[^<>\n]{0,60})?>[^<>\n]{0,12}</(?:del|rt|rp|s)>"
    r"|</?[A-Za-z][^<>\n]{0,80}>"
    r"|\\[A-Za-z]{2,12}\{|\\(?:x1b|033|e)\[[0-9;]{0,8}m|\\[nrt0,;!]|\x1b\[[0-9;]{0,8}m"
    r"|\[/?[a-z]{1,8}(?:=[^\]\n]{1,20})?\](?!\()|\[\^\w{1,4}\]|\]\([^)\n]{0,80}\)|[\[\]{}$]"
)
"""Markup of HTML, LaTeX, boards and terminals, links and notes; not what it encloses."""

_DRESSES = "<\\[\x1b"
"""What markup begins with."""

_SIGNS = lazy(r"(?:[\W_]|(?<![A-Za-z])[0-9]{1,3}(?=[A-Za-z_\W]))+")
_INSIDE = lazy(rf"(?<=[{_LETTERS_BEYOND}])(?:[^\w\s]|`){{1,3}}(?=[{_LETTERS_BEYOND}])")
_SIGNS_INSIDE = lazy(r"(?<=[^\W\d_])[^\w\s]{1,2}(?=[^\W\d_])")
_RARE = ("''", '""', "^", "|", "+", "\\n")
_RARELY = lazy(r"(?<=[^\W\d_])(?:''|\"\"|\^|\||\+|\\n)(?=[^\W\d_])")
"""Signs that only programs have inside words."""

_CHAIN = lazy(
    r"(?P<quote>[\"'`])[^\"'`\n]{0,100}(?P=quote)"
    r"(?:\s{0,3}[+.&,|]?\s{0,12}(?P=quote)[^\"'`\n]{0,100}(?P=quote)){2,200}"
)
"""Strings that a program joins."""

_STAMMERED = lazy(r"\b([A-Za-z]{1,2})-(?=\1)", re.IGNORECASE)
_MASKS = lazy(r"(?<![\w-])(?=[A-Za-z]{0,24}[-_*#])[A-Za-z_*#-]{3,30}")
_ROT47_LETTERS = {code: 33 + (code - 33 + 47) % 94 for code in range(33, 127)}
_ROT47 = tuple(
    stem.translate(_ROT47_LETTERS)
    for stem in ("struc", "prompt", "nweis", "ystem", "ules", "estric", "user")
)
_FIRST = lazy(r"\n[^\w\n]{0,6}(\w)")
_EMPHASISED = lazy(r"\*\*([^\W\d_])\*\*")
_STEMS = (
    "ignore", "instruc", "prompt", "disreg", "previo", "forget", "vergiss", "anweis", "olvida",
    "oublie", "abaikan", "talimat", "restric", "bypass", "reveal",
)  # fmt: skip
"""What sentences have that single letters spell."""

_NOT_CAPITALS = bytes(code for code in range(0x100) if not 0x41 <= code <= 0x5A)  # noqa: PLR2004
_BLANKS = lazy(r"\s{1,4}")
"""What patterns take for one blank."""

_AROUND = 160
"""The characters before and after telling words that are read with them."""

_ANY_WORD = lazy(r"[A-Za-z]{1,80}")
_SMALL = bytes.maketrans(LETTERS.upper().encode(), LETTERS.encode())
_NO_LETTERS = bytes(code for code in range(0x100) if chr(code) not in ALPHABETS)


def turned(
    below: Layer, words: frozenset[str] | None, characters: frozenset[str]
) -> Iterator[Layer]:
    """Yield other readings of a text, if its `words` include suspicious ones when read so."""
    if words is None:
        words = frozenset(words_of(below.text))
    if len(_UPSIDE_DOWN & characters) >= _FEW:
        yield _backwards(below, below.text[::-1].translate(str.maketrans("qbpdun", "bqdpnu")))
    yield from _respelt(below, words)
    yield from _undivided(below, words)
    yield from _marked(below, words)


def in_script(below: Layer) -> Iterator[Layer]:
    """Yield a text that is not in Latin letters without what is between these, or inside words."""
    ways = ((_BETWEEN, _blank), (_INSIDE, _marks), (_IN_CHINESE, _nothing), (_CHAIN, _of_chain))
    for pattern, read in ways:
        whole = replaced(below, DIVIDED, pattern, read)
        if whole is not below:
            yield whole


def _nothing(_text: str) -> str:
    return ""


@lru_cache(maxsize=1 << 10)
def _marks(signs: str) -> str:
    """Return what of `signs` belongs to the letter before them, such as a vowel of Hindi."""
    return "".join(sign for sign in signs if unicodedata.category(sign)[0] == "M")


def _of_chain(strings: str) -> str:
    """Return what a program says that joins `strings`."""
    return "".join(strings[1:-1].split(strings[0])[::2])


def _marked(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield the text with words that have wrong letters, or signs between letters."""
    odd = {nearly(word) for word in ODD.of(words)}
    if len(odd) > 1:
        yield replaced(below, MISSPELT, _ANY_WORD, lambda word: nearly(word.lower()) or word)
    if any(sign in below.text for sign in _RARE):
        whole = replaced(below, BROKEN, _RARELY, _nothing)
        if not suspicious_words().isdisjoint(set(words_of(whole.text)) - words):
            yield whole
            yield from _in_one(whole)
    if below.text.count('"') >= _QUOTES or below.text.count("'") >= _QUOTES:
        whole = replaced(below, BROKEN, _CHAIN, _of_chain)
        if not suspicious_words().isdisjoint(set(words_of(whole.text)) - words):
            yield whole
    if len(ALPHABET & words) >= _FEW:
        for pattern, read in ((_STAMMERED, _nothing), (_MASKS, unmasked)):
            whole = replaced(below, MISSPELT, pattern, read)
            if len(whole.starts) >= _FEW and whole is not below:
                yield whole
    if all(sign in below.text for sign in "?@=:") and any(each in below.text for each in _ROT47):
        turned_round = below.text.translate(_ROT47_LETTERS)
        yield Layer(text=turned_round, how=ROTATED, below=below)


def of_letters(below: Layer) -> Iterator[Layer]:
    """Yield what capitals, emphasised letters, or the first letters of lines say."""
    text = below.text
    found = [text.encode("ascii", "replace").translate(None, _NOT_CAPITALS).decode().lower()]
    if text.count("\n") >= _MANY:
        found.append("".join(_FIRST.findall(f"\n{text}")).lower())
    if text.count("**") > 2 * _MANY:
        found.append("".join(_EMPHASISED.findall(text)).lower())
    for letters in found:
        if any(each in letters for each in _STEMS):
            said = " ".join(in_run().sub(r" \g<0> ", letters).split())
            yield read_as(below, HIDDEN_AMONG, said)


def _blank(between: str) -> str:
    return between if _ORDINARY.fullmatch(between) else " "


def _respelt(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield the text with each word read in the ways in which suspicious ones are disguised."""
    changed = changed_words(words)
    if not changed:
        return
    # NOTE: most texts have no such words.
    from psreg.lint.content.appearance.ways import ways, ways_to_read  # noqa: PLC0415

    known = ways_to_read()
    found = Counter(id(way) for word in changed for way in known[word])
    for way in ways():
        if found[id(way)] >= way.fewest:
            if way.how == BACKWARDS:
                yield _backwards(below, below.text[::-1])
            read = replaced(below, way.how, _ANY_WORD, _reader(way))
            yield read
            if way.turned:
                yield _backwards(read, " ".join(read.text.split()[::-1]))


def _reader(way: Way) -> Callable[[str], str]:
    def read(word: str) -> str:
        small = word.lower()
        said = way.read(small)
        return word if said == small else said

    return read


def _undivided(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield the text without what is between its words or letters: lines, signs, markup."""
    if ("-\n" in below.text or "=\n" in below.text) and _BREAK.search(below.text):
        below = replaced(below, DIVIDED, _BREAK, lambda _: "")
        yield below
    alone = len(ALPHABET & words) >= _MANY
    broken = alone or len(pieces() & words) >= _FEW or len(pairs() & words) >= _MANY
    phrases = [
        phrase
        for word in telling().keys() & words
        for phrase in telling()[word]
        if words.issuperset(phrase)
    ]
    if broken or phrases:
        whole = _undressed(below)
        if broken or _stand_apart(below.text, whole.text, phrases):
            if whole is not below:
                yield whole
            yield from _in_one(whole)
        if alone and "\n" in below.text:
            yield columns(below)
        if broken or len(phrases) > 1:
            yield from _carried(below, phrases, broken=broken)
    elif any(map(_has_several, words)):
        yield from _in_one(below)


def _carried(below: Layer, phrases: list[tuple[str, ...]], *, broken: bool) -> Iterator[Layer]:
    """Yield what parts of a text say together, in whatever order."""
    lower = " ".join(below.text.lower().split())
    said = [" ".join(phrase) for phrase in phrases]
    split = [phrase for phrase in said if phrase not in lower]
    if not broken and not split:
        return
    says = partial(_says, split)
    yield from carried(below, _anything if broken else says)
    if broken:
        joined = replaced(below, SIGNED, _SIGNS_INSIDE, _nothing)
        if joined is not below:
            yield joined
    if phrases:
        yield from in_other_order(below, partial(_says, split, fewest=2))


def _says(phrases: list[str], text: str, fewest: int = 1) -> bool:
    said = " ".join(text.lower().split())
    return sum(phrase in said for phrase in phrases) >= fewest


def is_telling(text: str) -> bool:
    """Tell whether a text has words that attacks have one after another."""
    return any(map(" ".join(words_of(text)).__contains__, telling_phrases()))


def near_telling(text: str, reach: int) -> Iterator[Span]:
    """Yield the parts of `text` that are at most `reach` characters from words of attacks."""
    known = list(filter(" ".join(words_of(text)).__contains__, telling_phrases()))
    if not known:
        return
    any_known = "|".join(known).replace(" ", "[^a-z0-9]+")
    matches = re.finditer(any_known, text, re.IGNORECASE)
    yield from around((match.span() for match in matches), reach, len(text))


def _anything(_text: str) -> bool:
    return True


def _undressed(below: Layer) -> Layer:
    """Return the text without markup, and without lines of single words."""
    if any(sign in below.text for sign in _DRESSES):
        bare = replaced(below, DRESSED, _BLOCKS, lambda _: " ")
        bare = replaced(bare, DRESSED, _DRESS, lambda _: "")
        below = below if bare is below else spelled(bare)
    below = replaced(below, DIVIDED, _LINES, lambda lines: _LINE.sub(" ", lines))
    return replaced(below, DIVIDED, _WIDE, lambda _: " ")


def _stand_apart(text: str, whole: str, phrases: list[tuple[str, ...]]) -> bool:
    """Tell whether there is more between words of `phrases` than a blank; `whole` has no markup."""
    letters, lower = _letters(whole), text.lower()
    return any(letters.count("".join(each)) > lower.count(" ".join(each)) for each in phrases)


def _letters(text: str) -> str:
    return text.encode("ascii", "replace").translate(_SMALL, _NO_LETTERS).decode()


def _in_one(below: Layer) -> Iterator[Layer]:
    """Yield the text with blanks alone between words, and with broken words whole."""
    text = below.text
    letters = _letters(text)
    places = [at for at, letter in enumerate(text) if letter in ALPHABETS]
    divided = layer(below, DIVIDED, list(_with_blanks(text, letters, places)))
    if divided is not below:
        yield divided
    rejoined = layer(below, BROKEN, list(_rejoined(text, letters, places)))
    if rejoined is not below:
        yield rejoined
    if any(map(_has_several, words_of(text))):
        names = replaced(below, RUN_ON, _NAMES, in_words)
        if names is not below:
            yield names


def _has_several(word: str) -> bool:
    return len(word) >= LONG_NAME and len(set(any_suspicious().findall(word))) > 1


def _with_blanks(text: str, letters: str, places: list[int]) -> Iterator[Edit]:
    """Yield what is around telling words that stand together if all between letters is left out."""
    found = []
    for said, joined in telling_phrases().items():
        at = letters.find(joined)
        while at >= 0:
            start, end = places[at], places[at + len(joined) - 1] + 1
            if _BLANKS.sub(" ", text[start:end].lower()) != said:
                found.append((max(0, start - _AROUND), min(len(text), end + _AROUND)))
            at = letters.find(joined, at + len(joined))
    done = 0
    for start, end in sorted(found):
        if done < end:
            begin = max(start, done)
            yield Edit(begin, end, _SIGNS.sub(" ", text[begin:end]))
            done = end


def _rejoined(text: str, letters: str, places: list[int]) -> Iterator[Edit]:
    """Yield sentences of known words, of which some are broken, with a blank between words."""
    for run in runs().finditer(letters):
        words = in_run().findall(run[0])
        start, end = places[run.start()], places[run.end() - 1] + 1
        known = Counter(word for word in words if word in suspicious_words())
        if len(known) > 1 and known - Counter(words_of(text[start:end])):
            yield Edit(start, end, " ".join(words))


def _backwards(below: Layer, text: str) -> Layer:
    whole = Edit(0, len(text), text)
    return Layer(
        text=text, how=BACKWARDS, below=below, starts=[0], ends=[len(text)], origins=[whole]
    )
