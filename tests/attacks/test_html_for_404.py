"""A host answers a missing file with status 200 and a page, as single-page hosting does."""

from __future__ import annotations

import pytest

from simulator import METADATA
from support.loopback import answer

PAGE = b"<!doctype html><title>Not found</title>"
ARTIFACT = "pbes/interactive_engine/quiz_master/1.0.0/quiz_master.pbe.txt"


@pytest.mark.attack("T17", (3, "TRUST_METADATA"))
def test_a_page_for_the_next_root_is_refused_with_the_reason(attack):
    attack.tricks[f"{METADATA}2.root.json"] = lambda h: answer(h, 200, PAGE)
    assert attack.install() == (3, "TRUST_METADATA")
    assert "instead of status 404" in attack.client.run("install", "quiz_master").err


@pytest.mark.attack("T17", (4, "NETWORK_LOGIN"))
@pytest.mark.parametrize("path", ["registry/metadata/2.root.json", ARTIFACT])
def test_a_page_that_says_what_it_is_may_be_one_to_log_in_at(attack, path):
    attack.tricks[path] = lambda h: answer(h, 200, PAGE, Content_Type="text/html")
    assert attack.install() == (4, "NETWORK_LOGIN")
    assert "instead of status 404" in attack.client.run("install", "quiz_master").err


@pytest.mark.attack("T17", (3, "TRUST_DIGEST"))
def test_a_page_for_an_artifact_is_refused(attack):
    attack.tricks[ARTIFACT] = lambda h: answer(h, 200, PAGE)
    assert attack.install() == (3, "TRUST_DIGEST")


@pytest.mark.attack("T17", (3, "TRUST_METADATA"), (4, "NOT_A_REGISTRY"))
def test_a_page_for_the_first_root_is_refused(attack):
    attack.tricks[f"{METADATA}1.root.json"] = lambda h: answer(h, 200, PAGE)
    added = attack.client.refused("registry", "add", attack.server.url + "/other")
    assert added == (4, "NOT_A_REGISTRY")
    assert attack.client.refused("registry", "add", attack.server.url) == (3, "TRUST_METADATA")
