"""The corpus of the decision table: `tests/floor/<ROW>/`, and how a case is judged.

A row's folder holds `before` and any number of `after-*`, at which the row must speak, and of
`near-*`, at which it must not. Each is an artifact (`before.pbe.txt`) or a version folder.
`expected` has for each of them a line `NAME floor`, and below it `  ROW pointer` for each
difference, the largest steps first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from psreg.compatibility.diff import Diff, Operand, compare_named, file_operand, folder_operand
from support.paths import TESTS

FLOOR = TESTS / "floor"


def operand(path: Path) -> Operand:
    if path.is_dir():
        found = {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*.*")}
        return folder_operand(found, path.name)
    return file_operand(path.read_bytes(), path.name)


@dataclass(frozen=True)
class RowCase:
    row: str
    path: Path

    @property
    def id(self) -> str:
        return f"{self.row}/{self.path.name}"

    @property
    def hit(self) -> bool:
        return self.path.name.startswith("after")

    @property
    def expected(self) -> list[str]:
        text = (self.path.parent / "expected").read_text()
        parts = [part.splitlines() for part in text.split("\n\n")]
        return next((part for part in parts if part[0].split()[0] == self.path.name), [])

    def judge(self) -> Diff:
        (before,) = self.path.parent.glob("before*")
        return compare_named(operand(before), operand(self.path))

    def lines(self, diff: Diff | None = None) -> list[str]:
        """Return the lines of a difference, or of the one that there is now."""
        diff = diff or self.judge()
        found = [f"  {d.row} {d.pointer}".rstrip() for d in diff.differences]
        return [f"{self.path.name} {diff.floor}", *found]


def cases() -> Iterator[RowCase]:
    for path in sorted(FLOOR.glob("*/*")):
        if path.name.startswith(("after", "near")):
            yield RowCase(path.parent.name, path)
