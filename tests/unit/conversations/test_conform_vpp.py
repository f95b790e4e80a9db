"""A run through VPP: what is said, what is judged, what an endpoint gets wrong."""

import pytest

from psreg.conversations.conform_run import Prompt, Run
from psreg.conversations.conform_vpp import ERROR_PATH, OWN_PROMPTS, probes
from psreg.conversations.model import ChatReply, ChatRequest
from support.stub_answers import vpp

IDS = [prompt.id for prompt in (*OWN_PROMPTS, *ERROR_PATH)]


def run(change=lambda text: text, *, prompts=(), seen=None, finish="stop"):
    """The probes of an assistant that answers like the stub, each answer changed."""

    def ask(request):
        if seen is not None:
            seen.append(request)
        said = [{"role": m.role, "content": m.content} for m in request.messages]
        return ChatReply(text=change(vpp(said)), finish=finish)

    return list(
        probes(
            Run(
                ask=ask,
                post=lambda _: None,
                settings=ChatRequest(messages=(), model="m"),
                prompts=prompts,
            )
        )
    )


def codes(probe):
    return [(d.code, d.severity) for d in probe.diagnostics]


def test_an_assistant_that_speaks_vpp_conforms():
    seen = []
    found = run(seen=seen)
    assert [probe.id for probe in found] == IDS
    assert [probe.prompt.split("\n")[0] for probe in found] == [
        "!<g>", "!<q>", "!<o>", "!<c>", "!<o_f>", "!<x>", "!<e_o>", "!<g>"
    ]  # fmt: skip
    assert [probe.id for probe in found if probe.diagnostics] == []
    assert {request.model for request in seen} == {"m"}
    assert [m.role for m in seen[1].messages] == ["system", "user", "assistant", "user"]
    assert "Viable Prompt Protocol" in seen[0].messages[0].content


def test_each_finding_names_its_probe():
    (gather, *_) = run(lambda text: f"!{text}")
    assert codes(gather) == [("VPP012", "error")]
    (finding,) = gather.diagnostics
    assert (finding.path, finding.start.line, finding.excerpt) == ("gather", 1, "!<g>")


@pytest.mark.parametrize("tag", ["c", "q"])
def test_an_invalid_command_must_not_be_taken_for_a_valid_one(tag):
    found = {probe.id: probe for probe in run(lambda text: text.replace("<e>", f"<{tag}>"))}
    assert ("VPP018", "error") in codes(found["invalid"])


def test_an_error_that_nobody_made_is_told():
    (gather, *_) = run(lambda text: text.replace("<g>", "<e>").replace("Tag=g", "Tag=e"))
    assert codes(gather) == [("VPP016", "warning")]


def test_prompts_of_the_caller_take_the_place_of_ours():
    mine = (Prompt(id="a", message="Hello"), Prompt(id="b", message="!<c> --minor\nBetter!"))
    found = run(prompts=mine)
    assert [probe.id for probe in found] == ["a", "b", *IDS[-3:]]
    assert [probe.prompt for probe in found[:2]] == ["!<g>\nHello", "!<c> --minor\nBetter!"]


def test_an_answer_that_was_cut_off_is_told():
    assert run(finish="length")[0].cut
