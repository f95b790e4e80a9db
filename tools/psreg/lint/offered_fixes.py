"""Which fixes a report offers: none after which another rule would have more to say.

A fix of the content rules deletes what cannot be seen. If the text without it is an order, a
secret or a key that no longer fits, then somebody hid something, and a person has to look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from psreg.core.diagnostics import Diagnostic
from psreg.lint.fix import apply

_FAMILY = "PS"


def offered(
    found: Iterable[Diagnostic], text: str, again: Callable[[bytes], Iterable[Diagnostic]]
) -> list[Diagnostic]:
    """Return what was `found` about a file, without the fixes that would make matters worse.

    `text` is the file's, `again` judges bytes in its place. The fixes of one file are offered
    together or not at all.
    """
    diagnostics = list(found)
    fixable = [d for d in diagnostics if d.fix and d.family == _FAMILY]
    if not fixable:
        return diagnostics
    mended, _ = apply(text.encode(), "", fixable)
    more = Counter(d.code for d in again(mended))
    more.subtract(d.code for d in diagnostics)
    worse = sorted(code for code, number in more.items() if number > 0)
    if not worse:
        return diagnostics
    hint = f"Delete it and look at the text: without it, {' and '.join(worse)} would speak up."
    held = {id(d) for d in fixable}
    return [replace(d, fix=None, hint=hint) if id(d) in held else d for d in diagnostics]
