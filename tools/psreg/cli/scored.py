"""The score of a release in a checkout, for people and programs; the catalogue shows the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from psreg.core.identity import EntryId, ReleaseId
from psreg.registry.checkout import find_checkout, read_tree

if TYPE_CHECKING:
    from psreg.lint.score import Score


def score_lines(place: Path) -> Iterator[str]:
    """Yield the score of a version folder, or of the last version in the folder of an entry."""
    for release, points in _scores(place):
        yield f"score of {release.name} {release.version}: {points.told}"
        steps = [step for part in points.parts for step in part.steps]
        if steps:
            yield f"  to raise it: {steps[0]}"


def score_documents(places: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the same of each place as JSON, in the form of a record."""
    return [
        {"name": release.name, "version": release.version, "score": points.to_json()}
        for place in places
        for release, points in _scores(place)
    ]


def _scores(place: Path) -> Iterator[tuple[ReleaseId, Score]]:
    place = place.absolute()
    root = find_checkout(place)
    folder = PurePosixPath(place.relative_to(root).as_posix()) if root else PurePosixPath()
    release, entry = ReleaseId.of(folder), EntryId.of(folder)
    wanted = release.entry if release else entry
    if root is None or wanted is None:
        return
    from psreg.formats.tree import Tree  # what is below is not needed to check a file
    from psreg.lint.score import score

    found = Tree(read_tree(root, None, wanted.folder)).entry(wanted)
    versions = [release.version] if release else [*found.versions][-1:] if found else []
    for submission in found.submissions() if found else ():
        if submission.id.version in versions:
            yield submission.id, score(submission)
