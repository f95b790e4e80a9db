"""The rows about a release as a whole: its golden cases, and the files beside the artifact.

A golden case of a release is a promise to programs that use the text: these values give exactly
this text.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.compatibility.row import MAJOR, PATCH, Changed, Row, row
from psreg.compatibility.side import Side
from psreg.core.excerpt import cropped


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
