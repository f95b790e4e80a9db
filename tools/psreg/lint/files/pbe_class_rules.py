"""The rules about what a PBE's class asks for, except those of the interactive engine."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import PBE_CLASSES
from psreg.core.rule import rule
from psreg.formats import schema
from psreg.formats.json.pointer import join
from psreg.formats.pbe import Pbe
from psreg.lint.reported import of_violations


@rule("PBE008", spec="pbe-1.0/PBE-08", severity=ERROR)
def execution_field_missing(pbe: Pbe) -> Iterator[Finding]:
    """A stateless executor lacks a part of its `execution`.

    ## Why
    A stateless executor does one thing and ends. `primary_goal` says what it does, `behavior` how
    (and what to avoid), `termination_condition` when the assistant is itself again. Without the
    last one, for instance, some assistants never leave the role.

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
    """A persistent service lacks a part of its `service_config`.

    ## Why
    A background service must say what it watches (`monitoring_target`), when it acts
    (`activation_conditions`) and what it does meanwhile (`background_operation`). A user who
    lets it run has to be able to read all three beforehand.

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
    """A field at the root has a name that is reserved for another class.

    ## Why
    Names such as `execution` or `save_system` have one meaning in all PBEs. In a class they do
    not belong to, assistants may act on them although the class says otherwise, and a later
    version of the specification may give them a meaning here. Inside other fields the names are
    free.

    ## Fix
    If the class is the wrong one, change `pbe_class`. Otherwise give the field a name of its own,
    or leave it out: a description of the entry also stands in `release.toml`.

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
                    hint="Rename the field, or change `pbe_class` if it is the wrong one.",
                )


@rule("PBE024", spec="pbe-1.0/PBE-15 pbe-1.0/PBE-A10", severity=WARNING)
def class_is_reserved(pbe: Pbe) -> Iterator[Finding]:
    """The class `persistent_service` is reserved: no assistant runs it yet.

    ## Why
    The specification keeps this class for future systems and calls its description incomplete.
    psreg accepts such a PBE as a design document and never runs it; its fields may have to change
    when the class is finished.

    ## Fix
    Keep it if it is meant as a design. If users should run it today, make it an
    `interactive_engine` that is told what to watch.

    ```text
    before   "pbe_class": "persistent_service"
    after    "pbe_class": "interactive_engine"
    ```
    """
    if pbe.pbe_class == "persistent_service":
        yield Finding(
            message="the class persistent_service is reserved; nothing runs it yet",
            at="/pbe_class",
            hint="Fine for a design; to be run today, use interactive_engine.",
        )
