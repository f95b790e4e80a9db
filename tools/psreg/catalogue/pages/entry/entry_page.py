"""The pages of an entry: one for the name, which shows its latest release, and one per version.

The page of the latest version is short, and leads to that of the name, which says the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from psreg.catalogue.pages.class_texts import RESERVED, class_chip, class_text
from psreg.catalogue.pages.entry import (
    audit_view,
    conversation_view,
    release_view,
    trust_view,
    use_view,
)
from psreg.catalogue.pages.entry.comparison_view import Comparisons
from psreg.catalogue.pages.entry.entry_picture import picture_path
from psreg.catalogue.pages.entry.linked_data import linked_data
from psreg.catalogue.pages.entry.needs_view import needs
from psreg.catalogue.pages.entry.related_view import related
from psreg.catalogue.pages.entry.withdrawn_view import purged_pages, withdrawn
from psreg.catalogue.pages.frame import (
    ROOT,
    Page,
    Site,
    address,
    by_name,
    entry_crumbs,
    entry_folder,
)
from psreg.catalogue.pages.html import (
    chips,
    command,
    cut,
    labels,
    link,
    note,
    section,
    table,
    terms,
    text,
)
from psreg.formats.release import told_origin
from psreg.registry.published import Entry, Release
from psreg.registry.records import ReleaseRecord

_LONGEST, _LONGEST_FACT = 500, 80
"""The most characters of a summary and of a fact above the button that copies the prompt."""

_CONTENTS = (
    ("fill", "Fill it in"),
    ("steps", "How to use it"),
    ("does", "What it does"),
    ("service", "What it does"),
    ("readme", "Read me"),
    ("tested", "Tested"),
    ("protocols", "Protocols"),
    ("versions", "Versions"),
    ("developers", "For developers and reviewers"),
)


def entry_pages(entry: Entry, site: Site, notice: str = "") -> Iterator[Page]:
    """Yield the page of the name, then one for each version, newest first.

    `notice` is HTML for the top of the page of the name.
    """
    latest, versions = entry.latest, Comparisons(entry)
    facts = _facts(entry, latest, site)
    parts = {"changes": versions.summary(latest), "review": release_view.waived(latest)}
    home = entry_folder(entry.record)
    yield Page(
        path=home,
        title=release_view.title(latest),
        description=release_view.field(latest, "summary"),
        body=_header(entry, latest, site, notice, pinned=False)
        + _body(entry, latest, site, facts, **parts),
        of_release=True,
        linked_data=linked_data(entry, latest, site, home),
        picture=picture_path(entry, site),
    )
    for release in entry.releases:
        parts = {"changes": versions.section(release), "review": audit_view.audit(release)}
        if release is latest:
            body = _short_body(entry, release, facts, **parts)
        else:
            body = _body(entry, release, site, _facts(entry, release, site), **parts)
        yield _version_page(entry, release, site, body)
        title = release_view.title(release)
        yield from conversation_view.conversation_pages(entry, release, title)
    yield from purged_pages(entry)


def _version_page(entry: Entry, release: Release, site: Site, body: str) -> Page:
    home = entry_folder(entry.record)
    path = f"{home}{release.record.version}/"
    canonical = home if release is entry.latest else path
    return Page(
        path=path,
        title=f"{release_view.title(release)} {release.record.version}",
        description=release_view.field(release, "summary"),
        body=_header(entry, release, site, "", pinned=True) + body,
        canonical=canonical,
        of_release=True,
        linked_data=linked_data(entry, release, site, canonical),
        picture=picture_path(entry, site),
    )


def _header(entry: Entry, release: Release, site: Site, notice: str, *, pinned: bool) -> str:
    record = entry.record
    kind = class_text(record.entry_class)
    below = [(release.record.version, "")] if pinned else []
    where = address(entry_folder(entry.record)) if pinned and release is entry.latest else ""
    take = use_view.buttons(release, f"{where}#fill", short=where != "")
    return (
        f"{entry_crumbs(kind.slug, record.name, *below)}{_banners(entry, release)}{notice}"
        f'<header class="ps-head"><p class="ps-kicker">{class_chip(kind.slug)}</p>'
        f"<h1>{text(release_view.title(release))}</h1>"
        f'<p class="ps-name"><code>{text(record.name)}</code> {_brief(release)}</p>'
        f'<p class="ps-lead">{text(cut(release_view.field(release, "summary"), _LONGEST))}</p>'
        f"{trust_view.summary(entry, release, site, f'{where}#trust')}"
        f"{withdrawn(entry, release) or take}</header>"
    )


def _brief(release: Release) -> str:
    """Return the facts that decide whether a person reads on."""
    languages = ", ".join(release_view.fields(release, "languages"))
    platforms = ", ".join(release_view.passed_platforms(release))
    tested = f"tested on {platforms}" if platforms else release_view.UNTESTED
    facts = (release.record.version, release_view.field(release, "license"), languages, tested)
    return " · ".join(f"<span>{text(cut(fact, _LONGEST_FACT))}</span>" for fact in facts if fact)


def _banners(entry: Entry, release: Release) -> str:
    record, row = entry.record, release.record
    out = []
    kind = class_text(record.entry_class)
    if release.draft:
        out.append(note("warning", f"<p><strong>Draft: not released.</strong> {_DRAFT}</p>"))
    if kind.reserved:
        what = kind.noun.capitalize()
        out.append(note("warning", f"<p><strong>{what}</strong>, a {RESERVED}.</p>"))
    if record.deprecated is not None:
        reason = text(str(record.deprecated.get("reason", "")))
        instead = str(record.deprecated.get("replacement", ""))
        more = f" Use {by_name(instead)} instead." if instead else ""
        out.append(note("warning", f"<p><strong>Deprecated.</strong> {reason}{more}</p>"))
    if release is not entry.latest:
        newest = entry.latest.record.version
        where = link(address(entry_folder(record)), text(newest))
        out.append(
            note("info", f"<p>This is version {text(row.version)}. The newest is {where}.</p>")
        )
    return "".join(out)


_DRAFT = "Nothing here is signed, and psreg does not install it."


def _body(
    entry: Entry, release: Release, site: Site, facts: str, *, changes: str, review: str
) -> str:
    """Return the body of a page about a release; `review` is what reviewers read."""
    main = "".join(
        (
            release_view.form(release),
            use_view.steps(release),
            needs(release),
            _use_case(release),
            release_view.overview(release),
            conversation_view.example_save(release),
            release_view.readme(release),
            release_view.limitations(release),
            release_view.tested(release),
            release_view.protocols_section(release),
            changes,
            _versions(entry),
            related(release),
            _developers(release, pinned=release is not entry.latest),
            release_view.score_section(release),
            review,
            release_view.artifact(release),
            "" if release.draft else _trust(entry, release, site),
        )
    )
    contents = "".join(
        f'<li><a href="#{key}">{label}</a></li>'
        for key, label in _CONTENTS
        if f'id="{key}"' in main
    )
    return (
        f'<nav class="ps-contents" aria-label="On this page"><ul>{contents}</ul></nav>'
        f"{_columns(main, facts)}"
    )


def _short_body(entry: Entry, release: Release, facts: str, *, changes: str, review: str) -> str:
    """Return the body of the latest version's page: no page says twice what another one says."""
    home = address(entry_folder(entry.record))
    page = link(home, f"the page of <code>{text(entry.record.name)}</code>")
    rest = f"<p>This is the newest version. Its text, its tests and all versions are on {page}.</p>"
    main = changes + rest + _developers(release, pinned=True) + review
    return _columns(main, facts.replace('href="#', f'href="{home}#'))


