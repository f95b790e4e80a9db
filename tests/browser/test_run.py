"""The page `run/`: a conversation with an endpoint that the person brings, and its evidence."""

import hashlib
import json
import re
import shutil
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from psreg.catalogue.pages.entry.artifact_view import prompt_form
from psreg.conversations.endpoint.address import chat_address
from psreg.conversations.endpoint.chat import Endpoint
from psreg.conversations.model import ChatRequest
from psreg.conversations.trial import Session, converse, load
from psreg.conversations.trial_record import TrialMetadata, transcript
from psreg.formats import platforms
from psreg.formats.dotprompt import read, render
from stub import running
from support.catalogue import SCRIPT, tree
from support.stub_behaviours import Behaviour, always
from support.warm_psreg import run_psreg

KEY = "sk-a-key-that-nobody-else-has"
LISTENER = "interactive_engine/listener/1.1.0/listener.pbe.txt"
GREETER = "stateless_executor/greeter/1.0.0/greeter.pbe.txt"
LETTER = "prompt/river_letter/1.0.0/river_letter.prompt"
VALUES = {"river": "the Rhine", "unknown-one": "a <b>bridge</b>"}
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
READY = "document.querySelector('.ps-run.ps-ready')"


def origin_of(address):
    return "{0.scheme}://{0.netloc}".format(urlsplit(address))


@contextmanager
def endpoint_for(tab, behaviour="conforming", origin=None, chat=None):
    """Serve a behaviour that pages of the site may ask; `chat` changes what is said."""
    with running(behaviour, origin=origin_of(tab.site) if origin is None else origin) as stub:
        if chat:
            stub.behaviour = Behaviour(name="", about="", chat=chat)
        tab.elsewhere = (stub.url,)
        yield stub


def opened(tab, name, address, **fields):
    """Open the page with a prompt, and fill in the fields."""
    page = tab.open(f"run/#{name}", READY)
    page.wait_for_selector(".ps-run__loaded a")
    page.select_option("select[name=server]", "")
    page.fill("input[name=address]", address)
    page.get_by_text("Settings", exact=True).click()
    page.select_option("select[name=placement]", fields.pop("placement", ""))
    for field, value in fields.items():
        page.fill(f"input[name={field}]", value)
    return page


def start(page, answers=1):
    page.get_by_role("button", name="Start the conversation").click()
    page.locator("#ps-run-talk").wait_for()
    wait_for_answers(page, answers)


ANSWERS = """[
  document.querySelector('.ps-run__log').ariaBusy,
  document.querySelectorAll('.ps-run__turn--assistant').length,
]"""


def wait_for_answers(page, number):
    """Wait until there are that many answers, and none is on its way."""
    for _ in range(3_000):
        if (found := page.evaluate(ANSWERS)) == ["false", number]:
            return
        page.wait_for_timeout(20)
    pytest.fail(f"{found} instead of {number} answers")


def say(page, text, answers):
    page.fill("textarea[name=message]", text)
    page.keyboard.press("Enter")
    wait_for_answers(page, answers)


def last(page):
    return page.locator(".ps-run__text").last.text_content()


def evidence(page, platform="ollama", result="pass", notes=""):
    """Download the evidence; return its name and bytes."""
    page.select_option("select[name=platform]", platform)
    page.select_option("select[name=result]", result)
    page.fill("textarea[name=notes]", notes)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the evidence").click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def records(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def tried(registry, path, stub, turns, *, placement="", values=None):
    """Return the transcript that `psreg try` writes of the same conversation."""
    data = (registry / "pbes" / path).read_bytes()
    session = Session(
        prompt=load(data, path=path, values=values or {}, placement=placement),
        ask=Endpoint(chat_address(stub.url), {"PSREG_API_KEY": KEY}).stream,
        show=lambda _: None,
        settings=ChatRequest(messages=(), model="stub-2", temperature=0.5, seed=7),
    )
    assert list(converse(session, turns))
    about = TrialMetadata(
        platform="ollama",
        model="stub-2",
        day=NOON.date(),
        settings={"temperature": 0.5, "seed": 7},
        result="pass",
    )
    return transcript(session, about).encode()


