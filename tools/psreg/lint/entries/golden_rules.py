"""The rules about golden cases: values in, exact text out. `path` is set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.excerpt import cropped_pair
from psreg.core.rule import Rule, rule
from psreg.core.spelling import did_you_mean
from psreg.formats import golden
from psreg.formats.golden import GoldenCase
from psreg.formats.json.pointer import join
from psreg.formats.layout import EVIDENCE
from psreg.formats.toml.toml_file import MOST
from psreg.formats.tree import Submission


def _cases(submission: Submission) -> Iterator[tuple[PurePosixPath, GoldenCase]]:
    folder = submission.folder / EVIDENCE
    paths = (
        path
        for path in submission.paths
        if path.name.endswith(golden.SUFFIX) and path.is_relative_to(folder)
    )
    for path, _ in zip(paths, range(MOST), strict=False):
        yield path, GoldenCase(submission.documents.toml(path))


@rule("REG030", spec="registry/GOLDEN", severity=ERROR)
def unreadable_golden_case(submission: Submission) -> Iterator[Finding]:
    """A golden case does not say what goes in and what comes out.

    ## Why
    A golden case is a promise: with these values the prompt is exactly this text. It is run for
    every release, and holds until a major step. A case that cannot be read, or gives values to
    variables that the prompt does not have, promises nothing.

    ## Fix
    Write the text, and below it the values by the names of the variables, all of them as texts.
    The text ends where its last word does: close it there, and not on a line of its own. Only a
    `.prompt` can have golden cases.

    ```toml
    text = '''
    Dear Ana,
    your parcel is on its way.'''

    [values]
    name = "Ana"
    ```
    """
    for path, case in _cases(submission):
        place = str(path)
        for issue in case.tree.issues:
            yield Finding(message=issue.message, at=issue.span, path=place, hint=issue.hint)
        for flaw in case.violations[:MOST]:
            yield Finding(
                message=flaw.message, at=flaw.pointer, key=flaw.key, path=place, hint=flaw.hint
            )
        if submission.prompt is None:
            message = "only a .prompt can have golden cases: a PBE has no values to fill in"
            yield Finding(message=message, path=place, hint="Delete the file.")
        elif submission.prompt.readable:
            yield from _unknown_values(submission, case, place)


def _unknown_values(submission: Submission, case: GoldenCase, path: str) -> Iterator[Finding]:
    prompt = submission.prompt
    known = {v.name for v in prompt.variables} | {*prompt.defaults} if prompt else set()
    for name in list(case.values)[:MOST]:
        if name not in known:
            yield Finding(
                message=f"the prompt has no variable `{name}`",
                at=join(("values", name)),
                key=True,
                path=path,
                hint=did_you_mean(name, sorted(known)) if known else "It has no variables.",
                severity=WARNING,
            )


@rule("REG031", spec="registry/GOLDEN", severity=ERROR)
def golden_case_differs(submission: Submission) -> Iterator[Finding]:
    """The prompt does not render as its golden case says.

    ## Why
    Whoever compares or cuts apart the final text relies on a golden case. If the prompt of the
    same folder already says something else, either the prompt or the case has a slip, and nobody
    can tell which.

    ## Fix
    Correct the one that is wrong. What the prompt renders to now, to the last character, is what
    this prints:

    ```sh
    psreg render pbes/prompt/parcel_note/1.0.0/parcel_note.prompt --set name=Ana
    ```

    In a later version, a golden case of the one before that renders differently is a major
    change.
    """
    prompt = submission.prompt
    if prompt is None or not prompt.readable:
        return
    for path, case in _cases(submission):
        if case.sound and (got := case.rendered(prompt)) != case.expected:
            message, hint = _apart(case.expected, got)
            yield Finding(message=message, at="/text", path=str(path), hint=hint)


def _apart(expected: str, got: str | None) -> tuple[str, str]:
    """Return where two texts begin to differ, and what to do about it."""
    if got is None:
        return "the text is far longer than the case says", "Give shorter values."
    if expected == f"{got}\n":
        hint = "Close the text right after its last word."
        return "the case ends with a line break, and the text does not", hint
    old, new = expected.split("\n"), got.split("\n")
    pairs = enumerate(zip(old, new, strict=False))
    number = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    wanted, found = cropped_pair(*("".join(lines[number : number + 1]) for lines in (old, new)))
    message = f"line {number + 1} of the text: expected “{wanted}”, got “{found}”"
    if number == len(old):
        message = f"the text has {len(new)} lines, and the case expects {number}"
    elif number == len(new):
        message = f"the text has {number} lines, and the case expects {len(old)}"
    return message, "psreg render prints the whole text; correct the prompt or the case."


GOLDEN_RULES: tuple[Rule[Submission], ...] = (unreadable_golden_case, golden_case_differs)
"""The rules about golden cases, judged once per release."""
