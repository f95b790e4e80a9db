"""The rules about texts of a PBE that are blank or say nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from pkgutil import get_data
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.regex import lazy
from psreg.core.rule import rule
from psreg.formats.json.pointer import dotted, join, split
from psreg.formats.json.syntax_error import shown
from psreg.formats.pbe import SAVE_TEMPLATE, TRIGGERS, Pbe
from psreg.formats.schema import MAX_VIOLATIONS
from psreg.lint.content.clarity_rules import may_say_nothing, says_nothing
from psreg.lint.parser_findings import of_violations

_IDENTIFIERS = ("/phase", "/recognition_key")


_ROOT_IDENTIFIERS = frozenset(("/pbe_name", "/pbe_version", "/pbe_class"))
"""Fields with rules of their own, whose values need not say anything."""


_TRIGGERS = join(TRIGGERS)
"""What a user types may be in brackets, as `[save]`."""


_LONGEST_NAME = 64


_FEW = 5
"""Copied texts that are reported one by one; a copy of a whole prompt is one finding."""


_ROLE = (
    r"(?:in |of )?(?:the |this |your |its )?(?:\w+ )?(?:role|session|conversation|chat|character)"
)
_STOP = (
    r"(?:stop|end|terminate|finish|exit|quit|halt|return|conclude|leave)(?:s|es|ed|ing|ning)?"
    rf"(?: (?:itself|on its own|by itself|{_ROLE}))?"
)
_GO_ON = (
    r"(?:(?:run|go|continue|keep|stay|remain|loop|last|repeat)(?:s|es)?(?: on)?(?: going| running"
    rf"| active| repeating| {_ROLE})?|(?:is|are) (?:always )?active)"
)
_FOREVER = (
    r"(?:forever|for ever|for good|indefinitely|endlessly|infinitely|eternally|permanently|always"
    r"|without (?:an )?end|for the rest of (?:the|this) (?:conversation|chat|session)"
    r"|(?:until|till) the end of time|until hell freezes over)"
)
_NEVER = lazy(
    r"(?:(?:it|this|you|i|the \w+) )?"
    rf"(?:(?:(?:will|must|can|should|may) )?(?:never|not)(?: ever)?(?: {_STOP})?"
    rf"|(?:does|do|will|must|can|should)(?: not|nt) (?:ever )?{_STOP}|(?:cannot|wont|cant) {_STOP}"
    rf"|(?:(?:will|must|should|just) )?(?:always )?{_GO_ON} {_FOREVER}|{_FOREVER}"
    rf"|(?:just )?keep (?:going|running)|always {_GO_ON}|when hell freezes over"
    r"|(?:an )?(?:endless|infinite|unlimited)(?: loop)?"
    r"|(?:there is )?(?:none|no (?:end|termination|termination condition|condition|stop))"
    r")(?: (?:ever|at all|under any circumstances?|no matter what|for any reason))?"
)
"""A sentence in English, of lower-case words with one blank between them."""

_LONGEST_NEVER = 120


@cache
def _never_elsewhere() -> frozenset[str]:
    """Return conditions in other languages that never come, as `_words` returns them."""
    data = get_data("psreg.lint", "data/never_ends.txt") or b""
    lines = (line for line in data.decode().splitlines() if not line.startswith("#"))
    return frozenset(_words(text) for line in lines for text in line.split(","))


def _never_ends(text: str) -> bool:
    """Tell whether each sentence says that there is no end."""
    if len(text) > _LONGEST_NEVER:
        return False
    sentences = [words for each in _SENTENCE_END.split(text) if (words := _words(each))]
    known = _never_elsewhere()
    return bool(sentences) and all(words in known or _NEVER.fullmatch(words) for words in sentences)


_SENTENCE_END = lazy(r"[.!?;。！؟।]")


@rule("PBE020", spec="pbe-1.0/PBE-A13", severity=ERROR)
def blank_string(pbe: Pbe) -> Iterator[Finding]:
    """A required text is blank, or the list of trigger phrases is empty.

    ## Why
    A field is required because the assistant needs its content. If the text is empty or consists
    only of spaces, the assistant has to invent the content, differently each time.

    ## Fix
    Write the content of the field; one concrete sentence is enough.

    ```text
    before   "termination_condition": " "
    after    "termination_condition": "Ends after the greeting."
    ```
    """
    yield from of_violations(pbe.violations, "PBE020")
    from psreg.formats.pbe_templates import advice  # noqa: PLC0415 - only a PBE needs it

    blank = (pointer for pointer, text in pbe.strings if not text.strip())
    for pointer in islice(blank, MAX_VIOLATIONS):
        path = _at(pointer)
        hint = advice(pbe.schema_name, path)
        yield Finding(message=f"`{dotted(path)}` is blank", at=pointer, hint=hint)


@rule("PBE027", spec="pbe-1.0/PBE-A13b", severity=WARNING, since="0.2.0")
def text_says_nothing(pbe: Pbe) -> Iterator[Finding]:
    """A required text says nothing: `.`, `n/a`, `[goal]`, an empty blank, or a copied example.

    ## Why
    The assistant reads every required field as an instruction. A full stop, "n/a" or `{{tone}}` is
    as good as nothing: each assistant invents the rest, differently each time. An example that the
    specification, `psreg new` or the PBE Creator Tool shows for a field is about another prompt,
    and so is a whole sentence of a prompt that psreg comes with.

    ## Fix
    Write what the field asks for; one concrete sentence is enough.

    ```text
    before   "behavior": "n/a"
    after    "behavior": "Group items by bag, give a count for each, add no greeting."
    ```
    """
    if pbe.meant_class:
        yield from islice(_meaningless(pbe, pbe.meant_class), MAX_VIOLATIONS)


def _meaningless(pbe: Pbe, entry_class: str) -> Iterator[Finding]:
    from psreg.formats.pbe_templates import advice, unfilled  # noqa: PLC0415 - for PBEs
    from psreg.lint.copied_texts import (  # noqa: PLC0415 - for PBEs
        copied_from,
        letters_of_each,
        may_be_copied,
    )

    copied: dict[str, list[str]] = {}
    found: list[tuple[str, str]] = []
    name = pbe.text("pbe_name") or ""
    prose = _prose(pbe)
    each_letters = letters_of_each([text for _, text in prose])
    # NOTE: this is asked about every text of every PBE, and almost all say something.
    for (pointer, text), letters in zip(prose, each_letters, strict=True):
        if filler := _filler(pointer, text, letters):
            found.append((pointer, f"{filler}: {shown(text)}"))
        elif left := unfilled(text):
            found.append((pointer, f"contains {left}, a blank that was not filled in"))
        elif may_be_copied(letters) and (whose := copied_from(text, name)):
            copied.setdefault(whose, []).append(pointer)
    for whose, pointers in copied.items():
        if len(pointers) > _FEW:
            yield _copied(pointers, whose)
        else:
            found += [(pointer, f"is {whose}") for pointer in pointers]
    found += _elsewhere(pbe)
    for pointer, what in found:
        path = _at(pointer)
        hint = advice(entry_class, path)
        yield Finding(message=f"`{dotted(path)}` {what}", at=pointer, hint=hint)


def _filler(pointer: str, text: str, letters: bytes) -> str:
    """Return in which way a text with these letters says nothing; "" if it says something."""
    if may_say_nothing(text, letters):
        is_command = pointer.startswith(_TRIGGERS)
        if says_nothing(text.strip("[<{}>]") if is_command else text):
            return "says nothing"
    if letters and len(letters) <= _LONGEST_NAME:
        names = _names_of(pointer.rpartition("/")[2])
        # NOTE: that the last word of a name is in it is quick to see, and rare.
        if names[-1] in letters.replace(b"our", b"or") and _bare(letters) in names:
            return "only repeats the name of the field"
    return ""


def _bare(letters: bytes) -> bytes:
    """Return "behavior" of "This is the behaviour of the prompt"."""
    for beginning in _BEFORE_NAME:
        letters = letters.removeprefix(beginning)
    for end in _BEHIND_NAME:
        letters = letters.removesuffix(end)
    return letters.replace(b"our", b"or")


_BEFORE_NAME = (b"thisis", b"hereis", b"the", b"my", b"your")
_BEHIND_NAME = (b"here", b"pbe", b"prompt", b"assistant", b"phase", b"the", b"this", b"of")


@lru_cache(maxsize=256)
def _names_of(field: str) -> tuple[bytes, bytes]:
    """Return the letters of a field's name and of its last word: "primarygoal" and "goal"."""
    from psreg.lint.copied_texts import only_letters  # noqa: PLC0415 - for PBEs

    return only_letters(field), only_letters(field.rpartition("_")[2])


