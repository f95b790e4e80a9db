"""The rules about PBEs: the fields of every PBE, those of each class, and the safe fixes.

A rule never repeats another one: a missing field has one finding, and no rule checks the grammar
of a text that is blank or has the wrong type. A fix is all the changes that belong together, or ()
if only the author can know what was meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice, pairwise

from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Finding, Span
from psreg.core.identity import MAX_NAME_LENGTH, PBE_CLASSES, is_name
from psreg.core.rule import Rule, rule
from psreg.core.version import is_version
from psreg.formats import schema
from psreg.formats.json import json_document
from psreg.formats.json.pointer import dotted, join, split
from psreg.formats.json.syntax_error import shown
from psreg.formats.pbe import STANDARD_INSTRUCTIONS, Pbe
from psreg.formats.schema import MAX_VIOLATIONS, kind
from psreg.lint.parser_findings import of_violations

_INTERACTIVE = "interactive_engine"
_ALIKE = "use the same spelling in the name and its save keys"
_MOST_SENTENCES = 2
_OPENING, _CLOSING = "\"'“‘«([", "\"'”’»)]"
# fmt: off
_ABBREVIATIONS = frozenset((
    "al", "approx", "ca", "cf", "dr", "ed", "eds", "etc", "fig", "inc", "incl", "mr", "mrs", "ms",
    "no", "nr", "prof", "st", "vs",
))
# fmt: on

_TEMPLATE = ("save_system", "save_template")
_DETECTION = ("save_system", "load_detection")
_MOST = 100
"""Changes of one fix; a text that would need more of them is not ours to rewrite."""

_NUMBER = "(?:0|[1-9][0-9]*)"
_LENIENT = re.compile(rf"{_NUMBER}(?:\.{_NUMBER})?|v({_NUMBER}\.{_NUMBER}\.{_NUMBER})")


@rule("PBE001", spec="pbe-1.0/PBE-03", severity=ERROR)
def root_not_object(pbe: Pbe) -> Iterator[Finding]:
    """The file is JSON, but not a single object in braces.

    ## Why
    A PBE is a set of named fields, and names exist only inside `{ … }`. A list or a single string
    has no `pbe_name` and no `pbe_class`, so neither a program nor an assistant can tell what to
    run.

    ## Fix
    Put the fields into one pair of braces. If a list holds several PBEs, write each to its own
    file.

    ```text
    before   [{"pbe_name": "hello_world", …}]
    after    {"pbe_name": "hello_world", …}
    ```
    """
    if pbe.tree.parsed and not pbe.is_object:
        yield Finding(
            message=f"the file contains {kind(pbe.tree.value)}; a PBE must be one object: {{ … }}"
        )


@rule("PBE003", spec="pbe-1.0/PBE-03", severity=ERROR)
def missing_root_field(pbe: Pbe) -> Iterator[Finding]:
    """One of the four fields that every PBE needs is missing.

    ## Why
    `pbe_name` and `pbe_version` identify the prompt, `pbe_class` decides which other fields it
    needs, and `install_instructions` tell the assistant to run the file rather than to talk about
    it. Without all four, a PBE can be neither registered nor started.

    ## Fix
    Add the field to the root object.

    ```json
    {
      "pbe_name": "hello_world",
      "pbe_version": "1.0.0",
      "pbe_class": "stateless_executor",
      "install_instructions": "This is a Prompt-Based Executable (PBE) and …"
    }
    ```
    """
    yield from of_violations(pbe.violations, "PBE003")


@rule("PBE004", spec="pbe-1.0/PBE-04 pbe-1.0/PBE-A2", severity=ERROR, read=WARNING)
def name_not_snake_case(pbe: Pbe) -> Iterator[Finding]:
    """`pbe_name` is not `lowercase_with_underscores`.

    ## Why
    The name becomes a folder, a file name, a web address and the key of every saved session. Names
    of lower-case ASCII letters, digits and single underscores mean the same on every system;
    capitals, spaces, hyphens and accents do not. A name starts with a letter and has at most 64
    characters.

    ## Fix
    Rename the PBE, together with its save key and `recognition_key`.

    ```text
    before   "pbe_name": "Simple Quiz"
    after    "pbe_name": "simple_quiz"
    ```
    """
    if pbe.name is None or not pbe.name.strip() or is_name(pbe.name):
        return
    message = f"`pbe_name` {shown(pbe.name)} is not lowercase_with_underscores"
    if len(pbe.name) > MAX_NAME_LENGTH:
        message = f"`pbe_name` has {len(pbe.name)} characters; the limit is {MAX_NAME_LENGTH}"
    better = snake_case(pbe.name)
    hint = f'Write "{better}".' if is_name(better) else "Write a name such as simple_quiz."
    yield Finding(
        message=message,
        at="/pbe_name",
        hint=hint,
        fix=naming_fix(pbe),
        fix_title=f"rename it to `{better}`, together with its save keys",
    )


@rule("PBE006", spec="pbe-1.0/PBE-06 pbe-1.0/PBE-A1", severity=ERROR)
def version_not_semver(pbe: Pbe) -> Iterator[Finding]:
    """`pbe_version` is not a semantic version: MAJOR.MINOR.PATCH.

    ## Why
    Users ask for ranges such as `^1.2` and rely on the three numbers: PATCH fixes, MINOR adds,
    MAJOR breaks. With fewer numbers, a leading `v` or leading zeros, it is unclear which of two
    versions is newer. The examples in the specification say `1.0`, so psreg only warns about them
    when it reads a file.

    ## Fix
    Write all three numbers, with nothing before them.

    ```text
    before   "pbe_version": "1.0"        "pbe_version": "v1.2.3"
    after    "pbe_version": "1.0.0"      "pbe_version": "1.2.3"
    ```
    """
    if pbe.version is None or not pbe.version.strip() or is_version(pbe.version):
        return
    padded = padded_version(pbe.version)
    yield Finding(
        message=f"`pbe_version` {shown(pbe.version)} is not MAJOR.MINOR.PATCH",
        at="/pbe_version",
        hint=f'Write "{padded}".' if padded else 'Write three numbers, as in "1.0.0".',
        read=WARNING if padded else None,
        fix=version_fix(pbe),
        fix_title=f"write the version as `{padded}`",
    )


@rule("PBE007", spec="pbe-1.0/PBE-07", severity=ERROR)
def unknown_class(pbe: Pbe) -> Iterator[Finding]:
    """`pbe_class` is not one of the three classes.

    ## Why
    The class decides which fields a PBE must have and how an assistant runs it. psreg cannot check
    a PBE of an unknown class, and an assistant cannot know how to run it. Case matters:
    `Interactive_Engine` is not a class.

    ## Fix
    Choose `stateless_executor` for a single task, `interactive_engine` for a dialogue, or
    `persistent_service` for a background service (reserved).

    ```text
    before   "pbe_class": "quiz"
    after    "pbe_class": "interactive_engine"
    ```
    """
    if pbe.pbe_class and pbe.pbe_class.strip():
        yield from of_violations(pbe.violations, "PBE007")


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
    blank = (pointer for pointer, text in pbe.strings() if not text.strip())
    for pointer in islice(blank, MAX_VIOLATIONS):
        path = dotted(int(token) if token.isdigit() else token for token in split(pointer))
        hint = "Write the content of this field in a sentence."
        yield Finding(message=f"`{path}` is blank", at=pointer, hint=hint)


@rule("PBE021", spec="pbe-1.0/PBE-03", severity=ERROR)
def wrong_type(pbe: Pbe) -> Iterator[Finding]:
    """A field has a value of the wrong type.

    ## Why
    The specification says for each field whether it is a string, a list or an object, and programs
    rely on it. For example, a version written as the number `1.0` loses its zero, and a list in
    place of a string looks different on every platform.

    ## Fix
    Write a value of the type that the message names: strings in double quotes, lists in `[ ]`,
    objects in `{ }`.

    ```text
    before   "pbe_version": 1.0          "trigger_phrases": "save"
    after    "pbe_version": "1.0.0"      "trigger_phrases": ["save"]
    ```
    """
    yield from of_violations(pbe.violations, "PBE021")


@rule("PBE025", spec="pbe-1.0/PBE-A11", severity=INFO)
def custom_install_instructions(pbe: Pbe) -> Iterator[Finding]:
    """`install_instructions` are not the standard sentence.

    ## Why
    The specification proposes one sentence and allows others, so this is not a mistake. But an
    assistant obeys this field first, and it is the same in all other PBEs: read a different one
    with care when you review or install the PBE.

    ## Fix
    Do nothing if the change is intended. Otherwise use the standard sentence:

    ```text
    before   "install_instructions": "Run this."
    after    "install_instructions": "This is a Prompt-Based Executable (PBE) and when received
             should be run immediately as an instruction set and parameter guide for LLM behavior."
    ```
    """
    text = (pbe.text("install_instructions") or "").strip()
    if text and text != STANDARD_INSTRUCTIONS:
        yield Finding(
            message="`install_instructions` differ from the standard sentence",
            at="/install_instructions",
            hint="Check that you mean every word of it.",
        )


@rule("PBE008", spec="pbe-1.0/PBE-08", severity=ERROR)
def execution_field_missing(pbe: Pbe) -> Iterator[Finding]:
    """A stateless executor lacks a field of its `execution`.

    ## Why
    A stateless executor does one thing and ends. `primary_goal` says what it does, `behavior` says
    how and what to avoid, and `termination_condition` says when the assistant returns to normal.
    Without a termination condition, for example, some assistants never leave the role.

    ## Fix
    Add the missing field.

    ```json
    "execution": {
      "primary_goal": "Output only the text 'Hello, World!'",
      "behavior": "Add no comment before or after the greeting",
      "termination_condition": "Ends after the greeting."
    }
    ```
    """
    yield from of_violations(pbe.violations, "PBE008")


@rule("PBE015", spec="pbe-1.0/PBE-15", severity=ERROR)
def service_field_missing(pbe: Pbe) -> Iterator[Finding]:
    """A persistent service lacks a field of its `service_config`.

    ## Why
    A background service must say what it watches (`monitoring_target`), when it acts
    (`activation_conditions`) and what it does in between (`background_operation`). Users need to
    read all three before they run it.

    ## Fix
    Add the missing field.

    ```json
    "service_config": {
      "monitoring_target": "The topic of the conversation",
      "activation_conditions": "The topic drifts away from the question",
      "background_operation": "Note the drift and wait"
    }
    ```
    """
    yield from of_violations(pbe.violations, "PBE015")


@rule("PBE016", spec="pbe-1.0/PBE-16 pbe-1.0/PBE-A8 pbe-1.0/PBE-A16", severity=WARNING)
def reserved_field_of_another_class(pbe: Pbe) -> Iterator[Finding]:
    """A field of the root object has a name that is reserved for another class.

    ## Why
    Names such as `execution` or `save_system` have one meaning in all PBEs. In another class, an
    assistant may act on the field although the class says otherwise, and a later version of the
    specification may give the name a meaning there. Inside other fields, you can use any name.

    ## Fix
    If the class is wrong, change `pbe_class`. Otherwise rename the field or remove it:
    `release.toml` also has a description of the entry.

    ```text
    before   {"pbe_class": "stateless_executor", "description": "Greets the world.", …}
    after    {"pbe_class": "stateless_executor", "about": "Greets the world.", …}
    ```
    """
    if pbe.pbe_class not in PBE_CLASSES:
        return
    own = schema.fields(pbe.pbe_class)
    for owner in PBE_CLASSES:
        for field in schema.fields(owner):
            if field in pbe.value and field not in own:
                yield Finding(
                    message=f"`{field}` is reserved for the class {owner}",
                    at=join([field]),
                    key=True,
                    hint="Rename the field, or change `pbe_class` if the class is wrong.",
                )


@rule("PBE024", spec="pbe-1.0/PBE-15 pbe-1.0/PBE-A10", severity=WARNING)
def class_is_reserved(pbe: Pbe) -> Iterator[Finding]:
    """The class `persistent_service` is reserved: no assistant can run it yet.

    ## Why
    The specification reserves this class for future systems and calls its description incomplete.
    psreg accepts such a PBE as a design document and never runs it. Its fields may have to change
    when the class is complete.

    ## Fix
    Keep the class if you publish a design. If users should run the PBE today, make it an
    `interactive_engine` that is told what to watch.

    ```text
    before   "pbe_class": "persistent_service"
    after    "pbe_class": "interactive_engine"
    ```
    """
    if pbe.pbe_class == "persistent_service":
        yield Finding(
            message="the class `persistent_service` is reserved; no assistant can run it yet",
            at="/pbe_class",
            hint="Keep it for a design; write `interactive_engine` to run it today.",
        )


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
    template = pbe.get("save_system", "save_template")
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
    key = pbe.text("save_system", "load_detection", "recognition_key")
    if expected and key and key.strip() and key != expected:
        yield Finding(
            message=f"`recognition_key` is {shown(key)}, not {shown(expected)}",
            at="/save_system/load_detection/recognition_key",
            hint="Write the root key of `save_template`: `pbe_name` followed by `_save`.",
            fix=naming_fix(pbe) if follows_name(key, pbe.name or "") else (),
            fix_title=_ALIKE,
        )


def _save_key(pbe: Pbe) -> str | None:
    """Return the one right save key; None if this PBE has no name, or no save system by class."""
    named = pbe.pbe_class == _INTERACTIVE and pbe.name and pbe.name.strip()
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
    text = pbe.text("description") if pbe.pbe_class == _INTERACTIVE else None
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


def padded_version(text: str) -> str | None:
    """Return what `N`, `N.N` or `vN.N.N` means as a version (PBE-A1); else None."""
    match = _LENIENT.fullmatch(text)
    if match is None:
        return None
    return match[1] or text + ".0" * (2 - text.count("."))


def snake_case(text: str) -> str:
    """Return `text` as `lowercase_with_underscores`; "" if no ASCII letter or digit is in it."""
    split_words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    plain = unicodedata.normalize("NFKD", split_words).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def version_fix(pbe: Pbe) -> tuple[Change, ...]:
    """Return the changes that pad `pbe_version`, and with it the same text inside a save."""
    padded = padded_version(pbe.version or "")
    if padded is None or not _unambiguous(pbe):
        return ()
    template = pbe.get(*_TEMPLATE)
    saves = template.items() if isinstance(template, dict) else ()
    nested = [
        join([*_TEMPLATE, root, "pbe_version"])
        for root, save in saves
        if isinstance(save, dict) and save.get("pbe_version") == pbe.version
    ]
    places = ["/pbe_version", *nested]
    return tuple(_text(pbe, pointer, padded) for pointer in places) if len(places) < _MOST else ()


def naming_fix(pbe: Pbe) -> tuple[Change, ...]:
    """Return the changes that give name, save key and recognition key one valid spelling.

    A save key is changed if it is the name, in any spelling, and `_save`. Where the assistant
    is told to look for it, the old key is also replaced. () if nothing needs to change.
    """
    name = _right_name(pbe.name or "")
    if not name or not _unambiguous(pbe):
        return ()
    changes = [] if name == pbe.name else [_text(pbe, "/pbe_name", name)]
    old = set()
    for pointer, text, is_key in _save_keys(pbe):
        if text != f"{name}_save" and follows_name(text, name):
            changes.append(_text(pbe, pointer, f"{name}_save", is_key=is_key))
            old.add(text)
    changes += _mentions(pbe, old, f"{name}_save")
    return tuple(changes) if len(changes) < _MOST else ()


def follows_name(key: str, name: str) -> bool:
    """Tell whether a save key is `name` and `_save` but for capitals, accents and separators."""
    return _letters(key) == _letters(f"{name}_save")


def _right_name(text: str) -> str | None:
    """Return the name that `text` spells; None if a letter of it would be lost."""
    better = text if is_name(text) else snake_case(text)
    return better if is_name(better) and _letters(better) == _letters(text) else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text.casefold())))


def _save_keys(pbe: Pbe) -> Iterator[tuple[str, str, bool]]:
    """Yield (pointer, text, whether it is a member name) of root and recognition key."""
    template = pbe.get(*_TEMPLATE)
    if isinstance(template, dict) and len(template) == 1:
        (root,) = template
        yield join([*_TEMPLATE, root]), root, True
    key = pbe.text(*_DETECTION, "recognition_key")
    if key is not None:
        yield join([*_DETECTION, "recognition_key"]), key, False


def _mentions(pbe: Pbe, old: set[str], new: str) -> Iterator[Change]:
    """Yield the changes of `old` keys, as whole words, to `new` in the loading instruction."""
    instruction = pbe.text(*_DETECTION, "instruction")
    if not old or not instruction:
        return
    words = "|".join(re.escape(key) for key in sorted(old, key=len, reverse=True))
    span = _inside(pbe.tree.span(join([*_DETECTION, "instruction"])))
    source = json_document.escaped(pbe.tree.text, span.start, span.end, json_document.ESCAPE)
    for match in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", instruction):
        yield Change(Span(source.origin(match.start()), source.origin(match.end())), new)


def _text(pbe: Pbe, pointer: str, text: str, *, is_key: bool = False) -> Change:
    """Return the change of a JSON text, or of a member name, to one that needs no escapes."""
    span = pbe.tree.key_span(pointer) if is_key else pbe.tree.span(pointer)
    return Change(_inside(span), text)


def _inside(span: Span) -> Span:
    return Span(span.start + 1, span.end - 1)  # the quotes stay


def _unambiguous(pbe: Pbe) -> bool:
    return all(issue.code == "JSON004" for issue in pbe.tree.issues)


PBE_RULES: tuple[Rule[Pbe], ...] = (
    root_not_object,
    missing_root_field,
    name_not_snake_case,
    version_not_semver,
    unknown_class,
    execution_field_missing,
    interactive_field_missing,
    too_few_phases,
    too_few_techniques,
    save_system_incomplete,
    save_key_not_name_save,
    recognition_key_differs,
    service_field_missing,
    reserved_field_of_another_class,
    blank_string,
    wrong_type,
    too_many_techniques,
    several_save_roots,
    class_is_reserved,
    custom_install_instructions,
    description_too_long,
)
"""In the order of their codes."""
