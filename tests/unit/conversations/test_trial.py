"""Trying a prompt without a network: loading order, termination, saves, what is left behind."""

import hashlib
import json
import tomllib
from datetime import date

import pytest

from psreg.conversations.model import ChatReply, ChatRequest, EndpointError
from psreg.conversations.trial import (
    EndReason,
    Platform,
    Session,
    converse,
    load,
    platforms_of,
    save_to_resume,
    save_warning,
)
from psreg.conversations.trial_record import TrialMetadata, row_of, transcript, with_row
from psreg.core.errors import FindingsError, UsageError
from psreg.formats.conversation import json_lines

ENGINE = {
    "pbe_name": "quiz",
    "pbe_version": "1.0.0",
    "pbe_class": "interactive_engine",
    "install_instructions": "Run this.",
    "description": "A quiz.",
    "core_philosophy": dict.fromkeys(
        ("primary_goal", "key_principle", "conversational_style", "facilitator_stance"), "calm"
    ),
    "game_structure": {
        "phases": [
            dict.fromkeys(("phase", "name", "description", "facilitator_role"), name)
            for name in ("ask", "tell")
        ]
    },
    "facilitator_techniques": {
        "techniques": [
            dict.fromkeys(("name", "purpose", "example"), f"way {number}") for number in range(5)
        ]
    },
    "save_system": {
        "description": "Keeps the score.",
        "trigger_phrases": ["save my quiz"],
        "save_template": {"quiz_save": {"score": 0}},
        "load_detection": {"instruction": "Go on.", "recognition_key": "quiz_save"},
    },
    "meta_instructions": dict.fromkeys(("your_role", "tone", "flexibility", "goal"), "host"),
    "start_play": {"instruction": "Greet the player."},
}
EXECUTOR = {
    "pbe_name": "hello",
    "pbe_version": "1.0",
    "pbe_class": "stateless_executor",
    "install_instructions": "Run this.",
    "execution": dict.fromkeys(("primary_goal", "behavior", "termination_condition"), "hello"),
}
PROMPT = b"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello {name}, {place}\n"
AT = TrialMetadata(platform="", model="m1", day=date(2026, 11, 21), settings={"seed": 7})


