"""The forms for issues are ones that the forge takes, and ask for what their readers need."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from psreg.authoring.issue_form import FORM, Kind
from psreg.core.classes import CLASSES
from psreg.formats.platforms import PLATFORMS
from support.paths import ROOT

GITHUB = ROOT / ".github"
FORMS = sorted(p for p in (GITHUB / "ISSUE_TEMPLATE").iterdir() if p.name != "config.yml")
SCHEMA = json.loads(Path(__file__).with_name("issue-form.schema.json").read_text())
NAMES = ["change-a-rule", "name-dispute", "report-a-prompt", "submit-a-prompt"]
KINDS = {"input": Kind.TEXT, "dropdown": Kind.CHOICE, "checkboxes": Kind.BOXES}


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def elements(form):
    return {item["id"]: item for item in form["body"] if item["type"] != "markdown"}


def required(item):
    options = item["attributes"].get("options", [])
    ticked = any(isinstance(o, dict) and o.get("required") for o in options)
    return item.get("validations", {}).get("required", False) or ticked


def test_every_form_is_there():
    assert [path.stem for path in FORMS] == NAMES
    assert len({load(path)["name"] for path in FORMS}) == len(FORMS)


def test_the_chooser_offers_nothing_but_forms():
    assert load(GITHUB / "ISSUE_TEMPLATE/config.yml") == {"blank_issues_enabled": False}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", FORMS, ids=NAMES)
def test_the_forge_takes_the_form(path):
    form = load(path)
    found = [f"{e.json_path}: {e.message}" for e in Draft202012Validator(SCHEMA).iter_errors(form)]
    assert found == []
    assert "&" not in re.sub(r"&[a-z]+;", "", path.read_text()), "the forge reads no YAML anchors"
    assert len(form["labels"]) == 1
    fields = [item for item in form["body"] if item["type"] != "markdown"]
    for part in ([item["id"] for item in fields], [i["attributes"]["label"] for i in fields]):
        assert len(part) == len(set(part))
    assert any(required(item) for item in fields)


@pytest.mark.parametrize(
    "broken",
    [
        {"name": "x", "description": "long enough"},
        {"name": "", "description": "long enough", "body": []},
        {"name": "x", "description": "long enough", "body": [{"type": "markdown"}]},
        {"name": "x", "description": "long enough", "body": [{"type": "box", "attributes": {}}]},
        {
            "name": "x",
            "description": "long enough",
            "body": [{"type": "input", "id": "a b", "attributes": {"label": "x"}}],
        },
        {
            "name": "x",
            "description": "long enough",
            "body": [{"type": "input", "id": "a", "attributes": {"label": "x", "render": "y"}}],
        },
        {
            "name": "x",
            "description": "long enough",
            "body": [{"type": "dropdown", "id": "a", "attributes": {"label": "x"}}],
        },
    ],
)
def test_the_schema_refuses_what_the_forge_would(broken):
    assert not Draft202012Validator(SCHEMA).is_valid(broken)


def test_the_submission_is_read_as_it_is_asked():
    form = elements(load(GITHUB / "ISSUE_TEMPLATE/submit-a-prompt.yml"))
    asked = []
    for key, item in form.items():
        kind = KINDS.get(item["type"], Kind.TEXT)
        if item["attributes"].get("render"):
            kind = Kind.CODE
        asked.append((key, item["attributes"]["label"], kind, required(item)))
    assert asked == [(f.id, f.label, f.kind, f.required) for f in FORM]


def test_the_submission_offers_what_release_toml_takes():
    form = elements(load(GITHUB / "ISSUE_TEMPLATE/submit-a-prompt.yml"))

    def options_of(key):
        options = form[key]["attributes"]["options"]
        return [o["label"] if isinstance(o, dict) else o for o in options]

    def words(key):
        return {re.split(r"[ :]", option)[0] for option in options_of(key)}

    assert words("class") == set(CLASSES)
    release = json.loads((files("psreg.formats") / "schemas/release.schema.json").read_bytes())
    assert words("capabilities") == set(release["properties"]["capabilities"]["items"]["enum"])
    for run in ("run_1", "run_2"):
        assert options_of(f"{run}_platform") == list(PLATFORMS.values())
        assert options_of(f"{run}_result") == ["pass", "partial", "fail"]


def test_a_changed_rule_needs_rationale_and_use_cases():
    form = elements(load(GITHUB / "ISSUE_TEMPLATE/change-a-rule.yml"))
    assert required(form["rationale"])
    assert required(form["use_cases"])


def test_the_pull_request_asks_for_what_the_specification_does():
    text = (GITHUB / "PULL_REQUEST_TEMPLATE.md").read_text()
    for step in (
        "folder of its class",
        "valid",
        "two platforms",
        "clear description, a use case and an example",
        "clear when it ends",
        "saved and loaded",
        "five techniques",
        "open licence",
    ):
        assert step in text


def test_the_workflow_answers_to_the_label_of_the_form():
    form = load(GITHUB / "ISSUE_TEMPLATE/submit-a-prompt.yml")
    condition = load(GITHUB / "workflows/submit.yml")["jobs"]["submit"]["if"]
    assert f"contains(github.event.issue.labels.*.name, '{form['labels'][0]}')" in condition
