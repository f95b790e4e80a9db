"""An entry from a submitted issue form: the same files that `psreg new` writes, and their owner.

An answer becomes the content of a file and nothing else: name and class are accepted only if they
follow the grammar, and every path is built from those two and a version.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath

from psreg.authoring.issue_form import FIELDS, RUNS, FilledForm, Objection
from psreg.authoring.naming import is_artifact, require_class, require_class_of, require_free_name
from psreg.authoring.new import Plan, new_entry
from psreg.authoring.questions import answers
from psreg.authoring.todo import TodoItem, overlaid, todo_items
from psreg.core.classes import CLASSES, Format
from psreg.core.diagnostics import ERROR
from psreg.core.errors import UsageError
from psreg.core.identity import ReleaseId
from psreg.core.rule import RuleTable
from psreg.formats.conversation.conversation import Turn
from psreg.formats.conversation.reader import MAX_RECORDS, read_dialogue
from psreg.formats.conversation.run_header import HEADER, run_header
from psreg.formats.json.pointer import split
from psreg.formats.layout import EVIDENCE
from psreg.formats.platforms import PLATFORMS
from psreg.formats.tree import POLICY

_TO_TEST = "Run exactly this text on two platforms, and fill in both test runs of the form."
_LIST = re.compile(r"^\s*[-*•]\s+", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The account that submitted the form: the forge, its numeric id and its current login."""

    forge: str
    id: int
    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The result of a form: the files of an entry, and the objections that prevent submitting it.

    `release` is None and `files` are empty if name or class are not valid.
    """

    objections: tuple[Objection, ...]
    release: ReleaseId | None = None
    files: Mapping[PurePosixPath, bytes]


def draft(
    form: FilledForm, tree: Mapping[PurePosixPath, bytes], owner: Owner, rules: RuleTable
) -> Draft:
    """Return the entry that `form` describes, checked as a part of the registry `tree`."""
    if form.objections:
        return Draft(objections=form.objections, files={})
    promises = tuple(_promises(form))
    plan, refused = _plan(form, tree, rules)
    if plan is None:
        return Draft(objections=(*promises, *refused), files={})
    release, files = plan.release, dict(new_entry(plan))
    runs = _runs_of(form.answers)
    artifact = files[release.artifact]
    files |= {release.folder / run.evidence: run.recorded(artifact) for run in runs if run.proven}
    toml = release.folder / "release.toml"
    files[toml] = _completed(files[toml], form, [run.row(artifact) for run in runs])
    entry = release.entry_folder / "entry.toml"
    files[entry] = _owned(files[entry], owner)
    meanings = {(str(toml), "/tested"): _TO_TEST}
    found = todo_items(overlaid(tree, files), release.entry_folder, rules, meanings)
    faults = (_objection(item, release, runs) for item in found if item.severity is ERROR)
    renamed = _renamed_after_runs(plan, files[release.artifact]) if runs else ()
    return Draft(release=release, files=files, objections=(*promises, *renamed, *faults))


def _promises(form: FilledForm) -> Iterator[Objection]:
    label = FIELDS["promises"].label
    for box in form.open["promises"]:
        yield Objection(field=label, message=f"this box is not ticked: {box}")
    if not (form.open["promises"] or form.ticked["promises"]):
        yield Objection(field=label, message="the boxes of the form are missing")


def _plan(
    form: FilledForm, tree: Mapping[PurePosixPath, bytes], rules: RuleTable
) -> tuple[Plan | None, tuple[Objection, ...]]:
    """Return the plan of the entry, or objections if name, class and text do not fit together."""
    entry_class = form.answers["class"].partition(" ")[0].rstrip(":")
    name = form.answers["name"]
    text = form.answers["artifact"]
    plain = entry_class == Format.PROMPT and not is_artifact(text.encode(), "")
    data = None if plain else (text if text.endswith("\n") else f"{text}\n").encode()
    field = "class"
    try:
        require_class(entry_class)
        field = "name"
        require_free_name(tree, entry_class, name, rules)
        field = "artifact"
        if data is not None:
            require_class_of(data, "the text", entry_class, name)
    except UsageError as error:
        return None, (_refusal(field, error),)
    plan = Plan(entry_class=entry_class, name=name, artifact=data, policy=tree.get(POLICY))
    said: dict[str, object] = {
        key: form.answers[key] for key in ("summary", "use_case", "tags", "license", "languages")
    }
    said["license"] = form.answers["license"].partition(" ")[0]
    said["example"] = _verbatim(form.answers["example"])
    if plain:
        said |= {"description": form.answers["summary"], "task": text}
    return replace(plan, answers=answers(said, plan.asked)), ()


def _refusal(field: str, error: UsageError) -> Objection:
    hint = {
        "NAME_TAKEN": "Choose another name, or add a version to your entry in a pull request.",
        "CLASS_DIFFERS": "Choose the class that the text states.",
        "CLASS_UNKNOWN": f"The classes are {', '.join(CLASSES)}.",
    }.get(error.code, error.hint)
    return Objection(field=FIELDS[field].label, message=error.message, hint=hint, code=error.code)


def _verbatim(text: str) -> str:
    """Return `text` as a Markdown code block, with a fence longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _owned(entry_toml: bytes, owner: Owner) -> bytes:
    """Return entry.toml with its one owner."""
    import tomlkit  # noqa: PLC0415 - only where TOML is written

    row = tomlkit.inline_table()
    row.update({"forge": owner.forge, "id": owner.id, "login": owner.login})
    rows = tomlkit.array()
    rows.append(row)
    return _edited(entry_toml, {"owners": rows})


