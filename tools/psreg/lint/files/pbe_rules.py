"""The rules about PBEs: the fields of every PBE and of each class; `PBE_RULES` lists all of them.

A rule never repeats another one: a missing field has one finding, and no rule checks the grammar
of a text that is blank or has the wrong type. A fix is all the changes that belong together, or ()
if only the author can know what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.classes import PBE_CLASSES
from psreg.core.dataclass import replace
from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Finding
from psreg.core.identity import MAX_NAME_LENGTH, is_name
from psreg.core.rule import Rule, rule
from psreg.core.version import is_version
from psreg.formats import schema
from psreg.formats.json.pointer import join
from psreg.formats.json.syntax_error import shown
from psreg.formats.pbe import STANDARD_INSTRUCTIONS, Pbe
from psreg.formats.schema import kind
from psreg.lint.files.pbe_fixes import naming_fix, padded_version, snake_case, version_fix
from psreg.lint.files.pbe_interactive_rules import (
    description_too_long,
    interactive_field_missing,
    load_instruction_names_other_key,
    recognition_key_differs,
    same_item_again,
    save_key_not_name_save,
    save_system_incomplete,
    save_version_differs,
    save_without_state,
    several_save_roots,
    too_few_phases,
    too_few_techniques,
    too_many_techniques,
)
from psreg.lint.files.pbe_text_rules import blank_string, never_terminates, text_says_nothing
from psreg.lint.parser_findings import of_violations


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
    """`pbe_class` is not a known class.

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
    if not pbe.pbe_class or not pbe.pbe_class.strip():
        return
    for finding in of_violations(pbe.violations, "PBE007"):
        if pbe.meant_class is None:
            yield finding
        else:
            yield replace(
                finding,
                hint=f"Write `{pbe.meant_class}`.",
                fix=(Change(pbe.tree.span("/pbe_class"), f'"{pbe.meant_class}"'),),
                fix_title=f"write the class as `{pbe.meant_class}`",
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
    if pbe.meant_class is None:
        return
    own = schema.fields(pbe.meant_class)
    for owner in PBE_CLASSES:
        for field in schema.fields(owner):
            if field in pbe.value and field not in own:
                yield Finding(
                    message=f"`{field}` is reserved for the class {owner}",
                    at=join([field]),
                    key=True,
                    hint="Rename the field, or change `pbe_class` if the class is wrong.",
                )


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


@rule("PBE033", spec="pbe-1.0/PBE-07", severity=ERROR, since="0.2.0")
def fields_of_another_class(pbe: Pbe) -> Iterator[Finding]:
    """The class has none of its fields, but the PBE has those of another class.

    ## Why
    The class decides which fields an assistant looks for. Here it would find none of them, and it
    would ignore those that are there. psreg checks the fields of the class that they belong to.

    ## Fix
    Change `pbe_class`, and move the entry to the folder of that class.

    ```text
    before   "pbe_class": "interactive_engine",   "execution": {"primary_goal": …}
    after    "pbe_class": "stateless_executor",   "execution": {"primary_goal": …}
    ```
    """
    if pbe.pbe_class in PBE_CLASSES and pbe.meant_class != pbe.pbe_class:
        yield Finding(
            message=f"`pbe_class` is {pbe.pbe_class}, but the fields are of {pbe.meant_class}",
            at="/pbe_class",
            hint=f"Write `{pbe.meant_class}`, or the fields of {pbe.pbe_class}.",
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
    text_says_nothing,
    same_item_again,
    never_terminates,
    save_without_state,
    save_version_differs,
    load_instruction_names_other_key,
    fields_of_another_class,
)
"""In the order of their codes."""
