"""Telling findings apart that are alike: the same rule about the same words in the same file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from psreg.core.diagnostics import Diagnostic, Report


def distinguished(report: Report) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each diagnostic with an identity that no other one of `report` has.

    It is `<fingerprint>:<n>` for the n-th diagnostic with that fingerprint, in order of place, so
    that it survives whatever moves lines but does not reorder findings.
    """
    seen: Counter[str] = Counter()
    for diagnostic in report.diagnostics:
        seen[diagnostic.fingerprint] += 1
        yield diagnostic, f"{diagnostic.fingerprint}:{seen[diagnostic.fingerprint]}"
