"""Why a release is not to be used any more, in the place of what a person would do with it."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.catalogue.pages.class_texts import class_chip, class_text
from psreg.catalogue.pages.entry.use_view import is_withdrawn
from psreg.catalogue.pages.frame import Page, address, by_name, entry_crumbs, entry_folder
from psreg.catalogue.pages.html import link, note, text
from psreg.registry.published import Entry, Release


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
    home, name = entry_folder(entry.record), entry.record.name
    kind = class_text(entry.record.entry_class)
    for row in entry.record.releases:
        if row.revoked is None or not row.is_purged:
            continue
        told = f"<p><strong>Removed.</strong> {text(row.revoked.told('This version'))}</p>"
        yield Page(
            path=f"{home}{row.version}/",
            title=f"{name} {row.version}",
            description=f"Why version {row.version} of {name} was removed.",
            body=f'{entry_crumbs(kind.slug, name, (row.version, ""))}<header class="ps-head">'
            f'<p class="ps-kicker">'
            f"{class_chip(kind.slug)}</p><h1>{text(name)} {text(row.version)}</h1>"
            f"{note('danger', told + _instead(entry, None))}</header>",
        )


def _instead(entry: Entry, release: Release | None) -> str:
    """Return what to use instead of a release, as far as there is something."""
    replacement = str((entry.record.deprecated or {}).get("replacement", ""))
    if replacement:
        return f"<p>Use {by_name(replacement)} instead.</p>"
    if release is entry.latest or is_withdrawn(entry.latest):
        return ""
    newest = f"Use version {text(entry.latest.record.version)} instead"
    return f"<p>{link(address(entry_folder(entry.record)), newest, 'ps-button')}</p>"
