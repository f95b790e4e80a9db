"""The scripts of the page `run/` understand endpoints, reasoning and saves as `psreg try` does."""

import json
from datetime import date
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.conversations.endpoint.address import chat_address
from psreg.conversations.endpoint.answer import ReasoningFilter, split_reasoning
from psreg.conversations.endpoint.chat import Endpoint
from psreg.conversations.model import ChatRequest, EndpointError
from psreg.conversations.trial import LoadedPrompt, Session, converse, load, save_warning
from psreg.conversations.trial_record import TrialMetadata, transcript
from psreg.formats.conversation.saves import SaveSystem, save_in
from stub import BEHAVIOURS, running
from support.catalogue import engine

KEY = "sk-a-key-that-nobody-else-has"
PBE = engine("listener", "1.1.0")
TURNS = ["Grüße", "save it"]
DAY = date(2026, 11, 1)

RETRIED = {"busy-once", "busy-date", "error-once", "hang-up-once"}
"""psreg tries again by itself; on the page, the person does."""

SLOW = {"silent", "drip", "stalled-stream", "busy-long"}
"""They end after minutes only."""

ELSEWISE = {
    *("compressed", "garbage", "hang-up", "cut-off", "cut-stream", "busy-always", "error-always"),
}
"""Browsers unpack what is packed, do not tell how a connection ended, and drop what came last."""

CASES = [
    row.name
    for row in BEHAVIOURS
    if (row.chat or row.wire or row.finish != "stop") and row.name not in RETRIED | SLOW | ELSEWISE
]

HELD = """
async ([base, url, key, text, turns]) => {
  const module = (name) => import(`${base}assets/psreg/run/${name}.js`);
  const [{ Endpoint, chatAddress }, { Session, loadPbe, transcript }] = await Promise.all([
    module("endpoint"), module("conversation"),
  ]);
  const session = new Session(loadPbe(text, ""), new Endpoint(chatAddress(url), key), {});
  const never = new AbortController().signal;
  const saves = [];
  try {
    await session.answered(() => {}, never);
    for (const turn of turns) {
      session.say(turn);
      const saved = await session.answered(() => {}, never);
      if (saved) saves.push(saved.faults.length);
    }
  } catch (error) {
    if (!error.code) throw error;
  }
  const about = { artifact: "listener.pbe.txt", sha256: "", platform: "jan", model: session.model };
  return [transcript(session, { ...about, day: "2026-11-01", result: "pass", notes: "" }), saves];
}
"""


def held(stub):
    """Return the records of the conversation with the engine of `psreg try`, and the faults."""
    prompt = load(PBE, path="listener.pbe.txt", values={})
    session = Session(
        prompt=prompt,
        ask=Endpoint(chat_address(stub.url), {"PSREG_API_KEY": KEY}).stream,
        show=lambda _: None,
        settings=ChatRequest(messages=()),
    )
    faults = []
    try:
        for exchange in converse(session, [*TURNS, "/exit"]):
            faults += [len(exchange.faults)] if exchange.save_requested else []
    except EndpointError as error:
        session.stop(error.code)
    about = TrialMetadata(platform="jan", model="", day=DAY, settings={}, result="pass")
    return transcript(session, about), faults


def records(text):
    found = [json.loads(line) for line in text.splitlines()]
    found[0]["run"].pop("sha256")
    return found


@pytest.fixture
def quiet(tab):
    """The page `run/`, on which endpoints may fail."""
    tab.elsewhere = ("http://127.0.0.1:",)
    return tab.open("run/", "document.querySelector('.ps-run.ps-ready')")


@pytest.mark.parametrize("names", [CASES[::2], CASES[1::2]], ids=["even", "odd"])
def test_every_behaviour_of_an_endpoint_leads_to_the_same_transcript(tab, quiet, names):
    here = "{0.scheme}://{0.netloc}".format(urlsplit(tab.site))
    for name in names:
        with running(name, origin=here) as stub:
            ours = quiet.evaluate(HELD, [tab.site, stub.url, KEY, PBE.decode(), TURNS])
        with running(name) as stub:
            theirs = held(stub)
        assert records(ours[0]) == records(theirs[0]), name
        assert ours[1] == theirs[1], name
        assert KEY not in ours[0]


