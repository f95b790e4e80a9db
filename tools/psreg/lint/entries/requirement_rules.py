"""The rules about what an entry requires: `[requires]` in release.toml, and calls in the text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.identity import ReleaseId, calls_in, is_name
from psreg.core.rule import rule
from psreg.core.spelling import nearest
from psreg.core.version import Range, is_version, parse_version
from psreg.formats.json.pointer import join
from psreg.formats.release import ReleaseFile
from psreg.formats.toml_document import MOST
from psreg.formats.tree import Submission

_STEPS = 1_000
"""The entries that are followed from one to what it requires."""


@rule("REG014", spec="registry/RELEASE", severity=ERROR)
def bad_requirement(submission: Submission) -> Iterator[Finding]:
    """`[requires]` names an unknown entry, or a range that no version satisfies.

    ## Why
    Required entries are installed together with this one. If the name or the range is wrong, the
    release cannot be installed, and since releases never change, it never can.

    ## Fix
    Write the name of an entry of this registry, and a range that matches at least one of its
    versions.

    ```toml
    [requires]
    glossary = "^1.2"
    ```

    `^1.2` means 1.2.0 up to but not including 2.0.0; `~1.2.3` means 1.2.3 up to but not including
    1.3.0; `1.2.3` means exactly that version.
    """
    path = str(submission.release_path)
    for name, text in islice(submission.release.requires.items(), MOST):
        at = join(("requires", name))
        if not is_name(name) or name not in submission.tree.names:
            near = nearest(name, submission.tree.names)
            yield Finding(
                message=f"unknown entry `{name}`",
                at=at,
                key=True,
                path=path,
                hint=f"Did you mean `{near}`?" if near else "",
            )
        elif name == submission.id.name:
            yield Finding(message="an entry cannot require itself", at=at, key=True, path=path)
        elif fault := _range_fault(text, submission.tree.versions(name)):
            yield Finding(message=fault, at=at, path=path)


def _range_fault(text: str, versions: tuple[str, ...]) -> str:
    try:
        wanted = Range.parse(text)
    except ValueError as error:
        return str(error)
    if wanted.best(parse_version(version) for version in versions) is None:
        known = f"the versions are {', '.join(versions)}" if versions else "it has no versions"
        return f"no version satisfies `{text}`; {known}"
    return ""


@rule("REG040", spec="registry/RELEASE", severity=ERROR, since="0.2.0")
def call_not_required(submission: Submission) -> Iterator[Finding]:
    """The text calls an entry, as `@psreg:NAME`, that `[requires]` does not list.

    ## Why
    What `[requires]` lists is locked, installed and bundled together with the release. A call of
    anything else reaches an assistant that does not have the text, and nobody has checked that
    such an entry exists.

    ## Fix
    List the entry in `[requires]` of release.toml. If the text only talks about the notation, write
    it without the `@`.

    ```toml
    [requires]
    glossary = "^1.2"
    ```
    """
    required = submission.release.requires
    for name, at in _calls(submission):
        if name in required and name != submission.id.name:
            continue
        yield Finding(
            message=f"`@psreg:{name}` calls {_not_required(submission, name)}",
            at=at,
            path=str(submission.artifact_path),
            hint=_require(submission, name),
        )


@rule("REG041", spec="registry/RELEASE", severity=WARNING, since="0.2.0")
def requirement_not_called(submission: Submission) -> Iterator[Finding]:
    """`[requires]` lists an entry that the text does not call as `@psreg:NAME`.

    ## Why
    Users install what is required and put it in front of the prompt (`psreg copy NAME --bundle`).
    If the text does not say where it uses the other one, neither they nor the assistant know what
    it is for.

    ## Fix
    Write `@psreg:NAME` where the text uses the entry, or remove it from `[requires]`.
    """
    if not _readable(submission):
        return
    called = {name for name, _ in _calls(submission)}
    for name in islice(submission.release.requires, MOST):
        if name in submission.tree.names and name not in {submission.id.name, *called}:
            yield Finding(
                message=f"`{name}` is required, but the text never calls `@psreg:{name}`",
                at=join(("requires", name)),
                key=True,
                path=str(submission.release_path),
                hint=f"Write `@psreg:{name}` where the text uses it, or remove it here.",
            )


def _readable(submission: Submission) -> bool:
    prompt, pbe = submission.prompt, submission.pbe
    return prompt.readable if prompt else pbe is not None and pbe.tree.parsed


def _calls(submission: Submission) -> Iterator[tuple[str, str | Span]]:
    """Yield each name that the text calls, and where it does so first, in the artifact."""
    places: dict[str, str | Span] = {}
    if (prompt := submission.prompt) is not None:
        # NOTE: a comment within a call is in the text, and not in the content.
        written = calls_in(prompt.text)
        for name in calls_in(prompt.content):
            start = written.get(name)
            places[name] = "" if start is None else Span(start, start + len(f"@psreg:{name}"))
    elif (pbe := submission.pbe) is not None and _has_at(pbe.tree.text):
        for pointer, text in _strings(pbe.tree.value):
            for name in calls_in(text):
                places.setdefault(name, pointer)
    yield from islice(places.items(), MOST)


def _has_at(text: str) -> bool:
    """Return whether a JSON text has an `@`, perhaps as an escape; few have."""
    return "@" in text or "\\u0040" in text


def _strings(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in a JSON value with its pointer, in order."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        at, item = waiting.pop()
        if isinstance(item, str):
            yield join(at), item
        elif isinstance(item, dict):
            waiting += reversed([((*at, key), each) for key, each in item.items()])
        elif isinstance(item, list):
            waiting += reversed([((*at, str(n)), each) for n, each in enumerate(item)])


def _not_required(submission: Submission, name: str) -> str:
    if name == submission.id.name:
        return "the entry itself"
    if name in submission.tree.names:
        return "an entry that `[requires]` does not list"
    return f"an unknown entry `{name}`"


def _require(submission: Submission, name: str) -> str:
    """Return how to make a call of a name valid."""
    if name == submission.id.name:
        return "Remove the call."
    if name in submission.tree.names:
        versions = submission.tree.versions(name)
        newest = max((each for each in versions if is_version(each)), key=parse_version, default="")
        wanted = f"^{newest}" if newest else "*"
        return f'Add `{name} = "{wanted}"` to `[requires]` in release.toml.'
    near = nearest(name, submission.tree.names)
    return f"Did you mean `@psreg:{near}`?" if near else ""


@rule("REG042", spec="registry/RELEASE", severity=ERROR, since="0.2.0")
def requirement_cycle(submission: Submission) -> Iterator[Finding]:
    """What an entry requires, requires that entry.

    ## Why
    Required entries are installed together, and put in front of the prompt that calls them. If two
    entries require each other, neither can come first: psreg refuses to publish, install and
    bundle them.

    ## Fix
    Let only one of the entries require the other. What both need can be an entry of its own, which
    both require.
    """
    for name, steps in _cycles(submission):
        yield Finding(
            message=f"the entries require each other: {' requires '.join(steps)}",
            at=join(("requires", name)),
            key=True,
            path=str(submission.release_path),
            hint=f"Remove `{name}` here, or what leads back to `{submission.id.name}` there.",
        )


def _cycles(submission: Submission) -> Iterator[tuple[str, list[str]]]:
    """Yield each required name that leads back to the release, by the newest that fit each time.

    An older release, to which nothing leads back, was right when it was published.
    """
    own, title = submission.id.name, f"{submission.id.name} {submission.id.version}"
    for first, text in islice(submission.release.requires.items(), MOST):
        waiting, seen = [(first, text, [title])], {own}
        while waiting and len(seen) < _STEPS:
            name, wanted, steps = waiting.pop()
            version, release = _chosen(submission, name, wanted)
            if f"{name} {version}" == title and len(steps) > 1:
                yield first, [*steps, own]
                break
            if name in seen:
                continue
            seen.add(name)
            if release is not None:
                steps = [*steps, f"{name} {version}"]
                more = islice(release.requires.items(), MOST)
                waiting += [(other, range_, steps) for other, range_ in more]


def _chosen(submission: Submission, name: str, text: str) -> tuple[str, ReleaseFile | None]:
    """Return the newest version that fits and its release.toml, None if it is not at hand."""
    tree = submission.tree
    try:
        wanted = Range.parse(text)
    except ValueError:
        return "", None
    best = wanted.best(parse_version(each) for each in tree.versions(name))
    classes = tree.names.get(name, ()) if best else ()
    ids = (ReleaseId(entry_class=each, name=name, version=str(best)) for each in classes)
    paths = (id_.folder / "release.toml" for id_ in ids)
    path = next((each for each in paths if each in tree.files), None)
    return (str(best), ReleaseFile(tree.documents.toml(path))) if path else ("", None)
