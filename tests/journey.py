"""All that a client does, on any system: find, install, use, verify, lock and remove prompts.

`python tests/journey.py` tries it with the psreg that is installed. The registry is on loopback,
and everything it makes is in a temporary folder. It needs nothing but psreg.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

from simulator import Simulator
from support.loopback import serving

TEXT = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello {name}, grüß dich!\n"
QUIZ = b'{"pbe_name": "quiz_master", "pbe_version": "%s"}\n'
UPPER, LOWER = "2.0.0-RC.1", "2.0.0-rc.1"
"""Two versions, and one folder where letter case does not count."""

OUT, HERE = r"out\dir", r"reg\istry"
"""Two folders on Windows, and elsewhere one whose name contains a backslash."""


class Journey:
    """A person with a home, in a folder, who runs a program."""

    def __init__(self, program: Sequence[str], folder: Path, more: Mapping[str, str]) -> None:
        self.program, self.place = program, folder / "place with blanks"
        self.place.mkdir()
        home = {"PSREG_HOME": str(folder / r"home\of" / "a person")}
        self.env = {**os.environ, "PYTHONUTF8": "1", **home, **more}

    def run(self, *arguments: str, code: int = 0, said: str = "") -> str:
        """Run a command; return its standard output."""
        done = subprocess.run(
            [*self.program, *arguments],
            cwd=self.place,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        told = done.stdout + done.stderr
        right = done.returncode == code and said in told and "Traceback" not in told
        assert right, f"psreg {' '.join(arguments)}: {done.returncode}\n{told}"
        return done.stdout


def registry() -> Simulator:
    """Return a registry with two prompts, one of them in versions of all kinds."""
    made = Simulator()
    made.release("greeting", entry_class="prompt", data=TEXT.encode())
    for version in ("1.0.0", UPPER, LOWER):
        made.release("quiz_master", version, QUIZ % version.encode())
    return made.publish()


def find_and_use(person: Journey) -> None:
    """Search, install, show, render, copy and verify."""
    person.run("search", "greeting", said="greeting")
    person.run("info", "Quiz-Master", said="1.0.0")
    person.run("install", "greeting", "Quiz-Master", said="installed quiz_master 1.0.0")
    person.run("install", "greeting", said="already installed greeting")
    person.run("install", "greeting", "--offline", said="already installed greeting")
    assert len(person.run("list").splitlines()) == 2
    assert person.run("show", "--raw", "greeting") == TEXT
    person.run("show", "quiz_master")
    assert (
        person.run("render", "greeting", "--set", "name=Änne").strip() == "Hello Änne, grüß dich!"
    )
    person.run("render", "greeting", code=1, said="MISSING_VALUES")
    person.run("copy", "quiz_master", said="copied quiz_master")
    assert Path(person.run("path", "greeting").strip()).read_bytes() == TEXT.encode()
    person.run("verify", said="greeting 1.0.0: verified")
    person.run("completion", "words", "show", "gr", said="greeting")
    person.run("explain", "PBE006", said="version-not-semver")
    person.run("check", "-", code=2, said="UNKNOWN_FORMAT")


def tamper(person: Journey) -> None:
    """Change an installed file, see that nothing uses it, and restore it."""
    place = Path(person.run("path", "greeting").strip())
    place.write_bytes(TEXT.encode() + b" ")
    for command in ("show", "render", "copy", "path", "verify"):
        person.run(command, "greeting", code=3, said="TRUST_DIGEST")
    person.run("install", "greeting", said="installed greeting")
    person.run("verify", "greeting", said="verified")


def unusual_names(person: Journey) -> None:
    """Use versions that differ by case only, paths with backslashes, and devices of Windows."""
    for version in (UPPER, LOWER, UPPER):
        person.run("install", f"quiz_master@{version}", said=f"installed quiz_master {version}")
        assert person.run("show", "--raw", "quiz_master") == (QUIZ % version.encode()).decode()
        assert len(person.run("list").splitlines()) == 2
    person.run("install", "greeting", "--to", OUT)
    file = str(Path(OUT, "greeting.prompt"))
    assert person.run("show", "--raw", file) == TEXT
    person.run("render", rf".\{file}" if os.name == "nt" else file, "--set", "name=you")
    person.run("install", rf".\{file}", code=2, said="A file needs no installation")
    for device in ("CON", "nul", "Aux", "com1", "NUL@1.0.0"):
        for command in ("install", "show", "copy", "info", "path", "uninstall"):
            person.run(command, device, code=2, said="BAD_NAME")


def folders(person: Journey, made: Simulator) -> None:
    """Use a registry in a folder."""
    made.store(person.place / HERE)
    person.run("registry", "add", HERE, "--name", "here", said="added here")
    assert str(person.place / HERE) in person.run("registry", "list")
    person.run("search", "--registry", "here", said="greeting")
    person.run("search", "--registry", HERE, said="greeting")
    person.run("registry", "remove", "here", said="removed here")


def projects(person: Journey) -> None:
    """Lock prompts in a project, write them again from the cache, and export one."""
    person.run("add", "greeting", "Quiz-Master", said="locked quiz_master 1.0.0")
    file = person.place / "prompts/greeting.prompt"
    assert file.read_bytes() == TEXT.encode()
    file.unlink()
    person.run("lock", "--check")
    person.run("install", "--frozen", "--offline", said="written")
    assert file.read_bytes() == TEXT.encode()
    file.write_bytes(TEXT.encode() + b" ")
    person.run("sync", code=1, said="FILE_CHANGED")
    person.run("show", "greeting", code=3, said="TRUST_DIGEST")
    person.run("sync", "--overwrite", said="written")
    person.run("verify", "greeting", said="greeting 1.0.0: verified")
    manifest = person.place / "psreg.toml"
    manifest.write_bytes(manifest.read_bytes().replace(b"\n", b"\r\n") + b"[policy]\r\n")
    person.run("lock", "--check")
    for command in ("outdated", "tree", "why greeting", "update --dry-run"):
        person.run(*command.split())
    person.run("export", "quiz_master", "--target", "text", "--to", OUT)
    assert (person.place / OUT / "quiz_master.txt").read_bytes() == QUIZ % b"1.0.0"
    person.run("cache", "verify", said=": 0 damaged")
    person.run("mirror", "mirror")
    person.run("cache", "clean", said="deleted")
    person.run("remove", "greeting", "quiz_master", said="no longer locked greeting")
    assert not file.exists()
    manifest.unlink()


def journey(program: Sequence[str], folder: Path, more: Mapping[str, str]) -> None:
    """Make the whole journey with a program, below a folder, with more variables."""
    person = Journey(program, folder, more)
    made = registry()
    with serving(made.files) as server:
        person.run("search", "--registry", server.url, code=3, said="TRUST_UNPINNED")
        person.run("registry", "add", server.url, "--root-sha256", made.pin, "--name", "main")
        find_and_use(person)
        tamper(person)
        unusual_names(person)
        person.run("verify", "--registry", server.url, said="verified")
        projects(person)
    folders(person, made)
    person.run("uninstall", "greeting", "quiz_master", said="removed greeting")
    assert person.run("list") == ""


if __name__ == "__main__":
    with TemporaryDirectory(prefix="psreg-journey-") as name:
        journey([sys.executable, "-m", "psreg"], Path(name), {})
    print("the journey is complete")
