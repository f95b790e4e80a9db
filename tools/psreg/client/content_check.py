"""The content rules that block a release in a review, applied once more before an installation.

A stolen key can sign without a review.
"""

from __future__ import annotations

from collections.abc import Sequence

from psreg.client.resolve import Choice
from psreg.core.diagnostics import Diagnostic, described
from psreg.core.errors import TrustError
from psreg.formats.waivers import waivable
from psreg.lint.content.blocking import blocking_findings
from psreg.registry.records import WaivedFinding

_LISTED = 5
"""The number of findings that a message lists."""


def check_content(choice: Choice, data: bytes, *, locked: bool = False) -> tuple[str, ...]:
    """Apply the content rules that block a release; return warnings about what is let through.

    That is what the signed record says was waived, and everything if the bytes are `locked`.

    Raises:
        TrustError: `TRUST_CONTENT`, with the findings.
    """
    release, row = choice.release, choice.row
    found = blocking_findings(data, release.filename)
    waivers = {each.code: each for each in row.waived if _may_waive(each)}
    blocked = [each for each in found if each.code not in waivers]
    title = f"{release.name} {release.version}"
    if blocked and not locked:
        codes = sorted({each.code for each in blocked})
        raise TrustError(
            "TRUST_CONTENT",
            f"{title} contains what psreg does not install ({', '.join(codes)}):",
            f"Tell the maintainers of the registry; nothing was installed. "
            f"`psreg explain {codes[0]}` tells more.",
            _listed(blocked),
        )
    let = {each.code for each in found} & waivers.keys()
    return (
        *(f"{title}: {line}" for line in _listed(blocked)),
        *(
            f"{title}: {code} is waived by {waivers[code].who}: {waivers[code].reason}"
            for code in sorted(let)
        ),
    )


def _may_waive(waiver: WaivedFinding) -> bool:
    return waiver.by == "policy" or (waiver.by == "release" and waivable(waiver.code))


def _listed(found: Sequence[Diagnostic]) -> tuple[str, ...]:
    """Return the first findings, one line each, and how many more there are."""
    lines = tuple(map(described, found[:_LISTED]))
    more = len(found) - len(lines)
    return (*lines, f"and {more} more") if more else lines
