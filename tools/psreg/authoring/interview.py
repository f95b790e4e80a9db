"""The answers of an author about a prompt: from the terminal, or from a file.

Questions go to standard error, so that standard output contains only the result.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from psreg.authoring.new import Plan, objections
from psreg.authoring.questions import Question, answers
from psreg.core.errors import UsageError
from psreg.core.rule_table import RuleTable
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


def ask(plan: Plan, console: Console, rules: RuleTable) -> Plan:
    """Ask every question that has no answer yet, and return the plan with the answers.

    An empty line skips a question; after an answer that is not valid, psreg asks again.

    Raises:
        UsageError: `CANCELLED`: the input ended (Ctrl-D).
    """
    open_questions = [question for question in plan.asked if question.key not in plan.answers]
    console.warn(f"{len(open_questions)} questions. Enter skips one; Ctrl-D cancels.")
    for number, question in enumerate(open_questions, 1):
        console.warn("")
        console.warn(f"{number}/{len(open_questions)} {question.key}: {question.meaning}")
        console.warn(f"    for example: {question.example}")
        plan = _asked(question, plan, console, rules)
    return plan


def _asked(question: Question, plan: Plan, console: Console, rules: RuleTable) -> Plan:
    while True:
        try:
            said = input()
        except EOFError:
            raise UsageError("CANCELLED", "cancelled; nothing was written") from None
        except UnicodeDecodeError:
            console.warn("  not valid: the answer is not UTF-8")
            continue
        if not said.strip():
            return plan
        try:
            answer = question.read(said)
            reasons = objections(plan, question.key, answer, rules)
        except ValueError as error:
            reasons = (str(error),)
        if not reasons:
            return plan.with_answer(question.key, answer)
        for reason in reasons:
            console.warn(f"  not valid: {reason}")
        console.warn("  try again, or press Enter to skip:")
