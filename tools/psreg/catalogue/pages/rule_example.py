"""The corpus pair of a rule as HTML: what the rule catches, and what it lets pass.

Of two folders only the files that differ are shown. Characters that nobody would see are written
out as `⟨U+200B⟩`: many of these examples are hostile on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping

from psreg.catalogue.pages.html import count, section, tag, text

Files = Mapping[str, bytes]

Example = tuple[Files, Files]
"""Files by name: of a case that a rule catches, and of one that it lets pass."""

_FILES = 4
"""Files of one example that are shown; the others are counted."""

_LETTERS = 2_000
"""Characters of one file that are shown."""


def example_html(example: Example) -> str:
    """Return both halves as sections for the page of a rule."""
    bad, good = example
    caught = section("caught", "Caught", _files(bad, good))
    return caught + section("let-through", "Let through", _files(good, bad))


def _files(files: Files, others: Files) -> str:
    shown = {name: data for name, data in files.items() if others.get(name) != data}
    rest = len(files) - min(len(shown), _FILES)
    parts = [_file(name, data) for name, data in list(shown.items())[:_FILES]]
    more = f"<p>And {count(rest, 'more file')}, as in any entry.</p>" if rest else ""
    return "".join(parts) + more


def _file(name: str, data: bytes) -> str:
    whole = data.decode("utf-8", "backslashreplace")
    part = "".join(map(_visible, whole[:_LETTERS])) + ("…" if len(whole) > _LETTERS else "")
    heading = tag("p", tag("code", text(name)))
    return f'{heading}<pre tabindex="0"><code>{text(part)}</code></pre>'


def _visible(letter: str) -> str:
    seen = letter.isprintable() or letter in "\n\t"
    return letter if seen else f"⟨U+{ord(letter):04X}⟩"
