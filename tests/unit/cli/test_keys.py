"""`psreg keys create`, `harden` and `sign`, as three people run them on their machines."""

from __future__ import annotations

import json
import os
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest

from psreg.formats.json.canonical import canonical
from psreg.registry.records import read_record
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import MetadataSigner, signers_of
from psreg.registry.trust.reading import read_target
from psreg.registry.trust.roles import (
    LIFETIMES,
    Target,
    catalog_target,
    package_target,
    target_path,
)
from support.clients import Client
from support.owners import ANA, BEN, entry_toml
from support.paths import PBES
from support.publishing import logless, release, state_of, write
from support.warm_psreg import run_psreg

NAME = "email_reply"
PEOPLE = ("ana", "ben", "cem")


class Checkout:
    """A registry that `main` publishes, and the machines of three people."""

    def __init__(self, root: Path) -> None:
        self.root, self.homes = root / "checkout", root / "homes"
        shutil.copytree(PBES / "prompt" / NAME, self.root / "pbes/prompt" / NAME)
        (self.root / "registry").mkdir()
        shutil.copy(PBES.parent / "registry/policy.toml", self.root / "registry")
        self.own(ANA)
        self.run("main", "publish", "-q")

    def own(self, *owners) -> None:
        (self.root / "pbes/prompt" / NAME / "entry.toml").write_bytes(entry_toml(*owners))

    def run(self, who: str, *words: object, code: int = 0):
        env = {**os.environ, "PSREG_HOME": str(self.homes / who)}
        done = run_psreg(*words, cwd=self.root, env=env, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def json(self, who: str, *words: object, code: int = 0) -> dict:
        return json.loads(self.run(who, *words, "--format", "json", code=code).stdout)

    def keys(self) -> list[str]:
        """Let each person make a key; return what they tell the others."""
        made = (self.run(who, "keys", "create", who).stdout for who in PEOPLE)
        lines = [text.splitlines() for text in made]
        self.fingerprints = [each[-1].removeprefix("  fingerprint ") for each in lines]
        return [each[0] for each in lines]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_ceremony_with_three_keys_and_a_threshold_of_two(checkout: Checkout) -> None:
    checkout.run("client", "install", NAME, "--registry", checkout.root)
    keys = checkout.keys()
    assert [key.partition("=")[0] for key in keys] == [*PEOPLE]
    done = checkout.run("main", "keys", "harden", *keys)
    assert done.stdout.splitlines() == [
        "root, targets, owners and 16 more: missing 2 of ana, ben, cem",
        "  next: commit registry, and let them run `psreg keys sign`",
    ]
    done = checkout.run("ana", "keys", "sign", "--yes")
    assert "root, targets, owners and 16 more: missing 1 of ben, cem\n" in done.stdout
    assert "nothing was signed" not in done.stderr
    for who in ("ana", "a stranger"):
        again = checkout.run(who, "keys", "sign", "--yes")
        assert again.stdout == done.stdout
        assert "none of this waits for a key on this machine; nothing was signed" in again.stderr
    (root, *_) = checkout.json("cem", "keys", "sign", "--yes")["signing"]
    assert root["path"] == "registry/signing/2.root.json"
    assert root["keys"][1] == {"threshold": 2, "signed": ["ana", "cem"], "unsigned": ["ben"]}
    done = checkout.run("ben", "keys", "sign", "--yes")
    assert done.stdout == "root, targets, owners and 16 more: signed\n  next: psreg publish\n"
    published = checkout.json("main", "publish")
    assert published["mode"] == "production"
    assert checkout.run("main", "keys", "sign", "--yes").stdout == "nothing waits for signatures\n"
    done = checkout.run("client", "install", NAME, "--registry", checkout.root)
    assert "already installed" in done.stdout
    assert "development mode" not in done.stderr
    done = checkout.run("newcomer", "install", NAME, "--registry", checkout.root)
    assert "development mode" not in done.stderr


def test_a_claim_that_two_people_sign(checkout: Checkout) -> None:
    checkout.run("main", "keys", "owners", NAME, "-q")
    checkout.run("main", "keys", "harden", *checkout.keys(), "-q")
    for who in PEOPLE:
        checkout.run(who, "keys", "sign", "--yes", "-q")
    checkout.run("main", "publish", "-q")
    checkout.own(BEN)
    key = checkout.homes / "key"
    key.write_bytes(ANA.private_file)
    key.chmod(0o600)
    key.with_suffix(".pub").write_text(f"{ANA.line}\n")
    checkout.run("main", "sign", "--owners", NAME, "--key", key)
    done = checkout.run("main", "keys", "owners", NAME)
    assert f"{NAME}: one of them must sign each release from now on\n" in done.stdout
    assert "missing 2 of ana, ben, cem\n" in done.stdout
    document = checkout.json("ben", "keys", "sign", "--yes")
    assert [len(each["keys"][0]["signed"]) for each in document["signing"]] == [1]
    again = checkout.json("main", "keys", "owners", NAME, code=1)
    assert again["error"]["code"] == "SIGNING_PENDING"
    checkout.run("cem", "keys", "sign", "--yes")
    checkout.run("main", "publish", "-q")
    (row,) = checkout.json("main", "keys", "owners", NAME)["names"]
    assert (row["changed"], row["pending"]) == (False, False)


def test_what_the_holders_compare_by_telephone(checkout: Checkout) -> None:
    keys = checkout.keys()
    checkout.run("main", "keys", "harden", *keys)
    said = {}
    for who in PEOPLE[:2]:
        said[who] = checkout.run(who, "keys", "sign", "--yes").stderr.splitlines()
    ana, ben = said["ana"], said["ben"]
    assert len(ana) < 25
    added = [line for line in ana if "root: key added" in line]
    assert added == [
        f"root: key added:   {name}, ed25519, {fingerprint}"
        for name, fingerprint in zip(PEOPLE, checkout.fingerprints, strict=True)
    ]
    assert all(re.fullmatch("[0-9a-f]{4}( [0-9a-f]{4}){4}", each) for each in checkout.fingerprints)
    assert any(
        re.fullmatch(
            r"root: who signs root, targets: 2 of ana, ben, cem \(was 1 of [0-9a-f]{12}\)", line
        )
        for line in ana
    )
    valid = r"root, owners, o4-0 and 15 more: version 1 to 2, valid until [0-9-]{10} \(was .*\)"
    assert any(re.fullmatch(valid, line) for line in ana)
    assert any(
        re.fullmatch("root, targets: signed by .*, missing 2 of ana, ben, cem", x) for x in ana
    )
    assert any(
        re.fullmatch("root, targets: signed by .*, ana, missing 1 of ben, cem", x) for x in ben
    )
    assert ana[-1] == ben[-1]
    digest = "[0-9a-f]{4}( [0-9a-f]{4}){7}"
    assert re.fullmatch(
        f"digest of all drafts, to compare with the other holders: {digest}", ana[-1]
    )


def test_the_document_that_is_signed_is_in_the_json(checkout: Checkout) -> None:
    keys = checkout.keys()
    checkout.run("main", "keys", "harden", *keys)
    (root, *_) = checkout.json("ana", "keys", "sign", "--yes")["signing"]
    assert (root["role"], root["version"], root["document"]["_type"]) == ("root", 2, "root")
    assert root["expires"] == root["document"]["expires"]
    assert root["document"]["roles"]["root"]["threshold"] == 2


def test_nothing_is_signed_that_nobody_has_seen(checkout: Checkout) -> None:
    (ana, *_) = checkout.keys()
    checkout.run("main", "keys", "harden", ana, "--threshold", "1")
    before = (checkout.root / "registry/signing/2.root.json").read_bytes()
    done = checkout.run("ana", "keys", "sign", code=3)
    assert 'root: psreg.mode: "dev" becomes "production"' in done.stderr
    (fingerprint, *_) = checkout.fingerprints
    assert f"root: key added:   ana, ed25519, {fingerprint}\n" in done.stderr
    raw = checkout.run("ana", "keys", "sign", "--raw", code=3)
    assert ana.partition("=")[2] in raw.stderr
    assert ana.partition("=")[2] not in done.stderr
    assert "NOT_AGREED" in done.stderr
    assert checkout.json("ana", "keys", "sign", code=3)["error"]["code"] == "NOT_AGREED"
    assert (checkout.root / "registry/signing/2.root.json").read_bytes() == before
    home = str(checkout.homes / "ana")
    person = Client(checkout.root.parent)
    for answer, code in (("no", 3), ("yes", 0)):
        words = ("keys", "sign", "--checkout", checkout.root)
        asked = person.asked(*words, question="Type yes", typed=answer, PSREG_HOME=home)
        assert asked.code == code
    assert checkout.json("main", "publish")["mode"] == "production"


@pytest.mark.parametrize(
    "words",
    [
        ["create"],
        ["create", "ana", "ben"],
        ["create", "Ana"],
        ["create", "root"],
        ["harden"],
        ["harden", "ana"],
        ["harden", "ana=00"],
        ["harden", f"ana={'0' * 64}", f"ana={'1' * 64}"],
        ["harden", f"root={'0' * 64}"],
        ["harden", f"ana={'0' * 64}", "--threshold", "2"],
        ["harden", f"ana={'0' * 64}", "--threshold", "0"],
        ["harden", *(f"{who}={'0' * 64}" for who in ("ana", "ben")), f"cem={'1' * 64}"],
        ["sign", "ana"],
        ["owners"],
    ],
    ids=" ".join,
)
def test_what_means_nothing(checkout: Checkout, words: list[str]) -> None:
    document = checkout.json("main", "keys", *words, code=2)
    assert document["error"]["code"] == "USAGE"
    assert "expected`" not in document["error"]["message"]


def test_nobody_gets_the_same_key_twice(checkout: Checkout) -> None:
    checkout.keys()
    document = checkout.json("ana", "keys", "create", "ana", code=4)
    assert document["error"]["code"] == "CANNOT_WRITE"
    (key,) = checkout.json("ana", "keys", "create", "ana-phone")["keys"]
    assert (key["holder"], len(key["key"])) == ("ana-phone", 64)


def test_lost_and_stolen_keys_are_replaced_and_clients_go_on(checkout: Checkout) -> None:
    """A client of before, one that reads in between, and a new one, at every step."""
    url = ("--registry", checkout.root)
    checkout.run("before", "install", NAME, *url)
    keys = checkout.homes / "main/data/keys"
    done = checkout.run("main", "keys", "rotate", "online", "timestamp", "log")
    assert done.stdout.splitlines()[0] == "the new keys are in force"
    for name in ("online", "timestamp", "log"):
        next(keys.glob(f"*/{name}.pem")).unlink()
    again(checkout, "before", "between")
    checkout.run("main", "publish", "--resign", "-q")
    checkout.run("main", "keys", "harden", *checkout.keys(), "-q")
    signed_by(checkout, "ana", "ben")
    again(checkout, "before", "between", "later")
    (dan, *_) = checkout.run("dan", "keys", "create", "dan").stdout.splitlines()
    waits = checkout.run("main", "keys", "add", dan, "--threshold", "3").stdout
    assert "missing 2 of ana, ben, cem; 3 of ana, ben, cem, dan" in waits
    again(checkout, "before")
    signed_by(checkout, "ana", "cem", "dan")
    (new, *_) = checkout.run("ana", "keys", "create", "ana-laptop").stdout.splitlines()
    new = new.replace("ana-laptop", "ana")
    checkout.run("main", "keys", "rotate", new, "timestamp", "-q")
    signed_by(checkout, "ben", "cem", "dan")
    checkout.run("main", "keys", "remove", "cem", "--threshold", "2", "-q")
    signed_by(checkout, "ana", "ben", "dan")
    again(checkout, "before", "between", "later", "newest")
    refused = checkout.json("main", "keys", "remove", "cem", code=2)
    assert refused["error"]["code"] == "CANNOT_ROTATE"


def again(checkout: Checkout, *who: str) -> None:
    for each in who:
        checkout.run(each, "install", NAME, "--registry", checkout.root)


def signed_by(checkout: Checkout, *who: str) -> None:
    """Let people sign what waits, and publish it."""
    for each in who:
        checkout.run(each, "keys", "sign", "--yes", "-q")
    assert checkout.json("main", "publish")["written"]


def test_what_a_thief_counted_to_the_end_starts_over(checkout: Checkout) -> None:
    """The thief has both keys that publish, and shows the victim a registry of their own."""
    victim = ("install", NAME, "--registry")
    home, thief = checkout.homes / "main/data", checkout.root.parent / "thief"
    shutil.copytree(checkout.root, thief)
    state = state_of(thief / "registry")
    (keys,) = home.rglob("online.pem")
    pems = [(keys.parent / f"{name}.pem").read_bytes() for name in ("online", "timestamp")]
    signer = MetadataSigner(
        keys=signers_of(pems),
        source="",
        now=datetime.now(UTC).replace(microsecond=0),
        registry_id=state.registry_id,
        lifetimes=LIFETIMES,
    )
    changed = {}
    for path, member in ((package_target(NAME), "serial"), (catalog_target("head"), "version")):
        value = json.loads(read_target(path, state.targets[path], thief_read(thief)).data)
        data = canonical({**value, member: 2**53 - 2})
        changed[path] = Target.of(data)
        (thief / "registry" / target_path(path, changed[path].sha256)).write_bytes(data)
    write(thief / "registry", issue(state, changed, signer, 1))
    checkout.run("victim", *victim, thief)
    checkout.run("victim", "search", "--registry", thief)
    for text in ("It is old.", "It is older."):
        deprecate(checkout, text)
    refused = checkout.json("victim", *victim, checkout.root, code=3)
    assert refused["error"]["code"] == "TRUST_ROLLBACK"
    checkout.run("main", "keys", "rotate", "online", "timestamp")
    for _ in range(2):
        checkout.run("victim", *victim, checkout.root)
        checkout.run("victim", "search", "--registry", checkout.root)
        checkout.run("victim", "verify")
        deprecate(checkout, "It is very old.")
    assert checkout.json("victim", *victim, thief, code=3)["error"]["code"] == "TRUST_SIGNATURE"


def deprecate(checkout: Checkout, reason: str) -> None:
    """Publish the next state of the record."""
    toml = entry_toml(ANA) + f'[deprecated]\nreason = "{reason}"\n'.encode()
    (checkout.root / "pbes/prompt" / NAME / "entry.toml").write_bytes(toml)
    checkout.run("main", "publish", "-q")


def thief_read(root: Path):
    return RegistryFolder(root / "registry").read


def test_clients_go_on_when_a_log_begins(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was installed, and what is released later, is in the log that the root now names."""
    root = checkout.root
    shutil.rmtree(root / "registry")
    shutil.rmtree(checkout.homes)
    own = {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    tree = {PurePosixPath(path): data for path, data in own.items()}
    with monkeypatch.context() as patched:
        logless(patched)
        release(checkout.homes / "main/data", root / "registry", tree)
    install = ("install", NAME, "--registry", root, "--to")
    checkout.run("before", *install, "first")
    checkout.run("main", "keys", "rotate", "log", "-q")
    record = read_record(state_of(root / "registry").packages[NAME], NAME)
    assert all(row.log for row in record.releases)
    for who in ("before", "after"):
        checkout.run(who, *install, who)
    checkout.run("main", "keys", "owners", NAME, "-q")
    assert checkout.run("main", "audit").returncode == 0


def test_a_move_that_two_people_sign(checkout: Checkout) -> None:
    checkout.run("main", "keys", "harden", *checkout.keys(), "-q")
    for who in PEOPLE:
        checkout.run(who, "keys", "sign", "--yes", "-q")
    checkout.run("main", "publish", "-q")
    done = checkout.run("main", "keys", "move", "https://prompts.example.org/")
    assert done.stdout.splitlines()[0] == "root: missing 2 of ana, ben, cem"
    shown = checkout.run("ana", "keys", "sign", "--yes")
    assert 'psreg.moved_to.url: nothing becomes "https://prompts.example.org"' in shown.stderr
    checkout.run("client", "install", NAME, "--registry", checkout.root)
    checkout.run("ben", "keys", "sign", "--yes", "-q")
    checkout.run("main", "publish", "-q")
    told = checkout.run("client", "install", NAME, "--registry", checkout.root).stderr
    assert "has moved to https://prompts.example.org (root sha256 " in told
    assert "; run `psreg registry add https://prompts.example.org --root-sha256 " in told


def test_a_move_in_development_mode_is_in_force_at_once(checkout: Checkout) -> None:
    words = ("https://prompts.example.org", "--root-sha256", "AB" * 32)
    done = checkout.run("main", "keys", "move", *words)
    assert done.stdout.startswith("clients are told of the new address;")
    again = checkout.json("main", "keys", "move", *words, code=2)
    assert again["error"]["code"] == "CANNOT_ROTATE"
    done = checkout.run("main", "keys", "move", "--withdraw")
    assert done.stdout == "clients are told of no move any more\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), "USAGE"),
        (("https://a.example", "--withdraw"), "USAGE"),
        (("--withdraw", "--root-sha256", "ab" * 32), "USAGE"),
        (("https://a.example", "--root-sha256", "ab"), "USAGE"),
        (("/srv/prompts",), "USAGE"),
        (("http://a.example",), "TRUST_INSECURE"),
    ],
)
def test_a_move_that_cannot_be_announced(checkout: Checkout, words, code) -> None:
    exit_code = 3 if code == "TRUST_INSECURE" else 2
    found = checkout.json("main", "keys", "move", *words, code=exit_code)
    assert found["error"]["code"] == code