def _prose(pbe: Pbe) -> list[tuple[str, str]]:
    """Return pointer and text of every required text that is to say something."""
    return [
        (pointer, text)
        for pointer, text in pbe.strings
        if not pointer.endswith(_IDENTIFIERS) and pointer not in _ROOT_IDENTIFIERS and text.strip()
    ]


def _copied(pointers: list[str], whose: str) -> Finding:
    first = dotted(_at(pointers[0]))
    return Finding(
        message=f"`{first}` is {whose}, and so are {len(pointers) - 1} other texts",
        at=pointers[0],
        hint="Write your own texts, or propose a new version of the prompt that has them.",
    )


def _at(pointer: str) -> tuple[str | int, ...]:
    return tuple(int(token) if token.isdigit() else token for token in split(pointer))


def _elsewhere(pbe: Pbe) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with identifiers and with the save template, which are not prose."""
    from psreg.formats.pbe_templates import unfilled  # noqa: PLC0415 - for PBEs
    from psreg.lint.copied_texts import only_letters  # noqa: PLC0415 - for PBEs

    names = [each for each in pbe.strings if each[0].endswith(_IDENTIFIERS)]
    saved = [(join(path), text) for path, text in _saved(pbe.get(*SAVE_TEMPLATE), SAVE_TEMPLATE)]
    for pointer, text in (*names, *saved):
        if left := unfilled(text):
            yield pointer, f"contains {left}, a blank that was not filled in"
    for pointer, text in names:
        may = text.strip() and may_say_nothing(text, only_letters(text))
        if may and not unfilled(text) and says_nothing(text):
            yield pointer, f"says nothing: {shown(text)}"


def _saved(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield path and text of every text in a save template."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _saved(item, (*path, key))


@rule(
    "PBE029", spec="pbe-1.0/PBE-A13b pbe-1.0/PBE-08 pbe-1.0/PBE-20", severity=WARNING, since="0.2.0"
)
def never_terminates(pbe: Pbe) -> Iterator[Finding]:
    """The termination condition of a stateless executor says that it never ends.

    ## Why
    A stateless executor does one thing; when its condition is met, the assistant returns to normal.
    The specification requires a clearly defined condition. With "Never stop." the assistant stays
    in the role for the rest of the conversation.

    ## Fix
    Name the moment at which the task is done. For a dialogue without a fixed end, use the class
    `interactive_engine`.

    ```text
    before   "termination_condition": "Never stop."
    after    "termination_condition": "Ends after the list has been printed."
    ```
    """
    text = pbe.text("execution", "termination_condition")
    if pbe.meant_class == "stateless_executor" and text and _never_ends(text):
        yield Finding(
            message=f"`execution.termination_condition` is {shown(text)}, which is not an end",
            at="/execution/termination_condition",
            hint="Name the moment at which the task is done.",
        )


def _words(text: str) -> str:
    kept = re.sub(r"['’]", "", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(re.sub(r"[^\w]+|_", " ", kept).split())
