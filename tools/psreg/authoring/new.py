"""The files of a new entry: of templates and answers, or of an artifact that exists.

Nothing is invented: where an author did not answer, a text is empty, and the check says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from psreg.authoring import questions
from psreg.authoring.questions import Answer, Question
from psreg.authoring.rename import readdressed
from psreg.authoring.todo import TO_TEST, Gap, Place, gaps, overlaid
from psreg.compatibility.steps import FIRST, is_legal_step
from psreg.core.diagnostics import ERROR
from psreg.core.identity import Format, ReleaseId
from psreg.core.rule_table import RuleTable
from psreg.core.version import parse_version
from psreg.formats import dotprompt, pbe
from psreg.formats.json.pointer import join
from psreg.formats.layout import stated_version
from psreg.formats.tree import POLICY

FIRST_VERSION = stated_version(None)

_BLANK = re.compile(r"\{\{([a-z0-9_]+)\}\}")


class _Left(NamedTuple):
    """A blank that nobody answered, and the text it is a part of, with `…` in its place."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An entry to write: what it is called, what its author said, and the artifact if there is one.

    `policy` is the registry's policy.toml, by which the entry is judged; `artifact` is None where
    the template of the class is filled in.
    """

    entry_class: str
    name: str
    answers: Mapping[str, Answer] = field(default_factory=dict)
    artifact: bytes | None = None
    policy: bytes | None = None

    @property
    def release(self) -> ReleaseId:
        """The release to write: what the artifact states, if an entry may begin with it.

        Otherwise it is 1.0.0 where the artifact is beyond that, and 0.1.0 everywhere else.
        """
        stated = parse_version(self.stated)
        first = stated if is_legal_step((), stated) else FIRST[stated.major > 0]
        return ReleaseId(entry_class=self.entry_class, name=self.name, version=str(first))

    @property
    def stated(self) -> str:
        """The version that the artifact states, as SemVer; a first one where it states none."""
        if self.artifact is None:
            return FIRST_VERSION
        return stated_version(_version_in(self.artifact, self.entry_class))

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that this entry leaves to ask, answered or not."""
        return questions.questions(self.entry_class, adopted=self.artifact is not None)

    def with_answer(self, key: str, answer: Answer) -> Plan:
        """Return the plan with one more answer."""
        return replace(self, answers={**self.answers, key: answer})


def new_entry(plan: Plan) -> Mapping[PurePosixPath, bytes]:
    """Return the files of the entry by repo-relative path: entry.toml and one version folder."""
    release = plan.release
    artifact = plan.artifact
    if artifact is None:
        artifact = _artifact(plan, release)
    return {
        release.entry_folder / "entry.toml": questions.resource("entry.toml").encode(),
        release.artifact: readdressed(artifact, release),
        release.folder / "release.toml": _release_toml(plan.answers).encode(),
        release.folder / "README.md": _readme(plan).encode(),
    }


def missing(
    plan: Plan, rules: RuleTable, tree: Mapping[PurePosixPath, bytes] | None = None
) -> tuple[Gap, ...]:
    """Return what the check has against the files of the entry, and what to write there.

    `tree` is the registry to judge them in; without one they are judged by themselves.
    """
    if tree is None:
        tree = {} if plan.policy is None else {POLICY: plan.policy}
    files = overlaid(tree, new_entry(plan))
    return gaps(files, plan.release.entry_folder, rules, _meanings(plan))


def objections(plan: Plan, key: str, answer: Answer, rules: RuleTable) -> tuple[str, ...]:
    """Return why `answer` cannot stand: the errors the check would find because of it."""

    def said(judged: Plan) -> set[tuple[str, str]]:
        found = missing(judged, rules)
        return {(gap.message, gap.code) for gap in found if gap.severity is ERROR}

    without = replace(plan, answers={k: v for k, v in plan.answers.items() if k != key})
    new = said(plan.with_answer(key, answer)) - said(without)
    return tuple(sorted(f"{message} [{code}]" for message, code in new))


def title(name: str) -> str:
    """Return an entry's name as a heading: `trip_packer` is `Trip packer`."""
    return name.replace("_", " ").capitalize()