@pytest.mark.parametrize(
    ("path", "turns", "placement"),
    [
        (LISTENER, ["I was late.", "Now save it, please."], ""),
        (LISTENER, ["I was late."], "user"),
        (GREETER, ["Ana", "Ben"], ""),
        (GREETER, [], ""),
        (LETTER, ["Shorter!"], ""),
        (LETTER, ["Write it."], "system"),
    ],
)
def test_a_run_is_sent_and_recorded_as_psreg_try_does(tab, registry, path, turns, placement):
    _, name, version, _ = path.split("/")
    values = VALUES if path == LETTER else {}
    tab.page.clock.set_fixed_time(NOON)
    with endpoint_for(tab) as stub:
        fields = {"key": KEY, "model": "stub-2", "temperature": "0.5", "seed": "7"}
        page = opened(tab, f"{name}@{version}", stub.url, placement=placement, **fields)
        for variable, value in values.items():
            page.fill(f"textarea[name={variable}]", value)
        opens = path != GREETER and not (path == LETTER and placement)
        start(page, answers=int(opens))
        for number, turn in enumerate(turns, start=1 + opens):
            say(page, turn, number)
        if not (turns or opens):
            page.get_by_role("button", name="Send").click()
            wait_for_answers(page, 1)
        file, data = evidence(page)
        sent = list(stub.requests)
        spoken = [*turns, "/exit"] if path != GREETER else turns
        expected = tried(registry, path, stub, spoken, placement=placement, values=values)
    assert records(data) == records(expected)
    again = stub.requests[len(sent) :]
    assert [body for _, _, body in sent] == [body for _, _, body in again]
    assert [at for at, _, _ in sent] == [at for at, _, _ in again]
    assert {headers["Authorization"] for _, headers, _ in sent} == {f"Bearer {KEY}"}
    assert file == "ollama-2026-11-01.jsonl"


def test_the_key_is_sent_to_the_endpoint_and_is_nowhere_else(tab):
    elsewhere = []
    tab.page.on("request", lambda each: elsewhere.append([each.url, each.headers, each.post_data]))
    with endpoint_for(tab) as stub:
        page = opened(tab, "listener@1.1.0", stub.url, key=KEY)
        page.get_by_role("button", name="List the models").click()
        page.get_by_text("Its models: stub-1, stub-2").wait_for()
        assert stub.asked_with[0]["Authorization"] == f"Bearer {KEY}"
        start(page)
        page.fill("textarea[name=message]", f"My key is {KEY}.")
        page.keyboard.press("Enter")
        page.get_by_text("Your message contains the key").wait_for()
        assert len(stub.requests) == 1
        page.fill("textarea[name=message]", "")
        say(page, "Hello", 2)
        _, data = evidence(page)
    assert KEY.encode() not in data
    assert stub.url.encode() not in data
    assert not [each for each in elsewhere if KEY in str(each) and stub.url not in each[0]]
    assert page.evaluate("location.href") == f"{tab.site}run/#listener@1.1.0"
    stored = "JSON.stringify([localStorage, sessionStorage, document.cookie, history.state])"
    assert KEY not in page.evaluate(stored)
    assert stub.url not in page.evaluate(stored)
    page.reload()
    tab.until(READY)
    assert page.input_value("input[name=key]") == ""


@pytest.fixture
def copy(registry, tmp_path):
    """A copy of the registry, to which evidence can be added."""
    root = tmp_path / "registry"
    shutil.copytree(registry / "pbes", root / "pbes")
    shutil.copytree(registry / "registry", root / "registry")
    return root


def findings(root, folder, file):
    done = run_psreg("check", folder, "--format", "json", cwd=root)
    found = json.loads(done.stdout)["diagnostics"]
    return [each["message"] for each in found if each["path"].endswith(file)]


