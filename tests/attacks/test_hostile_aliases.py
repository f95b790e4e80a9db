"""A signed record claims second names: those of others, its own, or ones that are none.

psreg installs nothing by an alias, so that none can lead to another owner's prompt.
"""

import pytest

from simulator import TEXT
from support.simulated_log import encode

ALIASES = {
    "the name of another": ["diary"],
    "a name that nobody has": ["quiz"],
    "its own name": ["quiz_master"],
    "each other's": ["diary"],
    "no names": ["../../x", "quiz\n", "", "Quiz"],
    "the same twice": ["quiz", "quiz"],
}


@pytest.mark.attack("T7", (4, "UNKNOWN_NAME"))
@pytest.mark.parametrize("aliases", ALIASES.values(), ids=ALIASES)
def test_an_alias_leads_nowhere(attack, aliases):
    attack.registry.release("diary", data=b"of somebody else")
    attack.registry.records["quiz_master"]["aliases"] = aliases
    attack.registry.records["diary"]["aliases"] = ["quiz_master", "quiz"]
    attack.registry.publish()
    assert attack.client.refused("install", "quiz") == (4, "UNKNOWN_NAME")
    assert attack.client.run("install", "diary", "quiz_master").code == 0
    content = attack.client.library_content()
    assert content["diary/1.0.0/diary.pbe.txt"] == b"of somebody else"
    assert content["quiz_master/1.0.0/quiz_master.pbe.txt"] == TEXT
    attack.learned()


@pytest.mark.attack("T7", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("aliases", ["quiz", [1], [["quiz"]], {"quiz": "diary"}, None])
def test_aliases_that_are_no_texts(attack, aliases):
    attack.registry.records["quiz_master"]["aliases"] = aliases
    attack.registry.publish()
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T7", (3, "TRUST_METADATA"))
def test_the_record_of_another_name_is_listed_under_an_alias(attack):
    """`quiz` is listed as a target of its own; its bytes are the record of `diary`."""
    registry = attack.registry.release("diary", data=b"of somebody else").publish()
    (record,) = (
        data
        for path, data in registry.files.items()
        if path.endswith(".diary.json") and "/pkg/" in path
    )
    registry.target("pkg/quiz.json", record)
    registry.sign_all()
    assert attack.client.refused("install", "quiz") == (3, "TRUST_METADATA")


@pytest.mark.attack("T7", (3, "TRUST_METADATA"), (4, "NEWER_FORMAT"))
@pytest.mark.parametrize("target", ["diary", "quiz"])
@pytest.mark.parametrize("schema", ["psreg.alias/1", "psreg.package/1", "psreg.package/2"])
def test_a_stub_record_points_to_another_or_to_itself(attack, target, schema):
    registry = attack.registry.release("diary", data=b"of somebody else").publish()
    stub = {"schema": schema, "name": "quiz", "serial": 1, "alias_of": target}
    registry.target("pkg/quiz.json", encode(stub))
    registry.sign_all()
    newer = schema == "psreg.package/2"
    refusal = (4, "NEWER_FORMAT") if newer else (3, "TRUST_METADATA")
    assert attack.client.refused("install", "quiz") == refusal
