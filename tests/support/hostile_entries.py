"""Entries that try to break their pages, in every field, as a registry without checks has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath

from support.catalogue import ATTRIBUTE, SCRIPT, engine, executor, files

HOSTILE = (
    f"{SCRIPT}{ATTRIBUTE}<img src=x onerror=alert(1)><svg onload=alert(1)></style><style>*"
    "{display:none}</style>}}{{<!--psreg:body--> <root></textarea></title></noscript>-->"
    "<a href=javascript:alert(1)>[a](javascript:alert(1))![b](data:text/html,x) \u202egpj.exe"
    "\u202c \u2066x\u2069 \x7f"
)
"""Script, markup, Markdown, SVG, address schemes, CSS and direction controls."""

LONG = "m" * 1_000_000
NAME = "a" * 64
ARABIC = "مرحبا بك في هذا السجل (نص عربي) و English 123."

_KEPT = {"pbe_name", "pbe_version", "pbe_class", "recognition_key"}


def hostile(value: object, key: str = "") -> object:
    """Return JSON data in which every text is hostile, and every object has a hostile key."""
    if isinstance(value, dict):
        return {k: hostile(v, k) for k, v in value.items()} | {HOSTILE: HOSTILE}
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return value if key in _KEPT or not isinstance(value, str) else HOSTILE


def _release(**fields: object) -> bytes:
    told = {"summary": HOSTILE, "license": HOSTILE, "use_case": HOSTILE, "changes": HOSTILE}
    lists = {key: [HOSTILE, "x"] for key in ("tags", "languages", "limitations", "capabilities")}
    values = {**told, **lists, **fields}
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()).encode()


_README = "\n\n".join(
    (
        f"# {HOSTILE}",
        HOSTILE,
        f"## Use case {HOSTILE}",
        f"- {HOSTILE}\n  - {HOSTILE}",
        f"> {HOSTILE}",
        f"| {HOSTILE} | b |\n|---|---|\n| `{HOSTILE}` | {HOSTILE} |",
        f"```{HOSTILE}\n{HOSTILE}\n```",
        f"[{HOSTILE}](https://example.org/{HOSTILE}) https://example.org/\u202egpj.exe",
        "w" * 3000,
        "*" * 2000,
        "[" * 2000,
    )
)

_TEMPLATE = f"""\
[METADATA]
@dotprompt_format_version 0.0.1
@description {HOSTILE}
[DEFAULTS]
(% {HOSTILE} %)
@a {HOSTILE}
@b >
  {HOSTILE}
  {ARABIC}
[CONTENT]
{HOSTILE} {{a}} {{b}} {{required}}
"""

_RUN = "".join(
    f"{json.dumps(line)}\n"
    for line in (
        {"run": {"platform": HOSTILE, "model": HOSTILE, "date": HOSTILE, "sha256": HOSTILE}},
        {"role": "user", "content": HOSTILE},
        {"role": "assistant", "content": f"{HOSTILE}\n```js\n{HOSTILE}\n```"},
    )
).encode()


def hostile_tree() -> Mapping[PurePosixPath, bytes]:
    """Return the files of a registry of which no entry passes a check."""
    value = hostile(json.loads(engine("hostile_engine", "1.0.0", save=[{"x": "y"}])))
    art = json.dumps(value, ensure_ascii=False).encode()
    long_task = json.loads(executor("many_tags", "1.0.0"))
    long_task["execution"]["behavior"] = LONG[:200_000]
    arabic = f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{ARABIC} {{x}}\n".encode()
    parts: tuple[tuple[str, str, str, bytes, bytes, str], ...] = (
        ("interactive_engine", "hostile_engine", "1.0.0", art, _release(), _README),
        ("prompt", "hostile_prompt", "1.0.0", _TEMPLATE.encode(), _release(), _README),
        ("prompt", "hostile_prompt", "1.1.0", f"{_TEMPLATE}.\n".encode(), _release(), _README),
        ("prompt", "arabic", "1.0.0", arabic, _release(summary=ARABIC, tags=["عربي"]), ARABIC),
        ("stateless_executor", NAME, "1.0.0", executor(NAME, "1.0.0"), _release(), f"# {LONG}"),
        (
            "stateless_executor",
            "many_tags",
            "1.0.0",
            json.dumps(long_task).encode(),
            _release(
                tags=[f"tag{n}" for n in range(10_000)],
                summary=LONG[:90_000],
                languages=["en"] * 999,
            ),
            "# Many\n",
        ),
    )
    found: dict[PurePosixPath, bytes] = {}
    for entry_class, name, version, artifact, release, readme in parts:
        made = files(entry_class, name, version, artifact, readme=readme)
        folder = next(iter(made)).parent
        found |= {**made, folder / "release.toml": release, folder / "evidence/run.jsonl": _RUN}
        found[folder.parent / "entry.toml"] = (
            f"owners = [{{forge = {json.dumps(HOSTILE)}, id = 1, login = {json.dumps(HOSTILE)}}}]\n"
            f"threshold = 1\n[deprecated]\nreason = {json.dumps(HOSTILE)}\n"
            f"replacement = {json.dumps(HOSTILE)}\n[yanked]\n"
            f"{json.dumps('1.0.0' if name == 'hostile_prompt' else '9.9.9')} = "
            f"{json.dumps(HOSTILE)}\n"
        ).encode()
    return found