def test_the_file_is_evidence_beside_a_release(tab, copy):
    folder = "pbes/stateless_executor/greeter/1.0.0"
    with endpoint_for(tab, chat=lambda _: "Good morning, dear Ana!") as stub:
        page = opened(tab, "greeter@1.0.0", stub.url)
        start(page, answers=0)
        say(page, "Ana", 1)
        name, data = evidence(page, "llama-cpp", "partial", "It greeted her twice.")
    told = page.locator(".ps-run__next code").all_text_contents()
    assert told == [f"{folder}/evidence/{name}", f"psreg check {folder}"]
    (copy / told[0]).parent.mkdir()
    (copy / told[0]).write_bytes(data)
    assert findings(copy, folder, name) == []
    other = name.replace("llama-cpp", "ollama")
    (copy / told[0]).rename(copy / folder / "evidence" / other)
    assert "the file name another" in findings(copy, folder, other)[0]


def test_psreg_judges_the_file(tab, tmp_path):
    with endpoint_for(tab) as stub:
        page = opened(tab, "greeter@1.0.0", stub.url)
        start(page, answers=0)
        say(page, "!<g>\nWhat is inertia?", 1)
        say(page, "!<q>\nWhat do you need to know?", 2)
        name, data = evidence(page)
    (tmp_path / name).write_bytes(data)
    done = run_psreg("transcript", name, "--protocol", "vpp@1.4", cwd=tmp_path, text=True)
    assert done.returncode == 0, done.stdout
    (tmp_path / name).write_bytes(data.replace(b" | Sources=none", b""))
    done = run_psreg("transcript", name, "--protocol", "vpp@1.4", cwd=tmp_path, text=True)
    assert done.returncode == 1


def test_nothing_is_downloaded_before_the_person_has_judged(tab):
    with endpoint_for(tab) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        told = page.locator(".ps-run__missing")
        download = page.get_by_role("button", name="Download the evidence")
        download.click()
        assert told.text_content() == "Choose the platform on which it ran."
        page.select_option("select[name=platform]", "jan")
        page.fill("input[name=answered]", "")
        download.click()
        assert told.text_content() == "Write the model’s own name."
        page.fill("input[name=answered]", "a model")
        download.click()
        assert told.text_content() == "Choose the result."
        page.select_option("select[name=result]", "fail")
        download.click()
        assert told.text_content() == "Say in a sentence what did not work."
        assert page.evaluate("document.activeElement.name") == "notes"
        name, _ = evidence(page, "jan", "fail", "It did not listen.")
    folder = "pbes/interactive_engine/listener/1.1.0"
    assert page.locator(".ps-run__next code").all_text_contents() == [
        f"{folder}/evidence/{name}",
        f"psreg transcript {folder}/evidence/{name} --protocol vpp@1.4",
        f"psreg check {folder}",
    ]
    shown = page.locator("select[name=platform] option").all_text_contents()
    assert shown[1:] == list(platforms.PLATFORMS.values())


def test_an_answer_can_be_stopped(tab):
    with endpoint_for(tab, "stalled-stream") as stub:
        page = opened(tab, "listener@1.1.0", stub.url, model="stub-2")
        page.get_by_role("button", name="Start the conversation").click()
        page.get_by_text("Half of a sen").wait_for()
        assert page.get_by_role("button", name="Send").count() == 0
        page.get_by_role("button", name="Stop").click()
        wait_for_answers(page, 1)
        page.get_by_text("This answer is not whole.").wait_for()
        page.get_by_role("button", name="Download the evidence").wait_for()
        assert page.locator("option[value=pass]").is_disabled()
        _, data = evidence(page, result="partial", notes="It was too slow to wait for.")
    turn = records(data)[-1]
    assert turn == {
        "role": "assistant", "content": "Half of a sen", "cut": True, "ended": "interrupted",
    }  # fmt: skip


def test_turns_are_taken_back_and_answered_again(tab):
    with endpoint_for(tab, chat=lambda said: f"{said} ({len(stub.requests)})") as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        say(page, "One", 2)
        page.get_by_role("button", name="Answer again").click()
        page.get_by_text("(3)").wait_for()
        wait_for_answers(page, 2)
        say(page, "/again", 2)
        page.get_by_text("(4)").wait_for()
        page.get_by_role("button", name="Take back").click()
        assert page.input_value("textarea[name=message]") == "One"
        wait_for_answers(page, 1)
        say(page, "Two", 2)
        say(page, "/undo", 1)
        page.get_by_role("button", name="Take back").click()  # there is nothing to take back
        _, data = evidence(page)
    found = records(data)
    assert found[0]["run"]["undone"] == 4
    assert [turn["role"] for turn in found] == ["system", "system", "assistant"]


