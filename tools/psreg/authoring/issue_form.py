"""The form "Submit a prompt": what its fields are called, and reading the issue it leaves behind.

A forge writes the body of such an issue as one heading `### <label>` per field, in the order of
the form, each followed by the answer. Answers are a stranger's text: every label must stand as a
heading exactly once, so that no answer can pass for the next field. Nothing here acts on an answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

MAX_BODY = 65_536
"""Characters that an issue on GitHub may have; more were not written in the form."""

NO_ANSWER = ("_No response_", "None")
"""What the forge writes where nothing was filled in or chosen."""

RUNS = ("run_1", "run_2")
"""The groups of fields about one test run each."""

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
    """A field of the form: its id in the form's file, its label there, how it is answered."""

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
    """Why a submission cannot go on: where, as the form calls it, what, and what to do."""

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
    """What an issue says: an answer by the id of its field, as text, unanswered ones left out.

    `ticked` and `open` are the boxes of the fields that have some. With objections, the answers
    are not to be used.
    """

    answers: Mapping[str, str]
    ticked: Mapping[str, tuple[str, ...]]
    open: Mapping[str, tuple[str, ...]]
    objections: tuple[Objection, ...] = ()


def read_issue(body: str) -> FilledForm:
    """Read the body of an issue; never raises for what somebody wrote into it."""
    text = re.sub(r"\r\n?", "\n", body)
    if len(text) > MAX_BODY:
        return _refused(Objection(field="", message=f"the issue has more than {MAX_BODY} letters"))
    if not _is_unicode(text):
        return _refused(Objection(field="", message="the issue holds bytes that are not UTF-8"))
    lines = text.split("\n")
    places = [_places(lines, field) for field in FORM]
    faults = [_misplaced(field, found) for field, found in zip(FORM, places, strict=True)]
    if objections := tuple(fault for fault in faults if fault is not None):
        return _refused(*objections)
    starts = [found[0] for found in places]
    if starts != sorted(starts):
        return _refused(
            Objection(
                field="",
                message="the fields are not in the order of the form",
                hint="Open a new issue with the form; this one was rearranged.",
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


def _places(lines: list[str], field: Field) -> list[int]:
    return [number for number, line in enumerate(lines) if line.rstrip() == field.heading]


def _misplaced(field: Field, found: list[int]) -> Objection | None:
    """Return why it is not clear where the answer to `field` is, if it is not."""
    if len(found) == 1:
        return None
    if found:
        message = f"the line “{field.heading}” is there {len(found)} times"
        hint = "It is the form's own heading: reword that line in your answer."
        return Objection(field=field.label, message=message, hint=hint)
    hint = "Open a new issue with the form; headings of this one were removed or changed."
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
            objections.append(Objection(field=field.label, message="this is not answered"))
    return FilledForm(answers=answers, ticked=ticked, open=unticked, objections=tuple(objections))


def _answer(field: Field, text: str) -> str:
    """Return what was written, without the fence that the forge put around it; "" if nothing."""
    text = text.strip("\n")
    if field.kind is not Kind.CODE:
        text = text.strip()
    elif (fence := _FENCE.match(text)) and text.rstrip().endswith(f"\n{fence[1]}"):
        text = text.rstrip()[fence.end() + 1 : -len(fence[1])].removesuffix("\n")
    return "" if text.strip() in ("", *NO_ANSWER) else text
