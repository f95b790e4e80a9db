"""Which test runs count: those whose transcript is a run of exactly this artifact."""

from __future__ import annotations

import hashlib
import json
from datetime import date

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import ERROR, WARNING
from psreg.formats.tree import Tree
from psreg.lint.entries.tested_runs import AGREES, folded_platform, judged_runs
from psreg.lint.registry_walk import check_tree
from psreg.lint.score import score
from support.catalogue import executor
from support.registry_trees import PROMPT, RELEASE, entry, transcript, tree, version

TODAY = date(2026, 11, 22)
DIGEST = hashlib.sha256(PROMPT.encode()).hexdigest()


def row(platform, evidence="", **more):
    said = {"model": "m", "date": "2026-11-01", "sha256": DIGEST, "result": "pass"} | more
    said |= {"platform": platform, "evidence": f"evidence/{evidence or platform}.jsonl"}
    return "\n[[tested]]\n" + "".join(f"{key} = {json.dumps(each)}\n" for key, each in said.items())


def files(rows, policy="", **transcripts):
    evidence = {f"evidence/{name}.jsonl": text for name, text in transcripts.items()}
    return tree(entry(), version(release=RELEASE + "".join(rows), **evidence), policy=policy)


def judged(rows, **transcripts):
    (submission,) = Tree(files(rows, **transcripts), today=TODAY).submissions
    return judged_runs(submission)


def doubts(rows, **transcripts):
    return [[doubt.message for doubt in each.doubts] for each in judged(rows, **transcripts)]


def findings(rows, **transcripts):
    found = check_tree(files(rows, **transcripts), all_rules(), today=TODAY)
    said = {}
    for d in found:
        key = (d.code, d.pointer, d.severity)
        said[key] = f"{said.get(key, '')} {d.message}".strip()
    return said


GOOD = transcript(PROMPT, "claude")


def test_two_runs_that_agree_with_their_transcripts_count():
    rows = [row("claude"), row("gemini")]
    runs = judged(rows, claude=GOOD, gemini=transcript(PROMPT, "gemini"))
    assert [run.counts for run in runs] == [True, True]
    assert {run.standing for run in runs} == {AGREES}
    assert "REG011" not in {
        code for code, *_ in findings(rows, claude=GOOD, gemini=transcript(PROMPT, "gemini"))
    }


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("platform", "gemini", "was recorded with the platform `claude`"),
        ("model", "m2", "was recorded with the model `m`"),
        ("date", "2026-11-02", "was recorded with the date `2026-11-01`"),
    ],
)
def test_a_row_that_contradicts_its_transcript_is_an_error(member, value, said):
    rows = [row("claude"), row(**{"platform": "claude", "evidence": "claude"} | {member: value})]
    found = findings(rows, claude=GOOD)
    assert said in found["REG035", f"/tested/1/{member}", ERROR]
    assert found["REG011", "/tested", ERROR].startswith("run on 1 platform")


def test_a_result_that_contradicts_the_recorded_one_is_an_error():
    failed = transcript(PROMPT, "claude", result="fail")
    assert ("REG035", "/tested/0/result", ERROR) in findings([row("claude")], claude=failed)
    passed = transcript(PROMPT, "claude", result="pass")
    assert doubts([row("claude")], claude=passed) == [[]]


def test_a_transcript_of_other_bytes_does_not_count():
    other = transcript("other", "claude", said="Say hello.")
    found = findings([row("claude")], claude=other)
    assert ("REG035", "/tested/0/sha256", ERROR) in found
    assert doubts([row("claude", sha256="0" * 64)], claude=GOOD) == [["it is a run of other bytes"]]


def test_the_same_transcript_cited_for_two_platforms_counts_for_one():
    rows = [row("claude"), row("gemini", "claude")]
    assert findings(rows, claude=GOOD)["REG011", "/tested", ERROR].startswith("run on 1 platform")
    runs = judged(rows, claude=GOOD)
    assert [run.counts for run in runs] == [True, False]


