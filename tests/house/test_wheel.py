"""The wheel is enough: without the repository it checks, publishes, builds and installs."""

import json
import os
import subprocess
import sys
from importlib.metadata import distribution

import pytest

import generate
from support.wheelhouse import closure, wheels_of

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the folder into which the wheel of this repository was installed."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    target = tmp_path_factory.mktemp("installed") / "target"
    subprocess.run([*pip, "install", "--no-deps", "--target", target, wheel], check=True)
    return target


def test_the_whole_journey_without_the_repository(installed, tmp_path):
    checkout = tmp_path / "registry"
    generate.registry(checkout, 3, "REG011")
    env = {**os.environ, "PYTHONPATH": str(installed), "PSREG_HOME": str(tmp_path / "home")}

    def psreg(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "psreg", *arguments],
            cwd=checkout,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    where = subprocess.run(
        [sys.executable, "-c", "import psreg; print(psreg.__file__)"],
        cwd=checkout,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(installed))
    psreg("check", "pbes")
    assert len(json.loads(psreg("publish", "--format", "json"))["released"]) == 3
    psreg("site", "build", "--out", str(tmp_path / "site"))
    assert (tmp_path / "site/interactive_engine/made_1/index.html").is_file()
    psreg("install", "made_1", "--registry", str(tmp_path / "site"), "--to", str(tmp_path / "d"))
    assert (tmp_path / "d/made_1.pbe.txt").read_text() == generate.engine("made_1", 1)


@pytest.fixture(scope="module")
def base(installed, tmp_path_factory):
    """Return what runs psreg with the wheel and what it always needs, and with no extra."""
    folder = tmp_path_factory.mktemp("base")
    for name in closure("psreg"):
        for top in {file.parts[0] for file in distribution(name).files} - {"..", "__pycache__"}:
            (folder / top).symlink_to(distribution(name).locate_file(top))

    def run(*arguments, cwd, psreg=installed):
        return subprocess.run(
            [sys.executable, "-S", "-m", "psreg", *arguments],
            cwd=cwd,
            env={
                **os.environ,
                "PYTHONPATH": f"{psreg}{os.pathsep}{folder}",
                "PSREG_HOME": str(cwd.with_suffix(".home")),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def published(base, tmp_path_factory):
    """Return a published registry in a Git repository."""
    folder = tmp_path_factory.mktemp("registry")
    generate.registry(folder, 2, "REG011")
    for git in (
        ["init", "-q"],
        ["config", "user.name", "a"],
        ["config", "user.email", "a@localhost"],
        ["add", "pbes/*/made_1/*"],
        ["commit", "-qm", "Begin"],
    ):
        subprocess.run(["git", *git], cwd=folder, check=True)
    done = base("publish", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("arguments", "extra", "library"),
    [
        (["site", "build", "--out", "out"], "site", "mkdocs-material"),
        (["serve", "--port", "0"], "site", "mkdocs-material"),
        (["review", "--base", "HEAD", "."], "review", "gitpython"),
        (["submit", "made_0"], "review", "gitpython"),
        (["mcp"], "mcp", "uvicorn"),
        (["deploy", "s3://bucket"], "deploy", "s3fs"),
        (["check", "--cluster", "tcp://127.0.0.1:1", "."], "cluster", "distributed"),
        (["keys", "create", "ana", "--at", "hsm:2"], "hsm", "securesystemslib[hsm]"),
        (["keys", "create", "ana", "--at", "awskms:alias/a"], "awskms", "securesystemslib[awskms]"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_without_its_extra_says_what_to_install(
    base, published, arguments, extra, library
):
    done = base(*arguments, cwd=published)
    said, hint = done.stderr.splitlines()[-2:]
    assert (done.returncode, done.stdout) == (4, "")
    assert said == f"psreg: error[EXTRA_MISSING]: `psreg[{extra}]` is not installed"
    assert hint.startswith(f"  hint: Run `uv pip install --python {sys.executable} ")  # no pip here
    assert library in hint
    words = [word for word in arguments[:2] if word in ("keys", "create")] or arguments[:1]
    shown = " ".join(base(*words, "--help", cwd=published).stdout.split())
    assert "psreg[hsm]" in shown if "kms" in extra else f"psreg[{extra}]" in shown


def test_it_is_a_small_download(wheel):
    """psreg and all it needs without extras; wheels of today, packed again."""
    sizes = {name: len(data) for name, data in wheels_of(closure("psreg")).items()}
    assert wheel.stat().st_size + sum(sizes.values()) < 12 * MEGABYTE, sizes


def test_a_client_runs_from_a_zip(base, wheel, published, tmp_path):
    """A wheel is one; the compiled modules of others are beside it."""
    for arguments, said in (
        (["check", "pbes"], "checked 2 files"),
        (["install", "made_1", "--registry", ".", "--to", "to"], "written made_1"),
        (["explain", "PBE006"], "version-not-semver"),
        (["init", str(tmp_path / "prompts"), "--psreg", "psreg==9"], "created the registry"),
    ):
        done = base(*arguments, cwd=published, psreg=wheel)
        assert (done.returncode, said in done.stdout) == (0, True), done.stdout + done.stderr


def test_without_extras_it_checks_publishes_and_installs(base, published):
    for arguments in (
        ["check", "pbes"],
        ["publish"],
        ["install", "made_1", "--registry", ".", "--to", "to"],
    ):
        done = base(*arguments, cwd=published)
        assert done.returncode == 0, done.stdout + done.stderr
