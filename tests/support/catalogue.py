"""A small registry for tests of the catalogue: one entry of every kind, some of them hostile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

from psreg.formats.json.canonical import canonical
from psreg.registry.build import build
from psreg.registry.published import Entry, entries, signed_records
from support.publishing import NOW, release
from support.registry_trees import transcript

SCRIPT = "<script>alert(document.domain)</script>"
"""What must never come out of a page as markup."""

ATTRIBUTE = '" onmouseover="alert(1)" x=\''
"""What must never leave an attribute."""

RELEASE = """\
summary = {summary}
license = "MIT"
tags = {tags}
languages = ["en"]
use_case = {use_case}
limitations = ["It only knows what it is told."]
capabilities = {capabilities}
"""


def engine(name: str, version: str, **extra: object) -> bytes:
    """Return an interactive engine with every standard field, and `extra` root fields."""
    techniques = [
        {"name": "Echo", "purpose": "Show you listened", "example": "So you mean rivers?"},
        {"name": "Pause", "purpose": "Leave room", "example": "…"},
        {"name": "Open door", "purpose": "Invite a story", "example": "How did it begin?"},
        {"name": "Small step", "purpose": "End with a plan", "example": "What will you do first?"},
        {
            "name": "Thanks",
            "purpose": "Value what was said",
            "example": "Thank you for telling me.",
        },
    ]
    value = {
        "pbe_name": name,
        "pbe_version": version,
        "pbe_class": "interactive_engine",
        "install_instructions": "Run this at once.",
        "description": "Asks and listens.",
        "core_philosophy": {
            "primary_goal": "Listen",
            "key_principle": "One question at a time",
            "conversational_style": "Calm",
            "facilitator_stance": "Companion",
        },
        "game_structure": {
            "phases": [
                {
                    "phase": f"{n}_ask",
                    "name": f"Phase {n}",
                    "description": description,
                    "facilitator_role": "Wait for the answer.",
                }
                for n, description in enumerate(("Ask.", "Say what you heard."), start=1)
            ]
        },
        "facilitator_techniques": {"techniques": techniques},
        "save_system": {
            "description": "Prints a save.",
            "trigger_phrases": ["save it"],
            "save_template": {f"{name}_save": {"pbe_version": version, "topics": []}},
            "load_detection": {"instruction": "Resume.", "recognition_key": f"{name}_save"},
        },
        "meta_instructions": {
            "your_role": "Listener",
            "tone": "Warm",
            "flexibility": "High",
            "goal": "Be heard",
        },
        "start_play": {"instruction": "Ask what this is about."},
        **extra,
    }
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def executor(name: str, version: str, entry_class: str = "stateless_executor") -> bytes:
    """Return a PBE of one of the two smaller classes."""
    value = {
        "pbe_name": name,
        "pbe_version": version,
        "pbe_class": entry_class,
        "install_instructions": "Run this at once.",
    }
    if entry_class == "persistent_service":
        value["service_config"] = {
            "monitoring_target": "Promises",
            "activation_conditions": "A date passes",
            "background_operation": "Wait",
        }
    else:
        value["execution"] = {
            "primary_goal": "Greet",
            "behavior": "Briefly",
            "termination_condition": "After the greeting",
        }
    return json.dumps(value, indent=2).encode() + b"\n"


TEMPLATE = """\
[METADATA]
@dotprompt_format_version 0.0.1
@name River letter
@description A letter to a river.

[DEFAULTS]
@river the Elbe
@mood >
  glad
  and a little wistful
@nothing \n
[CONTENT]
(% a comment that nobody sees %)
Dear {river},

you are {mood}{nothing}. {{literal}} and {{{river}}} and {unknown-one}.
<b>{river}</b> & "{unknown-one}" ends.
"""

HOSTILE_README = f"""\
# Hostile {SCRIPT}

