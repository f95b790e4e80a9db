"""`psreg init`, through the real command line."""

import hashlib
import json
import os
import re
import subprocess
import sys

import pytest

from support.authoring import ANSWERS, BESIDE, psreg, tree_of
from support.pipelines import ISOLATED, git


def test_a_registry_is_made_and_checks_clean(tmp_path):
    arguments = ("--name", "Our prompts", "--forge", "github", "--psreg", "psreg==1.2.3")
    done = psreg(tmp_path, "init", "deep/prompts", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    files = tree_of(tmp_path / "deep/prompts")
    assert first == f"created the registry Our prompts in deep/prompts: {len(files)} files"
    assert [line.strip() for line in rest[: len(files)]] == sorted(files)
    assert "  git init --initial-branch main" in rest
    assert "  then write the URL of its site into registry/policy.toml" in rest
    assert "create the labels submission, report and name-dispute on GitHub" in done.stdout
    checked = psreg(tmp_path / "deep/prompts", "check")
    assert (checked.returncode, checked.stdout) == (0, "checked 0 files: no findings\n")


def test_the_name_is_the_folders_and_a_repository_of_git_counts_as_empty(tmp_path):
    (tmp_path / "prompts/.git").mkdir(parents=True)
    url = "https://example.org/prompts"
    done = psreg(tmp_path / "prompts", "init", ".", "--url", url)
    assert done.returncode == 0
    assert "created the registry prompts in ." in done.stdout
    assert "git init" not in done.stdout
    assert "then write the URL" not in done.stdout
    assert f'url = "{url}/"' in (tmp_path / "prompts/registry/policy.toml").read_text()
    assert (tmp_path / "prompts/.gitlab-ci.yml").is_file()
    assert (tmp_path / "prompts/.github/workflows/review.yml").is_file()


def test_gitlab_makes_its_labels_itself(tmp_path):
    done = psreg(tmp_path, "init", "prompts", "--forge", "gitlab")
    assert "next:" in done.stdout
    assert "labels" not in done.stdout


def test_a_private_registry_accepts_terms_of_its_own(tmp_path):
    arguments = ("--private", "--psreg", "psreg @ https://example.org/psreg.whl")
    assert psreg(tmp_path, "init", "prompts", *arguments).returncode == 0
    place = tmp_path / "prompts"
    pinned = (place / "registry/psreg.txt").read_text()
    assert pinned.endswith("\npsreg @ https://example.org/psreg.whl\n")
    said = {**BESIDE, **ANSWERS["prompt"], "license": "LicenseRef-Example-Internal"}
    (tmp_path / "answers.json").write_text(json.dumps(said))
    made = psreg(place, "new", "prompt", "trip_packer", "--answers", "../answers.json")
    assert made.returncode == 0
    found = json.loads(psreg(place, "check", "--format", "json").stdout)["diagnostics"]
    (untested,) = (one for one in found if one["severity"] == "error")
    assert untested["message"] == "run on 0 platform(s); the minimum is 1"
    assert "`platforms` under `[review]` in registry/policy.toml" in untested["hint"]


def test_a_public_registry_says_how_to_accept_them(tmp_path):
    psreg(tmp_path, "init", "prompts")
    place = tmp_path / "prompts"
    psreg(place, "new", "prompt", "x")
    release = place / "pbes/prompt/x/0.1.0/release.toml"
    for terms, said in (
        ("LicenseRef-Example-Internal", "Set `proprietary = true` under `[licenses]`"),
        ("Proprietary", "`proprietary = true` under `[licenses]` in registry/policy.toml"),
    ):
        text = re.sub(
            '^license = ".*"$', f'license = "{terms}"', release.read_text(), flags=re.MULTILINE
        )
        release.write_text(text)
        found = json.loads(psreg(place, "check", "--format", "json").stdout)["diagnostics"]
        (hint,) = (one["hint"] for one in found if one["code"] == "REG010")
        assert said in hint


def test_the_pipelines_install_only_psreg_and_what_has_a_hash(tmp_path):
    psreg(tmp_path, "init", "prompts")
    place = tmp_path / "prompts"
    pipelines = [*place.glob(".github/workflows/*.yml"), place / ".gitlab-ci.yml"]
    text = "".join(path.read_text() for path in pipelines)
    hashed, alone = "--require-hashes", "--no-deps"
    found = re.findall(r'pip" install (.*) --requirement "?\S*?(\w+)\.txt"?$', text, re.MULTILINE)
    assert found
    assert {(name, hashed in options, alone in options) for options, name in found} == {
        ("requirements", True, True),
        ("psreg", False, True),
    }
    needed = re.sub(
        r"^#.*\n", "", (place / "registry/requirements.txt").read_text(), flags=re.MULTILINE
    )
    rows = needed.replace("\\\n", "").splitlines()
    assert len(rows) > 10
    assert all(re.fullmatch(r"[\w.-]+==\S.*? --hash=sha256:[0-9a-f]{64}\b.*", row) for row in rows)


WHEEL = "psreg-9.0.0-py3-none-any.whl"


def test_the_registry_keeps_a_wheel_that_is_named(tmp_path):
    (tmp_path / WHEEL).write_bytes(b"a wheel")
    done = psreg(tmp_path, "init", "prompts", "--psreg", WHEEL)
    assert (done.returncode, done.stderr) == (0, "")
    digest = hashlib.sha256(b"a wheel").hexdigest()
    assert f"  the pipelines install psreg==9.0.0 --hash=sha256:{digest}, as" in done.stdout
    registry = tmp_path / "prompts/registry"
    assert (registry / WHEEL).read_bytes() == b"a wheel"
    rows = [row for row in (registry / "psreg.txt").read_text().splitlines() if row[0] != "#"]
    assert rows == ["--no-index", "--find-links .", f"psreg==9.0.0 --hash=sha256:{digest}"]


@pytest.mark.parametrize("name", ["other-9.0.0-py3-none-any.whl", "psreg.whl", WHEEL])
def test_only_a_wheel_of_psreg_is_kept(tmp_path, name):
    if name != WHEEL:
        (tmp_path / name).write_bytes(b"a wheel")
    done = psreg(tmp_path, "init", "prompts", "--psreg", name)
    assert done.returncode == (4 if name == WHEEL else 2)
    assert ("cannot read" if name == WHEEL else "is not a wheel of psreg") in done.stderr
    assert not (tmp_path / "prompts").exists()


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "README.md").write_text("Mine.\n")
    done = psreg(tmp_path, "init", ".")
    assert done.returncode == 2
    assert "NOT_EMPTY" in done.stderr
    assert "--force" in done.stderr
    assert tree_of(tmp_path) == {"README.md": b"Mine.\n"}
    done = psreg(tmp_path, "init", ".", "--force", "--format", "json")
    document = json.loads(done.stdout)
    assert document["kept"] == ["README.md"]
    assert sorted([*document["written"], "README.md"]) == sorted(tree_of(tmp_path))
    assert (tmp_path / "README.md").read_text() == "Mine.\n"
    again = psreg(tmp_path, "init", ".", "--force")
    assert ": 0 files\n" in again.stdout
    assert "already there, not changed:" in again.stdout
    assert psreg(tmp_path, "init", ".", "--force", "--quiet").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("file",), "NOT_A_FOLDER"),
        (("broken",), "NOT_A_FOLDER"),
        (("new", "--name", " "), "is not a valid name"),
        (("new", "--name", "a\nb"), "is not a valid name"),
        (("new", "--psreg", " "), "is not a requirement"),
        (("new", "--url", "ftp://example.org"), "is not the address of a site"),
        (("new", "--forge", "sourcehut"), "invalid choice"),
        ((), "required"),
    ],
)
def test_what_cannot_be_done(tmp_path, arguments, said):
    (tmp_path / "file").write_text("")
    (tmp_path / "broken").symlink_to("nowhere")
    done = psreg(tmp_path, "init", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (tmp_path / "new").exists()


def test_never_through_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/registry").symlink_to(tmp_path / "elsewhere")
    done = psreg(tmp_path, "init", "prompts", "--force")
    assert done.returncode == 4
    assert "a registry must not contain links" in done.stderr
    assert tree_of(tmp_path / "elsewhere") == {}


def test_a_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/pbes").write_text("")
    for folder in ("prompts", "prompts/pbes/deeper"):
        done = psreg(tmp_path, "init", folder, "--force")
        assert done.returncode == 4
        assert "CANNOT_WRITE" in done.stderr


@pytest.fixture
def source(tmp_path):
    """Return a clone of something like psreg, whose commit its remote has."""
    origin, clone = tmp_path / "psreg.git", tmp_path / "psreg"
    git("init", "-q", "--bare", "-b", "main", str(origin), cwd=tmp_path)
    git("clone", "-q", str(origin), str(clone), cwd=tmp_path)
    (clone / "tools/psreg").mkdir(parents=True)
    (clone / "tools/psreg/rules.py").write_text("RULES = ()\n")
    git("add", "--all", cwd=clone)
    git("commit", "-qm", "Start", cwd=clone)
    git("push", "-q", "-u", "origin", "HEAD:main", cwd=clone)
    git("remote", "set-url", "origin", "git@example.org:team/psreg.git", cwd=clone)
    return clone


def made_by(source, tmp_path, **more):
    """Run `psreg init` as a psreg that was installed from the folder or file `source`."""
    record = tmp_path / "site/psreg-9.dist-info"
    record.mkdir(parents=True, exist_ok=True)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: psreg\nVersion: 9\n")
    kind = {} if "archive_info" in more else {"dir_info": {"editable": True}}
    told = {"url": source.absolute().as_uri(), **kind} | more
    (record / "direct_url.json").write_text(json.dumps(told))
    env = {**os.environ, **ISOLATED, "PYTHONPATH": str(record.parent)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "psreg", "init", "prompts", "--force", "--format", "json"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout), done.stderr


def test_the_pipelines_install_the_commit_of_a_clone(source, tmp_path):
    commit = git("rev-parse", "HEAD", cwd=source)
    document, warned = made_by(source, tmp_path)
    requirement = f"psreg @ git+https://example.org/team/psreg.git@{commit}"
    lists = (tmp_path / "prompts/registry").glob("*.txt")
    lines = [line for path in lists for line in path.read_text().splitlines()]
    assert [line for line in lines if line.startswith("psreg")] == [requirement]
    assert (document["requirement"], document["installable"], warned) == (requirement, True, "")


def test_the_pipelines_install_the_commit_that_was_installed_from_a_clone(source, tmp_path):
    commit = git("rev-parse", "HEAD", cwd=source)
    (source / "tools/psreg/rules.py").write_text("RULES = (1,)\n")
    git("commit", "-qam", "More", cwd=source)
    document, warned = made_by(source, tmp_path, vcs_info={"vcs": "git", "commit_id": commit})
    assert document["requirement"].endswith(f"/psreg.git@{commit}")
    assert warned == ""


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        ("ahead", "no remote has its commit"),
        ("changed", "where tools/psreg/rules.py is not committed"),
        ("local", "whose remote only this machine can reach"),
        ("folder", "not the top folder of a Git clone"),
        ("empty", "not the top folder of a Git clone"),
    ],
)
def test_what_the_pipelines_cannot_install_is_said(source, tmp_path, prepare, said):
    if prepare == "ahead":
        git("commit", "-q", "--allow-empty", "-m", "More", cwd=source)
    elif prepare == "changed":
        (source / "tools/psreg/rules.py").write_text("RULES = (1,)\n")
    elif prepare == "local":
        git("remote", "set-url", "origin", str(tmp_path / "psreg.git"), cwd=source)
    else:
        source = tmp_path / prepare
        source.mkdir()
        if prepare == "empty":
            git("init", "-q", cwd=source)
    document, warned = made_by(source, tmp_path)
    assert document["installable"] is False
    assert document["requirement"].startswith("psreg==")
    assert said in warned
    assert "write `psreg @ git+https://HOST/PATH@COMMIT` into prompts/registry/psreg.txt" in warned


