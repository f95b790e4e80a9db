"""`conformance.py`: `psreg conform pb2s` and everything it imports, in one file that Python runs.

The file is a zip of modules after a few lines of text, as `zipapp` writes it: Python runs its
`__main__.py`. There is no second implementation: the rules and the HTTP client are psreg's own
modules. The file includes the two libraries that these import, with their licences. The same
modules always produce the same bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.metadata import distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from psreg import __version__

_HEAD = f"""#!/usr/bin/env python3
# Check whether an endpoint conforms to PB2S 0.2. Requires only Python 3.11.
#
#     python conformance.py --endpoint http://127.0.0.1:8000/chat
#
# Exit codes: 0 it conforms, 1 it does not, 2 nothing could be checked. Only the form is checked,
# not whether an answer is true or complies with any law.
#
# This is `psreg conform pb2s` of psreg {__version__} in a zip; MIT licence. To read its source:
# `python -m zipfile -e conformance.py FOLDER`.
"""

_MAIN = """import sys

if sys.version_info < (3, 11):
    sys.stderr.write("conformance.py needs Python 3.11\\n")
    sys.exit(2)

from psreg.__main__ import main

sys.argv[1:1] = ["conform", "pb2s"]
sys.exit(main())
"""

_ROOTS = ("psreg.__main__", "psreg.cli.main", "psreg.cli.conform")
_DATA = ("protocols/pb2s/prompts.json", "formats/schemas/pb2s_proof.schema.json")
_LIBRARIES = ("urllib3",)
_WRITTEN = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can store


def conformance_script() -> bytes:
    """Return the content of `conformance.py`."""
    members = {"__main__.py": _MAIN.encode(), **dict(_own_modules())}
    members |= {f"psreg/{path}": files("psreg").joinpath(path).read_bytes() for path in _DATA}
    for library in _LIBRARIES:
        members |= dict(_tree(files(library), library))
        members |= dict(_licences(library))
    buffer = BytesIO(_HEAD.encode())
    with ZipFile(buffer, "a") as archive:
        for path, data in sorted(members.items()):
            archive.writestr(ZipInfo(path, _WRITTEN), data, ZIP_DEFLATED)
    return buffer.getvalue()


def _own_modules() -> Iterator[tuple[str, bytes]]:
    """Yield path and source of the modules of psreg that the command imports, early or late."""
    waiting, seen = list(_ROOTS), {""}
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        path = name.replace(".", "/")
        for member in (f"{path}.py", f"{path}/__init__.py"):
            file = files("psreg").joinpath(member.removeprefix("psreg/"))
            if file.is_file():
                yield member, file.read_bytes()
                waiting += [name.rpartition(".")[0], *_imported(file.read_bytes())]


def _imported(source: bytes) -> Iterator[str]:
    """Yield what a module imports of psreg when it runs; some of it is a name in a module."""
    nodes = list(ast.walk(ast.parse(source)))
    for node in [*nodes]:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            unused = {inner for statement in node.body for inner in ast.walk(statement)}
            nodes = [each for each in nodes if each not in unused]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("psreg"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("psreg"):
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _tree(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _tree(item, f"{path}/{item.name}")
        elif item.name.endswith(".py"):
            yield f"{path}/{item.name}", item.read_bytes()


def _licences(library: str) -> Iterator[tuple[str, bytes]]:
    """Yield the description of a library and its licences, where `pip` installs them."""
    found = distribution(library)
    described = found.metadata.get_all("License-File") or []
    # NOTE: older wheels have their licences beside METADATA, newer ones in `licenses/`.
    for name in ("METADATA", *described, *(f"licenses/{licence}" for licence in described)):
        text = found.read_text(name)
        if text is not None:
            yield f"{library}-{found.version}.dist-info/{name}", text.encode()
