"""The answers of an author about a prompt: from the terminal, or from a file.

Questions go to standard error, so that standard output contains only the result.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from psreg.authoring.new import Plan, objections
from psreg.authoring.questions import Answer, Question, answers
from psreg.core.errors import UsageError
from psreg.core.rule import RuleTable
from psreg.system.atomic import write_file
from psreg.system.console import Console
from psreg.system.files import read_named


def answers_of(file: Path, plan: Plan, rules: RuleTable) -> Plan:
    """Return the plan with the answers in a TOML or JSON file.

    Raises:
        UsageError: `ANSWERS`: the file is neither, a key is unknown, or an answer is not valid.
        UnavailableError: the file cannot be read.
    """
    said = _table(file)
    try:
        found = answers(said, plan.asked)
    except ValueError as error:
        faults = str(error).split("\n")
        raise UsageError("ANSWERS", f"{file}:", _keys(plan), tuple(faults)) from error
    faults = []
    for key, answer in found.items():
        faults += [f"`{key}`: {reason}" for reason in objections(plan, key, answer, rules)]
        plan = plan.with_answer(key, answer)
    if faults:
        hint = "Correct these answers; nothing was written."
        raise UsageError("ANSWERS", f"{file}:", hint, tuple(faults))
    return plan


def _keys(plan: Plan) -> str:
    return f"The known keys are {', '.join(question.key for question in plan.asked)}."


def _table(file: Path) -> dict[str, Any]:
    data = read_named(file)
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("ANSWERS", f"`{file}` is neither TOML nor JSON: {error}") from error
    table: dict[str, Any] = value  # JSON that starts with { is an object, and TOML is a table
    return table


_REFUSED = "not valid"
"""The member of the file with the answers that were not valid."""

BACK = "<"
"""What a person types to return to the previous question."""


def unfinished_interview(root: Path, plan: Plan) -> Path:
    """Return the file in the checkout `root` that keeps the answers until the entry is written."""
    return root / f"psreg-new-{plan.name}.json"


def ask(plan: Plan, console: Console, rules: RuleTable, file: Path) -> Plan:
    """Ask every question that has no answer yet, and return the plan with the answers.

    An empty line skips a question or keeps its answer, `<` goes back to the previous one; after an
    answer that is not valid, psreg asks again, with that answer to edit. Each answer is kept in
    `file` at once, valid or not, and those of an interview that was not finished are taken from
    there.

    Raises:
        UsageError: `CANCELLED`: the input ended (Ctrl-D). `ANSWERS`: `file` is damaged.
        UnavailableError: the file cannot be written.
    """
    asked = [question for question in plan.asked if question.key not in plan.answers]
    console.note(f"{len(asked)} questions. Enter skips one; {BACK} goes back to the one before.")
    console.note("Ctrl-D stops; the same command continues later.")
    refused: dict[str, str] = {}
    plan = _resumed(file, plan, console, refused)
    at = next((n for n, question in enumerate(asked) if question.key not in plan.answers), 0)
    while at < len(asked):
        question = asked[at]
        _show(question, f"{at + 1}/{len(asked)}", plan, console)
        try:
            said = _typed(refused.get(question.key, ""), console)
        except EOFError:
            raise _cancelled(plan, file) from None
        except UnicodeDecodeError:
            console.warn(f"  {question.key} is not valid: the answer is not UTF-8")
            continue
        if said and said != BACK:
            refused.pop(question.key, None)
            plan, reasons = _answered(plan, question, said, rules)
            refused |= dict.fromkeys([question.key] if reasons else [], said)
            _keep(file, plan, refused)
            for reason in reasons:
                console.warn(f"  {question.key} is not valid: {reason}")
            if reasons:
                continue
        at = max(0, at - 1) if said == BACK else at + 1
    for key, said in refused.items():
        console.warn(f"psreg: warning: not used: {key}: {said}")
    return plan


def _show(question: Question, number: str, plan: Plan, console: Console) -> None:
    console.note("")
    console.note(f"{number} {question.key}: {question.meaning}")
    console.note(f"    for example: {question.example}")
    if question.key in plan.answers:
        console.note(f"    your answer: {_shown(plan.answers[question.key])}")


def _answered(
    plan: Plan, question: Question, said: str, rules: RuleTable
) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with the answer, or the same plan and why the answer is not valid."""
    try:
        answer = question.read(said)
    except ValueError as error:
        return plan, (str(error),)
    reasons = objections(plan, question.key, answer, rules)
    return (plan, reasons) if reasons else (plan.with_answer(question.key, answer), ())


def _typed(refused: str, console: Console) -> str:
    """Return the next line; on a terminal, a `refused` answer is in it, to be edited."""
    if not refused:
        return input().strip()
    console.note("    Correct your answer, or enter an empty line to skip the question:")
    try:
        import readline  # noqa: PLC0415 - not every system has it
    except ImportError:  # pragma: no cover - Windows
        console.note(f"    your answer: {refused}")
        return input().strip()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        console.note(f"    your answer: {refused}")
    readline.set_startup_hook(lambda: readline.insert_text(refused))
    try:
        return input().strip()
    finally:
        readline.set_startup_hook()


def _keep(file: Path, plan: Plan, refused: Mapping[str, str]) -> None:
    kept = {**plan.answers, **({_REFUSED: refused} if refused else {})}
    write_file(file, f"{json.dumps(kept, ensure_ascii=False, indent=2)}\n".encode(errors="replace"))


def _resumed(file: Path, plan: Plan, console: Console, refused: dict[str, str]) -> Plan:
    """Return the plan with the answers of an interview that was not finished, if there was one.

    Answers that were not valid are put into `refused`.
    """
    if not file.is_file():
        return plan
    asked = {question.key for question in plan.asked} - plan.answers.keys()
    table = _table(file)
    said = {key: value for key, value in table.items() if key in asked}
    before = table.get(_REFUSED)
    if isinstance(before, dict):
        refused.update((k, v) for k, v in before.items() if k in asked and isinstance(v, str))
    try:
        found = answers(said, plan.asked)
    except ValueError as error:
        hint = "Delete the file to start again."
        raise UsageError("ANSWERS", f"{file}: {error}", hint) from error
    console.note(f"continuing with {len(found)} answers in {file}; delete it to start again")
    for key, answer in found.items():
        plan = plan.with_answer(key, answer)
    return plan


def _shown(answer: Answer) -> str:
    return answer if isinstance(answer, str) else ", ".join(answer)


def _cancelled(plan: Plan, file: Path) -> UsageError:
    if not file.is_file():
        return UsageError("CANCELLED", "cancelled; nothing was written")
    return UsageError(
        "CANCELLED",
        f"stopped; no entry was written, and your answers are in {file}",
        f"Run `psreg new {plan.entry_class} {plan.name} --guided` to continue.",
    )
