"""The parts of the home page: picks, a prompt to fill in, kinds, the newest releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from psreg.catalogue.pages.class_texts import (
    CLASS_TEXTS,
    RESERVED,
    ClassText,
    class_chip,
    class_text,
)
from psreg.catalogue.pages.entry.artifact_view import fill_box
from psreg.catalogue.pages.entry.entry_page import day, mode_chip
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import command, count, humanised, link, section, terms, text
from psreg.catalogue.pages.listing import Row, search_box
from psreg.core.classes import Format
from psreg.core.errors import FindingsError
from psreg.core.spelling import nearest
from psreg.formats import dotprompt

_NEWEST = 6
_FEWEST_FIELDS = 3

_LEAD = "Each one is reviewed, versioned and signed, and never changes."
_UNPUBLISHED = "<p>This registry has not been published yet.</p>"


def home_parts(
    rows: Sequence[Row], site: Site, picks: Sequence[Row], read: Callable[[str], bytes]
) -> dict[str, str]:
    """Return the values of the placeholders of the home page.

    `read` returns a file by its path below the root of the site.
    """
    shown = [row for row in rows if not class_text(row.entry_class).reserved]
    released = [row for row in shown if not (row.draft and row.newest == row.version)]
    latest = sorted(released, key=lambda row: row.released, reverse=True)[:_NEWEST]
    name = next((row.name for row in (*picks, *latest)), "NAME")
    return {
        "lead": f'<p class="ps-lead">{text(site.text or _LEAD)}</p>',
        "search": search_box(len(rows), ""),
        "picks": _picks(picks),
        "form": _form(picks, read),
        "classes": _class_cards(rows),
        "newest": _newest(latest),
        "add": command(site.add_command) if site.registry_id else _UNPUBLISHED,
        "install": command(f"psreg install {name}"),
        "registry": _registry(rows, site),
    }


def picked(picks: Sequence[str], rows: Sequence[Row], names: Collection[str]) -> list[Row]:
    """Return the rows of the picks in their order, without those that nobody should begin with.

    These are entries that are deprecated, withdrawn, reserved or not shown. `names` are all names.

    Raises:
        FindingsError: UNKNOWN_PICK.
    """
    unknown = [name for name in picks if name not in names]
    if unknown:
        raise FindingsError(
            "UNKNOWN_PICK",
            "`[site] picks` in registry/policy.toml has names that this registry does not have:",
            "Write names of entries, or remove them.",
            tuple(f"`{name}`{_guess(name, names)}" for name in unknown),
        )
    by_name = {row.name: row for row in rows}
    found = [by_name[name] for name in dict.fromkeys(picks) if name in by_name]
    return [
        row
        for row in found
        if not (row.deprecated or row.withdrawn or class_text(row.entry_class).reserved)
    ]


def _guess(name: str, names: Collection[str]) -> str:
    near = nearest(name, names)
    return f"; did you mean `{near}`?" if near else ""


def _picks(picks: Sequence[Row]) -> str:
    cards = "".join(
        f'<a class="ps-card ps-pick ps-card--{row.entry_class}" href="{row.path}">'
        f"<h3>{text(humanised(row.name))}</h3><p>{text(row.summary)}</p>"
        f'<p class="ps-count">{text(class_text(row.entry_class).title)}</p></a>'
        for row in picks
    )
    return section("picks", "A good start", f'<div class="ps-picks">{cards}</div>' if cards else "")


def _form(picks: Sequence[Row], read: Callable[[str], bytes]) -> str:
    """Return the first pick that has variables as a form; "" if there is none."""
    for row in picks:
        if row.id.format is not Format.PROMPT:
            continue
        prompt = dotprompt.read(read(str(row.id.artifact)))
        if prompt.readable and prompt.variables:
            page = link(row.path, text(humanised(row.name)))
            lead = f"<p>This is {page}. Type something, and the text changes with it.</p>"
            box = fill_box(prompt, page=row.path, fewest=_FEWEST_FIELDS)
            return section("fill", "Try one", lead + box)
    return ""


def _class_cards(rows: Sequence[Row]) -> str:
    held = Counter(row.entry_class for row in rows)
    cards = "".join(_class_card(c, held[c.slug]) for c in CLASS_TEXTS)
    return f'<div class="ps-cards">{cards}</div>'


def _class_card(entry: ClassText, number: int) -> str:
    reserved = f'<p class="ps-reserved">{RESERVED}</p>' if entry.reserved else ""
    return (
        f'<a class="ps-card ps-card--{entry.slug}" href="{entry.slug}/">'
        f"<h3>{text(entry.title)}</h3><p>{text(entry.line)}</p>{reserved}"
        f'<p class="ps-count">{count(number, entry.noun)}</p></a>'
    )


def _newest(latest: Sequence[Row]) -> str:
    items = "".join(
        f'<li><a href="{row.newest_path}"><strong>{text(row.name)}</strong> {text(row.newest)}</a>'
        f'<div class="ps-newest__meta">{class_chip(row.entry_class)} {day(row.released)}</div>'
        f"<p>{text(row.summary)}</p></li>"
        for row in latest
    )
    return f'<ol class="ps-newest">{items}</ol>' if items else "<p>There are no releases yet.</p>"


def _registry(rows: Sequence[Row], site: Site) -> str:
    if not site.registry_id:
        return ""
    return terms(
        [
            ("Registry", f"<code>{text(site.registry_id)}</code> {mode_chip(site)}"),
            ("Root", f"<code>{text(site.root_sha256)}</code>"),
            ("Contains", count(len(rows), "prompt")),
        ],
        "ps-facts",
    )
