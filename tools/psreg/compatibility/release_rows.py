"""The rows about release.toml and the other files of a release: requirements, protocols, texts.

Only the meaning of the file counts, not its notation. `changes` describes the version itself and
differs in each one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from psreg.compatibility.compared_side import Side
from psreg.compatibility.floor_row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.value_changes import same
from psreg.core.excerpt import cropped
from psreg.core.version import Range
from psreg.formats.json.pointer import join
from psreg.formats.release import ReleaseFile


@row("GOLDEN-BROKEN", MAJOR)
def golden_case_broken(before: Side, after: Side) -> Iterator[Changed]:
    """A golden case of the previous release no longer renders as before.

    Its author promised that these values give exactly this text. Programs that compare or parse
    the text rely on it. The promise of a new golden case starts with the release that adds it.
    """
    if before.prompt is None or after.prompt is None:
        return
    for path, case in before.golden.items():
        now = case.rendered(after.prompt)
        if now != case.expected and case.rendered(before.prompt) == case.expected:
            yield Changed(
                message=f"the golden case {path} renders differently",
                pointer=path,
                before=cropped(case.expected),
                after=cropped(now or ""),
            )


@row("FILES", PATCH)
def files_changed(before: Side, after: Side) -> Iterator[Changed]:
    """README.md or a file of evidence was added, removed or changed.

    These files inform people about the prompt; the assistant never sees them.
    """
    if before.files is None or after.files is None:
        return
    for path in sorted({*before.files, *after.files}):
        if path not in after.files:
            yield Changed(message=f"the file `{cropped(path)}` was removed", pointer=path)
        elif path not in before.files:
            yield Changed(message=f"the file `{cropped(path)}` was added", pointer=path)
        elif before.files[path] != after.files[path]:
            yield Changed(message=f"the file `{cropped(path)}` changed", pointer=path)


WHOLE_ROWS: tuple[Row[Side], ...] = (golden_case_broken, files_changed)
"""The rows about a release as a whole."""


_ELSEWHERE = ("requires", "protocols", "capabilities", "languages", "license", "changes")
"""Keys that other rows compare, or none."""


def _removed(old: Iterable[str], new: Iterable[str], key: str, what: str) -> Iterator[Changed]:
    known = set(new)
    for name in old:
        if name not in known:
            message = f"the {what} `{cropped(name)}` was removed"
            yield Changed(message=message, pointer=_pointer(key, name), before=name)


def _added(old: Iterable[str], new: Iterable[str], key: str, what: str) -> Iterator[Changed]:
    known = set(old)
    for name in new:
        if name not in known:
            message = f"the {what} `{cropped(name)}` was added"
            yield Changed(message=message, pointer=_pointer(key, name), after=name)


def _pointer(key: str, name: str) -> str:
    """Return the pointer to a member of a table, or to a list."""
    return join((key, name) if key in ("requires", "protocols") else (key,))


@row("REQUIRES-REMOVED", MAJOR)
def requirement_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A requirement was removed.

    Nothing does what the required entry did in a conversation, or something else does it.
    """
    yield from _removed(before.requires, after.requires, "requires", "requirement")


@row("REQUIRES-ADDED", MINOR)
def requirement_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """Another entry is required.

    It is installed together with the release; users of the previous release lose nothing.
    """
    yield from _added(before.requires, after.requires, "requires", "requirement")


def _ranges(before: ReleaseFile, after: ReleaseFile) -> Iterator[tuple[str, str, str]]:
    """Yield the names that both require, with ranges that are written differently."""
    for name, old in before.requires.items():
        if after.requires.get(name, old) != old:
            yield name, old, after.requires[name]


def _disjoint(old: str, new: str) -> bool:
    """Tell whether no version fits both ranges, and the newer one starts in another series."""
    try:
        ranges = Range.parse(old), Range.parse(new)
    except ValueError:
        return False
    lowest = [max(comparator.lower for comparator in each.comparators) for each in ranges]
    if lowest[0].major == lowest[1].major and (
        lowest[0].major or lowest[0].minor == lowest[1].minor
    ):
        return False
    # NOTE: if any final version fits both ranges, then one of these lowest candidates does.
    finals = [version.final for version in lowest]
    finals += [version.bump_patch() for version in finals]
    return not any(ranges[0].matches(v) and ranges[1].matches(v) for v in finals)


def _range_changed(name: str, old: str, new: str) -> Changed:
    return Changed(
        message=f"the required range of `{cropped(name)}` changed from `{cropped(old)}` "
        f"to `{cropped(new)}`",
        pointer=join(("requires", name)),
        before=old,
        after=new,
    )