@pytest.mark.parametrize("hashes", [True, False])  # pip records them, and uv does not
def test_the_registry_keeps_the_wheel_that_was_installed(tmp_path, hashes):
    wheel = tmp_path / WHEEL
    wheel.write_bytes(b"a wheel")
    digest = hashlib.sha256(b"a wheel").hexdigest()
    archive = {"hashes": {"sha256": digest}} if hashes else {}
    document, warned = made_by(wheel, tmp_path, archive_info=archive)
    assert document["requirement"] == f"psreg==9.0.0 --hash=sha256:{digest}"
    assert (document["installable"], warned) == (True, "")
    assert (tmp_path / "prompts/registry" / WHEEL).read_bytes() == b"a wheel"


@pytest.mark.parametrize("gone", [True, False])
def test_a_wheel_that_is_another_one_now_is_not_kept(tmp_path, gone):
    wheel = tmp_path / WHEEL
    if not gone:
        wheel.write_bytes(b"another one")
    archive = {"hashes": {"sha256": hashlib.sha256(b"a wheel").hexdigest()}}
    document, warned = made_by(wheel, tmp_path, archive_info=archive)
    assert document["installable"] is False
    assert "which is gone or has changed, so the pipelines cannot install this psreg" in warned
    assert "or a wheel of psreg, which the registry then keeps" in warned
