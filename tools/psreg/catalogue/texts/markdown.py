"""Small pieces of Markdown (CommonMark), each safe by construction.

Everything from a prompt or a record passes through `prose` or `fenced`.
"""

from __future__ import annotations

import re

from psreg.catalogue.pages.html import cut, visible

_ACTIVE = re.compile(r"[\\`*_\[\]<>&|~#!@:$^={}]|(?<=\bwww)\.|^[-+]|(?<=\d)[.)](?=\s)")
"""What begins markup, a block or an address, also in the Markdown of forges."""

_BACKTICKS = re.compile("`+")


LONGEST = 10_000
"""Maximum number of characters of a text; only prompts are longer."""

MOST = 50
"""Maximum number of texts in a list."""


def prose(value: str, most: int = LONGEST) -> str:
    """Return `value` on one line, without any effect; at most `most` characters of it."""
    return _ACTIVE.sub(r"\\\g<0>", visible(cut(" ".join(value.split()), most)))


def fenced(value: str, info: str = "") -> str:
    """Return a code block of `value`, which cannot end it; hidden characters are shown."""
    shown = visible(value)
    longest = max(map(len, _BACKTICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if shown.endswith("\n") else "\n"
    return f"{fence}{info}\n{shown}{end}{fence}\n"


def items(lines: list[str]) -> str:
    """Return a list; each line is Markdown already."""
    return "".join(f"- {line}\n" for line in lines)


def part(title: str, content: str) -> str:
    """Return a part with a heading, both Markdown already; "" if `content` is empty."""
    return f"\n## {title}\n\n{content}" if content else ""
