"""`psreg audit`: the list that an auditor gets, and its exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from support.paths import PBES
from support.pipelines import git
from support.warm_psreg import run_psreg

APPROVED = (
    "=HYPERLINK(1)",
    "\x1b[31mred",
    "Ana <ana@example.org>",
    "+SUM(1)",
    "x;@y, ; -1",
    "\uff1d1",
)
MESSAGE = "Add it\n\n" + "".join(f"Reviewed-by: {name}\n" for name in APPROVED)
FOLDER = "pbes/prompt/email_reply/1.0.0"


class Checkout:
    """A registry in a Git repository."""

    def __init__(self, root: Path) -> None:
        self.root = root / "checkout"
        self.env = {**os.environ, "PSREG_HOME": str(root / "home")}
        shutil.copytree(PBES / "prompt/email_reply", self.root / "pbes/prompt/email_reply")
        (self.root / "registry").mkdir()
        shutil.copy(PBES.parent / "registry/policy.toml", self.root / "registry")
        git("init", "--quiet", cwd=self.root)
        git("add", "--all", cwd=self.root)
        git("commit", "--quiet", "--message", MESSAGE, cwd=self.root)
        self.commit = git("rev-parse", "HEAD", cwd=self.root)

    def run(self, *words: str, cwd: Path | None = None):
        return run_psreg(*words, cwd=cwd or self.root, env=self.env, text=True)

    def rows(self, *words: str, code: int = 0) -> list[dict]:
        done = self.run("audit", "--format", "json", *words)
        assert (done.returncode, done.stderr) == (code, "")
        return json.loads(done.stdout)["releases"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = Checkout(tmp_path)
    assert found.run("publish", "-q").returncode == 0
    return found


def test_a_release_with_all_that_is_known(checkout: Checkout) -> None:
    (row,) = checkout.rows()
    assert (row["index"], row["name"], row["version"]) == (0, "email_reply", "1.0.0")
    assert (row["commit"], row["approved_by"]) == (
        checkout.commit,
        [*APPROVED],
    )
    assert [waived["code"] for waived in row["waived"]] == ["REG011"]
    assert (row["problems"], row["yanked"]) == ([], None)
    done = checkout.run("audit")
    assert done.returncode == 0
    assert done.stderr == "1 release compared, 0 with problems\n"
    for word in ("email_reply 1.0.0", row["sha256"][:12], checkout.commit[:12], "waived REG011"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout


def test_what_disagrees_is_listed_whatever_its_date(checkout: Checkout) -> None:
    assert checkout.rows("--since", "2099-01-01") == []
    (checkout.root / FOLDER / "README.md").unlink()
    (row,) = checkout.rows("--since", "2099-01-01", code=1)
    assert row["problems"] == [f"{FOLDER}/README.md is missing"]
    done = checkout.run("audit")
    assert (done.returncode, done.stderr) == (1, "1 release compared, 1 with problems\n")
    assert f"problem: {FOLDER}/README.md is missing" in done.stdout


def test_what_was_withdrawn_is_listed_from_that_day_on(checkout: Checkout) -> None:
    assert checkout.run(
        "revoke", "--reason", "It sends answers to a stranger.", "email_reply@1.0.0"
    ).returncode == 0  # fmt: skip
    assert checkout.run("publish", "-q").returncode == 0

    def listed(day: str) -> list[str]:
        done = checkout.run("audit", "--format", "json", "--since", day)
        return [each["kind"] for each in json.loads(done.stdout)["actions"]]

    assert listed("2026-01-01") == ["revoke"]
    assert listed("2099-01-01") == []
    assert "revoke email_reply" not in checkout.run("audit", "--since", "2099-01-01").stdout


def test_a_link_is_not_the_file(checkout: Checkout, tmp_path: Path) -> None:
    readme = checkout.root / FOLDER / "README.md"
    readme.rename(tmp_path / "elsewhere.md")
    readme.symlink_to(tmp_path / "elsewhere.md")
    (row,) = checkout.rows(code=1)
    assert row["problems"] == [f"{FOLDER}/README.md is missing"]


def test_a_table_for_a_spreadsheet(checkout: Checkout) -> None:
    done = checkout.run("audit", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["index"], row["name"], row["waived"]) == ("0", "email_reply", "REG011")
    assert row["approved_by"] == (
        "'=HYPERLINK(1); \\u{001b}[31mred; Ana <ana@example.org>; '+SUM(1); x;'@y, ; '-1; '\uff1d1"
    )
    assert list(row) == list(checkout.rows()[0])


def test_without_git(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / ".git")
    (row,) = checkout.rows()
    assert (row["commit"], row["merged"], row["approved_by"]) == (None, None, [])


def test_a_log_that_was_damaged(checkout: Checkout) -> None:
    tile = checkout.root / "registry/log/tile/entries/000.p/1"
    tile.write_bytes(tile.read_bytes()[:-1])
    done = checkout.run("audit", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (3, "TRUST_LOG")


@pytest.mark.parametrize(
    "day", ["yesterday", "2026-1-1", "20261101", "2026-02-30", "２０２６-11-01"]
)
def test_days_that_are_none(checkout: Checkout, day: str) -> None:
    done = checkout.run("audit", "--since", day)
    assert done.returncode == 2
    assert "is not a day" in done.stderr


def test_nothing_to_audit(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.run("audit", cwd=tmp_path).returncode == 4
    assert checkout.run("audit", "no_such_folder").returncode == 4
    done = checkout.run("audit", "--registry-dir", "elsewhere")
    assert (done.returncode, "nothing is published" in done.stderr) == (4, True)
