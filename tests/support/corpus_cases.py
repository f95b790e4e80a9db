"""The corpus of rules: `tests/corpus/<CODE>/{bad,good}-*`, and how a case is judged.

A case is a file, a `.b64` file (bytes that are no text) or a `.make` file (a Python expression,
for files that are large on purpose). For rules about a tree it is a `.tree` file, which tells in
short how a small registry differs from `psreg.catalogue.rule_examples.ordinary_tree`,
a folder where bytes and line ends matter, or a `.tree.make` file (a dict, whose member "irregular"
names what is not a plain file). A change is a `.change` file, which tells a change of an ordinary
entry in short (`registry_trees.change_said`), or a `.change.make` file: a dict of "base", "head"
and "author", who asks: a forge and a number. A `.make` file may use what registry_trees has.
A case of a protocol's rule is a conversation: a `.jsonl` file, or any other form of one; beside it
may stand `<case>.toml` with `protocol`, `version`, `imf` and `mode`.
Beside a bad case stands `<case>.expected`: `CODE line:column severity` for each diagnostic, with
the path first where the case is a folder, and the pointer first where it is a conversation.
"""

import base64
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from psreg.catalogue.rule_examples import ordinary_tree, parse_tree
from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Diagnostic, Mode, Report
from psreg.core.identity import Author
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.layout import Irregular
from psreg.formats.protocol_versions import PROTOCOLS
from psreg.lint.engine import check_file
from psreg.lint.registry_walk import check_tree
from psreg.lint.transcript import check_transcript
from psreg.registry.checkout import read_tree
from psreg.review.judge import check_change
from support import registry_trees
from support.changes import changes_between
from support.paths import CORPUS

ORDINARY = ordinary_tree()
"""The tree from which those of `.tree` files differ."""

SPOKEN = ("PROTO", *(name.upper() for name in PROTOCOLS))
"""The families of rules about conversations."""


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
    def spoken(self) -> bool:
        """Whether it is a conversation."""
        return self.code.rstrip("0123456789") in SPOKEN

    @property
    def expected(self) -> list[str]:
        stem = self.path.name.split(".")[0]
        return (self.path.parent / f"{stem}.expected").read_text().splitlines()

    def judge(self) -> tuple[Diagnostic, ...]:
        if self.path.is_dir():
            tree = read_tree(self.path)
            return Report.of(
                0, check_tree(tree, all_rules(), irregular=tree.irregular())
            ).diagnostics
        name, data = self.path.name, self.path.read_bytes()
        if self.spoken:
            return self._heard(data)
        if name.endswith(".b64"):
            name, data = name.removesuffix(".b64"), base64.b64decode(data)
        elif name.endswith(".tree"):
            return Report.of(0, check_tree(tree_of(data), all_rules())).diagnostics
        elif name.endswith(".change"):
            return Report.of(0, _judged(registry_trees.change_said(data.decode()))).diagnostics
        elif name.endswith(".make"):
            # Our own file, in our own repository.
            made = eval(data.decode(), globals() | vars(registry_trees))
            if isinstance(made, dict):
                return Report.of(0, _judged(made)).diagnostics
            name = name.removesuffix(".make")
            data = made if isinstance(made, bytes) else made.encode()
        return Report.of(1, check_file(data, path=name)).diagnostics

    def _heard(self, data: bytes) -> tuple[Diagnostic, ...]:
        told = {"protocol": self.code.rstrip("0123456789").lower()}
        options = self.path.with_suffix(".toml")
        if options.is_file():
            told |= tomllib.loads(options.read_text())
        elif self.code.startswith("VPP"):
            told["version"] = "1.4"  # as their footers say, whatever the latest version is
        protocol, mode = told.pop("protocol"), Mode(told.pop("mode", "strict"))
        conversation = read_conversation(data, self.path.name, protocol)
        return check_transcript(conversation, protocol, mode=mode, **told).report.diagnostics

    def lines(self, found: tuple[Diagnostic, ...] | None = None) -> list[str]:
        """Return the lines of what was `found`, or of what is found now."""
        trees = (".tree", ".tree.make", ".change.make", ".change")
        whole = self.path.is_dir() or self.path.name.endswith(trees)
        prefix = (lambda d: f"{_shown(d.path)} ") if whole else (lambda _: "")
        if self.spoken:
            prefix = lambda d: f"{d.pointer} " if d.pointer else ""  # noqa: E731
        return [
            f"{prefix(d)}{d.code} {d.start.line}:{d.start.column} {d.severity}"
            + (" waived" if d.waived is not None else "")
            for d in (self.judge() if found is None else found)
        ]


def tree_of(said: bytes) -> dict[PurePosixPath, bytes]:
    """Return the tree that a `.tree` file says."""
    return {PurePosixPath(path): data for path, data in parse_tree(said.decode(), ORDINARY).items()}


def _judged(made: dict) -> Iterator[Diagnostic]:
    odd = {PurePosixPath(p): Irregular(k) for p, k in made.pop("irregular", {}).items()}
    if "head" not in made:
        return check_tree(_tree(made), all_rules(), irregular=odd)
    author = Author(forge=made["author"][0], id=made["author"][1]) if made["author"] else None
    base, head = _tree(made["base"]), _tree(made["head"])
    return check_change(changes_between(base, head, irregular=odd, author=author), all_rules())


def _tree(made: dict) -> dict[PurePosixPath, bytes]:
    return {PurePosixPath(path): text.encode() for path, text in made.items()}


def _shown(path: str) -> str:
    return path.encode("unicode_escape").decode()


def cases() -> Iterator[Case]:
    for path in sorted(CORPUS.glob("*/*")):
        case = Case(path.parent.name, path)
        if path.suffix != ".expected" and not (case.spoken and path.suffix == ".toml"):
            yield case
