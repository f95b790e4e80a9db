"""Code blocks in Markdown whose text can neither end them nor act on whoever shows them.

A forge finds no mention and no HTML in a code block. Two things reach further and are kept out:
the hidden first line by which a bot finds its own comment, and lines that begin with a slash and
a word, which GitLab and many bots take for commands wherever they stand.
"""

from __future__ import annotations

import re

from psreg.core.terminal import plain

LONGEST_LINE = 1_000
"""Characters shown of one line; a PBE may be a single one."""

_COMMENT = "<!--"
_COMMAND = re.compile(r"^[ \t]*/[a-z]", re.MULTILINE | re.IGNORECASE)
_BREAK = re.compile(r"\r\n?|\n")


def fenced(text: str, info: str = "") -> str:
    """Return a fenced code block of exactly `text`, with a line break at its end if it has none."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{fence}{info}\n{text}{end}{fence}\n"


def exact(text: str) -> bool:
    """Tell whether a block may hold exactly `text`: what a reader sees is what it is.

    It is not where a character hides, a lone carriage return would show as a line break, or the
    text would be a command or a hidden comment to somebody.
    """
    lines = text.replace("\r\n", "\n")
    return plain(lines) == lines and _COMMENT not in text and not _COMMAND.search(text)


def shown(text: str) -> str:
    """Return one line as it is shown where it need not be exact: no hidden character, cropped."""
    line = plain(_BREAK.sub(" ", text)).replace(_COMMENT, "<\u200b!--")
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}…({len(line) - LONGEST_LINE} more characters)"
