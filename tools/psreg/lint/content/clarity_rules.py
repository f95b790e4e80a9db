"""The rules about clarity: unfinished text, features of one platform, examples that show nothing.

They check the texts of an artifact, of its README.md and of its TOML files, like the content rules.
An author may waive them in release.toml with a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pkgutil import get_data
from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.formats.platforms import FEATURES, PLATFORMS
from psreg.lint.content.search_marks import marks_of
from psreg.lint.content.texts import Content
from psreg.lint.segments import Kind, Segment

_MARK = r"(?:TODO|TBD|FIXME)"
_MENTIONED = r"(?:and|app|are|comment|entr|file|in|is|item|list|mark|note|or|section|tag)"
_START = r"(?:^[ \t>*#-]*+|(?<=[.!?] ))"
_UNFINISHED = lazy(
    rf"{_START}{_MARK}(?=[ \t.…!]*+$|(?:\([^()\n]{{1,40}}\))?:)"  # alone, or followed by a colon
    rf"|^{_MARK}(?=[ \t]++[a-z])(?![ \t]++{_MENTIONED})"  # "TODO write this", not "TODO lists are"
    r"|(?i:^lorem ipsum\b|\blorem ipsum dolor\b)",
    re.MULTILINE,
)
_UNFINISHED_TOML = lazy(
    rf"[=\[,][ \t\n]*+[\"']{{1,3}}\s*+(?P<mark>{_MARK}(?:(?=[\"':.])|(?=[ ][a-z])(?! {_MENTIONED}))"
    r"|(?i:lorem ipsum\b))"
)
_OUTPUT = (
    "analys|answer|assess|comment|conclu|decision|draft|evaluat|explan|feedback|final|finding"
    "|idea|judg|opinion|output|plan|question|rating|reason|recommend|reply|response|result|rewrit"
    "|score|solution|suggest|summar|text here|think|thought|translat|verdict|work"
)
_YOURS = lazy(rf"<your (?!(?:\w++ )?(?:{_OUTPUT}))[^<>\n]{{1,60}}>", re.IGNORECASE)
_TEMPLATE_WORDS = {
    word: marks_of(word.lower())
    for word in (
        "string",
        "unique_identifier",
        "semantic_version",
        "Execution directive for LLM",
    )
}
_FIELD = lazy(
    r"/(?:(?:pbe_name|pbe_version|install_instructions|description)"
    r"|(?:execution|core_philosophy|meta_instructions|start_play|service_config)/[^/]++"
    r"|game_structure/phases/[0-9]++/[^/]++|facilitator_techniques/techniques/[0-9]++/[^/]++"
    r"|save_system/(?:description|trigger_phrases/[0-9]++|load_detection/[^/]++))"
)
_FEATURE = lazy(
    r"(?<!\w)(?:" + "|".join(re.escape(f) for f in sorted(FEATURES, key=len, reverse=True)) + r")\b"
)
_NEEDLES = tuple((f.lower(), marks_of(f.lower())) for f in FEATURES)
"""Each feature, and the marks of a text that names it."""

ENOUGH_WORDS = 5
"""The fewest words of an example that shows what an assistant might say."""

_WORD = lazy(r"[^\W\d_]{2}")
_WORDS = lazy(r"[^\W_]+")
_UNSPACED = lazy(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


SLOT_STARTS = frozenset("{[<$%_")
"""How a text begins that is only a slot to fill in."""

_IN_SLOT = r"[\w .,'-]{1,80}"
_SLOT = lazy(
    rf"\$?\{{{{1,2}}{_IN_SLOT}\}}{{1,2}}|\[{{1,2}}{_IN_SLOT}\]{{1,2}}|<{{1,2}}{_IN_SLOT}>{{1,2}}"
    r"|<!--[^<>]{0,80}-->|%\w{1,40}%|\$\w{1,40}|__\w{1,40}__"
)
_PUT_OFF = lazy(r"(?:to ?do|tbd|fixme)(?:\s{0,4}[-–—:]).{0,80}", re.IGNORECASE)
_BLANK = lazy(r"\{\{[a-z][a-z0-9_]*+\}\}")

LONGEST_PHRASE = 60
"""The most characters of a phrase that says nothing, with whatever noun it has."""

_KINDS = {
    word: kind
    for kind, words in {
        "thing": "text content description value goal behavior behaviour purpose summary prompt"
        " example instruction condition style role stance principle information info detail data"
        " word sentence texts values words details instructions examples stuff",
        "done": "filled added written completed done decided defined determined specified announced"
        " described provided supplied set finished known given needed required relevant",
    }.items()
    for word in words.split()
}
_PHRASE = lazy(
    r"(?:please )?(?:insert|enter|add|put|fill in|write|type|provide|describe|specify|paste|define)"
    r" (?:\w+ ){0,4}here"
    r"|(?:(?:your|my|the|some|own|sample|dummy|actual|more) ){0,3}thing(?: goes| comes)? here"
    r"|(?:some|my|sample|dummy|placeholder|random|generic|example)(?: thing){1,3}"
    r"|(?:(?:there|this|it) is )?(?:no|not|none|nothing)(?: specific| particular| real| yet)?"
    r" (?:thing|done|applicable|available|necessary)(?: in)?(?: yet| here| for now)?"
    r"|(?:(?:this|it|thing|the thing) )?(?:will|to|must|should|yet to|needs to|has to) be done"
    r"(?: in| out)?(?: here)?(?: later| soon)?"
    r"|(?:see|same as|refer to|as in|as done in|like) (?:in )?(?:the )?(?:readme(?: md| file)?"
    r"|thing|above|below|docs?|documentation|previous(?: one)?|before|others?|title|name)"
    r"|(?:change|replace|edit|fill|rename|write|complete) (?:me|this)"
    r"(?: thing| field| part| line)?(?: in| out)?(?: later| please)?"
    r"|(?:fix|fill|write|define|decide|do|add|complete|describe) (?:(?:it|this|in) ){0,2}later"
)
"""A phrase in English, of words with one blank between them, their kind in place of some."""

_BEGINNINGS = (
    "please insert enter add put fill write type provide describe specify paste define your my the"
    " some own sample dummy actual more placeholder random generic thing there this it no not none"
    " nothing will to must should yet needs has see same refer as done like change replace edit"
    " rename complete fix decide do"
)
_FIRST_WORDS = frozenset(
    (*_BEGINNINGS.split(), *(word for word, kind in _KINDS.items() if kind == "thing"))
)
"""How such a phrase begins."""

_TO_DO = b"tod"
_DATA = "data/fillers.txt"
_SHORT = 3
"""Letters and digits at the start of a text that tell almost all texts from filler."""


@cache
def _fillers() -> frozenset[str]:
    """Return whole texts that say nothing, of their letters and digits alone, case folded."""
    data = get_data("psreg.lint.content", _DATA) or b""
    lines = (line for line in data.decode().splitlines() if not line.startswith("#"))
    return frozenset(_plain(text) for line in lines for text in line.split(",")) - {""}


@cache
def _starts() -> frozenset[str]:
    return frozenset(each[:_SHORT] for each in _fillers())


@cache
def _beginnings() -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return with which letters fillers begin, and phrases that say nothing."""
    fillers = (each.encode() for each in _starts())
    return frozenset(fillers), frozenset(each[:_SHORT].encode() for each in _FIRST_WORDS)


