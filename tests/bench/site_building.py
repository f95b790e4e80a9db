"""The catalogue of 1,000 entries against plain mkdocs-material building the same pages."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import generate
from measure import Metric, cost

NUMBER = 1_000
PSREG = str(Path(sys.executable).parent / "psreg")

CONFIG = """\
site_name: plain
theme: {name: material, font: false}
plugins: [search, tags]
markdown_extensions: [pymdownx.highlight, pymdownx.superfences, tables, admonition]
not_in_nav: /entries/
nav: [Home: index.md]
"""


def _page(name: str, artifact: dict) -> str:
    """Return the entry as one Markdown page: what a plain mkdocs site would be made of."""
    phases = "\n".join(
        f"| {p['name']} | {p['description']} | {p['facilitator_role']} |"
        for p in artifact["game_structure"]["phases"]
    )
    techniques = "\n".join(
        f"| {t['name']} | {t['purpose']} | {t['example']} |"
        for t in artifact["facilitator_techniques"]["techniques"]
    )
    philosophy = "\n".join(f"| {k} | {v} |" for k, v in artifact["core_philosophy"].items())
    meta = "\n".join(f"| {k} | {v} |" for k, v in artifact["meta_instructions"].items())
    code = json.dumps(artifact, indent=2)
    return (
        f"---\ntags: [interactive, bench, made]\n---\n\n# {name}\n\n{artifact['description']}\n\n"
        f"## Install\n\n```sh\npsreg install {name}\n```\n\n"
        f"## Philosophy\n\n| key | text |\n|---|---|\n{philosophy}\n\n"
        f"## Phases\n\n| name | what | role |\n|---|---|---|\n{phases}\n\n"
        f"## Techniques\n\n| name | purpose | example |\n|---|---|---|\n{techniques}\n\n"
        f"## Meta\n\n| key | text |\n|---|---|\n{meta}\n\n"
        f"## Artifact\n\n```json\n{code}\n```\n"
    )


def metrics():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / "checkout"
        generate.registry(root, NUMBER, "REG011")
        env = {**os.environ, "PSREG_HOME": str(folder / "home"), "NO_MKDOCS_2_WARNING": "1"}
        subprocess.run([PSREG, "publish", "--quiet"], cwd=root, env=env, check=True)
        docs = folder / "plain/docs"
        (docs / "entries").mkdir(parents=True)
        (folder / "plain/mkdocs.yml").write_text(CONFIG)
        (docs / "index.md").write_text("# Home\n")
        for n in range(NUMBER):
            artifact = json.loads(generate.engine(f"made_{n}", n))
            page = _page(f"made_{n}", artifact)
            (docs / f"entries/made_{n}.md").write_text(page)
            (docs / f"entries/made_{n}-1.0.0.md").write_text(page)  # the page of the version
        command = [PSREG, "site", "build", "--out", str(folder / "site")]
        ours = statistics.median(cost(command, env=env, cwd=str(root)).wall for _ in range(3))
        plain = cost(
            [sys.executable, "-m", "mkdocs", "build", "--quiet"], env=env, cwd=str(folder / "plain")
        )
        yield Metric(
            "site of 1,000 entries, wall s, vs plain mkdocs-material", ours, 0.1, plain.wall
        )
