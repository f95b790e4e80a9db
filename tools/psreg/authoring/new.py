"""The files of a new entry, from templates and answers, or from an existing artifact.

Nothing is invented: a text without an answer stays empty, and the check reports it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from psreg.authoring import questions
from psreg.authoring.questions import Answer, Question
from psreg.authoring.rename import with_release
from psreg.authoring.todo import TO_TEST, Location, TodoItem, overlaid, todo_items
from psreg.core.classes import Format
from psreg.core.diagnostics import ERROR
from psreg.core.errors import UsageError
from psreg.core.identity import ReleaseId
from psreg.core.rule import RuleTable
from psreg.core.version import FIRST, is_legal_step, parse_version
from psreg.formats import dotprompt, pbe, pbe_templates
from psreg.formats.json.pointer import join
from psreg.formats.layout import stated_version
from psreg.formats.pbe_templates import BLANK
from psreg.formats.tree import POLICY

FIRST_VERSION = stated_version(None)


_TAG_OR_LANGUAGE = "REG022"


class _Unanswered(NamedTuple):
    """A blank without an answer, and the text that contains it, with `…` in its place."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An entry to write: its class and name, the author's answers, and the artifact if it exists.

    `policy` is the registry's policy.toml, by which the entry is checked; if `artifact` is None,
    the template of the class is used. `origin` is where an imported prompt is from.
    """

    entry_class: str
    name: str
    answers: Mapping[str, Answer] = field(default_factory=dict)
    artifact: bytes | None = None
    policy: bytes | None = None
    origin: Mapping[str, str] = field(default_factory=dict)

    @property
    def release(self) -> ReleaseId:
        """The release to write: the version in the artifact, if it is allowed as a first version.

        Otherwise it is 1.0.0 if the artifact states a higher version, and 0.1.0 if not.
        """
        stated = parse_version(self.stated)
        first = stated if is_legal_step((), stated) else FIRST[stated.major > 0]
        return ReleaseId(entry_class=self.entry_class, name=self.name, version=str(first))

    @property
    def stated(self) -> str:
        """The version that the artifact states, as SemVer; a first version if it states none."""
        if self.artifact is None:
            return FIRST_VERSION
        return stated_version(_version_in(self.artifact, self.entry_class))

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions for this entry, answered or not."""
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
        release.artifact: with_release(artifact, release),
        release.folder / "release.toml": _release_toml(plan).encode(),
        release.folder / "README.md": _readme(plan).encode(),
    }


def plain_text(data: bytes, path: str) -> str:
    """Return the text of a file that becomes the CONTENT of a `.prompt`.

    Raises:
        UsageError: `UNKNOWN_FORMAT`: the file is empty or not UTF-8.
    """
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = ""
    if not text:
        raise UsageError("UNKNOWN_FORMAT", f"`{path}` is not a text in UTF-8", "Save it as UTF-8.")
    return text.replace("\r\n", "\n")


def changes_of_plain_text(plan: Plan) -> Iterator[str]:
    """Yield what the `.prompt` of a plan understands differently than its plain text says."""
    prompt = dotprompt.read(_prompt(plan, plan.release).encode())
    text = _answer(plan, "task")
    if names := [variable.name for variable in prompt.variables]:
        yield f"these are variables now: {', '.join(names)}; double the braces if they are not"
    if not prompt.readable or dotprompt.render(prompt, {}).text != text:
        yield "comments `(% … %)`, doubled braces or section headers are not sent as written"


def missing(
    plan: Plan, rules: RuleTable, tree: Mapping[PurePosixPath, bytes] | None = None
) -> tuple[TodoItem, ...]:
    """Return what the check reports for the files of the entry, and what to write there.

    `tree` is the registry to check them in; without one they are checked alone.
    """
    if tree is None:
        tree = {} if plan.policy is None else {POLICY: plan.policy}
    files = overlaid(tree, new_entry(plan))
    return todo_items(files, plan.release.entry_folder, rules, _meanings(plan))


