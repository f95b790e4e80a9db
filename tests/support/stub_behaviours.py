"""The table of the stub's behaviours: how each departs from what is right, and what that leads to.

A behaviour changes what is said (`pb2s`, `vpp`, `plsp`, `chat`: the right answer in, the wrong one
out) or how it travels (`wire`: sends the answer in its own way). `exits` are the exit codes of
`psreg conform pb2s`, `conform vpp`, `conform plsp` and of `psreg try`.
"""

import gzip
import json
import time
from dataclasses import dataclass
from typing import Any

from support.stub_answers import BULLETS, QUESTIONS, clarify, sections

FINE = (0, 0, 0, 0)
LOST = (2, 2, 2, 4)
"""Nothing that can be judged: DESIGN §4 gives `conform` 2 for it, and every other command 4."""

ONLY_CHAT = (0, 2, 2, 4)
PB2S, VPP, PLSP, TRY = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
STREAM = (0, 0, 0, 4)

NOT_NOW = b'{"error": {"message": "not now"}}'

PATIENT = 10.0
"""Seconds after which even the slowest behaviour ends by itself."""


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """One way to behave. `flags` are options without which the exit codes are others."""

    name: str
    about: str
    exits: tuple[int, int, int, int] = FINE
    pb2s: Any = None
    vpp: Any = None
    plsp: Any = None
    chat: Any = None
    wire: Any = None
    flags: str = ""
    finish: str = "stop"


def says(name, about, exits, protocol, change):
    return Behaviour(name=name, about=about, exits=exits, **{protocol: change})


def sends(name, about, exits, wire, flags=""):
    return Behaviour(name=name, about=about, exits=exits, wire=wire, flags=flags)


def text(change):
    """Change the text of a PB2S reply."""
    return lambda reply: {**reply, "text": change(reply["text"])}


def proven(**members):
    """Change members of the proof."""
    return lambda reply: {**reply, "pb2s_proof": {**reply["pb2s_proof"], **members}}


def without(key):
    return lambda reply: {k: v for k, v in reply.items() if k != key}


def unproven(key):
    return lambda reply: {
        **reply,
        "pb2s_proof": {k: v for k, v in reply["pb2s_proof"].items() if k != key},
    }


def swapped(said):
    return said.replace("REFLECT", "_").replace("REVISE", "REFLECT").replace("_", "REVISE")


def footer(old, new):
    return lambda said: said.replace(old, new)


def fields_swapped(said):
    head, _, last = said.rpartition("\n")
    version, tag, *rest = last.strip("[]").split(" | ")
    return f"{head}\n[{' | '.join([tag, version, *rest])}]"


# ---- how an answer travels; `at` is one request, see stub.py


def slow(at):
    time.sleep(0.2)
    at.right()


def silent(at):
    at.wait(PATIENT)


def drip(at):
    at.begin(200, length=4096)
    for _ in range(200):
        at.write(b" ")
        if not at.wait(PATIENT / 200):
            return


def cut_off(at):
    body = at.body()
    at.begin(200, length=len(body) + 100)
    at.write(body)
    at.hang_up()


def streamed(stream):
    """Make a behaviour of one of streams: what is answered in one piece is right."""

    def wire(at):
        if at.streaming:
            at.begin_stream()
            stream(at)
        else:
            at.right()

    return wire


