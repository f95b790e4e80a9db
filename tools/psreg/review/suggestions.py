"""What a machine can mend, as whole lines: how forges offer a change for somebody to take over.

All fixes of a file that can be applied together are. Those that share a line are one suggestion,
since a second one about the same line would undo the first. A suggestion holds the exact text of
its lines, unchanged parts and line endings among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.core.diagnostics import Diagnostic, Edit, LineIndex, Position
from psreg.lint.fix import apply

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Put `after` in the place of lines `first` to `last` of `path`, which now read `before`.

    Both texts are whole lines with their endings; the last line of a file may have none. `titles`
    say what is mended, `codes` which rules asked for it.
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
        """Tell whether lines change, and not just whether the last one of the file is ended."""
        if self.before.endswith("\n"):
            return True
        return self.before != self.after.removesuffix("\n").removesuffix("\r")


def suggestions(
    diagnostics: Iterable[Diagnostic], files: Mapping[PurePosixPath, bytes]
) -> tuple[Suggestion, ...]:
    """Return what would mend the `diagnostics`, by path and line; waived ones are left alone."""
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
    # NOTE: as in `apply`: a README's positions do not count its byte order mark.
    index = LineIndex(text.removeprefix(_BOM) if path.endswith(".md") else text)
    wanted: dict[Edit, list[Diagnostic]] = {}
    for diagnostic in done:
        for edit in diagnostic.fix.edits if diagnostic.fix else ():
            wanted.setdefault(edit, []).append(diagnostic)
    for group in _sharing_lines(sorted(wanted, key=lambda edit: (edit.start, edit.end))):
        yield _of_lines(path, index, group, [d for edit in group for d in wanted[edit]])


def _sharing_lines(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """Yield the ascending edits, together those that change the same line."""
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
