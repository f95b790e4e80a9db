"""The pages of an entry in a real browser: read conversations, compare versions, judge the text."""


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
