"""`psreg doctor`: a registry in production passes, and each planted mistake is told by its check."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from psreg.registry.doctor.hosting import PROBED
from psreg.registry.trust.roles import CHECKPOINT, TIMESTAMP_PATH
from psreg.registry.trust.signing_keys import public_key
from support.loopback import answer, serving
from support.paths import PBES
from support.pipelines import git
from support.warm_psreg import run_psreg

NAME = "email_reply"
PEOPLE = ("ana", "ben", "cem")
PSREG = f"psreg==0.2.0 --hash=sha256:{64 * '0'}"


class Registry:
    """A registry that `psreg init` made, and the machines of those who maintain it."""

    def __init__(self, root: Path, now: str = "") -> None:
        self.root, self.homes, self.now = root / "prompts", root / "homes", now

    def run(self, who: str, *words: object, code: int = 0, **environ: str):
        env = {**os.environ, "PSREG_HOME": str(self.homes / who), **environ}
        cwd = self.root if self.root.exists() else self.root.parent
        done = run_psreg(*words, cwd=cwd, env=env, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def doctor(self, *words: object, code: int = 0, who: str = "main", **environ: str):
        """Return status and advice by the id of each check."""
        told = self.run(who, "doctor", *words, "--format", "json", code=code, **environ)
        return {each["id"]: each for each in json.loads(told.stdout)["checks"]}

    def errors(self, who: str = "main", **environ: str) -> list[str]:
        """Return the checks that fail in production."""
        env = {**os.environ, "PSREG_HOME": str(self.homes / who), **environ}
        words = ("doctor", "--production", "--format", "json")
        done = run_psreg(*words, cwd=self.root, env=env, text=True)
        found = [e["id"] for e in json.loads(done.stdout)["checks"] if e["status"] == "error"]
        assert done.returncode == bool(found)
        return found

    def keys(self, who: str = "main") -> Path:
        (folder,) = (self.homes / who / "data/keys").iterdir()
        return folder

    def edit(self, path: str, old: str, new: str) -> None:
        place = self.root / path
        text = place.read_text()
        assert old in text
        place.write_text(text.replace(old, new))


def begun(root: Path) -> Registry:
    """Return a registry in development mode with one name."""
    registry = Registry(root)
    registry.run("main", "init", "prompts", "--name", "Ours", "--psreg", PSREG)
    shutil.copytree(PBES / "prompt" / NAME, registry.root / "pbes/prompt" / NAME)
    policy = registry.root / "registry/policy.toml"
    waiver = f'\n[[waiver]]\ncode = "REG011"\nnames = ["{NAME}"]\nreason = "Not yet run."\n'
    policy.write_text(policy.read_text() + waiver)
    git("init", "--quiet", "--initial-branch", "main", cwd=registry.root)
    registry.edit(".github/CODEOWNERS", "/.github/\n/registry/", "/.github/ @o/t\n/registry/ @o/t")
    registry.run("main", "publish", "-q")
    return registry


def hardened(registry: Registry) -> None:
    """Let three people hold the offline roles, two of whom must sign."""
    keys = [registry.run(who, "keys", "create", who).stdout.split()[0] for who in PEOPLE]
    registry.run("main", "keys", "harden", *keys, "--threshold", "2", "-q")
    for who in PEOPLE[:2]:
        registry.run(who, "keys", "sign", "--yes", "-q")
    registry.run("main", "publish", "-q")
    for former in ("root.pem", "owners.pem"):
        (registry.keys() / former).unlink()


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("production")
    hardened(begun(root))
    return root


@pytest.fixture
def registry(production: Path, tmp_path: Path) -> Registry:
    shutil.copytree(production, tmp_path, dirs_exist_ok=True)
    return Registry(tmp_path)


def test_what_init_writes_and_what_development_mode_means(tmp_path: Path) -> None:
    found = begun(tmp_path)
    checks = found.doctor()
    assert {id_ for id_, each in checks.items() if each["status"] == "warning"} == {
        "mode", "thresholds", "offline-keys", "claims"
    }  # fmt: skip
    assert found.errors() == ["mode", "thresholds", "offline-keys"]
    told = found.run("main", "doctor")
    assert "warning  mode " in told.stdout
    assert "psreg keys harden" in told.stdout
    assert "15 ok, 0 with errors, 4 with warnings, 5 that you must look at" in told.stderr
    assert "unseen" not in found.run("main", "doctor", "-q").stdout


def test_a_registry_in_production_passes(registry: Registry) -> None:
    checks = registry.doctor("--production")
    assert {each["status"] for each in checks.values()} == {"ok", "warning", "unseen"}
    assert [id_ for id_, each in checks.items() if each["status"] == "warning"] == ["claims"]
    assert checks["thresholds"]["found"] == "2 of 3 people sign the root"


def tampered(registry: Registry) -> None:
    newest = max((registry.root / "registry/metadata").glob("*.targets.json"))
    newest.write_bytes(newest.read_bytes().replace(b"releases", b"releaxes", 1))


def unfollowed_root(registry: Registry) -> None:
    metadata = registry.root / "registry/metadata"
    shutil.copy(metadata / "2.root.json", metadata / "4.root.json")


def one_holder(registry: Registry) -> None:
    for words in (("remove", "cem"), ("remove", "ben", "--threshold", "1")):
        registry.run("main", "keys", *words, "-q")
        for who in PEOPLE[:2]:
            registry.run(who, "keys", "sign", "--yes", "-q")
        registry.run("main", "publish", "-q")


def holders_here(registry: Registry) -> None:
    for who in PEOPLE[:2]:
        shutil.copy(registry.keys(who) / f"{who}.pem", registry.keys())


def one_key_for_two(registry: Registry) -> None:
    online = public_key((registry.keys() / "online.pem").read_bytes()).hex()
    registry.run("main", "keys", "add", f"dan={online}", "-q")
    for who in PEOPLE[:2]:
        registry.run(who, "keys", "sign", "--yes", "-q")
    registry.run("main", "publish", "-q")


def readable(registry: Registry) -> None:
    (registry.keys() / "online.pem").chmod(0o644)


def another_checkpoint(registry: Registry) -> None:
    place = registry.root / "registry/log/checkpoint"
    place.write_bytes(place.read_bytes() + b"\n")


def long_signatures(registry: Registry) -> None:
    policy = registry.root / "registry/policy.toml"
    policy.write_text(policy.read_text() + "\n[signatures]\ntimestamp_days = 90\n")


def unpinned(registry: Registry) -> None:
    path = ".github/workflows/check.yml"
    text = (registry.root / path).read_text()
    (registry.root / path).write_text(re.sub(r"(actions/checkout)@\S+", r"\1@v7", text))


def without_hashes(registry: Registry) -> None:
    registry.edit(".github/workflows/publish.yml", "--require-hashes ", "")
    registry.edit(".github/workflows/publish.yml", "--no-deps --requirement", "--requirement")


def psreg_without_hash(registry: Registry) -> None:
    registry.edit("registry/psreg.txt", PSREG, "psreg==0.2.0")


def requirement_without_hash(registry: Registry) -> None:
    place = registry.root / "registry/requirements.txt"
    place.write_text(place.read_text() + "\nleft-pad==1.0.0\n")


def key_for_all_jobs(registry: Registry) -> None:
    registry.edit(".github/workflows/publish.yml", "    environment: publish\n", "")


def key_for_strangers(registry: Registry) -> None:
    registry.edit(".github/workflows/publish.yml", "  push:\n", "  pull_request:\n  push:\n")


def key_for_every_step(registry: Registry) -> None:
    secret = "env:\n  PSREG_KEYS: ${{ secrets.PSREG_KEYS }}\n"
    registry.edit(".github/workflows/review.yml", "\njobs:", f"\n{secret}\njobs:")


def rare_renewal(registry: Registry) -> None:
    registry.edit(".github/workflows/resign.yml", "23 1,9,17 * * *", "23 1 * * 1")


def nobody_owns_code(registry: Registry) -> None:
    (registry.root / ".github/CODEOWNERS").write_text("* @o/t\n/registry/\n")


MISTAKES: dict[Callable[[Registry], None], str] = {
    tampered: "metadata",
    unfollowed_root: "roots",
    one_holder: "thresholds",
    holders_here: "offline-keys",
    one_key_for_two: "separate-keys",
    readable: "key-permissions",
    another_checkpoint: "log",
    long_signatures: "lifetimes",
    unpinned: "pinned",
    without_hashes: "pinned",
    psreg_without_hash: "pinned",
    requirement_without_hash: "pinned",
    key_for_all_jobs: "publish-key",
    key_for_strangers: "publish-key",
    key_for_every_step: "publish-key",
    rare_renewal: "resign-scheduled",
    nobody_owns_code: "code-owners",
}


@pytest.mark.parametrize(
    ("mistake", "check"), MISTAKES.items(), ids=lambda each: getattr(each, "__name__", each)
)
def test_one_check_tells_a_mistake(
    mistake: Callable[[Registry], None], check: str, registry: Registry
) -> None:
    mistake(registry)
    assert registry.errors() == [check]


def test_a_key_in_the_tree(registry: Registry) -> None:
    shutil.copytree(registry.homes / "main", registry.root / "home")
    checks = registry.doctor(code=1, PSREG_HOME=str(registry.root / "home"))
    assert checks["key-permissions"]["status"] == "error"


def test_nothing_is_published_yet(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    registry.run("main", "init", "prompts", "--name", "Ours", "--psreg", PSREG)
    checks = registry.doctor(code=1)
    assert checks["metadata"]["found"] == "nothing is published yet"
    assert checks["metadata"]["advice"] == "Run `psreg publish` first."
    assert checks["roots"]["status"] == "unseen"
    registry.run("main", "doctor", "elsewhere", code=4)


def test_what_waits_for_signatures(registry: Registry) -> None:
    registry.run("main", "keys", "rotate", "online", "timestamp", "-q")
    drafts = registry.doctor("--production")["drafts"]
    assert drafts["status"] == "warning"
    assert "have not signed: ana, ben, cem" in drafts["found"]
    assert registry.doctor()["former-keys"]["status"] == "ok"  # the new keys are named by a draft
    for who in PEOPLE[:2]:
        registry.run(who, "keys", "sign", "--yes", "-q")
    assert registry.doctor()["drafts"]["advice"] == "Run `psreg publish`."
    registry.run("main", "publish", "-q")
    former = registry.doctor()["former-keys"]
    assert (former["status"], former["found"]) == (
        "warning",
        "online.pem, timestamp.pem sign nothing that is in force",
    )


@pytest.mark.parametrize(
    ("days", "status"), [(2, "ok"), (13, "warning"), (20, "error"), (350, "error")]
)
def test_what_expires(registry: Registry, days: int, status: str) -> None:
    later = str(int(time.time()) + days * 86400)
    code = int(status == "error")
    check = registry.doctor("--production", code=code, SOURCE_DATE_EPOCH=later)["expiry"]
    assert check["status"] == status
    if status != "ok":
        assert re.search(r"[0-9]\.(snapshot|timestamp)\.json expire[sd] on 20", check["found"])


def test_holders_are_told_in_time(registry: Registry) -> None:
    later = int(time.time()) + 350 * 86400
    registry.run("main", "publish", "--resign", "-q", SOURCE_DATE_EPOCH=str(later))
    check = registry.doctor("--production", SOURCE_DATE_EPOCH=str(later + 60))["expiry"]
    assert (check["status"], "psreg keys renew" in check["advice"]) == ("warning", True)


class Host:
    """What a host answers for what says what is current, and for a missing file."""

    def __init__(self, caching: dict[str, str], status: int = 404) -> None:
        self.caching, self.status = caching, status

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.path.endswith((TIMESTAMP_PATH, CHECKPOINT)):
            answer(handler, 200, b"{}", **self.caching)
        else:
            answer(handler, self.status, b"<html>")


def served(registry: Registry, host: Host, code: int = 0) -> list[tuple[str, str]]:
    """Return what doctor says about the host of the site."""
    with serving({}, {f"prompts/{path}": host for path in PROBED}) as server:
        policy = registry.root / "registry/policy.toml"
        policy.write_text(re.sub(r"(?m)^#? *url .*\n", "", policy.read_text()))
        registry.edit("registry/policy.toml", "[site]", f'[site]\nurl = "{server.url}/prompts/"')
        found = registry.doctor("--production", code=code)
    return [
        (found[id_]["status"], found[id_]["found"]) for id_ in ("missing-files", "cache-headers")
    ]


def caching(value: str) -> dict[str, str]:
    return {"Cache_Control": value}


def test_a_good_host(registry: Registry) -> None:
    for value in ("max-age=60", "no-cache", "public, max-age=31, s-maxage=60"):
        found = served(registry, Host(caching(value)))
        assert [status for status, _ in found] == ["ok", "ok"]


def test_a_host_with_a_page_for_all_addresses(registry: Registry) -> None:
    (missing, headers) = served(registry, Host(caching("max-age=60"), 200), code=1)
    assert missing[0] == "error"
    assert missing[1].endswith(" answers 200 for a file that does not exist")
    assert headers[0] == "ok"


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("max-age=600", "warning"),
        ("max-age=601", "error"),
        ("s-maxage=86400", "error"),
        ("", "warning"),
    ],
)
def test_a_host_whose_caches_keep_the_timestamp(
    registry: Registry, value: str, status: str
) -> None:
    (_, headers) = served(registry, Host(caching(value) if value else {}), int(status == "error"))
    assert headers[0] == status


def test_a_site_that_is_not_there(registry: Registry) -> None:
    with serving({}) as server:
        address = server.url
    registry.edit("registry/policy.toml", "[site]", f'[site]\nurl = "{address}/prompts/"')
    found = registry.doctor("--production")["missing-files"]
    assert (found["status"], found["found"][-18:]) == ("unseen", "it does not answer")


REPOSITORY = {"allow_merge_commit": False, "allow_squash_merge": True, "allow_rebase_merge": False}
REVIEWS = {"dismiss_stale_reviews_on_push": True, "require_code_owner_review": True}
CHECKS = {
    "required_status_checks": [{"context": "psreg"}],
    "strict_required_status_checks_policy": True,
}


def github(
    registry: Registry,
    repository: dict | None = None,
    rules: list | None = None,
    protection: dict | None = None,
) -> dict[str, str]:
    """Return what doctor says about these settings of a repository on GitHub."""
    answers = {
        "repos/o/r": {"default_branch": "main", **(repository or REPOSITORY)},
        "repos/o/r/rules/branches/main": rules,
        "repos/o/r/branches/main": {"protection": protection or {}},
    }
    files = {
        path: json.dumps(value).encode() for path, value in answers.items() if value is not None
    }
    remotes = git("remote", cwd=registry.root).split()
    if "origin" not in remotes:
        git("remote", "add", "origin", "git@github.com:o/r.git", cwd=registry.root)
    with serving(files) as server:
        found = registry.errors(GITHUB_API_URL=server.url, GITHUB_TOKEN="t")
        checks = registry.doctor(GITHUB_API_URL=server.url, GITHUB_TOKEN="t")
    settings = {
        id_: checks[id_]["status"] for id_ in ("merging", "stale-approvals", "required-check")
    }
    assert found == [id_ for id_, status in settings.items() if status == "warning"]
    return settings


def rules(reviews: dict | None = None, checks: dict | None = None, *others: dict) -> list[dict]:
    return [
        {"type": "pull_request", "parameters": REVIEWS if reviews is None else reviews},
        {"type": "required_status_checks", "parameters": CHECKS if checks is None else checks},
        *others,
    ]


GOOD = {"merging": "ok", "stale-approvals": "ok", "required-check": "ok"}


def test_the_settings_of_github(registry: Registry) -> None:
    assert github(registry, rules=rules()) == GOOD
    merges = {**REPOSITORY, "allow_merge_commit": True}
    assert github(registry, merges, rules()) == {**GOOD, "merging": "warning"}
    only_squash = rules({**REVIEWS, "allowed_merge_methods": ["squash"]})
    assert github(registry, merges, only_squash) == GOOD
    queue = {"type": "merge_queue", "parameters": {"merge_method": "MERGE"}}
    assert github(registry, rules=rules(None, None, queue)) == {**GOOD, "merging": "warning"}
    for missing in REVIEWS:
        told = github(registry, rules=rules({**REVIEWS, missing: False}))
        assert told == {**GOOD, "stale-approvals": "warning"}
    other = {"required_status_checks": [{"context": "review"}]}
    assert github(registry, rules=rules(None, other)) == {**GOOD, "required-check": "warning"}
    late = {**CHECKS, "strict_required_status_checks_policy": False}
    assert github(registry, rules=rules(None, late)) == {**GOOD, "required-check": "warning"}
    queue = {"type": "merge_queue", "parameters": {"merge_method": "SQUASH"}}
    assert github(registry, rules=rules(None, late, queue)) == GOOD
    assert github(registry, rules=[]) == {
        "merging": "ok", "stale-approvals": "warning", "required-check": "warning"
    }  # fmt: skip
    classic = {"enabled": True, "required_status_checks": {"contexts": ["psreg"]}}
    assert github(registry, rules=[], protection=classic) == {**GOOD, "stale-approvals": "unseen"}


def test_what_github_does_not_tell(registry: Registry) -> None:
    hidden = github(registry, {"default_branch": "main"})
    assert hidden == dict.fromkeys(GOOD, "unseen")
    found = registry.doctor("--production")
    assert found["merging"]["advice"].startswith("Settings → General → Pull Requests")


def test_the_settings_of_gitlab(registry: Registry) -> None:
    git("remote", "add", "origin", "https://gitlab.example.org/g/p.git", cwd=registry.root)
    path = "projects/g%2Fp"
    for squash, resets, expected in (
        ("always", True, []),
        ("default_on", False, ["merging", "stale-approvals"]),
    ):
        answers = {
            path: {"squash_option": squash, "merge_method": "merge"},
            f"{path}/approvals": {"reset_approvals_on_push": resets},
        }
        with serving({at: json.dumps(each).encode() for at, each in answers.items()}) as server:
            found = registry.errors(CI_API_V4_URL=server.url, GITLAB_TOKEN="t")
        assert found == expected
    told = registry.doctor()["required-check"]
    assert (told["status"], told["advice"]) == (
        "unseen",
        "GitLab cannot require it: look at the note before you merge.",
    )


def test_a_token_goes_only_to_the_host_of_the_repository(registry: Registry) -> None:
    git("remote", "add", "origin", "https://prompts.example.org/o/r.git", cwd=registry.root)
    with serving({}) as server:
        registry.doctor(GITHUB_API_URL=server.url, GITHUB_TOKEN="t", GITLAB_TOKEN="t")
        assert server.asked == []
