"""What pages say about drafts: the findings about each, and the list of all on the home page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from psreg.catalogue.pages.class_texts import class_chip, class_text
from psreg.catalogue.pages.entry.entry_page import DRAFT_CHIP, entry_pages
from psreg.catalogue.pages.frame import ROOT, Page, Site, address, entry_crumbs
from psreg.catalogue.pages.html import count, link, note, text
from psreg.core.diagnostics import ERROR, Diagnostic

if TYPE_CHECKING:
    from psreg.catalogue.drafts import Draft


def draft_pages(draft: Draft, site: Site) -> Iterator[Page]:
    """Yield the pages of a draft as they will be, or one page with what is wrong with it."""
    told = (_CHANGED if draft.changed else "") + _notice(draft)
    if draft.entry:
        yield from entry_pages(draft.entry, site, told)
        return
    kind, name = class_text(draft.id.entry_class), draft.id.name
    yield Page(
        path=f"{kind.slug}/{name}/",
        title=name,
        description=f"What keeps {name} from being released.",
        body=f'{entry_crumbs(kind.slug, name)}<header class="ps-head"><p class="ps-kicker">'
        f"{class_chip(kind.slug)}</p><h1>{text(name)}</h1>"
        f'<p class="ps-name">{"" if draft.signed else DRAFT_CHIP}</p></header>{told}',
    )


_CHANGED = note(
    "warning",
    "<p><strong>Not published.</strong> What this page says about released versions, or about "
    "their owners, is not in force yet.</p>",
)


def _notice(draft: Draft) -> str:
    """Return what keeps a draft from being released, and its warnings; "" if there is neither."""
    if not (draft.findings or draft.refusals):
        return ""
    errors = draft.count_errors()
    head = f"{_counted(draft)}: this cannot be released yet." if errors else _counted(draft)
    items = [*map(text, draft.refusals), *map(_finding, draft.findings)]
    told = f"<p><strong>{head}</strong></p>{_list(items)}"
    if len(items) > _UNFOLDED:
        told = f"<details><summary><strong>{head}</strong></summary>{_list(items)}</details>"
    return note("danger" if errors else "warning", told)


_UNFOLDED = 3
"""How many findings or drafts are shown at once: the page below is what the preview is for."""


def _counted(draft: Draft) -> str:
    errors = draft.count_errors()
    warnings = sum(1 + d.more for d in draft.findings if d.severity is not ERROR)
    said = [count(errors, "error")] if errors else []
    said += [count(warnings, "warning")] if warnings else []
    return ", ".join(said)


def _list(items: Iterable[str]) -> str:
    return f'<ul class="ps-findings">{"".join(f"<li>{item}</li>" for item in items)}</ul>'


def _finding(d: Diagnostic) -> str:
    state = f'<span class="ps-state ps-state--{d.severity}">{d.severity}</span>'
    code = link(address(d.url), f"<code>{text(d.code)}</code>")
    hint = f"<br>{text(d.hint)}" if d.hint else ""
    place = f"<code>{text(d.path)}</code>, line {d.start.line}"
    return f"{state} {code} {text(d.message)}{hint}<br><small>{place}</small>"


def draft_list(drafts: Iterable[Draft], others: Iterable[Diagnostic]) -> str:
    """Return the list of all drafts for the home page; `others` are findings about none of them."""
    lead = (
        "<p><strong>This is a preview with drafts.</strong> Drafts are not released: nothing of "
        "them is signed, and psreg does not install them.</p>"
    )
    listed, found_beside = [*map(_item, drafts)], [*map(_finding, others)]
    items = listed + found_beside
    found = _list(items) if items else "<p>There are no drafts.</p>"
    if len(items) > _UNFOLDED:
        head = count(len(listed), "draft")
        head += f", {count(len(found_beside), 'other finding')}" if found_beside else ""
        found = f"<details><summary><strong>{head}</strong></summary>{found}</details>"
    # The home page is at the root of the site.
    return note("warning", lead + found).replace(ROOT, "")


def _item(draft: Draft) -> str:
    name = draft.id.name
    where = link(address(f"{draft.id.entry_class}/{name}/"), f"<strong>{text(name)}</strong>")
    releases = draft.entry.releases if draft.entry else ()
    said = [text(each.record.version) for each in releases if each.draft]
    said += [counted] if (counted := _counted(draft)) else []
    return f"{where} {class_chip(draft.id.entry_class)} {', '.join(said)}"
