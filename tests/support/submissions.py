"""Issues of the form "Submit a prompt", as the forge writes them, for tests of submitting."""

import json
from pathlib import Path
from typing import Any

import yaml

from psreg.authoring.issue_form import FORM, Kind
from support.forges import BOT, FakeGitHub
from support.paths import ROOT
from support.pipelines import git

FORMS = ROOT / ".github/ISSUE_TEMPLATE"

GOOD = {
    "name": "trip_packer",
    "class": "prompt: a text, with {variables} to fill in if it has any",
    "artifact": "Write a packing list for {nights} nights in {destination}.\n\nGroup items by bag.",
    "summary": "Plans the contents of a suitcase in conversation.",
    "use_case": "The evening before a journey.",
    "example": "Cabin bag: three shirts, one rain jacket.",
    "tags": "travel, packing",
    "license": "CC0-1.0 (no rights reserved)",
    "languages": "en, pt-BR",
    "limitations": "- Knows no luggage limits.\n- Writes no more than one list.",
}
PACK = "Write a packing list for 3 nights in Rome.\n\nGroup items by bag."
TWO_RUNS = {
    "run_1_platform": "Claude",
    "run_1_model": "a model",
    "run_1_date": "2026-11-01",
    "run_1_result": "pass",
    "run_1_transcript": f"User: {PACK}\n\nAssistant: Three shirts.",
    "run_2_platform": "Le Chat",
    "run_2_model": "another model",
    "run_2_date": "2026-11-02",
    "run_2_result": "partial",
    "run_2_notes": "It forgot the bags.",
    "run_2_transcript": "\n".join(
        json.dumps({"role": role, "content": said})
        for role, said in (("user", PACK), ("assistant", "Three shirts and a coat."))
    ),
}


def boxes(field_id):
    """Return the boxes of a field as the form's file has them."""
    form = yaml.safe_load((FORMS / "submit-a-prompt.yml").read_text())
    element = next(item for item in form["body"] if item.get("id") == field_id)
    return [option["label"] for option in element["attributes"]["options"]]


def body(answers, ticked=()):
    """Return the body of the issue that the forge makes of `answers`; all promises are given."""
    parts = []
    for field in FORM:
        parts.append(field.heading)
        if field.kind is Kind.BOXES:
            parts.append("\n".join(box(field.id, label, ticked) for label in boxes(field.id)))
        elif not answers.get(field.id):
            parts.append("_No response_")
        elif field.kind is Kind.CODE:
            parts.append(f"```text\n{answers[field.id]}\n```")
        else:
            parts.append(answers[field.id])
    return "\n\n".join(parts)


def box(field_id, label, ticked):
    on = field_id == "promises" or label.split(":")[0] in ticked
    return f"- [{'X' if on else ' '}] {label}"


def event(text, number=7, user=583231, login="octocat", **issue):
    """Return the event of such an issue as the forge writes it."""
    return {
        "action": "opened",
        "issue": {
            "number": number,
            "title": "Submit: trip_packer",
            "body": text,
            "user": {"login": login, "id": user, "type": "User"},
            "labels": [{"name": "submission"}],
            "state": "open",
            **issue,
        },
        "repository": {"full_name": "keepers/prompts", "default_branch": "main"},
    }


class SubmittedGitHub(FakeGitHub):
    """A repository on GitHub in which pull requests can be opened; `origin` is its bare clone."""

    def __init__(self, origin: Path) -> None:
        super().__init__()
        self.origin = origin
        self.reviews: dict[int, list[dict[str, Any]]] = {}

    def _routes(self) -> Any:
        pulls = f"/repos/{self.repository}/pulls"
        approvals = ("GET", rf"{pulls}/(\d+)/reviews", self._reviews)
        here = ("GET", f"/repos/{self.repository}", lambda: (200, {"default_branch": "main"}))
        return (("POST", pulls, self._open), approvals, here, *super()._routes())

    def _reviews(self, number: str) -> tuple[int, Any]:
        return 200, self.reviews.get(int(number), [])

    def _open(self, document: Any) -> tuple[int, Any]:
        branch = document["head"].partition(":")[2]
        pull = self.pull(
            git("rev-parse", f"refs/heads/{branch}", cwd=self.origin),
            (self.account or BOT)["id"],
            number=len(self.pulls) + 100,
            ref=document["base"],
        )
        pull["head"] |= {"ref": branch, "label": document["head"]}
        pull["html_url"] = f"https://github.example/{self.repository}/pull/{pull['number']}"
        pull |= {"title": document["title"], "body": document["body"]}
        return 201, pull
