"""A person at a machine: runs the real command line with a home of its own."""

from __future__ import annotations

import json
import os
import pty
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from support.terminals import read_until
from support.warm_psreg import run_psreg, running_psreg

OUTCOMES: list[tuple[int, str]] = []
"""Exit code and error code, or "", of every command that the running test has run."""

_ERROR_IN_JSON = re.compile(r'\{\s*"schema": "[^"]*",\s*"error": \{\s*"code": "([A-Z_]+)"')
_ERROR = re.compile(r"^psreg: error\[([A-Z_]+)\]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)

    @property
    def refusal(self) -> tuple[int, str]:
        """Exit code and error code of a command that was run with `--format json`."""
        return self.code, self.json["error"]["code"]


class Client:
    """`PSREG_HOME` and working directory of one person."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.place = folder / "place"
        self.place.mkdir(parents=True)
        self.library = self.home / "data" / "library"
        self.state = self.home / "data" / "registries"

    def run(self, *argv: object, cwd: Path | None = None, typed: str = "", **env: str) -> Outcome:
        """Run `psreg argv…`; keywords are environment variables."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PSREG_", "XDG_"))}
        environment = {**clean, "PSREG_HOME": str(self.home), **env}
        done = run_psreg(*argv, stdin=typed, cwd=cwd or self.place, env=environment, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        OUTCOMES.append((done.returncode, _error_code(done.stdout, done.stderr)))
        return Outcome(code=done.returncode, out=done.stdout, err=done.stderr)

    def asked(self, *argv: object, question: str, typed: str, **env: str) -> Outcome:
        """Run `psreg argv…` at a terminal, and type an answer when it asks the question."""
        ours, theirs = pty.openpty()
        environment = {**os.environ, "PSREG_HOME": str(self.home), **env}
        with (
            TemporaryFile() as out,
            running_psreg(
                *argv, streams=[theirs, out, theirs], cwd=self.place, env=environment
            ) as ended,
        ):
            os.close(theirs)
            said = read_until(ours, question.encode())
            os.write(ours, f"{typed}\n".encode())
            code = ended()
            out.seek(0)
            outcome = Outcome(code=code, out=out.read().decode(), err=said.decode())
        os.close(ours)
        return outcome

    def trust(self, url: str, pin: str) -> None:
        """Write the settings that `psreg registry add URL --root-sha256 PIN` writes."""
        settings = self.home / "config" / "config.toml"
        settings.parent.mkdir(parents=True)
        table = f'[registries.main]\nurl = "{url}"\nroot_sha256 = "{pin}"\n'
        settings.write_text(f'registry = "main"\n\n{table}')

    def refused(self, *argv: object) -> tuple[int, str]:
        """Run a command with `--format json`, and return its exit code and error code.

        It changes nothing that is installed, and nothing where it runs, a lock file among that.
        """
        before = self.library_content(), _content(self.place)
        refusal = self.run(*argv, "--format", "json").refusal
        assert (self.library_content(), _content(self.place)) == before
        return refusal

    def library_content(self) -> dict[str, bytes]:
        """Return the files of the library with their content, receipts among them."""
        return _content(self.library)

    def installed(self) -> list[str]:
        """Return the files of the library, hidden ones left out."""
        files = (p for p in self.library.rglob("*") if p.is_file() and p.name != ".lock")
        return sorted(str(path.relative_to(self.library)) for path in files)


def _content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _error_code(out: str, err: str) -> str:
    """Return the code of the error that a command told, as text or as JSON; "" for none."""
    if found := _ERROR.search(err):
        return found[1]
    found = _ERROR_IN_JSON.match(out)
    return found[1] if found else ""
