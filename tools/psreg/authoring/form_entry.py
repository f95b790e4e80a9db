"""An entry made of a filled-in form: the same files that `psreg new` writes, and their owner.

An answer becomes the content of a file and nothing else: the name and the class are accepted only
if they follow the grammar, and every path is made of those two and a version.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from psreg.authoring.form_runs import Row, Run, runs_of
from psreg.authoring.issue_form import FIELDS, RUNS, FilledForm, Objection
from psreg.authoring.naming import require_class, require_class_of, require_free_name
from psreg.authoring.new import Plan, new_entry
from psreg.authoring.questions import answers
from psreg.authoring.todo import Gap, gaps, overlaid
from psreg.core.diagnostics import ERROR
from psreg.core.errors import UsageError
from psreg.core.identity import CLASSES, Format, ReleaseId, detect_format
from psreg.core.rule_table import RuleTable
from psreg.formats.json import json_document
from psreg.formats.json.pointer import split
from psreg.formats.tree import POLICY

_TO_TEST = "Run exactly this text on two platforms and fill in both test runs of the form."
_LIST = re.compile(r"^\s*[-*•]\s+", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The account that filled the form in: the forge, its numeric id and its present login."""

    forge: str
    id: int
    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a form leads to: the files of an entry, and why it cannot be submitted, if so.

    `release` is None and `files` are empty where it is not even clear what it would be called.
    """

    objections: tuple[Objection, ...]
    release: ReleaseId | None = None
    files: Mapping[PurePosixPath, bytes]


def draft(
    form: FilledForm, tree: Mapping[PurePosixPath, bytes], owner: Owner, rules: RuleTable
) -> Draft:
    """Return the entry that `form` describes, judged as a part of the registry `tree`."""
    if form.objections:
        return Draft(objections=form.objections, files={})
    promises = tuple(_promises(form))
    plan, refused = _plan(form, tree, rules)
    if plan is None:
        return Draft(objections=(*promises, *refused), files={})
    release, files = plan.release, dict(new_entry(plan))
    runs = runs_of(form.answers)
    files |= {release.folder / run.evidence: run.transcript.encode() for run in runs if run.proven}
    toml = release.folder / "release.toml"
    files[toml] = _completed(files[toml], form, [run.row(files[release.artifact]) for run in runs])
    entry = release.entry_folder / "entry.toml"
    files[entry] = _owned(files[entry], owner)
    meanings = {(str(toml), "/tested"): _TO_TEST}
    found = gaps(overlaid(tree, files), release.entry_folder, rules, meanings)
    faults = (_objection(gap, release, runs) for gap in found if gap.severity is ERROR)
    renamed = _renamed_after_runs(plan, files[release.artifact]) if runs else ()
    return Draft(release=release, files=files, objections=(*promises, *renamed, *faults))


def _promises(form: FilledForm) -> Iterator[Objection]:
    label = FIELDS["promises"].label
    for box in form.open["promises"]:
        yield Objection(field=label, message=f"this box is not ticked: {box}")
    if not (form.open["promises"] or form.ticked["promises"]):
        yield Objection(field=label, message="the boxes of the form are gone")


def _plan(
    form: FilledForm, tree: Mapping[PurePosixPath, bytes], rules: RuleTable
) -> tuple[Plan | None, tuple[Objection, ...]]:
    """Return what to write, unless name, class and text do not go together."""
    entry_class = form.answers["class"].partition(" ")[0].rstrip(":")
    name = form.answers["name"]
    text = form.answers["artifact"]
    plain = entry_class == Format.PROMPT and not _is_artifact(text)
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


def _is_artifact(text: str) -> bool:
    """Tell whether `text` is a PBE or a .prompt, and not a mere text that begins like one."""
    form = detect_format("", text)
    if form is Format.PBE:
        return isinstance(json_document.parse(text.encode()).value, dict)
    return form is Format.PROMPT


def _refusal(field: str, error: UsageError) -> Objection:
    hint = {
        "NAME_TAKEN": "Choose another name, or add a version to your entry in a pull request.",
        "CLASS_DIFFERS": "Choose the class that the text states.",
        "CLASS_UNKNOWN": f"The classes are {', '.join(CLASSES)}.",
    }.get(error.code, error.hint)
    return Objection(field=FIELDS[field].label, message=error.message, hint=hint, code=error.code)


def _verbatim(text: str) -> str:
    """Return Markdown that shows `text` as it stands: in a fence longer than any in it."""
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
    """Return the TOML file with what was said, and without what it says to its author."""
    import tomlkit  # noqa: PLC0415 - only where TOML is written

    return tomlkit.dumps({**tomllib.loads(toml.decode()), **said}).encode()


def _renamed_after_runs(plan: Plan, artifact: bytes) -> tuple[Objection, ...]:
    """Return why runs of the text do not count, if name or version had to be put into it."""
    if plan.artifact in (None, artifact):
        return ()
    release = plan.release
    return (
        Objection(
            field=FIELDS["artifact"].label,
            message="it says another name or version than it will have, so it is not what was run",
            hint=f"Let it say {release.name} and {release.version} before you run it.",
        ),
    )


def _objection(gap: Gap, release: ReleaseId, runs: tuple[Run, ...]) -> Objection:
    """Return a finding of the check in terms of the form."""
    path = PurePosixPath(gap.path)
    parts = split(gap.pointer)
    field, where = str(parts[0]) if parts else path.name, ""
    if path == release.artifact:
        field, where = "artifact", f"line {gap.line}: "
    elif path.name == "README.md":
        field = "example"
    elif field == "tested":
        row = int(parts[1]) if len(parts) > 1 else 0
        group = runs[row].group if runs else RUNS[0]
        key = str(parts[2]) if len(parts) > 2 else "platform"  # noqa: PLR2004 - /tested/0/date
        field = f"{group}_{'transcript' if key == 'evidence' else key}"
    label = FIELDS[field].label if field in FIELDS else ""
    return Objection(field=label, message=f"{where}{gap.message}", hint=gap.write, code=gap.code)
