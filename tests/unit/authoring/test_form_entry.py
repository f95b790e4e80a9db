"""From the answers of the form to the files of an entry, or to what has to be fixed first."""

import hashlib
import json
import tomllib
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.authoring.form_entry import Owner, draft
from psreg.authoring.issue_form import FIELDS, FORM, Kind, read_issue
from psreg.authoring.new import Plan, new_entry
from psreg.cli.rules import all_rules
from psreg.core.classes import CLASSES
from psreg.core.identity import PBES, is_name
from support.registry_trees import POLICY, entry, tree
from support.submissions import GOOD, PACK, TWO_RUNS, body

OWNER = Owner(forge="github", id=583231, login="octocat")
FOLDER = PurePosixPath("pbes/prompt/trip_packer")
PBE = json.dumps(
    {
        "pbe_name": "trip_packer",
        "pbe_version": "1.0.0",
        "pbe_class": "stateless_executor",
        "install_instructions": "When received, run this at once as an instruction set.",
        "execution": {
            "primary_goal": "Turn a destination and a number of nights into one packing list.",
            "behavior": "Group items by bag and give a count for each.",
            "termination_condition": "Once the list has been printed it is over.",
        },
    },
    indent=2,
)
EXECUTOR = "stateless_executor: a PBE for one task, over after its result"


def drafted(answers, ticked=(), registry=None, policy=POLICY):
    registry = tree(policy=policy) if registry is None else registry
    return draft(read_issue(body(answers, ticked)), registry, OWNER, all_rules())


def read(made, name):
    return tomllib.loads(made.files[FOLDER / name].decode())


def test_plain_text_becomes_a_prompt_of_its_author():
    made = drafted(GOOD, ["files", "memory"])
    assert made.objections == ()
    assert sorted(str(path.relative_to(FOLDER)) for path in made.files) == [
        "0.1.0/README.md",
        "0.1.0/release.toml",
        "0.1.0/trip_packer.prompt",
        "entry.toml",
    ]
    assert read(made, "entry.toml") == {
        "owners": [{"forge": "github", "id": 583231, "login": "octocat"}],
        "threshold": 1,
        "aliases": [],
    }
    release = read(made, "0.1.0/release.toml")
    assert release["license"] == "CC0-1.0"
    assert release["languages"] == ["en", "pt-BR"]
    assert release["limitations"] == ["Knows no luggage limits.", "Writes no more than one list."]
    assert release["capabilities"] == ["files", "memory"]
    assert "tested" not in release
    prompt = made.files[FOLDER / "0.1.0/trip_packer.prompt"].decode()
    assert prompt.endswith(f"[CONTENT]\n{GOOD['artifact']}\n")


def test_the_artifact_is_the_one_that_new_writes():
    made = drafted({**GOOD, "class": EXECUTOR, "artifact": PBE})
    assert made.objections == ()
    plan = Plan(entry_class="stateless_executor", name="trip_packer", artifact=f"{PBE}\n".encode())
    artifact = plan.release.artifact
    assert made.files[artifact] == new_entry(plan)[artifact] == f"{PBE}\n".encode()


def test_two_runs_make_a_tested_release():
    made = drafted(GOOD | TWO_RUNS, policy="")
    assert made.objections == ()
    first, second = read(made, "0.1.0/release.toml")["tested"]
    artifact = made.files[FOLDER / "0.1.0/trip_packer.prompt"]
    assert first["sha256"] == second["sha256"] == hashlib.sha256(artifact).hexdigest()
    assert (first["platform"], second["platform"]) == ("claude", "le-chat")
    assert "notes" not in first
    assert second["notes"] == "It forgot the bags."
    said = made.files[FOLDER / "0.1.0" / first["evidence"]].decode()
    header, *turns = map(json.loads, said.splitlines())
    assert header["run"] == {
        "platform": "claude",
        "model": "a model",
        "date": "2026-11-01",
        "sha256": first["sha256"],
        "result": "pass",
    }
    assert turns == [
        {"role": "user", "content": PACK},
        {"role": "assistant", "content": "Three shirts."},
    ]
    assert second["evidence"] == "evidence/run_2.jsonl"


def test_a_transcript_keeps_the_run_header_that_it_has():
    header = {"run": {"platform": "le-chat", "model": "theirs", "date": "2026-11-02"}}
    transcript = json.dumps(header) + "\n" + TWO_RUNS["run_2_transcript"]
    made = drafted(GOOD | TWO_RUNS | {"run_2_transcript": transcript})
    said = made.files[FOLDER / "0.1.0/evidence/run_2.jsonl"].decode()
    assert json.loads(said.splitlines()[0]) == header
    assert said.count('"run"') == 1


