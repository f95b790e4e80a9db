"""A registry that is published again and again by the command line, and its sites."""

from __future__ import annotations

import json
import os
from pathlib import Path

from support.histories import Tree
from support.publishing import NOW, files
from support.warm_psreg import run_psreg


class World:
    """A registry that is published again and again, and its sites."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.checkout = root / "checkout"

    def put(self, content: Tree) -> None:
        for path, data in content.items():
            (self.checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (self.checkout / path).write_bytes(data)

    def run(self, *words: str, code: int = 0) -> str:
        env = {**os.environ, "PSREG_HOME": str(self.root / "home")}
        env["SOURCE_DATE_EPOCH"] = str(int(NOW.timestamp()))
        done = run_psreg(*words, cwd=self.checkout, env=env, text=True)
        assert done.returncode == code, done
        return done.stderr if code else done.stdout

    def publish(self, content: Tree) -> None:
        self.put(content)
        self.run("publish", "--quiet")

    def build(self, *options: str, out: str = "site") -> dict[str, object]:
        base = ("--base-url", "https://example.org/p/")
        said = self.run(
            "site", "build", "--out", str(self.root / out), *base, *options, "--format", "json"
        )
        found: dict[str, object] = json.loads(said)
        return found

    def site(self, out: str = "site") -> dict[str, bytes]:
        return files(self.root / out)

    def whole(self) -> dict[str, bytes]:
        self.build("--full", out="whole")
        return self.site("whole")
