"""Languages of templates: their variables become those of a `.prompt`, and logic is refused.

A `.prompt` has no conditions, loops, helpers, filters or calls; the first one is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from psreg.authoring.importing.found import said
from psreg.authoring.importing.front_matter import Scalar
from psreg.authoring.importing.variables import Converted, with_variables

_LOGIC = re.compile(r"\{{2,3}[^{}\n]{0,60}\}{0,3}|\{[%#][^{}\n]{0,60}[%#]?\}?")
_NAME = r"(?P<name>[^\W\d][\w-]{0,59})"
_IN_F_STRING = re.compile(r"\{[^{}\n]{0,60}\}?|\}")
_IN_MUSTACHE = re.compile(r"\{{2,3}[^{}\n]{0,60}\}{0,3}")
_WORDS_OF_JINJA = r"(?!(?:true|false|none|and|or|not|in|is|if|else|self)\b)"
_NAME_IN_JINJA = rf"(?P<name>(?i:{_WORDS_OF_JINJA})[^\W\d]\w{{0,59}})"
_TEXT_IN_JINJA = r"(?P<quote>[\"'])(?P<text>[^\"'\\\n]{0,60})(?P=quote)"
_OPEN, _CLOSE = "{#", "#}"


class Language(NamedTuple):
    """A language: its variables, what else begins with its braces, and whether it has comments."""

    variable: re.Pattern[str]
    logic: re.Pattern[str]
    has_comments: bool = False


def _doubled(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\{{)\{{\{{[ \t]*{name}[ \t]*\}}\}}")


F_STRING = "f-string"
JINJA = "jinja2"
LANGUAGES: Mapping[str, Language] = {
    F_STRING: Language(re.compile(rf"\{{\{{|\}}\}}|\{{{_NAME}\}}"), _IN_F_STRING),
    "mustache": Language(_doubled(_NAME), _IN_MUSTACHE),
    JINJA: Language(_doubled(rf"(?:{_NAME_IN_JINJA}|{_TEXT_IN_JINJA})"), _LOGIC, has_comments=True),
}
"""The languages of LangChain, by their names there; promptfoo's Nunjucks is like Jinja."""


_HELPERS = (
    "else|each|false|history|if|ifEquals|json|log|lookup|media|null|role|section|this|true"
    "|undefined|unless|unlessEquals|with"
)
_NAME_IN_HANDLEBARS = rf"(?P<name>(?!(?:{_HELPERS})\b(?!-))[A-Za-z_][A-Za-z0-9_-]*)"
HANDLEBARS = Language(
    re.compile(
        rf"(?<![\\{{])(?P<raw>\{{)?\{{\{{[ \t]*{_NAME_IN_HANDLEBARS}[ \t]*\}}\}}(?(raw)\}})"
        r"|(?<!\\)\\(?P<text>\{\{)(?!\{)"
    ),
    _IN_MUSTACHE,
)
"""That of Google's dotprompt, with its helpers; a backslash makes braces literal."""

KERNEL = Language(re.compile(r"\{\{[ \t]*\$(?P<name>[A-Za-z0-9_]+)[ \t]*\}\}"), _IN_MUSTACHE)
"""That of Semantic Kernel."""


def converted(
    template: str,
    its: Language,
    values: Mapping[str, Any],
    where: str,
    constants: Mapping[str, str] = MappingProxyType({}),
) -> Converted:
    """Return the text of a template in a language, in which `values` are defaults.

    `where` is what the source calls `values`. Those that the template does not use are lost, as
    are those that are not one line of text, and comments. `constants` are a part of the text.

    Raises:
        ValueError: the template has logic.
    """
    text = _without_comments(template) if its.has_comments else template
    has_comments = text != template
    used = {use["name"] for use in its.variable.finditer(text)}
    defaults = {name: str(value) for name, value in values.items() if _is_line(value)}
    lost = [f"{where}.{name}" for name in values if name not in used or name not in defaults]
    # NOTE: a blank, because what stands around a variable does not belong together.
    if found := its.logic.search(its.variable.sub(" ", text)):
        raise ValueError(f"it has `{found[0]}`, which a `.prompt` cannot do")
    text, variables = with_variables(text, its.variable, defaults, constants)
    return Converted(text, variables, (*lost, *["comments"] * has_comments))


def _without_comments(template: str) -> str:
    """Return a template without its comments, but with those that remove blanks around them."""
    parts, at = [], 0
    while (start := template.find(_OPEN, at)) >= 0:
        end = template.find(_CLOSE, start + len(_OPEN)) + len(_CLOSE)
        if end < len(_CLOSE):
            break
        inner = template[start + len(_OPEN) : end - len(_CLOSE)]
        is_plain = inner[:1] not in ("-", "+") and inner[-1:] not in ("-", "+")
        is_plain = is_plain and template[start - 1 : start] != "{"
        parts.append(template[at : start if is_plain else end])
        at = end
    return "".join([*parts, template[at:]])


def _is_line(value: Any) -> bool:
    """Tell whether a program writes a value as a `.prompt` has it."""
    return said(value) == str(value) and (not isinstance(value, Scalar) or value.is_same)