def _columns(main: str, facts: str) -> str:
    return (
        f'<div class="ps-entry"><div class="ps-entry__main">{main}</div>'
        f'<aside class="ps-entry__facts" aria-label="Facts">{facts}</aside></div>'
    )


def _use_case(release: Release) -> str:
    words = text(release_view.field(release, "use_case"))
    return section("use", "When to use it", f"<p>{words}</p>" if words else "")


def _facts(entry: Entry, release: Release, site: Site) -> str:
    row = release.record
    platforms = release_view.passed_platforms(release)
    rows = [
        ("Version", f'<a href="#versions">{text(row.version)}</a>'),
        ("Released", _released(release)),
        ("Licence", text(release_view.field(release, "license"))),
        ("Imported from", text(told_origin(row.release))),
        ("Languages", text(cut(", ".join(release_view.fields(release, "languages")), _LONGEST))),
        ("Tags", _tags(release)),
        ("Tested", chips(platforms) or release_view.UNTESTED),
        ("Score", release_view.score_link(release)),
        ("Capabilities", release_view.capabilities(release)),
        ("Needs", release_view.requires(release)),
        ("Protocols", release_view.badges(release) or release_view.protocols(release)),
        ("Owners", _owners(entry)),
        ("Signed by", "" if release.draft else _signer(site)),
        ("SHA-256", _digest(row.sha256)),
        ("Package URL", "" if release.draft else _digest(release.id.package_url(row.sha256))),
        ("Files", release_view.files(release)),
        ("Something wrong?", _report(release, site)),
    ]
    return terms(((term, value) for term, value in rows if value), "ps-facts")