def test_a_copied_conversation_counts_once_although_its_header_differs():
    long = ("Hello, and welcome to this long day! " * 8,)
    same = {name: transcript(PROMPT, name, answers=long) for name in ("claude", "gemini")}
    assert ("REG011", "/tested", ERROR) in findings([row("claude"), row("gemini")], **same)
    assert doubts([row("claude"), row("gemini")], **same) == [
        [],
        ["its transcript is the one that counts for claude"],
    ]


@pytest.mark.parametrize("changed", ["{} ", "{}\n", "\u200b{}", "{}\u2060", "  {}"], ids=[*"12345"])
def test_a_copied_conversation_counts_once_although_nobody_sees_what_differs(changed):
    long = "Hello, and welcome to this long day! " * 8
    same = {
        "claude": transcript(PROMPT, "claude", answers=[long]),
        "gemini": transcript(PROMPT, "gemini", answers=[changed.format(long)]),
    }
    assert doubts([row("claude"), row("gemini")], **same) == [
        [],
        ["its transcript is the one that counts for claude"],
    ]


def test_an_answer_before_the_prompt_is_not_an_answer_to_it():
    header, asked, _ = GOOD.splitlines()
    said = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}]
    before = "".join(f"{json.dumps(each)}\n" for each in said)
    unanswered = f'{header}\n{before}{asked}\n{{"role": "assistant", "content": "."}}\n'
    found = findings([row("claude")], claude=unanswered)
    assert "has no answer after the prompt" in found["REG035", "/tested/0/evidence", WARNING]
    answered = unanswered.replace('"."', '"Hello, you!"')
    assert doubts([row("claude")], claude=answered) == [[]]


def test_two_models_may_give_the_same_short_answer():
    same = {name: transcript(PROMPT, name, answers=["Hello!"]) for name in ("claude", "gemini")}
    assert doubts([row("claude"), row("gemini")], **same) == [[], []]


@pytest.mark.parametrize("platform", ["claude", "gemini"])
@pytest.mark.parametrize(
    "answer",
    [
        "You said: Say hello.",
        "<g>\nThis is what you asked for, kept short.\n[…]",
        "DRAFT\nInertia is the tendency of a body to keep its state of motion.\n",
    ],
)
def test_answers_of_the_stub_never_count_by_whatever_platform_name(platform, answer):
    ran = transcript(PROMPT, platform, answers=[answer])
    found = findings([row(platform)], **{platform: ran})
    assert "stub" in found["REG035", "/tested/0/evidence", ERROR]


def test_a_run_on_the_stub_that_says_so_is_no_finding():
    found = findings([row("stub")], stub=transcript(PROMPT, "stub"))
    assert not {code for code, *_ in found} & {"REG035"}
    assert doubts([row("stub")], stub=transcript(PROMPT, "stub"))[0][0] == (
        "psreg's stub is not a model"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"role": "user", "content": "Say hello."}\n', "has no run header"),
        (GOOD.replace('"run"', '"ran"', 1), "has no run header"),
        ('{"run": 1, "role": "user", "content": "Say hello."}\n', "has no run header"),
        (transcript(PROMPT, "claude", answers=()), "has no answer"),
        (transcript(PROMPT, "claude", answers=[" "]), "has no answer"),
        (transcript(PROMPT, "claude", answers=[".", "\u2026 ?!"]), "has no answer"),
        (transcript(PROMPT, "claude", answers=[" Say  hello.\n"]), "has no answer"),
        (transcript(PROMPT, "claude", answers=["\u200b", "\u3164\u2800\n"]), "has no answer"),
        (
            transcript(PROMPT, "claude").replace('"run": {', '"run": {"platform": "gemini", '),
            "cannot be read",
        ),
        (transcript(PROMPT, "claude", said="Say goodbye."), "does not contain the prompt"),
        (GOOD + "not JSON\n", "cannot be read"),
    ],
)
def test_a_transcript_that_proves_nothing_does_not_count(text, said):
    found = findings([row("claude")], claude=text)
    assert said in found["REG035", "/tested/0/evidence", WARNING]


