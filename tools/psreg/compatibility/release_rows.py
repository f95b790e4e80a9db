"""The rows about release.toml: what a release requires, follows, needs, and says of itself.

Only what the file means counts, not how it is written. `changes` is about the version itself and
is another in each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from psreg.compatibility.row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.values import same
from psreg.core.excerpt import cropped
from psreg.core.version import Range
from psreg.formats.json.pointer import join
from psreg.formats.release import ReleaseFile

_ELSEWHERE = ("requires", "protocols", "capabilities", "languages", "license", "changes")
"""Keys of which other rows speak, or none."""


def _gone(old: Iterable[str], new: Iterable[str], key: str, what: str) -> Iterator[Changed]:
    known = set(new)
    for name in old:
        if name not in known:
            message = f"the {what} `{cropped(name)}` is gone"
            yield Changed(message=message, pointer=_place(key, name), before=name)


def _new(old: Iterable[str], new: Iterable[str], key: str, what: str) -> Iterator[Changed]:
    known = set(old)
    for name in new:
        if name not in known:
            message = f"the {what} `{cropped(name)}` was added"
            yield Changed(message=message, pointer=_place(key, name), after=name)


def _place(key: str, name: str) -> str:
    """Return the pointer to a member of a table, or to a list."""
    return join((key, name) if key in ("requires", "protocols") else (key,))


@row("REQUIRES-REMOVED", MAJOR)
def requirement_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A required entry is no longer required.

    Whatever it did in a conversation is not done any more, or is done by something else.
    """
    yield from _gone(before.requires, after.requires, "requires", "requirement")


@row("REQUIRES-ADDED", MINOR)
def requirement_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """Another entry is required.

    It is installed along with the release; whoever has the previous one loses nothing.
    """
    yield from _new(before.requires, after.requires, "requires", "requirement")


def _ranges(before: ReleaseFile, after: ReleaseFile) -> Iterator[tuple[str, str, str]]:
    """Yield the names that both require in ranges that are not spelled the same."""
    for name, old in before.requires.items():
        if after.requires.get(name, old) != old:
            yield name, old, after.requires[name]


def _left(old: str, new: str) -> bool:
    """Tell whether no version fits both ranges, and the newer one begins in another series."""
    try:
        ranges = Range.parse(old), Range.parse(new)
    except ValueError:
        return False
    lowest = [max(comparator.lower for comparator in each.comparators) for each in ranges]
    if lowest[0].major == lowest[1].major and (
        lowest[0].major or lowest[0].minor == lowest[1].minor
    ):
        return False
    # NOTE: if any final version fits both, then one of these does: the lowest that may.
    finals = [version.finalize_version() for version in lowest]
    finals += [version.bump_patch() for version in finals]
    return not any(ranges[0].matches(v) and ranges[1].matches(v) for v in finals)


def _range_changed(name: str, old: str, new: str) -> Changed:
    return Changed(
        message=f"`{cropped(name)}` is required as `{cropped(new)}` and was as `{cropped(old)}`",
        pointer=join(("requires", name)),
        before=old,
        after=new,
    )


