"""Fixes as suggestions: whole lines that an author can apply on the forge.

All fixes of a file that can be applied together are combined. Fixes that share a line are one
suggestion, because a second one about the same line would undo the first. A suggestion contains
the exact text of its lines, including unchanged parts and line endings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import PurePosixPath

from psreg.core.diagnostics import Diagnostic, Edit, LineIndex, Position, line_index
from psreg.lint.fix import apply
from psreg.review.change import ChangeSet, Touch

_BOM = "\ufeff"


_MOST_LINES = 2_000
"""The most lines of a file that are compared; the time is quadratic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Replace lines `first` to `last` of `path`, now `before`, with `after`.

    Both texts are whole lines with their endings; the last line of a file may have none. `titles`
    say what is fixed, `codes` which rules reported it.
    """

    path: str
    first: int
    last: int
    before: str
    after: str
    titles: tuple[str, ...]
    codes: tuple[str, ...]

    @property
    def in_lines(self) -> bool:
        """Tell whether lines change, not only the line break at the end of the file."""
        if self.before.endswith("\n"):
            return True
        return self.before != self.after.removesuffix("\n").removesuffix("\r")


def suggestions(
    diagnostics: Iterable[Diagnostic], files: Mapping[PurePosixPath, bytes]
) -> tuple[Suggestion, ...]:
    """Return suggestions that fix the `diagnostics`, by path and line; waived ones are ignored."""
    fixable: dict[str, list[Diagnostic]] = {}
    for found in diagnostics:
        if found.fix and found.waived is None:
            fixable.setdefault(found.path, []).append(found)
    return tuple(
        suggestion
        for path, some in sorted(fixable.items())
        for suggestion in _of_file(path, files[PurePosixPath(path)], some)
    )


def _of_file(path: str, data: bytes, found: list[Diagnostic]) -> Iterator[Suggestion]:
    _, done = apply(data, path, found)
    if not done:
        return
    text = data.decode()
    # NOTE: as in `apply`, positions in a README do not count its byte order mark.
    index = line_index(text.removeprefix(_BOM) if path.endswith(".md") else text)
    by_edit: dict[Edit, list[Diagnostic]] = {}
    for diagnostic in done:
        for edit in diagnostic.fix.edits if diagnostic.fix else ():
            by_edit.setdefault(edit, []).append(diagnostic)
    for group in _by_line(sorted(by_edit, key=lambda edit: (edit.start, edit.end))):
        yield _of_lines(path, index, group, [d for edit in group for d in by_edit[edit]])


def _by_line(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """Yield the ascending edits in groups that share lines."""
    group: list[Edit] = []
    last = 0
    for edit in edits:
        if group and edit.start.line > last:
            yield group
            group = []
        group.append(edit)
        last = max(last, _last(edit))
    yield group


def _last(edit: Edit) -> int:
    """Return the last line that an edit changes; whole lines end where the next one begins."""
    whole = edit.replacement.endswith("\n") or (edit.start.column == 1 and not edit.replacement)
    begins = edit.end.column == 1 and edit.end.line > edit.start.line
    return edit.end.line - 1 if begins and whole else edit.end.line


def _of_lines(
    path: str, index: LineIndex, edits: list[Edit], about: Iterable[Diagnostic]
) -> Suggestion:
    text = index.text
    first, last = edits[0].start.line, max(map(_last, edits))
    start = index.offset(Position(first, 1))
    end = text.find("\n", index.offset(Position(last, 1))) + 1 or len(text)
    parts, at = [], start
    for edit in edits:
        parts += [text[at : index.offset(edit.start)], edit.replacement]
        at = index.offset(edit.end)
    return Suggestion(
        path=path,
        first=first,
        last=last,
        before=text[start:end],
        after="".join([*parts, text[at:end]]),
        titles=tuple(dict.fromkeys(d.fix.title for d in about if d.fix)),
        codes=tuple(sorted({d.code for d in about})),
    )


def in_diff(found: Iterable[Suggestion], change: ChangeSet) -> tuple[Suggestion, ...]:
    """Return the suggestions whose lines are all in the diff of `change`.

    A forge accepts comments only on lines that its diff shows: all lines of a new file, and the
    changed lines of other files.
    """
    new = {file.path for file in change.files if file.touch is Touch.ADDED and not file.moved_from}

    @cache
    def written(path: PurePosixPath) -> frozenset[int]:
        if change.touched(path) is not Touch.MODIFIED:
            return frozenset()
        return _written(change.base.files[path], change.head.files[path])

    return tuple(
        one
        for one in found
        if (path := PurePosixPath(one.path)) in new
        or written(path).issuperset(range(one.first, one.last + 1))
    )


def _written(before: bytes, after: bytes) -> frozenset[int]:
    """Return the numbers of the lines of `after` that are new or changed."""
    old, new = before.split(b"\n"), after.split(b"\n")
    if max(len(old), len(new)) > _MOST_LINES:
        return frozenset()
    compared = SequenceMatcher(None, old, new, autojunk=False)
    return frozenset(
        line + 1
        for tag, _, _, first, end in compared.get_opcodes()
        if tag != "equal"
        for line in range(first, end)
    )