_ASCII_SIGNS = bytes(code for code in range(0x80) if not chr(code).isalnum())
_SIGNS = frozenset(("P", "Z", "C"))
_DRAWN = "So"  # an emoji says something


@rule("CLR001", spec="registry/CLARITY", severity=ERROR)
def placeholder_left_in(content: Content) -> Iterator[Finding]:
    """A placeholder was left in: `TODO`, `TBD`, `lorem ipsum`, `<your …>`, `string`.

    ## Why
    An assistant takes every word as an instruction. Where the author meant to add something later,
    it invents something, or says "string" to the user. A published version can no longer be
    changed.

    ## Fix
    Write the missing text, or remove the field.

    ```text
    before   "tone": "string"        "goal": "TODO: say what for"
    after    "tone": "Encouraging"   "goal": "Help people remember"
    ```

    The rule ignores text that only mentions such a word: a "TODO list", anything in quotes or code,
    the words inside a sentence, the values of a `save_template` (`YYYY-MM-DD`), and slots for what
    the assistant itself should write, such as `<your answer>`.
    """
    yield from _placeholders(content)


def _placeholders(content: Content) -> Iterator[Finding]:
    if content.kind is Kind.TOML:
        for segment, match in content.find(_UNFINISHED_TOML, "todo", "tbd", "fixme", "lorem"):
            yield _left_in(segment, *match.span("mark"))
        return
    for segment, match in content.find(_UNFINISHED, "todo", "tbd", "fixme", "lorem ipsum"):
        if not segment.in_code(match.start()):
            yield _left_in(segment, *match.span())
    for segment, match in content.find(_YOURS, "<your "):
        if not segment.in_code(match.start()) and not _quoted(segment.text, match):
            yield _left_in(segment, *match.span())
    if any(
        marks <= content.marks and f'"{word}"' in content.source
        for word, marks in _TEMPLATE_WORDS.items()
    ):
        for segment in content.segments:
            value = segment.kind is Kind.VALUE and segment.text in _TEMPLATE_WORDS
            if value and _FIELD.fullmatch(segment.pointer):
                yield _left_in(segment, 0, len(segment.text))


