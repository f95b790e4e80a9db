"""The form "Submit a prompt": its fields, and how to read an issue that was created with it.

A forge writes the body of such an issue as one heading `### <label>` per field, in the order of
the form, each followed by the answer. Answers are untrusted: every label must occur as a heading
exactly once, so that no answer can imitate another field. Nothing here executes an answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

MAX_BODY = 65_536
"""The most characters of an issue on GitHub."""

NO_ANSWER = ("_No response_", "None")
"""What the forge writes for a field that is empty or not chosen."""

RUNS = ("run_1", "run_2")
"""The groups of fields, each about one test run."""

_FENCE = re.compile(r"(`{3,}|~{3,})[^\n`]*")
_BOX = re.compile(r"- \[([ xX])\] (.*)")


class Kind(Enum):
    """How a field is answered: one line or a paragraph, fenced text, a choice, boxes to tick."""

    TEXT = auto()
    CODE = auto()
    CHOICE = auto()
    BOXES = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form: its id and label in the form's file, and its kind of answer."""

    id: str
    label: str
    kind: Kind = Kind.TEXT
    required: bool = False

    @property
    def heading(self) -> str:
        """The line above the answer."""
        return f"### {self.label}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """A reason to reject a submission: the field of the form, a message and a hint."""

    field: str
    message: str
    hint: str = ""
    code: str = ""


def _run(group: str, title: str) -> tuple[Field, ...]:
    return (
        Field(f"{group}_platform", f"{title}: platform", Kind.CHOICE),
        Field(f"{group}_model", f"{title}: model"),
        Field(f"{group}_date", f"{title}: date"),
        Field(f"{group}_result", f"{title}: result", Kind.CHOICE),
        Field(f"{group}_notes", f"{title}: what did not work"),
        Field(f"{group}_transcript", f"{title}: the conversation", Kind.CODE),
    )


FORM: tuple[Field, ...] = (
    Field("name", "Name of the prompt", required=True),
    Field("class", "Class of the prompt", Kind.CHOICE, required=True),
    Field("artifact", "Text of the prompt", Kind.CODE, required=True),
    Field("summary", "Summary in one sentence", required=True),
    Field("use_case", "When to reach for it", required=True),
    Field("example", "Example of what comes out", Kind.CODE, required=True),
    Field("tags", "Tags to find it by", required=True),
    Field("license", "Licence of the prompt", Kind.CHOICE, required=True),
    Field("languages", "Languages it is written for", required=True),
    Field("limitations", "Known limitations"),
    Field("capabilities", "What the text asks the assistant to use", Kind.BOXES),
    *_run("run_1", "First test run"),
    *_run("run_2", "Second test run"),
    Field("promises", "Before you submit", Kind.BOXES, required=True),
)
"""The fields of `.github/ISSUE_TEMPLATE/submit-a-prompt.yml`, in its order."""

FIELDS: Mapping[str, Field] = MappingProxyType({field.id: field for field in FORM})


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledForm:
    """The content of an issue: the answers as text by the id of their field, if answered.

    `ticked` and `open` are the boxes of the fields that have some. If there are objections, do not
    use the answers.
    """

    answers: Mapping[str, str]
    ticked: Mapping[str, tuple[str, ...]]
    open: Mapping[str, tuple[str, ...]]
    objections: tuple[Objection, ...] = ()


def read_issue(body: str) -> FilledForm:
    """Read the body of an issue; never raises, whatever its content."""
    text = re.sub(r"\r\n?", "\n", body)
    if len(text) > MAX_BODY:
        message = f"the issue has more than {MAX_BODY:,} characters"
        return _refused(Objection(field="", message=message))
    if not _is_unicode(text):
        return _refused(Objection(field="", message="the issue contains bytes that are not UTF-8"))
    lines = text.split("\n")
    headings = [_heading_lines(lines, field) for field in FORM]
    faults = [_heading_fault(field, found) for field, found in zip(FORM, headings, strict=True)]
    if objections := tuple(fault for fault in faults if fault is not None):
        return _refused(*objections)
    starts = [found[0] for found in headings]
    if starts != sorted(starts):
        return _refused(
            Objection(
                field="",
                message="the fields are not in the order of the form",
                hint="Open a new issue with the form.",
            )
        )
    return _filled(lines, starts)


def _refused(*objections: Objection) -> FilledForm:
    return FilledForm(answers={}, ticked={}, open={}, objections=objections)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _heading_lines(lines: list[str], field: Field) -> list[int]:
    return [number for number, line in enumerate(lines) if line.rstrip() == field.heading]


def _heading_fault(field: Field, found: list[int]) -> Objection | None:
    """Return an objection unless `field` has exactly one heading."""
    if len(found) == 1:
        return None
    if found:
        message = f"the line “{field.heading}” occurs {len(found)} times"
        hint = "Change that line in your answer; it is a heading of the form."
        return Objection(field=field.label, message=message, hint=hint)
    hint = "Open a new issue with the form, and do not change its headings."
    return Objection(field=field.label, message=f"the line “{field.heading}” is missing", hint=hint)


def _filled(lines: list[str], starts: list[int]) -> FilledForm:
    answers: dict[str, str] = {}
    ticked: dict[str, tuple[str, ...]] = {}
    unticked: dict[str, tuple[str, ...]] = {}
    objections = []
    for field, start, end in zip(FORM, starts, [*starts[1:], len(lines)], strict=True):
        part = lines[start + 1 : end]
        if field.kind is Kind.BOXES:
            boxes = [box for line in part if (box := _BOX.fullmatch(line.strip()))]
            ticked[field.id] = tuple(box[2] for box in boxes if box[1] != " ")
            unticked[field.id] = tuple(box[2] for box in boxes if box[1] == " ")
        elif answer := _answer(field, "\n".join(part)):
            answers[field.id] = answer
        elif field.required:
            objections.append(Objection(field=field.label, message="the field is empty"))
    return FilledForm(answers=answers, ticked=ticked, open=unticked, objections=tuple(objections))


def _answer(field: Field, text: str) -> str:
    """Return the answer without the fence that the forge puts around it; "" if none."""
    text = text.strip("\n")
    if field.kind is not Kind.CODE:
        text = text.strip()
    elif (fence := _FENCE.match(text)) and text.rstrip().endswith(f"\n{fence[1]}"):
        text = text.rstrip()[fence.end() + 1 : -len(fence[1])].removesuffix("\n")
    return "" if text.strip() in ("", *NO_ANSWER) else text
