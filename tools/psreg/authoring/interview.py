"""Asking an author about a prompt: in the terminal, or by a file of answers.

Questions go to standard error, so that standard output stays the result's.
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
        UsageError: `ANSWERS`: the file is neither, a key answers nothing, an answer cannot stand.
        UnavailableError: it cannot be read.
    """
    said = _table(file)
    try:
        found = answers(said, plan.asked)
    except ValueError as error:
        raise UsageError("ANSWERS", f"{file}: {error}", _keys(plan)) from error
    faults = []
    for key, answer in found.items():
        faults += [f"`{key}`: {reason}" for reason in objections(plan, key, answer, rules)]
        plan = plan.with_answer(key, answer)
    if faults:
        raise UsageError("ANSWERS", f"{file}: " + "\n".join(faults), "nothing was written")
    return plan


def _keys(plan: Plan) -> str:
    return f"the questions are {', '.join(question.key for question in plan.asked)}"


def _table(file: Path) -> dict[str, Any]:
    data = read_named(file)
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("ANSWERS", f"{file} is neither TOML nor JSON: {error}") from error
    table: dict[str, Any] = value  # what starts with { is an object, and TOML is a table
    return table


def ask(plan: Plan, console: Console, rules: RuleTable) -> Plan:
    """Ask for everything that has no answer yet and return the plan with what was said.

    An empty line leaves a question open; an answer that cannot stand is asked for again.

    Raises:
        UsageError: `CANCELLED`: the input ended (Ctrl-D).
    """
    open_questions = [question for question in plan.asked if question.key not in plan.answers]
    console.warn(f"{len(open_questions)} questions. Enter leaves one open; Ctrl-D ends, unwritten.")
    for number, question in enumerate(open_questions, 1):
        console.warn("")
        console.warn(f"{number}/{len(open_questions)} {question.key}: {question.meaning}")
        console.warn(f"    for instance: {question.example}")
        plan = _asked(question, plan, console, rules)
    return plan


def _asked(question: Question, plan: Plan, console: Console, rules: RuleTable) -> Plan:
    while True:
        try:
            said = input()
        except EOFError:
            raise UsageError("CANCELLED", "the answers ended; nothing was written") from None
        except UnicodeDecodeError:
            console.warn("  not so: this is not UTF-8")
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
            console.warn(f"  not so: {reason}")
        console.warn("  once more, or Enter to leave it open:")