THOUGHT = """
async ([base, cases]) => {
  const { ReasoningFilter, splitReasoning } = await import(`${base}assets/psreg/run/reasoning.js`);
  return cases.map((pieces) => {
    const filter = new ReasoningFilter();
    const heard = [...pieces.map((piece) => filter.answer(piece)), filter.end()];
    return [heard, filter.reasoning, splitReasoning(heard.join(""))];
  });
}
"""

PARTS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<THINKING>",
        "</thinking>",
        "<reasoning>",
        "<th",
        "ink>",
        "\n",
        " ",
        "a",
    ]
)


def thought(pieces):
    filter_ = ReasoningFilter()
    heard = [*map(filter_.answer, pieces), filter_.end()]
    return [heard, filter_.reasoning, list(split_reasoning("".join(heard)))]


def test_reasoning_is_kept_apart_in_the_same_way(tab, quiet):
    cases = [[" " * 999 + "<think>", "x</think>y"], [" " * 1001 + "<think>", "x</think>y"], [""]]

    @settings(max_examples=300, database=None, deadline=None)
    @given(st.lists(PARTS, max_size=8))
    def collect(pieces):
        cases.append(pieces)

    collect()
    assert quiet.evaluate(THOUGHT, [tab.site, cases]) == list(map(thought, cases))


SAVED = """
async ([base, template, texts]) => {
  const { SaveSystem, saveIn } = await import(`${base}assets/psreg/run/conversation.js`);
  const saves = new SaveSystem("quiz_save", template, ["Save  NOW", "Straße"]);
  return texts.map((text) => {
    const save = saveIn(text);
    return [
      saves.isTrigger(text), save?.text ?? null, save ? saves.faults(save) : null,
      save ? saves.foreignKey(save) : null, saves.warning(text),
    ];
  });
}
"""
TEMPLATE = {
    "quiz_save": {
        "topic": "x", "score": 1, "share": 0.5, "over": False, "any": None, "rounds": [{"n": 1}],
        "notes": [], "more": {},
    }
}  # fmt: skip
FULL = {
    "topic": "x", "score": 1.5, "share": 2, "over": True, "any": [], "rounds": [{"n": 1}, {"m": 1}],
    "notes": [1, "x"], "more": {"a": 1},
}  # fmt: skip
TEXTS = [
    "please save now!", "STRASSE", "save\n now", "saved", "",
    json.dumps({"quiz_save": FULL}), json.dumps({"quiz_save": {**FULL, "score": True, "over": 1}}),
    json.dumps({"quiz_save": {}}), json.dumps({"quiz_save": []}), json.dumps({"chess_save": {}}),
    json.dumps({"chess_save": 1, "quiz_save": FULL}), json.dumps({"other": 1}), "{}", "[]", "null",
    f"Here:\n```json\n{json.dumps({'quiz_save': FULL})}\n```\nBye {{x}}", '~~~\n{"a": 1}\n~~~',
    'words {"quiz_save": 1} words', '{"a": 1, "a": 2}', '{"a": {"b": 1, "\\u0062": 2}}', '{"a": NaN}',
    '{"a": "{\\"b\\": 1, \\"b\\": 2}"}', '[{"a": 1}, {"a": 2}]', '{"__proto__": 1}', "{",
    json.dumps({"quiz_save": {"rounds": [{}] * 30}}),
]  # fmt: skip


def saved(text):
    saves = SaveSystem(key="quiz_save", template=TEMPLATE, triggers=("Save  NOW", "Straße"))
    save = save_in(text)
    prompt = LoadedPrompt(
        file="", sha256="", context=(), opens=False, fallback="", loading=frozenset(),
        interactive=True, saves=saves,
    )  # fmt: skip
    return [
        saves.is_trigger(text),
        save and save.text,
        list(saves.faults(save)) if save else None,
        saves.foreign_key(save) if save else None,
        save_warning(prompt, text).replace(f"; {prompt.file} resumes", "; this prompt resumes"),
    ]


def test_saves_are_compared_in_the_same_way(tab, quiet):
    assert quiet.evaluate(SAVED, [tab.site, TEMPLATE, TEXTS]) == list(map(saved, TEXTS))
