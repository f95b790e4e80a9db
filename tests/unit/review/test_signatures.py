"""The review says what the owners of a release sign, so that they can sign it without psreg."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from base64 import b64decode
from datetime import timedelta
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from psreg.cli.rules import all_rules
from psreg.core.identity import Author
from psreg.formats.tree import Tree
from psreg.git.repository import open_repository
from psreg.registry.keys.claiming import claim_names
from psreg.registry.owners.review import review_of
from psreg.registry.records import read_record
from psreg.registry.trust.reading import open_registry
from psreg.review.comment import review_markdown
from psreg.review.comment_code import long_messages
from psreg.review.git_change import read_change
from psreg.review.review import review
from psreg.review.review_report import review_document
from support.bare import Bare
from support.clients import Client
from support.owners import ANA, BEN, CEM, Owner, entry_toml, place_of
from support.publishing import NOW, ports, release
from support.registry_trees import entry, tree, update

FIRST = str(place_of("hello", "1.0.1"))


def published(folder: Path, *owners: Owner, threshold: int = 1, claim: bool = True):
    """Return the files of a registry with `hello` 1.0.0 as a commit has them, by path."""
    toml = entry_toml(*owners, threshold=threshold).decode() if owners else "owners = []\n"
    files = tree(entry("hello", toml=toml))
    home, registry = folder / "home", folder / "registry"
    release(home, registry, files)
    if claim:
        claim_names(Tree(files).entries, NOW, ports(home, registry))
    signed = (path for path in registry.rglob("*") if path.is_file())
    return {str(path): data for path, data in files.items()} | {
        f"registry/{path.relative_to(registry).as_posix()}": path.read_bytes() for path in signed
    }


def reviewed(folder: Path, base, **more: bytes):
    """Return the review of a change that adds `hello` 1.0.1 and some files."""
    added = {str(path): data for path, data in tree(update()).items()}
    folder.mkdir()
    bare = Bare(folder / "registry.git")
    bare.git("config", "fastimport.unpackLimit", "10000")
    bare.commit("main", base, parent=None)
    bare.commit("new", added | more)
    bare.write()
    with open_repository(folder / "registry.git") as repository:
        author = Author(forge="github", id=1, login="o1")
        change = read_change(repository, "main", "new", author, NOW.date()).change
        return review(change, all_rules(), missing_files=lambda *_: {})


def section(found) -> str:
    """Return what the comment says about signatures."""
    _, _, after = review_markdown(found).partition("#### Signatures\n\n")
    return after.partition("\n<details>")[0]


def signatures(found):
    """Return what the JSON document says about them, which its schema allows."""
    schema = Path(__file__).parents[3] / "tools/psreg/formats/schemas/review.schema.json"
    properties = json.loads(schema.read_bytes())["properties"]["releases"]["items"]["properties"]
    (one,) = review_document(found)["releases"]
    Draft202012Validator(properties["signatures"]).validate(one["signatures"])
    return one["signatures"]


def test_a_shell_line_signs_a_release(tmp_path: Path) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    base = published(tmp_path, ANA, BEN, threshold=2)
    found = reviewed(tmp_path / "one", base)
    said = section(found)
    assert "is released when 2 more owners sign it." in said
    assert "psreg sign hello@1.0.1\n" in said
    (line,) = (line for line in said.splitlines() if "ssh-keygen" in line)
    home = tmp_path / "person"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_ed25519").write_bytes(ANA.private_file)
    (home / ".ssh/id_ed25519").chmod(0o600)
    environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    subprocess.run(
        ["bash", "-c", line.replace("~", str(home))], cwd=home, env=environment, check=True
    )
    made = (home / FIRST).read_bytes()
    assert made == ANA.sign(b64decode(signatures(found)["message"]))
    found = reviewed(tmp_path / "two", base, **{FIRST: made})
    assert "is released when 1 more owner signs it." in section(found)
    assert signatures(found)["owners"] == ["github:1"]
    assert signatures(found)["path"] == FIRST.replace(".1.txt", ".2.txt")
    other = {FIRST.replace(".1.txt", ".2.txt"): BEN.sign(b64decode(signatures(found)["message"]))}
    found = reviewed(tmp_path / "three", base, **{FIRST: made, **other})
    assert section(found).endswith("is signed by github&#58;1, github&#58;2.\n")
    assert (signatures(found)["threshold"], found.verdict) == (2, "accept")


def test_a_message_too_long_for_the_comment_is_in_an_artifact(tmp_path: Path) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    golden = "pbes/prompt/hello/1.0.1/evidence/golden"
    cases = {f"{golden}/{n}.json": b'{"values": {}, "expected": "%d"}' % n for n in range(190)}
    found = reviewed(tmp_path / "one", published(tmp_path, ANA), **cases)
    assert "ssh-keygen" not in section(found)
    ((name, message),) = long_messages(found).items()
    job = "https://forge.example/runs/7"
    comment = review_markdown(found, job, keeps_messages=True)
    digest = hashlib.sha256(message).hexdigest()
    where = f"</code> is in the artifact `messages` of [the job]({job})."
    assert f"{where} Its SHA-256 is `{digest}`.\n" in comment
    (line,) = (line for line in comment.splitlines() if "ssh-keygen" in line)
    assert f"cat {name} |" in line
    (tmp_path / "id").write_bytes(ANA.private_file)
    (tmp_path / "id").chmod(0o600)
    (tmp_path / name).write_bytes(message)
    subprocess.run(
        ["bash", "-c", line.replace("~/.ssh/id_ed25519", "id")], cwd=tmp_path, check=True
    )
    assert (tmp_path / FIRST).read_bytes() == ANA.sign(message)
    where = (tmp_path / "one/registry.git", "--base=main", "--head=new")
    Client(tmp_path / "home").run("review", *where, "--messages", tmp_path / "kept")
    kept = {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    assert kept == {name: message}
    assert long_messages(reviewed(tmp_path / "short", published(tmp_path / "2", ANA))) == {}


def test_a_name_that_is_not_claimed(tmp_path: Path) -> None:
    base = published(tmp_path, ANA, claim=False)
    found = reviewed(tmp_path / "one", base)
    assert "can be signed by its owners." in section(found)
    assert signatures(found)["threshold"] == 0
    message = b64decode(signatures(found)["message"])
    found = reviewed(tmp_path / "two", base, **{FIRST: ANA.sign(message)})
    assert section(found).endswith("is signed by github&#58;1.\n")


def many(count: int) -> dict[str, bytes]:
    """Return so many files more, which a statement names."""
    folder = "pbes/prompt/hello/1.0.1/evidence"
    return {f"{folder}/{n:03}-{'x' * 60}.md": f"# {n}\n".encode() for n in range(count)}


def test_a_long_message_is_packed(tmp_path: Path) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    found = reviewed(tmp_path / "one", published(tmp_path, ANA), **many(80))
    message = b64decode(signatures(found)["message"])
    assert len(message) > 16_000
    (line,) = (line for line in section(found).splitlines() if "ssh-keygen" in line)
    printed = line.partition("&& ")[2].partition(" | ssh-keygen")[0]
    done = subprocess.run(["bash", "-c", printed], capture_output=True, check=True)
    assert done.stdout == message


def test_a_message_that_is_too_long_for_a_line(tmp_path: Path) -> None:
    said = section(reviewed(tmp_path / "one", published(tmp_path, ANA), **many(190)))
    assert "psreg sign hello@1.0.1" in said
    assert "ssh-keygen" not in said


def unsignable(base):
    """Return a base whose signed state cannot be read."""
    time = "registry/metadata/timestamp.json"
    return {
        "nothing is published": {p: d for p, d in base.items() if "registry/metadata" not in p},
        "it is damaged": base | {time: b"{}"},
        "its records are gone": {p: d for p, d in base.items() if "/targets/pkg/" not in p},
    }


@pytest.mark.parametrize("why", ["nothing is published", "it is damaged", "its records are gone"])
def test_a_state_that_cannot_be_read_stops_no_review(tmp_path: Path, why: str) -> None:
    base = unsignable(published(tmp_path, ANA))[why]
    found = reviewed(tmp_path / "one", base)
    assert (section(found), signatures(found)) == ("", None)


def test_nobody_is_asked_to_sign_what_is_rejected(tmp_path: Path) -> None:
    base = published(tmp_path, ANA)
    found = reviewed(tmp_path / "one", base, **{"pbes/prompt/hello/1.0.0/more.md": b"# More\n"})
    assert found.verdict == "reject"
    assert (section(found), signatures(found)) == ("", None)


def test_owners_without_keys_sign_nothing(tmp_path: Path) -> None:
    found = reviewed(tmp_path / "one", published(tmp_path, claim=False))
    assert (section(found), signatures(found)) == ("", None)


CHANGED = str(place_of("hello", "owners.1"))


def test_a_shell_line_signs_a_change_of_owners(tmp_path: Path) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    base = published(tmp_path, ANA, BEN, threshold=2, claim=False)
    toml = {"pbes/prompt/hello/entry.toml": entry_toml(BEN)}
    found = reviewed(tmp_path / "one", base, **toml)
    said = section(found)
    assert said.startswith(
        "The change of the owners of <code>hello</code> takes effect when 2 more owners sign it with a key "
    )
    assert "psreg sign --owners hello\n" in said
    (line,) = (line for line in said.splitlines() if "ssh-keygen -Y sign -n owners@psreg" in line)
    home = tmp_path / "person"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_ed25519").write_bytes(ANA.private_file)
    (home / ".ssh/id_ed25519").chmod(0o600)
    command = ["bash", "-c", line.replace("~", str(home))]
    subprocess.run(command, cwd=home, env={"PATH": "/usr/local/bin:/usr/bin:/bin"}, check=True)
    made = (home / CHANGED).read_bytes()
    (told,) = owner_changes(found)
    assert made == ANA.sign(b64decode(told["message"]), "owners@psreg")
    found = reviewed(tmp_path / "two", base, **toml, **{CHANGED: made})
    assert "takes effect when 1 more owner signs it" in section(found)
    (told,) = owner_changes(found)
    assert (told["name"], told["owners"], told["threshold"]) == ("hello", ["github:1"], 2)
    other = {told["path"]: BEN.sign(b64decode(told["message"]), "owners@psreg")}
    found = reviewed(tmp_path / "three", base, **toml, **{CHANGED: made}, **other)
    told = (
        "The change of the owners of <code>hello</code> is signed by github&#58;1, github&#58;2.\n"
    )
    assert told in section(found)


def owner_changes(found):
    """Return what the JSON document says about changes of owners, which its schema allows."""
    schema = Path(__file__).parents[3] / "tools/psreg/formats/schemas/review.schema.json"
    properties = json.loads(schema.read_bytes())["properties"]
    rows = review_document(found)["owner_changes"]
    Draft202012Validator(properties["owner_changes"]).validate(rows)
    return rows


def test_a_shell_line_signs_a_yank(tmp_path: Path) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    base = published(tmp_path, ANA, BEN, threshold=2)
    entry_file = "pbes/prompt/hello/entry.toml"
    yanked = base[entry_file] + b'[yanked]\n"1.0.0" = "The greeting is rude."\n'
    found = reviewed(tmp_path / "one", base, **{entry_file: yanked})
    said = section(found)
    what = "The change of whether <code>hello 1&#46;0&#46;0</code> is yanked"
    assert said.startswith(f"{what} takes effect when 1 more owner signs it. In a checkout")
    assert "psreg sign --yank hello@1.0.0\n" in said
    (line,) = (line for line in said.splitlines() if "ssh-keygen -Y sign -n yank@psreg" in line)
    home = tmp_path / "person"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_ed25519").write_bytes(BEN.private_file)
    (home / ".ssh/id_ed25519").chmod(0o600)
    command = ["bash", "-c", line.replace("~", str(home))]
    subprocess.run(command, cwd=home, env={"PATH": "/usr/local/bin:/usr/bin:/bin"}, check=True)
    (told,) = yanks(found)
    made = (home / told["path"]).read_bytes()
    assert made == BEN.sign(b64decode(told["message"]), "yank@psreg")
    assert (told["name"], told["version"], told["threshold"]) == ("hello", "1.0.0", 1)
    found = reviewed(tmp_path / "two", base, **{entry_file: yanked, told["path"]: made})
    assert f"{what} is signed by github&#58;2.\n" in section(found)
    assert "CHG033" not in {reason.code for reason in found.reasons}
    assert yanks(reviewed(tmp_path / "three", base)) == []


def yanks(found):
    """Return what the JSON document says about yanks, which its schema allows."""
    schema = Path(__file__).parents[3] / "tools/psreg/formats/schemas/review.schema.json"
    rows = review_document(found)["yanks"]
    Draft202012Validator(json.loads(schema.read_bytes())["properties"]["yanks"]).validate(rows)
    return rows


def test_nobody_signs_the_yank_of_a_name_that_is_not_claimed(tmp_path: Path) -> None:
    base = published(tmp_path, ANA, claim=False)
    toml = base["pbes/prompt/hello/entry.toml"] + b'[yanked]\n"1.0.0" = "The greeting is rude."\n'
    found = reviewed(tmp_path / "one", base, **{"pbes/prompt/hello/entry.toml": toml})
    assert yanks(found) == []
    assert "yanked takes effect" not in section(found)


def test_a_signature_of_who_owned_it_before_the_base(tmp_path: Path) -> None:
    """The change of entry.toml was merged first; the registry still has the owners before."""
    base = published(tmp_path, ANA, claim=False)
    base["pbes/prompt/hello/entry.toml"] = entry_toml(BEN)
    found = reviewed(tmp_path / "one", base, **{CHANGED: ANA.sign(b"", "owners@psreg")})
    assert "CHG033" not in {reason.code for reason in found.reasons}
    found = reviewed(tmp_path / "two", base, **{CHANGED: CEM.sign(b"", "owners@psreg")})
    assert "CHG033" in {reason.code for reason in found.reasons}


def test_owners_who_have_nothing_to_sign(tmp_path: Path) -> None:
    base = published(tmp_path, ANA, claim=False)
    toml = {"pbes/prompt/hello/entry.toml": entry_toml(ANA).replace(b"o1", b"ana")}
    assert owner_changes(reviewed(tmp_path / "one", base, **toml)) == []


def recovered(folder: Path) -> dict[str, bytes]:
    """Return the files of a registry in which `hello` of ANA is recovered for BEN."""
    published(folder, ANA)
    files = tree(entry("hello", toml=entry_toml(BEN).decode()))
    home, registry = folder / "home", folder / "registry"
    claim_names(Tree(files).entries, NOW, ports(home, registry), recover="a <b>lost</b> laptop")
    release(home, registry, files)
    signed = (path for path in registry.rglob("*") if path.is_file())
    return {str(path): data for path, data in files.items()} | {
        f"registry/{path.relative_to(registry).as_posix()}": path.read_bytes() for path in signed
    }


def test_an_owner_objects_to_a_recovery(tmp_path: Path) -> None:
    base = recovered(tmp_path)
    found = reviewed(tmp_path / "one", base)
    said, day = section(found), (NOW + timedelta(days=7)).date()
    assert f"<code>hello</code> gets other owners on {day} because its owners are said" in said
    assert "a &#60;b&#62;lost" in said
    assert "psreg sign --object hello\n" in said
    (told,) = review_document(found)["recoveries"]
    assert (told["name"], told["owners"], told["path"]) == ("hello", [], CHANGED)
    made = {CHANGED: ANA.sign(b64decode(told["message"]), "owners@psreg")}
    for toml in ({}, {"pbes/prompt/hello/entry.toml": entry_toml(ANA)}):
        found = reviewed(tmp_path / f"with {len(toml)}", base, **made, **toml)
        assert "An objection to the recovery of <code>hello</code> is signed by" in section(found)
        assert "CHG033" not in {reason.code for reason in found.reasons}
        assert [each["owners"] for each in review_document(found)["recoveries"]] == [["github:1"]]
    stranger = {CHANGED: CEM.sign(b64decode(told["message"]), "owners@psreg")}
    found = reviewed(tmp_path / "stranger", base, **stranger)
    assert "CHG033" in {reason.code for reason in found.reasons}


@pytest.mark.parametrize("damage", [(), ("timestamp.json",), ("1.snapshot.json",)])
def test_a_review_without_a_signed_state(tmp_path: Path, damage: tuple[str, ...]) -> None:
    """Where nothing verifiable is published, nobody can say what a reviewer signs."""
    base = published(tmp_path, ANA, claim=False)
    base["registry/policy.toml"] = f'[[reviewer]]\nname = "Ben"\nkeys = ["{BEN.line}"]\n'.encode()
    for path in [each for each in base if each.startswith("registry/metadata/")]:
        if path.endswith(damage) if damage else True:
            del base[path]
    place = "pbes/prompt/hello/reviews/1.0.0.1.txt"
    bare = Bare(tmp_path / "registry.git")
    bare.git("config", "fastimport.unpackLimit", "10000")
    bare.commit("main", base, parent=None)
    bare.commit("new", {place: BEN.sign(b"", "review@psreg")})
    bare.write()
    with open_repository(tmp_path / "registry.git") as repository:
        author = Author(forge="github", id=77, login="stranger")
        change = read_change(repository, "main", "new", author, NOW.date()).change
        found = review(change, all_rules(), missing_files=lambda *_: {})
    (said,) = found.report.diagnostics
    assert (found.verdict, said.code) == ("reject", "CHG036")
    assert said.message.startswith("it cannot be compared with what is published: ")


def test_a_review_by_a_stranger_is_welcome(tmp_path: Path) -> None:
    """The review of a change that only adds a review accepts a valid one, no matter who asks."""
    base = published(tmp_path, ANA, claim=False)
    base["registry/policy.toml"] = f'[[reviewer]]\nname = "Ben"\nkeys = ["{BEN.line}"]\n'.encode()
    place = "pbes/prompt/hello/reviews/1.0.0.1.txt"
    state = open_registry(lambda path: base.get(f"registry/{path}"))
    assert state is not None
    record = read_record(state.packages["hello"], "hello")
    (row,) = record.releases
    message = review_of(record, row, state.registry_id).message
    for number, (signature, verdict, codes) in enumerate(
        [
            (BEN.sign(message, "review@psreg"), "accept", []),
            (BEN.sign(message, "release@psreg"), "reject", ["CHG036"]),
            (BEN.sign(message + b" ", "review@psreg"), "reject", ["CHG036"]),
            (CEM.sign(message, "review@psreg"), "reject", ["CHG036"]),
        ]
    ):
        folder = tmp_path / f"change{number}"
        folder.mkdir()
        bare = Bare(folder / "registry.git")
        bare.git("config", "fastimport.unpackLimit", "10000")
        bare.commit("main", base, parent=None)
        bare.commit("new", {place: signature})
        bare.write()
        with open_repository(folder / "registry.git") as repository:
            author = Author(forge="github", id=77, login="stranger")
            change = read_change(repository, "main", "new", author, NOW.date()).change
            found = review(change, all_rules(), missing_files=lambda *_: {})
        said = [each.code for each in found.report.diagnostics]
        assert (found.verdict, said) == (verdict, codes)
