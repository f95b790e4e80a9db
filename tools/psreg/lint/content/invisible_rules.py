"""The rules about invisible characters: tags, direction controls, joiners, variation selectors.

Each rule first looks at the set of characters in the file, and skips ASCII files. Only a registry's
maintainers can waive these rules, not an author.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from psreg.core.diagnostics import ERROR, WARNING, Change, Finding
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.core.terminal import code_point, code_points, hidden_bytes, quoted
from psreg.lint.content.texts import Content
from psreg.lint.segments import Kind, Segment

_TAGS = frozenset(map(chr, range(0xE0000, 0xE0080)))
_FLAG = "\U0001f3f4"
_FLAGS = tuple(
    _FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""England, Scotland and Wales: the only flags of regions in Unicode's RGI emoji."""
_TAG_RUN = lazy(f"(?P<flag>{'|'.join(_FLAGS)})|[\U000e0000-\U000e007f]++")


@rule("PS001", spec="registry/CONTENT", severity=ERROR)
def tag_characters(content: Content) -> Iterator[Finding]:
    """Invisible tag characters spell a hidden text.

    ## Why
    Each ASCII letter has an invisible counterpart among the characters U+E0000 to U+E007F. No
    editor and no review page shows a text written in them, but a model reads it like any other
    text. It is the simplest way to give an assistant orders that no reviewer approved. The flags of
    England, Scotland and Wales use the same characters and are allowed.

    ## Fix
    Delete the characters; the message shows what they say. If you did not write them, find out
    where the text came from.

    ```text
    before   Summarise the report.{U+E0049}{U+E0067}{U+E006E}{U+E006F}{U+E0072}{U+E0065}
    after    Summarise the report.
    ```
    """
    if content.ascii or not _TAGS & content.characters:
        return
    runs = ((p, m) for p, m in content.find(_TAG_RUN) if not m["flag"])
    for segment, run in runs:
        text = "".join(chr(ord(c) - 0xE0000) for c in run[0])
        yield Finding(
            message=f"{len(text)} invisible tag characters say {quoted(text)}",
            at=segment.span(*run.span()),
            hint="Delete them, and find out where they came from.",
        )


_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MARKS = frozenset("\u200e\u200f\u061c")
_DIRECTION_RUN = lazy("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]++")


@rule("PS002", spec="registry/CONTENT", severity=ERROR)
def direction_controls(content: Content) -> Iterator[Finding]:
    """Invisible characters change the order in which text is shown.

    ## Why
    With controls such as U+202E, a line looks different on the screen from what is stored. The
    reviewer approves one sentence, and the assistant obeys another (CVE-2021-42574, "Trojan
    Source"). No prompt needs them. The plain marks U+200E, U+200F and U+061C are allowed in files
    with right-to-left text, such as Hebrew or Arabic.

    ## Fix
    Delete the characters. Right-to-left text is displayed correctly without them.

    ```text
    before   Reply {U+202E}ylno{U+202C} in English.
    after    Reply only in English.
    ```
    """
    found = frozenset() if content.ascii else (_DIRECTIONS | _MARKS) & content.characters
    if not found:
        return
    marks_pass = any(unicodedata.bidirectional(c) in _LEFTWARD for c in content.characters - found)
    runs = (
        (segment, run)
        for segment, run in content.find(_DIRECTION_RUN)
        if not (marks_pass and _MARKS.issuperset(run[0]))
    )
    for segment, run in runs:
        yield Finding(
            message=f"{code_point(run[0][0])} changes the order in which the text is shown",
            at=segment.span(*run.span()),
            hint="Delete it.",
        )


_LEFTWARD = ("R", "AL")

_UNSEEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
)
_BLANK = frozenset("\u115f\u1160\u2028\u2029\u2800\u3164\uffa0")
"""Those that take up space: without them words may run together, so there is no safe fix."""

