"""The score: what a release shows for itself, and nothing else."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.tree import Tree
from psreg.lint.score import HOW, PARTS, POINTS, QUESTIONS, Part, Score, read_score, score
from support.catalogue import executor
from support.registry_trees import PROMPT, README, RELEASE, transcript, tree, version

TEMPLATE = """\
[METADATA]
@dotprompt_format_version 0.0.1
[DEFAULTS]
@tone warm
[CONTENT]
Greet {name} in a {tone} tone.
"""
GUIDE = """\
# Greeter

Greets one person.

## Use case

Doors.

## How to say it

Give `name`; `tone` may stay as it is.

## Examples

*Recorded.*

### A friend

```text
Hello, Ana!
```

### Example of a stranger

```text
Good day.
```
"""
TALK = (
    '{"role": "user", "content": %s}\n{"role": "assistant", "content": "Hello, Ana!"}\n'
    '{"role": "user", "content": "Again"}\n{"role": "assistant", "content": "Hello!"}\n'
)
GOLDENS = {
    "all.render.toml": 'text = "Greet Ana in a cold tone."\n[values]\nname = "Ana"\ntone = "cold"\n',
    "defaults.render.toml": 'text = "Greet Bo in a warm tone."\n[values]\nname = "Bo"\n',
    "open.render.toml": 'text = "Greet {name} in a warm tone."\n',
}


def run(artifact, platform, evidence, *more):
    digest = hashlib.sha256(artifact.encode()).hexdigest()
    row = f'[[tested]]\nplatform = "{platform}"\nmodel = "m"\ndate = 2026-11-01\n'
    return row + "\n".join(
        [f'sha256 = "{digest}"\nresult = "pass"\nevidence = "{evidence}"', *more, ""]
    )


def header(artifact, platform):
    return transcript(artifact, platform).partition("\n")[0] + "\n"


def of(
    *, name="hello", entry_class="prompt", prompt=PROMPT, release=RELEASE, readme=README, **files
):
    found = version(name, prompt=prompt, release=release, **{"README.md": readme, **files})
    if entry_class != "prompt":
        found = {
            path.replace("pbes/prompt", f"pbes/{entry_class}").replace(".prompt", ".pbe.txt"): text
            for path, text in found.items()
        }
    (submission,) = Tree(tree(found)).submissions
    return score(submission)


def points(result):
    return {part.id: part.points for part in result.parts}


def missing(result):
    return {each for part in result.parts for each in part.missing}


def full(template=TEMPLATE, **changes):
    """Return what has every point: of a `.prompt`, or of another artifact."""
    rows = [
        run(template, platform, f"evidence/{platform}.jsonl", "settings = {temperature = 1}")
        for platform in ("claude", "chatgpt", "gemini", "grok")
    ]
    files = {
        f"evidence/{platform}.jsonl": header(template, platform)
        + TALK % json.dumps(f"{template}\n{platform}")
        for platform in ("claude", "chatgpt", "gemini", "grok")
    }
    files |= {f"evidence/{name}": text for name, text in GOLDENS.items()}
    release = RELEASE + 'limitations = ["Only people."]\n' + "".join(rows)
    return {"prompt": template, "release": release, "readme": GUIDE, **files, **changes}


def without(key):
    return {name: value for name, value in full().items() if name != key}


def test_both_formats_can_have_a_hundred_points_and_no_more():
    artifact = executor("hello", "1.0.0").decode()
    for result in (of(**full()), of(entry_class="stateless_executor", **full(artifact))):
        assert missing(result) == set()
        assert result.total == 100
        assert points(result) == dict.fromkeys(PARTS, 20)
        assert [part.of for part in result.parts] == [20] * 5
        assert {part.how for part in result.parts} == {""}


def test_an_entry_without_runs_has_the_points_of_its_texts():
    result = of(readme=GUIDE.replace("*Recorded.*", "*Illustrative.*"))
    assert points(result) == {
        "documentation": 15,
        "evidence": 0,
        "examples": 10,
        "platforms": 0,
        "tests": 0,
    }
    assert "limitations" in missing(result)


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"readme": GUIDE.replace("Greets one person.\n", "")}, {"introduction"}),
        ({"readme": GUIDE.replace("Doors.\n", "")}, {"use-case"}),
        ({"readme": GUIDE.replace("`tone`", "the tune")}, {"inputs"}),
        (
            {"readme": GUIDE.replace("Example", "Picture")},
            {"example", "second-example", "recorded-example", "exact-example"},
        ),
        ({"readme": GUIDE.replace("### Example of a stranger", "")}, {"second-example"}),
        ({"readme": GUIDE.replace("*Recorded.*", "")}, {"recorded-example"}),
        ({"readme": GUIDE.replace("Hello, Ana!", "Hi!")}, {"exact-example"}),
        (
            {"readme": GUIDE.replace("```text\nHello, Ana!\n```", "Hello, Ana!\n\n```\n\n```")},
            {"exact-example"},
        ),
        (
            {"readme": ""},
            {q.id for q in QUESTIONS if q.part == "examples"}
            | {"introduction", "use-case", "inputs"},
        ),
        ({"evidence/claude.jsonl": ""}, {"all-transcripts", "platforms-4"}),
        (
            {"evidence/claude.jsonl": '{"role": "user", "content": "x"}\n'},
            {"answers", "all-transcripts", "platforms-4"},
        ),
        ({"release": full()["release"].replace("{temperature = 1}", "{}", 1)}, {"settings"}),
        (
            {"release": full()["release"].replace('"pass"', '"fail"', 3)},
            {"platforms-2", "platforms-3", "platforms-4"},
        ),
        (
            {"release": full()["release"].replace('"grok"', '"oracle"')},
            {"all-transcripts", "platforms-4"},
        ),
        ({"release": full()["release"].replace('"grok"', '"stub"')}, {"platforms-4"}),
        ({"evidence/open.render.toml": "text ="}, {"golden-three"}),
        ({"evidence/open.render.toml": 'text = "Greet."'}, {"golden-three"}),
        ({"evidence/defaults.render.toml": ""}, {"golden-three"}),
        ({"evidence/all.render.toml": ""}, {"golden-three", "golden-all-variables"}),
        (
            {
                "evidence/all.render.toml": "",
                "evidence/defaults.render.toml": "",
                "evidence/open.render.toml": "",
            },
            {q.id for q in QUESTIONS if q.id.startswith("golden")},
        ),
    ],
)
def test_each_question_is_about_one_thing(change, lost):
    assert missing(of(**full(**change))) == lost


def test_a_readme_in_another_language_has_the_same_points():
    words = {"Use case": "Anwendung", "Example": "Beispiel", "Recorded": "Aufgezeichnet"}
    readme = GUIDE
    for english, german in words.items():
        assert english in readme
        readme = readme.replace(english, german)
    assert missing(of(**full(readme=readme))) == missing(of(**full()))


def test_a_score_is_told_with_its_parts():
    told = of(**full()).told
    assert told.startswith("100 of 100: ")
    assert told.count(" 20/20") == 5


def test_runs_of_another_artifact_do_not_count():
    result = of(**full() | {"prompt": TEMPLATE + "Briefly.\n"})
    assert points(result)["platforms"] == 0
    assert {"transcript", "all-transcripts", "settings", "golden"} <= missing(result)


def test_transcripts_outside_of_the_evidence_folder_do_not_count():
    files = {name.replace("evidence/", ""): text for name, text in full().items()}
    assert {"transcript", "recorded-example", "golden"} <= missing(of(**files))


def test_a_prompt_without_variables_needs_one_golden_render():
    golden = {"evidence/only.render.toml": 'text = "Say hello."\n'}
    assert points(of(prompt=PROMPT, **golden))["tests"] == 20
    assert points(of(prompt=PROMPT))["tests"] == 0


ONE_ANSWER = (
    '{"role": "user", "content": "Hello"}\n{"role": "assistant", "content": "Hello, number %d!"}\n'
)


def test_runs_of_a_pbe_count_once_each():
    artifact = executor("hello", "1.0.0").decode()
    same = {f"evidence/{n}.jsonl": TALK % '"Hello"' for n in range(4)}
    result = of(entry_class="stateless_executor", prompt=artifact, **same)
    assert missing(result) >= {"repeatable", "conversations-2", "conversations-3"}
    assert points(result)["tests"] == 5


@pytest.mark.parametrize(
    ("entry_class", "got"), [("stateless_executor", 15), ("interactive_engine", 0)]
)
def test_a_stateless_executor_answers_once(entry_class, got):
    artifact = executor("hello", "1.0.0").decode()
    runs = {f"evidence/{n}.jsonl": ONE_ANSWER % n for n in range(3)}
    assert points(of(entry_class=entry_class, prompt=artifact, **runs))["tests"] == got


def test_a_class_that_cannot_be_run_is_not_asked_for_runs():
    result = of(entry_class="persistent_service", prompt=executor("hello", "1.0.0").decode())
    assert {part.id: part.of for part in result.parts} == {"documentation": 20, "examples": 10}
    assert not {each for each in missing(result) if "Run" in HOW[each] or "transcript" in HOW[each]}


def test_the_guide_to_a_pbe_is_a_section_of_its_own():
    artifact = executor("hello", "1.0.0").decode()
    readme = GUIDE.replace("How to say it", "Use cases of others")
    result = of(entry_class="stateless_executor", **full(artifact, readme=readme))
    assert missing(result) == {"guide"}


@pytest.mark.parametrize("name", ["hello.prompt", "README.md", "release.toml"])
def test_whatever_is_missing_or_broken_only_costs_points(name):
    files = version(
        prompt=TEMPLATE, **{k: v for k, v in full().items() if k.startswith("evidence/")}
    )
    path = f"pbes/prompt/hello/1.0.0/{name}"
    for broken in ({}, {path: "\ufeff[[[\0"}):
        rest = {key: text for key, text in files.items() if key != path} | broken
        (submission,) = Tree(tree(rest)).submissions
        assert 0 <= score(submission).total < 100


def test_the_table_asks_both_formats_for_a_hundred_points():
    ids = [question.id for question in QUESTIONS]
    assert len(set(ids)) == len(ids)
    for form in ("PBE", ".prompt"):
        asked = [q.part for q in QUESTIONS if q.only in ("", form)]
        assert {part: asked.count(part) * POINTS for part in PARTS} == dict.fromkeys(PARTS, 20)
    assert all(text.endswith(".") for text in HOW.values())


def test_a_part_says_how_to_raise_it():
    part = Part(id="tests", points=15, of=20, missing=("golden-three", "from-the-future"))
    assert part.steps == ("Add golden cases until there are three.",)
    assert part.how == "Add golden cases until there are three."
    assert part.title == "Tests"
    assert Part(id="grace", points=0, of=5).title == "grace"


def test_the_score_of_a_record_is_read_back():
    result = of()
    assert json.loads(json.dumps(result.to_json())) == result.to_json()
    assert read_score(result.to_json()) == result
    assert read_score(None) is None


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"formula": 1, "total": "9", "parts": []},
        {"formula": 1, "total": 9, "parts": {}},
        {"formula": 1, "total": 9, "parts": [3]},
        {"formula": 1, "total": 9, "parts": [{"id": "tests"}]},
        {"formula": 1, "total": 9, "parts": [{"id": "x", "points": 1, "of": 5, "missing": [3]}]},
    ],
)
def test_a_score_of_another_shape_is_none(value):
    assert read_score(value) is None


def test_a_score_of_a_later_table_is_shown_unchanged():
    value = {"formula": 9, "total": 7, "parts": [{"id": "x", "points": 7, "of": 9, "missing": []}]}
    assert read_score(value) == Score(total=7, parts=(Part(id="x", points=7, of=9),), formula=9)


@given(readme=st.text(max_size=80), line=st.text(max_size=60))
def test_any_text_gets_points_and_the_same_ones_again(readme, line):
    files = {"readme": readme, "evidence/a.jsonl": line, "evidence/a.render.toml": line}
    result = of(**files)
    assert result == of(**files)
    assert result.total == sum(part.points for part in result.parts)
    assert result.total % POINTS == 0
