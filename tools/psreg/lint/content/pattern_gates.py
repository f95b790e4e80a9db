"""What a text must contain for a pattern to match in it, read off the pattern itself.

A gate is a list of clauses, and a clause a list of phrases: a text in which the pattern matches has
at least one phrase of each clause. Telling that it has none takes much less time than to try the
pattern wherever a match may begin, or even to compile it. What is not understood here of a pattern
demands nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from psreg.core.regex import lazy
from psreg.lint.content.search_marks import Blocks, longest_mark, mark, narrowed, spread
from psreg.lint.content.texts import Content

_TOKEN = lazy(
    r"[A-Za-z0-9]{1,60} ?(?![*+?{])|"  # letters and a blank
    r"\(\?(?:P<\w++>|[a-zA-Z-]*+:|<?[=!])|\(\?P=\w++\)|[()|]"  # parts of a group
    r"|\\(?:x..|u....|[0-9]++|.)|\[\^?\]?(?:\\.|[^\]\\]){0,200}\]"  # an escape, a set
    r"|[*+?][+?]?|\{[0-9]*+,?[0-9]*+\}[+?]?"  # a repetition
    r"|.",
    re.DOTALL,
)
_SET = lazy(r"\[[a-zA-Z0-9'’]{1,4}\]")
_NO_LETTER = lazy(r"\(\?<!\[(?:A-Z)?(?:a-z0-9|\\w)[^\]]*+\]\)")
_WORD = lazy(r"[a-z0-9]++")
_NOT_AFTER = "(?<!"
_DOTLESS = ("ı", "İ")
_LOOKING = ("(?=", "(?!", "(?<=", _NOT_AFTER)

_REPEATING = "*+?{"
"""What the tokens begin with that repeat the one before."""

_ENDS = ("|", ")")

_BOUNDARY = "^"
"""Where a word begins or ends, in a phrase; the sign itself is never part of one."""

_EDGES = _BOUNDARY + " "

_MOST = 48
"""The most phrases of a clause, so that it is quickly looked up."""

_ENOUGH = 3
"""So many clauses of a pattern, those with the longest phrases, are looked up."""

_PAGES = 20_000
"""Phrases are not looked up in longer texts, where that takes longer than words."""

_SHORT = 2
"""Almost every text has phrases of fewer letters."""

_GLUE = (
    "a an and any are as at be by can do for from if in is it must not of on or should that the to"
    " user users when will with you your"
)
_COMMON = frozenset(_GLUE.split())
"""Words that almost every text has."""


class _Part(NamedTuple):
    """What part of a pattern demands: to be one of the `exact` texts, or what `clauses` say."""

    exact: list[str] | None
    clauses: list[list[str]]


_ANYTHING = _Part(None, [])
_EMPTY = _Part([""], [])
_BLANK = _Part([" "], [])
_EXACT = {
    r"\b": _Part([_BOUNDARY], []),
    **dict.fromkeys((r"\A", r"\Z", r"\B", "^", "$"), _EMPTY),
    ".": _ANYTHING,
    **dict.fromkeys((" ", r"\s", r"\n", r"\t", r"\r"), _BLANK),
}


class Gate:
    """What a pattern demands of a text; a blank in it matches any white space."""

    def __init__(self, clauses: Iterable[Iterable[list[str]]]) -> None:
        """Take clauses as `grouped` returns them."""
        self._clauses = self._ordered = [_Clause(groups) for groups in clauses]
        self._missed = False
        self._first = 0

    @classmethod
    def of(cls, pattern: str) -> Gate:
        """Read off `pattern` what it demands; that takes long."""
        whole = _alternatives(_TOKEN.findall(pattern)[::-1], "")
        clauses = sorted(whole.clauses or [whole.exact or [""]], key=_letters)
        best = (clause for clause in clauses[-_ENOUGH:] if _letters(clause)[0] >= _SHORT)
        return cls(map(grouped, reversed([*best])))

    @property
    def clauses(self) -> list[list[str]]:
        """For each clause its phrases: blanks are white space, and `^` is where a word ends."""
        return [clause.written for clause in self._clauses]

    @property
    def demands(self) -> list[frozenset[str]]:
        """For each clause marks of which every text that this gate lets has one."""
        return [clause.marks for clause in self._clauses]

    @property
    def alternatives(self) -> list[list[frozenset[str]]]:
        """For each clause the marks of each phrase."""
        return [clause.alternatives for clause in self._clauses]

    def places(self, blocks: Blocks, longest: int, before: int) -> int:
        """Return in which blocks a match may begin, by what it has and what is `before` it."""
        found = -1
        for clause in self._clauses:
            found &= spread(clause.places(blocks), longest, before)
            if not found:
                break
        return found

    def lets_text(self, flat: str) -> bool:
        """Tell whether a short text, as `Content.flat` has it, has a phrase of each clause."""
        said = narrowed(flat)
        return all(any(map(said.__contains__, clause.phrases)) for clause in self._clauses)

    def is_first(self, content: Content) -> bool:
        """Tell whether `content` is the first text that is asked about.

        To find out what else a phrase needs besides its longest word takes longer than the check of
        one file should.
        """
        text = content.phrases
        self._first = self._first or id(text)
        return id(text) == self._first and len(text) <= _PAGES

    def lets(self, content: Content) -> bool:
        """Tell whether `content` has a phrase of each clause; without it, nothing matches."""
        if self.is_first(content):
            return all(clause.is_said(content) for clause in self._clauses)
        clauses, marks = self._ordered, content.marks
        # NOTE: what one text does not have, the next one often does not have either.
        if self._missed and not clauses[0].has_phrase(content):
            return False
        if not all(clause.has_words(marks) for clause in clauses):
            return False
        missing = next((clause for clause in clauses if not clause.has_phrase(content)), None)
        if missing is not None:
            self._missed = True
            self._ordered = [missing, *(clause for clause in clauses if clause is not missing)]
        return missing is None


def grouped(clause: Iterable[str]) -> list[list[str]]:
    """Return the phrases of a clause in groups, each after the longest word they need, or ""."""
    found: dict[str, list[str]] = {}
    for phrase in sorted({*clause}):
        words = filter(str.isalnum, sorted(_marks(phrase)))
        found.setdefault(max(words, key=len, default=""), []).append(phrase)
    return [[word, *phrases] for word, phrases in sorted(found.items())]


class _Clause:
    def __init__(self, groups: Iterable[list[str]]) -> None:
        self._groups = {word: phrases for word, *phrases in groups}

    @property
    def written(self) -> list[str]:
        """The phrases with the signs of boundaries."""
        return sorted(chain(*self._groups.values()))

    @cached_property
    def _searches(self) -> list[tuple[frozenset[str], str, bool]]:
        return list(_searches(self.written))

    @cached_property
    def _phrases(self) -> dict[str, list[tuple[frozenset[str], str, bool]]]:
        """The phrases by their longest marks."""
        phrases: dict[str, list[tuple[frozenset[str], str, bool]]] = {}
        for each in self._searches:
            phrases.setdefault(longest_mark(each[0]), []).append(each)
        return phrases

    @cached_property
    def phrases(self) -> list[str]:
        """The phrases, as `Content.phrases` has them."""
        return [phrase.replace(_BOUNDARY, "") for phrase in chain(*self._groups.values())]

    @cached_property
    def marks(self) -> frozenset[str]:
        """Marks of which every text with one of the phrases has one."""
        return frozenset(self._phrases)

    @property
    def alternatives(self) -> list[frozenset[str]]:
        """The marks of each phrase."""
        return [marks for marks, _, _ in self._searches]

    def places(self, blocks: Blocks) -> int:
        """Return which blocks of a long text may have part of a phrase."""
        found = 0
        for word, phrases in self._groups.items():
            if word:
                found |= blocks.with_mark(word)
            else:
                for needed, phrase, is_word in _searches(phrases):
                    found |= blocks.with_part(phrase) if is_word else blocks.begun(needed)
        return found

    def is_said(self, content: Content) -> bool:
        """Tell whether `content` has a phrase; only those are searched of which it has a word."""
        said = content.phrases
        for word in content.marks.intersection(self._groups):
            for phrase in self._groups[word]:
                if phrase.replace(_BOUNDARY, "") in said:
                    return True
        return False

    def has_words(self, marks: frozenset[str]) -> bool:
        for each in self.marks & marks:
            for needed, _, _ in self._phrases[each]:
                if needed <= marks:
                    return True
        return False

    def has_phrase(self, content: Content) -> bool:
        marks = content.marks
        for each in self.marks & marks:
            for needed, phrase, is_word in self._phrases[each]:
                # NOTE: the words of a text are much shorter than the text.
                if needed <= marks and phrase in (
                    content.vocabulary if is_word else content.phrases
                ):
                    return True
        return False


def _searches(phrases: list[str]) -> Iterator[tuple[frozenset[str], str, bool]]:
    """Yield the marks of each phrase, what to search for, and whether that is in one word."""
    for each in _shortest(phrases):
        phrase = _searched(each)
        word = phrase.removesuffix(" ")
        yield _marks(each), phrase, word.isascii() and word.isalnum()


def _letters(clause: list[str]) -> tuple[int, float]:
    """Return how many letters the shortest phrase has, and a phrase on average.

    A word that almost every text has counts as two letters.
    """
    numbers = list(map(_letters_of, clause))
    return min(numbers), sum(numbers) / len(numbers)


@lru_cache(maxsize=1 << 12)
def _letters_of(phrase: str) -> int:
    # NOTE: clauses are compared with one another on each level of a pattern.
    return sum(2 if word in _COMMON else len(word) for word in _WORD.findall(phrase))


def _shortest(phrases: list[str]) -> list[str]:
    """Return the phrases that do not begin with another one."""
    kept: list[str] = []
    for phrase in sorted(phrases):
        if not (kept and phrase.startswith(kept[-1])):
            kept.append(phrase)
    return kept


def _searched(phrase: str) -> str:
    """Return what to search for in a text with the marks of `phrase`; nothing if these tell all."""
    word = phrase.strip(_EDGES)
    begins = len(word) > _SHORT and phrase[0] in _EDGES and _WORD.fullmatch(word)
    if begins and (phrase[-1] in _EDGES or mark(word) == word):
        return ""
    if _WORD.fullmatch(word):  # it is looked for among words, each followed by a blank
        return word + " " * (phrase[-1] in _EDGES)
    return phrase.replace(_BOUNDARY, "")


def _marks(phrase: str) -> frozenset[str]:
    """Return marks of every text that contains `phrase`."""
    found = {sign for sign in phrase if not sign.isalnum()} - {_BOUNDARY, " "}
    for word in _WORD.finditer(phrase):
        if word.start():
            found.add(word[0] if word.end() < len(phrase) else mark(word[0]))
    return frozenset(found - {""})


def _alternatives(tokens: list[str], before: str) -> _Part:
    """Read `tokens`, the last one first, to the end of a group that comes after `before`."""
    branches = [_sequence(tokens, before)]
    while tokens and tokens.pop() == "|":
        branches.append(_sequence(tokens, before))
    if len(branches) == 1:
        return branches[0]
    exact = [text for branch in branches for text in branch.exact or ()]
    if all(branch.exact for branch in branches) and len(exact) <= _MOST:
        return _Part(exact, [])
    best = [_best(branch.clauses or [branch.exact or [""]]) for branch in branches]
    # NOTE: a match is of one branch, and has a phrase of each of its clauses.
    return _Part(
        None,
        [
            [phrase for each in best for phrase in each[min(at, len(each) - 1)]]
            for at in range(max(map(len, best)))
        ],
    )


def _best(clauses: list[list[str]]) -> list[list[str]]:
    """Return the clauses that exclude most texts, the best one first."""
    if len(clauses) == 1:
        return clauses
    return sorted(clauses, key=_letters, reverse=True)[:_ENOUGH]


def _sequence(tokens: list[str], before: str) -> _Part:
    """Read what follows one another, and write out the texts that it can be."""
    run, clauses, whole = [before], [], True
    while tokens and tokens[-1] not in _ENDS:
        token = tokens.pop()
        part = _EXACT.get(token) or _element(token, tokens, run)
        if tokens and tokens[-1][0] in _REPEATING:
            part = _repeated(part, tokens)
        exact = part.exact
        if exact and len(run) * len(exact) <= _MOST:
            run = [first + then for first in run for then in exact]
            continue
        whole = False
        boundary = _boundary_after(run)
        clauses += [run, *part.clauses]
        run = [boundary + text for text in exact] if exact else [""]
    return _Part(run, []) if whole else _Part(None, [*clauses, run])


def _boundary_after(run: list[str]) -> str:
    """Return the sign of a boundary if each text of `run` ends with a sign, else nothing."""
    return "" if any(not text or text[-1].isalnum() for text in run) else _BOUNDARY


def _element(token: str, tokens: list[str], run: list[str]) -> _Part:
    if token[0] == "(" and token[-1] != ")":
        no_letter = token == _NOT_AFTER and _NO_LETTER.match("".join((token, *tokens[-1:-3:-1])))
        inside = _alternatives(tokens, _boundary_after(run))
        return _Part([_BOUNDARY if no_letter else ""], []) if token in _LOOKING else inside
    # NOTE: without the letters that Unicode takes for others, such as the final sigma.
    latin = "ß" <= token.lower() <= "ž" and token.isalpha() and token not in _DOTLESS
    if latin or (token[0].isascii() and token[0].isalnum()):
        return _Part([token.lower()], [])
    if token[0] == "[" and _SET.fullmatch(token):
        return _Part(list(token[1:-1].lower()), [])
    sign = token.removeprefix("\\") or token
    literal = len(sign) == 1 and sign.isascii() and not sign.isalnum() and sign != _BOUNDARY
    return _Part([sign], []) if literal else _ANYTHING


def _repeated(part: _Part, tokens: list[str]) -> _Part:
    if tokens[-1] == "{":
        return part
    token = tokens.pop()
    if token[0] == "+" or token[1:2] in tuple("123456789"):
        if part.exact == [" "]:
            return part
        return _Part(None, [part.exact] if part.exact else part.clauses)
    if part.exact and (token[0] == "?" or part.exact == [" "]):
        return _Part([*part.exact, ""], [])
    return _ANYTHING


def with_any_blanks(pattern: str) -> str:
    """Return `pattern` with white space for each blank: texts are wrapped and indented."""
    if "[" not in pattern:
        return pattern.replace(" ", r"\s{1,4}")
    return _BLANK_OR_SET.sub(_any_blank, pattern)


_BLANK_OR_SET = lazy(r"\\.|\[\^?\]?(?:\\.|[^\]\\]){0,200}\]| ")


def _any_blank(found: re.Match[str]) -> str:
    return r"\s{1,4}" if found[0] == " " else found[0].replace(" ", r"\s")


@cache
def compiled(pattern: str, *, cased: bool = False) -> re.Pattern[str]:
    """Return what searches for `pattern`, once; it ignores case if it is not `cased`."""
    return re.compile(with_any_blanks(pattern), 0 if cased else re.IGNORECASE)
