"""What a page says of how to use a prompt: its buttons, and the three steps after them."""

import json
import re

import pytest

from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.frame import Site
from psreg.formats.platforms import PAGES, PLATFORMS
from support.catalogue import opened, tree

SITE = Site(name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
TREE = tree()
ENGINE = "interactive_engine/listener"
TASK = "stateless_executor/greeter"
TEMPLATE = "prompt/river_letter"
PATHS = {
    ENGINE: "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt",
    TASK: "pbes/stateless_executor/greeter/1.0.0/greeter.pbe.txt",
    TEMPLATE: "pbes/prompt/river_letter/1.0.0/river_letter.prompt",
}


def page(which, data=None):
    path = next(key for key in TREE if str(key) == PATHS[which])
    files = TREE if data is None else TREE | {path: data}
    return next(entry_pages(opened(files)[which.partition("/")[2]], SITE)).body


def artifact(which):
    return json.loads(next(data for path, data in TREE.items() if str(path) == PATHS[which]))


def steps(body):
    found = re.search(r'<section id="steps">(.*?)</section>', body, re.DOTALL)
    if not found:
        return None
    inner = re.search(r'<ol class="ps-steps">(.*)</ol>', found[1], re.DOTALL)[1]
    return re.split(r"</?li>", re.sub(r"<ul.*?</ul>", "[chips]", inner))[1::2]


def test_a_page_leads_to_where_the_release_can_be_run():
    assert '<a href="<root>run/#listener@1.1.0">Run it here</a>' in page(ENGINE)


PASTE = "Copy the prompt and paste it into a new conversation with an assistant"


def test_a_conversation_begins_and_is_saved():
    pbe = artifact(ENGINE)
    first, second, third = steps(page(ENGINE))
    assert first == f"{PASTE}."
    assert second.startswith("The assistant begins as it is told to: <q>")
    assert third.startswith("To stop, type one of these: [chips]The assistant writes a save.")
    for phrase in pbe["save_system"]["trigger_phrases"]:
        assert f"<li>{phrase}</li>" in page(ENGINE)


def test_a_task_ends_by_itself():
    execution = artifact(TASK)["execution"]
    assert steps(page(TASK)) == [
        f"{PASTE}, and add your material.",
        f"The assistant does one thing: <q>{execution['primary_goal']}</q>",
        f"It stops by itself, and keeps nothing: <q>{execution['termination_condition']}</q>",
    ]


def test_a_template_is_filled_in_first():
    fill, paste, answer = steps(page(TEMPLATE))
    assert fill.startswith('Fill in the <a href="#fill">form</a>')
    assert paste == f"{PASTE}."
    assert answer.startswith("The assistant answers once")


def test_a_template_without_variables_is_only_pasted():
    text = b"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nSay hello.\n"
    assert steps(page(TEMPLATE, text))[0] == f"{PASTE}."
    assert "Copy the prompt" in page(TEMPLATE, text)


def test_a_long_text_is_quoted_in_part():
    pbe = artifact(TASK)
    pbe["execution"]["primary_goal"] = "Say <b>. " * 100
    (_, goal, _) = steps(page(TASK, json.dumps(pbe).encode()))
    assert goal.endswith("…</q>")
    assert goal.count("Say &lt;b&gt;.") == 26


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({"start_play": None, "save_system": None}, 1),
        ({"start_play": {"instruction": " "}, "save_system": {"trigger_phrases": []}}, 1),
        ({"start_play": "Begin.", "save_system": {"trigger_phrases": "save"}}, 1),
        ({"start_play": {"instruction": "Begin."}, "save_system": {"trigger_phrases": [1]}}, 2),
        ({"execution": {}}, 1),
    ],
)
def test_what_an_artifact_does_not_have_is_no_step(changes, left):
    body = page(ENGINE, json.dumps(artifact(ENGINE) | changes).encode())
    assert len(steps(body)) == left


@pytest.mark.parametrize("data", [b"[]", b"{"])
def test_what_is_not_a_pbe_has_no_steps(data):
    assert steps(page(ENGINE, data)) is None


def test_what_nothing_runs_has_no_steps():
    body = next(entry_pages(opened(TREE)["watcher"], SITE)).body
    assert steps(body) is None
    assert "ps-take" not in body
    assert "Download the prompt" not in body


def test_assistants_are_opened_at_addresses_that_carry_nothing():
    body = page(ENGINE)
    for platform, address in PAGES.items():
        assert address.startswith("https://")
        assert not set("?#") & set(address)
        assert re.search(rf'href="{address}"[^>]*>{PLATFORMS[platform]}</a>', body)
