"""Ways out of a conversation, and orders that are turned round: what the tripwire looks for.

No pattern is a verdict: it only asks a person to look at something that a small release adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Span
from psreg.lint.content.texts import Content, Segment

_DOTS = (".", "\u3002", "\uff0e", "\uff61")
_DOT = f"[{''.join(_DOTS)}]"
"""What separates the labels of a host; browsers accept four characters."""

_ANY_HOST = re.compile(
    rf"(?<![\w.@-])(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?{_DOT}){{1,8}}"
    rf"(?:xn--[a-z0-9-]{{2,59}}|[^\W\d_]{{2,24}})(?![\w(-]|{_DOT}\w)"
)
"""Labels and dots that could be a host with any ending."""

_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]{1,3}", re.IGNORECASE)

_BRACKETED = tuple(
    f"{bracket}{gap}{sign}"
    for bracket in "[({<"
    for gap in ("", " ", "  ")
    for sign in ("dot", "punkt", "punto", "point", "ponto", ".", "at", "@")
)

WAYS_OUT: tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...] = (
    (
        "an IP address",
        re.compile(r"(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w.]\w)"),
        tuple(f"{digit}." for digit in "0123456789"),
    ),
    (
        "an IP address",
        re.compile(
            r"(?<![\w:.])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){7})[0-9a-f:]{3,39}(?![\w:])", re.IGNORECASE
        ),
        (":",),
    ),
    (
        "a hidden service",
        re.compile(r"(?<![a-z2-7])[a-z2-7]{16,56}\.onion\b", re.IGNORECASE),
        (".onion",),
    ),
    (
        "a disguised address",
        re.compile(
            r"(?<![\w-])[\w-]{2,63}\s{0,2}"
            r"(?:[\[({<]\s{0,2}(?:dot|punkt|punto|point|ponto|\.)\s{0,2}[\])}>]|\sdot\s)"
            r"\s{0,2}[a-z]{2,24}\b|\bhxxps?\b"
            r"|(?<![\w.-])[\w.-]{2,63}\s{0,2}[\[({<]\s{0,2}(?:at|@)\s{0,2}[\])}>]\s{0,2}[\w-]{2,63}",
            re.IGNORECASE,
        ),
        (*_BRACKETED, " dot ", "hxxp"),
    ),
    (
        "an e-mail address",
        re.compile(rf"(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:{_DOT}[\w-]+)+"),
        ("@",),
    ),
    (
        "a telephone number",
        re.compile(
            r"(?<![\w.+-])(?:\+|00)[1-9](?:[ ()./-]{0,2}[0-9]){6,14}(?!\w)"
            r"|(?<![\w.-])\(?0[0-9]{1,5}[ )/-]{1,3}[0-9](?:[ /-]?[0-9]){4,9}(?!\w)"
            r"|(?<![\w.-])\(?[2-9][0-9]{2}[ ).-]{1,2}[0-9]{3}[ .-][0-9]{4}(?!\w)"
        ),
        tuple("0123456789"),
    ),
    ("a handle", re.compile(r"(?:(?<=[(\"'`“])|(?<=\S ))@[A-Za-z][\w.-]{1,30}\b"), ("@",)),
    (
        "a request for a password or a key",
        re.compile(
            r"\b(?:pass(?:word|phrase|code)s?|api[ _-]?keys?|access tokens?|credentials?|login data"
            r"|credit cards?|card numbers?|seed phrases?|private keys?|one-time codes?|pin codes?"
            r"|passw(?:ort|örter)\w*|contraseñas?|mots? de passe|senhas?|kata sandi|şifre\w*"
            r"|парол\w+)\b|密码|密碼|パスワード|पासवर्ड|كلمة المرور",
            re.IGNORECASE,
        ),
        (
            *("pass", "key", "token", "credential", "login data", "credit card", "card number"),
            *("seed phrase", "code", "contraseña", "senha", "kata sandi", "şifre", "парол"),
            *("密", "パスワード", "पासवर्ड", "كلمة المرور"),
        ),
    ),
    (
        "a request to use memory",
        re.compile(
            r"\b(?:your|saved?|long-term|persistent) memor(?:y|ies)\b"
            r"|\b(?:remember|memori[sz]e|save|store|keep)\b[^.!?\n]{0,60}?\b(?:forever|permanently"
            r"|from now on|for (?:later|next time|the future)|in memory|(?:future|later|all|other) "
            r"(?:chats?|conversations?|sessions?))\b",
            re.IGNORECASE,
        ),
        ("memor", "remember", "save", "store", "keep"),
    ),
    (
        "a request about files",
        re.compile(
            r"\b(?:open|read|upload|attach|download|write|save|delete|send|share|look (?:at|into))"
            r"\b[^.!?\n]{0,40}?"
            r"\b(?:files?|folders?|director(?:y|ies)|attachments?|clipboard|disks?)\b",
            re.IGNORECASE,
        ),
        ("file", "folder", "director", "attachment", "clipboard", "disk"),
    ),
    (
        "a request to use a tool",
        re.compile(
            r"\b(?:use|run|call|invoke|execute|open|launch|start)\b[^.!?\n]{0,40}?\b(?:tools?"
            r"|plug-?ins?|commands?|terminal|shell|scripts?|browser|code interpreter|functions?)\b",
            re.IGNORECASE,
        ),
        (
            *("tool", "plug", "command", "terminal", "shell", "script", "browser"),
            *("code interpreter", "function"),
        ),
    ),
)
"""What else reaches outside the conversation: what to call it, the pattern, and the signs of which
each match has one. No pattern is a verdict: it only asks a person to look at something new."""

_NEGATIONS = frozenset(
    [
        *("never", "not", "no", "nor", "none", "cannot", "can't", "don't", "doesn't", "won't"),
        *("mustn't", "shouldn't", "without", "nie", "niemals", "nicht", "kein", "keine", "keinen"),
        *("ohne", "jamais", "ne", "pas", "sans", "nunca", "jamás", "sin", "não", "sem"),
        *("не", "никогда", "asla", "tidak", "jangan"),
    ]
)
_ASSERTIONS = frozenset(
    [
        *("always", "do", "does", "must", "immer", "toujours", "siempre", "sempre"),
        *("всегда", "her", "selalu"),
    ]
)
_POLARITY = _NEGATIONS | _ASSERTIONS
_CHINESE = re.compile("(绝不|从不|不要|不能|不|别|勿)|总是|一定要|要")
_SENTENCE = re.compile(r"[^.!?;:\n\u3002\uff01\uff1f]+")
_WORDS = re.compile(r"\w+(?:'\w+)?")


def any_hosts(content: Content) -> Iterator[tuple[Segment, re.Match[str]]]:
    """Yield what could be hosts with any ending, without abbreviations and missing blanks."""
    for segment, match in content.find(_ANY_HOST, *_DOTS):
        ending = re.split(_DOT, match[0])[-1]
        if (ending.islower() or ending.isupper()) and not _ABBREVIATION.fullmatch(match[0]):
            yield segment, match


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence: its `words` without negations and assertions, and whether it is `negated`."""

    words: tuple[str, ...]
    negated: bool
    text: str
    at: Span


def may_negate(content: Content) -> bool:
    """Tell whether a text may have a negated sentence."""
    text = content.lower.replace("\u2019", "'")
    if not _NEGATIONS.isdisjoint(_WORDS.findall(text)):
        return True
    return any(found[1] for found in _CHINESE.finditer(text))


def sentences(content: Content) -> Iterator[Sentence]:
    """Yield the different sentences of a file that have a word."""
    seen: set[str] = set()
    for segment in content.segments:
        for match in _SENTENCE.finditer(segment.text):
            if match[0] in seen:
                continue
            seen.add(match[0])
            plain = match[0].lower().replace("\u2019", "'")
            if not plain.isascii():
                plain = _CHINESE.sub(lambda found: " not " if found[1] else " ", plain)
            words = _WORDS.findall(plain)
            telling = tuple([word for word in words if word not in _POLARITY])
            if telling:
                yield Sentence(
                    words=telling,
                    negated=not _NEGATIONS.isdisjoint(words),
                    text=match[0].strip(),
                    at=segment.span(*match.span()),
                )
