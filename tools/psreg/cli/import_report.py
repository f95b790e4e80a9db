"""The report of an import as one page of HTML, for the person who decides about each prompt.

The page has no scripts and loads nothing, and its policy forbids both. All text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from psreg.authoring.importing.alike import Cluster
from psreg.authoring.importing.entries import Origin
from psreg.authoring.importing.importer import Imported, Status
from psreg.catalogue.pages.html import link, tag, text
from psreg.core.diagnostics import ERROR, WARNING, Diagnostic
from psreg.core.regex import lazy
from psreg.core.terminal import one_line
from psreg.lint.reports.text import cropped


@dataclass(frozen=True, slots=True)
class _Group:
    """Prompts about which to decide the same: the id in the page, the heading, what to do."""

    id: str
    title: str
    help: str
    has: Callable[[Imported], bool]


_OPEN = "open"
_GROUPS = (
    _Group(
        "refused",
        "Refused",
        "These did not become entries. Fix them at their source, or leave them out.",
        lambda row: row.status is Status.REFUSED,
    ),
    _Group(
        "errors",
        "Errors",
        "`psreg check` rejects these until you have changed or waived what was found.",
        lambda row: any(each.severity is ERROR for each in row.findings),
    ),
    _Group(
        "warnings",
        "Warnings",
        "Read what was found, and decide whether the prompt belongs in the registry.",
        lambda row: bool(row.findings),
    ),
    _Group(
        _OPEN,
        "Near copies, licences, protocols, languages",
        "Decide whether the registry needs both texts, which licence holds, what to declare, and"
        " which language it is.",
        lambda row: bool(row.questions),
    ),
    _Group(
        "vanished",
        "Vanished",
        "The source does not have these. Their entries are kept; yank them if need be.",
        lambda row: row.status is Status.VANISHED,
    ),
    _Group(
        "unlicensed",
        "Without a licence",
        "Neither the prompt nor a file beside it states a licence that SPDX lists.",
        lambda row: not row.license,
    ),
    _Group(
        "changed",
        "Taken with a change",
        "Read what is different.",
        lambda row: row.status is Status.CHANGED,
    ),
    _Group(
        "updated",
        "New versions",
        "The source changed; each of these entries has a new version.",
        lambda row: row.status is Status.UPDATED,
    ),
    _Group("taken", "Taken", "These are as in the source.", lambda _: True),
)
"""The groups, first what needs a decision; a prompt is in the first one that has it."""


def report(
    rows: Iterable[Imported],
    clusters: Sequence[Cluster],
    origin: Origin,
    *,
    site: str,
    written: bool,
) -> str:
    """Return the page. `site` is the address of the pages about rules, "" if it is not known."""
    grouped: dict[str, list[Imported]] = {group.id: [] for group in _GROUPS}
    others = Counter[Status]()
    for row in rows:
        if row.status in (Status.UNCHANGED, Status.SKIPPED):
            others[row.status] += 1
        else:
            grouped[next(group.id for group in _GROUPS if group.has(row))].append(row)
    return "".join(_page(grouped, others, clusters, origin, site, written=written))


def _page(
    grouped: Mapping[str, Sequence[Imported]],
    others: Mapping[Status, int],
    clusters: Sequence[Cluster],
    origin: Origin,
    site: str,
    *,
    written: bool,
) -> Iterator[str]:
    style = (files("psreg.cli") / "import_report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"Import of {_line(origin.address)}"
    at = f", commit {tag('code', _line(origin.revision))}" if origin.revision else ""
    done = "" if written else " Nothing was written."
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n<p>{_line(origin.day)}{at}.{done}</p>\n"
        '<ul class="counts">\n'
    )
    for group in _GROUPS:
        yield _count(_CLUSTERS, len(clusters), _CLUSTERS_TITLE) if group.id == _OPEN else ""
        yield _count(group.id, len(grouped[group.id]), group.title)
    for status, number in sorted(others.items()):
        yield f"<li>{tag('b', f'{number:,}')} {text(status.capitalize())}</li>\n"
    yield f"</ul>\n{_HOW}\n"
    number = 0
    names = {row.name for some in grouped.values() for row in some}
    for group in _GROUPS:
        if clusters and group.id == _OPEN:
            yield from _near_copies(clusters, names)
        if some := grouped[group.id]:
            yield from _section(group, some, site, number)
            number += len(some)
    yield "</main>\n</body>\n</html>\n"


def _count(place: str, number: int, title: str) -> str:
    said = f"{tag('b', f'{number:,}')} {text(title)}"
    return f"<li>{link(f'#{place}', said)}</li>\n" if number else ""


_HOW = """\
<p>To leave a prompt out, add its path to <code>skip</code> in the file for <code>--map</code>, and
delete the folder of its entry if it was written. To change one, edit the files of its entry.</p>"""


def _section(group: _Group, rows: Sequence[Imported], site: str, before: int) -> Iterator[str]:
    heads = "".join(tag("th", name, scope="col") for name in _COLUMNS)
    yield (
        f'<section aria-labelledby="{group.id}">\n<h2 id="{group.id}">{text(group.title)}</h2>\n'
        f"<p>{_prose(group.help)}</p>\n<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n"
    )
    for number, row in enumerate(rows, before + 1):
        yield _row(row, f"part-{number}", site)
    yield "</tbody>\n</table>\n</section>\n"


_FEW = 20
_CLUSTERS, _CLUSTERS_TITLE = "clusters", "Groups of near copies"


def _near_copies(clusters: Sequence[Cluster], names: Collection[str]) -> Iterator[str]:
    """Yield the section about groups of near copies; `names` are those of entries on the page."""
    yield (
        f'<section aria-labelledby="{_CLUSTERS}">\n<h2 id="{_CLUSTERS}">{_CLUSTERS_TITLE}</h2>\n'
        "<p>The first of each group is the best candidate. Decide what the registry needs.</p>\n"
        '<ol class="clusters">\n'
    )
    for each in clusters:
        best, *others = (_entry(name, names) for name in each.names)
        few, more = others[:_FEW], others[_FEW:]
        rest = f"<summary>{len(more):,} more</summary>{', '.join(more)}"
        yield (
            f"<li>{tag('b', best)}: {_line(each.why)}{tag('div', ', '.join(few))}"
            f"{tag('details', rest) if more else ''}</li>\n"
        )
    yield "</ol>\n</section>\n"


def _entry(name: str, names: Collection[str]) -> str:
    shown = tag("bdi", _line(name))
    return link(f"#{_anchor(name)}", shown) if name in names else shown


def _anchor(name: str) -> str:
    return text(f"entry-{name}")


_COLUMNS = ("Prompt", "Licence", "Languages", "To look at")


def _row(row: Imported, place: str, site: str) -> str:
    anchor = _anchor(row.name) if row.name else place
    path, status = tag("bdi", _line(row.path)), _line(f"{row.status} {row.version}".strip())
    parts = [link(f"#{anchor}", tag("b", tag("bdi", _line(row.name)) if row.name else path))]
    parts += [tag("div", path)] if row.name else []
    who = tag("th", "".join((*parts, tag("div", status))), scope="row")
    facts = ("", "")
    if row.text:
        languages = _line(", ".join(row.languages))
        facts = (_line(row.license) or tag("i", "none"), languages or tag("i", "not stated"))
    cells = zip(_COLUMNS[1:], (*facts, "".join(_told(row, site))), strict=True)
    told = "".join(tag("td", cell, data_label=label) for label, cell in cells)
    return f'<tr id="{anchor}">{who}{told}</tr>\n'


def _told(row: Imported, site: str) -> Iterator[str]:
    """Yield what to look at: findings, errors first, then questions and notes, and the text."""
    items = [
        tag("li", _finding(each, site), class_=str(level))
        for level in (ERROR, WARNING)
        for each in row.findings
        if each.severity is level
    ]
    items += [tag("li", _prose(note), dir="auto") for note in (*row.questions, *row.notes)]
    if items:
        yield tag("ul", "".join(items))
    if row.text:
        said = f"<summary>Text</summary>{tag('pre', text(row.text), dir='auto')}"
        yield tag("details", said, **({"open": ""} if row.findings or row.questions else {}))


def _finding(found: Diagnostic, site: str) -> str:
    code = text(found.code)
    if site and found.url:
        code = link(text(f"{site}{found.url}"), code)
    said = f"{tag('strong', str(found.severity))} {code}: {_prose(found.message)}"
    where = tag("code", text(cropped(found)[0]), dir="auto") if found.excerpt else ""
    return f"{said}{tag('div', f'line {found.start.line}: {where}')}"


def _line(value: str) -> str:
    return text(one_line(value))


_CODE = lazy("`([^`]+)`")


def _prose(value: str) -> str:
    """Return a line with what is in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", _line(value))
