"""The questions of `psreg new`: the blanks of the PBE Creator Tool, and those for other files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from psreg.core.classes import Format, format_of_class
from psreg.core.spelling import did_you_mean
from psreg.formats.pbe_templates import blanks, blanks_in, template

Answer = str | tuple[str, ...]
"""The answer of an author: a text, or several words if the question asks for a list."""

_GIVEN = ("pbe_name", "pbe_version")
"""Blanks that are filled from the folder names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question about a prompt; `several` asks for a list of words."""

    key: str
    meaning: str
    example: str
    several: bool = False

    def read(self, said: object) -> Answer:
        """Return `said` as an answer; a list of words may also be a text with commas.

        Raises:
            ValueError: why it is not an answer.
        """
        if self.several and isinstance(said, str):
            said = [word.strip() for word in said.split(",") if word.strip()]
        if self.several and isinstance(said, list):
            return tuple(_text(word) for word in said)
        if self.several:
            raise ValueError("expected a list of words")
        return _text(said)


def _text(said: object) -> str:
    if not isinstance(said, str):
        raise ValueError("expected a text")  # noqa: TRY004 - a wrong answer, not a wrong program
    try:
        said.encode()
    except UnicodeEncodeError:
        raise ValueError("the text contains bytes that are not UTF-8") from None
    if not said.strip():
        raise ValueError("the answer is empty")
    return said.strip()


def questions(entry_class: str, *, adopted: bool = False) -> tuple[Question, ...]:
    """Return the questions of a class, in the order of asking.

    `adopted`: the artifact already exists, so there are only questions about the other files.
    """
    more = _document("questions.toml")
    own: Iterator[Question] = iter(())
    if not adopted and format_of_class(entry_class) is Format.PROMPT:
        own = _of_table(more["prompt"])
    elif not adopted:
        own = _of_template(entry_class)
    return (*own, *_of_table(more["release"]), *_of_table(more["readme"]))


@cache
def resource(name: str) -> str:
    """Return the text of a file in the folder of templates."""
    return (files("psreg.authoring") / "templates" / name).read_text(encoding="utf-8")


def answers(said: Mapping[str, object], asked: tuple[Question, ...]) -> dict[str, Answer]:
    """Return the answers of a file by key.

    Raises:
        ValueError: with a line for each unknown key and each answer that is not valid.
    """
    known = {question.key: question for question in asked}
    found: dict[str, Answer] = {}
    faults = []
    for key, value in said.items():
        if key not in known:
            faults.append(f"unknown key `{key}`. {did_you_mean(key, known)}".rstrip())
            continue
        try:
            found[key] = known[key].read(value)
        except ValueError as error:
            faults.append(f"`{key}`: {error}")
    if faults:
        raise ValueError("\n".join(faults))
    return found


def _of_template(entry_class: str) -> Iterator[Question]:
    for key in blanks_in(template(entry_class)):
        if key not in _GIVEN:
            found = blanks()[key]
            yield Question(key=key, meaning=found.meaning, example=found.example)


def _of_table(table: Mapping[str, Any]) -> Iterator[Question]:
    for key, row in table.items():
        yield Question(
            key=key,
            meaning=row["meaning"],
            example=row["example"],
            several=row.get("list", False),
        )


@cache
def _document(name: str) -> Any:
    return tomllib.loads(resource(name))