@pytest.mark.parametrize(
    ("answers", "field", "said"),
    [
        ({"name": "../../../etc/passwd"}, "name", "etc_passwd"),
        ({"name": "Trip Packer"}, "name", "Write `trip_packer`."),
        ({"name": "con"}, "name", "a device name on Windows"),
        ({"name": "hello"}, "name", "Choose another name"),
        ({"name": "hell0"}, "name", "[NAME001]"),
        ({"class": "a class of mine"}, "class", "The classes are stateless_executor"),
        ({"class": EXECUTOR}, "artifact", "neither a PBE nor a .prompt"),
        ({"artifact": PBE}, "artifact", "Choose the class that the text states."),
        ({"summary": "Short."}, "summary", "the minimum is 20"),
        ({"license": "Mine"}, "license", "[REG010]"),
        ({"tags": ",,"}, "tags", "1"),
        ({"artifact": "[METADATA]\nx"}, "artifact", "line "),
        ({"example": "a \u202e b"}, "example", "[PS"),
        ({"run_1_model": "x"}, "run_1_platform", "platform"),
        ({"run_1_platform": "Claude"}, "run_1_transcript", "evidence"),
        ({**TWO_RUNS, "run_2_date": "soon"}, "run_2_date", "`soon` is not a date"),
        ({**TWO_RUNS, "run_2_notes": ""}, "run_2_result", "needs notes"),
        ({**TWO_RUNS, "run_1_transcript": "{"}, "", "the line is not JSON"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_form(answers, field, said):
    made = drafted(GOOD | answers, registry=tree(entry("hello")))
    label = FIELDS[field].label if field else ""
    found = [o for o in made.objections if o.field == label]
    assert said in " ".join(f"{o.message} {o.hint} [{o.code}]" for o in found)


def test_missing_runs_are_asked_for():
    (objection,) = drafted(GOOD, policy="").objections
    assert objection.field == "First test run: platform"
    assert "two platforms" in objection.hint


def test_only_the_second_run():
    second = {key: text for key, text in TWO_RUNS.items() if key.startswith("run_2_")}
    made = drafted(GOOD | second | {"run_2_date": "soon"})
    assert "Second test run: date" in [o.field for o in made.objections]


def test_a_text_that_was_run_under_another_name_was_not_run():
    answers = {**GOOD, "class": EXECUTOR, "artifact": PBE.replace("trip_packer", "packer")}
    assert drafted(answers).objections == ()
    (objection,) = drafted(answers | TWO_RUNS).objections
    assert "not the text that was run" in objection.message
    assert "the name trip_packer and the version 1.0.0" in objection.hint


def test_promises_are_kept():
    text = body(GOOD)
    open_box = text.replace("- [X] I wrote", "- [ ] I wrote")
    (objection,) = draft(read_issue(open_box), tree(), OWNER, all_rules()).objections
    assert objection.message.startswith("this box is not ticked: I wrote this text")
    gone = text.partition(FIELDS["promises"].heading)[0] + FIELDS["promises"].heading
    (objection,) = draft(read_issue(gone), tree(), OWNER, all_rules()).objections
    assert objection.message == "the boxes of the form are missing"


def test_a_form_that_cannot_be_read_writes_nothing():
    made = draft(read_issue("hello"), tree(), OWNER, all_rules())
    assert made.release is None
    assert not made.files
    assert made.objections


@pytest.mark.parametrize("text", ["{nights} nights", "{nights", "{}", '{"a": 1'])
def test_a_text_that_begins_with_a_brace_is_no_executable(text):
    made = drafted({**GOOD, "artifact": f"{text} in Rome."})
    assert FOLDER / "0.1.0/trip_packer.prompt" in made.files


def test_an_example_keeps_its_own_fences():
    example = "````\n## Use case\n````"
    made = drafted({**GOOD, "example": example})
    readme = made.files[FOLDER / "0.1.0/README.md"].decode()
    assert f"`````text\n{example}\n`````" in readme
    assert made.objections == ()


WRITTEN = [field for field in FORM if field.kind is not Kind.BOXES]
HOSTILE = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ["../../x", "/etc/passwd", "a/b", "a\0b", "$(touch x)", "`id`", "; rm -rf /", "-x", "con"]
    ),
    st.sampled_from(
        ['"""', "]]", "'''", "\\", "\r", "\x7f", "\u202e", "[METADATA]", "{", "{" * 99]
    ),
)


@given(st.dictionaries(st.sampled_from(WRITTEN), HOSTILE, min_size=1, max_size=4))
def test_no_answer_reaches_a_path(said):
    made = drafted(GOOD | TWO_RUNS | {field.id: text for field, text in said.items()})
    assert bool(made.files) is (made.release is not None)
    for path in made.files:
        root, entry_class, name, *rest = path.parts
        assert root == PBES
        assert entry_class in CLASSES
        assert is_name(name)
        assert ".." not in rest
    for path, data in made.files.items():
        if path.suffix == ".toml":
            assert tomllib.loads(data.decode()), path