def test_a_save_is_checked_and_kept_and_resumed(tab, tmp_path):
    with endpoint_for(tab) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        assert page.locator(".ps-run__saving .ps-chips li").all_text_contents() == ["save it"]
        say(page, "Now SAVE it", 2)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the save").click()
        save = download.value.path().read_text()
        assert download.value.suggested_filename == "listener_save.json"
        assert json.loads(save) == {"listener_save": {"pbe_version": "1.1.0", "topics": []}}
        for name, text, told in [
            ("other.json", '{"chess_save": {}}', "is a save of `chess_save`"),
            (
                "less.json",
                '{"listener_save": {"topics": 1}}',
                "`listener_save.pbe_version` is missing",
            ),
            ("words.json", "A day later", "is not a JSON object"),
            ("twice.json", '{"listener_save": {}, "listener_save": {}}', "twice.json is not"),
        ]:
            (tmp_path / name).write_text(text)
            page.set_input_files("input[name=resume]", tmp_path / name)
            page.locator(".ps-run__failure", has_text=told).wait_for()
        assert len(stub.requests) == 2
        (tmp_path / "mine.json").write_text(save)
        page.set_input_files("input[name=resume]", tmp_path / "mine.json")
        wait_for_answers(page, 3)
        assert stub.requests[-1][2]["messages"][-1] == {"role": "user", "content": save.strip()}
        say(page, '{"chess_save": {}}', 4)
        page.get_by_text("Warning: this is a save of `chess_save`").wait_for()


def test_an_invalid_save_is_explained(tab):
    with endpoint_for(tab, "save-foreign") as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        say(page, "save it", 2)
        told = page.locator(".ps-run__told").text_content()
    assert told == "Invalid save: the root key is not `listener_save` but `listener_memory`."


BIDI = "a\u202eb\u0007"


def test_hostile_answers_are_text(tab):
    hostile = f"{SCRIPT}<img src=x onerror=alert(1)>{BIDI}[a](javascript:alert(1))"
    with endpoint_for(tab, chat=lambda _: hostile) as stub:
        page = opened(tab, "hostile@0.1.0-rc.1", stub.url)
        start(page)
        assert last(page) == hostile.replace("\u202e", "⟨U+202E⟩").replace("\u0007", "⟨U+0007⟩")
        _, data = evidence(page)
        assert page.locator(".ps-run :is(script, img)").count() == 0
        assert page.locator(".ps-run__log a").count() == 0
    assert records(data)[-1]["content"] == hostile


def test_a_hostile_endpoint_cannot_flood_the_page(tab):
    with endpoint_for(tab, chat=lambda _: "x" * 300_000) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        assert len(last(page)) == 200_001
        _, data = evidence(page)
        told = page.locator(".ps-run__missing").text_content()
    assert len(records(data)[-1]["content"]) == 300_000
    assert re.fullmatch(r"The file has 30\d,\d{3} bytes; a registry takes 262,144.", told)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:8080", "does not begin with https:// or http://"),
        ("ftp://127.0.0.1", "does not begin with https:// or http://"),
        ("http://me:secret@127.0.0.1", "it has a user, a password or a fragment"),
        ("http://127.0.0.1/#v1", "it has a user, a password or a fragment"),
        ("http://192.168.0.9:11434", "it is not encrypted"),
        ("http://127.0.0.1.example.org", "it is not encrypted"),
    ],
)
def test_an_address_that_is_none_is_explained(tab, address, message):
    page = opened(tab, "listener@1.1.0", address)
    page.get_by_role("button", name="Start the conversation").click()
    page.locator(".ps-run__problem", has_text=message).wait_for()
    assert "secret" not in page.locator(".ps-run__problem").text_content()
    page.get_by_role("button", name="List the models").click()
    page.locator(".ps-run__problem", has_text=message).wait_for()


