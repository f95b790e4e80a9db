"""Test runs as conversations: who said what, held with which bytes, and findings at the line."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from psreg.catalogue.pages.entry import release_view
from psreg.catalogue.pages.entry.conversation_view import conversation_pages, example_save
from psreg.catalogue.pages.frame import ROOT
from psreg.formats.protocol_versions import ProtocolConformance
from support.catalogue import ATTRIBUTE, SCRIPT, opened, tree

ENTRY = opened(tree())["greeter"]
FOLDER = "pbes/stateless_executor/greeter/1.0.0"
SHA256 = ENTRY.latest.record.sha256
RUN = {"platform": "claude", "model": "a model", "date": "2026-11-01", "sha256": SHA256}
VPP = ProtocolConformance(name="vpp", version="1.4", judged_by="1.4")


def lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


def said(role, content):
    return {"role": role, "content": content}


def page(*protocols, **recorded):
    """Return the page of a release with these conversations, by the names of their files."""
    paths = tuple(f"{FOLDER}/evidence/{name}.jsonl" for name in recorded)
    rows = [replace(each, transcripts=paths).to_json() for each in protocols]
    record = replace(ENTRY.latest.record, protocols=rows or None)
    added = {path: data.encode() for path, data in zip(paths, recorded.values(), strict=True)}
    release = replace(ENTRY.latest, record=record, files={**ENTRY.latest.files, **added})
    entry = replace(ENTRY, latest=release, releases=(release,))
    return next(conversation_pages(entry, release, "Greeter"))


def messages(body):
    """Return who said what, in order."""
    found = re.findall(
        r'<p class="ps-who">(\w+) <small>\d+</small></p>(.*?)</li>(?=<li|</ol)', body
    )
    return [(who, unescape(re.sub(r"<[^>]+>", "", rest))) for who, rest in found]


def test_a_release_without_conversations_has_no_page():
    assert [*conversation_pages(ENTRY, ENTRY.latest, "Greeter")] == []


def test_a_run_is_replayed_in_order():
    found = page(
        claude=lines(
            {"run": RUN},
            said("system", "Be kind."),
            said("user", "Hi"),
            said("assistant", "Hello!"),
        )
    )
    assert found.path == "stateless_executor/greeter/1.0.0/runs/"
    assert "<h1>Conversations with Greeter</h1>" in found.body
    assert '<section id="claude">' in found.body
    assert ">Claude, a model, 2026-11-01<" in found.body
    assert f'<a href="{ROOT}{FOLDER}/evidence/claude.jsonl">The file</a>: 3 messages.' in found.body
    assert messages(found.body) == [
        ("System", "Be kind."), ("Person", "Hi"), ("Assistant", "Hello!"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ([{"run": RUN}], "Held with exactly these bytes"),
        (
            [{"run": {**RUN, "sha256": "0" * 64}}],
            f"Held with other bytes: the file states <code>{'0' * 64}",
        ),
        ([{"run": {**RUN, "sha256": SCRIPT}}], "Held with other bytes"),
        ([{"run": {"platform": "claude"}}], "does not say which bytes"),
        ([], "does not say which bytes"),
    ],
)
def test_the_digest_that_a_run_states_is_compared(header, told):
    body = page(one=lines(*header, said("user", "Hi"))).body
    assert told in body
    assert ("exactly these bytes" in told) == ("Held with exactly these bytes" in body)
    assert SCRIPT not in body


def test_a_finding_is_at_its_line():
    talk = lines(
        said("user", "!<g>"),
        said(
            "assistant",
            "!<g>\nfirst\nsecond\n[Version=v1.4 | Tag=g_1 | Sources=x | Cycle=1/3 | Locus=]",
        ),
    )
    body = page(VPP, one=talk).body
    before, _, after = body.partition("<code>VPP012</code></a>")
    assert f'href="{ROOT}rules/VPP012/"' in before
    assert before.rpartition('<div class="ps-words" dir="auto">')[2].startswith("!&lt;g&gt;</div>")
    assert after.partition('<div class="ps-words" dir="auto">')[2].startswith("first\nsecond\n")


def test_a_protocol_that_is_unknown_has_no_findings():
    odd = replace(VPP, name="odd")
    body = page(odd, one=lines(said("user", "!<g>"), said("assistant", "!<g>\nx"))).body
    assert "ps-findings" not in body
    assert (
        "<code>VPP012</code>"
        in page(odd, VPP, one=lines(said("user", "!<g>"), said("assistant", "!<g>\nx"))).body
    )


def test_what_is_wrong_with_a_file_is_at_its_beginning():
    body = page(VPP, one="{not json\n").body
    assert "Not all of it can be read: " in body
    assert ">0 messages.<" not in body
    assert "0 messages." in body
    assert "<code>PROTO001</code>" in body
    assert "ps-chat" not in body


def test_a_trace_and_an_exchange_are_conversations():
    cycle = {"instr": "Count.", "previous": "S{}", "next": "S{a=1}"}
    assert messages(page(one=lines(cycle, {"next": "S{a=2}"})).body) == [
        ("Instruction", "Count."), ("Assistant", "S{a=1}"), ("Assistant", "S{a=2}"),
    ]  # fmt: skip
    exchange = {"message": "Why?", "text": "Because.", "pb2s_proof": {"DECISION": "go"}}
    pb2s = ProtocolConformance(name="pb2s", version="0.2", judged_by="0.2")
    body = page(pb2s, one=lines(exchange, {"text": "Alone.", "pb2s_proof": None})).body
    assert [who for who, _ in messages(body)] == [
        "Person", "Assistant", "Proof", "Assistant", "Proof",
    ]  # fmt: skip
    assert "&quot;DECISION&quot;: &quot;go&quot;" in body
    assert 'class="ps-findings"' in body.partition(">Proof <small>3")[2]


def test_a_long_message_of_a_person_is_folded():
    artifact = ENTRY.latest.artifact.decode()
    long = json.loads(artifact) | {"more": "word " * 500}
    data = json.dumps(long).encode()
    record = replace(ENTRY.latest.record)
    release = replace(ENTRY.latest, record=record, files={**ENTRY.latest.files, record.path: data})
    talk = lines(
        said("user", f"{data.decode()}\n"),
        said("user", "x" * 2_001),
        said("assistant", "y" * 2_001),
    )
    path = f"{FOLDER}/evidence/one.jsonl"
    release = replace(release, files={**release.files, path: talk.encode()})
    (found,) = conversation_pages(ENTRY, release, "Greeter")
    assert "<summary>The prompt, exactly as released</summary>" in found.body
    assert f"<summary>{'x' * 119}… (2,001 characters)</summary>" in found.body
    assert found.body.count("<details>") == 2


def test_a_page_has_a_limited_part_of_long_conversations():
    long = said("assistant", "y" * 300_000)
    body = page(one=lines(*[long] * 9), two=lines(said("user", "Hi"))).body
    assert body.count("y" * 19_999 + "…") == 3
    assert "<p>6 more messages in the file.</p>" in body
    assert len(body) < 70_000
    assert ("Person", "Hi") in messages(body)


def test_a_page_has_a_limited_number_of_conversations():
    body = page(**{f"run_{n:03}": lines(said("user", "Hi")) for n in range(60)}).body
    assert body.count('<ol class="ps-chat">') == 50


LISTENER = opened(tree())["listener"]
SAVE = {"listener_save": {"pbe_version": "1.1.0", "topics": ["rivers <b>"]}}


def saved(*answers):
    """Return the example of a save on the page of an entry whose assistant gave these answers."""
    talk = lines(said("user", "save it"), *(said("assistant", each) for each in answers))
    path = f"{LISTENER.latest.folder}/evidence/chatgpt.jsonl"
    return example_save(
        replace(LISTENER.latest, files={**LISTENER.latest.files, path: talk.encode()})
    )


def test_a_save_of_a_test_run_is_an_example():
    found = saved("No.", f"Here it is:\n```json\n{json.dumps(SAVE)}\n```\nKeep it.", '{"x": 1}')
    assert 'id="saved"' in found
    assert f'{ROOT}interactive_engine/listener/1.1.0/runs/#chatgpt">a test run</a>' in found
    assert json.loads(unescape(found.partition("<code>")[2].partition("</code>")[0])) == SAVE
    assert "<b>" not in found


def test_a_save_that_does_not_fit_is_not_an_example():
    assert saved("No.", '{"listener_save": {"topics": []}}') == ""
    assert example_save(LISTENER.releases[1]) == ""
    assert example_save(ENTRY.latest) == ""


def test_a_long_save_is_cut():
    long = {"listener_save": {"pbe_version": "1.1.0", "topics": ["x" * 100_000]}}
    assert len(saved(json.dumps(long))) < 5_000


def test_nothing_that_was_said_becomes_markup():
    hostile = f"{SCRIPT} {ATTRIBUTE} \u202e **b** [a](javascript:x) <!--psreg:body-->"
    run = {**RUN, "platform": SCRIPT, "model": hostile, "date": hostile}
    body = page(
        one=lines({"run": run}, said("user", hostile), said("assistant", hostile * 200))
    ).body
    assert SCRIPT not in body
    assert ATTRIBUTE not in body
    assert "\u202e" not in body
    assert "<b>" not in body
    assert messages(body)[0][1].startswith(f"{SCRIPT} {ATTRIBUTE} ⟨U+202E⟩ **b** [a](javascript:x)")


def test_a_run_leads_to_its_file_and_to_its_conversation():
    row = {"platform": "claude", "sha256": SHA256, "result": "partial", "notes": "Too short."}
    rows = [{**row, "evidence": f"evidence/{name}"} for name in ("one.jsonl", "cited.txt", "gone")]
    record = replace(
        ENTRY.latest.record, runs=None, release={**ENTRY.latest.record.release, "tested": rows}
    )
    added = {f"{FOLDER}/evidence/{name}": b"x" for name in ("one.jsonl", "cited.txt")}
    release = replace(ENTRY.latest, record=record, files={**ENTRY.latest.files, **added})
    table = release_view.tested(release)
    runs = f"{ROOT}stateless_executor/greeter/1.0.0/runs/"
    file = f"{ROOT}{FOLDER}/evidence/"
    assert (
        f'<td><a href="{runs}#one">Read the conversation</a> · '
        f'<a href="{file}one.jsonl">transcript</a></td>' in table
    )
    assert f'<td><a href="{file}cited.txt">transcript</a></td>' in table
    assert table.count("<td></td></tr>") == 1


def test_a_conversation_is_named_by_the_run_that_cites_it():
    listener = opened(tree())["listener"]
    (found,) = conversation_pages(listener, listener.latest, "Listener")
    assert ">Claude, a model, 2026-11-01, pass<" in found.body
    assert ">one<" in page(one=lines(said("user", "Hi"))).body
