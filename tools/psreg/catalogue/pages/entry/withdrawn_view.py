"""Why a release is not to be used any more, in the place of what a person would do with it."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.catalogue.pages.class_texts import class_chip
from psreg.catalogue.pages.entry.use_view import is_withdrawn
from psreg.catalogue.pages.frame import Page, address, by_name, entry_crumbs, entry_folder
from psreg.catalogue.pages.html import link, note, section, table, text
from psreg.registry.published import Entry, Release
from psreg.registry.records import PackageRecord


def withdrawn(entry: Entry, release: Release) -> str:
    """Return why a release was yanked or revoked, and what to use instead; "" if it was not."""
    row, told = release.record, ""
    if row.revoked is not None:
        told += f"<p><strong>Revoked.</strong> {text(row.revoked.told('This version'))}</p>"
    if row.yanked is not None:
        told += f"<p><strong>Yanked.</strong> {text(row.yanked)}</p>"
        told += "<p>It is installed only if you ask for exactly this version.</p>"
    return note("danger", told + _instead(entry, release)) if told else ""


def purged_pages(entry: Entry) -> Iterator[Page]:
    """Yield a page for each version whose bytes are gone: it says why."""
    return _purged_pages(entry.record, _instead(entry, None))


def gone_pages(record: PackageRecord) -> Iterator[Page]:
    """Yield the page of a name of which everything was purged, then one for each version.

    They say why, and what to use instead.
    """
    lead = "<p><strong>Removed.</strong> Nothing of this prompt is left to install or to copy.</p>"
    deprecated = record.deprecated or {}
    reason = text(str(deprecated.get("reason", "")))
    deprecation = f"<p><strong>Deprecated.</strong> {reason}</p>" if reason else ""
    instead, home = _replacement(record), entry_folder(record)
    rows = (
        (
            link(address(f"{home}{row.version}/"), text(row.version)),
            text(row.revoked.told("It")) if row.revoked else "",
        )
        for row in reversed(record.releases)
    )
    yield _page(
        record,
        title=record.name,
        description=f"Why {record.name} was removed.",
        told=lead + deprecation + instead,
        more=section("versions", "Versions", table(("Version", "What happened"), rows)),
    )
    yield from _purged_pages(record, instead)


def _purged_pages(record: PackageRecord, instead: str) -> Iterator[Page]:
    for row in record.releases:
        if row.revoked is not None and row.is_purged:
            why = text(row.revoked.told("This version"))
            yield _page(
                record,
                row.version,
                title=f"{record.name} {row.version}",
                description=f"Why version {row.version} of {record.name} was removed.",
                told=f"<p><strong>Removed.</strong> {why}</p>{instead}",
            )


def _page(
    record: PackageRecord, *version: str, title: str, description: str, told: str, more: str = ""
) -> Page:
    slug = record.entry_class
    crumbs = entry_crumbs(slug, record.name, *((each, "") for each in version))
    return Page(
        path="".join((entry_folder(record), *(f"{each}/" for each in version))),
        title=title,
        description=description,
        body=f'{crumbs}<header class="ps-head"><p class="ps-kicker">{class_chip(slug)}</p>'
        f"<h1>{text(title)}</h1>{note('danger', told)}</header>{more}",
    )


def _replacement(record: PackageRecord) -> str:
    """Return which entry replaces this one; "" if none does."""
    replacement = str((record.deprecated or {}).get("replacement", ""))
    return f"<p>Use {by_name(replacement)} instead.</p>" if replacement else ""


def _instead(entry: Entry, release: Release | None) -> str:
    """Return what to use instead of a release, as far as there is something."""
    if replacement := _replacement(entry.record):
        return replacement
    if release is entry.latest or is_withdrawn(entry.latest):
        return ""
    newest = f"Use version {text(entry.latest.record.version)} instead"
    return f"<p>{link(address(entry_folder(entry.record)), newest, 'ps-button')}</p>"
