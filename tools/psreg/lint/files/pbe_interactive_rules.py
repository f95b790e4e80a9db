"""The rules about interactive engines: phases, techniques, description, saving and resuming."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.version import is_version
from psreg.formats.json.pointer import dotted, join
from psreg.formats.json.syntax_error import shown
from psreg.formats.pbe import LOAD_INSTRUCTION, RECOGNITION_KEY, SAVE_TEMPLATE, Pbe
from psreg.formats.schema import MAX_VIOLATIONS, kind
from psreg.lint.files.pbe_fixes import follows_name, naming_fix, padded_version
from psreg.lint.parser_findings import of_violations

_INTERACTIVE = "interactive_engine"
_ALIKE = "use the same spelling in the name and its save keys"
_KEY_LIKE = re.compile(r"[\w-]++")
_MOST_SENTENCES = 2
_ENOUGH = {"techniques": 5, "phases": 2}
_WORD = re.compile(r"[^\W\d_]{2}")
_OPENING, _CLOSING = "\"'“‘«([", "\"'”’»)]"
# fmt: off
_ABBREVIATIONS = frozenset((
    "al", "approx", "ca", "cf", "dr", "ed", "eds", "etc", "fig", "inc", "incl", "mr", "mrs", "ms",
    "no", "nr", "prof", "st", "vs",
))
# fmt: on


@rule("PBE009", spec="pbe-1.0/PBE-09", severity=ERROR)
def interactive_field_missing(pbe: Pbe) -> Iterator[Finding]:
    """An interactive engine lacks a field about its purpose, style or start.

    ## Why
    In a long dialogue, the assistant relies on these fields whenever the phases do not say what to
    do: what the session is for (`description`, `core_philosophy`), how to behave
    (`meta_instructions`) and how to open (`start_play`). If one is missing, each assistant fills
    the gap in its own way, and the PBE behaves differently everywhere.

    ## Fix
    Add the field that the message names.

    ```json
    "start_play": {
      "instruction": "Welcome to the quiz! Ready for the first question?"
    }
    ```
    """
    yield from of_violations(pbe.violations, "PBE009")


@rule("PBE010", spec="pbe-1.0/PBE-10", severity=ERROR)
def too_few_phases(pbe: Pbe) -> Iterator[Finding]:
    """An interactive engine has fewer than two phases, or a phase is incomplete.

    ## Why
    Phases tell the assistant where it is in the dialogue and what to do there. A dialogue with a
    single phase has nothing to move on to: use a `stateless_executor` instead. If a phase lacks its
    name, description or role, the assistant has to guess.

    ## Fix
    Describe at least two phases, each with all four fields.

    ```json
    "phases": [
      {"phase": "1_ask", "name": "Ask", "description": "Present a question",
       "facilitator_role": "Ask clearly, then wait"},
      {"phase": "2_feedback", "name": "Feedback", "description": "Judge the answer",
       "facilitator_role": "Confirm or correct, and explain"}
    ]
    ```
    """
    yield from of_violations(pbe.violations, "PBE010")


@rule("PBE011", spec="pbe-1.0/PBE-11 pbe-1.0/PBE-A3", severity=ERROR)
def too_few_techniques(pbe: Pbe) -> Iterator[Finding]:
    """An interactive engine has fewer than five techniques, or a technique is incomplete.

    ## Why
    Techniques are the moves that an assistant can make; with fewer than five it soon repeats
    itself. Each needs a name, a purpose and a concrete example, because assistants imitate examples
    much more reliably than they follow descriptions.

    ## Fix
    Describe five to ten techniques, each with a line that the assistant could really say.

    ```json
    {"name": "Adaptive Difficulty", "purpose": "Adjust the questions to the user",
     "example": "You're doing great. Let's try a harder one."}
    ```
    """
    yield from of_violations(pbe.violations, "PBE011")


@rule("PBE012", spec="pbe-1.0/PBE-12 pbe-1.0/PBE-A4", severity=ERROR)
def save_system_incomplete(pbe: Pbe) -> Iterator[Finding]:
    """An interactive engine has no complete `save_system`.

    ## Why
    Conversations end, and assistants forget. The save system lets a user continue tomorrow, or with
    another assistant. It says what is saved (`description`, `save_template`), how to ask for it
    (`trigger_phrases`) and how to recognize a save (`load_detection`). If one part is missing,
    users make saves that cannot be loaded.

    ## Fix
    Add the part that the message names.

    ```json
    "load_detection": {
      "instruction": "When JSON with the root key simple_quiz_save arrives, resume from it.",
      "recognition_key": "simple_quiz_save"
    }
    ```
    """
    yield from of_violations(pbe.violations, "PBE012")


@rule("PBE013", spec="pbe-1.0/PBE-13 pbe-1.0/PBE-A5", severity=ERROR)
def save_key_not_name_save(pbe: Pbe) -> Iterator[Finding]:
    """The root key of `save_template` is not `pbe_name` followed by `_save`.

    ## Why
    The root key of a save file says which PBE the save belongs to. With any other key, the save of
    one PBE can be mistaken for that of another, or is not recognized as a save at all.

    ## Fix
    Use the exact `pbe_name` followed by `_save`.

    ```text
    before   "pbe_name": "simple_quiz", …   "save_template": {"quiz_save": {"score": 0}}
    after    "pbe_name": "simple_quiz", …   "save_template": {"simple_quiz_save": {"score": 0}}
    ```
    """
    expected = _save_key(pbe)
    template = pbe.get(*SAVE_TEMPLATE)
    if expected and isinstance(template, dict) and len(template) == 1 and expected not in template:
        (key,) = template
        yield Finding(
            message=f"the save root key is {shown(key)}, not {shown(expected)}",
            at=join(["save_system", "save_template", key]),
            key=True,
            hint="Write the exact `pbe_name` followed by `_save`.",
            fix=naming_fix(pbe) if follows_name(key, pbe.name or "") else (),
            fix_title=_ALIKE,
        )


@rule("PBE014", spec="pbe-1.0/PBE-14 pbe-1.0/PBE-A7", severity=ERROR)
def recognition_key_differs(pbe: Pbe) -> Iterator[Finding]:
    """`recognition_key` is not the root key of a save: `pbe_name` followed by `_save`.

    ## Why
    When a user brings back a save file, the assistant looks for the recognition key in it. If the
    PBE saves under a different key, no session is ever resumed.

    ## Fix
    Write the same key in both places.

    ```text
    before   "save_template": {"simple_quiz_save": {…}},   "recognition_key": "quiz"
    after    "save_template": {"simple_quiz_save": {…}},   "recognition_key": "simple_quiz_save"
    ```
    """
    expected = _save_key(pbe)
    key = pbe.text(*RECOGNITION_KEY)
    if expected and key and key.strip() and key != expected:
        yield Finding(
            message=f"`recognition_key` is {shown(key)}, not {shown(expected)}",
            at="/save_system/load_detection/recognition_key",
            hint="Write the root key of `save_template`: `pbe_name` followed by `_save`.",
            fix=naming_fix(pbe) if follows_name(key, pbe.name or "") else (),
            fix_title=_ALIKE,
        )


@rule("PBE030", spec="pbe-1.0/PBE-A13c pbe-1.0/PBE-12", severity=ERROR, since="0.2.0")
def save_without_state(pbe: Pbe) -> Iterator[Finding]:
    """The value under the root key of `save_template` is not an object with fields.

    ## Why
    A save is a copy of the template with the current values. If the value under the root key is
    `null`, a list, a text or an empty object, there is no field to keep anything in, and every
    session starts again from the beginning.

    ## Fix
    List the fields that the assistant has to know to continue.

    ```text
    before   {"simple_quiz_save": {}}
    after    {"simple_quiz_save": {"pbe_version": "1.0.0", "score": 0, "questions_asked": []}}
    ```
    """
    for root, value in _saves(pbe):
        if not (isinstance(value, dict) and value):
            what = "an empty object" if value == {} else kind(value)
            yield Finding(
                message=f"`save_system.save_template.{root}` is {what}, so a save keeps nothing",
                at=join([*SAVE_TEMPLATE, root]),
                hint="Write an object with the fields that a save keeps.",
            )


@rule("PBE031", spec="pbe-1.0/PBE-06 pbe-1.0/PBE-12", severity=WARNING, since="0.2.0")
def save_version_differs(pbe: Pbe) -> Iterator[Finding]:
    """The `pbe_version` in `save_template` is not the version of this PBE.

    ## Why
    A save tells the next session which version wrote it. If the template states another version,
    every save does, and a later version cannot know which fields to expect.

    ## Fix
    Write the same version in both places.

    ```text
    before   "pbe_version": "1.1.0", …   {"simple_quiz_save": {"pbe_version": "1.0.0", …}}
    after    "pbe_version": "1.1.0", …   {"simple_quiz_save": {"pbe_version": "1.1.0", …}}
    ```
    """
    for root, value in _saves(pbe):
        stated = value.get("pbe_version") if isinstance(value, dict) else None
        versions = [_full_version(text) for text in (stated, pbe.version)]
        if all(versions) and len(set(versions)) > 1:
            yield Finding(
                message=f"a save states the version {stated}, but this is {pbe.version}",
                at=join([*SAVE_TEMPLATE, root, "pbe_version"]),
                hint="Write the same version in both places.",
            )


def _full_version(text: object) -> str | None:
    """Return a version with all its numbers; None if `text` is not a version."""
    if not isinstance(text, str):
        return None
    return text if is_version(text) else padded_version(text)


@rule("PBE032", spec="pbe-1.0/PBE-14 pbe-1.0/PBE-A7", severity=WARNING, since="0.2.0")
def load_instruction_names_other_key(pbe: Pbe) -> Iterator[Finding]:
    """The loading instruction names another save key than the one of this PBE.

    ## Why
    The assistant does what `load_detection.instruction` says. If the instruction waits for a key
    that no save of this PBE has, sessions are never resumed, even if `recognition_key` is correct.
    An instruction that also names the key of this PBE may mention others, for example the key of an
    earlier name.

    ## Fix
    Name the root key of `save_template`, or no key at all.

    ```text
    before   "instruction": "When JSON with the root key quiz_save arrives, resume from it."
    after    "instruction": "When JSON with the root key simple_quiz_save arrives, resume from it."
    ```
    """
    instruction = pbe.text(*LOAD_INSTRUCTION) or ""
    roots = [root for root, _ in _saves(pbe)]
    if not roots or not pbe.name or roots[0] in instruction:
        return
    named = [word for word in _KEY_LIKE.findall(instruction) if word.endswith("_save")]
    misspelt = roots[0] != f"{pbe.name}_save"  # PBE013 reports both
    if named and not (misspelt and any(follows_name(key, pbe.name) for key in named)):
        yield Finding(
            message=f"the loading instruction names {shown(named[0])}, not {shown(roots[0])}",
            at="/save_system/load_detection/instruction",
            hint="Name the root key of `save_template`: `pbe_name` followed by `_save`.",
        )


def _saves(pbe: Pbe) -> Iterator[tuple[str, Any]]:
    """Yield the root key of the save template of an interactive engine, with its value."""
    template = pbe.get(*SAVE_TEMPLATE) if pbe.meant_class == _INTERACTIVE else None
    if isinstance(template, dict) and len(template) == 1:
        yield from template.items()


def _save_key(pbe: Pbe) -> str | None:
    """Return the one right save key; None if this PBE has no name, or no save system by class."""
    named = pbe.meant_class == _INTERACTIVE and pbe.name and pbe.name.strip()
    return f"{pbe.name}_save" if named else None


@rule("PBE022", spec="pbe-1.0/PBE-11 pbe-1.0/PBE-A3", severity=ERROR, read=WARNING)
def too_many_techniques(pbe: Pbe) -> Iterator[Finding]:
    """An interactive engine has more than ten techniques.

    ## Why
    An assistant has to keep all techniques in mind at every turn. With more than ten it starts to
    mix them up and to drop some, and users notice only that the PBE "does not always work".

    ## Fix
    Merge techniques that serve the same purpose, and keep the ten most important.

    ```text
    before   "Praise", "Applause", "Encouragement", …        12 techniques
    after    "Positive Reinforcement", …                     10 techniques
    ```
    """
    yield from of_violations(pbe.violations, "PBE022")


@rule("PBE023", spec="pbe-1.0/PBE-A6", severity=ERROR)
def several_save_roots(pbe: Pbe) -> Iterator[Finding]:
    """`save_template` has no root key, or more than one.

    ## Why
    The assistant recognizes a save by its single root key. With several keys it is unclear which
    one counts; without a key there is nothing to recognize and nothing to save.

    ## Fix
    Put everything that is saved under the single key `pbe_name` + `_save`.

    ```text
    before   {"simple_quiz_save": {"score": 0}, "history": []}
    after    {"simple_quiz_save": {"score": 0, "history": []}}
    ```
    """
    yield from of_violations(pbe.violations, "PBE023")


@rule("PBE026", spec="pbe-1.0/PBE-A15", severity=WARNING)
def description_too_long(pbe: Pbe) -> Iterator[Finding]:
    """`description` has more than two sentences.

    ## Why
    The specification asks for a summary of one or two sentences. Catalogues show it on one line,
    and a long description competes with the fields that say the same in more detail.

    ## Fix
    Keep what the PBE is for. Move the rest to `core_philosophy` or to the README of the entry.

    ```text
    before   "description": "A quiz. It asks questions. It counts answers. It adapts."
    after    "description": "A quiz that counts right answers and adapts its questions."
    ```
    """
    text = pbe.text("description") if pbe.meant_class == _INTERACTIVE else None
    count = sentences(text or "")
    if count > _MOST_SENTENCES:
        yield Finding(
            message=f"`description` has {count} sentences; the limit is {_MOST_SENTENCES}",
            at="/description",
            hint="Say what the PBE is for, and move the details to other fields.",
        )


def sentences(text: str) -> int:
    """Return how many sentences `text` seems to have, rather too few than too many.

    Abbreviations, numbers, names such as `.pbe` and an ellipsis do not end a sentence, nor does
    a mark before a lower-case letter.
    """
    words = re.sub("[。！？]+", r"\g<0> ", text).split()
    inner = sum(_ends_sentence(word, after) for word, after in pairwise(words))
    return inner + bool(words)


def _ends_sentence(word: str, after: str) -> bool:
    core = word.rstrip(_CLOSING)
    if not core.endswith((*".!?。！？",)) or after.lstrip(_OPENING)[:1].islower():
        return False
    if not core.endswith("."):
        return True
    bare = core[:-1].lstrip(_OPENING)
    abbreviated = len(bare) < 2 or bare.isdigit() or "." in bare  # noqa: PLR2004 - an initial
    return not (abbreviated or bare.lower() in _ABBREVIATIONS)


@rule(
    "PBE028",
    spec="pbe-1.0/PBE-A13b pbe-1.0/PBE-10 pbe-1.0/PBE-11",
    severity=ERROR,
    since="0.2.0",
)
def same_item_again(pbe: Pbe) -> Iterator[Finding]:
    """Two techniques or two phases of an interactive engine are the same.

    ## Why
    The specification requires five techniques and two phases so that the assistant has moves to
    choose from and stages to pass through. A copy adds neither, so equal items count once. It is an
    error if too few different ones are left, otherwise a warning.

    Techniques are equal if they have the same example, or the same name and purpose; phases if they
    have the same description and role.

    ## Fix
    Describe another technique or phase, or delete the copy.

    ```text
    before   {"name": "Praise", "purpose": "Encourage", "example": "That was a hard one!"}
             {"name": "Applaud", "purpose": "Encourage", "example": "That was a hard one!"}
    after    {"name": "Praise", "purpose": "Encourage", "example": "That was a hard one!"}
             {"name": "Hint", "purpose": "Unblock", "example": "Look at the second word again."}
    ```
    """
    yield from _copies(pbe, ("facilitator_techniques", "techniques"), _of_technique)
    yield from _copies(pbe, ("game_structure", "phases"), _of_phase)


def _copies(
    pbe: Pbe,
    path: tuple[str, str],
    features: Callable[[Mapping[str, Any]], Iterator[tuple[str, ...]]],
) -> Iterator[Finding]:
    """Yield a finding for each item of the list at `path` that an earlier one equals."""
    items = pbe.get(*path) if pbe.meant_class == _INTERACTIVE else None
    items = items if isinstance(items, list) else []
    first: dict[tuple[str, ...], int] = {}
    copies = []
    for index, item in enumerate(items):
        found = tuple(features(item)) if isinstance(item, dict) else ()
        earlier = next((first[feature] for feature in found if feature in first), None)
        if earlier is not None:
            copies.append((index, earlier))
        for feature in found:
            first.setdefault(feature, index)
    left, enough = len(items) - len(copies), _ENOUGH[path[1]]
    short = left < enough <= len(items)
    counted = f"; equal ones count once, so there are {left} of at least {enough}" if short else ""
    for index, earlier in islice(copies, MAX_VIOLATIONS):
        copy, original = dotted((*path, index)), dotted((*path, earlier))
        yield Finding(
            message=f"`{copy}` is the same as `{original}`{counted}",
            at=join([*path, index]),
            hint="Describe another one, or delete the copy.",
            severity=ERROR if short else WARNING,
        )


def _of_technique(item: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    name, purpose, example = (_folded(item.get(key)) for key in ("name", "purpose", "example"))
    if name and purpose:
        yield name, purpose
    if _WORD.search(example):  # minimal files that test a format have examples of one letter
        yield (example,)


def _of_phase(item: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    description, role = (_folded(item.get(key)) for key in ("description", "facilitator_role"))
    if description and role:
        yield description, role


def _folded(value: object) -> str:
    return " ".join(value.casefold().split()) if isinstance(value, str) else ""
