"""The catalogue against plain mkdocs-material building the same pages; what one release changes.

And the size of a site of 5,000 entries, and what 50,000 need.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import generate
from measure import Metric, cost

NUMBER, MANY, MOST = 1_000, 5_000, 50_000
FILES = 12
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
    yield _whole(NUMBER, 1 / 12)
    yield from _change()


def large():
    """Measure sites that take long: mkdocs alone needs many minutes for 5,000 entries."""
    yield _whole(MANY, 1 / 25)
    with tempfile.TemporaryDirectory() as name:
        root, env = _registry(Path(name), MOST)
        took = _built(root, env, Path(name, "site"))
        yield Metric(f"site of {MOST:,} entries, wall s", took.wall, 60)
        yield Metric(f"site of {MOST:,} entries, MB", took.megabytes, 400)


def _registry(folder, number):
    """Publish a registry of `number` entries; return its checkout and the environment for psreg."""
    root = folder / "checkout"
    generate.registry(root, number, "REG011")
    env = {**os.environ, "PSREG_HOME": str(folder / "home"), "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([PSREG, "publish", "--quiet"], cwd=root, env=env, check=True)
    return root, env


def _built(root, env, out):
    return cost([PSREG, "site", "build", "--out", str(out)], env=env, cwd=str(root))


def _whole(number, limit):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root, env = _registry(folder, number)
        docs = folder / "plain/docs"
        (docs / "entries").mkdir(parents=True)
        (folder / "plain/mkdocs.yml").write_text(CONFIG)
        (docs / "index.md").write_text("# Home\n")
        for n in range(number):
            artifact = json.loads(generate.engine(f"made_{n}", n))
            page = _page(f"made_{n}", artifact)
            (docs / f"entries/made_{n}.md").write_text(page)
            (docs / f"entries/made_{n}-1.0.0.md").write_text(page)  # the page of the version
        ours = statistics.median(_built(root, env, folder / f"site{n}").wall for n in range(3))
        plain = cost(
            [sys.executable, "-m", "mkdocs", "build", "--quiet"], env=env, cwd=str(folder / "plain")
        )
        what = f"site of {number:,} entries, wall s, vs plain mkdocs-material"
        return Metric(what, ours, limit, plain.wall)


def _change():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root, env = _registry(folder, MANY)
        out = folder / "site"
        _built(root, env, out)
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        yield Metric("site of 5,000 entries, all files, bytes an entry", size / MANY, 60_000)
        took, written = [], []
        for n in range(5):
            before = _files(out)
            generate.version(root, f"made_{n}", n, "1.1.0")
            subprocess.run([PSREG, "publish", "--quiet"], cwd=root, env=env, check=True)
            took.append(_built(root, env, out).cpu)
            after = _files(out)
            written.append([path for path in after if after[path] != before.get(path)])
        yield Metric(
            "site of 5,000 entries changed by one release, CPU s", statistics.median(took), 0.3
        )
        others = [sum(not p.startswith("registry/") for p in paths) for paths in written]
        yield Metric("the same, files written besides copies of the registry's", max(others), FILES)


def _files(out):
    """Return the identity of each file by path, without psreg's own note about the folder."""
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != ".psreg-site")
    return {path.relative_to(out).as_posix(): path.stat().st_ino for path in paths}
