"""Asking an endpoint over HTTP: what is an answer, what is none, and what it may cost."""

import json
import socket
from dataclasses import replace
from functools import partial

import pytest

from psreg.conversations.endpoint.address import chat_address, key_for, post_address
from psreg.conversations.endpoint.answer import (
    ReasoningFilter,
    Streamed,
    chat_of,
    json_of,
    models_of,
    split_reasoning,
)
from psreg.conversations.endpoint.chat import PATIENCE, Endpoint
from psreg.conversations.model import ChatRequest, DuplicateKeyError, EndpointError, Message
from psreg.core.errors import UsageError
from stub import running
from support.stub_behaviours import BEHAVIOURS, NAMED

KEY = "sk-secret-0123456789"
QUICK = replace(PATIENCE, backoff=0.001)
HURRIED = replace(QUICK, run=0.5, request=0.5, silence=0.5)
CHAT = ChatRequest(messages=(Message(role="user", content="Hello 🎲"),), model="m1")
WIRES = [behaviour.name for behaviour in BEHAVIOURS if behaviour.wire]
SLOW = {"silent", "drip", "stalled-stream"}


def refused(attempt):
    with pytest.raises(EndpointError) as caught:
        attempt()
    return caught.value


def endpoint(stub, *, key=KEY, limits=QUICK, where=chat_address):
    return Endpoint(where(stub.url), {"PSREG_API_KEY": key}, limits)


def outcome(attempt):
    """Return whether there was an answer; None if what is none is untyped, or tells the key."""
    try:
        attempt()
    except EndpointError as error:
        typed = error.code.startswith("ENDPOINT_")
        return None if KEY in f"{error.message} {error.hint}" or not typed else False
    return True


@pytest.mark.parametrize("name", WIRES)
def test_what_travels_badly_is_an_answer_or_a_typed_error(name):
    limits = HURRIED if name in SLOW else QUICK
    pb2s, chat, _, streamed = (code == 0 for code in NAMED[name].exits)
    with running(name) as stub:
        assert outcome(lambda: endpoint(stub, limits=limits).ask(CHAT)) is chat
    with running(name) as stub:
        talk = endpoint(stub, limits=limits)
        assert outcome(lambda: talk.stream(CHAT, lambda _piece: None)) is streamed
    with running(name) as stub:
        ask = endpoint(stub, limits=limits, where=post_address)
        assert outcome(lambda: ask.post({"message": "Hello"})) is pb2s


def test_a_request_says_what_was_asked_for_and_nothing_else():
    with running() as stub:
        reply = endpoint(stub).ask(replace(CHAT, temperature=0.2, seed=7))
        endpoint(stub, key="").ask(replace(CHAT, model=""))
    (path, headers, body), (_, bare, plain) = stub.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    messages = [{"role": "user", "content": "Hello 🎲"}]
    assert body == {"messages": messages, "model": "m1", "temperature": 0.2, "seed": 7}
    assert plain == {"messages": messages}
    assert "Authorization" not in bare
    assert (reply.text, reply.finish, reply.model) == ("You said: Hello 🎲", "stop", "m1")


