"""The difference between two texts, in the format of `diff -u` that `patch -p0` reads."""

from __future__ import annotations

from difflib import unified_diff

from psreg.core.terminal import one_line

_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified(path: str, before: str, after: str, to: str = "") -> str:
    """Return the unified diff that turns `before` into `after`; "" if they are the same.

    `path` is the name of the file; `to` is the name of the newer file if it differs.
    """
    lines = unified_diff(_lines(before), _lines(after), one_line(path), one_line(to or path))
    return "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)


def _lines(text: str) -> list[str]:
    # NOTE: str.splitlines would also split at a form feed or U+2028.
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])
