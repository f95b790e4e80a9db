"""Words of attacks, and whether a text that has them teaches about attacks.

A linear model: `data/attack_words.txt` has a weight for each word, learned from attacks and
ordinary prompts of many sources (`tests/bench/learn_words.py`). The sum of the weights of the words
that occur in a text, each counted once, is compared with a limit. That finds attacks whose phrases
nobody has listed yet, and says nothing about what a single word means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pkgutil import get_data

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import Span
from psreg.core.regex import lazy
from psreg.lint.content import search_marks
from psreg.lint.content.texts import Content

FEWEST = 5
"""The different words with a weight of the shortest text that is judged."""

_LONG = 6

_LETTERS = lazy(r"[^\W\d_]{2,}")
_WORD = lazy(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each word, and the least sum of a text that reads like an attack."""

    words: Mapping[str, int]
    known: frozenset[str]
    limit: int

    def of(self, words: frozenset[str]) -> int:
        """Return the sum of the weights of `words`."""
        weights = self.words
        return sum([weights[word] for word in words & self.known])


def words_of(content: Content) -> frozenset[str]:
    """Return the words of what a model reads: of a `.prompt`, not its metadata and comments."""
    words, lower = content.words, content.lower
    if prompt := content.prompt:
        lower = "\n".join((prompt.content, *prompt.defaults.values())).lower()
        words = search_marks.words_of(search_marks.spaced(lower), ascii_only=lower.isascii())
    return words if lower.isascii() else words.union(_LETTERS.findall(lower))


def heaviest(content: Content) -> list[str]:
    """Return the words that make a text read like an attack, the most telling first; often none."""
    weights = attack_weights()
    words = words_of(content) & weights.known
    if len(words) < FEWEST or weights.of(words) < weights.limit:
        return []
    pressing = (word for word in words if weights.words[word] > 0)
    # NOTE: short words weigh much together, and tell a reader nothing.
    return sorted(pressing, key=lambda word: (len(word) < _LONG, -weights.words[word], word))


def heaviest_line(content: Content, words: frozenset[str]) -> Span:
    """Return the position of the line that has the most of `words`, by weight."""
    weights, most = attack_weights(), -1
    headers = content.prompt.headers if content.prompt else ()
    begin = next((each.span.end for each in headers if each.name == "CONTENT"), 0)
    span = content.segments[0].span(0, 0)
    for segment in content.segments:
        at = 0
        for line in segment.text.splitlines(keepends=True):
            weight = weights.of(words.intersection(_WORD.findall(line.lower())))
            if weight > most and at >= begin:
                most, span = weight, segment.span(at, at + len(line.rstrip()))
            at += len(line)
    return span


@cache
def attack_weights() -> Weights:
    """Return the weights in `data/attack_words.txt`: a word and a number on each line."""
    data = get_data("psreg.lint.content", "data/attack_words.txt") or b""
    lines = [line.split(" ") for line in data.decode().splitlines() if line[0] != "#"]
    words = {word: int(weight) for word, weight in lines}
    limit = words.pop("LIMIT")
    return Weights(words=words, known=frozenset(words), limit=limit)