def test_a_header_that_leaves_out_the_model_does_not_count():
    found = findings([row("claude")], claude=GOOD.replace('"model": "m", ', ""))
    assert "states no `model`" in found["REG035", "/tested/0/model", WARNING]


def test_a_header_may_be_part_of_the_first_record():
    records = GOOD.splitlines()
    first = {**json.loads(records[1]), **json.loads(records[0])}
    assert doubts([row("claude")], claude=f"{json.dumps(first)}\n{records[2]}\n") == [[]]


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("2021-12-31", ["2021-12-31 is before 2022-01-01"]),
        ("2022-01-01", []),
        ("2026-11-23", []),
        ("2026-11-24", ["2026-11-24 is in the future"]),
        ("soon", ["it has no date"]),
    ],
)
def test_a_run_took_place_between_2022_and_today(day, said):
    ran = {name: transcript(PROMPT, name, date=day) for name in ("claude", "gemini")}
    rows = [row(name, date=day) for name in ran]
    assert (("REG011", "/tested", ERROR) in findings(rows, **ran)) is bool(said)
    assert doubts(rows, **ran) == [said, said]


def test_nothing_is_in_the_future_if_nobody_knows_the_day():
    ran = transcript(PROMPT, "claude", date="2999-01-01")
    (submission,) = Tree(files([row("claude", date="2999-01-01")], claude=ran)).submissions
    assert judged_runs(submission)[0].counts


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("claude", "claude"),
        ("Claude ", "claude"),
        ("CLAUDE", "claude"),
        ("с" + "laude", "claude"),
        ("Le Chat", "le-chat"),
        ("le_chat", "le-chat"),
        ("Microsoft Copilot", "copilot"),
        ("oracle-9000", "oracle9000"),
        ("anthropic", "claude"),
        ("claude-3", "claude"),
        ("OpenAI API", "chatgpt"),
        ("gpt4", "chatgpt"),
        ("Google AI Studio", "gemini"),
        ("llama.cpp", "llama-cpp"),
        ("GitHub Copilot", "github-copilot"),
        ("Cl4ude", "claude"),
        ("ClaudeCode", "claude"),
        ("geminiapp", "gemini"),
        ("googlegemini", "gemini"),
        ("anthropicclaude", "claude"),
        ("ClaudeOpus", "claude"),
        ("my-geminiflash", "gemini"),
        ("claudette", "claudette"),
        ("oracle9000", "oracle9000"),
        ("", ""),
    ],
)
def test_platform_names_are_folded(written, meant):
    assert folded_platform(written) == meant


def test_two_spellings_of_one_platform_are_one():
    rows = [row("claude"), row("Claude", "other")]
    other = transcript(PROMPT, "CLAUDE", answers=["Hi!"])
    found = findings(rows, claude=GOOD, other=other)
    assert found["REG011", "/tested", ERROR].startswith("run on 1 platform")


def test_a_second_run_header_makes_a_transcript_unreadable():
    header, _, rest = GOOD.partition("\n")
    twice = f"{header}\n{header.replace('claude', 'gemini')}\n{rest}"
    assert doubts([row("claude")], claude=twice) == [["its transcript cannot be read"]]


def test_a_row_without_transcript_or_platform():
    assert doubts([row("claude", "missing")]) == [["it has no transcript"]]
    assert doubts([row("", "claude")], claude=GOOD)[0][0] == "no platform"


