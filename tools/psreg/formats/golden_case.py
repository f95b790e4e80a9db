"""Golden cases: values that go into a `.prompt`, and the exact text that must come out.

`evidence/<case>.render.toml` holds one case. TOML knows what is text and what is not, so nothing
is trimmed: the text is compared as it is, without a final line break (PROMPT-A21).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from psreg.formats import dotprompt, toml_document
from psreg.formats.dotprompt import Prompt
from psreg.formats.toml_document import MAX_BYTES, TomlFile

if TYPE_CHECKING:
    from tomlkit.items import Item

SUFFIX = ".render.toml"
"""The suffix of the file name of a golden case."""


class GoldenCase(TomlFile):
    """A golden case. Accessors leave out values of the wrong type; `violations` reports them."""

    schema_name = "golden"

    @property
    def values(self) -> Mapping[str, str]:
        """The values by variable."""
        return self.texts("values")

    @property
    def expected(self) -> str:
        """The expected text."""
        return self.text("text")

    @property
    def sound(self) -> bool:
        """Whether the file has both the values and the expected text."""
        return self.tree.parsed and not self.violations

    def rendered(self, prompt: Prompt) -> str | None:
        """Return what comes out of `prompt`; None if it is longer than any case can say.

        Raises:
            ValueError: the prompt is not `readable`.
        """
        known = {**prompt.defaults, **self.values}
        # NOTE: a long value used many times could exceed the memory.
        size = len(prompt.content) + sum(
            len(variable.spans) * len(known.get(variable.name, "")) for variable in prompt.variables
        )
        return None if size > 2 * MAX_BYTES else dotprompt.render(prompt, self.values).text


def read(data: bytes) -> GoldenCase:
    """Read a golden case; never raises."""
    return GoldenCase(toml_document.parse(data))


def written(values: Mapping[str, str], text: str) -> bytes:
    """Return the file of a golden case: the values, and the text that they give."""
    import tomlkit  # noqa: PLC0415 - only where TOML is written

    document = tomlkit.document()
    document["text"] = _toml(text)
    document["values"] = {name: _toml(value) for name, value in values.items()}
    return f"{tomlkit.dumps(document).rstrip()}\n".encode()


def _toml(text: str) -> Item:
    """Return `text` as people read it best: several lines as they are, if TOML can hold them."""
    import tomlkit  # noqa: PLC0415 - only where TOML is written

    quotes = "'''"
    held = quotes not in text and not text.endswith("'") and not any(map(_is_control, text))
    if held and "\n" in text:
        return tomlkit.string(text, literal=True, multiline=True)
    return tomlkit.item(text)


def _is_control(character: str) -> bool:
    return (character < " " and character not in "\t\n") or character == "\x7f"