def test_plain_http_to_another_machine_has_to_be_allowed(tab):
    page = tab.open("run/#listener@1.1.0", READY)
    allow = page.get_by_label("Allow plain http to another machine")
    assert not allow.is_visible()
    page.fill("input[name=address]", "http://192.0.2.1:9")
    allow.check()
    page.context.route("http://192.0.2.1:9/**", lambda route: route.abort("connectionrefused"))
    tab.elsewhere = ("http://192.0.2.1:9",)
    page.wait_for_selector(".ps-run__loaded a")
    page.get_by_role("button", name="Start the conversation").click()
    page.locator(".ps-run__failure", has_text="no answer from 192.0.2.1:9").wait_for()
    page.fill("input[name=address]", "http://localhost:9")
    assert not allow.is_visible()


def test_an_endpoint_that_does_not_run_is_explained(tab):
    with running() as stub:
        gone = stub.url
    tab.elsewhere = (gone,)
    page = opened(tab, "listener@1.1.0", gone)
    page.get_by_role("button", name="Start the conversation").click()
    told = page.locator(".ps-run__failure")
    told.get_by_text(f"no answer from {urlsplit(gone).netloc}").wait_for()
    assert "Check the address, and that the server is running." in told.text_content()


@pytest.mark.parametrize(
    ("server", "setting"),
    [
        ("ollama", "OLLAMA_ORIGINS=HERE ollama serve"),
        ("llama-cpp", "llama-server -m MODEL.gguf --cors-origins HERE"),
        ("lm-studio", "lms server start --cors"),
        ("", "Access-Control-Allow-Origin: HERE"),
    ],
)
@pytest.mark.parametrize("origin", ["", "https://example.org"])
def test_a_server_that_does_not_allow_the_site_is_explained(tab, server, setting, origin):
    with endpoint_for(tab, origin=origin) as stub:
        page = tab.open("run/#listener@1.1.0", READY)
        page.select_option("select[name=server]", server)
        page.fill("input[name=address]", stub.url)
        page.get_by_role("button", name="List the models").click()
        told = page.locator(".ps-run__problem")
        told.get_by_text("is running, but does not allow pages of").wait_for()
        here = origin_of(tab.site)
        assert setting.replace("HERE", here) in told.text_content()
        assert stub.requests == []


def test_a_permission_that_was_denied_is_explained(tab):
    tab.page.context.clear_permissions()
    tab.page.context.grant_permissions(["clipboard-read"])  # and nothing else
    with running() as stub:
        gone = stub.url
    tab.elsewhere = (gone,)
    page = opened(tab, "listener@1.1.0", gone)
    page.get_by_role("button", name="List the models").click()
    told = page.locator(".ps-run__problem")
    told.get_by_text("the browser refuses this page access to the local network").wait_for()
    assert "Local network access in Chrome and Edge" in told.text_content()


def test_a_redirect_is_not_followed(tab):
    with running(origin="*") as other, endpoint_for(tab) as stub:
        away = always(307, Location=f"{other.url}/v1/chat/completions")
        stub.behaviour = Behaviour(name="", about="", wire=away)
        tab.elsewhere = (stub.url, other.url)
        page = opened(tab, "listener@1.1.0", stub.url, key=KEY)
        page.get_by_role("button", name="Start the conversation").click()
        told = page.locator(".ps-run__failure", has_text="redirects to another address")
        told.wait_for()
        assert "Write the new address" in told.text_content()
        assert (other.requests, other.asked_with) == ([], [])


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("unauthorized", "answers with status 401: no key. Write a valid key."),
        ("error-always", "answers with status 500: not now"),
        ("html", "the answer of the endpoint is invalid: it is not JSON"),
        ("hang-up", "ended the connection without an answer"),
        ("ended-stream", "the answer ended in the middle"),
        ("echo-key", "the endpoint sent the key back; its answer was dropped"),
        ("echo-key-event", "the endpoint sent the key back; its answer was dropped"),
    ],
)
def test_a_failure_is_explained_and_can_be_tried_again(tab, behaviour, message):
    with endpoint_for(tab, behaviour) as stub:
        page = opened(tab, "listener@1.1.0", stub.url, key=KEY)
        page.get_by_role("button", name="Start the conversation").click()
        page.locator(".ps-run__failure", has_text=message).wait_for()
        assert KEY not in page.locator(".md-content").inner_text()
        asked = len(stub.requests)
        stub.behaviour = Behaviour(name="", about="")
        if not page.locator(".ps-run__turn--assistant").count():
            page.get_by_role("button", name="Answer again").click()
            wait_for_answers(page, 1)
            assert len(stub.requests) > asked
    assert [url for url in tab.asked if not url.startswith((tab.site, stub.url))] == []