def test_the_prompt_is_recognised_whatever_its_values():
    template = (
        "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nGreet {name}.\n\nBe {mood}!\n"
    )
    digest = hashlib.sha256(template.encode()).hexdigest()
    for said, expected in (
        ("Greet Ana.\r\nBe  glad!", []),
        ("Be glad! Greet Ana.", ["its transcript does not contain the prompt"]),
    ):
        ran = transcript(template, "claude", said=said)
        found = version(
            prompt=template,
            release=RELEASE + row("claude", sha256=digest),
            **{"evidence/claude.jsonl": ran},
        )
        (submission,) = Tree(tree(entry(), found)).submissions
        assert [d.message for d in judged_runs(submission)[0].doubts] == expected


def test_a_pbe_is_recognised_by_its_whole_text():
    artifact = executor("hello", "1.0.0").decode()
    digest = hashlib.sha256(artifact.encode()).hexdigest()
    ran = transcript(artifact, "claude")
    found = version(
        prompt=artifact,
        release=RELEASE + row("claude", sha256=digest),
        **{"evidence/claude.jsonl": ran},
    )
    found = {
        path.replace("pbes/prompt", "pbes/stateless_executor").replace(".prompt", ".pbe.txt"): text
        for path, text in found.items()
    }
    (submission,) = Tree(tree(found)).submissions
    assert judged_runs(submission)[0].counts


def test_an_unreadable_prompt_is_in_no_transcript():
    broken = "---\nfront: matter\n---\n"
    digest = hashlib.sha256(broken.encode()).hexdigest()
    found = version(
        prompt=broken,
        release=RELEASE + row("claude", sha256=digest),
        **{"evidence/claude.jsonl": transcript(broken, "claude", said=broken)},
    )
    (submission,) = Tree(tree(entry(), found)).submissions
    assert judged_runs(submission)[0].doubts[0].message.endswith("does not contain the prompt")


@pytest.mark.parametrize(
    "records",
    [
        [{"instr": "INSTR: Say hello.", "previous": "S{}S", "next": 'S{$a:"Hello";}S'}],
        [{"message": "Say hello.", "text": "DRAFT\nHello", "pb2s_proof": {}}],
    ],
)
def test_records_of_protocols_are_transcripts_too(records):
    text = GOOD.splitlines()[0] + "\n" + "".join(f"{json.dumps(each)}\n" for each in records)
    assert doubts([row("claude")], claude=text) == [[]]


def test_a_run_that_does_not_count_gives_no_points():
    good = score(next(iter(Tree(files([row("claude")], claude=GOOD)).submissions)))
    bad = score(next(iter(Tree(files([row("gemini", "claude")], claude=GOOD)).submissions)))
    points = [{part.id: part.points for part in each.parts} for each in (good, bad)]
    assert (points[0]["platforms"], points[1]["platforms"]) == (5, 0)
    assert "transcript" in {each for part in bad.parts for each in part.missing}


@pytest.mark.parametrize(
    ("name", "header", "said"),
    [
        ("claude-2026-11-01", {"result": "pass"}, None),
        ("le-chat-2026-11-01", {"platform": "Le Chat", "result": "pass"}, None),
        ("claude-2026-11-01", {"result": "fail", "notes": "It said no."}, None),
        ("claude-2026-11-01", {"result": "fail"}, "a result of `fail` needs `notes`"),
        ("claude-2026-11-01", {"result": "fail", "notes": "."}, "a result of `fail` needs `notes`"),
        ("claude-2026-11-01", {}, "must be pass, partial or fail"),
        ("claude-2026-11-02", {"result": "pass"}, "the date `2026-11-01`, the file name another"),
        ("gemini-2026-11-01", {"result": "pass"}, "the platform `claude`, the file name another"),
    ],
)
def test_the_header_of_a_later_transcript_takes_the_place_of_a_row(name, header, said):
    text = transcript(PROMPT, **{"platform": "claude"} | header)
    found = findings([], **{name: text})
    assert any(code == "REG035" for code, *_ in found) is (said is not None)
    assert ("run on 1" in found["REG011", "/tested", ERROR]) is (said is None)
    (run,) = judged([], **{name: text})
    assert (run.row, run.run.index) == ("", -1)
    assert [said in doubt.message for doubt in run.doubts] == ([True] if said else [])


