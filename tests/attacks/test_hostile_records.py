"""An attacker with the online key signs records that lie: names, paths, sizes, history."""

from __future__ import annotations

import hashlib
from itertools import product

import pytest

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.catalog_segments import read_segment
from psreg.registry.search.ranking import search
from simulator import TEXT, Simulator, encode
from support.walks import sampled


def serve(attack, **changes):
    """Sign and serve the record of quiz_master with `changes` to its row."""
    attack.registry.records["quiz_master"]["releases"][-1].update(changes)
    attack.registry.publish()


@pytest.mark.attack("T15", (3, "TRUST_METADATA"))
@pytest.mark.parametrize(
    "path",
    [
        "../../../../tmp/evil",
        "/etc/cron.d/evil",
        "registry/metadata/timestamp.json",
        "pbes/interactive_engine/other/1.0.0/other.pbe.txt",
        "https://evil.example/x",
    ],
)
def test_a_path_is_never_taken_from_a_record(attack, path):
    attack.registry.files[path.lstrip("/")] = b"evil"
    serve(attack, path=path, sha256=hashlib.sha256(b"evil").hexdigest(), size=4)
    assert attack.install() == (3, "TRUST_METADATA")
    assert attack.client.installed() == []


@pytest.mark.attack("T15", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("version", ["../../1.0.0", "1.0.0/../..", "1.0.0\n", "١.0.0", ""])
def test_a_version_that_is_none_is_refused(attack, version):
    serve(attack, version=version)
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T15", (4, "NEWER_FORMAT"))
def test_a_class_that_climbs_is_refused(attack):
    attack.registry.records["quiz_master"]["class"] = "../../x"
    attack.registry.target("pkg/quiz_master.json", encode(attack.registry.records["quiz_master"]))
    attack.registry.sign_all()
    assert attack.install() == (4, "NEWER_FORMAT")
    assert attack.client.installed() == []


@pytest.mark.attack("T15", (3, "TRUST_METADATA"))
def test_a_record_of_another_name_is_refused(attack):
    attack.registry.release("glossary", data=b"words")
    record = encode(attack.registry.records["glossary"])
    attack.registry.target("pkg/quiz_master.json", record)
    attack.registry.sign_all()
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T11", (3, "TRUST_REWRITTEN"))
def test_a_published_version_with_other_bytes_is_refused(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    path = "pbes/interactive_engine/quiz_master/1.0.0/quiz_master.pbe.txt"
    attack.registry.artifacts[path] = b"evil"
    attack.registry.records["quiz_master"]["serial"] += 1
    serve(attack, sha256=hashlib.sha256(b"evil").hexdigest(), size=4)
    assert attack.install() == (3, "TRUST_REWRITTEN")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_record_that_forgets_a_release_is_refused(attack):
    attack.registry.release("quiz_master", "1.1.0", b"newer").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    attack.learned()
    record = attack.registry.records["quiz_master"]
    record["serial"] += 1
    del record["releases"][-1]
    attack.registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_release_that_nobody_can_read_any_more(attack):
    """A client skips rows of a later format: the newest release, which was seen, would be hidden."""
    attack.registry.release("quiz_master", "1.1.0", b"newer").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    attack.learned()
    record = attack.registry.records["quiz_master"]
    record["serial"] += 1
    record["releases"][-1]["v"] = 9
    attack.registry.publish()
    assert attack.install("--to", "out") == (3, "TRUST_ROLLBACK")
    del record["releases"][-1]["v"]
    attack.registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T15", (4, "TOO_LARGE"))
def test_a_size_no_prompt_has_is_not_fetched(attack):
    serve(attack, size=2**40)
    assert attack.install() == (4, "TOO_LARGE")
    assert not any(path.startswith("pbes/") for path in attack.server.asked)


def test_control_characters_of_a_record_never_reach_the_terminal(attack):
    evil = "\x1b]0;owned\x07\u202eevil"
    attack.registry.records["quiz_master"]["deprecated"] = {"reason": evil}
    serve(attack, release={"summary": evil, "license": evil, "tags": [evil], "use_case": evil})
    for command in (("install", "quiz_master"), ("info", "quiz_master"), ("search",)):
        said = attack.client.run(*command)
        assert said.code == 0, said.err
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out + said.err)


@pytest.mark.attack("T15", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("digest", ["", "F" * 64, "0" * 63, "0" * 64 + "\n", "x" * 64])
def test_a_digest_that_is_none_is_refused_and_not_kept(attack, digest):
    """The corrected record must not look like a rewritten release."""
    honest = hashlib.sha256(TEXT).hexdigest()
    serve(attack, sha256=honest.upper() if digest.startswith("F") else digest)
    assert attack.install() == (3, "TRUST_METADATA")
    assert attack.client.refused("info", "quiz_master") == (3, "TRUST_METADATA")
    attack.registry.records["quiz_master"]["serial"] += 1
    serve(attack, sha256=honest)
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T15", (3, "TRUST_METADATA"))
def test_a_file_with_a_digest_that_is_none_is_refused(attack):
    serve(attack, files=[{"path": "x", "sha256": "0" * 64 + "A", "size": 1}])
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T15", (3, "TRUST_METADATA"))
def test_a_version_that_is_listed_twice_is_refused(attack):
    attack.registry.release("quiz_master", "1.0.0", b"evil").publish()
    assert attack.install() == (3, "TRUST_METADATA")
    assert attack.client.installed() == []


VALUES = [None, 0, True, "x", [], [1], ["x", None], [[]], [{}], {}, {"x": 1}]


def with_values(*members):
    """Return each member with values for it: all of them, or some of a sample of all pairs."""
    pairs = sampled([*product(members, map(repr, VALUES))], 18, kinds=lambda pair: pair)
    return [(m, [v for v in VALUES if (m, repr(v)) in pairs]) for m in members]


@pytest.mark.parametrize(
    ("member", "values"),
    with_values("summary", "license", "tags", "tested", "protocols", "use_case", "requires"),
)
def test_members_of_the_wrong_type_are_survived(attack, member, values):
    for value in values:
        attack.registry.records["quiz_master"]["releases"][0]["release"] = {member: value}
        record = encode(attack.registry.records["quiz_master"])
        attack.registry.target("pkg/quiz_master.json", record)
        attack.registry.sign_all()
        assert attack.client.run("info", "quiz_master").code == 0, value
        code = attack.client.run("install", "quiz_master").code
        assert code in ((3, 4) if member == "requires" and value else (0,)), value


def test_a_catalogue_of_the_wrong_type_is_refused():
    """Whatever a member is, there is an error with a code, or a list of entries."""
    registry = Simulator().release().publish()
    whole = registry.segment()
    changed = [{k: v for k, v in whole.items() if k != key} for key in whole]
    changed += [whole | {key: value} for key in whole for value in VALUES]
    refused = 0
    for each in (*changed, *VALUES):
        try:
            found = search([read_segment(encode(each))], ["quiz"])
        except (TrustError, UnavailableError) as error:
            refused += error.code in ("TRUST_METADATA", "NEWER_FORMAT")
        else:
            refused += {entry.name for entry in found} <= {"quiz_master"}
    assert refused == len(changed) + len(VALUES)


@pytest.mark.parametrize(
    ("member", "values"),
    with_values("yanked", "score", "protocols", "runs", "statement", "waived"),
)
def test_a_row_of_the_wrong_type_is_survived(attack, member, values):
    for value in values:
        attack.registry.records.clear()
        attack.registry.release(**{member: value}).publish()
        assert attack.client.run("info", "quiz_master").code in (0, 3), value


@pytest.mark.attack("T20", (4, "NO_MATCHING_VERSION"))
def test_a_yanked_version_is_installed_only_if_it_is_named(attack):
    serve(attack, yanked="It is broken.")
    attack.registry.release("quiz_master", "1.0.1", b"newer").publish()
    serve(attack, yanked="It is broken, too.")
    attack.state = None  # nothing is left to install
    assert attack.client.refused("install", "quiz_master@^1.0") == (4, "NO_MATCHING_VERSION")
    said = attack.client.run("install", "quiz_master@=1.0.0")
    assert (said.code, "was yanked" in said.err) == (0, True)