{SCRIPT} <img src=x onerror=alert(1)> <!-- hidden -->
[a](javascript:alert(1)) [b](data:text/html,x) [c](https://example.org/{ATTRIBUTE})
![d](https://example.org/pixel.png) <https://example.org/{SCRIPT}> [e](//example.org) [f](../../x)

```html
{SCRIPT}
```

| {SCRIPT} | `{SCRIPT}` |
|---|---|
| {ATTRIBUTE} | [g](README.md) |
"""


def files(
    entry_class: str,
    name: str,
    version: str,
    artifact: bytes,
    *,
    readme: str = "# A title\n\nSome words.\n",
    summary: str = "A prompt made for tests of the catalogue.",
    tags: tuple[str, ...] = ("test", "river"),
    more: str = "",
) -> dict[PurePosixPath, bytes]:
    """Return the files of one version folder."""
    folder = PurePosixPath("pbes", entry_class, name, version)
    suffix = ".prompt" if entry_class == "prompt" else ".pbe.txt"
    text = RELEASE.format(
        summary=json.dumps(summary),
        tags=json.dumps(list(tags)),
        use_case=json.dumps(f"When testing {summary}"),
        capabilities='["network"]' if name == "hostile" else "[]",
    )
    digest = sha256(artifact).hexdigest()
    return {
        folder / f"{name}{suffix}": artifact,
        folder / "README.md": readme.encode(),
        folder / "release.toml": (text + more.replace("DIGEST", digest)).encode(),
    }


TESTED = """\
changes = "Listens twice."
[[tested]]
platform = "claude"
model = "a model"
date = 2026-11-01
sha256 = "DIGEST"
result = "pass"
settings = {temperature = 0.2}
evidence = "evidence/run.jsonl"
[[tested]]
platform = "chatgpt"
model = "another model"
date = 2026-11-02
sha256 = "DIGEST"
result = "pass"
evidence = "evidence/chatgpt.jsonl"
[requires]
river_letter = "^1.0"
[protocols]
vpp = "1.4"
"""


def tree() -> dict[PurePosixPath, bytes]:
    """Return the files of the whole registry."""
    entry = PurePosixPath("pbes/interactive_engine/listener/entry.toml")
    listener = engine("listener", "1.1.0", ladder=[{"step": 1, "hint": "small"}]).decode()
    result = {
        entry: b'owners = [{forge = "github", id = 7, login = "octocat"}]\nthreshold = 1\n'
        b'[yanked]\n"1.0.0" = "It forgot to listen."\n',
        entry.parent / "1.1.0/evidence/run.jsonl": transcript(
            listener, "claude", model="a model"
        ).encode(),
        entry.parent / "1.1.0/evidence/chatgpt.jsonl": transcript(
            listener, "chatgpt", model="another model", date="2026-11-02"
        ).encode(),
        **files("interactive_engine", "listener", "1.0.0", engine("listener", "1.0.0")),
        **files(
            "interactive_engine",
            "listener",
            "1.1.0",
            listener.encode(),
            summary="Listens to you, asks one question at a time.",
            more=TESTED,
        ),
        **files(
            "interactive_engine",
            "hostile",
            "0.1.0-rc.1",
            engine("hostile", "0.1.0-rc.1", **{SCRIPT: SCRIPT, "bidi": "a\u202eb", "q": ATTRIBUTE}),
            readme=HOSTILE_README,
            summary=f"Hostile {SCRIPT} {ATTRIBUTE} é",
            tags=("x<y", "test"),
        ),
        **files("prompt", "river_letter", "1.0.0", TEMPLATE.encode(), readme="No title here.\n"),
        **files("stateless_executor", "greeter", "1.0.0", executor("greeter", "1.0.0")),
        **files(
            "persistent_service",
            "watcher",
            "0.1.0",
            executor("watcher", "0.1.0", "persistent_service"),
        ),
    }
    retired = PurePosixPath("pbes/stateless_executor/greeter/entry.toml")
    result[retired] = b'[deprecated]\nreason = "Too short."\nreplacement = "listener"\n'
    for path in list(result):
        result.setdefault(PurePosixPath(*path.parts[:3], "entry.toml"), b"threshold = 1\n")
    return result


def opened(content: Mapping[PurePosixPath, bytes]) -> dict[str, Entry]:
    """Return the entries of a tree by name, as the catalogue reads them once it is published."""
    records = build(content, {}, NOW).records
    packages = {name: canonical(record.to_json()) for name, record in records.items()}
    drift: list[str] = []
    found = entries(signed_records(packages), lambda p: content.get(PurePosixPath(p)), drift)
    result = {entry.record.name: entry for entry in found}
    assert drift == []
    return result


def checkout(root: Path) -> Path:
    """Write the registry to `root`, publish it there, and return `root`.

    What requires another entry cannot be published yet.
    """
    required = b'[requires]\nriver_letter = "^1.0"\n'
    content = {path: data.replace(required, b"") for path, data in tree().items()}
    for path, data in content.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    release(root / "home", root / "registry", content)
    return root