def test_a_later_transcript_without_header_is_an_error():
    text = GOOD.partition("\n")[2]
    found = findings([], **{"claude-2026-11-01": text})
    assert found["REG035", "", ERROR].endswith("its transcript has no run header")


def test_a_day_that_the_calendar_does_not_have():
    assert doubts([row("claude", date="2026-02-30")], claude=GOOD)[0][0] == "it has no date"


def test_an_unknown_platform_of_a_later_transcript_is_told():
    text = transcript(PROMPT, "oracle", result="pass")
    found = findings([], **{"oracle-2026-11-01": text})
    assert found["REG021", "", WARNING] == "unknown platform `oracle`"
    text = transcript(PROMPT, "claude", result="pass")
    assert not any(code == "REG021" for code, *_ in findings([], **{"claude-2026-11-01": text}))


def test_a_reader_is_told_that_a_platform_is_unknown():
    rows = [row("claude"), row("foo")]
    runs = judged(rows, claude=GOOD, foo=transcript(PROMPT, "foo", answers=("Hi there!",)))
    assert [run.standing for run in runs] == [AGREES, f"{AGREES}; the platform is unknown"]


def untested(*platforms, policy=""):
    """Return what REG011 says of runs on these platforms, each with a transcript of its own."""
    names = [f"run{number}" for number in range(len(platforms))]
    runs = [row(platform, name) for platform, name in zip(platforms, names, strict=True)]
    texts = {
        name: transcript(PROMPT, platform, answers=(f"Hello from {name}!" * 20,))
        for platform, name in zip(platforms, names, strict=True)
    }
    found = check_tree(files(runs, policy, **texts), all_rules(), today=TODAY)
    return next((d.message for d in found if d.code == "REG011" and d.severity is ERROR), "")


EXTRA = '[review]\nextra_platforms = ["acme-chat", "Acme Claude", 1, ""]\n'


@pytest.mark.parametrize(
    ("platforms", "counted"),
    [
        (("foo", "bar"), 0),
        (("foo", "bar", "baz", "qux"), 0),
        (("claude",), 1),
        (("claude", "Claude Code", "anthropic"), 1),
        (("claude", "foo"), 2),
        (("claude", "foo", "bar"), 2),
        (("claude", "gemini"), 2),
    ],
)
def test_made_up_platforms_do_not_make_a_release_tested(platforms, counted):
    enough = "[review]\nplatforms = 4\n"
    assert untested(*platforms, policy=enough) == f"run on {counted} platform(s); the minimum is 4"
    assert bool(untested(*platforms)) is (counted < 2)


@pytest.mark.parametrize(
    ("platforms", "enough"),
    [
        (("acme-chat", "claude"), True),
        (("ACME chat", "Acme-Claude"), True),
        (("acme-chat", "foo"), True),
        (("acme-chat", "Acme Chat"), False),
        (("foo", "bar"), False),
    ],
)
def test_a_policy_adds_platforms_of_its_own(platforms, enough):
    assert bool(untested(*platforms, policy=EXTRA)) is not enough


def test_a_platform_of_the_policy_is_known_everywhere():
    text = transcript(PROMPT, "acme chat", result="pass")
    runs = files([], EXTRA, **{"acme-chat-2026-11-01": text})
    (submission,) = Tree(runs, today=TODAY).submissions
    (run,) = judged_runs(submission)
    assert (run.platform, run.known, run.doubts) == ("acme-chat", True, ())
    points = {part.id: part.points for part in score(submission).parts}
    assert points["platforms"] == 5
    found = [d for d in check_tree(runs, all_rules(), today=TODAY) if d.code == "REG021"]
    assert [d.message for d in found] == ["unknown platform `acme chat`"]
    assert "Did you mean `acme-chat`?" in found[0].hint