@pytest.mark.parametrize("name", ["thinks", "thinks-apart"])
def test_reasoning_is_kept_apart(name):
    heard = []
    with running(name) as stub:
        whole = endpoint(stub).ask(CHAT)
        streamed = endpoint(stub).stream(CHAT, heard.append)
    assert whole.text == streamed.text == "".join(heard) == "You said: Hello 🎲"
    thought = "S{$a:9;}S? No, wait." if name == "thinks" else "Hm, wait."
    assert whole.reasoning == streamed.reasoning == thought


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("<think>a</think>b", "b", "a"),
        (" \n<thinking>\na\n</thinking>\n\nb</thinking>", "b</thinking>", "a"),
        ("<reasoning>a</think></reasoning>", "", "a</think>"),
        ("<think>cut off", "", "cut off"),
        ("<think>", "", ""),
        ("<think>a</think>\n<think>b</think>\n\nc", "c", "a\n\nb"),
        ("<Think>a</THINK> b", "b", "a"),
        ("<think>a</think>\n<thinker", "<thinker", "a"),
        ("<thin", "<thin", ""),
        ("b <think>a</think>", "b <think>a</think>", ""),
        (" " * 2000 + "<think>a</think>b", " " * 2000 + "<think>a</think>b", ""),
        ("", "", ""),
    ],
)
def test_where_reasoning_begins_and_ends(text, answer, reasoning):
    for size in (1, 3, 7, len(text) or 1):
        found = ReasoningFilter()
        pieces = (text[at : at + size] for at in range(0, len(text), size))
        assert "".join(map(found.answer, pieces)) + found.end() == answer
        assert found.reasoning == reasoning


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("Let me see.\nIt is 4.\n</think>\n\nFour.", "Four.", "Let me see.\nIt is 4."),
        ("a\n  </Reasoning>  \nb", "b", "a"),
        ("a\n</think>", "", "a"),
        ("Write `</think>` to end it.", "Write `</think>` to end it.", ""),
        ("a\n</think> b", "a\n</think> b", ""),
        ("Use <think>\nx\n</think>\nfor it.", "Use <think>\nx\n</think>\nfor it.", ""),
        ("a\nb", "a\nb", ""),
    ],
)
def test_reasoning_that_only_a_closing_tag_ends(text, answer, reasoning):
    """The template of some models contains the opening tag."""
    assert split_reasoning(text) == (reasoning, answer)
    whole = {"choices": [{"message": {"content": text}}]}
    assert (chat_of(whole).text, chat_of(whole).reasoning) == (answer, reasoning)
    streamed = Streamed(check=lambda _: None)
    event = json.dumps({"choices": [{"delta": {"content": text}}]})
    shown = streamed.pieces([f"data: {event}\n".encode(), b"\n", b"data: [DONE]\n", b"\n"])
    assert "".join(shown) == text
    assert (streamed.reply.text, streamed.reply.reasoning) == (answer, reasoning)


@pytest.mark.unmeasured
def test_long_reasoning_takes_linear_time():
    found = ReasoningFilter()
    assert found.answer("<think>") == ""
    assert not any(found.answer("ab") for _ in range(1_000_000))
    assert found.answer("</think>c") == "c"
    assert len(found.reasoning) == 2_000_000


def test_tokens_are_counted_if_the_endpoint_says():
    counts = {"prompt_tokens": 12, "completion_tokens": 34}
    for name in ("conforming", "no-stream"):
        with running(name) as stub:
            assert endpoint(stub).ask(CHAT).usage == counts
            assert endpoint(stub).stream(CHAT, lambda _piece: None).usage == counts
    with running("no-counting") as stub:
        talk = endpoint(stub)
        assert talk.stream(CHAT, lambda _piece: None).usage == {}
        assert talk.stream(CHAT, lambda _piece: None).text == "You said: Hello 🎲"
    assert ["stream_options" in body for _, _, body in stub.requests] == [True, False, False]
    assert (
        chat_of({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -1}}).usage
        == {}
    )


def test_content_may_be_missing_only_beside_reasoning():
    reply = chat_of({"choices": [{"message": {"content": None, "reasoning_content": "Hm."}}]})
    assert (reply.text, reply.reasoning) == ("", "Hm.")


@pytest.mark.parametrize("name", ["echo-key", "echo-key-escaped", "echo-key-event"])
def test_a_key_is_recognised_however_it_comes_back(name):
    headers = {"X-Api-Key": KEY}
    for environ, more in (({"PSREG_API_KEY": KEY}, {}), ({"PSREG_API_KEY": KEY}, headers)):
        with running(name) as stub:
            talk = Endpoint(chat_address(stub.url), environ, QUICK, more)
            attempt = partial(talk.stream, CHAT, lambda _piece: None)
            assert refused(attempt).code == "ENDPOINT_KEY"
    with running("echo-key-escaped") as stub:
        ask = endpoint(stub, where=post_address)
        assert refused(lambda: ask.post({"message": "Hello"})).code == "ENDPOINT_KEY"


