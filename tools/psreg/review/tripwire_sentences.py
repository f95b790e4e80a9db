"""Orders that are turned round: what the tripwire compares between two releases.

No difference is a verdict: it only asks a person to look at it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Span
from psreg.lint.content.texts import Content

_NEGATIONS = frozenset(
    [
        *("never", "not", "no", "nor", "none", "cannot", "can't", "don't", "doesn't", "won't"),
        *("mustn't", "shouldn't", "without", "nie", "niemals", "nicht", "kein", "keine", "keinen"),
        *("ohne", "jamais", "ne", "pas", "sans", "nunca", "jamás", "sin", "não", "sem"),
        *("не", "никогда", "asla", "tidak", "jangan", "non", "mai", "niet", "nooit", "geen"),
        *("لا", "لن", "لم", "ليس", "ليست", "عدم", "دون", "بدون", "ممنوع", "يمنع", "يحظر", "تجنب"),
        *("मत", "नहीं", "न", "ना", "बिना", "वर्जित", "निषिद्ध"),
        *("нельзя", "без", "ни", "нет", "запрещено", "избегай", "избегайте"),
        *("hiçbir", "değil", "yasak", "yasaktır", "olmadan", "tak", "bukan", "tanpa", "dilarang"),
        *("hindari", "nem", "senza", "vermeide", "vermeiden", "verboten", "évite", "évitez"),
        *("interdit", "evita", "evite", "prohibido", "proibido", "vietato"),
        *("refuse", "refuses", "decline", "declines", "avoid", "avoids", "reject", "deny"),
        *("forbid", "forbids", "forbidden", "prohibited", "disallow", "disallowed", "disable"),
    ]
)
_ASSERTIONS = frozenset(
    [
        *("always", "do", "does", "must", "may", "can", "could", "should", "will", "would"),
        *("shall",),
        *("accept", "accepts", "allow", "allows", "allowed", "permit", "permitted", "enable"),
        *("might", "ever", "immer", "toujours", "siempre", "sempre"),
        *("всегда", "обязательно", "можно", "her", "zaman", "mutlaka", "daima", "selalu"),
        *("boleh", "harus", "دائما", "دائمًا", "يجب", "يسمح", "हमेशा", "ज़रूर", "अवश्य", "सदा"),
    ]
)
_POLARITY = _NEGATIONS | _ASSERTIONS
_SENTENCE = re.compile(r"[^.!?;:\n\u3002\uff01\uff1f\u061f\u061b\u0964]+")
_MARK = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f"
"""Signs that belong to the letter before them, of the scripts whose negations are known."""
_WORDS = re.compile(rf"[\w{_MARK}]+(?:'\w+)?")

_NOT = " not "

# In these languages a negation is part of a word, or has no blanks around it. A form that asserts
# ("must", "not only") is a blank, one that denies is "not", and what follows a stem is left out.

_CHINESE = re.compile(
    "(绝不|絕不|从不|從不|不要|不能|不得|不可|不|(?<![特类類性区區分级級识識个個])[别別](?![人的处處])"
    "|勿|禁止|严禁|嚴禁|避免|拒绝|拒絕)|总是|總是|一定要|必须|必須|要|可以|请|請"
)
_JAPANESE = re.compile(
    "な(?:ければ|くては|いと)(?:なら|なり|いけ)(?:ない|ません)"
    "|かもしれ(?:ない|ません)|だけで(?:は)?なく|のみならず|必ず|常に|いつも"
    "|(な(?:い|く|かっ)|ません|ずに|ぬよう|てはいけ|てはなら|禁止|禁じ|駄目|だめ|避け|拒否|断っ|(?<=[るすくむぶうつぐぬ])な$)"
)
_HIRAGANA = re.compile("[ぁ-ゖ]+")
_KOREAN = re.compile(
    r"(?:하지|[가-힣]지)\s?않으면\s?안\s?\S*|뿐만?\s?아니라|반드시|항상|언제나"
    r"|((?:하지|지)\s?(?:마|말|않|못)\S*|절대로?(?=\s)|(?<=\s)(?:안|못)\s|금지\S*|없이|피하\S*|거부하\S*)"
    r"|(?:하(?:세요|십시오|라|고|여|시오)|해(?:\s?주세요|요|라)?|합니다|한다|(?:으)?세요|(?:으)?십시오)(?!\S)"
)
_TURKISH_FORM = re.compile(
    r"(?<=\w\w)(m[ae](?:y[ıi]n(?:[ıi]z)?|z|s[ıi]n(?:lar|ler)?|mal[ıi]\w*|meli\w*|d[ae]n)(?!\w)|m[ae]$"
    r"|m[ıiuü]yor\w*)|(?<=\w{3})y?[ıiuü]n(?:[ıi]z)?(?!\w)"
)
_TURKISH = re.compile(
    r"[ığş]|i\u0307|\b(?:için|ile|asla|lütfen|kullanıcı\w*|bir|isim|isimleri|veri\w*)\b"
)
_INDONESIAN = re.compile(
    r"\b(?:jangan|tidak|dilarang|pengguna|yang|dan|dengan|untuk|nama|selalu|boleh|harus)\b"
)
_INDONESIAN_FORM = re.compile(r"\bme(?:ng|n(?=[dtcj])|m(?=[bp]))?(?=\w{4})|lah\b")
_ARABIC = re.compile(r"\b(?:(لا|لن|لم)\s(?=[تينأ])|[اإأتي](?=\w{3}))")
_JOINED = re.compile(r"(?<!\w)n'(?=\w)")
"""The French "ne" before a vowel."""


_FORMS = (
    (_HIRAGANA, _JAPANESE),
    (re.compile("[가-힣]"), _KOREAN),
    (re.compile("[\u0621-\u064a]"), _ARABIC),
    (re.compile("[\u3400-\u9fff]"), _CHINESE),
)


def _uninflected(plain: str) -> str:
    """Return a sentence, in lower case, whose negations are words of their own."""
    if _TURKISH.search(plain):
        return _TURKISH_FORM.sub(_denied, plain.strip())
    if plain.isascii() and _INDONESIAN.search(plain):
        return _INDONESIAN_FORM.sub("", plain)
    for script, form in _FORMS:
        if script.search(plain):
            return _HIRAGANA.sub(" ", form.sub(_denied, plain.strip()))
    return _JOINED.sub("ne ", plain)


def _denied(found: re.Match[str]) -> str:
    return _NOT if found[1] else " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence: its `words` without negations and assertions, and whether it is `negated`."""

    words: tuple[str, ...]
    negated: bool
    text: str
    at: Span


