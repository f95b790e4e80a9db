"""What the search of a site finds in its documentation: a list of pages, read from their HTML.

Each has what a reader would recognize it by (title, headings, first sentence), and the most telling
words of its text. The site ranks them as it ranks prompts (`assets/psreg/search/documents.js`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from typing import Any

from psreg.catalogue.pages.html import cut
from psreg.registry.search.own_words import own_words

DOCUMENTS = "search/documents.json"
"""The path of the list below the root of a site."""

_SUMMARY = 160
"""The most characters that are shown of the first sentence."""

_WORDS = 20
"""The most words of a page: it also has headings to be found by."""

_HEADINGS = frozenset({"h2", "h3"})
_SKIPPED = frozenset({"pre", "button", "script", "style", "noscript"})


def documents_file(pages: Iterable[tuple[str, str]]) -> bytes:
    """Return the list of `pages`, each its address below the root and its HTML, as JSON.

    Members of an item: `title`, `path`, `headings` (pairs of id and text), `summary`, `words`.
    Only what is in an `<article>` counts.
    """
    found = [_document(path, html) for path, html in pages]
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()


def _document(path: str, html: str) -> Mapping[str, Any]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    title, summary = _line(reader.title), cut(_line(reader.summary), _SUMMARY)
    headings = [(at, _line(parts)) for at, parts in reader.headings if at]
    shown = (title, summary, *(heading for _, heading in headings))
    words = own_words(shown, _line(reader.text), most=_WORDS)
    return {
        "title": title,
        "path": path,
        "headings": headings,
        "summary": summary,
        "words": words,
    }


def _line(parts: Iterable[str]) -> str:
    return " ".join("".join(parts).split())


class _Reader(HTMLParser):
    """Collects the texts of an article; each is a list of its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.summary: list[str] = []
        self.headings: list[tuple[str, list[str]]] = []
        self.text: list[str] = []
        self._articles = 0
        self._skipped = ""
        self._into: dict[str, list[str]] = {}
        self._section = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self._articles += tag == "article"
        if not self._articles or self._skipped:
            return
        self.text.append(" ")
        if tag in _SKIPPED or given.get("class") == "headerlink":
            self._skipped = tag
        elif tag == "section":
            self._section = given.get("id", "")
        elif tag == "h1":
            self._into[tag] = self.title
        elif tag in _HEADINGS:
            self.headings.append((given.get("id", self._section), []))
            self._into[tag] = self.headings[-1][1]
        elif tag == "p" and not self.summary and given.get("class") != "admonition-title":
            self._into[tag] = self.summary

    def handle_endtag(self, tag: str) -> None:
        self._articles -= tag == "article"
        self._into.pop(tag, None)
        if tag == self._skipped:
            self._skipped = ""

    def handle_data(self, data: str) -> None:
        if self._articles and not self._skipped:
            for part in (self.text, *self._into.values()):
                part.append(data)