def test_headers_and_the_query_are_sent():
    with running() as stub:
        url = chat_address(f"{stub.url}/v1?api-version=7")
        talk = Endpoint(url, {}, QUICK, {"X-Api-Key": KEY})
        talk.ask(CHAT)
        assert talk.models() == ("stub-1", "stub-2")
    ((path, headers, _),) = stub.requests
    assert path == "/v1/chat/completions?api-version=7"
    assert headers["X-Api-Key"] == stub.asked_with[0]["X-Api-Key"] == KEY


def test_a_list_of_models_that_is_none():
    with running() as stub:
        talk = Endpoint(chat_address(f"{stub.url}/other"), {}, QUICK)
        assert refused(talk.models).code == "ENDPOINT_REFUSED"
    with pytest.raises(EndpointError, match="no list of models"):
        models_of({"data": {}})


def test_a_key_that_occurs_twice_is_refused():
    with pytest.raises(DuplicateKeyError, match="the key `b` occurs twice") as caught:
        json_of(b'{"a": {"b": 1, "c": 2, "b": 3}}')
    assert (caught.value.code, caught.value.key) == ("ENDPOINT_ANSWER", "b")


def test_plain_http_to_another_machine_must_be_allowed():
    address = "http://models.example:8080/v1"
    with pytest.raises(UsageError, match="it is not encrypted"):
        chat_address(address)
    allowed = chat_address(address, allow_http=True)
    assert allowed.geturl() == f"{address}/chat/completions"
    assert post_address("http://a.example", allow_http=True).geturl() == "http://a.example/chat"
    assert chat_address("https://a.example", allow_http=True).scheme == "https"
    with pytest.raises(UsageError, match="a user or a password"):
        chat_address("http://u:p@a.example", allow_http=True)


def test_pieces_are_heard_as_they_come():
    heard = []
    with running() as stub:
        reply = endpoint(stub).stream(CHAT, heard.append)
    assert "".join(heard) == reply.text == "You said: Hello 🎲"
    assert len(heard) == 2
    assert (reply.finish, reply.model) == ("stop", "m1")
    assert stub.requests[0][2]["stream"] is True


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bytewise", "Grüße 🎲 You said: Hello 🎲"),
        ("halves", "🎲 You said: Hello 🎲"),
        ("lonely-half", "You said: Hello 🎲\ufffd"),
        ("remarks", "You said: Hello 🎲"),
        ("no-stream", "You said: Hello 🎲"),
    ],
)
def test_characters_that_arrive_in_parts_are_whole(name, text):
    heard = []
    with running(name) as stub:
        assert endpoint(stub).stream(CHAT, heard.append).text == text
    assert "".join(heard) == text


def test_what_was_heard_is_not_asked_for_again():
    heard = []
    with running("cut-stream") as stub:
        error = refused(lambda: endpoint(stub).stream(CHAT, heard.append))
    assert error.code == "ENDPOINT_CUT"
    assert heard
    assert len(stub.requests) == 1


@pytest.mark.parametrize("name", ["busy-once", "error-once", "hang-up-once", "busy-date"])
def test_a_busy_endpoint_is_asked_again(name):
    with running(name) as stub:
        talk = endpoint(stub)
        assert talk.ask(CHAT).text
    assert talk.calls == len(stub.requests) == 2


@pytest.mark.parametrize(("name", "calls"), [("busy-always", 3), ("busy-long", 1), ("redirect", 1)])
def test_asking_again_is_bounded(name, calls):
    with running(name) as stub:
        error = refused(lambda: endpoint(stub).ask(CHAT))
    assert len(stub.requests) == calls
    assert error.status in (307, 429)
    assert ("3600 seconds" in error.hint) is (name == "busy-long")


def test_no_attempt_is_begun_that_there_is_no_time_for():
    limits = replace(QUICK, run=2, request=2, backoff=20)
    with running("error-always") as stub:
        error = refused(lambda: endpoint(stub, limits=limits).ask(CHAT))
    assert error.code == "ENDPOINT_SLOW"
    assert len(stub.requests) == 1


def test_time_that_is_over_leaves_no_attempt():
    limits = replace(QUICK, run=0.05, request=0.05, backoff=0)
    with running("slow") as stub:
        assert refused(lambda: endpoint(stub, limits=limits).ask(CHAT)).code == "ENDPOINT_SLOW"