def test_other_pages_cannot_ask_an_endpoint_and_load_no_script_of_this_one(tab):
    with endpoint_for(tab) as stub:
        for path in ("", "guide/try/", "interactive_engine/listener/", "prompt/"):
            page = tab.open(path)
            page.wait_for_load_state("networkidle")
            refused = page.evaluate(f"fetch('{stub.url}/v1/models').then(() => 0, () => 1)")
            assert refused == 1, path
        assert stub.asked_with == []
    assert not [url for url in tab.asked if "/psreg/run/" in url]
    assert [line for line in tab.said if "Content Security Policy" not in line] == []


def test_the_policy_of_the_page_differs_in_nothing_but_connections(tab):
    policies = {}
    for path in ("guide/try/", "run/"):
        page = tab.open(path, "true")
        policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
        policies[path] = [re.sub(" 'sha256-[^']*'", "", rule.strip()) for rule in policy.split(";")]
    policies["run/"].remove("connect-src http: https:")
    assert policies["run/"] == policies["guide/try/"]


def test_a_prompt_is_found_by_its_name(tab):
    page = tab.open("run/", READY)
    wanted = page.get_by_label("Name, or NAME@VERSION")
    told = page.locator(".ps-run__loaded")
    wanted.fill("listener")
    wanted.press("Enter")
    told.get_by_text("listener 1.1.0: Listens to you").wait_for()
    assert page.evaluate("location.href") == f"{tab.site}run/#listener@1.1.0"
    assert (
        told.locator("a").get_attribute("href") == f"{tab.site}interactive_engine/listener/1.1.0/"
    )
    wanted.fill("hostile")  # which has no release but a preliminary one
    wanted.press("Enter")
    told.get_by_text("hostile 0.1.0-rc.1").wait_for()
    wanted.fill("listener@1.0.0")  # which is yanked, and asked for
    wanted.press("Enter")
    told.get_by_text("listener 1.0.0").wait_for()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("Quiz", "`Quiz` is not NAME or NAME@VERSION."),
        ("../../x", "`../../x` is not NAME or NAME@VERSION."),
        ("listener@9.9.9", "This registry has no prompt `listener@9.9.9`."),
        ("nobody", "This registry has no prompt `nobody`."),
        ("watcher", "watcher is a design document that nothing executes today."),
    ],
)
def test_what_cannot_be_run_is_said(tab, wanted, message):
    tab.foreseen = "404"
    page = tab.open("run/", READY)
    page.get_by_label("Name, or NAME@VERSION").fill(wanted)
    page.get_by_role("button", name="Load the prompt").click()
    page.locator(".ps-run__loaded").get_by_text(message).wait_for()
    page.get_by_role("button", name="Start the conversation").click()
    page.locator(".ps-run__problem", has_text="There is no prompt yet.").wait_for()
    tab.failed.clear()


def test_bytes_that_were_not_signed_are_not_run(tab):
    tab.page.context.route("**/listener.pbe.txt", lambda route: route.fulfill(body="{}"))
    page = tab.open("run/#listener@1.1.0", READY)
    page.locator(".ps-run__loaded").get_by_text("is not the file that was signed").wait_for()


def test_a_form_has_to_be_filled_in(tab):
    with endpoint_for(tab) as stub:
        page = opened(tab, "river_letter@1.0.0", stub.url)
        page.get_by_role("button", name="Start the conversation").click()
        told = page.locator(".ps-run__problem", has_text="Fill in the form first.")
        told.wait_for()
        assert "Missing: unknown-one" in told.text_content()
        assert stub.requests == []


