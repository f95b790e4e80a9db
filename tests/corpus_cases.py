"""The corpus of rules: `tests/corpus/<CODE>/{bad,good}-*`, and how a case is judged.

A case is a file, a folder (a small registry, for rules about a tree), a `.b64` file (bytes that
are no text) or a `.make` file (a Python expression, for files that are large on purpose; a dict
is a tree, whose member "irregular" names what is no plain file).
Beside a bad case stands `<case>.expected`: `CODE line:column severity` for each diagnostic, with
the path first where the case is a folder.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from psreg.adapters.files import read_tree
from psreg.diagnostics import Diagnostic, Report
from psreg.index.irregular import Irregular
from psreg.service.check import check_file, check_tree

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Case:
    code: str
    path: Path

    @property
    def id(self) -> str:
        return f"{self.code}/{self.path.name}"

    @property
    def bad(self) -> bool:
        return self.path.name.startswith("bad-")

    @property
    def expected(self) -> list[str]:
        stem = self.path.name.split(".")[0]
        return (self.path.parent / f"{stem}.expected").read_text().splitlines()

    def judge(self) -> tuple[Diagnostic, ...]:
        if self.path.is_dir():
            tree = read_tree(self.path)
            return Report.of(0, check_tree(tree, irregular=tree.irregular())).diagnostics
        name, data = self.path.name, self.path.read_bytes()
        if name.endswith(".b64"):
            name, data = name.removesuffix(".b64"), base64.b64decode(data)
        elif name.endswith(".make"):
            made = eval(data.decode())  # our own file, in our own repository
            if isinstance(made, dict):
                odd = {PurePosixPath(p): Irregular(k) for p, k in made.pop("irregular", {}).items()}
                tree = {PurePosixPath(path): text.encode() for path, text in made.items()}
                return Report.of(0, check_tree(tree, irregular=odd)).diagnostics
            name = name.removesuffix(".make")
            data = made if isinstance(made, bytes) else made.encode()
        return Report.of(1, check_file(data, path=name)).diagnostics

    def lines(self) -> list[str]:
        whole = self.path.is_dir() or self.path.name.endswith(".tree.make")
        prefix = (lambda d: f"{d.path} ") if whole else (lambda _: "")
        return [
            f"{prefix(d)}{d.code} {d.start.line}:{d.start.column} {d.severity}"
            + (" waived" if d.waived is not None else "")
            for d in self.judge()
        ]


def cases() -> Iterator[Case]:
    for path in sorted(CORPUS.glob("*/*")):
        if path.suffix != ".expected":
            yield Case(path.parent.name, path)