def test_a_refusal_tells_its_status_and_the_endpoints_words():
    with running("no-settings") as stub:
        error = refused(lambda: endpoint(stub).ask(replace(CHAT, seed=1)))
    assert (error.code, error.status) == ("ENDPOINT_REFUSED", 400)
    assert error.message.endswith("status 400: Unsupported parameter: 'seed'")
    with running("unauthorized") as stub:
        assert "PSREG_API_KEY" in refused(lambda: endpoint(stub).ask(CHAT)).hint


@pytest.mark.parametrize("way", ["ask", "stream"])
def test_an_answer_with_the_key_in_it_is_dropped(way):
    heard = []
    with running("echo-key") as stub:
        talk = endpoint(stub)
        error = refused(lambda: talk.ask(CHAT) if way == "ask" else talk.stream(CHAT, heard.append))
    assert error.code == "ENDPOINT_KEY"
    assert heard == []


def test_a_word_in_place_of_a_key_is_no_secret():
    with running("echo-key") as stub:
        assert endpoint(stub, key="none").ask(CHAT).text.startswith("none")
        heard = []
        assert endpoint(stub, key="none").stream(CHAT, heard.append).text == "".join(heard)


def test_nothing_listens():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        error = refused(lambda: Endpoint(chat_address(url), {}, QUICK).ask(CHAT))
    assert error.code == "ENDPOINT_UNREACHABLE"


@pytest.mark.parametrize(
    ("given", "chat", "post"),
    [
        ("http://127.0.0.1:1", "/v1/chat/completions", "/chat"),
        ("http://127.0.0.1:1/", "/v1/chat/completions", "/chat"),
        ("http://localhost:1/v1/", "/v1/chat/completions", "/v1/"),
        ("https://a.example/api/v1", "/api/v1/chat/completions", "/api/v1"),
        ("https://a.example/x/chat/completions?v=1", "/x/chat/completions", "/x/chat/completions"),
        ("http://[::1]:1/chat", "/chat/chat/completions", "/chat"),
    ],
)
def test_addresses(given, chat, post):
    assert chat_address(given).path == chat
    assert post_address(given).path == post


@pytest.mark.parametrize(
    "address",
    [
        "",
        "127.0.0.1:8000",
        "ftp://a.example",
        "http://a.example/chat",
        "http:///chat",
        "https://ana:secret@a.example",
        "https://a.example/#x",
        "https://a.example:99999",
        "https://[::1",
        "https://a.example/a b",
        "https://ä.example",
    ],
)
def test_what_is_no_address(address):
    with pytest.raises(UsageError) as caught:
        chat_address(address)
    assert caught.value.code == "BAD_ENDPOINT"
    assert "secret" not in caught.value.message


def test_a_key_goes_where_it_belongs():
    def key(environ, address):
        return key_for(chat_address(address), environ)

    openai = {"OPENAI_API_KEY": "sk-openai"}
    assert key(openai, "https://api.openai.com/v1") == "sk-openai"
    assert key(openai, "https://elsewhere.example/v1") == ""
    at_home = {**openai, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    assert key(at_home, "http://127.0.0.1:1") == "sk-openai"
    assert key(at_home, "https://api.openai.com/v1") == ""
    assert key({**openai, "PSREG_API_KEY": "sk-psreg"}, "https://api.openai.com") == "sk-psreg"


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_what_is_no_key_is_not_shown(key):
    with pytest.raises(UsageError) as caught:
        Endpoint(chat_address("http://127.0.0.1:1"), {"PSREG_API_KEY": key})
    assert caught.value.code == "BAD_KEY"
    assert key not in caught.value.message


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"[]", "it is not an object"),
        (b'{"model": "x"}', "it has no list of choices"),
        (b'{"choices": [{"message": "text"}]}', "choices[0].message is not an object"),
    ],
)
def test_an_answer_of_another_shape(data, problem):
    with pytest.raises(EndpointError) as caught:
        chat_of(json_of(data))
    assert problem in caught.value.message


def test_the_last_event_of_a_stream_may_lack_its_blank_line():
    said = Streamed(check=lambda _value: None)
    event = b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}'
    assert list(said.pieces([event])) == ["Hi"]
    assert (said.reply.text, said.reply.finish) == ("Hi", "stop")
