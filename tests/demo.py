"""`make demo`: the whole journey of a prompt, with the real commands, on this machine.

check → publish (scratch registry) → site build → serve → registry add → install → verify.
Everything it makes lies in the user's cache folder, keys and all, never in the checkout; a second
run finds the registry there and releases nothing new.
"""

import hashlib
import json
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
DEMO = CACHE / "psreg-demo" / hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
STAYS = "--exit" not in sys.argv[1:]
WANTED = ("socratic_tutor", "pull_request_review")
WAIT_SECONDS = 60

# The demo neither reads nor leaves anything in the home of the person who tries it.
ENVIRONMENT = {**os.environ, "PSREG_HOME": str(DEMO / "home"), "PYTHONWARNINGS": "ignore"}
ENVIRONMENT.pop("PSREG_REGISTRY", None)


def free_port() -> int:
    """Return a port nobody listens on: a demo that ends by itself must not meet another."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


PORT = 8765 if STAYS else free_port()
URL = f"http://127.0.0.1:{PORT}/"


def psreg(*arguments: str, show: bool = True) -> str:
    """Run one psreg command, shown as a person would type it; stop the demo if it fails."""
    if show:
        print(f"\n$ psreg {shlex.join(arguments)}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "psreg", *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if show or done.returncode:
        print(done.stdout, end="", flush=True)
    if done.returncode:
        sys.exit(f"demo: psreg {arguments[0]} ended with exit code {done.returncode}")
    return done.stdout


def answer(*arguments: str) -> dict:
    """Run one psreg command for its JSON answer."""
    return json.loads(psreg(*arguments, "--format", "json", show=False))


def wait_for(server: subprocess.Popen) -> None:
    """Return once the server answers; stop the demo if it ends or stays silent."""
    for _ in range(WAIT_SECONDS * 10):
        if server.poll() is not None:
            sys.exit(f"demo: psreg serve ended with exit code {server.returncode}")
        try:
            with urllib.request.urlopen(URL, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"demo: nothing answers at {URL}")


def main() -> int:
    """Make the journey; with `--exit` stop the server at the end, else leave it running."""
    DEMO.mkdir(parents=True, exist_ok=True)
    registry, site = str(DEMO / "registry"), str(DEMO / "site")

    checked = answer("check", "pbes")["checked"]
    psreg("check", "pbes")
    released = len(answer("publish", "--registry-dir", registry)["released"])
    print(f"\n$ psreg publish --registry-dir {registry}\nreleased {released}")
    serve = ["serve", "--port", str(PORT), "--registry-dir", registry, "--out", site]
    print(f"\n$ psreg {shlex.join(serve)} &", flush=True)
    log = (DEMO / "serve.log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "psreg", *serve],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    keep = False
    try:
        wait_for(server)
        pin = json.loads((Path(site) / "api/v1/index.json").read_bytes())["root_sha256"]
        psreg("registry", "add", URL, "--root-sha256", pin)
        psreg("install", *WANTED, "--registry", URL)
        psreg("list")
        psreg("verify", *WANTED)
        installed = len(answer("list")["installed"])
        verified = sum(not row["problem"] for row in answer("verify", *WANTED)["results"])
        keep = STAYS
    finally:
        if not keep:
            server.terminate()
            server.wait(timeout=30)
    if keep:
        print(f"\nThe catalogue stays at {URL} (process {server.pid}; stop it: kill {server.pid})")
    print(
        f"demo: ok (checked {checked}, released {released}, "
        f"installed {installed}, verified {verified})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