def _left_in(segment: Segment, start: int, end: int) -> Finding:
    words = segment.text[start:end].lstrip(" \t>*#-")
    return Finding(
        message=f"the placeholder `{words}` was left in",
        at=segment.span(end - len(words), end),
        hint="Write the missing text, or remove the placeholder.",
    )


def _quoted(text: str, match: re.Match[str]) -> bool:
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return before + after in ('""', "''", "“”", "‘’", "«»")


@rule("CLR002", spec="registry/CLARITY", severity=INFO)
def feature_of_one_platform(content: Content) -> Iterator[Finding]:
    """The artifact names a feature that only one platform has.

    ## Why
    A prompt should work with any assistant. A prompt that asks for a feature by its product name
    leaves all other assistants guessing. It can still be the right choice, but then people should
    know beforehand.

    ## Fix
    Describe what you want instead of naming the product, or mention the dependency in `limitations`
    in release.toml.

    ```text
    before   Use Code Interpreter to draw the chart.
    after    If you can run code, draw the chart; otherwise give the numbers as a table.
    ```

    The names come from the data file `platforms.toml`.
    """
    if content.kind not in (Kind.VALUE, Kind.PROMPT):
        return
    needles = [needle for needle, marks in _NEEDLES if marks <= content.marks]
    for segment, match in content.find(_FEATURE, *needles) if needles else ():
        platform = PLATFORMS[FEATURES[match[0]]]
        yield Finding(
            message=f"`{match[0]}` is a feature of {platform}", at=segment.span(*match.span())
        )


@rule("CLR003", spec="registry/CLARITY pbe-1.0/PBE-11", severity=WARNING)
def example_shows_nothing(content: Content) -> Iterator[Finding]:
    """A technique's example repeats its purpose or has fewer than five words.

    ## Why
    Assistants imitate examples much more reliably than they follow descriptions. An example of two
    words, or one that repeats the purpose of the technique, gives them nothing to imitate.

    ## Fix
    Write a line that the assistant could really say.

    ```text
    before   "purpose": "Encourage the user",   "example": "Praise"
    after    "purpose": "Encourage the user",   "example": "That was a hard one, and you got it!"
    ```

    The rule ignores an example without any word of two letters, as in minimal files that test a
    format. In scripts that are written without spaces, two characters count as a word.
    """
    if content.kind is not Kind.VALUE or "facilitator_techniques" not in content.source:
        return
    for number, technique in _techniques(content.tree.value if content.tree else None):
        text, purpose = technique.get("example"), technique.get("purpose")
        if not isinstance(text, str) or not _WORD.search(text):
            continue
        if _plain(text) == _plain(purpose if isinstance(purpose, str) else ""):
            message = "the example repeats the purpose"
        elif sum(map(str.isalnum, text.split())) < ENOUGH_WORDS > count_words(text):
            message = f"the example has fewer than {ENOUGH_WORDS} words"
        else:
            continue
        pointer = f"/facilitator_techniques/techniques/{number}/example"
        yield Finding(message=message, at=pointer, hint="Write what the assistant could say.")


