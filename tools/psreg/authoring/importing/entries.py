"""The entry of a prompt that was found in a source, with its origin; nothing is invented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.authoring.importing.found import Found
from psreg.authoring.literal import Wrapped, wrapped
from psreg.authoring.new import Plan, new_entry
from psreg.authoring.questions import Answer
from psreg.core.identity import ReleaseId, is_name
from psreg.core.regex import lazy
from psreg.core.version import FIRST
from psreg.formats import dotprompt, schema
from psreg.formats.conversation import prompt_messages
from psreg.formats.layout import name_like
from psreg.formats.licenses import spdx_expression
from psreg.lint.entries.release_rules import is_language, is_tag

_SENTENCE = re.compile(r"[^\n]*?[.!?。！？](?=\s|$)|[^\n]+")
_MARKED_UP = re.compile(r"[#>|`{<\[*_-]")
_LONGEST_FIELD = 200
_PLAIN = (prompt_messages.USER,)
_COMMENT, _NO_COMMENT = "(%", "( %"
"""What begins a comment in a `.prompt`, and what is written for it in its metadata."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a source is: its `address`, the `revision` or "", the day.

    `license` and `language` are what the person claims of prompts that do not state it, or "".
    """

    address: str
    revision: str
    day: str
    license: str = ""
    language: str = ""

    def table(self, found: Found) -> Mapping[str, str]:
        """Return `[origin]` of release.toml for a prompt."""
        said = {
            "address": self.address,
            "revision": self.revision,
            "path": found.path,
            "sha256": found.sha256,
            "license": found.license[:_LONGEST_FIELD],
            "license_found_in": (found.license_in or found.path) if found.license else "",
            "imported": self.day,
        }
        return {key: value for key, value in said.items() if value}


def artifact(found: Found) -> Wrapped:
    """Return the artifact of a prompt: the `.prompt` of its text, if it does not have one.

    Raises:
        ValueError: there is none; the message says why.
    """
    if not found.text:
        raise ValueError("it has no text")
    if found.artifact:
        return Wrapped(data=found.artifact)
    said = {"name": found.title, "version": str(FIRST[0]), "description": found.summary}
    said |= {dotprompt.MESSAGES_KEY: ", ".join(found.roles)} if _has_messages(found) else {}
    metadata = [(key, value.replace(_COMMENT, _NO_COMMENT)) for key, value in said.items() if value]
    return wrapped(found.text, found.variables, metadata)


def _has_messages(found: Found) -> bool:
    """Tell whether the `.prompt` says which messages its text is; one of the user is not said."""
    return found.roles != _PLAIN and prompt_messages.are_messages(found.text, found.roles)


def changes(found: Found, made: Wrapped) -> Iterator[str]:
    """Yield what an entry has differently than its source."""
    if found.variables:
        yield f"variables: {named(found.variables)}"
    if made.unmeant:
        yield f"these are variables now: {named(made.unmeant)}"
    if len(found.roles) > 1:
        what = "begin with their roles" if _has_messages(found) else "are one text"
        yield f"its {len(found.roles):,} messages {what}: {named(found.roles)}"
    elif found.roles not in ((), _PLAIN) and not _has_messages(found):
        yield f"left out: the role {named(found.roles)}"
    if found.as_text:
        yield f"read as text, because it is not valid YAML: {named(found.as_text)}"
    if found.lost:
        yield f"left out: {named(found.lost)}"
    if not found.artifact and any(_COMMENT in said for said in (found.title, found.summary)):
        yield f"`{_COMMENT}` in its title or description is now `{_NO_COMMENT}`"
    yield from _unusable(found)


def _unusable(found: Found) -> Iterator[str]:
    """Yield what release.toml cannot have of what a source states."""
    kept = _tags(found)
    if dropped := [tag for tag in found.tags if _tag(tag) not in kept]:
        yield f"not usable as tags: {named(dropped)}"
    if dropped := [each for each in found.languages if not is_language(each)]:
        yield f"not tags of languages: {named(dropped)}"
    if found.license and not spdx_expression(found.license):
        yield f"not an SPDX licence: {named([found.license])}"


_FEW = 5


def named(names: Sequence[str] | Mapping[str, object]) -> str:
    """Return the first names as a list for people."""
    shown = [f"`{name}`" for name in [*names][:_FEW]]
    return ", ".join(shown + [f"and {len(names) - _FEW:,} more"] * (len(names) > _FEW))


def summary(found: Found) -> tuple[str, bool]:
    """Return the summary of a prompt, and whether the source itself has none.

    Then it is the first sentence of the text, and "" if that is too short or too long.
    """
    sentence = _SENTENCE.match(found.summary)
    for said in (found.summary, sentence[0] if sentence else ""):
        if len(said) in _lengths():
            return said, False
    lines = (line.strip() for line in found.text.splitlines())
    first = next((line for line in lines if line and not _MARKED_UP.match(line)), "")
    sentence = _SENTENCE.match(first)
    said = sentence[0] if sentence else ""
    return (said, True) if len(said) in _lengths() else ("", True)


def _lengths() -> range:
    """Return how many characters a summary may have."""
    stated = _property("summary")
    return range(stated["minLength"], stated["maxLength"] + 1)


def _property(key: str) -> Mapping[str, int]:
    """Return what the schema of release.toml says about a key."""
    found: Mapping[str, int] = schema.document("release")["properties"][key]
    return found


def name_of(found: Found) -> str:
    """Return a name for a prompt: of its title, else of its file, else of its digest."""
    stem = "" if "#" in found.path else PurePosixPath(found.path).name.partition(".")[0]
    names = (name_like(_shortened(text)) for text in (found.title, stem))
    return next(filter(is_name, names), f"prompt_{found.sha256[:8]}")


def names_with_folders(found: Found, name: str) -> Iterator[str]:
    """Yield `name` after the name of one folder that its file is in, of two, and so on."""
    folders = () if "#" in found.path else PurePosixPath(found.path).parents
    for folder in filter(None, (name_like(each.name) for each in folders)):
        # NOTE: where a folder is the prompt, the name is that of the folder.
        name = name if folder == name else f"{folder}_{name}"
        if is_name(name):
            yield name


_LONGEST_TITLE = 48


def _shortened(title: str) -> str:
    """Return the first words of a title that are together short enough for a name."""
    if len(title) <= _LONGEST_TITLE:
        return title
    return title[:_LONGEST_TITLE].rpartition(" ")[0] or title[:_LONGEST_TITLE]


def license_of(found: Found, origin: Origin) -> str:
    """Return the licence of a new entry: what the source states, else what a person claims."""
    return spdx_expression(found.license) or origin.license


def languages_of(found: Found, origin: Origin) -> tuple[str, ...]:
    """Return the languages of a new entry: what the source states, else what a person claims."""
    return tuple(filter(is_language, found.languages)) or tuple(filter(None, (origin.language,)))


def new(
    found: Found, made: Wrapped, name: str, origin: Origin
) -> tuple[ReleaseId, Mapping[PurePosixPath, bytes]]:
    """Return the first release of a new entry, and all files of the entry."""
    said, is_sentence = summary(found)
    license_ = license_of(found, origin)
    answers: dict[str, Answer] = {
        "summary": said,
        "license": license_,
        "tags": _tags(found),
        "languages": languages_of(found, origin),
    }
    plan = Plan(
        entry_class=found.entry_class,
        name=name,
        answers=answers,
        artifact=made.data,
        origin=origin.table(found),
    )
    release, files = plan.release, dict(new_entry(plan))
    told = [f"## Origin\n\nImported from {origin.address}, `{_in_code(found.path)}`."]
    if said and is_sentence:
        told.append("The summary is the first sentence of the text; the source has no other one.")
    if origin.license and not spdx_expression(found.license):
        told.append(
            f"The source does not state a licence that SPDX lists. That it is {origin.license} is "
            "what the person who imported it says."
        )
    if origin.language and not any(map(is_language, found.languages)):
        told.append(
            f"The source does not state a language. That it is `{origin.language}` is what the "
            "person who imported it says."
        )
    if found.summary not in ("", said):
        told.append("The source describes it with these words:")
        told.append(f"> {found.summary}")
    readme = release.folder / "README.md"
    files[readme] += ("\n" + "\n\n".join(told) + "\n").encode()
    return release, files


def _in_code(path: str) -> str:
    return path.replace("`", "'")


def _tags(found: Found) -> tuple[str, ...]:
    tags = dict.fromkeys(filter(is_tag, map(_tag, found.tags)))
    return tuple(tags)[: _property("tags")["maxItems"]]


_NOT_IN_TAGS = lazy(r"[^a-z0-9]+")


def _tag(text: str) -> str:
    return str(_NOT_IN_TAGS.sub("-", text.lower())).strip("-")


def next_release_toml(toml: bytes, found: Found, origin: Origin) -> bytes:
    """Return release.toml of a new version with its origin, and with what changed."""
    import tomlkit  # noqa: PLC0415 - only where TOML is written

    document = tomlkit.parse(toml.decode())
    at = f" at {origin.revision}" if origin.revision else ""
    document["changes"] = f"The text is that of {origin.address}{at} on {origin.day}."
    document["origin"] = dict(origin.table(found))
    return tomlkit.dumps(document).encode()
