"""What changed from older versions to a release: by meaning, and the texts word by word.

The meaning is what `psreg diff` says, with the floor of the version. The texts are compared by a
script when somebody looks; without it, links lead to both. The page of a version compares it with
the versions before it: so each two versions are compared, and there is no page for each two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from psreg.catalogue.pages.frame import address, entry_folder
from psreg.catalogue.pages.html import command, count, link, paragraphs, section, text
from psreg.core.excerpt import cropped

if TYPE_CHECKING:
    from psreg.compatibility.compared_side import Side
    from psreg.compatibility.diff import Diff
    from psreg.compatibility.floor_row import Difference
    from psreg.registry.published import Entry, Release

_MOST_VERSIONS = 50
"""How many older versions a page compares with."""

_LISTED = 100
"""Changes that are listed since the version before."""

_LISTED_OLDER = 12
"""Changes that are listed since each other version, those that require the largest steps."""


def _said(release: Release) -> str:
    value = release.record.release.get("changes")
    return paragraphs(value) if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The comparisons of the versions of an entry, each of which is read once."""

    entry: Entry
    _sides: dict[str, Side] = field(default_factory=dict)

    def chooser(self) -> str:
        """Return a form that leads to the comparison of two versions; "" if there is one."""
        versions = [release.record.version for release in self.entry.releases]
        if len(versions) == 1:
            return ""
        before, after = (_options(versions, chosen) for chosen in (1, 0))
        return (
            f'<form class="ps-compare" data-home="{address(entry_folder(self.entry.record))}">'
            f'<label>From <select name="before">{before}</select></label> '
            f'<label>to <select name="after">{after}</select></label> '
            '<button type="submit" class="ps-button">Compare</button></form>'
        )

    def summary(self, release: Release) -> str:
        """Return what the author says about the changes, and where the comparisons are."""
        since = self.entry.releases.index(release) + 1
        before = [each.record.version for each in self.entry.releases[since : since + 1]]
        where = address(f"{entry_folder(self.entry.record)}{release.record.version}/")
        links = "".join(
            f"<p>{link(f'{where}#since-{version}', f'Compare it with {version}')}</p>"
            for version in map(text, before)
        )
        return section("changes", "What changed", _said(release) + links)

    def section(self, release: Release) -> str:
        """Return what changed in a release, compared with each of the versions before it."""
        since = self.entry.releases.index(release) + 1
        older = self.entry.releases[since : since + _MOST_VERSIONS]
        found = "".join(
            self._compared(each, release, _LISTED_OLDER if number else _LISTED)
            for number, each in enumerate(older)
        )
        return section("changes", "What changed", _said(release) + found)

    def _compared(self, before: Release, after: Release, listed: int) -> str:
        # Most entries have one version, which is compared with nothing.
        from psreg.compatibility.diff import compare  # noqa: PLC0415

        found = compare(self._side(before), self._side(after))
        return _comparison(before, after, found, listed)

    def _side(self, release: Release) -> Side:
        from psreg.compatibility.compared_side import folder_side  # noqa: PLC0415

        version = release.record.version
        if version not in self._sides:
            start = len(release.folder) + 1
            files = {path[start:]: data for path, data in release.files.items()}
            self._sides[version] = folder_side(
                files, release.id.filename, release.id.format, version
            )
        return self._sides[version]


_QUOTED = re.compile("`([^`]+)`")


def _options(versions: Iterable[str], chosen: int) -> str:
    return "".join(
        f"<option{' selected' if at == chosen else ''}>{text(version)}</option>"
        for at, version in enumerate(versions)
    )


def _comparison(before: Release, after: Release, found: Diff, listed: int) -> str:
    old, new = before.record.version, after.record.version
    shown = "".join(map(_change, islice(found.differences, listed)))
    left = len(found.differences) - listed
    name = after.id.name
    asked = command(f"psreg diff {name}@{old} {name}@{new}")
    more = f"<p>And {count(left, 'other change')}:</p>{asked}" if left > 0 else ""
    files = " and ".join(
        link(address(each.record.path), f"the text of {text(each.record.version)}")
        for each in (before, after)
    )
    return (
        f'<details class="ps-since" id="since-{text(old)}"{" open" if listed == _LISTED else ""}>'
        f"<summary>Compared with {text(old)}: {_floor(found)}</summary>"
        f"<ul>{shown}</ul>{more}"
        f'<details class="ps-diff" data-before="{address(before.record.path)}" '
        f'data-after="{address(after.record.path)}"><summary>The texts, word by word</summary>'
        f"<p>Read {files}.</p></details></details>"
    )


def _floor(found: Diff) -> str:
    """Return the smallest version step that the changes allow, in words."""
    if not (found.before.side.format and found.after.side.format):
        return "one of them cannot be read"
    least = f" ({text(str(found.least))} or higher)" if found.least else ""
    return f"at least a {found.floor} step{least}"


def _change(each: Difference) -> str:
    values = "".join(
        f"<br><{name}>{text(cropped(value))}</{name}>"
        for name, value in (("del", each.before), ("ins", each.after))
        if value and f"`{value}`" not in each.message
    )
    row = link(f"{address('semver/')}#{each.row}", each.row)
    message = _QUOTED.sub(r"<code>\1</code>", text(each.message))
    read = " <strong>please read</strong>" if each.behaviour else ""
    return (
        f'<li><span class="ps-state ps-state--{each.step}">{each.step}</span> '
        f"{message}{read} <small>{row}</small>{values}</li>"
    )
