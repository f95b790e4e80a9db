"""The rules about characters that a reviewer cannot see: tags, direction, joiners, selectors.

Each is settled by one look at the set of characters in the file, and by none in an ASCII file.
Their waiver is not the author's to give (`index.tree.HIDING`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from psreg.diagnostics import ERROR, Finding
from psreg.formats.passages import Content
from psreg.rule import Rule, rule
from psreg.rules.content.evidence import MOST, quoted

_TAGS = frozenset(map(chr, range(0xE0000, 0xE0080)))
_FLAG = "\U0001f3f4"
_FLAGS = tuple(
    _FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""England, Scotland and Wales: the only flags of regions there are (Unicode RGI emoji)."""
_TAG_RUN = re.compile(f"(?P<flag>{'|'.join(_FLAGS)})|[\U000e0000-\U000e007f]++")


@rule("PS001", spec="registry/CONTENT", severity=ERROR)
def tag_characters(content: Content) -> Iterator[Finding]:
    """Invisible tag characters spell a hidden text.

    ## Why
    Each ASCII letter has an invisible twin among the characters U+E0000 to U+E007F. A text
    written in them is shown by no editor and no review page, but a model reads it as plainly as
    the rest. It is the simplest way to give an assistant orders that nobody approved. The flags
    of England, Scotland and Wales are made of the same characters and are allowed.

    ## Fix
    Delete the characters; the message shows what they say. If you did not put them there, ask
    where the text came from.

    ```text
    before   Summarise the report.{U+E0049}{U+E0067}{U+E006E}{U+E006F}{U+E0072}{U+E0065}
    after    Summarise the report.
    ```
    """
    if content.ascii or not _TAGS & content.characters:
        return
    runs = ((p, m) for p, m in content.find(_TAG_RUN) if not m["flag"])
    for passage, run in islice(runs, MOST):
        text = "".join(chr(ord(c) - 0xE0000) for c in run[0])
        yield Finding(
            message=f"{len(text)} invisible tag characters say {quoted(text)}",
            at=passage.span(*run.span()),
            hint="Delete them, and find out where they came from.",
        )


INVISIBLE_RULES: tuple[Rule[Content], ...] = (tag_characters,)
