"""A cold install of one small package from a loopback server: psreg, pip and npm side by side.

Every run has a new home and no cache; one server process serves all three. psreg's time includes
the whole of The Update Framework's verification; nothing of the kind happens in the others.
"""

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import generate
from measure import Metric, cost, side_by_side

RUNS = 15
PSREG = str(Path(sys.executable).parent / "psreg")

SERVER = """
import functools, http.server, socket, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {"": "application/octet-stream", ".html": "text/html", ".json": "application/json"}
    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
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


def metrics():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site = folder / "site"
        for part in ("simple/tiny", "npm", "npm-files"):
            (site / part).mkdir(parents=True)
        pin = _publish(folder / "checkout", site)
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(site)], stdout=subprocess.PIPE, text=True
        )
        try:
            base = f"http://127.0.0.1:{int(server.stdout.readline())}"
            _wheel(site / "simple/tiny")
            _npm(site / "npm-files", base)
            yield from _compare(folder, base, pin)
        finally:
            server.terminate()
            server.wait()


def _compare(folder: Path, base: str, pin: str):
    count = iter(range(1_000_000))
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "npm_", "PSREG_"))}

    def fresh() -> tuple[str, dict[str, str]]:
        home = folder / f"home{next(count)}"
        home.mkdir()
        return str(home), {**bare, "HOME": str(home), "PIP_CONFIG_FILE": os.devnull}

    def with_psreg():
        _, env = fresh()
        # Adding the registry is done once in a person's life; its time is not the install's.
        cost([PSREG, "registry", "add", base, "--root-sha256", pin], env=env)
        return cost([PSREG, "install", "made_7", "--registry", base], env=env)

    def with_pip():
        home, env = fresh()
        return cost(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--no-deps",
                "--no-cache-dir",
                "--disable-pip-version-check",
                "--index-url",
                f"{base}/simple",
                "--target",
                f"{home}/out",
                "tiny",
            ],
            env=env,
        )

    def with_npm():
        home, env = fresh()
        return cost(
            [
                "npm",
                "install",
                "--registry",
                f"{base}/npm",
                "--no-audit",
                "--no-fund",
                "--cache",
                f"{home}/cache",
                "tiny",
            ],
            env=env,
            cwd=home,
        )

    candidates = [with_psreg, with_pip] + ([with_npm] if shutil.which("npm") else [])
    psreg, pip, *npm = side_by_side(RUNS, *candidates)
    for unit, seconds in (("CPU", lambda cost: cost.cpu), ("wall", lambda cost: cost.wall)):
        what = f"install one entry, cold, loopback, {unit} s"
        ours, peer = seconds(psreg), seconds(npm[0]) if npm else "npm is not installed"
        yield Metric(f"{what}, vs pip install --no-deps --no-cache-dir", ours, 0.45, seconds(pip))
        yield Metric(f"{what}, vs npm install", ours, 0.42, peer)
