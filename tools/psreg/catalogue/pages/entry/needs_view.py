"""What an assistant must have for a release to work, in words that need no explanation."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.catalogue.pages.entry.use_view import is_for_use
from psreg.catalogue.pages.html import count, section, text
from psreg.formats import pbe
from psreg.registry.published import Release

_CAPABILITIES = {
    "network": "Access to the web: it is asked to look things up there, or to open addresses.",
    "files": "Files: it is asked to read files that you give it, or to write some.",
    "tools": "Tools: it is asked to run programs, or to use services that you connected to it.",
    "memory": "A memory: it is asked to know in one conversation what was said in another.",
}


def needs(release: Release) -> str:
    """Return the section about what an assistant needs; "" if the release is not for use."""
    if not is_for_use(release):
        return ""
    items = "".join(f"<li>{item}</li>" for item in _items(release))
    return section("needs", "What your assistant needs", f"<ul>{items}</ul>")


def _items(release: Release) -> Iterator[str]:
    words = len(release.artifact.decode("utf-8", "replace").split())
    yield f"Room for the prompt, which has {_about(words)}, and for what you add."
    if release.id.entry_class == "interactive_engine":
        yield "A conversation of many messages, in which it remembers all that was said."
        if isinstance(pbe.read(release.artifact).get(*pbe.SAVE_TEMPLATE), dict):
            yield (
                "No storage of its own for saves: it writes a save as text, and you keep the text."
            )
    else:
        yield "One answer: it has nothing to remember."
    asked = release.record.release.get("capabilities")
    names = [each for each in asked if isinstance(each, str)] if isinstance(asked, list) else []
    for name in names:
        yield _CAPABILITIES.get(name) or text(name)
    if not names:
        yield "Nothing else: neither the web nor files, tools or a memory."


def _about(words: int) -> str:
    """Return a number of words with two digits that count: `about 2,300 words`."""
    unit = 10 ** max(0, len(str(words)) - 2)
    rounded = round(words / unit) * unit
    return f"about {count(rounded, 'word')}" if unit > 1 else count(words, "word")
