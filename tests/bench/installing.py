"""An install of one small package from a loopback server: psreg, pip, npm and uv side by side.

Every cold run has a new home and no cache; one server process serves all. psreg, pip and uv use one
environment, in which nothing but Python's own code runs before theirs. psreg's time includes
the whole of The Update Framework's verification; nothing of the kind happens in the others. A warm
run of psreg finds what it installs installed, and a registry that has not changed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import generate
import psreg
from measure import Cost, Metric, cost, side_by_side

RUNS = 15
DELAY = 0.025
"""Seconds before each answer of a server that is far away."""
PSREG = str(Path(sys.executable).parent / "psreg")

SERVER = """
import functools, http.server, socket, sys, time
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {"": "application/octet-stream", ".html": "text/html", ".json": "application/json"}
    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    def do_GET(self):
        time.sleep(float(sys.argv[2]))
        super().do_GET()
    def log_message(self, *_): pass
handler = functools.partial(Handler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def _wheel(folder: Path) -> None:
    name = folder / "tiny-1.0.0-py3-none-any.whl"
    info = "tiny-1.0.0.dist-info"
    with zipfile.ZipFile(name, "w") as wheel:
        wheel.writestr("tiny.py", "x = 1\n" * 900)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(
            f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    (folder / "index.html").write_text(f'<!DOCTYPE html><a href="{name.name}">{name.name}</a>')


def _npm(folder: Path, base: str) -> None:
    """Write a package for npm; its description names the address of its file."""
    manifest = json.dumps({"name": "tiny", "version": "1.0.0"}).encode()
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in (("package.json", manifest), ("index.js", b"//x\n" * 1200)):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    (folder / "tiny-1.0.0.tgz").write_bytes(data.getvalue())
    digest = base64.b64encode(hashlib.sha512(data.getvalue()).digest()).decode()
    dist = {"tarball": f"{base}/npm-files/tiny-1.0.0.tgz", "integrity": f"sha512-{digest}"}
    version = {"name": "tiny", "version": "1.0.0", "dist": dist}
    packument = {"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    (folder.parent / "npm" / "tiny").write_text(json.dumps(packument))


def _publish(root: Path, site: Path) -> str:
    generate.registry(root, 40, "REG011")
    env = {**os.environ, "PSREG_HOME": str(root.parent / "maintainer")}
    done = subprocess.run(
        [PSREG, "publish", "--format", "json"], cwd=root, env=env, check=True, capture_output=True
    )
    shutil.copytree(root / "registry", site / "registry")
    shutil.copytree(root / "pbes", site / "pbes")
    return json.loads(done.stdout)["root_sha256"]


def _installed(folder: Path) -> Path:
    """Return the programs of an environment with psreg and pip, as a person has it.

    That of developers has modules that run whenever Python begins, for coverage and setuptools.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    programs = folder / "bin"
    modules = (sysconfig.get_path("purelib"), str(Path(psreg.__file__).parents[1]))
    where = sysconfig.get_path("purelib", "venv", vars={"base": str(folder)})
    (Path(where) / "modules.pth").write_text("\n".join(modules))
    _, *lines = Path(PSREG).read_text().splitlines()
    script = programs / "psreg"
    script.write_text("\n".join((f"#!{programs}/python", *lines)))
    script.chmod(0o755)
    return programs


@contextmanager
def _serving(site: Path, delay: float) -> Iterator[str]:
    command = [sys.executable, "-c", SERVER, str(site), str(delay)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.terminate()
        server.wait()


def metrics():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site = folder / "site"
        for part in ("simple/tiny", "npm", "npm-files"):
            (site / part).mkdir(parents=True)
        pin = _publish(folder / "checkout", site)
        programs = _installed(folder / "environment")
        _wheel(site / "simple/tiny")
        peers = [name for name in ("npm", "uv") if shutil.which(name)]
        with _serving(site, 0) as base:
            _npm(site / "npm-files", base)
            yield from _on_loopback(_Installs(folder, base, pin, programs), peers)
        with _serving(site, DELAY) as base:
            _npm(site / "npm-files", base)
            yield from _from_afar(_Installs(folder, base, pin, programs), peers)


def _on_loopback(installs: _Installs, peers: list[str]):
    commands = ["psreg", "warm", "pip", *peers]
    took = _took(installs, commands)
    for unit in ("CPU", "wall"):
        what = f"install one entry, cold, loopback, {unit} s"
        ours = getattr(took["psreg"], unit.lower())
        yield Metric(
            f"{what}, vs pip install --no-deps --no-cache-dir", ours, 0.32, _of(took, "pip", unit)
        )
        yield Metric(f"{what}, vs npm install", ours, 0.36, _of(took, "npm", unit))
        yield Metric(f"{what}, vs uv pip install --no-cache", ours, 1.5, _of(took, "uv", unit))
        what = f"install one entry, warm and unchanged, loopback, {unit} s"
        ours = getattr(took["warm"], unit.lower())
        yield Metric(f"{what}, vs a cold npm install", ours, 0.15, _of(took, "npm", unit))
        yield Metric(f"{what}, vs uv pip install --no-cache", ours, 0.8, _of(took, "uv", unit))


def _from_afar(installs: _Installs, peers: list[str]):
    took = _took(installs, ["psreg", *peers])
    what = "install one entry, cold, 25 ms per response, wall s"
    yield Metric(f"{what}, vs npm install", took["psreg"].wall, 0.7, _of(took, "npm", "wall"))
    yield Metric(
        f"{what}, vs uv pip install --no-cache", took["psreg"].wall, 2.0, _of(took, "uv", "wall")
    )


def _took(installs: _Installs, commands: list[str]) -> dict[str, Cost]:
    runs = [getattr(installs, f"with_{name}") for name in commands]
    return dict(zip(commands, side_by_side(RUNS, *runs), strict=True))


def _of(took: dict[str, Cost], peer: str, unit: str) -> float | str:
    return getattr(took[peer], unit.lower()) if peer in took else f"{peer} is not installed"


class _Installs:
    """Installs of one package from the server at `base`, whose registry has the root `pin`."""

    def __init__(self, folder: Path, base: str, pin: str, programs: Path) -> None:
        self._folder, self._base, self._pin = folder, base, pin
        self._python, self._program = str(programs / "python"), str(programs / "psreg")
        left_out = ("PIP_", "npm_", "PSREG_", "UV_")
        self._bare = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
        self._warm: dict[str, str] | None = None

    def _fresh(self) -> tuple[str, dict[str, str]]:
        home = Path(tempfile.mkdtemp(dir=self._folder))
        return str(home), {**self._bare, "HOME": str(home), "PIP_CONFIG_FILE": os.devnull}

    def _trusting(self) -> dict[str, str]:
        _, env = self._fresh()
        # Adding the registry is done once in a person's life; its time is not the install's.
        cost([self._program, "registry", "add", self._base, "--root-sha256", self._pin], env=env)
        return env

    def with_psreg(self) -> Cost:
        return self._psreg(self._trusting())

    def with_warm(self) -> Cost:
        if self._warm is None:
            self._warm = self._trusting()
            self._psreg(self._warm)
        return self._psreg(self._warm)

    def _psreg(self, env: dict[str, str]) -> Cost:
        return cost([self._program, "install", "made_7", "--registry", self._base], env=env)

    def with_pip(self) -> Cost:
        home, env = self._fresh()
        options = ("--no-deps", "--no-cache-dir", "--disable-pip-version-check")
        where = ("--index-url", f"{self._base}/simple", "--target", f"{home}/out")
        pip = [self._python, "-m", "pip", "install", *options, *where, "tiny"]
        return cost(pip, env=env)

    def with_uv(self) -> Cost:
        home, env = self._fresh()
        where = ("--index-url", f"{self._base}/simple", "--target", f"{home}/out")
        options = ("--no-cache", "--no-deps", "--no-config", "--python", self._python)
        return cost(["uv", "pip", "install", *options, *where, "tiny"], env=env)

    def with_npm(self) -> Cost:
        home, env = self._fresh()
        options = ("--no-audit", "--no-fund", "--cache", f"{home}/cache")
        where = ("--registry", f"{self._base}/npm")
        return cost(["npm", "install", *where, *options, "tiny"], env=env, cwd=home)
