"""The rows about `.prompt` files: variables, defaults, the text, metadata.

A variable is a `{name}` in the content; a renamed variable is a removed one and an added one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from psreg.compatibility.floor_row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.core.excerpt import cropped, cropped_pair
from psreg.formats.dotprompt import MESSAGES_KEY, Prompt
from psreg.formats.json.pointer import join

_VERSION = "version"


def _variables(prompt: Prompt) -> Mapping[str, str | None]:
    """Return the defaults of the variables, None for those without one."""
    return {variable.name: variable.default for variable in prompt.variables}


def _added(before: Prompt, after: Prompt) -> Iterator[tuple[str, str | None]]:
    known = _variables(before)
    return ((name, default) for name, default in _variables(after).items() if name not in known)


def _in_both(before: Prompt, after: Prompt) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield name, old and new default of the variables that both have."""
    known = _variables(before)
    for name, default in _variables(after).items():
        if name in known:
            yield name, known[name], default


@row("PROMPT-VAR-REMOVED", MAJOR)
def variable_removed(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """A variable was removed.

    Users who set the variable get a text without its value. A renamed variable is a removed one
    and an added one.
    """
    known = _variables(after)
    for name in _variables(before):
        if name not in known:
            yield Changed(message=f"the variable `{name}` was removed", pointer=name, before=name)


@row("PROMPT-VAR-ADDED", MAJOR)
def variable_added(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """A variable without a default was added.

    Users who do not know about it send a text that still contains `{name}`.
    """
    for name, default in _added(before, after):
        if default is None:
            message = f"the variable `{name}` was added without a default"
            yield Changed(message=message, pointer=name, after=name)


@row("PROMPT-VAR-ADDED-DEFAULT", MINOR)
def variable_with_default_added(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """A variable with a default was added.

    Users who do not know about it get the default.
    """
    for name, default in _added(before, after):
        if default is not None:
            message = f"the variable `{name}` was added with a default"
            yield Changed(message=message, pointer=name, after=cropped(default))


@row("PROMPT-DEFAULT-LOST", MAJOR)
def default_lost(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """The default of a variable was removed.

    Users who relied on the default send a text that still contains `{name}`.
    """
    for name, old, new in _in_both(before, after):
        if old is not None and new is None:
            message = f"the default of the variable `{name}` was removed"
            yield Changed(message=message, pointer=name, before=cropped(old))


@row("PROMPT-DEFAULT-GAINED", MINOR)
def default_gained(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """A default was added to a variable.

    The variable is now optional; a value that a user sets still takes precedence.
    """
    for name, old, new in _in_both(before, after):
        if old is None and new is not None:
            message = f"a default was added to the variable `{name}`"
            yield Changed(message=message, pointer=name, after=cropped(new))


@row("PROMPT-DEFAULT-CHANGED", MINOR)
def default_changed(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """The default of a variable changed.

    Users who relied on the default get a different text, but a complete one.
    """
    for name, old, new in _in_both(before, after):
        if old is not None and new is not None and old != new:
            message = f"the default of the variable `{name}` changed"
            yield Changed(message=message, pointer=name, before=cropped(old), after=cropped(new))


@row("PROMPT-WORDING", PATCH, behaviour=True)
def text_changed(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """The text of the prompt was reworded.

    Better wording is what a patch is for. It still changes what the assistant does, so a person
    should read it. Comments do not count.
    """
    if before.content != after.content:
        lines = zip_longest(before.content.split("\n"), after.content.split("\n"), fillvalue="")
        old, new = next(((old, new) for old, new in lines if old != new), ("", ""))
        old, new = cropped_pair(old.strip(), new.strip())
        yield Changed(message="the text was reworded", before=old, after=new)


@row("PROMPT-ROLES", MINOR, behaviour=True)
def roles_changed(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """The messages of the prompt have other roles.

    Programs that psreg exports to send the text as other messages: what was said to the system is
    then said by the user, or the reverse.
    """
    if MESSAGES_KEY not in {**before.metadata, **after.metadata}:
        return
    from psreg.formats.conversation.prompt_messages import (  # noqa: PLC0415 - few prompts have any
        messages,
    )

    old, new = (", ".join(role for role, _ in messages(prompt)) for prompt in (before, after))
    if old != new:
        yield Changed(
            message="the messages have other roles", before=cropped(old), after=cropped(new)
        )


def _other_keys(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield the keys with different values."""
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            yield key


@row("PROMPT-METADATA", PATCH)
def metadata_changed(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """The metadata changed.

    It informs people about the prompt; the assistant never sees it. `@version` is that of the
    release and does not count; what `@messages` does has a row of its own.
    """
    for key in _other_keys(before.metadata, after.metadata):
        if key != _VERSION:
            yield Changed(
                message=f"`@{key}` in the metadata changed",
                pointer=join(("metadata", key)),
                before=cropped(before.metadata.get(key, "")),
                after=cropped(after.metadata.get(key, "")),
            )


def _unused(prompt: Prompt) -> Mapping[str, str]:
    used = _variables(prompt)
    return {name: value for name, value in prompt.defaults.items() if name not in used}


@row("PROMPT-UNUSED-DEFAULT", PATCH)
def unused_default_changed(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """A default that no variable of the text uses was added, removed or changed.

    The text does not mention it, so the assistant receives the same text.
    """
    used = {**_variables(before), **_variables(after)}
    for key in _other_keys(_unused(before), _unused(after)):
        if key not in used:
            yield Changed(
                message=f"the unused default `{key}` changed",
                pointer=join(("defaults", key)),
                before=cropped(before.defaults.get(key, "")),
                after=cropped(after.defaults.get(key, "")),
            )


@row("PROMPT-SPELLING", PATCH)
def spelled_differently(before: Prompt, after: Prompt) -> Iterator[Changed]:
    """Only the version, comments, blank lines or the notation of the file changed.

    The bytes differ, so it is another version, but the assistant receives the same text.
    """
    if before.text != after.text and _meaning(before) == _meaning(after):
        old, new = (prompt.metadata.get(_VERSION, "") for prompt in (before, after))
        message = "only comments, blank lines or the notation of the file changed"
        if old != new:
            message = "only the version changed"
        yield Changed(message=message, before=old, after=new)


def _meaning(prompt: Prompt) -> tuple[object, ...]:
    metadata = {key: value for key, value in prompt.metadata.items() if key != _VERSION}
    return metadata, dict(prompt.defaults), prompt.content


PROMPT_ROWS: tuple[Row[Prompt], ...] = (
    variable_removed,
    variable_added,
    variable_with_default_added,
    default_lost,
    default_gained,
    default_changed,
    text_changed,
    roles_changed,
    metadata_changed,
    unused_default_changed,
    spelled_differently,
)
"""The rows about `.prompt` files."""
