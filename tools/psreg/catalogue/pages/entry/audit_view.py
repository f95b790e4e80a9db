"""What a security review reads of a version: what it may use, addresses, findings, instructions.

The instructions are listed by a script from the bytes of the artifact, whose digest it compares;
without it, a link leads to them.
"""

from __future__ import annotations

from itertools import islice

from psreg.catalogue.pages.entry import release_view
from psreg.catalogue.pages.entry.conversation_view import recorded, where_shown
from psreg.catalogue.pages.frame import address
from psreg.catalogue.pages.html import count, cut, link, section, size, terms, text
from psreg.core.classes import Format
from psreg.formats import dotprompt
from psreg.registry.published import Release

_MOST = 100
"""Web addresses that are listed."""

_LONGEST = 200
"""Characters of a web address."""

_MAY_HAVE = (b"://", rb"\u", rb"\/")
"""One of these is in a text with a web address; in JSON, its characters may be escaped."""


def audit(release: Release) -> str:
    """Return the section of a version that a security review reads from top to bottom."""
    row = release.record
    file = address(row.path)
    rows = (
        ("It may use", release_view.capabilities(release)),
        ("Web addresses", _addresses(release)),
        ("Findings", _findings(release)),
        ("Test runs", _runs(release)),
        ("Bytes", f'{size(row.size)}, SHA-256 <code class="ps-digest">{text(row.sha256)}</code>'),
    )
    return section(
        "audit",
        "Audit",
        f"{terms((name, value) for name, value in rows if value)}{release_view.waivers(release)}"
        f'<details class="ps-audit" data-file="{file}" data-sha256="{text(row.sha256)}">'
        "<summary>Every instruction, in reading order</summary>"
        f"<p>Read {link(file, 'the text')}.</p></details>",
    )


def _findings(release: Release) -> str:
    if release.draft:
        return "not published, so not reviewed"
    waived = count(len(release.record.waived), "finding")
    return (
        f"psreg {text(release.record.psreg)} found no error when it was published, {waived} waived"
    )


def _runs(release: Release) -> str:
    where = [where_shown(release, path) for path in recorded(release)[:1]]
    return "".join(link(each, "as conversations, with findings at their lines") for each in where)


def _addresses(release: Release) -> str:
    """Return the web addresses in the artifact as text; nothing here leads there."""
    if not any(mark in release.artifact for mark in _MAY_HAVE):
        return "none"
    # Few prompts have any.
    from psreg.lint.content.link_rules import urls  # noqa: PLC0415
    from psreg.lint.content.texts import of_prompt, of_records  # noqa: PLC0415

    content = (
        of_prompt(dotprompt.read(release.artifact))
        if release.id.format is Format.PROMPT
        else of_records(release.artifact.decode("utf-8", "replace"))
    )
    found = dict.fromkeys(cut(each.url, _LONGEST) for each in urls(content))
    items = "".join(f"<li><code>{text(url)}</code></li>" for url in islice(found, _MOST))
    more = f"<p>and {len(found) - _MOST} more</p>" if len(found) > _MOST else ""
    return f"<ul>{items}</ul>{more}" if items else "none"