def objections(plan: Plan, key: str, answer: Answer, rules: RuleTable) -> tuple[str, ...]:
    """Return why `answer` is not valid: what the check reports because of it.

    These are errors, and words that are not in the form of a tag or a language.
    """

    def errors(plan: Plan) -> set[tuple[str, str]]:
        found = missing(plan, rules)
        return {
            (item.message, item.code)
            for item in found
            if item.severity is ERROR or item.code == _TAG_OR_LANGUAGE
        }

    without = replace(plan, answers={k: v for k, v in plan.answers.items() if k != key})
    new = errors(plan.with_answer(key, answer)) - errors(without)
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


def _filled(plan: Plan, release: ReleaseId) -> tuple[Any, dict[str, _Unanswered]]:
    """Return the filled-in template of the class, and the unanswered blanks by pointer."""
    given = {**plan.answers, "pbe_name": release.name, "pbe_version": release.version}
    texts = {key: answer for key, answer in given.items() if isinstance(answer, str)}
    left: dict[str, _Unanswered] = {}

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
        answered = BLANK.sub(lambda blank: texts.get(blank[1], "…"), text)
        unanswered = [key for key in BLANK.findall(text) if key not in texts]
        if unanswered:
            left.setdefault(join(path), _Unanswered(unanswered[0], answered))
        return "" if unanswered else answered

    return fill(pbe_templates.template(plan.entry_class), ()), left


def _prompt(plan: Plan, release: ReleaseId) -> str:
    head = [
        "[METADATA]",
        f"@{dotprompt.VERSION_KEY} {dotprompt.SUPPORTED_VERSIONS[-1]}",
        f"@name {title(release.name)}",
        f"@version {release.version}",
    ]
    if description := _answer(plan, "description"):
        head.append(f"@description {' '.join(description.split())}")
    body = [text for key in ("task", "task_rules") if (text := _answer(plan, key))]
    return "\n".join([*head, "", "[CONTENT]"]) + "\n" + "\n\n".join(body) + "\n" * bool(body)


def _answer(plan: Plan, key: str) -> str:
    answer = plan.answers.get(key, "")
    return answer if isinstance(answer, str) else ", ".join(answer)


_ANSWERED = frozenset(("summary", "license", "tags", "languages", "use_case"))
"""The keys of release.toml that a person answers, each in a line of the template."""


def _release_toml(plan: Plan) -> str:
    lines = []
    # NOTE: to parse the template takes longer than everything else of an imported entry.
    for line in questions.resource("release.toml").splitlines():
        key = line.partition(" ")[0]
        answered = key in _ANSWERED and key in plan.answers
        lines.append(f"{key} = {_as_toml(plan.answers[key])}" if answered else line)
    if plan.origin:
        lines += ["", "[origin]"]
        lines += [f"{key} = {_as_toml(said)}" for key, said in plan.origin.items()]
    return "\n".join(lines) + "\n"


def _as_toml(answer: Answer) -> str:
    import tomlkit  # noqa: PLC0415 - only where a person's TOML is written

    return tomlkit.item(answer if isinstance(answer, str) else list(answer)).as_string()


def _readme(plan: Plan) -> str:
    parts = [f"# {title(plan.name)}", _answer(plan, "summary"), "## Use case"]
    parts += [_answer(plan, "use_case"), "## Example"]
    if example := _answer(plan, "example"):
        parts += ["*Illustrative, written by hand.*", example]
    return "\n\n".join(part for part in parts if part) + "\n"


def _meanings(plan: Plan) -> dict[Location, str]:
    """Return what the author has to write, by location."""
    release = plan.release
    asked = {question.key: question for question in plan.asked}

    def words(key: str, text: str = "…") -> str:
        start = "" if text == "…" else f"“{text}”: "
        return f"{start}{asked[key].meaning} (for example: {asked[key].example})"

    path = str(release.folder / "release.toml")
    found = {
        (path, f"/{key}"): words(key)
        for key in ("summary", "license", "tags", "languages", "use_case")
    }
    found[path, "/tested"] = TO_TEST
    if plan.artifact is None and release.format is Format.PBE:
        _, left = _filled(plan, release)
        found |= {(str(release.artifact), at): words(*blank) for at, blank in left.items()}
    elif plan.artifact is None and not (_answer(plan, "task") or _answer(plan, "task_rules")):
        found[str(release.artifact), ""] = words("task")
    return found