def _completed(release_toml: bytes, form: FilledForm, rows: list[Row]) -> bytes:
    """Return release.toml with limitations, capabilities and the rows of runs."""
    limits = _LIST.sub("", form.answers.get("limitations", "")).splitlines()
    uses = [box.partition(" ")[0].rstrip(":") for box in form.ticked["capabilities"]]
    said: dict[str, object] = {
        "limitations": [line.strip() for line in limits if line.strip()],
        "capabilities": uses,
    }
    return _edited(release_toml, said | {"tested": rows} if rows else said)


def _edited(toml: bytes, said: Mapping[str, object]) -> bytes:
    """Return the TOML file with the new values and without its comments."""
    import tomlkit  # noqa: PLC0415 - only where TOML is written

    return tomlkit.dumps({**tomllib.loads(toml.decode()), **said}).encode()


def _renamed_after_runs(plan: Plan, artifact: bytes) -> tuple[Objection, ...]:
    """Return why test runs of the text do not count, if its name or version had to change."""
    if plan.artifact in (None, artifact):
        return ()
    release = plan.release
    return (
        Objection(
            field=FIELDS["artifact"].label,
            message="it states another name or version, so it is not the text that was run",
            hint=f"Write the name {release.name} and the version {release.version} into it, "
            "and run it again.",
        ),
    )


def _objection(item: TodoItem, release: ReleaseId, runs: tuple[Run, ...]) -> Objection:
    """Return a finding of the check in terms of the form."""
    path = PurePosixPath(item.path)
    parts = split(item.pointer)
    field, where = str(parts[0]) if parts else path.name, ""
    if path == release.artifact:
        field, where = "artifact", f"line {item.line}: "
    elif path.name == "README.md":
        field = "example"
    elif field == "tested":
        row = int(parts[1]) if len(parts) > 1 else 0
        group = runs[row].group if runs else RUNS[0]
        key = str(parts[2]) if len(parts) > 2 else "platform"  # noqa: PLR2004 - /tested/0/date
        field = f"{group}_{'transcript' if key == 'evidence' else key}"
    label = FIELDS[field].label if field in FIELDS else ""
    return Objection(field=label, message=f"{where}{item.message}", hint=item.write, code=item.code)


Row = Mapping[str, str | date]
"""One table of `[[tested]]` in release.toml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The answers about one run; an unanswered field is empty, which the check reports."""

    group: str
    platform: str
    model: str
    day: str
    result: str
    notes: str
    transcript: str

    @property
    def proven(self) -> bool:
        """Tell whether there is a conversation to store."""
        return self.transcript != ""

    @property
    def evidence(self) -> str:
        """Path of the conversation in the version folder; .jsonl unless it cannot be read."""
        jsonl = self._turns or self.transcript.lstrip().startswith("{")
        return f"{EVIDENCE}/{self.group}{'.jsonl' if jsonl else '.txt'}"

    @property
    def _turns(self) -> tuple[Turn, ...]:
        """The turns of a dialogue in plain text; () for JSON and for what cannot be read."""
        read = read_dialogue(self.transcript, limit=MAX_RECORDS)
        return read.turns if read and not self.transcript.lstrip().startswith("{") else ()

    def recorded(self, artifact: bytes) -> bytes:
        """Return the conversation with the run header that the form states, if it has none yet."""
        lines = [{"role": turn.role, "content": turn.content} for turn in self._turns]
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        text = text or self.transcript
        if self.evidence.endswith(".jsonl") and run_header(text) is None:
            row = self.row(artifact)
            keys = ("platform", "model", "date", "sha256", "result")
            run = {HEADER: {key: str(row[key]) for key in keys}}
            text = f"{json.dumps(run, ensure_ascii=False)}\n{text}"
        return text.encode()

    def row(self, artifact: bytes) -> Row:
        """Return the row of [[tested]] for this run of exactly `artifact`."""
        row: dict[str, str | date] = {
            "platform": self.platform,
            "model": self.model,
            "date": _day(self.day),
            "sha256": hashlib.sha256(artifact).hexdigest(),
            "result": self.result,
            "evidence": self.evidence,
        }
        return row | {"notes": self.notes} if self.notes else row


def _runs_of(answers: Mapping[str, str]) -> tuple[Run, ...]:
    """Return the runs with at least one answered field."""
    return tuple(_runs(answers))


def _runs(answers: Mapping[str, str]) -> Iterator[Run]:
    identifiers = {name: key for key, name in PLATFORMS.items()}
    for group in RUNS:
        said = {key: text for key, text in answers.items() if key.startswith(f"{group}_")}
        if said:
            platform = said.get(f"{group}_platform", "")
            transcript = said.get(f"{group}_transcript", "")
            yield Run(
                group=group,
                platform=identifiers.get(platform, platform),
                model=said.get(f"{group}_model", ""),
                day=said.get(f"{group}_date", ""),
                result=said.get(f"{group}_result", ""),
                notes=said.get(f"{group}_notes", ""),
                transcript=f"{transcript}\n" if transcript else "",
            )


def _day(text: str) -> str | date:
    """Return `text` as a date if it is YYYY-MM-DD, else the text, which the check rejects."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text
