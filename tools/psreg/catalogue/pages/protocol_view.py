"""The protocols that a release declares, on its page: badges, and the results of its transcripts.

The numbers come from the record. The findings come from checking the transcripts again, so they
include those of newer rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from psreg.catalogue.pages.frame import address
from psreg.catalogue.pages.html import count, link, section, table, text
from psreg.core.diagnostics import INFO
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocol_versions import PROTOCOLS, STUB, ProtocolConformance, read_conformances
from psreg.lint.transcript import check_transcript, file_report
from psreg.registry.published import Release

_SHOWN = 20
"""Maximum number of findings shown of one transcript."""

STUB_LABEL = "psreg's stub, not a model"


def badges(release: Release) -> str:
    """Return a short result for each declared protocol; "" if there is none."""
    items = "".join(
        f'<li><a href="#protocols">{text(_badge(spoken))}</a></li>'
        for spoken in read_conformances(release.record.protocols)
    )
    return f'<ul class="ps-chips">{items}</ul>' if items else ""


def _badge(spoken: ProtocolConformance) -> str:
    name = f"{spoken.name.upper()} {spoken.version}"
    if spoken.rate is None:
        return f"{name}: declared, not shown"
    where = "" if spoken.models else ", stub only" if spoken.stubbed else ""
    return f"{name}: {spoken.rate} % of {count(spoken.answers, 'answer')}{where}"


def protocols_section(release: Release) -> str:
    """Return the section about the protocols of a release; "" if it declares none."""
    found = read_conformances(release.record.protocols)
    if not found:
        return ""
    lead = (
        "<p>The protocols that this prompt declares, and the results of its own transcripts. For "
        f"the rules see {link(address('protocols/'), 'the pages about protocols')}.</p>"
    )
    heads = ("Protocol", "Transcripts", "Answers", "Without error", "Recorded on")
    details = "".join(_findings(release, spoken) for spoken in found)
    return section("protocols", "Protocols", lead + table(heads, map(_row, found)) + details)


def _row(spoken: ProtocolConformance) -> tuple[str, ...]:
    name = text(f"{spoken.name.upper()} {spoken.version}")
    if spoken.imf:
        name += f" <small>{text(spoken.imf)}</small>"
    if spoken.judged_by not in ("", spoken.version):
        name += f" <small>checked as {text(spoken.judged_by)}</small>"
    page = address(f"protocols/{spoken.name}/") if spoken.name in PROTOCOLS else ""
    rate = "not shown" if spoken.rate is None else f"{spoken.sound} ({spoken.rate} %)"
    places = ", ".join(text(_platform(platform)) for platform in spoken.platforms)
    return (
        link(page, name) if page else name,
        str(len(spoken.transcripts)),
        str(spoken.answers),
        rate,
        places or "not stated",
    )


def _platform(platform: str) -> str:
    return STUB_LABEL if platform == STUB else PLATFORMS.get(platform, platform)


def _findings(release: Release, spoken: ProtocolConformance) -> str:
    """Return links to the transcripts, each with its findings."""
    items = []
    for path in spoken.transcripts:
        if path in release.files:
            found = "".join(islice(_finding_items(release.files[path], path, spoken), _SHOWN))
            name = link(address(path), text(path.removeprefix(f"{release.folder}/")))
            items.append(f"<li>{name}{f'<ul>{found}</ul>' if found else ': clean'}</li>")
    if not items:
        return ""
    title = f"Findings about {spoken.name.upper()}"
    return f"<details><summary>{text(title)}</summary><ul>{''.join(items)}</ul></details>"


def _finding_items(data: bytes, path: str, spoken: ProtocolConformance) -> Iterator[str]:
    if spoken.name not in PROTOCOLS:
        return
    conversation = read_conversation(data, path)
    report = check_transcript(
        conversation, spoken.name, version=spoken.version, imf=spoken.imf, path=path
    )
    for d in file_report(report, conversation).diagnostics:
        if d.severity is not INFO:
            code = link(address(d.url), f"<code>{text(d.code)}</code>")
            yield f"<li>{code} {text(d.message)} <small>line {d.start.line}</small></li>"
