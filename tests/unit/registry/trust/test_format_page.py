"""The page about the registry format: its commands check a registry that psreg published."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from support.paths import ROOT
from support.publishing import entry, release

PAGE = ROOT / "site/docs" / "registry-format.md"

TREE = entry("email_reply", "1.0.0", "1.1.0") | entry("quiz", "0.1.0")


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    for tool in ("bash", "jq", "openssl", "sha256sum", "xxd"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    for path, data in TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    release(tmp_path / "home", tmp_path / "registry", TREE)
    return tmp_path / "registry"


def run_the_page(registry: Path) -> subprocess.CompletedProcess[str]:
    script = "set -eo pipefail\n" + "\n".join(
        re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    )
    return subprocess.run(
        ["bash", "-c", script], cwd=registry, capture_output=True, text=True, check=False
    )


def test_its_commands_verify_a_registry(registry: Path) -> None:
    done = run_the_page(registry)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Signature Verified Successfully") == 6
    assert done.stdout.count(": OK\n") == 3


@pytest.mark.parametrize("what", ["metadata/timestamp.json", "metadata/1.root.json"])
def test_its_commands_notice_a_change(registry: Path, what: str) -> None:
    data = (registry / what).read_text()
    (registry / what).write_text(re.sub(r'"expires":"\d', '"expires":"9', data, count=1))
    assert run_the_page(registry).returncode != 0


def test_its_commands_notice_a_changed_prompt(registry: Path) -> None:
    artifact = PurePosixPath("pbes/prompt/email_reply/1.1.0/email_reply.prompt")
    (registry.parent / artifact).write_bytes(b"other")
    assert run_the_page(registry).returncode != 0
