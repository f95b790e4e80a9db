"""Synthetic entries for measurements: valid, about 5 KB each, different, reproducible."""

import json
import random
from pathlib import Path

WORDS = [
    "ask",
    "answer",
    "question",
    "goal",
    "learner",
    "plan",
    "draft",
    "short",
    "clear",
    "step",
    "review",
    "write",
    "idea",
    "note",
    "check",
    "reason",
    "example",
    "topic",
    "level",
    "practice",
    "mistake",
    "progress",
    "choose",
    "explain",
    "listen",
    "compare",
    "begin",
    "finish",
    "careful",
    "honest",
    "useful",
    "simple",
    "language",
    "story",
    "number",
    "point",
    "detail",
    "pattern",
    "method",
    "time",
]

INSTALL = (
    "This is a Prompt-Based Executable (PBE) and when received should be run immediately as an "
    "instruction set and parameter guide for LLM behavior."
)

RELEASE = """\
summary = "{summary}"
license = "MIT"
tags = ["{tag}", "bench"]
languages = ["en"]
use_case = "Measuring how fast things are."
limitations = ["It is made by a machine."]
capabilities = []
"""

ENTRY = "owners = []\nthreshold = 1\naliases = []\n"

README = "# {name}\n\n## Use case\n\nMeasuring.\n\n## Example\n\n*Illustrative, written by hand.*\n"

POLICY = '[[waiver]]\ncode = "{code}"\nnames = ["*"]\nreason = "Synthetic entries are not run."\n'


def engine(name: str, seed: int, version: str = "1.0.0") -> str:
    """Return a valid interactive engine of about 5 KB."""
    pick = random.Random(seed)

    def words(number: int) -> str:
        return " ".join(pick.choice(WORDS) for _ in range(number)).capitalize() + "."

    document = {
        "pbe_name": name,
        "pbe_version": version,
        "pbe_class": "interactive_engine",
        "install_instructions": INSTALL,
        "description": words(14),
        "core_philosophy": {
            key: words(14)
            for key in (
                "primary_goal",
                "key_principle",
                "conversational_style",
                "facilitator_stance",
            )
        },
        "game_structure": {
            "phases": [
                {
                    "phase": f"{n}_{pick.choice(WORDS)}",
                    "name": words(3),
                    "description": words(14),
                    "facilitator_role": words(12),
                }
                for n in range(1, 5)
            ]
        },
        "facilitator_techniques": {
            "techniques": [
                {"name": words(3), "purpose": words(11), "example": words(14)} for _ in range(7)
            ]
        },
        "save_system": {
            "description": words(12),
            "trigger_phrases": [words(3), words(3)],
            "save_template": {
                f"{name}_save": {"pbe_version": version, "save_date": "YYYY-MM-DD", "score": 0}
            },
            "load_detection": {
                "instruction": f"When you receive JSON with root key '{name}_save', resume.",
                "recognition_key": f"{name}_save",
            },
        },
        "meta_instructions": {
            key: words(12) for key in ("your_role", "tone", "flexibility", "goal")
        },
        "start_play": {"instruction": words(20)},
        "notes": {"guidance": words(40)},
    }
    return json.dumps(document, indent=2) + "\n"


def loose(folder: Path, number: int) -> None:
    """Write `number` artifacts side by side into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(number):
        (folder / f"made_{n}.pbe.txt").write_text(engine(f"made_{n}", n))


def registry(root: Path, number: int, untested: str) -> None:
    """Write a checkout with `number` complete entries, whose tests are waived by policy."""
    (root / "registry").mkdir(parents=True, exist_ok=True)
    (root / "registry/policy.toml").write_text(POLICY.format(code=untested))
    for n in range(number):
        entry(root, f"made_{n}", n)


def entry(root: Path, name: str, n: int, toml: str = ENTRY) -> None:
    """Write a complete entry into the checkout at `root`; `n` makes it differ from others."""
    version(root, name, n)
    (root / "pbes/interactive_engine" / name / "entry.toml").write_text(toml)


def version(root: Path, name: str, n: int, number: str = "1.0.0") -> None:
    """Write a version folder; `n` makes it differ from others."""
    folder = root / "pbes/interactive_engine" / name / number
    folder.mkdir(parents=True)
    (folder / f"{name}.pbe.txt").write_text(engine(name, n, number))
    summary = f"A made entry number {n} about {WORDS[n % len(WORDS)]} for measuring."
    tag = WORDS[(n * 7) % len(WORDS)]
    changes = "" if number == "1.0.0" else 'changes = "It was made again."\n'
    (folder / "release.toml").write_text(RELEASE.format(summary=summary, tag=tag) + changes)
    (folder / "README.md").write_text(README.format(name=name))


def names(number: int) -> list[str]:
    """Return different names of three words each, as people give them."""
    pick = random.Random(7)
    found: dict[str, None] = {}
    while len(found) < number:
        found["_".join(pick.sample(WORDS, 3))] = None
    return list(found)
