"""The URLs and the images of a text, and the slots that are filled in later.

Markdown and HTML images alike, those by reference included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from psreg.lint.content.shown import MOST
from psreg.lint.content.texts import Content, Passage

_URL = re.compile(
    r"\b(?:https?|ftp|wss?)://"
    r"(?P<authority>\[[0-9a-f:.]{2,45}\]|[^\s/?#<>\"'`\\()\[\]^|,;]{1,255})"
    r"[^\s<>\"'`\\^|]{0,2000}",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}+\]\([ \t\n]{0,4}(?P<angle><?)(?P<url>[^)\n]{1,2000})")
_HTML_IMAGE = re.compile(
    r"<img\b[^<>]{0,300}?\bsrc\s{0,4}=\s{0,4}(?P<angle>)[\"']?(?P<url>[^\"'>\n]{1,2000})",
    re.IGNORECASE,
)
_BY_REFERENCE = re.compile(
    r"!\[(?P<alt>[^\]\n]{0,200}+)\](?:\[(?P<label>[^\]\n]{0,100}+)\])?(?!\()"
)
_REFERENCE = re.compile(
    r"^[ \t>]{0,8}\[(?P<label>[^\]\n]{1,100}+)\]:[ \t]{0,4}(?P<angle><?)(?P<url>[^\n]{1,2000})",
    re.MULTILINE,
)

SLOT = re.compile(
    r"\{[^{}\n]{1,80}\}"  # {x}, {{x}}, ${x}
    r"|<[A-Za-z][^<>\n]{0,60}>"
    r"|\[[A-Za-z][^\[\]\n]{0,60}\]"
    r"|\$[A-Za-z_]{2,40}|%[A-Z][A-Z_]{2,30}%|%s\b"
    r"|\b(?:YOUR|USER|INSERT|CHAT)_[A-Z_]{2,30}"
    r"|[=/](?:DATA|BASE64\w{0,12}|ENCODED\w{0,20}|SUMMARY|HISTORY|CONVERSATION|MESSAGES?|SECRETS?"
    r"|TEXT|CONTENT|INPUT|PROMPT|EMAIL|TOKEN|API_?KEY|PASSWORD)\b"
)
"""A place where something is put in before the URL is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A URL or an image: where it stands in its passage, and the URL."""

    passage: Passage
    start: int
    end: int
    url: str
    authority: str = ""

    @property
    def remote(self) -> bool:
        """Whether the URL begins with a host."""
        return self.url.lower().startswith(("http://", "https://", "//"))

    @property
    def slot(self) -> str:
        """The first slot in the URL, or ""."""
        slot = SLOT.search(self.url)
        return slot[0] if slot else ""


def urls(content: Content) -> Iterator[Found]:
    """Yield the URLs with a host, without the punctuation behind them; at most ten times `MOST`."""
    for passage, match in islice(content.find(_URL, "://"), 10 * MOST):
        url = match[0].rstrip(").,;:!?*_]")
        authority = match["authority"].rstrip(".:!?*_")
        start = match.start()
        yield Found(
            passage=passage, start=start, end=start + len(url), url=url, authority=authority
        )


def images(content: Content) -> Iterator[Found]:
    """Yield the images of Markdown and HTML whose URL is given; at most ten times `MOST`."""
    yield from islice(_images(content), 10 * MOST)


def _images(content: Content) -> Iterator[Found]:
    for pattern, needle in ((_IMAGE, "!["), (_HTML_IMAGE, "<img")):
        for passage, match in content.find(pattern, needle):
            yield _image(passage, match)
    if "![" not in content.lower or "]:" not in content.lower:
        return
    labels = {(m["label"] or m["alt"]).lower() for _, m in content.find(_BY_REFERENCE)}
    for passage, match in content.find(_REFERENCE):
        if match["label"].lower() in labels:
            yield _image(passage, match)


def _image(passage: Passage, match: re.Match[str]) -> Found:
    url = match["url"].strip()
    url = url.removesuffix(">") if match["angle"] else url
    return Found(passage=passage, start=match.start(), end=match.end(), url=url)
