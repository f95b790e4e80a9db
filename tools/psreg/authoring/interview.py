"""The answers of an author about a prompt: from the terminal, or from a file.

Questions go to standard error, so that standard output contains only the result.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from psreg.authoring.new import Plan, objections
from psreg.authoring.questions import Answer, Question, answers
from psreg.core.errors import UsageError
from psreg.core.rule_table import RuleTable
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


BACK = "<"
"""What a person types to return to the previous question."""


def unfinished_interview(root: Path, plan: Plan) -> Path:
    """Return the file in the checkout `root` that keeps the answers until the entry is written."""
    return root / f"psreg-new-{plan.name}.json"


def ask(plan: Plan, console: Console, rules: RuleTable, file: Path) -> Plan:
    """Ask every question that has no answer yet, and return the plan with the answers.

    An empty line skips a question or keeps its answer, `<` goes back to the previous one; after an
    answer that is not valid, psreg asks again. Each answer is kept in `file` at once, and those of
    an interview that was not finished are taken from there.

    Raises:
        UsageError: `CANCELLED`: the input ended (Ctrl-D). `ANSWERS`: `file` is damaged.
        UnavailableError: the file cannot be written.
    """
    asked = [question for question in plan.asked if question.key not in plan.answers]
    console.note(f"{len(asked)} questions. Enter skips one; {BACK} goes back to the one before.")
    console.note("Ctrl-D stops; the same command continues later.")
    plan = _resumed(file, plan, console)
    at = next((n for n, question in enumerate(asked) if question.key not in plan.answers), 0)
    while at < len(asked):
        question = asked[at]
        console.note("")
        console.warn(f"{at + 1}/{len(asked)} {question.key}: {question.meaning}")
        console.note(f"    for example: {question.example}")
        if question.key in plan.answers:
            console.warn(f"    your answer: {_shown(plan.answers[question.key])}")
        answer = _answer(question, plan, console, rules, file)
        if answer == BACK:
            at = max(0, at - 1)
            continue
        if answer:
            plan = plan.with_answer(question.key, answer)
            kept = json.dumps(plan.answers, ensure_ascii=False, indent=2)
            write_file(file, f"{kept}\n".encode())
        at += 1
    return plan


def _resumed(file: Path, plan: Plan, console: Console) -> Plan:
    """Return the plan with the answers of an interview that was not finished, if there was one."""
    if not file.is_file():
        return plan
    asked = {question.key for question in plan.asked} - plan.answers.keys()
    said = {key: value for key, value in _table(file).items() if key in asked}
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


def _answer(
    question: Question, plan: Plan, console: Console, rules: RuleTable, file: Path
) -> Answer | None:
    """Return a valid answer, `BACK`, or None if the question is skipped."""
    while True:
        try:
            said = input()
        except EOFError:
            raise _cancelled(plan, file) from None
        except UnicodeDecodeError:
            console.warn("  not valid: the answer is not UTF-8")
            continue
        if not said.strip() or said.strip() == BACK:
            return said.strip() or None
        try:
            answer = question.read(said)
            reasons = objections(plan, question.key, answer, rules)
        except ValueError as error:
            reasons = (str(error),)
        if not reasons:
            return answer
        for reason in reasons:
            console.warn(f"  not valid: {reason}")
        console.warn("  try again, or press Enter to skip:")


def _cancelled(plan: Plan, file: Path) -> UsageError:
    if not file.is_file():
        return UsageError("CANCELLED", "cancelled; nothing was written")
    return UsageError(
        "CANCELLED",
        f"stopped; no entry was written, and your answers are in {file}",
        f"Run `psreg new {plan.entry_class} {plan.name} --guided` to continue.",
    )
