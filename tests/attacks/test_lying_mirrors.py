"""Mirrors that were changed, or are kept old: who installs from them verifies all of it again."""

from __future__ import annotations

import pytest

from simulator import METADATA

EVIL = b'{"pbe_name": "quiz_master", "evil": true}\n'


@pytest.fixture
def mirror(attack, tmp_path):
    """A mirror of the registry that is pinned."""
    folder = tmp_path / "mirror"
    assert attack.client.run("mirror", folder).code == 0
    return folder


def install(attack, folder):
    return attack.client.refused("install", "quiz_master", "--registry", folder)


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
def test_a_mirror_with_other_bytes(attack, mirror):
    artifact = next(mirror.glob("pbes/**/*.pbe.txt"))
    artifact.write_bytes(EVIL)
    assert install(attack, mirror) == (3, "TRUST_DIGEST")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_mirror_that_goes_back(attack, mirror, tmp_path):
    old = {path: path.read_bytes() for path in mirror.rglob("*") if path.is_file()}
    attack.registry.release("quiz_master", "1.1.0").publish()
    assert attack.client.run("mirror", mirror).code == 0
    assert attack.client.run("info", "quiz_master", "--registry", mirror).code == 0
    for path, data in old.items():
        path.write_bytes(data)
    assert install(attack, mirror) == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
def test_a_mirror_that_signs_itself(attack, mirror):
    stamp = mirror / METADATA / "timestamp.json"
    stamp.write_bytes(stamp.read_bytes().replace(b'"version":1', b'"version":9'))
    assert install(attack, mirror) == (3, "TRUST_SIGNATURE")