_JOINING = (  # letters that joiners shape: Arabic, Indic and their relatives
    "\u0590-\u08ff\u0900-\u109f\u1700-\u180d\u180f-\u18af\u1900-\u1cff\ua800-\uab2f\uabc0-\uabff"
    "\ufb1d-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_UNSPACED = (  # Thai, Lao, Burmese, Khmer, Tai, Balinese, Javanese, Cham: words end at U+200B
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1b7f\ua980-\ua9ff\uaa00-\uaa7f"
)
_MONGOLIAN = "\u1800-\u18af"
_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
_UNSEEN_RUN = lazy(
    f"(?P<shapes>(?<=[{_JOINING}])[\u200c\u200d](?![\u200c\u200d{_UNSEEN}])"
    f"|(?<![\u200c\u200d{_UNSEEN}])[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])"
    f"|(?<=[{_UNSPACED}])\u200b(?![\u200c\u200d{_UNSEEN}])"
    f"|(?<![\u200c\u200d{_UNSEEN}])\u200b(?=[{_UNSPACED}])"
    f"|(?<=[{_MONGOLIAN}])\u180e(?=[{_MONGOLIAN}]))"
    f"|[\u200c\u200d{_UNSEEN}]++"
)
_UNSEEN_CHARACTER = lazy(f"[\u200c\u200d{_UNSEEN}]")
_MEANS_SOMETHING = frozenset("[]{}%@")
_FEW = 3
"""So many invisible characters in a file are an accident."""

_LONG_LINE = 5_000
"""The longest line that a person will read after a fix has changed it."""


@rule("PS003", spec="registry/CONTENT", severity=ERROR)
def invisible_characters(content: Content) -> Iterator[Finding]:
    """The text contains invisible characters.

    ## Why
    Two kinds of zero-width characters are enough to write any message between the letters of a
    harmless text, and one inside a word hides that word from every search. They also arrive by
    accident, copied from a web page, and then break names and comparisons. Three or fewer in
    a file cannot say much and are a warning, and so are soft hyphens inside words. Joiners
    are allowed where they shape letters, as in Persian and Hindi, and inside emoji; U+200B is
    allowed where words are written without spaces, as in Thai, Khmer and Burmese, and U+180E in
    Mongolian.

    ## Fix
    Delete the characters, or run `psreg check --fix`. Reviewers cannot see them, so they cannot
    approve them. If another rule would report the text without them, no fix is offered: read what
    they hid.

    ```text
    before   Sum{U+200B}marise the text.
    after    Summarise the text.
    ```
    """
    if content.ascii or not _UNSEEN_CHARACTER.search("".join(content.characters)):
        return
    runs = (
        (segment, run)
        for segment, run in content.find(_UNSEEN_RUN)
        if not run["shapes"] and not _byte_order_mark(segment, run)
    )
    first = list(islice(runs, _FEW + 1))
    few = sum(len(run[0]) for _, run in first) <= _FEW
    for segment, run in chain(first, runs):
        span = segment.span(*run.span())
        harmless = (few and segment.kind is not Kind.KEY) or _is_hyphen(segment.text, run)
        fixable = deletable(segment, run)
        yield Finding(
            message=f"{_named(run[0])} cannot be seen",
            at=span,
            hint="Delete the invisible characters.",
            severity=WARNING if harmless else None,
            fix=(Change(span, ""),) if fixable else (),
            fix_title="Delete invisible characters" if fixable else "",
        )


def _is_hyphen(text: str, run: re.Match[str]) -> bool:
    """Tell whether `run` is one soft hyphen where a word may be divided."""
    around = text[run.start() - 1 : run.start()] + text[run.end() : run.end() + 1]
    return run[0] == "\u00ad" and len(around) == len("ab") and around.isalpha()


def _named(run: str) -> str:
    return code_point(run) if len(run) == 1 else f"{len(run)} characters, {code_points(run)},"


def _byte_order_mark(segment: Segment, run: re.Match[str]) -> bool:
    """Tell whether `run` begins a file: other rules report that."""
    whole = segment.kind not in (Kind.VALUE, Kind.KEY)
    return whole and run.start() == 0 and run[0].strip("\ufeff") == ""


