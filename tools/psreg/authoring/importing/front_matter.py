"""YAML front matter, which many formats of prompts have before their text, and YAML alone.

YAML is read by PyYAML, of the extra `psreg[import]`, with the loader that makes nothing but texts,
lists and mappings of it. Aliases, deep nesting and long front matter, with which a small file asks
for much work, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from psreg.system.extras import extra

_FENCED = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_LONGEST = 16 * 1024
_TEXT = "tag:yaml.org,2002:str"
_NULL = ("", "~", "null")
_SAME_NUMBER = re.compile(r"-?(?:[1-9][0-9]{0,9}|0(?=\.))(?:\.[0-9]{0,3}[1-9])?|0")


class Scalar(str):
    """A value of YAML that is not a text: a number, a date, true, false or null, as written."""

    __slots__ = ()

    @property
    def is_null(self) -> bool:
        """Whether it says nothing."""
        return self.lower() in _NULL

    @property
    def is_same(self) -> bool:
        """Whether programs that read it and write it as a text write what is there."""
        return _SAME_NUMBER.fullmatch(self) is not None


def divided(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the front matter of `text` and what follows it; without any, {} and `text`.

    Raises:
        ValueError: it is not a mapping in YAML, or too complex.
        UnavailableError: `EXTRA_MISSING`.
    """
    fenced = _FENCED.match(text)
    if fenced is None:
        return {}, text
    found = loaded(fenced[1], "its front matter")
    if not isinstance(found, dict):
        raise ValueError("its front matter is not a mapping")  # noqa: TRY004 - that of a source
    return {str(key): value for key, value in found.items()}, text[fenced.end() :]


def loaded(text: str, what: str) -> Any:
    """Return what a text in YAML says, in texts, lists and mappings; `what` it is, for messages.

    Of the texts, those are a `Scalar` that YAML reads as something else.

    Raises:
        ValueError: it is not valid, or too complex.
        UnavailableError: `EXTRA_MISSING`.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"{what} has more than {_LONGEST:,} characters")
    with extra("import"):
        import yaml  # noqa: PLC0415 - an extra
    try:
        # NOTE: an alias lets few characters stand for very much.
        if "*" in text and any(isinstance(each, yaml.AliasToken) for each in yaml.scan(text)):
            raise ValueError(f"{what} has an alias of YAML")
        # NOTE: for the safe loader, `on:` is True and `1.10` is 1.1.
        found = yaml.load(text, _loader())  # noqa: S506 - it is safer than the safe one
    except (yaml.YAMLError, RecursionError, OverflowError) as error:
        raise ValueError(f"{what} is not valid YAML") from error
    return found or {}


@cache
def _loader() -> Any:
    """Return the loader that makes nothing but texts, lists and mappings."""
    import yaml  # noqa: PLC0415 - an extra

    class Loader(yaml.BaseLoader):  # type: ignore[misc]
        yaml_implicit_resolvers = yaml.SafeLoader.yaml_implicit_resolvers

        def construct_scalar(self, node: Any) -> str:
            text = str(super().construct_scalar(node))
            return text if node.tag == _TEXT else Scalar(text)

    return Loader
