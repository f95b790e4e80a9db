"""What pinning the prompts of a project costs: resolving, fetching and verifying many."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import generate
from installing import PSREG, SERVER
from measure import Metric
from psreg.core.version import Range, parse_version
from psreg.registry.requirements.resolution import Offer, Requirement, resolve

NAMES, VERSIONS, REQUIREMENTS = 1_000, 5, 3
FILES = 500


def metrics():
    yield _resolving("newest versions fit", conflicts=0)
    yield _resolving("20 need a search", conflicts=20)
    yield from _syncing()


class _Shelf:
    """Releases in memory: five of each name, each of which requires three names after its own.

    The newest of the first `conflicts` names require something that nothing satisfies together.
    """

    def __init__(self, conflicts):
        pick = random.Random(7)
        self._names = [f"p{at:04}" for at in range(NAMES)]
        self._requires = {}
        for at, name in enumerate(self._names):
            for major in range(1, VERSIONS + 1):
                later = self._names[at + 1 :]
                others = pick.sample(later, min(REQUIREMENTS, len(later)))
                self._requires[name, f"{major}.0.0"] = [_wanted(n, ">=1.0.0") for n in others]
            if at < conflicts:
                self._requires[name, f"{VERSIONS}.0.0"] = [_wanted(self._names[-1], "^1")]
        self.roots = [_wanted(name, "*") for name in self._names[:-1]]
        self.roots.append(_wanted(self._names[-1], ">=2.0.0" if conflicts else "*"))

    def offers(self, _name, *, required_by):  # noqa: ARG002 - the port
        versions = [f"{major}.0.0" for major in range(1, VERSIONS + 1)]
        return [Offer(version=each, semver=parse_version(each)) for each in versions]

    def requires(self, name, version):
        return self._requires[name, version]


def _wanted(name, text):
    return Requirement(name=name, range=Range.parse(text))


def _resolving(what, conflicts):
    shelf = _Shelf(conflicts)
    began = time.process_time()
    found = resolve(shelf.roots, shelf)
    spent = time.process_time() - began
    assert len(found) == NAMES
    return Metric(
        f"resolve 1,000 names, 5,000 releases, 3,000 requirements ({what}), CPU s", spent, 2
    )


def _syncing():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate.registry(folder / "checkout", FILES, "REG011")
        done = subprocess.run(
            [PSREG, "publish", "--format", "json"], cwd=folder / "checkout",
            env={**os.environ, "PSREG_HOME": str(folder / "maintainer")}, check=True, capture_output=True,
        )  # fmt: skip
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(folder / "checkout"), "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            base = f"http://127.0.0.1:{int(server.stdout.readline())}"
            yield from _synced(folder, base, json.loads(done.stdout)["root_sha256"])
        finally:
            server.terminate()
            server.wait()


def _synced(folder, base, pin):
    project = folder / "project"
    project.mkdir()
    lines = "".join(f'made_{at} = "*"\n' for at in range(FILES))
    (project / "psreg.toml").write_text(f"[prompts]\n{lines}")

    def run(home, *command):
        env = {**os.environ, "PSREG_HOME": str(folder / home)}
        began = time.perf_counter()
        done = subprocess.run(
            [PSREG, *command], cwd=project, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return time.perf_counter() - began

    run("first", "registry", "add", base, "--root-sha256", pin)
    run("first", "lock")
    run("second", "registry", "add", base, "--root-sha256", pin)
    yield Metric(f"sync {FILES} locked prompts, cold, s", run("second", "sync"), 3)
    yield Metric(f"sync {FILES} locked prompts, nothing to do, s", run("second", "sync"), 3)
    yield Metric(f"verify {FILES} locked prompts, s", run("second", "verify"), 3)
    bill = ("list", "--format", "cyclonedx")
    yield Metric(f"bill of materials of {FILES} locked prompts, s", run("second", *bill), 3)
    shutil.rmtree(project / "prompts")
    yield Metric(
        f"install --frozen {FILES} prompts, warm cache, s", run("second", "install", "--frozen"), 3
    )
