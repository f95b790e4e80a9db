"""The parts of a review's comment that are code: suggestions, missing files, differences.

Text from a pull request stands in fenced blocks only. A block that somebody is to take over holds
exactly what they get, or is not there; what is only to be read is cropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import PurePosixPath

from psreg.lint.reports.markdown import code, neutral
from psreg.lint.reports.unified import unified
from psreg.review.fenced import exact, fenced, shown
from psreg.review.suggestions import Suggestion
from psreg.review.verdict import Review, ReviewedRelease

REMARK = "<!-- psreg suggestion "
"""Begins the first line of a remark, by which a bot finds its own ones again."""

MOST_REMARKS = 20
"""Remarks that a review writes; every one is a message to those who watch."""

_FINGERPRINT = 32
"""Hexadecimal digits; nobody but us can write one that counts."""

_LONGEST_SUGGESTION = 4_000
_LONGEST_FILE = 8_000

_DIFF_ROOM = 24_000
"""Characters of the differences of all releases together."""

_DIFF_LINES, _DIFF_BYTES = 2_000, 256 * 1024
"""Lines and bytes of an artifact that is compared as text; the time grows with their square."""


def suggestion_blocks(found: Iterable[Suggestion]) -> tuple[str, ...]:
    """Return a block for each suggestion; what no forge can take over comes last, as a line."""
    blocks: list[str] = []
    lines: list[str] = []
    for one in found:
        block = f"\n{_place(one)}: {_said(one)}\n\n{fenced(one.after, 'suggestion')}"
        if _to_take(one, block):
            blocks.append(block)
        else:
            lines.append(f"\n{_place(one)}: {_said(one)}. `psreg check --fix` does it.\n")
    return (*blocks, *lines)


def remarks(found: Iterable[Suggestion], forge: str) -> tuple[tuple[Suggestion, str], ...]:
    """Return what can be taken over at its lines, each with the text to stand there.

    The first line of a text is hidden and begins with `REMARK`; it says of which text it is.
    """
    texts = ((one, _remark(one, forge)) for one in found if exact(one.path))
    return tuple((one, text) for one, text in texts if _to_take(one, text))


def _remark(one: Suggestion, forge: str) -> str:
    # A suggestion of GitLab says how many lines above its own it replaces.
    info = f"suggestion:-{one.last - one.first}+0" if forge == "gitlab" else "suggestion"
    text = f"{_said(one)}\n\n{fenced(one.after, info)}"
    about = "\0".join((one.path, str(one.first), str(one.last), one.before, text))
    known = sha256(about.encode()).hexdigest()[:_FINGERPRINT]
    return f"{REMARK}{known} -->\n{text}"


def _to_take(one: Suggestion, text: str) -> bool:
    return one.in_lines and exact(one.after) and len(text) <= _LONGEST_SUGGESTION


def _said(one: Suggestion) -> str:
    return neutral(f"{', '.join(one.titles)} [{', '.join(one.codes)}]")


def _place(one: Suggestion) -> str:
    lines = f"line {one.first}" if one.first == one.last else f"lines {one.first} to {one.last}"
    return f"{code(one.path)}, {lines}"


def missing_file_blocks(review: Review) -> tuple[str, ...]:
    """Return a folded block for each missing file."""
    return tuple(
        _folded(f"{code(str(path))} is missing: copy this and fill it in", _file(path, text))
        for release in review.releases
        for path, text in sorted(release.missing.items())
        if exact(text) and len(text) <= _LONGEST_FILE
    )


def _file(path: PurePosixPath, text: str) -> str:
    return fenced(text, {".toml": "toml", ".md": "markdown"}.get(path.suffix, "text"))


def diff_blocks(review: Review) -> tuple[str, ...]:
    """Return a folded block for each release that follows another one: what of the text differs."""
    compared = [r for r in review.releases if r.before is not None and r.after is not None]
    return tuple(
        _folded(f"{code(release.title)} beside {neutral(release.previous or '')}, as text", text)
        for release in compared
        if (text := _difference(release, _DIFF_ROOM // len(compared)))
    )


def _difference(release: ReviewedRelease, room: int) -> str:
    texts = [
        data.decode(errors="replace") for data in (release.before or b"", release.after or b"")
    ]
    if any(len(text) > _DIFF_BYTES or text.count("\n") > _DIFF_LINES for text in texts):
        return "Too long to be compared here.\n"
    lines = unified(release.id.filename, *texts).split("\n")[2:-1]
    return fenced("\n".join(_fitting(lines, room)), "diff") if lines else ""


def _fitting(lines: list[str], room: int) -> Iterator[str]:
    for at, line in enumerate(lines):
        text = shown(line)
        room -= len(text) + 1
        if room < 0:
            yield f"…and {len(lines) - at} more lines"
            return
        yield text


def _folded(summary: str, text: str) -> str:
    return f"\n<details><summary>{summary}</summary>\n\n{text}\n</details>\n"
