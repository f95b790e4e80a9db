"""A prompt in Markdown or plain text, with or without YAML front matter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from psreg.authoring.importing.found import (
    FIELDS,
    Fields,
    Found,
    Refused,
    SourceFile,
    listed,
    named,
    said,
)
from psreg.authoring.importing.front_matter import FrontMatter, divided
from psreg.authoring.importing.variables import Converted
from psreg.authoring.literal import trimmed

_SUFFIXES = (".md", ".markdown", ".mdc")
_ABOUT_THE_SOURCE = frozenset(
    (
        "authors", "changelog", "code_of_conduct", "contributing", "governance", "licence",
        "license", "maintainers", "notice", "pull_request_template", "readme", "security",
        "support", "third_party_notices",
    )
)  # fmt: skip
"""Files that are about a repository, in lower case without suffix."""


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file of a folder is a prompt in Markdown, by its name."""
    stem = file.path.name.partition(".")[0].lower().replace("-", "_")
    return file.path.suffix.lower() in _SUFFIXES and stem not in _ABOUT_THE_SOURCE


def read(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a file, or why it has none."""
    yield prompt_of(file, fields)


def _plainly(_matter: Mapping[str, Any], body: str) -> Converted:
    return Converted(body)


def prompt_of(
    file: SourceFile,
    fields: Fields,
    *,
    name: str = "",
    beside: Collection[str] = (),
    reads: Callable[[Mapping[str, Any], str], Converted] = _plainly,
    matter: Mapping[str, Any] | None = None,
    is_strict: bool = False,
) -> Found | Refused:
    """Return the prompt of a file, or why it has none.

    `name` is its title if the file does not state one, `beside` are the names of what is lost
    besides front matter. `reads` makes a text of front matter and of what follows it; `matter` is
    given where it is in another file. `is_strict`: the programs that read it refuse front matter
    that is not valid YAML.
    """
    try:
        front = (
            divided(file.text, is_strict=is_strict)
            if matter is None
            else FrontMatter(matter, file.text)
        )
        matter = front.matter
        made = reads(matter, trimmed(front.body))
    except ValueError as error:
        return Refused(path=str(file.path), reason=str(error))
    keys = {field: named(field, [*matter], fields) for field in FIELDS if field != "text"}
    values = {field: matter.get(key) for field, key in keys.items()}
    keys_told = made.held.union(keys.values())
    return Found(
        path=str(file.path),
        sha256=file.sha256,
        text=made.text,
        variables=made.variables,
        roles=made.roles,
        title=said(values["title"]) or name or file.path.name.partition(".")[0],
        summary=said(values["summary"]),
        tags=listed(values["tags"]),
        languages=listed(values["languages"]),
        license=said(values["license"]),
        as_text=front.as_text,
        lost=(*(key for key in matter if key not in keys_told), *made.lost, *beside),
    )