def _plainly(text: str) -> str:
    """Return a lower-case text in which "can't" and "cannot" are "can not"."""
    text = text.replace("\u2019", "'")
    for short, long in _SHORT:
        text = text.replace(short, long)
    return text


_SHORT = (("won't", "will not"), ("can't", "can not"), ("cannot", "can not"), ("n't", " not"))


def may_negate(content: Content) -> bool:
    """Tell whether a text may have a negated sentence."""
    text = _plainly(content.lower)
    if not _NEGATIONS.isdisjoint(_WORDS.findall(text)):
        return True
    return any(_NOT in _uninflected(each[0]) for each in _SENTENCE.finditer(text))


_COMMON = frozenset(
    [
        *("a", "an", "the", "to", "of", "for", "in", "on", "at", "by", "it", "its", "is", "are"),
        *("be", "and", "or", "you", "your", "i", "this", "that", "with", "as", "if"),
    ]
)
_LIKE = 0.6
"""The share of the other words that two wordings of a sentence have in common, at least."""

_COMPARED = 100_000
"""Pairs of sentences that are compared, about."""


def turned_round(before: Content, after: Content) -> Iterator[tuple[Sentence, Sentence | None]]:
    """Yield the sentences that deny what an earlier one says, or the reverse, each with that one.

    A sentence may have been reworded as well. If too much was rewritten to compare all of it, the
    last sentence is yielded with None.
    """
    known: dict[tuple[str, ...], dict[bool, Sentence]] = {}
    for old in sentences(before):
        known.setdefault(old.words, {})[old.negated] = old
    reworded = []
    kept = set()
    for new in sentences(after, but=_raw(before)):
        kept.add(new.words)
        if new.words not in known:
            reworded.append(new)
        elif new.negated not in known[new.words]:
            yield new, known[new.words][not new.negated]
    gone = (old for old in sentences(before, but=_raw(after)) if old.words not in kept)
    yield from _reworded(reworded, gone)


def _raw(content: Content) -> frozenset[str]:
    return frozenset(each for s in content.segments for each in _SENTENCE.findall(s.text))


def _reworded(
    reworded: Iterable[Sentence], gone: Iterable[Sentence]
) -> Iterator[tuple[Sentence, Sentence | None]]:
    by_word: dict[str, list[Sentence]] = {}
    for old in gone:
        for word in _telling(old):
            by_word.setdefault(word, []).append(old)
    compared = 0
    for new in reworded:
        telling = _telling(new)
        rarest = sorted(telling & by_word.keys(), key=lambda word: len(by_word[word]))[:2]
        near = [old for word in rarest for old in by_word[word]]
        compared += len(near)
        if compared > _COMPARED:
            yield new, None
            return
        like = (old for old in near if old.negated is not new.negated and _alike(telling, old))
        if (found := next(like, None)) is not None:
            yield new, found


def _alike(telling: frozenset[str], old: Sentence) -> bool:
    other = _telling(old)
    return 1 < len(telling & other) >= len(telling | other) * _LIKE


def _telling(sentence: Sentence) -> frozenset[str]:
    return frozenset(_INFLECTION.sub("", word) for word in sentence.words) - _COMMON


_INFLECTION = re.compile("(?<=...)(?:ing|ed|es|as|en|s|e|a)$")
"""What an order may lose when it is turned round: "Avoid sharing it" becomes "Share it"."""


def sentences(content: Content, but: Collection[str] = ()) -> Iterator[Sentence]:
    """Yield the different sentences of a file that have a word, without those in `but`."""
    seen: set[str] = {*but}
    for segment in content.segments:
        for match in _SENTENCE.finditer(segment.text):
            if match[0] in seen:
                continue
            seen.add(match[0])
            words = _WORDS.findall(_uninflected(_plainly(match[0].lower())))
            telling = tuple([word for word in words if word not in _POLARITY])
            if telling:
                yield Sentence(
                    words=telling,
                    negated=not _NEGATIONS.isdisjoint(words),
                    text=match[0].strip(),
                    at=segment.span(*match.span()),
                )