def _version_in(artifact: bytes, entry_class: str) -> str | None:
    if entry_class == Format.PROMPT:
        return dotprompt.read(artifact).metadata.get("version")
    return pbe.read(artifact).version


def _artifact(plan: Plan, release: ReleaseId) -> bytes:
    if release.format is Format.PROMPT:
        return _prompt(plan, release).encode()
    value, _ = _filled(plan, release)
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n".encode()


def _filled(plan: Plan, release: ReleaseId) -> tuple[Any, dict[str, _Left]]:
    """Return the template of the class filled in, and by pointer what nobody answered."""
    given = {**plan.answers, "pbe_name": release.name, "pbe_version": release.version}
    texts = {key: answer for key, answer in given.items() if isinstance(answer, str)}
    left: dict[str, _Left] = {}

    def fill(value: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, str):
            return filled(value, path)
        if isinstance(value, dict):
            names = {key: filled(key, path) for key in value}
            return {name: fill(value[key], (*path, name)) for key, name in names.items()}
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return [text for item in value if (text := filled(item, path))]
        if isinstance(value, list):
            return [fill(item, (*path, index)) for index, item in enumerate(value)]
        return value

    def filled(text: str, path: tuple[str | int, ...]) -> str:
        answered = _BLANK.sub(lambda blank: texts.get(blank[1], "…"), text)
        unanswered = [key for key in _BLANK.findall(text) if key not in texts]
        if unanswered:
            left.setdefault(join(path), _Left(unanswered[0], answered))
        return "" if unanswered else answered

    return fill(questions.template(plan.entry_class), ()), left


def _prompt(plan: Plan, release: ReleaseId) -> str:
    head = [
        "[METADATA]",
        f"@{dotprompt.VERSION_KEY} {dotprompt.SUPPORTED_VERSIONS[-1]}",
        f"@name {title(release.name)}",
        f"@version {release.version}",
    ]
    if description := _said(plan, "description"):
        head.append(f"@description {' '.join(description.split())}")
    body = [text for key in ("task", "task_rules") if (text := _said(plan, key))]
    return "\n".join([*head, "", "[CONTENT]"]) + "\n" + "\n\n".join(body) + "\n" * bool(body)


def _said(plan: Plan, key: str) -> str:
    answer = plan.answers.get(key, "")
    return answer if isinstance(answer, str) else ", ".join(answer)


def _release_toml(answers: Mapping[str, Answer]) -> str:
    import tomlkit  # noqa: PLC0415 - only where a person's TOML is written

    document = tomlkit.parse(questions.resource("release.toml"))
    for key in ("summary", "license", "tags", "languages", "use_case"):
        if key in answers:
            answer = answers[key]
            document[key] = answer if isinstance(answer, str) else list(answer)
    return tomlkit.dumps(document)


def _readme(plan: Plan) -> str:
    parts = [f"# {title(plan.name)}", _said(plan, "summary"), "## Use case"]
    parts += [_said(plan, "use_case"), "## Example"]
    if example := _said(plan, "example"):
        parts += ["*Illustrative, written by hand.*", example]
    return "\n\n".join(part for part in parts if part) + "\n"


def _meanings(plan: Plan) -> dict[Place, str]:
    """Return by place what its author has to write."""
    release = plan.release
    asked = {question.key: question for question in plan.asked}

    def words(key: str, text: str = "…") -> str:
        start = "" if text == "…" else f"“{text}”: "
        return f"{start}{asked[key].meaning} (for instance: {asked[key].example})"

    path = str(release.folder / "release.toml")
    found = {
        (path, f"/{key}"): words(key)
        for key in ("summary", "license", "tags", "languages", "use_case")
    }
    found[path, "/tested"] = TO_TEST
    if plan.artifact is None and release.format is Format.PBE:
        _, left = _filled(plan, release)
        found |= {(str(release.artifact), at): words(*blank) for at, blank in left.items()}
    elif plan.artifact is None and not (_said(plan, "task") or _said(plan, "task_rules")):
        found[str(release.artifact), ""] = words("task")
    return found
