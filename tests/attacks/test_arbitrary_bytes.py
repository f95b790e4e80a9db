"""A mirror, a proxy or a thief of the server changes what is served."""

from __future__ import annotations

from itertools import product

import pytest

from simulator import METADATA
from support.walks import sampled

ARTIFACT = "pbes/interactive_engine/quiz_master/1.0.0/quiz_master.pbe.txt"


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
@pytest.mark.parametrize(
    "change",
    [lambda b: b + b"\n", lambda b: b[:-1], lambda _: b"", lambda b: b[:5] + b"\x00" + b[6:]],
    ids=["appended", "cut", "emptied", "flipped"],
)
def test_another_artifact_is_refused_and_nothing_written(attack, tmp_path, change):
    attack.registry.files[ARTIFACT] = change(attack.registry.files[ARTIFACT])
    assert attack.install() == (3, "TRUST_DIGEST")
    assert attack.install("--to", tmp_path / "out") == (3, "TRUST_DIGEST")
    assert attack.client.installed() == []
    assert not (tmp_path / "out").exists()


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
def test_another_record_is_refused(attack):
    files = attack.registry.files
    (path,) = (path for path in files if path.endswith(".quiz_master.json"))
    files[path] = files[path].replace(b"quiz_master", b"quiz_mastre")
    assert attack.install() == (3, "TRUST_DIGEST")
    files[path] += b" " * 100
    assert attack.install() == (3, "TRUST_DIGEST")


ROLES = ("timestamp", "1.snapshot", "1.targets", "1.releases", "1.r-ec", "2.root")
GARBAGE = (b"", b"\x00\xff\xfe", b"null", b"{}", b'{"signed":{}}')


@pytest.mark.attack("T1", (3, "TRUST_METADATA"))
@pytest.mark.parametrize(
    ("name", "garbage"), sampled([*product(ROLES, GARBAGE)], 10, kinds=lambda case: case)
)
def test_garbage_for_metadata_is_refused(attack, name, garbage):
    attack.registry.files[f"{METADATA}{name}.json"] = garbage
    assert attack.install() == (3, "TRUST_METADATA")
    assert attack.client.installed() == []


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
def test_one_bad_artifact_among_several_installs_none(attack):
    attack.registry.release("glossary", data=b"words").publish()
    attack.registry.files[ARTIFACT] += b"x"
    assert attack.client.refused("install", "glossary", "quiz_master") == (3, "TRUST_DIGEST")
    assert attack.client.installed() == []