_OPENED = lazy(r"[\"'“‘«„`][^\"'“”‘’«»„`\n]{0,60}\Z")
_CLOSED = lazy(r"[^\"'“”‘’«»„`\n]{0,60}[\"'”’»“`]")
_TEACHING = lazy(
    r"\b(?:attack(?:er)?s?|(?:prompt )?injections?|injected|jailbreaks?|malicious|adversarial"
    r"|red[ -]team\w{0,4}|phrases? (?:like|such as)|patterns? (?:like|such as)|attempts?"
    r"|(?:detect|flag|reject|refuse|resist|block|report|recogni[sz]e)(?:s|ed|ing)?"
    r"|(?:watch|look) for"
    r"|(?:users?|someone|anyone|people|they) (?:\w{1,9} )?(?:asks?|says?|types?|tries|try)"
    r"|(?:do not|don['’]t|never) (?:obey|follow|comply|execute|run)|anti-?patterns?"
    r"|vulnerab\w{1,8})\b",
    re.IGNORECASE,
)
_UNSAID = lazy(
    r"\A[^<>]{0,240}?-->|<!--[\s\S]{0,480}?(?:-->|\Z)"
    r"|[a-z]{2,10}://[^\s<>\"'`]{1,240}|(?<![\w.-])[\w-]{1,60}+(?:\.[\w-]{1,60}+){2,9}",
    re.IGNORECASE,
)
"""What tells the reader nothing: comments, which a page does not show, and addresses."""
_ON = r"(?:(?!\b(?:else|otherwise|instead|then|but|unless|nothing|none)\b)[^.!?,;\n]){0,80}"
"""What goes on about the same: an order of its own does not begin in it."""
_REPORTED = lazy(
    r"(?:\b(?:if|when|whenever|should)\b[^.!?,;\n]{0,30}"
    r"\b(?:users?|someone|anyone|somebody|people|they|messages?|inputs?|texts?|documents?|pages?)\b"
    r"[^.!?,;\n]{0,40}\b(?:ask|tell|say|tr(?:y|ie)|want|request|attempt|contain|type)\w{0,3}\b"
    rf"(?:{_ON}|[^.!?,;\n]{{0,30}}\bto (?:[\w/-]{{2,30}}, ){{1,14}}(?:or )?)"
    rf"|(?<!never )(?<!not )(?<!n['’]t )\b(?:refuse|decline|reject|resist)\b{_ON})\Z",
    re.IGNORECASE,
)
"""What says before a match that it is about what others may ask."""
_REPORTING = ("if", "when", "should", "refuse", "decline", "reject", "resist")
"""Of which it has one."""
_FLAGGED = lazy(
    r"(?:\A|[.!?:\n]\s{0,3}|[-*•]\s|\d[.)]\s"
    r"|\b(?:please|always|must|should|will|you|also|and|(?:job|task|role|goal|duty) is to)\s)"
    r"(?:flag|report|detect|block|reject|refuse|watch (?:out )?for|beware of|be wary of"
    r"|(?:never|do not|don['’]t) (?:obey|follow|trust|execute))\s"
    r"(?:(?:an?|any|all|each|every|the|such|hidden|suspicious|malicious|embedded|incoming|retrieved"
    r"|pasted|user|web|part of the|piece of)\s){0,3}"
    r"(?:texts?|messages?|inputs?|prompts?|documents?|comments?|content|instructions?|requests?"
    r"|e-?mails?|passages?|sentences?|lines?|phrases?|pages?|files?|anything|attempts?|sources?)\s"
    r"(?:(?:that|which)\s(?:\w{3,9}\s)?(?:tells?|asks?|instructs?|orders?|urges?|wants?|commands?)"
    r"|telling|asking|instructing|ordering|urging|commanding)\s"
    r"(?:(?:the|an?|any|your|this)\s)?(?:assistants?|models?|ai|agents?|bots?|chatbots?|llms?|you|it"
    r"|readers?|reviewers?|systems?)\sto\s(?:[^.!?;:\n]{1,80}?\sor\sto\s)?\Z",
    re.IGNORECASE,
)
"""The same without quotes or "if": "Flag any text that tells the assistant to …"."""
_HEEDED = lazy(
    r"\A[^\n]{0,240}?(?<!not )(?<!never )(?<!n['’]t )(?<!refuse to )(?<!of )"
    r"\b(?:obey|follow|comply|execute|heed|do (?:so|it|as|that|this|what)|act|carry out|run|accept"
    r"|trust\w*|respect|honou?r|safe|valid|legitimate|genuine|authoritative|approved|allowed"
    r"|correct|true|official|instead|then|now|right)\b",
    re.IGNORECASE,
)
"""What takes that back after the match: "… and obey it"."""
_SEVERAL = lazy(r"[,:\n]|\b(?:then|but|also)\b", re.IGNORECASE)
"""What a match has that goes on to another order."""


def is_taught(before: str, said: str, after: str, *, in_code: Callable[[], bool]) -> bool:
    """Tell whether a text teaches about an attack that is `said`: quotes it, or says what to do.

    `before` and `after` are what is around it, and `in_code` tells whether it is code.
    """
    # NOTE: most texts have nothing of the kind before them; that is quicker to see.
    lower = before.lower()
    if any(map(lower.__contains__, _REPORTING)) and _REPORTED.search(before):
        return True
    flagged = lower[-3:-1] == "to" and _FLAGGED.search(before)
    if flagged and not (_SEVERAL.search(said) or _HEEDED.match(after)):
        return True
    enclosed = (_OPENED.search(before) and _CLOSED.match(after)) or in_code()
    return bool(enclosed and _TEACHING.search(_UNSAID.sub(" ", f"{before} … {after}")))