def _techniques(document: Any) -> list[tuple[int, dict[str, Any]]]:
    outer = document.get("facilitator_techniques") if isinstance(document, dict) else None
    techniques = outer.get("techniques") if isinstance(outer, dict) else None
    if not isinstance(techniques, list):
        return []
    return [(n, each) for n, each in enumerate(techniques) if isinstance(each, dict)]


def count_words(text: str) -> int:
    """Return how many words `text` has; without spaces between words, two characters are one."""
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    rest = _UNSPACED.sub("", text) if unspaced else text
    return unspaced // 2 + sum(w.isalnum() or any(map(str.isalnum, w)) for w in rest.split())


def says_nothing(text: str) -> bool:
    """Tell whether the whole of `text` is filler, or a blank of a template that nobody filled in.

    A single letter or digit is not: minimal files that test a format consist of them.
    """
    filled = _BLANK.sub("", text) if "{{" in text else text
    bare = filled.strip()
    if bare[:1] in SLOT_STARTS and _SLOT.fullmatch(bare):
        return True
    words = bare.casefold()
    if not words.isascii():
        words = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", words).casefold())
    letters = _plain(words)
    if not letters:
        return filled != text or all(is_sign(character) for character in bare)
    phrase = _may_be_phrase(words) and _PHRASE.fullmatch(_kinds(words))
    if phrase or (letters[1:] and (letters.isdigit() or _repeats(letters))):
        return True
    if _starts().isdisjoint((letters[:1], letters[:2], letters[:_SHORT])):
        return False
    known = _fillers() | {""}
    each = all(map(known.__contains__, map(_plain, words.split())))  # "n/a n/a"
    filler = letters in known or each or _PUT_OFF.fullmatch(bare)
    return bool(filler) and not _UNFINISHED.search(text)  # what is unfinished, CLR001 reports


def may_say_nothing(text: str, letters: bytes) -> bool:
    """Tell whether `says_nothing` may be true of a text with these letters and digits.

    It takes a fraction of the time, and few texts may.
    """
    if (
        not letters
        or letters.count(letters[:1]) == len(letters)
        or not text.isascii()
        or text.lstrip()[0] in SLOT_STARTS
        or "{{" in text
        or letters.isdigit()
    ):
        return True
    fillers, phrases = _beginnings()
    start = letters[:_SHORT]
    if start in fillers or letters[:2] in fillers or letters[:1] in fillers:
        # NOTE: a longer one is a note to write it later, or says the same again and again.
        first = _plain(text.split(None, 1)[0])
        return len(letters) <= LONGEST_PHRASE or first in _fillers() or start == _TO_DO
    return (start in phrases or letters[:2] in phrases) and _may_be_phrase(text)


def _may_be_phrase(text: str) -> bool:
    if len(text) > LONGEST_PHRASE:
        return False
    first = _WORDS.search(text)
    return first is not None and first[0].lower() in _FIRST_WORDS


def _kinds(text: str) -> str:
    return " ".join(_KINDS.get(word, word) for word in _WORDS.findall(text))


def _repeats(letters: str) -> bool:
    return "a" <= letters[:1] <= "z" and letters[0] * len(letters) == letters


def gives_no_reason(text: str) -> bool:
    """Tell whether a text, where somebody should say why, is filler or a note to write it later."""
    return says_nothing(text) or _UNFINISHED.search(text) is not None


def is_sign(character: str) -> bool:
    """Tell whether a character says nothing by itself: punctuation, a blank, what nobody sees."""
    category = unicodedata.category(character)
    return category[0] in _SIGNS or (category[0] == "S" and category != _DRAWN)


def _plain(text: str) -> str:
    """Return the letters and digits of `text`, case folded."""
    if text.isascii():
        return text.encode().translate(None, _ASCII_SIGNS).decode().lower()
    return "".join(filter(str.isalnum, text.casefold()))


CLARITY_RULES: tuple[Rule[Content], ...] = (
    placeholder_left_in,
    feature_of_one_platform,
    example_shows_nothing,
)
"""The rules about clarity, checked once per file."""
