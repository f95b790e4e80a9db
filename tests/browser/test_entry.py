"""The pages of an entry in a real browser: read conversations, compare versions, judge the text."""

import hashlib
import json
import random
import re
from itertools import pairwise

import pytest

from support.catalogue import SCRIPT


def test_a_conversation_is_replayed(tab, registry):
    page = tab.open("interactive_engine/listener/")
    page.locator("#tested").get_by_role("link", name="Read the conversation").last.click()
    page.wait_for_url("**/interactive_engine/listener/1.1.0/runs/#chatgpt")
    chat = page.locator("#chatgpt")
    assert "Held with exactly these bytes" in chat.inner_text()
    assert chat.locator(".ps-who").all_inner_texts() == ["Person 1", "Assistant 2"]
    assert chat.locator(".ps-said--answer .ps-words").inner_text() == "Hello!"
    prompt = chat.locator(".ps-said--sent")
    listener = registry / "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt"
    assert not prompt.locator(".ps-words").first.is_visible()
    prompt.get_by_text("The prompt, exactly as released").click()
    assert "\n".join(prompt.locator(".ps-words").all_text_contents()) == listener.read_text()
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


COMPARED = "document.querySelector('.ps-diff pre')"


def test_two_versions_are_compared_word_by_word(tab):
    page = tab.open("interactive_engine/listener/")
    page.locator("select[name=before]").select_option("1.1.0")
    page.locator("select[name=after]").select_option("1.0.0")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url("**/interactive_engine/listener/1.1.0/#since-1.0.0")
    tab.until(COMPARED)
    shown = page.locator("[id='since-1.0.0']")
    assert "at least a minor step (1.1.0 or higher)" in shown.locator("summary").first.inner_text()
    assert "ladder was added" in shown.locator("li").first.inner_text()
    assert [*map(str.strip, shown.locator("pre del").all_inner_texts())][:1] == ["0"]
    assert shown.locator("pre ins").first.inner_text() == "1"
    assert "ladder" in "".join(shown.locator("pre ins").all_text_contents())
    assert "unchanged lines" in shown.locator("pre").inner_text()
    counted = shown.get_by_role("status").inner_text()
    assert re.fullmatch(r"Word by word: \d+ removed, \d+ added\.", counted)


def test_a_version_is_not_compared_with_itself(tab):
    page = tab.open("interactive_engine/listener/")
    page.locator("select[name=before]").select_option("1.1.0")
    page.get_by_role("button", name="Compare", exact=True).click()
    assert (
        page.locator(".ps-compare [role=status]").inner_text() == "Choose two different versions."
    )
    assert page.url == f"{tab.site}interactive_engine/listener/"


def test_a_comparison_in_the_address_is_opened(tab):
    page = tab.open("interactive_engine/listener/1.1.0/")
    details = page.locator("[id='since-1.0.0']")
    texts = details.get_by_text("The texts, word by word")
    texts.click()
    tab.until(COMPARED)
    texts.click()
    details.locator("summary").first.click()
    assert not details.locator("pre").is_visible()
    page.evaluate("location.hash = '#since-1.0.0'")
    details.locator("pre").wait_for(state="visible")
    assert details.locator("pre").count() == 1


@pytest.mark.parametrize(
    ("script", "path", "opens", "shows"),
    [
        ("texts", "interactive_engine/listener/1.1.0/", ".ps-diff", ".ps-diff pre"),
        ("dependents", "prompt/river_letter/", ".ps-dependents", ".ps-dependents ul"),
    ],
)
def test_what_is_opened_before_its_script_has_come_is_filled(tab, script, path, opens, shows):
    held = []
    tab.page.route(f"**/assets/psreg/{script}.js", lambda route, _: held.append(route))
    document = json.dumps({"dependents": DEPENDENTS})
    tab.page.route("**/dependents.json", lambda route: route.fulfill(body=document))
    page = tab.open(path)
    page.locator(f"{opens} > summary").evaluate("(summary) => summary.click()")
    tab.wait_for(lambda: held, "the script is asked for")
    held.pop().continue_()
    tab.until(f"document.querySelector('{shows}')")


def test_texts_that_cannot_be_fetched_are_not_compared(tab):
    tab.foreseen = "Failed to load resource"
    tab.page.route("**/1.0.0/listener.pbe.txt", lambda route: route.fulfill(status=404))
    page = tab.open("interactive_engine/listener/1.1.0/#since-1.0.0")
    page.get_by_text("This could not be loaded.").wait_for(state="visible")
    assert page.get_by_role("link", name="the text of 1.0.0").is_visible()
    tab.failed.clear()


