"""Lists of entries: their rows, and the search box with its first results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from psreg.catalogue.pages.class_texts import class_chip, class_text
from psreg.catalogue.pages.entry import release_view
from psreg.catalogue.pages.entry.entry_page import DRAFT_CHIP
from psreg.catalogue.pages.html import count, cut, text
from psreg.core.identity import EntryId, ReleaseId
from psreg.registry.published import Entry

_MOST_TAGS = 20
_LONGEST = 500
"""The most tags of an entry, and characters of its summary, that a list shows."""

_LISTED = 500
"""Maximum number of entries listed on a class page; search finds all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An entry in a list: facts about its latest release.

    `newest` is the version that was released last, and `released` its date: a fix of an older
    version may be newer than the latest one. `last` is the date of the last release, even if it is
    yanked; "" if nothing is released. `advised` is when a release was last yanked, or the
    entry deprecated; "" if neither is so. A `draft` is an entry whose
    latest release is one. `version` is "" if no release can be shown. `withdrawn` is one whose
    latest release is yanked or revoked. `requires` are the entries that the latest release
    requires, each as `name range`.
    """

    name: str
    entry_class: str
    version: str
    summary: str
    date: str
    tags: tuple[str, ...]
    newest: str
    released: str
    last: str
    advised: str = ""
    deprecated: bool = False
    draft: bool = False
    withdrawn: bool = False
    requires: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: Entry) -> Row:
        """Return the row of an entry."""
        latest = entry.latest
        released = [r for r in entry.releases if not r.draft]
        offered = [r.record for r in released if r.record.yanked is None]
        last = max((r.record.date for r in released), default="")
        advised = [
            r.record.yanked_at or r.record.date for r in released if r.record.yanked is not None
        ]
        if entry.record.deprecated is not None:
            advised.append(entry.record.deprecated_at or last)
        newest = max(offered or [latest.record], key=lambda record: record.date)
        return cls(
            name=entry.record.name,
            entry_class=entry.record.entry_class,
            version=latest.record.version,
            summary=release_view.field(latest, "summary"),
            date=latest.record.date,
            tags=tuple(release_view.fields(latest, "tags")),
            newest=newest.version,
            released=newest.date,
            last=last,
            advised=max(advised, default="") if released else "",
            deprecated=entry.record.deprecated is not None,
            draft=latest.draft,
            withdrawn=latest.record.yanked is not None or latest.record.revoked is not None,
            requires=tuple(
                f"{name} {wanted}" for name, wanted in release_view.requirements(latest)
            ),
        )

    @classmethod
    def unlisted(cls, id_: EntryId) -> Row:
        """Return the row of a name that has a page but is not in any list.

        That is a draft of which nothing can be shown, or a name of which everything was purged.
        """
        return cls(
            name=id_.name,
            entry_class=id_.entry_class,
            version="",
            summary="",
            date="",
            tags=(),
            newest="",
            released="",
            last="",
        )

    @property
    def id(self) -> ReleaseId:
        """The latest release."""
        return ReleaseId(entry_class=self.entry_class, name=self.name, version=self.version)

    @property
    def path(self) -> str:
        """The folder of the entry's page."""
        return f"{self.entry_class}/{self.name}/"

    @property
    def newest_path(self) -> str:
        """The folder of the page about its newest release."""
        return self.path if self.newest == self.version else f"{self.path}{self.newest}/"


def class_part(slug: str, rows: Iterable[Row]) -> str:
    """Return the search box and list of the page of the class `slug`."""
    mine = [row for row in rows if row.entry_class == slug]
    items = "".join(_result(row) for row in mine[:_LISTED])
    more = (
        f"<p>These are the first {_LISTED} of {len(mine):,}; use the search to find the others.</p>"
    )
    return search_box(len(mine), slug, items) + (more if len(mine) > _LISTED else "")


def search_box(number: int, slug: str, items: str = "") -> str:
    """Return the search box for all entries or one class; `items` are its first results."""
    what = count(number, class_text(slug).noun if slug else "prompt")
    return (
        f'<div class="ps-search" data-class="{slug}"><form role="search" class="ps-search__form">'
        f'<label class="ps-hidden" for="ps-q">Search {what}</label>'
        f'<input id="ps-q" name="q" type="search" placeholder="Search {what}" autocomplete="off" '
        'spellcheck="false" maxlength="200"><kbd aria-hidden="true">/</kbd>'
        '<div class="ps-facets" hidden></div></form>'
        '<p class="ps-search__status" role="status" aria-live="polite"></p>'
        f'<ol class="ps-results">{items}</ol>'
        '<button type="button" class="ps-button ps-search__more" hidden>Show more</button>'
        "<noscript><p>Search needs JavaScript; the class pages list all prompts.</p></noscript>"
        "</div>"
    )


def _result(row: Row) -> str:
    tags = "".join(f"<li>{text(tag)}</li>" for tag in row.tags[:_MOST_TAGS])
    state = '<span class="ps-state ps-state--yanked">deprecated</span>' if row.deprecated else ""
    state += DRAFT_CHIP if row.draft else ""
    return (
        f'<li class="ps-result"><a href="{text(row.name)}/"><h3>{text(row.name)}</h3></a>'
        f'<p class="ps-result__meta">{class_chip(row.entry_class)} {text(row.version)} {state}</p>'
        f'<p>{text(cut(row.summary, _LONGEST))}</p><ul class="ps-chips">{tags}</ul></li>'
    )