class Voice:
    """An assistant that says what it was told to, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, request, heard):
        self.asked.append(request)
        answer = self.answers.pop(0) if self.answers else "Go on."
        if isinstance(answer, BaseException):
            heard("Half of ")
            raise answer
        heard(answer)
        return ChatReply(text=answer, model="voice-1")


def play_of(value, **changes):
    data = value if isinstance(value, bytes) else json.dumps({**value, **changes}).encode()
    path = "greeting.prompt" if isinstance(value, bytes) else "quiz.pbe.txt"
    return load(data, path=path, values={})


def begun(prompt, *answers):
    voice = Voice(*answers)
    settings = ChatRequest(messages=(), model="m1", seed=7)
    return voice, Session(prompt=prompt, ask=voice, show=lambda _piece: None, settings=settings)


def said(session):
    return [(message.role, message.content) for message in session.turns]


def test_an_engine_opens_with_start_play_and_goes_on_until_the_person_leaves():
    prompt = play_of(ENGINE)
    voice, session = begun(prompt, "Welcome!")
    exchanges = list(converse(session, ["Hello", " /exit ", "never said"]))
    assert said(session) == [
        ("system", json.dumps(ENGINE)),
        ("system", "Greet the player."),
        ("assistant", "Welcome!"),
        ("user", "Hello"),
        ("assistant", "Go on."),
    ]
    assert session.ended is EndReason.EXIT
    assert [exchange.said for exchange in exchanges] == ["", "Hello"]
    assert [len(request.messages) for request in voice.asked] == [2, 4]
    assert (voice.asked[0].model, voice.asked[0].seed, session.model) == ("m1", 7, "voice-1")


def test_an_engine_ends_with_its_input_or_when_it_is_complete():
    _, session = begun(play_of(ENGINE))
    list(converse(session, ["Hello"]))
    assert session.ended is EndReason.INPUT
    _, session = begun(play_of(ENGINE), "Welcome!", "One more", "The quiz is over.")
    list(converse(session, ["a", "b", "c"], until="quiz is over"))
    assert session.ended is EndReason.COMPLETE
    assert said(session)[-2:] == [("user", "b"), ("assistant", "The quiz is over.")]


def test_an_executor_ends_with_its_script():
    _, session = begun(play_of(EXECUTOR))
    list(converse(session, ["SELECT 1", "/exit"]))
    assert [content for role, content in said(session) if role == "user"] == ["SELECT 1", "/exit"]
    assert session.ended is EndReason.SCRIPT


def test_an_executor_with_nothing_else_to_say_is_told_to_run():
    _, session = begun(play_of(EXECUTOR))
    list(converse(session, []))
    assert said(session)[1:] == [("user", "Run this."), ("assistant", "Go on.")]
    _, session = begun(play_of(EXECUTOR, start_play={"instruction": "Begin."}))
    list(converse(session, []))
    assert said(session)[1:] == [("system", "Begin."), ("assistant", "Go on.")]


def test_a_prompt_is_rendered_and_said():
    prompt = load(PROMPT, path="greeting.prompt", values={"name": "Ana", "nmae": "x"})
    _, session = begun(prompt)
    list(converse(session, ["Thanks"]))
    assert said(session)[0] == ("user", "Hello Ana, {place}")
    assert session.ended is EndReason.INPUT
    assert prompt.notes == ("no value for `{place}`", "unknown variable `nmae`")
    assert save_warning(prompt, '{"quiz_save": {}}') == ""
    with pytest.raises(UsageError, match="no save system"):
        save_to_resume(prompt, b"{}", "s.json")


def refusal(data, path="x.pbe.txt", values=()):
    with pytest.raises((FindingsError, UsageError)) as caught:
        load(data, path=path, values=dict(values))
    return caught.value.code, str(caught.value)


def test_what_cannot_be_tried():
    service = {
        **EXECUTOR,
        "pbe_class": "persistent_service",
        "service_config": dict.fromkeys(
            ("monitoring_target", "activation_conditions", "background_operation"), "x"
        ),
    }
    assert refusal(json.dumps(service).encode())[0] == "NOT_EXECUTED"
    code, message = refusal(json.dumps({**EXECUTOR, "execution": {}}).encode())
    assert code == "UNREADABLE"
    assert message.count("PBE008") == 3
    assert refusal(b'{"pbe_name": ')[0] == "UNREADABLE"
    assert refusal(b"hello", path="x.txt")[0] == "UNKNOWN_FORMAT"
    assert refusal(json.dumps(EXECUTOR).encode(), values={"a": "b"}.items())[0] == "USAGE"


def test_a_trigger_phrase_saves():
    good = 'Here:\n```json\n{"quiz_save": {"score": 3}}\n```'
    bad = '{"quiz_save": {"score": "three"}}'
    _, session = begun(play_of(ENGINE), "Welcome!", good, bad, "I cannot.")
    *_, first, second, third = converse(session, ["Save my quiz", "save my  QUIZ!", "save my quiz"])
    assert (first.save_requested, first.faults) == (True, ())
    assert first.save.text == '{"quiz_save": {"score": 3}}'
    assert second.faults == ("`quiz_save.score` is not a number",)
    assert (third.save, third.faults) == (None, ("the answer contains no save",))


def test_a_matching_save_is_resumed_and_a_foreign_one_is_named():
    prompt = play_of(ENGINE)
    text = save_to_resume(
        prompt, b'\xef\xbb\xbf {"quiz_save": {"score": 3}}\n'.lstrip(b"\xef\xbb\xbf"), "s"
    )
    _, session = begun(prompt)
    list(converse(session, [], resume=text))
    users = [content for role, content in said(session) if role == "user"]
    assert users == ['{"quiz_save": {"score": 3}}']

    def code(data):
        with pytest.raises(FindingsError) as caught:
            save_to_resume(prompt, data, "s.json")
        return caught.value.code, caught.value.message

    assert code(b"no json")[0] == "BAD_SAVE"
    assert code(b'{"quiz_save": {}}')[0] == "BAD_SAVE"
    foreign = "s.json is a save of `chess_save`; quiz.pbe.txt resumes `quiz_save`"
    assert code(b'{"chess_save": {}}') == ("FOREIGN_SAVE", foreign)


def test_a_person_is_told_of_a_save_that_is_typed():
    prompt = play_of(ENGINE)
    assert save_warning(prompt, "Hello") == ""
    assert save_warning(prompt, '{"quiz_save": {"score": 3}}') == ""
    assert save_warning(prompt, '{"score": 3}') == ""
    assert save_warning(prompt, '{"quiz_save": {}}') == "`quiz_save.score` is missing"
    assert "a save of `chess_save`" in save_warning(prompt, '{"chess_save": {}}')


@pytest.mark.parametrize("change", [{"save_system": None}, {"save_template": 1}, {"keys": 1}])
def test_a_pbe_without_a_whole_save_system_saves_nothing(change):
    system = {**ENGINE["save_system"], **change}
    own = change.get("save_system", system)
    prompt = load(
        json.dumps({**EXECUTOR, "save_system": own}).encode(), path="x.pbe.txt", values={}
    )
    assert (prompt.saves is None) is ("keys" not in change)


def test_what_was_said_is_kept_when_it_is_interrupted():
    _, session = begun(play_of(ENGINE), "Welcome!", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        list(converse(session, ["Hello"]))
    session.stop("interrupted")
    *_, last = records(transcript(session, AT))
    assert last == {"role": "assistant", "content": "Half of ", "ended": "interrupted", "cut": True}
    _, session = begun(play_of(ENGINE))
    list(converse(session, ["Hello"]))
    session.stop("interrupted")
    *_, last = records(transcript(session, AT))
    assert last == {"role": "assistant", "content": "Go on.", "ended": "interrupted"}


def test_a_part_of_a_key_is_not_kept():
    _, session = begun(play_of(ENGINE), "Welcome!", EndpointError("ENDPOINT_KEY", "sent back"))
    with pytest.raises(EndpointError):
        list(converse(session, ["Hello"]))
    session.stop("ENDPOINT_KEY")
    *_, last = records(transcript(session, AT))
    assert last == {"role": "user", "content": "Hello", "ended": "ENDPOINT_KEY"}


def test_what_loads_the_prompt_cannot_be_taken_back():
    for prompt in (play_of(ENGINE), play_of(PROMPT)):
        _, session = begun(prompt)
        before = len(session.prompt.context) + 1
        list(converse(session, ["/undo", "/again", "Hello", "/undo"]))
        assert (len(session.turns), session.undone) == (before, 1)


def test_a_turn_is_answered_again():
    voice, session = begun(play_of(ENGINE), "Welcome!", "One.", "Two.")
    list(converse(session, ["Hello", " /again "]))
    assert said(session)[-2:] == [("user", "Hello"), ("assistant", "Two.")]
    assert voice.asked[1].messages == voice.asked[2].messages
    assert session.undone == 1


def test_every_model_that_answered_is_recorded():
    def ask(_request, _heard):
        return ChatReply(text="Hi", model=names.pop(0), usage={"prompt_tokens": 2})

    names = ["a", "a", "b"]
    session = Session(
        prompt=play_of(ENGINE), ask=ask, show=print, settings=ChatRequest(messages=())
    )
    list(converse(session, ["1", "2"]))
    run = records(transcript(session, AT))[0]["run"]
    assert (run["model"], run["models"], run["requested"]) == ("b", ["a", "b"], "m1")
    assert run["tokens"] == {"prompt_tokens": 6}


def test_a_row_is_added_at_the_end():
    row = '[[tested]]\nplatform = "jan"\n'
    for before in (b"", b"a = 1", b"a = 1\n", b"a = 1\r\n[[tested]]\r\n"):
        added = with_row(before, row, "release.toml")
        assert added.startswith(before)
        assert tomllib.loads(added.decode())["tested"][-1] == {"platform": "jan"}
        assert added.count(b"\r\n") in (0, added.count(b"\n"))


def records(text):
    assert list(json_lines.issues(text)) == []
    return list(json_lines.records(text))


def test_the_transcript_is_evidence_that_names_its_artifact():
    prompt = play_of(ENGINE)
    _, session = begun(prompt, "Welcome!", EndpointError("ENDPOINT_CUT", "broken"))
    assert len(records(transcript(begun(play_of(PROMPT))[1], AT))) == 1
    with pytest.raises(EndpointError):
        list(converse(session, ["Hello"]))
    digest = hashlib.sha256(json.dumps(ENGINE).encode()).hexdigest()
    first, *_, last = records(transcript(session, AT))
    assert first["run"] == {
        "artifact": "quiz.pbe.txt",
        "sha256": digest,
        "model": "voice-1",
        "date": "2026-11-21",
        "settings": {"seed": 7},
        "requested": "m1",
    }
    assert last == {"role": "assistant", "content": "Half of ", "cut": True}
    session.stop("ENDPOINT_CUT")
    assert records(transcript(session, AT))[-1] == {**last, "ended": "ENDPOINT_CUT"}


def test_the_row_is_toml_with_a_result_left_to_judge():
    _, session = begun(play_of(EXECUTOR))
    list(converse(session, []))
    (row,) = tomllib.loads(row_of(session, AT, "evidence/run.jsonl"))["tested"]
    assert row == {
        "platform": "",
        "model": "voice-1",
        "date": date(2026, 11, 21),
        "sha256": session.prompt.sha256,
        "result": "",
        "settings": {"seed": 7},
        "evidence": "evidence/run.jsonl",
    }
    named = TrialMetadata(platform="claude", model="", day=AT.day, settings={})
    session.models.append('a "model"\x7f\n')
    (row,) = tomllib.loads(row_of(session, named, ""))["tested"]
    assert (row["platform"], row["model"]) == ("claude", 'a "model"\x7f\n')
    assert row.keys() == {"platform", "model", "date", "sha256", "result"}


@pytest.mark.parametrize("release", [b"tested = []\n", b"\xff", b"a = " + b"9" * 5000])
def test_a_row_that_cannot_be_added(release):
    with pytest.raises(FindingsError) as caught:
        with_row(release, '[[tested]]\nplatform = "jan"\n', "release.toml")
    assert caught.value.code == "UNREADABLE"


def test_an_answer_that_a_limit_cut_off_is_marked():
    def ask(_request, _heard):
        return ChatReply(text="Hi", finish="length", reasoning="Hm.")

    session = Session(
        prompt=play_of(EXECUTOR), ask=ask, show=print, settings=ChatRequest(messages=())
    )
    (exchange,) = converse(session, ["1"])
    assert exchange.cut
    *_, last = records(transcript(session, AT))
    assert (last["cut"], last["finish_reason"], last["reasoning"]) == (True, "length", "Hm.")


def test_a_prompt_in_the_role_of_the_system_is_answered_without_a_turn():
    prompt = load(PROMPT, path="greeting.prompt", values={}, placement="system")
    _, session = begun(prompt)
    list(converse(session, []))
    assert [role for role, _ in said(session)] == ["system", "assistant"]


def test_platforms_are_tables_with_known_ids():
    text = '[[platform]]\nid = "jan"\nendpoint = "http://127.0.0.1:9"\nmodel = "m"\nkey = "K"\n'
    (platform,) = platforms_of(text.encode(), "p.toml")
    assert platform == Platform(id="jan", endpoint="http://127.0.0.1:9", model="m", key="K")
    for wrong in (
        b"", b"\xff", b"[platform]", b"platform = [1]", text.encode() * 2,
        text.replace("key", "keys").encode(), text.replace('"m"', "1").encode(),
        text.replace("jan", "nowhere").encode(),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            platforms_of(wrong, "p.toml")