@streamed
def cut_stream(at):
    events = at.events()
    at.chunk(events[: len(events) // 2])
    at.hang_up()


@streamed
def ended_stream(at):
    at.chunk(at.event({"choices": [{"delta": {"content": "Half of a sen"}}]}))
    at.end_stream()


def bytewise(at):
    at.begin_stream() if at.streaming else at.begin_chunked()
    said = "Grüße 🎲 " if not at.protocol else ""
    body = at.events(said) if at.streaming else at.body(said)
    for start in range(0, len(body), 1 if len(body) < 5000 else 999):
        at.chunk(body[start : start + (1 if len(body) < 5000 else 999)])
    at.end_stream()


@streamed
def stalled(at):
    at.chunk(at.event({"choices": [{"delta": {"content": "Half of a sen"}}]}))
    at.wait(PATIENT)


@streamed
def halves(at):
    for piece in ("\ud83c", "\udfb2", " ", at.said):
        at.chunk(at.event({"choices": [{"delta": {"content": piece}}]}))
    at.chunk(b"data: [DONE]\n\n")
    at.end_stream()


@streamed
def lonely_half(at):
    for piece in (at.said, "\ud83c"):
        at.chunk(at.event({"choices": [{"delta": {"content": piece}}]}))
    at.chunk(b"data: [DONE]\n\n")
    at.end_stream()


@streamed
def not_utf8(at):
    at.chunk(b'data: {"choices": [{"delta": {"content": "Gr\xfc\xdfe"}}]}\n\n')
    at.end_stream()


@streamed
def remarks(at):
    at.chunk(b": keep-alive\r\n\r\nevent: message\r\nid: 1\r\n")
    at.chunk(at.events().replace(b"\n", b"\r\n"))
    at.end_stream()


@streamed
def stream_error(at):
    at.chunk(at.event({"error": {"message": "the model fell over"}}))
    at.end_stream()


@streamed
def stream_types(at):
    at.chunk(at.event({"choices": [{"delta": {"content": 5}}]}))
    at.end_stream()


@streamed
def huge_stream(at):
    piece = at.event({"choices": [{"delta": {"content": "x" * 60_000}}]})
    for _ in range(160):
        at.chunk(piece)
    at.end_stream()


@streamed
def long_line(at):
    at.chunk(b"data: " + b"x" * 2_000_000 + b"\n\n")
    at.end_stream()


def unstreamed(at):
    at.send(200, at.body())


def once(status, **headers):
    """Answer the first request with an error, and the next ones rightly."""

    def wire(at):
        if at.number > 1:
            at.right()
        else:
            at.send(status, NOT_NOW, **headers)

    return wire


def always(status, body=NOT_NOW, **headers):
    return lambda at: at.send(status, body, **headers)


def later(at):
    """Be busy until a date that has passed, then answer."""
    once(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")(at)


def compressed(at):
    at.send(200, gzip.compress(at.body()), Content_Encoding="gzip")


def no_settings(at):
    """Refuse a seed and a temperature, as some models do."""
    for name in ("seed", "temperature"):
        if name in at.request:
            words = f"Unsupported parameter: '{name}'"
            at.send(400, json.dumps({"error": {"message": words}}).encode())
            return
    at.right()


def echo_key(at):
    at.send(200, at.body(at.headers.get("Authorization", "").removeprefix("Bearer ")))


def echo_key_escaped(at):
    """Send the key back with one of its characters escaped, as JSON allows."""
    key = at.headers.get("Authorization", "").removeprefix("Bearer ")
    escaped = f"\\u{ord(key[0]):04x}{key[1:]}" if key else ""
    at.send(
        200,
        at.body().replace(b'"chat.completion"', b'"%s"' % escaped.encode(), 1)
        if at.chatting
        else b'{"note": "%s"}' % escaped.encode(),
    )


def escaped_stream(at):
    """Stream the key in an event, escaped, outside of the answer."""
    if not at.streaming:
        at.right()
        return
    key = at.headers.get("Authorization", "").removeprefix("Bearer ") or "x"
    at.begin_stream()
    at.chunk(b'data: {"note": "\\u%04x%s", "choices": []}\n\n' % (ord(key[0]), key[1:].encode()))
    at.chunk(at.events())
    at.end_stream()


def twice(at):
    """Answer with an object that has a key twice."""
    at.send(200, at.body().replace(b"{", b'{"model": 1, "model": 2, ', 1))


def no_counting(at):
    """Refuse to be asked for the numbers of tokens."""
    if "stream_options" in at.request:
        at.send(422, b'{"error": {"message": "extra fields not permitted"}}')
    else:
        at.right()


def thinks(text):
    return f"\n<think>\nS{{$a:9;}}S? No, wait.\n</think>\n\n{text}"


def thinks_apart(at):
    """Reason in a member of its own, whole or in a stream."""
    if not at.chatting:
        at.right()
    elif at.streaming:
        at.begin_stream()
        for piece in ("Hm, ", "wait."):
            at.chunk(at.event({"choices": [{"delta": {"reasoning_content": piece}}]}))
        at.chunk(at.events())
        at.end_stream()
    else:
        value = at.answer()
        value["choices"][0]["message"]["reasoning"] = "Hm, wait."
        at.send(200, json.dumps(value).encode())


def other_model(at):
    """Let another model answer than the one that was requested."""
    at.request["model"] = f"{at.request.get('model', 'stub-1')}-turbo"
    at.right()


def failing_later_than(answered):
    """Answer until there were that many requests and one more, then hang up."""
    return lambda at: at.right() if at.number <= answered + 1 else at.hang_up()


failing_later = failing_later_than(0)


def echo_key_in_error(at):
    key = at.headers.get("Authorization", "").removeprefix("Bearer ")
    at.send(401, json.dumps({"error": {"message": f"bad key {key}"}}).encode())


def once_lost(at):
    if at.number > 1:
        at.right()
    else:
        at.hang_up()


BEHAVIOURS = (
    Behaviour(name="conforming", about="does all three protocols right, and the steps of a gateway"),
    says("clarify", "PB2S: asks back, with exactly two questions", FINE, "pb2s", lambda _: clarify()),
    says("extra-keys", "PB2S: a proof with further members", FINE, "pb2s", proven(model="m", note=[])),
    says("cycles-float", "PB2S: cycles is 1.0, which JSON Schema calls an integer", FINE, "pb2s", proven(cycles=1.0)),
    says("cycles-zero", "PB2S: cycles is 0", FINE, "pb2s", proven(cycles=0)),
    says("odd-audit-ref", "PB2S: an audit_ref of another shape, a warning", FINE, "pb2s", proven(audit_ref="7")),
    says("decorated-headers", "PB2S: ## before the names, a warning", FINE, "pb2s", text(lambda t: t.replace("DRAFT\n", "## DRAFT\n", 1))),
    # ---- PB2S, wrong
    says("four-bullets", "PB2S: REFLECT has four bullets", PB2S, "pb2s", text(lambda _: sections((*BULLETS, "- and one more")))),
    says("three-questions", "PB2S: CLARIFY has three questions", PB2S, "pb2s", lambda _: clarify((*QUESTIONS, "Why?"))),
    says("clarify-unfounded", "PB2S: CLARIFY, but REFLECT names no contradiction", PB2S, "pb2s", lambda _: {**clarify(), "text": sections(BULLETS[:2], QUESTIONS)}),
    says("empty-revise", "PB2S: REVISE is empty", PB2S, "pb2s", text(lambda t: t.partition("REVISE\n")[0] + "REVISE\n\nLEARNED\n- x")),
    says("one-question", "PB2S: CLARIFY has one question", PB2S, "pb2s", lambda _: clarify(QUESTIONS[:1])),
    says("clarify-early", "PB2S: CLARIFY after one cycle", PB2S, "pb2s", lambda _: clarify(cycles=1)),
    says("clarify-unsaid", "PB2S: the decision is CLARIFY, the text has none", PB2S, "pb2s", proven(decision="CLARIFY", cycles=2)),
    says("cycles-true", "PB2S: cycles is true", PB2S, "pb2s", proven(cycles=True)),
    says("cycles-three", "PB2S: cycles is 3", PB2S, "pb2s", proven(cycles=3)),
    says("cycles-text", "PB2S: cycles is a text", PB2S, "pb2s", proven(cycles="1")),
    says("no-cycles", "PB2S: the proof has no cycles", PB2S, "pb2s", unproven("cycles")),
    says("no-proof", "PB2S: there is no proof", PB2S, "pb2s", without("pb2s_proof")),
    says("proof-list", "PB2S: the proof is a list", PB2S, "pb2s", lambda r: {**r, "pb2s_proof": []}),
    says("deny", "PB2S: the decision is DENY, of a later version", PB2S, "pb2s", proven(decision="DENY")),
    says("empty-audit-ref", "PB2S: audit_ref is empty", PB2S, "pb2s", proven(audit_ref="")),
    says("no-flag", "PB2S: REFLECT flags nothing", PB2S, "pb2s", text(lambda _: sections(("- fine as it is",)))),
    says("negated-flag", "PB2S: REFLECT says that there is no contradiction", PB2S, "pb2s", text(lambda _: sections(("- no contradiction",)))),
    says("swapped-sections", "PB2S: REVISE stands before REFLECT", PB2S, "pb2s", text(swapped)),
    says("section-twice", "PB2S: LEARNED stands twice", PB2S, "pb2s", text(lambda t: f"{t}\n\nLEARNED\n- again")),
    says("no-learned", "PB2S: LEARNED is missing", PB2S, "pb2s", text(lambda t: t.partition("\nLEARNED")[0])),
    says("text-on-header", "PB2S: text behind the colon of a name", PB2S, "pb2s", text(lambda t: t.replace("DRAFT\n", "DRAFT: ", 1))),
    says("text-number", "PB2S: the text is a number", PB2S, "pb2s", text(lambda _: 5)),
    says("text-empty", "PB2S: the text is empty", PB2S, "pb2s", text(lambda _: "")),
    says("no-text", "PB2S: there is no text", PB2S, "pb2s", without("text")),
    says("answer-list", "PB2S: the answer is a list", PB2S, "pb2s", lambda _: []),
    says("answer-null", "PB2S: the answer is null", PB2S, "pb2s", lambda _: None),
    # ---- VPP, wrong
    says("vpp-bang-echo", "VPP: the tag is echoed with its bang", VPP, "vpp", lambda t: f"!{t}"),
    says("vpp-no-echo", "VPP: the first line is no tag", VPP, "vpp", lambda t: t.partition("\n")[2]),
    says("vpp-other-tag", "VPP: another tag is echoed", VPP, "vpp", lambda t: t.replace("<q>", "<o>", 1) if t.startswith("<q>") else t),
    says("vpp-blank-first", "VPP: a blank line before the tag", VPP, "vpp", lambda t: f"\n{t}"),
    says("vpp-no-footer", "VPP: there is no footer", VPP, "vpp", lambda t: t.rpartition("\n")[0]),
    says("vpp-footer-not-last", "VPP: words after the footer", VPP, "vpp", lambda t: f"{t}\nAnything else?"),
    says("vpp-fields-swapped", "VPP: Tag before Version in the footer", VPP, "vpp", fields_swapped),
    says("vpp-no-sources", "VPP: the footer has no Sources", VPP, "vpp", footer(" | Sources=none", "")),
    says("vpp-cycle-four", "VPP: the fourth cycle of three", VPP, "vpp", lambda t: t.replace("Cycle=1/3", "Cycle=4/3")),
    says("vpp-version-word", "VPP: a version that is no number", VPP, "vpp", lambda t: t.replace("Version=v", "Version=latest-")),
    says("vpp-one-line", "VPP: all on one line", VPP, "vpp", lambda t: " ".join(t.split("\n"))),
    says("vpp-empty", "VPP: says nothing", VPP, "vpp", lambda _: ""),
    # ---- PLSP, wrong
    says("plsp-log", "PLSP: logs something of its own", FINE, "plsp", lambda t: f'{t[:-2]}>"Temp OK",75;}}S'),
    says("plsp-prose", "PLSP: words around the block", PLSP, "plsp", lambda t: f"Here you go: {t}"),
    says("plsp-fence", "PLSP: the block in a code fence", PLSP, "plsp", lambda t: f"```\n{t}\n```"),
    says("plsp-glued", "PLSP: text glued to a variable of two characters", PLSP, "plsp", lambda _: "S{$b:$x9-1;$x9:2;}S"),
    says("plsp-fetch-bare", "PLSP: the source of a fetch without quotes", FINE, "plsp", lambda t: t.replace('"src"', "src")),
    says("plsp-two-blocks", "PLSP: two blocks", PLSP, "plsp", lambda t: f"{t}{t}"),
    says("plsp-comment", "PLSP: a comment in the block", PLSP, "plsp", lambda t: t.replace("}S", "#done\n}S")),
    says("plsp-equals", "PLSP: = instead of :", PLSP, "plsp", lambda _: "S{$a=1;}S"),
    says("plsp-unknown-reference", "PLSP: a reference to a variable that is not there", PLSP, "plsp", lambda t: t.replace("}S", "$z:$y;}S")),
    says("plsp-open-string", "PLSP: a string that does not end", PLSP, "plsp", lambda _: 'S{$a:"open;}S'),
    says("plsp-open-block", "PLSP: a block that does not end", PLSP, "plsp", lambda t: t[:-2]),
    says("plsp-empty", "PLSP: says nothing", PLSP, "plsp", lambda _: ""),
    # ---- saves, as `psreg try --save` gets them
    says("save-foreign", "a save under another key", TRY, "chat", lambda t: t.replace('_save"', '_memory"')),
    says("save-types", "a save whose texts are numbers", TRY, "chat", lambda t: t.replace('"YYYY-MM-DD"', "5")),
    says("save-prose", "words instead of a save", TRY, "chat", lambda t: t.partition("```")[0]),
    says("save-cut", "half of a save", TRY, "chat", lambda t: t[: -len(t) // 3]),
    # ---- on the way
    Behaviour(name="content-filter", about="says that a content filter cut the answer off", exits=(0, 1, 1, 0), finish="content_filter"),
    Behaviour(name="length", about="says that the model's limit cut the answer off", exits=(0, 1, 1, 0), finish="length"),
    says("length-approved", "PB2S: approves an answer that a limit cut off", PB2S, "pb2s", lambda r: {**r, "finish_reason": "length"}),
    Behaviour(name="thinks", about="reasons in <think> before every answer", vpp=thinks, plsp=thinks, chat=thinks),
    sends("thinks-apart", "reasons in a member of its own", FINE, thinks_apart),
    sends("other-model", "answers with another model", FINE, other_model),
    sends("no-counting", "refuses to be asked for the numbers of tokens", FINE, no_counting),
    sends("twice", "has a key twice", (1, 2, 2, 4), twice),
    sends("slow", "takes its time, and answers", FINE, slow),
    sends("bytewise", "sends single bytes, so that characters are cut", FINE, bytewise),
    sends("halves", "streams a character in two halves of an escape", FINE, halves),
    sends("lonely-half", "streams half a character, and no more", FINE, lonely_half),
    sends("remarks", "streams comments, event names and CRLF", FINE, remarks),
    sends("no-stream", "answers a request for a stream with one JSON", FINE, unstreamed),
    sends("no-settings", "refuses seed and temperature with 400", FINE, no_settings),
    sends("busy-once", "429 with Retry-After: 0, then fine", FINE, once(429, Retry_After="0")),
    sends("busy-date", "503 with a Retry-After that is a date, then fine", FINE, later),
    sends("error-once", "500, then fine", FINE, once(500)),
    sends("hang-up-once", "hangs up without an answer, then fine", FINE, once_lost),
    sends("created", "answers with status 201", FINE, lambda at: at.send(201, at.body())),
    sends("no-content", "answers with status 204", LOST, lambda at: at.begin(204)),
    sends("silent", f"says nothing for {PATIENT:.0f} seconds", LOST, silent, "--timeout 1"),
    sends("drip", "sends a blank now and then", LOST, drip, "--timeout 1"),
    sends("busy-long", "429 with Retry-After: 3600", LOST, always(429, Retry_After="3600")),
    sends("busy-always", "429 with Retry-After: 0, every time", LOST, always(429, Retry_After="0")),
    sends("error-always", "500, every time", LOST, always(500)),
    sends("unauthorized", "401", LOST, always(401, b'{"error": {"message": "no key"}}')),
    sends("not-found", "404 with a page", LOST, always(404, b"<h1>not here</h1>")),
    sends("redirect", "307 to another address", LOST, always(307, b"", Location="http://127.0.0.1:9/")),
    sends("hang-up", "hangs up without an answer, every time", LOST, lambda at: at.hang_up()),
    sends("garbage", "an answer that is no HTTP", LOST, lambda at: at.raw(b"hello there\r\n\r\n")),
    sends("cut-off", "ends before its Content-Length", LOST, cut_off),
    sends("cut-stream", "breaks a stream off", STREAM, cut_stream),
    sends("stalled-stream", "streams half an answer, and no more for ten seconds", STREAM, stalled, "--timeout 1"),
    sends("ended-stream", "ends a stream in the middle of the answer", STREAM, ended_stream),
    sends("broken-utf8", "streams bytes that are not UTF-8", STREAM, not_utf8),
    sends("stream-error", "an error as an event", STREAM, stream_error),
    sends("stream-types", "a piece that is a number", STREAM, stream_types),
    sends("huge-stream", "streams ten million bytes", STREAM, huge_stream),
    sends("long-line", "streams a line of two million bytes", STREAM, long_line),
    sends("huge-body", "nine million bytes", LOST, always(200, b'"' + b"x" * 9_000_000 + b'"')),
    sends("compressed", "an answer in gzip", LOST, compressed),
    sends("html", "a page with status 200", LOST, always(200, b"<!doctype html><p>Welcome")),
    sends("empty-body", "status 200 and nothing", LOST, always(200, b"")),
    sends("half-json", "half of a JSON object", LOST, always(200, b'{"text": "DRAFT')),
    sends("not-a-number", "NaN, which is no JSON", LOST, always(200, b'{"text": NaN}')),
    sends("deep-json", "a hundred thousand brackets", LOST, always(200, b"[" * 100_000)),
    Behaviour(name="choices-object", about="chat: choices is an object", exits=ONLY_CHAT, wire=lambda at: at.wrong({"choices": {}})),
    Behaviour(name="no-choices", about="chat: there are no choices", exits=ONLY_CHAT, wire=lambda at: at.wrong({"choices": []})),
    Behaviour(name="content-null", about="chat: the content is null", exits=ONLY_CHAT, wire=lambda at: at.wrong({"choices": [{"message": {"content": None}}]})),
    Behaviour(name="content-number", about="chat: the content is a number", exits=ONLY_CHAT, wire=lambda at: at.wrong({"choices": [{"message": {"content": 5}}]})),
    Behaviour(name="error-200", about="chat: an error with status 200", exits=ONLY_CHAT, wire=lambda at: at.wrong({"error": {"message": "overloaded"}})),
    sends("echo-key", "chat: sends the key back", ONLY_CHAT, echo_key, "PSREG_API_KEY=…"),
    sends("echo-key-escaped", "sends the key back, escaped", LOST, echo_key_escaped, "PSREG_API_KEY=…"),
    sends("echo-key-event", "streams the key in an event, escaped", (0, 0, 0, 4), escaped_stream, "PSREG_API_KEY=…"),
    sends("echo-key-in-error", "401, and the key in its words", LOST, echo_key_in_error, "PSREG_API_KEY=…"),
)  # fmt: skip

NAMED = {behaviour.name: behaviour for behaviour in BEHAVIOURS}
