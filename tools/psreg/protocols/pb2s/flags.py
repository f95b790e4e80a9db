"""What a reflection names: contradictions, unjustified assumptions, missing evidence.

A term counts in any case, in the plural, with a hyphen or a space. It does not count if the
sentence denies it: "no contradiction" names none (PB2S-A12). Denials are recognised by their form;
in doubt a term counts, so that no answer is reported wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

from psreg.core.diagnostics import Span

CONTRADICTION = "contradiction"

FLAG_TERMS = (CONTRADICTION, "unjustified assumption", "missing evidence")
"""The terms of which a reflection must name at least one."""

_SEPARATOR = r"(?:\s*[-‐‑]\s*|\s+)"
_TERM = re.compile(
    r"\b(?:(contradictions?)"
    rf"|(unjustified{_SEPARATOR}assumptions?)"
    rf"|(missing{_SEPARATOR}evidences?))\b",
    re.IGNORECASE,
)

_FILLER = (
    r"(?:an?|any|the|that|such|further|other|more|real|clear|obvious|apparent|evident|actual|new"
    r"|remaining|unresolved|major|serious|significant|direct|internal|logical|factual|explicit"
    r"|signs?|traces?|hints?|instances?|indications?|cases?|of|for|is|are|was|were|be|been|to|there"
    r"|i|we|have|has|had|find|found|see|seen|saw|detect(?:ed)?|contains?|contained|identify"
    r"|identified|reveal(?:ed)?|shows?|shown|appear|seem|exist|noticed?|spot(?:ted)?"
    r"|single|one|known|existing|0|evidence\s+of)"
)
_DENIED_BEFORE = re.compile(
    r"(?:"
    r"(?:(?<!not )\b(?:no|nothing(?!\s+(?:but|except)\b)|without|zero|nil|neither|nor"
    r"|free (?:of|from)|lack of|absence of|none of|devoid of|lack(?:s|ing)?|absent|hardly|avoids?"
    r"|rul(?:es?|ed) out|excludes?)"
    r"|(?<![\w.,])0+x?)"
    rf"(?:\s+\(?{_FILLER}\)?)*(?:\s+\(?(?!only\b)[^\W\d_-]+\)?)?\s+"
    rf"|(?:\bnot|\bnever|\bcannot|n[’']t)(?:\s+{_FILLER})*\s+"
    r"|\bnon[-‐‑ ]"
    r"|\[ ?\]\s*"
    r")$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[*_`\"'”’]*(?:\s+count)?\s*(?:[:=(?–—→⇒|\[-]+[*_`]*\s*"
    r"(?:none|nil|n/a|no|nope|not any|not|zero|0+(?![.,]?[0-9])|∅|false|absent|nothing)"
    r"|,\s*(?:none|nil|zero|0+(?![.,]?[0-9])|not(?=\s+(?:found|detected)\b))"
    r"|\s+count(?:\s+(?:is|was))?\s+(?:none|zero|0+(?![.,]?[0-9]))"
    r"|\s+none|\s*[x×]\s*0)"
    r"(?:\s+(?:found|detected|present|identified|here|seen))?\s*(?:[.;,!)\]/|]|$)"
    r"|\s*[:=–—-]\s*(?:(?:none|nil|n/a|zero|0+|∅)\s*\(|[–—-]+[ \t]*$)"
    r"|,?\s+(?:and|but)\s+(?:I\s+)?(?:found|saw|see|have found)\s+(?:none|nothing)\b"
    r"|\s+(?:(?:was|were|is|are|has|have|been|be|could|can)\s+)*(?:not|never)\s+(?:be(?:en)?\s+)?"
    r"(?:found|detected|present|identified|seen|observed|noticed|apparent|evident)\b"
    r"|\s+(?:do(?:es)?|did)(?:\s+not|n[’']t)\s+(?:exist|occur|appear|arise)\b"
    r"|\s+(?:is|are|was|were|has been|have been)\s+(?:absent|ruled out|excluded)\b|[-‐‑ ]free\b",
    re.IGNORECASE | re.MULTILINE,
)
_EMPHASIS = "*_`\"'“”‘’"
_CLAUSE_ENDS = re.compile(r".*[.,;:!?|/](?=\s)", re.DOTALL)
_NO_MARKS = str.maketrans("", "", "*_`\ufe0f\u20e3")  # and what makes a digit an emoji
_OR = re.compile(r"[*_`\"'”’]*\s*(?:/|,?\s*n?or\b)\s*(?:any\s+)?[*_`\"'“‘]*", re.IGNORECASE)
_COMMA = re.compile(r"[*_`\"'”’]*\s*,\s*[*_`\"'“‘]*")
_OR_FOLLOWS = re.compile(r"[^.;:!?\n]{0,200}?\bn?or\b", re.IGNORECASE)
_REACH = 120
"""The maximal distance of a denial before its term, in characters."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A term of `FLAG_TERMS` and its span in the reflection."""

    term: str
    at: Span


def names_a_term(text: str, within: Span) -> bool:
    """Tell whether one of the terms is `within`, denied or not."""
    return _TERM.search(text, within.start, within.end) is not None


def flags_of(text: str, within: Span) -> Iterator[Flag]:
    """Yield the terms that `within` names and does not deny, in order."""
    before, denied = within.start, False
    for found in _TERM.finditer(text, within.start, within.end):
        denied = (denied and _denial_continues(text, before, found)) or _denied(text, found, within)
        before = found.end()
        if not denied:
            yield Flag(FLAG_TERMS[(found.lastindex or 1) - 1], Span(*found.span()))


def _denial_continues(text: str, before: int, found: re.Match[str]) -> bool:
    """Tell whether the denial of the term that ends at `before` applies to the next one as well.

    "No contradiction, unjustified assumption or missing evidence" denies all three; in "no
    contradiction, missing evidence for the date" the comma ends the denial.
    """
    if _OR.fullmatch(text, before, found.start()):
        return True
    listed = _COMMA.fullmatch(text, before, found.start())
    return listed is not None and _OR_FOLLOWS.match(text, found.end()) is not None


def _denied(text: str, found: re.Match[str], within: Span) -> bool:
    lead = text[max(within.start, found.start() - _REACH) : found.start()].rstrip(_EMPHASIS)
    clause = _CLAUSE_ENDS.match(lead)  # no denial reaches over a mark, and a search costs more
    lead = normalize("NFKC", lead[clause.end() if clause else 0 :]).translate(_NO_MARKS)
    if _DENIED_BEFORE.search(lead):
        return True
    return _DENIED_AFTER.match(text, found.end(), within.end) is not None
