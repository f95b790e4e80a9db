"""The corpus of rules as it is shown on their pages: `<CODE>/{bad,good}-*`, one case of each.

It is part of the package and, in a source checkout of psreg, lies below `tests/`. A case that ends
in `.tree` says in short what a registry's tree holds (`tree_said`). Cases that a program makes,
because they are large on purpose, are not shown.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import psreg
from psreg.system.files import read_file

_Files = Mapping[str, bytes]

_NOT_SHOWN = (".expected", ".make")

_OPTIONS = ".toml"
"""What a file beside a conversation ends in that says by which protocol it is judged."""


@cache
def ordinary_tree() -> Mapping[str, bytes]:
    """Return the small registry from which the cases in `.tree` files differ, by path."""
    text = (files("psreg.catalogue") / "ordinary.tree").read_text(encoding="utf-8")
    return tree_said(text)


def examples() -> Mapping[str, tuple[_Files, _Files]]:
    """Return the files of a bad and a good case, by name, for each rule that has both, by code."""
    package = Path(psreg.__file__).parent
    folders = (package / "corpus", package.parents[1] / "tests/corpus")
    corpus = next((folder for folder in folders if folder.is_dir()), None)
    return dict(_examples(corpus)) if corpus else {}


def tree_said(text: str, ordinary: _Files = MappingProxyType({})) -> dict[str, bytes]:
    """Return the files that a `.tree` file says, by path: how a tree differs from an ordinary one.

    A first line `gone: PATH…`, which may be absent, names how the paths begin that the ordinary
    tree has and this one has not. Then each file is a line `-- PATH --` and its lines.
    """
    head, *files = re.split(r"^-- (.*) --\n", text, flags=re.MULTILINE)
    gone = tuple(head.removeprefix("gone:").split())
    kept = {path: data for path, data in ordinary.items() if not path.startswith(gone)}
    named = zip(files[::2], files[1::2], strict=True)
    return kept | {path: data.encode() for path, data in named}


def _examples(corpus: Path) -> Iterator[tuple[str, tuple[_Files, _Files]]]:
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        bad, good = (_first(folder, half) for half in ("bad", "good"))
        if bad and good:
            yield folder.name, (_files(bad), _files(good))


def _first(folder: Path, half: str) -> Path | None:
    cases = sorted(folder.glob(f"{half}-*"))
    return next((case for case in cases if _shown(case)), None)


def _shown(case: Path) -> bool:
    """Tell whether `case` is one; a conversation's `.toml` says only how it is judged."""
    if case.name.endswith(_NOT_SHOWN):
        return False
    return case.suffix != _OPTIONS or _conversation(case) is None


def _conversation(options: Path) -> Path | None:
    """Return the conversation that the file `options` belongs to, if it does."""
    same = sorted(options.parent.glob(f"{options.stem}.*"))
    return next((p for p in same if not p.name.endswith((*_NOT_SHOWN, _OPTIONS))), None)


def _files(case: Path) -> _Files:
    if case.is_dir():
        paths = sorted(path for path in case.rglob("*") if path.is_file() and not path.is_symlink())
        return {path.relative_to(case).as_posix(): read_file(path) for path in paths}
    data = read_file(case)
    if case.suffix == ".tree":
        found = tree_said(data.decode(), ordinary_tree())
        return {path: found[path] for path in sorted(found, key=PurePosixPath)}
    if case.suffix == ".b64":
        return {case.name.removesuffix(".b64"): base64.b64decode(data)}
    options = case.with_suffix(_OPTIONS)
    if options != case and options.is_file():
        return {case.name: data, options.name: read_file(options)}
    return {case.name: data}
