"""The examples on the pages of rules: one case each of `<CODE>/{bad,good}-*` in the corpus.

The corpus is part of the package or, in a source checkout of psreg, below `tests/`. A case that
ends in `.tree` describes a registry's tree in short (`parse_tree`). Generated cases, which are
large on purpose, are not shown.
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
"""The suffix of a file next to a conversation that names the protocol to check it against."""


@cache
def ordinary_tree() -> Mapping[str, bytes]:
    """Return the files, by path, of the small registry that `.tree` cases are based on."""
    text = (files("psreg.catalogue") / "ordinary.tree").read_text(encoding="utf-8")
    return parse_tree(text)


def examples() -> Mapping[str, tuple[_Files, _Files]]:
    """Return by code, for each rule with a bad and a good case, the files of both by name."""
    corpus = corpus_folder()
    return dict(_examples(corpus)) if corpus.is_dir() else {}


def corpus_folder() -> Path:
    """Return the folder with the cases; it may be missing."""
    package = Path(psreg.__file__).parent
    folders = (package / "corpus", package.parents[1] / "tests/corpus")
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def parse_tree(text: str, ordinary: _Files = MappingProxyType({})) -> dict[str, bytes]:
    """Return the files that a `.tree` file describes, by path, as changes to `ordinary`.

    An optional first line `gone: PATH…` lists prefixes of the paths to remove from `ordinary`. Then
    each file is a line `-- PATH --` followed by its lines.
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
    """Tell whether `case` is a case to show; the `.toml` of a conversation is only its options."""
    if case.name.endswith(_NOT_SHOWN):
        return False
    return case.suffix != _OPTIONS or _conversation(case) is None


def _conversation(options: Path) -> Path | None:
    """Return the conversation that the file `options` belongs to, if there is one."""
    same = sorted(options.parent.glob(f"{options.stem}.*"))
    return next((p for p in same if not p.name.endswith((*_NOT_SHOWN, _OPTIONS))), None)


def _files(case: Path) -> _Files:
    if case.is_dir():
        paths = sorted(path for path in case.rglob("*") if path.is_file() and not path.is_symlink())
        return {path.relative_to(case).as_posix(): read_file(path) for path in paths}
    data = read_file(case)
    if case.suffix == ".tree":
        found = parse_tree(data.decode(), ordinary_tree())
        return {path: found[path] for path in sorted(found, key=PurePosixPath)}
    if case.suffix == ".b64":
        return {case.name.removesuffix(".b64"): base64.b64decode(data)}
    options = case.with_suffix(_OPTIONS)
    if options != case and options.is_file():
        return {case.name: data, options.name: read_file(options)}
    return {case.name: data}
