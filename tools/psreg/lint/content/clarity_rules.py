"""The rules about clarity: unfinished text, features of one platform, examples that show nothing.

They check the texts of an artifact, of its README.md and of its TOML files, like the content rules.
An author may waive them in release.toml with a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from string import ascii_lowercase, digits
from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.formats.platforms import FEATURES, PLATFORMS
from psreg.lint.content.search_marks import marks_of
from psreg.lint.content.texts import Content, Kind, Segment

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
_UNSPACED = lazy(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


SLOT_STARTS = frozenset("{[<")
"""How a text begins that is only a slot to fill in."""

_SLOT = lazy(r"\{[\w .,-]{1,80}\}|\[[\w .,-]{1,80}\]|<[\w .,-]{1,80}>")
_PUT_OFF = lazy(r"(?:todo|tbd|fixme)(?:\s{0,4}[-–—:]).{0,80}", re.IGNORECASE)
_BLANK = lazy(r"\{\{[a-z][a-z0-9_]*+\}\}")
# fmt: off
_FILLER = frozenset("".join(filter(str.isalnum, text)) for text in (
    "na", "none", "null", "nil", "todo", "tbd", "tba", "tbc", "fixme", "placeholder", "undefined",
    "notapplicable", "notavailable", "unspecified", "notspecified", "tobedone", "tobedefined",
    "tobedetermined", "tobedecided", "tobeannounced", "tobewritten", "fillin", "fillmein",
    "fillthisin", "yourtexthere", "texthere", "textgoeshere", "inserttexthere", "addtexthere",
    "asabove", "seeabove", "sameasabove", "ditto", "idem", "foo", "bar", "foobar", "asdf", "qwerty",
    "blahblah", "dummy", "whatever", "asdfgh", "qwertz", "abc", "xyz", "test", "testing", "text",
    "blank", "empty", "missing", "pending", "wip", "comingsoon", "nan",
    "keine", "keiner", "keineangabe", "entfällt", "nichtzutreffend", "siehe oben", "wie oben",
    "folgt", "leer", "s. o.", "k. a.",
    "aucun", "aucune", "néant", "sans objet", "à définir", "voir plus haut",
    "vide",
    "ninguno", "ninguna", "no aplica", "por definir", "sin definir", "pendiente", "vacío",
    "nenhum", "nenhuma", "não se aplica", "a definir", "vazio", "nessuno", "nessuna", "da definire",
    "нет", "не указано", "неприменимо", "см. выше", "пусто", "无", "無", "未定", "待定", "暂无",
    "暫無", "不适用", "不適用", "同上", "なし", "未定義", "該当なし", "省略",
    "없음", "미정", "해당 없음",
    "لا يوجد", "غير محدد", "فارغ", "yok", "belirlenecek", "boş", "tidak ada", "kosong", "belum ada",
    "कोई नहीं", "लागू नहीं", "खाली",
))
# fmt: on
"""Whole texts, case folded, of their letters and digits alone."""

_FILLERS = tuple(_FILLER)

_STARTS = {each[:3] for each in _FILLER}
_SHORT = {each for each in _FILLER if each.isascii() and not each[2:]}

FILLER_STARTS = frozenset(
    start.encode()
    for start in (
        "",
        *_STARTS,
        *(short + then for short in _SHORT for then in ascii_lowercase + digits),
        *(number * letter for letter in ascii_lowercase for number in (2, 3)),
    )
)
"""The first three letters and digits of a text in ASCII that says nothing, or all if it has two."""

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

    A single letter is not: minimal files that test a format consist of them.
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
    if "a" <= letters[0] <= "z" and letters[0] * len(letters) == letters > letters[0]:
        return True
    if not letters.startswith(_FILLERS) or _UNFINISHED.search(text):
        return False  # what is unfinished, CLR001 reports
    each = {*map(_plain, words.split())} - {""}  # "n/a n/a"
    return letters in _FILLER or each <= _FILLER or _PUT_OFF.fullmatch(bare) is not None


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