def _released(release: Release) -> str:
    return "not yet" if release.draft else day(release.record.date)


def _report(release: Release, site: Site) -> str:
    what = quote(f"{release.id.name} {release.record.version}")
    return link(text(f"{site.report}{what}"), "Report this prompt") if site.report else ""


def _signer(site: Site) -> str:
    return f"registry <code>{text(site.registry_id[:8])}</code> {mode_chip(site)}"


def _digest(identity: str) -> str:
    return f'<code class="ps-digest">{text(identity)}</code>'


def _tags(release: Release) -> str:
    return labels(
        f'<a href="{ROOT}?tag={quote(tag)}">{text(tag)}</a>'
        for tag in release_view.fields(release, "tags")
    )


def _owners(entry: Entry) -> str:
    names = [
        f"{text(str(owner.get('login', '')))} <small>({text(str(owner.get('forge', '')))})</small>"
        for owner in entry.record.owners
    ]
    return ", ".join(names) or "none: the maintainers of this registry are responsible"


def _versions(entry: Entry) -> str:
    home = entry_folder(entry.record)
    rows = (
        (
            link(address(f"{home}{r.record.version}/"), text(r.record.version)),
            _released(r),
            _state(entry, r),
            text(release_view.field(r, "changes")),
        )
        for r in entry.releases
    )
    gone = (
        (
            link(address(f"{home}{row.version}/"), text(row.version)),
            day(row.date),
            _revoked("removed", row),
            "",
        )
        for row in reversed(entry.record.releases)
        if row.is_purged
    )
    columns = ("Version", "Released", "State", "Changes")
    found = table(columns, (*rows, *gone))
    return section("versions", "Versions", found + Comparisons(entry).chooser())


def _revoked(word: str, row: ReleaseRecord) -> str:
    reason = row.revoked.reason if row.revoked else ""
    return f'<span class="ps-state ps-state--yanked">{word}</span> {text(reason)}'


def _state(entry: Entry, release: Release) -> str:
    if release.record.revoked is not None:
        return _revoked("revoked", release.record)
    if release.record.yanked is not None:
        return (
            f'<span class="ps-state ps-state--yanked">yanked</span> {text(release.record.yanked)}'
        )
    if release.draft:
        return DRAFT_CHIP
    if release is entry.latest:
        return '<span class="ps-state">newest</span>'
    return ""


def _developers(release: Release, *, pinned: bool) -> str:
    """Return the heading of what a person who only uses the prompt need not read."""
    row = release.record
    name, folder = release.id.name, f"{release.id.entry_class}/{release.id.name}/{row.version}/"
    asked = f"{name}@{row.version}" if pinned else name
    offered = not (release.draft or row.revoked)
    install = command(f"psreg install {asked}") if offered else ""
    audited = link(f"{address(folder)}#audit", "Audit this version")
    lead = f"<p>How to install it, its score, its source and its signatures. {audited}.</p>"
    return section("developers", "For developers and reviewers", lead + install)


def _trust(entry: Entry, release: Release, site: Site) -> str:
    name, row = release.id.name, release.record
    compare = f'echo "{row.sha256}  {release.id.filename}" | sha256sum --check'
    mode = (
        "<p>The keys of this registry are <strong>development keys</strong>, made on one machine. "
        "Do not depend on them.</p>"
        if site.mode == "dev"
        else "<p>The maintainers hold the keys of this registry, the root keys offline.</p>"
    )
    return section(
        "trust",
        "Check it yourself",
        f"{trust_view.chain(entry, release, site)}{trust_view.details(entry, release, site)}"
        f"{mode}{command(site.add_command)}{command(f'psreg install {name}@{row.version}')}"
        f"{command(f'psreg verify {name}')}"
        "<p>Or compare the digest of the file you downloaded:</p>"
        f"{command(compare)}"
        f"<p>Registry <code>{text(site.registry_id)}</code></p>",
    )


DRAFT_CHIP = '<span class="ps-state ps-state--draft">draft</span>'
"""The label of what is not released."""


def mode_chip(site: Site) -> str:
    """Return a label that says whether the registry signs with development keys."""
    label = "development" if site.mode == "dev" else "production"
    return f'<span class="ps-state ps-state--{text(site.mode)}">{label}</span>'


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(date: str) -> str:
    """Return an ISO date-time as `21 Nov 2026`, machine-readable as well."""
    year, month, number = date[:10].split("-")
    label = f"{int(number)} {_MONTHS[int(month) - 1]} {year}"
    return f'<time datetime="{text(date)}">{label}</time>'
