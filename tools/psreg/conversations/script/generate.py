"""Writes `conformance.py`: the rules of PB2S in a single file that needs Python and nothing else.

There is one implementation. The modules that hold it import only each other and the standard
library, and no two of them give one name to two things; so their sources, one after the other and
without those imports, are the program. Data that psreg reads from its package stands in it as text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pprint import pformat

from psreg import __version__
from psreg.protocols.pb2s.prompts import own_prompts_json
from psreg.protocols.pb2s.proof_schema import proof_schema

_HEAD = f'''#!/usr/bin/env python3
"""Check whether an endpoint conforms to PB2S 0.2; needs Python 3.11 and nothing else.

    python conformance.py --endpoint http://127.0.0.1:8000/chat

Exit codes: 0 it conforms, 1 it does not, 2 there is nothing to judge. What is checked is form;
nothing is said about what is right or lawful. Made of psreg {__version__}; MIT licence.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):
    sys.stderr.write("conformance.py needs Python 3.11\\n")
    sys.exit(2)

'''

MODULES = (
    "core/diagnostics.py",
    "core/rule.py",
    "protocols/pb2s/sections.py",
    "protocols/pb2s/flags.py",
    "protocols/pb2s/proof_schema.py",
    "protocols/pb2s/proof.py",
    "protocols/pb2s/reply.py",
    "protocols/pb2s/run.py",
    "protocols/pb2s/trace.py",
    "protocols/pb2s/verdict.py",
    "protocols/pb2s/section_rules.py",
    "protocols/pb2s/phase_rules.py",
    "protocols/pb2s/proof_rules.py",
    "protocols/pb2s/clarify_rules.py",
    "protocols/pb2s/sampling_rules.py",
    "protocols/pb2s/trace_rules.py",
    "protocols/pb2s/rules.py",
    "protocols/pb2s/prompts.py",
    "conversations/script/main.py",
)
"""The modules by path below the package, each after those it imports."""


def conformance_script() -> str:
    """Return the source of `conformance.py`."""
    data = _data()
    sources = {path: data.get(path) or _source(path) for path in MODULES}
    imports = sorted({line for source in sources.values() for line in _imports(source)})
    parts = (f"\n\n# {path}\n\n{_body(source)}\n" for path, source in sources.items())
    return _HEAD + "\n".join(imports) + "\n" + "".join(parts)


def _source(path: str) -> str:
    return files("psreg").joinpath(path).read_text(encoding="utf-8")


def _data() -> Mapping[str, str]:
    """Return what stands in place of the modules that read a file of the package."""
    schema = pformat(dict(proof_schema()), sort_dicts=False)
    return {
        "protocols/pb2s/proof_schema.py": (
            "from collections.abc import Mapping\nfrom typing import Any\n\n"
            f"_PROOF_SCHEMA = {schema}\n\n\n"
            "def proof_schema() -> Mapping[str, Any]:\n"
            '    """Return the JSON Schema of `pb2s_proof`."""\n    return _PROOF_SCHEMA\n'
        ),
        "protocols/pb2s/prompts.py": (
            f'_OWN_PROMPTS = """\\\n{own_prompts_json()}"""\n\n\n'
            "def own_prompts_json() -> str:\n"
            '    """Return the prompts that are posted where none are named."""\n'
            "    return _OWN_PROMPTS\n"
        ),
    }


def _imports(source: str) -> Iterator[str]:
    """Yield the imports of the standard library, a line for each name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield from (f"import {name.name}" for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not _ours(node):
            yield from (f"from {node.module} import {name.name}" for name in node.names)


def _ours(node: ast.ImportFrom) -> bool:
    return (node.module or "").partition(".")[0] in ("psreg", "__future__")


def _body(source: str) -> str:
    """Return a module without its imports and its docstring, which is about the module."""
    nodes = ast.parse(source).body
    dropped: list[ast.stmt] = [n for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
    dropped += nodes[:1] if isinstance(nodes[0], ast.Expr) else []
    gone = {line for node in dropped for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines = enumerate(source.splitlines(), 1)
    return "\n".join(line for number, line in lines if number not in gone).strip("\n")
