"""The rules about every PBE: its root, the four universal fields, types and blank texts.

A rule never repeats what another one said: a missing field has one finding, and no rule judges
the grammar of a text that is blank or of the wrong type.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.identity import MAX_NAME_LENGTH, is_name
from psreg.core.rule import Rule, rule
from psreg.core.version import is_version
from psreg.formats.json.pointer import dotted, split
from psreg.formats.json.syntax_error import shown
from psreg.formats.pbe import STANDARD_INSTRUCTIONS, Pbe
from psreg.formats.schema import MAX_VIOLATIONS, kind
from psreg.lint.files.pbe_class_rules import (
    class_is_reserved,
    execution_field_missing,
    reserved_field_of_another_class,
    service_field_missing,
)
from psreg.lint.files.pbe_fixes import naming_fix, padded_version, snake_case, version_fix
from psreg.lint.files.pbe_interactive_rules import (
    description_too_long,
    interactive_field_missing,
    recognition_key_differs,
    save_key_not_name_save,
    save_system_incomplete,
    several_save_roots,
    too_few_phases,
    too_few_techniques,
    too_many_techniques,
)
from psreg.lint.reported import of_violations


@rule("PBE001", spec="pbe-1.0/PBE-03", severity=ERROR)
def root_not_object(pbe: Pbe) -> Iterator[Finding]:
    """The file is JSON, but not one object in braces.

    ## Why
    A PBE is a set of named fields, and names exist only inside `{ … }`. A list or a lone text
    has no `pbe_name` and no `pbe_class`, so neither a program nor an assistant can tell what to
    run.

    ## Fix
    Put the fields into one pair of braces. If a list holds several PBEs, make one file of each.

    ```text
    before   [{"pbe_name": "hello_world", …}]
    after    {"pbe_name": "hello_world", …}
    ```
    """
    if pbe.tree.parsed and not pbe.is_object:
        yield Finding(
            message=f"the file holds {kind(pbe.tree.value)}; a PBE is one object: {{ … }}"
        )


@rule("PBE003", spec="pbe-1.0/PBE-03", severity=ERROR)
def missing_root_field(pbe: Pbe) -> Iterator[Finding]:
    """One of the four fields that every PBE has is missing.

    ## Why
    `pbe_name` and `pbe_version` say which prompt this is, `pbe_class` decides which other fields
    belong to it, and `install_instructions` tell the assistant to run the file rather than to
    talk about it. Without one of them a PBE can be neither filed nor started.

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
    The name becomes a folder, a file name, a web address and the key of every saved session.
    Lower-case ASCII letters, digits and single underscores, with a letter first and at most 64
    characters, mean the same on every system; capitals, blanks, hyphens or accents do not.

    ## Fix
    Rename it, and rename the save key and the `recognition_key` along with it.

    ```text
    before   "pbe_name": "Simple Quiz"
    after    "pbe_name": "simple_quiz"
    ```
    """
    if pbe.name is None or not pbe.name.strip() or is_name(pbe.name):
        return
    message = f"`pbe_name` {shown(pbe.name)} is not lowercase_with_underscores"
    if len(pbe.name) > MAX_NAME_LENGTH:
        message = (
            f"`pbe_name` has {len(pbe.name)} characters; the most allowed are {MAX_NAME_LENGTH}"
        )
    better = snake_case(pbe.name)
    hint = f'Write "{better}".' if is_name(better) else "Write a name such as simple_quiz."
    yield Finding(
        message=message,
        at="/pbe_name",
        hint=hint,
        fix=naming_fix(pbe),
        fix_title=f"rename it to `{better}`, and its save keys along with it",
    )


@rule("PBE006", spec="pbe-1.0/PBE-06 pbe-1.0/PBE-A1", severity=ERROR)
def version_not_semver(pbe: Pbe) -> Iterator[Finding]:
    """`pbe_version` is not a semantic version: MAJOR.MINOR.PATCH.

    ## Why
    Users ask for ranges such as `^1.2` and rely on the three numbers: PATCH repairs, MINOR adds,
    MAJOR breaks. With fewer numbers, a leading `v` or leading zeros nobody can tell which of two
    versions is newer. The specification's own examples say `1.0`, so reading them only warns.

    ## Fix
    Write all three numbers, and nothing before them.

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
    """`pbe_class` is none of the three classes.

    ## Why
    The class decides which fields a PBE must have and how an assistant runs it. For a class that
    does not exist nobody can check the file, and nobody knows what to do with it. Capitals count:
    `Interactive_Engine` is no class.

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
    """A required text is blank, or there is no trigger phrase.

    ## Why
    A field is required because the assistant needs what it says. An empty text, or one of blanks
    only, satisfies the form and leaves the assistant to invent the rest, differently each time.

    ## Fix
    Write what the field is for; one concrete sentence is enough.

    ```text
    before   "termination_condition": " "
    after    "termination_condition": "Ends after the greeting."
    ```
    """
    yield from of_violations(pbe.violations, "PBE020")
    blank = (pointer for pointer, text in pbe.strings() if not text.strip())
    for pointer in islice(blank, MAX_VIOLATIONS):
        path = dotted(int(token) if token.isdigit() else token for token in split(pointer))
        hint = "Write what this field is for, in a sentence."
        yield Finding(message=f"`{path}` is blank", at=pointer, hint=hint)


@rule("PBE021", spec="pbe-1.0/PBE-03", severity=ERROR)
def wrong_type(pbe: Pbe) -> Iterator[Finding]:
    """A field holds a value of the wrong kind.

    ## Why
    The specification says for each field whether it is a text, a list or an object, and programs
    rely on it. A version written as the number `1.0`, for example, loses its zero; a list in
    place of a text is shown as something else on every platform.

    ## Fix
    Write the kind of value that the message asks for: texts in double quotes, lists in `[ ]`,
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
    The specification proposes one sentence and allows others, so this is no mistake. But this
    field is the first thing an assistant obeys, and in all other PBEs it says the same: whoever
    reviews or installs this one should read it with care.

    ## Fix
    Nothing, if the change is meant. Otherwise use the standard sentence:

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
            hint="Allowed; make sure that every word of it is meant.",
        )


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