def test_a_prompt_without_variables_needs_no_form(tab):
    text = "No <b>values</b>, {{braces}} (% and a remark %) here."
    prompt = read(f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}".encode())
    where = re.compile("river_letter/(1.0.0/)?$")
    tab.page.context.route(where, lambda route: route.fulfill(body=prompt_form(prompt)))
    with endpoint_for(tab) as stub:
        page = opened(tab, "river_letter@1.0.0", stub.url)
        start(page)
        assert stub.requests[0][2]["messages"] == [
            {"role": "user", "content": render(prompt, {}).text}
        ]


def test_an_entry_leads_to_the_page(tab):
    page = tab.open("interactive_engine/listener/")
    page.get_by_role("link", name="Run it here").first.click()
    page.wait_for_url("**/run/#listener@1.1.0")
    tab.until(READY)
    page.locator(".ps-run__loaded").get_by_text("listener 1.1.0").wait_for()


def test_a_draft_can_be_run(tab, preview):
    tab.site = preview
    data = tree()[next(path for path in tree() if str(path).endswith(LISTENER))]
    with endpoint_for(tab) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        _, found = evidence(page)
        assert stub.requests[0][2]["messages"][0]["content"].encode() == data
    assert records(found)[0]["run"]["sha256"] == hashlib.sha256(data).hexdigest()


def test_another_prompt_ends_the_conversation(tab):
    with endpoint_for(tab) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        page.evaluate("location.hash = '#ollama'")  # a part of the page
        assert page.locator("#ps-run-talk").is_visible()
        page.evaluate("location.hash = '#greeter@1.0.0'")
        page.locator(".ps-run__loaded").get_by_text("greeter 1.0.0").wait_for()
        assert not page.locator("#ps-run-talk").is_visible()
        assert not page.locator("#ps-run-evidence").is_visible()


def test_the_page_keeps_what_would_be_lost(tab):
    asked = []
    tab.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    with endpoint_for(tab) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        page.reload()
        assert asked == ["beforeunload"]
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        evidence(page)
        page.reload()
        assert asked == ["beforeunload"]


def test_a_conversation_is_kept_and_can_end_before_the_form_of_the_evidence_comes(tab):
    held, asked = [], []
    script = f"{tab.site}assets/psreg/run/evidence.js"
    tab.page.route(script, lambda route, _: held.append(route))
    tab.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    with endpoint_for(tab) as stub:
        for number in (1, 2):
            page = opened(tab, "listener@1.1.0", stub.url)
            start(page)
            tab.wait_for(lambda number=number: len(held) == number, "the form is asked for")
            if number == 1:
                page.reload()
        assert asked == ["beforeunload"]
        page.evaluate("location.hash = '#greeter@1.0.0'")
        page.locator(".ps-run__loaded").get_by_text("greeter 1.0.0").wait_for()
        held.pop().continue_()
        page.evaluate(f"import('{script}').then(() => 0)")
        assert not page.locator("#ps-run-evidence").is_visible()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_conversation_fits(open_tab, width):
    tab = open_tab(viewport={"width": width, "height": 844}, has_touch=True, color_scheme="dark")
    with endpoint_for(tab, chat=lambda _: "word" * 400) as stub:
        page = opened(tab, "listener@1.1.0", stub.url)
        start(page)
        evidence(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        low = "(e) => e.offsetParent && e.getBoundingClientRect().height < 44 ? e.outerHTML : null"
        parts = page.locator(
            ".ps-run :is(button, input:not([type=checkbox], [type=file]), select, summary)"
        )
        assert [html for each in parts.all() if (html := each.evaluate(low))] == []


def test_without_javascript_the_page_says_what_it_needs(open_tab):
    page = open_tab(java_script_enabled=False).open("run/", ready="true")
    assert "psreg try" in page.locator("noscript").first.text_content()
    assert not page.locator(".ps-run").is_visible()
    assert page.get_by_role("heading", name="What goes where").is_visible()