@row("REQUIRES-MAJOR", MAJOR)
def requirement_of_another_series(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """The range of a requirement moved to another series, without a version in common.

    No version satisfies the requirements of both releases, and what breaks in the required entry
    breaks here. Ranges that share a version, or the first number, require a smaller step; before
    1.0.0 the second number takes the role of the first.
    """
    for name, old, new in _ranges(before, after):
        if _disjoint(old, new):
            yield _range_changed(name, old, new)


@row("REQUIRES-RANGE", MINOR)
def requirement_range_changed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """The range of a requirement changed, in the same series or with a version in common.

    It may need a newer version of the required entry, whose additions may show here.
    """
    for name, old, new in _ranges(before, after):
        if not _disjoint(old, new):
            yield _range_changed(name, old, new)


def _protocols(release: ReleaseFile) -> Mapping[str, str]:
    """Return the versions of the declared protocols as written, "" if there is none."""
    found = {}
    for name, declared in release.table("protocols").items():
        version = declared.get("version") if isinstance(declared, dict) else declared
        found[name] = version if isinstance(version, str) else ""
    return found


@row("PROTOCOL-REMOVED", MAJOR)
def protocol_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A declared protocol was removed.

    Programs that use the protocol can no longer use this release.
    """
    yield from _removed(_protocols(before), _protocols(after), "protocols", "protocol")


@row("PROTOCOL-ADDED", MINOR)
def protocol_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A protocol was declared.

    There is one more way to use the release, which is checked from now on.
    """
    yield from _added(_protocols(before), _protocols(after), "protocols", "protocol")


def _imf_changes(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """Yield the protocols that both declare with different `imf`."""
    new = {declared.name: declared.imf for declared in after.protocols}
    for declared in before.protocols:
        old, now = declared.imf, new.get(declared.name, declared.imf)
        if old != now:
            texts = [f"`{cropped(imf)}`" if imf else "none" for imf in (old, now)]
            yield Changed(
                message=f"`imf` of the protocol `{declared.name}` changed "
                f"from {texts[0]} to {texts[1]}",
                pointer=join(("protocols", declared.name)),
                before=old,
                after=now,
            )


def _version_changes(before: ReleaseFile, after: ReleaseFile, *, major: bool) -> Iterator[Changed]:
    """Yield the protocols with a changed version; `major`: in its first number, or not there."""
    new = _protocols(after)
    for name, old in _protocols(before).items():
        now = new.get(name, old)
        if now != old and (old.partition(".")[0] != now.partition(".")[0]) is major:
            yield Changed(
                message=f"the version of the protocol `{cropped(name)}` changed "
                f"from `{cropped(old)}` to `{cropped(now)}`",
                pointer=join(("protocols", name)),
                before=old,
                after=now,
            )


@row("PROTOCOL-MAJOR", MAJOR)
def protocol_major_step(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """The first number of a declared protocol's version, or its `imf`, changed.

    A program for the previous version of the protocol, or for other instructions, does not
    understand this one.
    """
    yield from _version_changes(before, after, major=True)
    yield from _imf_changes(before, after)


@row("PROTOCOL-MINOR", MINOR)
def protocol_minor_step(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """The version of a declared protocol changed, but not its first number.

    The newer protocol allows more, and the release may use it.
    """
    yield from _version_changes(before, after, major=False)


def _list(release: ReleaseFile, key: str) -> tuple[str, ...]:
    return tuple(text for _, text in release.strings(key))


@row("LANGUAGE-REMOVED", MAJOR)
def language_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A language was removed.

    People who use the prompt in that language can no longer use it.
    """
    yield from _removed(
        _list(before, "languages"), _list(after, "languages"), "languages", "language"
    )


@row("LANGUAGE-ADDED", MINOR)
def language_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A language was added.

    More people can use the prompt, and everyone else still can.
    """
    yield from _added(
        _list(before, "languages"), _list(after, "languages"), "languages", "language"
    )


@row("CAPABILITY-ADDED", MINOR, behaviour=True)
def capability_added(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A capability was added: the text asks the assistant to use something more.

    The prompt does something new, which its users must be able and willing to allow. A person
    reviews it, whatever the step is.
    """
    old, new = _list(before, "capabilities"), _list(after, "capabilities")
    yield from _added(old, new, "capabilities", "capability")


@row("CAPABILITY-REMOVED", PATCH)
def capability_removed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """A capability was removed.

    The prompt asks for less. What it no longer does shows in the artifact.
    """
    old, new = _list(before, "capabilities"), _list(after, "capabilities")
    yield from _removed(old, new, "capabilities", "capability")


@row("LICENSE", MINOR)
def license_changed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """The licence changed.

    Other terms apply from this version on. That is more than a correction, so it does not belong
    in a patch.
    """
    old, new = before.text("license"), after.text("license")
    if old != new:
        message = f"the licence changed from `{cropped(old)}` to `{cropped(new)}`"
        yield Changed(message=message, pointer="/license", before=old, after=new)


@row("RELEASE-TEXT", PATCH)
def release_text_changed(before: ReleaseFile, after: ReleaseFile) -> Iterator[Changed]:
    """Something else in release.toml changed.

    Summary, use case, tags, limitations, test runs and waivers inform people about the prompt,
    but are not part of it.
    """
    for key in {**before.value, **after.value}:
        old, new = before.value.get(key), after.value.get(key)
        if key not in _ELSEWHERE and not same(old, new):
            yield Changed(
                message=f"`{cropped(key)}` in release.toml changed",
                pointer=join((key,)),
                before=_excerpt(old),
                after=_excerpt(new),
            )


def _excerpt(value: Any) -> str:
    """Return a text cropped; "" for any other value."""
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
