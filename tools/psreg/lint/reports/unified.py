"""The difference between two texts, as `diff -u` writes it and `patch -p0` reads it."""

from __future__ import annotations

from difflib import unified_diff

from psreg.core.terminal import one_line

_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified(path: str, before: str, after: str, to: str = "") -> str:
    """Return the unified diff that turns `before` into `after`; "" if they are the same.

    `path` is what is said of the file; `to` what is said of the newer one, if it is another.
    """
    lines = unified_diff(_lines(before), _lines(after), one_line(path), one_line(to or path))
    return "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)


def _lines(text: str) -> list[str]:
    # NOTE: str.splitlines would also split at a form feed or U+2028.
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])