DIFF = """async (pairs) => {
  const { diff } = await import(document.baseURI + "assets/psreg/texts.js");
  return pairs.map(([before, after]) => diff(before, after));
}"""


def compared(tab, *pairs):
    return tab.open().evaluate(DIFF, [*pairs])


def test_of_a_sentence_only_the_words_that_changed_are_marked(tab):
    told = compared(
        tab,
        ("Ask one question.\nWait.\n", "Ask two short questions.\nWait.\n"),
        ("ab", "ab"),
        ("", "new"),
        ("日本語を", "日本酒を"),
    )
    assert told == [
        [
            ["same", "Ask "], ["del", "one"], ["ins", "two"], ["same", " "],
            ["del", "question"], ["ins", "short questions"], ["same", ".\nWait.\n"],
        ],
        [["same", "ab"]],
        [["ins", "new"]],
        [["same", "日本"], ["del", "語"], ["ins", "酒"], ["same", "を"]],
    ]  # fmt: skip


def test_a_comparison_has_both_texts_whole(tab):
    pick = random.Random(7)
    words = ["a", "b", "c ", "\n", "\n\n", "d.", "é", "日", "\u202e", "🏞", "\r\n", "x" * 50]

    def made(most):
        return "".join(pick.choice(words) for _ in range(pick.randrange(most)))

    pairs = [(made(40), made(40)) for _ in range(300)]
    pairs += [(made(4_000), made(4_000)), ("a b " * 20_000, "c\n" * 20_000)]
    whole = made(20_000)
    pairs.append((whole, whole.replace("d.", "e. ", 20)))
    for (before, after), parts in zip(pairs, compared(tab, *pairs), strict=True):
        assert "".join(text for kind, text in parts if kind != "ins") == before
        assert "".join(text for kind, text in parts if kind != "del") == after
        kinds = [kind for kind, _ in parts]
        assert all(one != other for one, other in pairwise(kinds))
    assert sum(kind == "ins" for kind, _ in parts) <= 40


def test_what_would_hide_in_a_comparison_is_shown(tab):
    tab.page.route(
        "**/1.0.0/listener.pbe.txt", lambda route: route.fulfill(body=f"a\u202e{SCRIPT}")
    )
    page = tab.open("interactive_engine/listener/1.1.0/#since-1.0.0")
    tab.until(COMPARED)
    assert f"a⟨U+202E⟩{SCRIPT}" in page.locator(".ps-diff pre del").first.text_content()


@pytest.mark.parametrize("width", [320, 1280])
def test_the_phases_are_a_picture_that_can_be_read(open_tab, width):
    tab = open_tab(viewport={"width": width, "height": 900})
    page = tab.open("interactive_engine/listener/")
    picture = page.get_by_role("img", name="The phases, one after the other")
    assert picture.locator("rect").count() == 2
    size = "(e) => getComputedStyle(e).fontSize.replace('px', '') * e.getCTM().a"
    assert picture.locator("text").first.evaluate(size) >= 9.5
    inside = page.evaluate(
        "[...document.querySelectorAll('.ps-phases g, .ps-phases text')].every((text) => {"
        " const box = text.previousElementSibling.getBoundingClientRect();"
        " const own = text.getBoundingClientRect();"
        " return own.left >= box.left && own.right <= box.right; })"
    )
    assert inside


def test_a_page_says_what_the_assistant_needs(tab):
    page = tab.open("interactive_engine/hostile/")
    said = page.locator("#needs").inner_text()
    assert "Access to the web" in said
    assert "it writes a save as text" in said


def test_a_yanked_version_leads_to_what_to_use_instead(tab):
    page = tab.open("interactive_engine/listener/1.0.0/")
    assert "It forgot to listen." in page.locator(".ps-head .ps-note--danger").inner_text()
    assert page.get_by_role("button", name="Copy the prompt").count() == 0
    assert page.locator("[data-copy-file]").count() == 0
    page.get_by_role("link", name="Use version 1.1.0 instead").click()
    page.wait_for_url("**/interactive_engine/listener/")
    assert page.get_by_role("button", name="Copy the prompt").is_visible()