@row("REQUIRES-MAJOR", MAJOR)
def requirement_of_another_series(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A requirement has moved to versions of which none would have done before.

    Nobody can have both releases' requirements at once, and what breaks in the required entry
    breaks here. Ranges that share a version, or the first number, are a smaller step; before
    1.0.0 the second number takes the place of the first.
    """
    for name, old, new in _ranges(before, after):
        if _left(old, new):
            yield _range_changed(name, old, new)


@row("REQUIRES-RANGE", MINOR)
def requirement_range_changed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A requirement has another range, in the same series of versions or sharing a version.

    A newer version of the required entry may be needed, and what it added may show here.
    """
    for name, old, new in _ranges(before, after):
        if not _left(old, new):
            yield _range_changed(name, old, new)


def _protocols(release: ReleaseFile) -> Mapping[str, str]:
    """Return the versions of the declared protocols as they are written, "" where none is."""
    found = {}
    for name, declared in release.table("protocols").items():
        version = declared.get("version") if isinstance(declared, dict) else declared
        found[name] = version if isinstance(version, str) else ""
    return found


@row("PROTOCOL-REMOVED", MAJOR)
def protocol_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A declared protocol is gone.

    Programs that speak the protocol cannot speak with this release any more.
    """
    yield from _gone(_protocols(before), _protocols(after), "protocols", "protocol")


@row("PROTOCOL-ADDED", MINOR)
def protocol_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A protocol was declared.

    There is one more way to speak with the release, and it is checked from now on.
    """
    yield from _new(_protocols(before), _protocols(after), "protocols", "protocol")


def _dialects(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """Yield the protocols that both declare, and of which the instructions are of another kind."""
    new = {declared.name: declared.imf for declared in after.protocols}
    for declared in before.protocols:
        old, now = declared.imf, new.get(declared.name, declared.imf)
        if old != now:
            said = [f"`{cropped(imf)}`" if imf else "none" for imf in (now, old)]
            yield Changed(
                message=f"`imf` of the protocol `{declared.name}` is {said[0]} and was {said[1]}",
                pointer=join(("protocols", declared.name)),
                before=old,
                after=now,
            )


def _spoken(before: ReleaseFile, after: ReleaseFile, *, major: bool) -> Iterator[Changed]:
    """Yield the protocols declared in another version, by whether its first number is another."""
    new = _protocols(after)
    for name, old in _protocols(before).items():
        now = new.get(name, old)
        if now != old and (old.partition(".")[0] != now.partition(".")[0]) is major:
            yield Changed(
                message=f"the protocol `{cropped(name)}` is `{cropped(now)}`"
                f" and was `{cropped(old)}`",
                pointer=join(("protocols", name)),
                before=old,
                after=now,
            )


@row("PROTOCOL-MAJOR", MAJOR)
def protocol_major_step(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A declared protocol has another first number, or another `imf`.

    A program that speaks the previous version of the protocol does not understand this one, nor
    does one that understands other instructions.
    """
    yield from _spoken(before, after, major=True)
    yield from _dialects(before, after)


@row("PROTOCOL-MINOR", MINOR)
def protocol_minor_step(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A declared protocol has another version with the same first number.

    The protocol has grown, and so has what the release may say in it.
    """
    yield from _spoken(before, after, major=False)


def _list(release: ReleaseFile, key: str) -> tuple[str, ...]:
    return tuple(text for _, text in release.strings(key))


@row("LANGUAGE-REMOVED", MAJOR)
def language_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A language is gone.

    Whoever uses the prompt in that language has lost it.
    """
    yield from _gone(_list(before, "languages"), _list(after, "languages"), "languages", "language")


@row("LANGUAGE-ADDED", MINOR)
def language_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A language was added.

    More people can use the prompt, and nobody has lost it.
    """
    yield from _new(_list(before, "languages"), _list(after, "languages"), "languages", "language")


@row("CAPABILITY-ADDED", MINOR, behaviour=True)
def capability_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A capability was added: the text asks the assistant to use something more.

    It is a new thing that the prompt does, and one that its users must be able and willing to
    allow. A person looks at it whatever the step is.
    """
    old, new = _list(before, "capabilities"), _list(after, "capabilities")
    yield from _new(old, new, "capabilities", "capability")


@row("CAPABILITY-REMOVED", PATCH)
def capability_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A capability is gone.

    The prompt asks for less. What it no longer does is seen in the artifact.
    """
    old, new = _list(before, "capabilities"), _list(after, "capabilities")
    yield from _gone(old, new, "capabilities", "capability")


@row("LICENSE", MINOR)
def license_changed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """The licence changed.

    Other terms hold from this version on. That is more than a correction, and nobody should find
    it in one.
    """
    old, new = before.text("license"), after.text("license")
    if old != new:
        message = f"the licence is `{cropped(new)}` and was `{cropped(old)}`"
        yield Changed(message=message, pointer="/license", before=old, after=new)


@row("RELEASE-TEXT", PATCH)
def release_text_changed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """Something else in release.toml changed.

    Summary, use case, tags, limitations, test runs and waivers tell people about the prompt, and
    are no part of it.
    """
    for key in {**before.value, **after.value}:
        old, new = before.value.get(key), after.value.get(key)
        if key not in _ELSEWHERE and not same(old, new):
            yield Changed(
                message=f"`{cropped(key)}` in release.toml changed",
                pointer=join((key,)),
                before=_said(old),
                after=_said(new),
            )


def _said(value: Any) -> str:
    """Return a value in short; what is no text is for a program to compare."""
    return cropped(value) if isinstance(value, str) else ""


RELEASE_ROWS: tuple[Row[ReleaseFile], ...] = (
    requirement_removed,
    requirement_added,
    requirement_of_another_series,
    requirement_range_changed,
    protocol_removed,
    protocol_added,
    protocol_major_step,
    protocol_minor_step,
    language_removed,
    language_added,
    capability_added,
    capability_removed,
    license_changed,
    release_text_changed,
)
"""The rows about release.toml."""