def deletable(segment: Segment, run: re.Match[str]) -> bool:
    """Tell whether the text certainly means the same without `run`, in every format."""
    if segment.kind is Kind.KEY or not _BLANK.isdisjoint(run[0]):
        return False
    line = _line(segment.text, *run.span())
    if line is None or (segment.kind is Kind.PROMPT and not _means_nothing(line)):
        return False
    return _says_something(segment.text)


def _line(text: str, start: int, end: int) -> str | None:
    """Return the line that contains a run; None if the line is long."""
    far = max(0, start - _LONG_LINE)
    begin = text.rfind("\n", far, start) + 1 or far
    if begin and text[begin - 1] != "\n":
        return None
    stop = text.find("\n", end, begin + _LONG_LINE + 1)
    if stop < 0:
        stop = len(text)
    return text[begin:stop] if stop - begin <= _LONG_LINE else None


@lru_cache(maxsize=1)  # the findings of one line ask for it one after another
def _means_nothing(line: str) -> bool:
    return _MEANS_SOMETHING.isdisjoint(line)


@lru_cache(maxsize=1)  # the findings of one text ask for it one after another
def _says_something(text: str) -> bool:
    return not _UNSEEN_CHARACTER.sub("", text).isspace()


_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SELECTED = {
    selector: byte
    for byte, selector in enumerate(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
}
_FIXED = 5_000
"""The most scattered selectors that one fix deletes."""

_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SELECTOR_RUN = lazy(
    f"[{_SELECTOR}]{{2,}}+"
    f"|(?<![{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]"
    "|(?<![^\x00-\x7f])[\ufe00-\ufe0d]"
    "|(?<=[^\\W\\d_])(?<!\u2139)[\ufe0e\ufe0f]"
)


@rule("PS004", spec="registry/CONTENT", severity=ERROR)
def variation_selectors(content: Content) -> Iterator[Finding]:
    """Variation selectors occur where they select nothing and may hide bytes.

    ## Why
    There are 256 variation selectors, one for each byte, and all are invisible. After a letter
    without variants, a row of them is data that no reviewer sees. Packages were infected this way
    ("Glassworm", 2025). Selectors with a purpose are allowed: after emoji, in keycaps, and after
    Chinese, Japanese and Korean ideographs.

    ## Fix
    Delete the characters; the message shows what they contain.

    ```text
    before   Hello{U+E0158}{U+E0152}{U+E0149}
    after    Hello
    ```
    """
    if content.ascii:
        return
    if _SELECTED.keys().isdisjoint(content.characters):
        return
    scattered: dict[Segment, list[re.Match[str]]] = {}
    for segment, run in content.find(_SELECTOR_RUN):
        if len(run[0]) > 1:
            yield _selects_nothing(segment, [run])
        else:
            scattered.setdefault(segment, []).append(run)
    for segment, runs in scattered.items():
        yield _selects_nothing(segment, runs)


def _selects_nothing(segment: Segment, runs: list[re.Match[str]]) -> Finding:
    hidden = "".join(run[0] for run in runs)
    number = f"{len(hidden)} variation selectors that select"
    if len(hidden) == 1:
        number = "1 variation selector that selects"
    fix = tuple(Change(segment.span(*r.span()), "") for r in runs[:_FIXED] if deletable(segment, r))
    return Finding(
        message=f"{number} nothing; as bytes: {hidden_bytes(_bytes(hidden))}",
        at=segment.span(*runs[0].span()),
        hint="Delete them, and find out where they came from.",
        fix=fix,
        fix_title="Delete variation selectors" if fix else "",
    )


def _bytes(selectors: str) -> bytes:
    """Return the bytes that `selectors` stand for: U+FE00 is 0, U+E0100 is 16."""
    return bytes(map(_SELECTED.__getitem__, selectors))


INVISIBLE_RULES: tuple[Rule[Content], ...] = (
    tag_characters,
    direction_controls,
    invisible_characters,
    variation_selectors,
)