def test_every_instruction_of_a_version_is_listed_in_reading_order(tab, registry):
    page = tab.open("interactive_engine/listener/")
    page.get_by_role("link", name="Audit this version").click()
    page.wait_for_url("**/interactive_engine/listener/1.1.0/#audit")
    tab.until("document.querySelector('.ps-audit li')")
    audit = page.locator("#audit")
    assert "Your browser computed the digest of these bytes: it is the one above." in (
        audit.inner_text()
    )
    text = (registry / "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt").read_text()
    places = {place: str(value) for place, value in values(json.loads(text))}
    items = audit.locator(".ps-audit li")
    shown = dict(
        zip(
            items.locator("code").all_text_contents(),
            items.locator(".ps-words").all_text_contents(),
            strict=True,
        )
    )
    assert shown == places
    assert [*shown] == [*places]
    lines = [int(said.rpartition(" ")[2]) for said in items.locator("p").all_text_contents()]
    assert lines[0] == 2
    assert all('"instruction": "Ask what' not in text.split("\n")[line] for line in lines[:5])
    assert lines == sorted(lines)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def values(value, place=""):
    """Yield the JSON pointer and the value of everything that is neither object nor list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from values(item, f"{place}/{key}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from values(item, f"{place}/{at}")
    else:
        yield place, value


INSTRUCTIONS = """async (texts) => {
  const { instructions } = await import(document.baseURI + "assets/psreg/texts.js");
  return texts.map((text) => instructions(text).map(({ line, place, text }) => [line, place, text]));
}"""


def test_a_text_that_is_read_in_different_ways_is_listed_whole(tab):
    texts = [
        '{"2": "b",\n "1": "a", "1": "again", "a/b~": [true, {"x": null}, [], 1.50]}',
        '{"cut": "in the \\u00e9 middle \\u00',
        "(% a %)\n\n one\n two\n \n\nthree {x}",
        f"a{' ' * 200_000}\n{' ' * 200_000}",
    ]
    told = tab.open().evaluate(INSTRUCTIONS, texts)
    assert told[:3] == [
        [
            [1, "/2", "b"], [2, "/1", "a"], [2, "/1", "again"],
            [2, "/a~1b~0/0", "true"], [2, "/a~1b~0/1/x", "null"], [2, "/a~1b~0/3", "1.50"],
        ],
        [[1, "/cut", '"in the \\u00e9 middle \\u00']],
        [[1, "", "(% a %)"], [3, "", " one\n two"], [7, "", "three {x}"]],
    ]  # fmt: skip
    assert len(told[3]) == 1


def test_other_bytes_than_the_signed_ones_are_told(tab):
    text = '{"a": "b\u202e https://example.org/x"}'
    tab.page.route("**/1.1.0/listener.pbe.txt", lambda route: route.fulfill(body=text))
    page = tab.open("interactive_engine/listener/1.1.0/#audit")
    tab.until("document.querySelector('.ps-audit li')")
    said = page.locator(".ps-audit").inner_text()
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert f"These are other bytes: their SHA-256 is {digest}." in said
    assert "b⟨U+202E⟩" in said
    assert page.locator(".ps-audit mark").all_text_contents() == ["https://example.org/x"]


DEPENDENTS = {
    "river_letter": [
        {"name": "listener", "class": "interactive_engine", "version": "1.1.0", "range": "^1.0"}
    ]
}


def test_prompts_that_require_another_are_listed_when_somebody_looks(tab):
    page = tab.open("stateless_executor/greeter/")
    assert not any("dependents.json" in url for url in tab.asked)
    page.get_by_text("Prompts that require it").click()
    page.get_by_text("No prompt requires it.").wait_for(state="visible")
    document = json.dumps({"dependents": DEPENDENTS})
    page.context.route("**/dependents.json", lambda route: route.fulfill(body=document))
    page = tab.open("prompt/river_letter/")
    page.get_by_text("Prompts that require it").click()
    item = page.locator(".ps-dependents li")
    item.wait_for(state="visible")
    assert item.inner_text() == "listener 1.1.0 requires ^1.0"
    item.get_by_role("link").click()
    page.wait_for_url(f"{tab.site}interactive_engine/listener/")


def test_a_list_of_dependents_that_cannot_be_loaded_is_told(tab):
    tab.foreseen = "Failed to load resource"
    tab.page.route("**/dependents.json", lambda route: route.fulfill(status=404))
    page = tab.open("stateless_executor/greeter/")
    page.get_by_text("Prompts that require it").click()
    page.get_by_text("This could not be loaded.").wait_for(state="visible")
    tab.failed.clear()
