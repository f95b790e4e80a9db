"""How texts are searched quickly: as patterns read them, by marks that select patterns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache, reduce
from itertools import chain
from operator import or_

from psreg.core.regex import lazy

_MARKS = (3, 4, 5)
"""So many letters at the beginning of a word are marks; see `Content.marks`."""


_FEW_WORDS = 5_000
"""In a text of so many different words, hardly one was in the texts before."""


_NOT_ASCII = "\x80"
"""The mark of a text beyond ASCII."""


class _Spaces(dict[int, str]):
    """A blank for each character that is neither a letter nor a digit."""

    def __missing__(self, code: int) -> str:
        self[code] = found = chr(code) if chr(code).isalnum() else " "
        return found


_SPACES = _Spaces()


_ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyz0123456789"


_WORD = lazy(r"[a-z0-9]++")


_ASCII_BLANKS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"


_ONLY_SIGNS = dict.fromkeys(map(ord, f"{_ALPHANUMERIC} {_ASCII_BLANKS}"))


_BLANKS = _ASCII_BLANKS + (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What `\\s` matches besides the blank."""


_LONGER = "İ"

_SAME_LETTER = {"ſ": "s", "ı": "i", "İ": "i"}
"""Letters that match others in a pattern that ignores case, but that `lower` leaves alone."""


def flattened(text: str, lower: str) -> str:
    """Return `text`, whose lower case is `lower`, as patterns read it, and as long as it is."""
    # NOTE: one letter is longer in lower case; the offsets of `text` must remain valid.
    if len(lower) != len(text):
        lower = _LONGER.join([part.lower() for part in text.split(_LONGER)])
    blanks = _BLANKS
    if lower.isascii():
        blanks = _ASCII_BLANKS
    else:
        for letter, same in _SAME_LETTER.items():
            lower = lower.replace(letter, same)
    for blank in blanks:
        lower = lower.replace(blank, " ")
    return lower


def narrowed(flat: str) -> str:
    """Return `flat` with one blank for several and at both ends."""
    flat = f" {flat} "
    while "  " in flat:
        flat = flat.replace("  ", " ")
    return flat


def spaced(flat: str) -> str:
    """Return `flat` with a blank for each character that is neither a letter nor a digit."""
    return flat.translate(_SPACES)


def words_of(spaced_text: str, *, ascii_only: bool) -> frozenset[str]:
    """Return every word in a text without signs, words being letters and digits of ASCII."""
    return frozenset(spaced_text.split() if ascii_only else _WORD.findall(spaced_text))


def marks_of_text(words: frozenset[str], flat: str) -> frozenset[str]:
    """Return the marks of a text: every sign and word, and the first letters of each word.

    "" is a mark of every text, and `_NOT_ASCII` of one that is not ASCII.
    """
    beginnings: Iterable[str] = chain.from_iterable(map(_beginnings, words))
    if len(words) > _FEW_WORDS:
        beginnings = [word[:size] for size in _MARKS for word in words]
    if flat.isascii():
        return words.union(("",), flat.translate(_ONLY_SIGNS), beginnings)
    return words.union(("", _NOT_ASCII), flat, beginnings)


@lru_cache(maxsize=1 << 14)
def _beginnings(word: str) -> tuple[str, ...]:
    # NOTE: texts repeat the words of others.
    return tuple(word[:size] for size in _MARKS)


@cache
def where_to_search(needle: str) -> tuple[frozenset[str], str]:
    """Return marks of every text that contains `needle`, and what of a `Content` to search."""
    if any(blank in needle for blank in _ASCII_BLANKS):
        return frozenset(), "lower"
    # NOTE: most needles are parts of words, and a text repeats its words.
    rest = needle.lstrip(_ALPHANUMERIC)
    return marks_of(rest), "flat" if rest else "vocabulary"


@cache
def places_to_search(needles: tuple[str, ...]) -> list[tuple[str, frozenset[str], str]]:
    """Return each of `needles` with what `where_to_search` says of it."""
    return [(needle, *where_to_search(needle)) for needle in needles]


@cache
def marks_of_any(needles: tuple[str, ...]) -> frozenset[str]:
    """Return marks of which every text with one of `needles` has one."""
    return frozenset(longest_mark(where_to_search(each)[0]) for each in needles)


