"""Decide which fixes a report offers, and apply them pass by pass until none is left to apply.

Pure. Only the bytes of the edits change: encoding, line endings and everything between two edits
stay. A fix is applied completely or not at all; of two that overlap, the second waits for the next
pass, which checks the file again. Text that is not UTF-8 is never rewritten.

A fix of the content rules deletes invisible characters. If the text without them is an instruction,
a secret or a key that no longer fits, something was hidden and a person must look: a fix is not
offered if another rule would report more after it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from psreg.core.dataclass import dataclass, replace
from psreg.core.diagnostics import Diagnostic, Edit, line_index

MAX_PASSES = 10
"""More passes than any chain of fixes needs, so that a fix that does not help ends."""

LARGEST = 100_000
"""Characters of the largest text whose content fixes are tried out; in a larger one, none is
offered."""

_BOM = b"\xef\xbb\xbf"

_FAMILY = "PS"
"""The family of the content rules."""


def without_harmful_fixes(
    found: Iterable[Diagnostic],
    text: str,
    again: Callable[[bytes], Iterable[Diagnostic]],
    restructures: Callable[[bytes], bool] = lambda _: False,
) -> list[Diagnostic]:
    """Return what was `found` in a file, without the fixes that would cause other findings.

    `text` is the text of the file, `again` checks other bytes in its place, and `restructures`
    tells whether these have other parts: what was text could be a key or a variable in them. The
    fixes of one file are kept together or not at all.
    """
    diagnostics = list(found)
    fixable = [d for d in diagnostics if d.fix and d.family == _FAMILY]
    if not fixable:
        return diagnostics
    withheld = {id(d) for d in fixable}
    if len(text) > LARGEST:
        return [replace(d, fix=None) if id(d) in withheld else d for d in diagnostics]
    fixed_data, _ = apply(text.encode(), "", fixable)
    more = Counter(d.code for d in again(fixed_data))
    more.subtract(d.code for d in diagnostics)
    worse = sorted(code for code, number in more.items() if number > 0)
    if worse:
        hint = f"Delete it and check the text: without it, {' and '.join(worse)} reports a problem."
    elif restructures(fixed_data):
        hint = "Delete it and check the text: without it, text becomes a key or a variable."
    else:
        return diagnostics
    return [replace(d, fix=None, hint=hint) if id(d) in withheld else d for d in diagnostics]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixResult:
    """The new bytes of every file that changed, by path; what was fixed; what is still wrong."""

    files: Mapping[str, bytes]
    fixed: tuple[Diagnostic, ...]
    left: tuple[Diagnostic, ...]


def apply_fixes(
    judge: Callable[[Mapping[str, bytes]], Iterable[Diagnostic]],
    read: Callable[[str], bytes | None],
    *,
    ended: bool = False,
) -> FixResult:
    """Return the files that `judge` checks after their fixes are applied.

    `judge` takes the bytes to check in place of those at some paths, and `read` returns what is at
    a path now, or None if it must not be changed. Waived diagnostics are not fixed. With `ended`,
    the last line of each changed file ends with a line break.
    """
    files: dict[str, bytes] = {}
    fixed: list[Diagnostic] = []
    left = list(judge(files))
    for _ in range(MAX_PASSES):
        done = _one_pass(left, files, read)
        if not done:
            break
        fixed += done
        left = list(judge(files))
    if ended:
        files = {path: _ended(data) for path, data in files.items()}
    return FixResult(files=files, fixed=tuple(fixed), left=tuple(left))


def _ended(data: bytes) -> bytes:
    if not data or data.endswith(b"\n"):
        return data
    return data + (b"\r\n" if b"\r\n" in data else b"\n")


def _one_pass(
    found: Iterable[Diagnostic], files: dict[str, bytes], read: Callable[[str], bytes | None]
) -> list[Diagnostic]:
    """Apply what can be applied at once to `files`; return the diagnostics it is about."""
    fixable: dict[str, list[Diagnostic]] = {}
    for diagnostic in found:
        if diagnostic.fix and diagnostic.waived is None:
            fixable.setdefault(diagnostic.path, []).append(diagnostic)
    done: list[Diagnostic] = []
    for path, diagnostics in fixable.items():
        data = files[path] if path in files else read(path)
        if data is None:
            continue
        changed, applied = apply(data, path, diagnostics)
        if changed != data:
            files[path] = changed
            done += applied
    return done


def apply(
    data: bytes, path: str, diagnostics: Iterable[Diagnostic]
) -> tuple[bytes, list[Diagnostic]]:
    """Return `data` with those fixes applied that do not overlap, and the diagnostics they fix."""
    # NOTE: a README's positions do not count its byte order mark, those of all others do.
    head = _BOM if path.endswith(".md") and data.startswith(_BOM) else b""
    try:
        text = data.removeprefix(head).decode()
    except UnicodeDecodeError:
        return data, []
    index = line_index(text)
    stretches: list[tuple[int, int, str]] = []
    taken: set[tuple[Edit, ...]] = set()
    done = []
    for diagnostic in sorted(diagnostics, key=lambda d: (d.start, d.code)):
        edits = diagnostic.fix.edits if diagnostic.fix else ()
        wanted = [(index.offset(e.start), index.offset(e.end), e.replacement) for e in edits]
        if edits not in taken:
            if any(_overlaps(stretch, stretches) for stretch in wanted):
                continue
            taken.add(edits)
            for stretch in wanted:
                insort(stretches, stretch)
        done.append(diagnostic)
    return head + _replaced(text, stretches).encode(), done


def _overlaps(stretch: tuple[int, int, str], others: list[tuple[int, int, str]]) -> bool:
    """Tell whether a stretch shares a character or its start with one of the ascending others."""
    start, end, _ = stretch
    at = bisect_left(others, (start,))
    return (at > 0 and others[at - 1][1] > start) or (
        at < len(others) and (others[at][0] < end or others[at][0] == start)
    )


def _replaced(text: str, stretches: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, replacement in stretches:
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at:]])
