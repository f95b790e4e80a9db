"""Ways out of a conversation: what the tripwire looks for in a small release.

No pattern is a verdict: it only asks a person to look at something that a small release adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from psreg.lint.content.texts import Content
from psreg.lint.segments import Segment

_DOTS = (".", "\u3002", "\uff0e", "\uff61", "\u2024", "\ufe52")
_DOT = f"[{''.join(_DOTS)}]"
"""What separates the labels of a host; browsers accept six characters."""

_ENDING = (
    r"(?:com|net|org|info|biz|io|co|ai|app|dev|me|xyz|site|online|top|cloud|cc|ru|cn|de|eu|uk|tk|su"
    r"|link|live|page|onion|zip)"
)
"""Common endings of hosts, for addresses that only such an ending tells from ordinary words."""

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
        "an IP address",
        re.compile(
            r"(?<![\w.])0x(?:[0-9a-f]{1,2}(?:\.0x[0-9a-f]{1,2}){3}|[0-9a-f]{8})(?!\w)",
            re.IGNORECASE,
        ),
        ("0x",),
    ),
    (
        "an IP address",
        re.compile(
            r"(?<![\w.])[0-9]{1,3}"
            r"(?:(?: {0,2}[\[({<] ?(?:dot|\.) ?[\])}>] {0,2}| \. )[0-9]{1,3}){3}(?![\w.]\w)",
            re.IGNORECASE,
        ),
        (" .", "[", "(", "{", "<"),
    ),
    (
        "an address",
        re.compile(
            r"\b(?!https?:|hxxps?:)[a-z][a-z0-9+-]{1,20}://(?=[^\s/]|/\S)|\bdata:[a-z]{2,}/"
            r"|\b(?:java|vb)script:(?=\S)|\b(?:tel|sms):(?=\+?[0-9])"
            r"|\b(?:magnet|bitcoin|ethereum|lightning|nostr|xmpp|sips?):(?=[\w?@+])"
            r"|(?<![\w\\])\\\\[\w.-]+\\[\w$]",
            re.IGNORECASE,
        ),
        (
            *("://", "data:", "script:", "tel:", "sms:", "magnet:", "bitcoin:", "ethereum:"),
            *("lightning:", "nostr:", "xmpp:", "sip:", "sips:", "\\\\"),
        ),
    ),
    ("a host", re.compile(r"(?<![\w.-])localhost(?=[:/])", re.IGNORECASE), ("localhost",)),
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
            r"|(?<![\w.-])[\w.-]{2,63}\s{0,2}[\[({<]\s{0,2}(?:at|@)\s{0,2}[\])}>]\s{0,2}[\w-]{2,63}"
            r"|(?<![\w-])[\w-]{2,63}(?:&#0*46;|&#x0*2e;|&period;|%2e)[a-z]{2,24}\b"
            rf"|(?<![\w-])[\w-]{{1,63}}(?:[-_]dot[-_]| \. ?){_ENDING}\b"
            r"|(?<!\w)(?:\w ){2,62}\. (?:\w ){1,10}\w(?!\w)"
            r"|\bh\*{2}ps?\b",
            re.IGNORECASE,
        ),
        (
            *(*_BRACKETED, " dot ", "-dot-", "_dot_", "-dot_", "_dot-", " .", "hxxp", "h**p"),
            *("&#", "&period", "%2e"),
        ),
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
            r"|(?<![\w.-])1[ .-][0-9]{3}[ .-][0-9]{3}[ .-][0-9]{4}(?!\w)"
            r"|\b(?i:call|phone|ring|dial|sms|tel)\b[^\w\n]{0,3}\d(?:[ .()/-]{0,2}\d){5,13}(?!\w)"
        ),
        (*"0123456789", "call", "phone", "ring", "dial", "sms", "tel"),
    ),
    (
        "a handle",
        re.compile(r"(?:(?<=[(\[\"'`“])|(?<=\S ))@[A-Za-z][\w.-]{1,30}\b"),
        ("@",),
    ),
    (
        "a messenger or social network",
        re.compile(
            r"\b(?:telegram|whatsapp|wechat|skype|discord|snapchat|viber|threema|instagram|facebook"
            r"|twitter|tiktok|linkedin|mastodon|bluesky)\b",
            re.IGNORECASE,
        ),
        (
            *("telegram", "whatsapp", "wechat", "skype", "discord", "snapchat", "viber", "threema"),
            *("instagram", "facebook", "twitter", "tiktok", "linkedin", "mastodon", "bluesky"),
        ),
    ),
    (
        "a request for a password or a key",
        re.compile(
            r"\b(?:pass(?:word|phrase|code)s?|api[ _-]?keys?|access tokens?|credentials?|login data"
            r"|login details|credit cards?|card numbers?|(?:seed|recovery|wallet) phrases?"
            r"|private keys?"
            r"|(?:one-time|pin|verification|security|confirmation|authentication) codes?"
            r"|2fa|(?-i:PINs?|TANs?|OTPs?|CVV|IBAN)|account numbers?|bank details"
            r"|social security numbers?|passport numbers?|kennw(?:ort|örter)\w*|geheimzahl\w*"
            r"|passw(?:ort|örter)\w*|contraseñas?|mots? de passe|senhas?|kata sandi|şifre\w*"
            r"|парол\w+)\b|密码|密碼|パスワード|पासवर्ड|كلمة المرور",
            re.IGNORECASE,
        ),
        (
            *("pass", "key", "token", "credential", "login d", "credit card", "number"),
            *(
                "phrase",
                "code",
                "2fa",
                "pin",
                "tan",
                "otp",
                "cvv",
                "iban",
                "bank d",
                "kennw",
                "geheim",
            ),
            *("contraseña", "senha", "kata sandi", "şifre", "парол"),
            *("密", "パスワード", "पासवर्ड", "كلمة المرور"),
        ),
    ),
    (
        "a request to use memory",
        re.compile(
            r"\b(?:your|saved?|long-term|persistent) memor(?:y|ies)\b"
            r"|\b(?:remember|memori[sz]e|save|store|keep)\b[^.!?\n]{0,60}?\b(?:forever|permanently"
            r"|from now on|for (?:later|next time|the future)|in memory|(?:future|later|all|other) "
            r"(?:chats?|conversations?|sessions?))\b"
            r"|\b(?:merke? dir|mémorise[rz]?|memoriza|запомни)\b|记住|記住|覚えて",
            re.IGNORECASE,
        ),
        (
            *("memor", "remember", "save", "store", "keep"),
            *("merk", "mémoris", "запомни", "记住", "記住", "覚えて"),
        ),
    ),
    (
        "a request about files",
        re.compile(
            r"\b(?:open|read|upload|attach|download|write|save|delete|send|share|look (?:at|into))"
            r"\b[^.!?\n]{0,40}?"
            r"\b(?:files?|folders?|director(?:y|ies)|attachments?|clipboard|disks?)\b"
            r"|\b(?:datei(?:en)?|zwischenablage|fichiers?|presse-papiers|archivos?|portapapeles"
            r"|arquivos?|файл\w*)\b|文件|剪贴板|ファイル|クリップボード",
            re.IGNORECASE,
        ),
        (
            *("file", "folder", "director", "attachment", "clipboard", "disk"),
            *("datei", "zwischenablage", "fichier", "presse-papiers", "archivo", "portapapeles"),
            *("arquivo", "файл", "文件", "剪贴板", "ファイル", "クリップボード"),
        ),
    ),
    (
        "a request to use a tool",
        re.compile(
            r"\b(?:use|run|call|invoke|execute|open|launch|start)\b[^.!?\n]{0,40}?\b(?:tools?"
            r"|plug-?ins?|commands?|terminal|shell|scripts?|browser|code interpreter|functions?)\b"
            r"|\b(?:run|execute)\b[^.!?\n]{0,40}?\b(?:code|python|sql|quer(?:y|ies))\b"
            r"|\bcall\b[^.!?\n]{0,20}?\bapis?\b",
            re.IGNORECASE,
        ),
        (
            *("tool", "plug", "command", "terminal", "shell", "script", "browser"),
            *("code", "function", "python", "sql", "quer", "api"),
        ),
    ),
    (
        "a request to send something",
        re.compile(
            r"\b(?:send|forward|post|share|upload|publish)\b[^.!?\n]{0,40}?\b(?:e-?mails?|sms"
            r"|text messages?|slack|conversations?|chats?|transcripts?|cop(?:y|ies)|everything)\b"
            r"|\bbcc\b",
            re.IGNORECASE,
        ),
        (
            *("mail", "sms", "text message", "slack", "conversation", "chat", "transcript"),
            *("copy", "copies", "everything", "bcc"),
        ),
    ),
)
"""What else reaches outside the conversation: what to call it, the pattern, and the signs of which
each match has one. No pattern is a verdict: it only asks a person to look at something new."""


def any_hosts(content: Content) -> Iterator[tuple[Segment, re.Match[str]]]:
    """Yield what could be hosts with any ending, without abbreviations and missing blanks."""
    for segment, match in content.find(_ANY_HOST, *_DOTS):
        ending = re.split(_DOT, match[0])[-1]
        # NOTE: "。" also ends a sentence, after which scripts without capitals need no blank.
        plain = ending.lower() == ending.upper() and "." in match[0] and "。" not in match[0]
        if (ending.islower() or ending.isupper() or plain) and not _ABBREVIATION.fullmatch(
            match[0]
        ):
            yield segment, match