def longest_mark(marks: frozenset[str], common: frozenset[str] = frozenset()) -> str:
    """Return the longest of `marks`, of those that are not `common` if there are any; else ""."""
    return max(sorted(marks - common or marks), key=len, default="")


def mark(word: str) -> str:
    """Return the longest mark of every text with a word that begins with `word`."""
    return word[: _MARKS[-1]] if len(word) >= _MARKS[0] else ""


def marks_of(beginning: str) -> frozenset[str]:
    """Return marks of every text in which a word begins where `beginning`, in lower case, does."""
    if not beginning.isascii():
        # NOTE: a beginning is looked for in `flat`, where it is written exactly as it is here.
        letters = {sign for sign in beginning if sign > _NOT_ASCII and sign.isalpha()}
        return frozenset(letters or (_NOT_ASCII,))
    *before, last = beginning.split(" ")
    if all(map(str.isalnum, before)) and (last.isalnum() or not last):
        return frozenset(("", *before, mark(last)))
    words = _WORD.finditer(beginning)
    return frozenset(
        (
            "",
            *beginning.translate(_ONLY_SIGNS),
            *(word[0] if word.end() < len(beginning) else mark(word[0]) for word in words),
        )
    )


_RUN = lazy("[^\0]++")

_BLOCK = 64
"""Characters of a block of a long text, which ends with its last word; two have as many or more."""

_REACH = 80
"""Characters before a match that may have what a row demands."""


class Blocks:
    """Where the marks of a long text are: sets of its blocks, of which the first is the lowest bit.

    No word is in two blocks.
    """

    def __init__(self, flat: str, spaced_text: str, *, ascii_only: bool) -> None:
        self._flat = flat
        self._begins = list(_begins(spaced_text))
        self._words: dict[str, list[int]] = {}
        self._ends = (*self._begins[1:], len(flat))
        for number, (begin, end) in enumerate(zip(self._begins, self._ends, strict=True)):
            for word in words_of(spaced_text[begin:end], ascii_only=ascii_only):
                self._words.setdefault(word, []).append(number)
        self._sorted = sorted(self._words)
        self._vocabulary = f"{' '.join(self._sorted)} "
        self._all = (1 << len(self._begins)) - 1
        self._known: dict[str, int] = {}
        self._any: dict[frozenset[str], int] = {}
        self._parts: dict[str, int] = {}
        self._begun: dict[frozenset[str], int] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the text."""
        return frozenset(self._words)

    def near(self, demands: Iterable[frozenset[str]], size: int) -> int:
        """Return in which blocks a match of `size` may begin that has one mark of each set."""
        found = self._all
        for marks in filter(None, demands):
            found &= spread(self._with_any(marks), size, _REACH)
            if not found:
                break
        return found

    def begun(self, marks: frozenset[str]) -> int:
        """Return in which blocks a text may begin that has all of `marks`, one beside another."""
        found = self._begun.get(marks)
        if found is None:
            found = self._begun[marks] = self._with_all(marks)
        return found

    def _with_all(self, marks: frozenset[str]) -> int:
        found = self._all
        for mark_ in marks:
            blocks = self.with_mark(mark_)
            found &= blocks | blocks >> 1
            if not found:
                break
        return found

    def with_part(self, part: str) -> int:
        """Return which blocks have `part` in a word, a blank at the end being that of the word."""
        found = self._parts.get(part)
        if found is None:
            found = self._parts[part] = self._bits(self._with_part(part))
        return found

    def _with_part(self, part: str) -> Iterator[int]:
        words, at = self._vocabulary, self._vocabulary.find(part)
        while at >= 0:
            begin, end = words.rfind(" ", 0, at) + 1, words.find(" ", at)
            yield from self._words[words[begin:end]]
            at = words.find(part, end)

    def dense(self, words: Iterable[str], fewest: int) -> int:
        """Return the blocks that have so many different `words`, and those beside them."""
        numbers = Counter(chain.from_iterable(self._words.get(word, ()) for word in words))
        found = self._bits(number for number, often in numbers.items() if often >= fewest)
        return (found | found << 1 | found << 2 | found >> 1 | found >> 2) & self._all

    def parts(self, blocks: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of the text in which `blocks` are; each begins with every eighth block."""
        # NOTE: to look at bytes takes an eighth of the time of bits.
        bits = blocks.to_bytes(len(self._begins) // 8 + 1, "little").decode("latin-1")
        for run in _RUN.finditer(bits):
            end = min(run.end() * 8, len(self._ends))
            yield self._begins[run.start() * 8], self._ends[end - 1]

    def _with_any(self, marks: frozenset[str]) -> int:
        found = self._any.get(marks)
        if found is None:
            found = self._any[marks] = reduce(or_, map(self.with_mark, marks), 0)
        return found

    def with_mark(self, mark: str) -> int:
        """Return which blocks have `mark`."""
        found = self._known.get(mark)
        if found is None:
            found = self._known[mark] = self._found(mark)
        return found

    def _found(self, mark: str) -> int:
        if not mark or mark == _NOT_ASCII:
            return self._all
        if not (mark.isascii() and mark.isalnum()):
            return self._bits(self._with_sign(mark))
        if len(mark) not in _MARKS:
            return self._bits(self._words.get(mark, ()))
        first, end = bisect_left(self._sorted, mark), bisect_left(self._sorted, f"{mark}~")
        words = map(self._words.__getitem__, self._sorted[first:end])
        return self._bits(chain.from_iterable(words))

    def _bits(self, numbers: Iterable[int]) -> int:
        """Return the set of the blocks with these `numbers`."""
        known = list(numbers)
        if len(known) < _FEW:
            bits = bytearray(len(self._begins) // 8 + 1)
            for number in known:
                bits[number >> 3] |= 1 << (number & 7)
            return int.from_bytes(bits, "little")
        digits = bytearray(b"0") * len(self._begins)
        for number in known:
            digits[~number] = _ONE
        return int(digits, 2)

    def _with_sign(self, sign: str) -> Iterator[int]:
        find, begins, ends = self._flat.find, self._begins, self._ends
        at = find(sign)
        while at >= 0:
            number = bisect_right(begins, at) - 1
            yield number
            at = find(sign, ends[number])


def spread(blocks: int, before: int, after: int) -> int:
    """Return the blocks that begin at most so many characters `before` or `after` `blocks`."""
    before, after = (size // _BLOCK + 2 if size else 0 for size in (before, after))
    size, done = before + after, 0
    while done < size:
        by = min(done + 1, size - done)
        blocks |= blocks << by
        done += by
    return blocks >> before


def _begins(spaced_text: str) -> Iterator[int]:
    at = 0
    while at >= 0:
        yield at
        at = spaced_text.find(" ", (at // _BLOCK + 1) * _BLOCK)


_ONE, _FEW = ord("1"), 400


class MarkIndex:
    """Which of several rows may match in a text, by its marks.

    A row demands one mark of each of a few sets; in a text without it, it cannot match. An empty
    set demands nothing, nor does one with "", the mark of every text.
    """

    def __init__(self, demands: Sequence[Iterable[frozenset[str]]]) -> None:
        self._size = len(demands)
        self._bits: dict[str, int] = {}
        """By mark, which rows have it in their first set, then in their second one, and so on."""
        self._without: list[int] = []
        """The rows that have no first set, then no second one, and so on."""
        for at, sets in enumerate(demands):
            telling = (marks for marks in sets if marks and "" not in marks)
            for number, marks in enumerate(telling):
                self._demand(at, number, marks)
        self._marks = frozenset(self._bits)

    def _demand(self, at: int, number: int, marks: frozenset[str]) -> None:
        if number == len(self._without):
            self._without.append((1 << self._size) - 1)
        self._without[number] &= ~(1 << at)
        bit, bits = 1 << number * self._size + at, self._bits
        for each in marks:
            bits[each] = bits.get(each, 0) | bit

    def possible(self, marks: frozenset[str]) -> int:
        """Return which rows may match in a text with `marks`: the first one is the lowest bit."""
        # NOTE: of two sets the smaller one is walked.
        bits = reduce(or_, map(self._bits.__getitem__, self._marks & marks), 0)
        left = (1 << self._size) - 1
        for without in self._without:
            left &= bits | without
            bits >>= self._size
        return left


def numbers_of(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, from the lowest one."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
